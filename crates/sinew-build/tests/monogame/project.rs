//! The target in a project.
