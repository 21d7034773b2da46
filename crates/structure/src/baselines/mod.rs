//! The two clustering methods that Xu et al. 2018 compare with, over the same page shapes.

pub(crate) mod irobot;
pub(crate) mod mdl;
