//! One run of a command: its terminal output, and the signals that end it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use osprey_engine::{Control, Observer};

use crate::output::Output;
use crate::progress::Terminal;

/// What long commands need.
pub(crate) struct Session {
    stop: Arc<AtomicBool>,
    terminal: Arc<Terminal>,
}

impl Session {
    /// The first Ctrl-C (or SIGTERM) finishes what is in flight and commits; the second one leaves at once, which is safe
    /// too.
    pub(crate) fn new(output: &Output) -> anyhow::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let (flag, told) = (Arc::clone(&stop), *output);
        ctrlc::set_handler(move || {
            if flag.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
            told.say("stopping: finishing what is in flight (press Ctrl-C again to quit immediately)");
        })
        .context("cannot listen for signals")?;
        Ok(Self { stop, terminal: Arc::new(Terminal::new(output)) })
    }

    /// The observer, and whether to stop.
    pub(crate) fn control(&self) -> Control<'_> {
        Control { stop: &self.stop, observer: &*self.terminal }
    }

    /// The observer alone, for work on another thread.
    pub(crate) fn observer(&self) -> Arc<dyn Observer> {
        Arc::clone(&self.terminal) as Arc<dyn Observer>
    }

    /// Set when the user wants the command to end.
    pub(crate) fn stop(&self) -> &AtomicBool {
        &self.stop
    }
}
