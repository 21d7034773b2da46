//! The two clusterings that seed 001 compares itself with, over the same shapes.

pub mod irobot;
pub mod mdl;
