//! Retargeting: the hero onto itself rigged otherwise, and between the humanoids of the corpus. Where joints are is worked out by a second way.

#![allow(unreachable_pub, reason = "modules of tests have no public interface")]
#![allow(clippy::print_stdout, reason = "figures and skip notes are for whoever runs the tests")]

mod corpus;
mod ground;
mod hands;
mod roles;
mod same;
mod standing;
mod variants;
mod world;
