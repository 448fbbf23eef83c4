//! Roles of real rigs.
