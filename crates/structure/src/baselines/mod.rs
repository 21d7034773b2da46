//! The two clusterings that seed 001 compares itself with, over the same shapes.

pub(crate) mod irobot;
pub(crate) mod mdl;
