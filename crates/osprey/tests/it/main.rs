//! The program, run as a user runs it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

mod architecture;
mod browser;
mod collect;
mod command_line;
mod compare;
mod corpora;
mod damage;
mod dead;
mod demo;
mod endurance;
mod examples;
mod guides;
mod hostile;
mod http;
mod lab;
mod learn;
mod live;
mod notify;
mod politeness;
mod project;
mod rate;
mod resilience;
mod search;
mod serve;
mod served;
mod slow_hosts;
mod web;
mod wishes;
