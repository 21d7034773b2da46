//! A folder that may only be read: what needs no writing works.
