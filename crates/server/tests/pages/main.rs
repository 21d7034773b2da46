//! Pages and API over real projects in temporary folders: what is shown, what is escaped, what is refused, what is steered.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod crawls;
mod described;
mod log;
mod projects;
mod ratings;
mod refused;
mod search;
mod served;
mod site;
