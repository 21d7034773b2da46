//! The numbered steps of the demo: prints each step, its result and its duration.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::bail;
use osprey_engine::{Error, duration};

use crate::output::Output;

/// Steps there are.
const STEPS: u32 = 6;

/// What a step found.
pub(super) struct Finding<T> {
    /// Nothing was left to do.
    pub(super) was_done: bool,
    /// In one line.
    pub(super) says: String,
    /// What later steps need of it.
    pub(super) value: T,
}

/// Counts steps, and tells of them.
pub(super) struct Steps<'a> {
    output: &'a Output,
    stop: &'a AtomicBool,
    taken: u32,
    began: Instant,
}

impl<'a> Steps<'a> {
    pub(super) fn new(output: &'a Output, stop: &'a AtomicBool) -> Self {
        Self { output, stop, taken: 0, began: Instant::now() }
    }

    /// Takes the next step, unless the user has pressed Ctrl-C.
    pub(super) fn take<T>(
        &mut self,
        what: &str,
        step: impl FnOnce() -> anyhow::Result<Finding<T>>,
    ) -> anyhow::Result<T> {
        if self.stop.load(Ordering::Relaxed) {
            bail!(Error::Interrupted);
        }
        self.taken += 1;
        self.output.say(format!("{}/{STEPS} {what}", self.taken));
        let began = Instant::now();
        let Finding { was_done, says, value } = step()?;
        let took = if was_done { "done before".to_owned() } else { duration(began.elapsed().as_secs_f64()) };
        self.output.say(format!("    {says} ({took})"));
        Ok(value)
    }

    /// Since the first.
    pub(super) fn seconds(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }
}
