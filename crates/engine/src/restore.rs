//! A lost or damaged frontier, rebuilt from the archive.

use std::sync::Arc;

use osprey_crawl::{Restored, StepClock, SystemClock, restore};
use osprey_model::Clock;

use crate::error::{Error, Result};
use crate::example_pages::ExamplePages;
use crate::live::Running;
use crate::project::Project;

impl Project {
    /// Rebuilds the frontier from the archive: what was visited, what waits, and in which order. The old one is kept under
    /// another name. [`Restored::unknown`] says what could not be known.
    pub fn restore(&self) -> Result<Restored> {
        if Running::find(self.layout())?.is_some() {
            let dir = self.layout().dir().display();
            return Err(Error::Busy(format!(
                "{dir}: a crawl is running; stop it first with `osprey stop {dir}`"
            )));
        }
        let steering = self.resolved.steering(&ExamplePages::of(self).known_already()?)?;
        let settings = self.resolved.settings.clone();
        let clock: Arc<dyn Clock> = match settings.is_live {
            true => Arc::new(SystemClock::default()),
            false => Arc::new(StepClock::default()),
        };
        Ok(restore(self.layout().data(), settings, steering, clock)?)
    }
}
