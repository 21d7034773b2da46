//! The two clusterings that Xu et al. 2018 compares itself with, over the same shapes.

pub(crate) mod irobot;
pub(crate) mod mdl;
