//! Tests of `adaptive` as a whole.
