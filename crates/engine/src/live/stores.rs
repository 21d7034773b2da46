//! A project's stores, opened for reading while no crawl runs, and closed after a moment without use, so that a crawl
//! can take them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use osprey_crawl::Inspection;

use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::project::Project;
use crate::status::Stores as Copied;

/// How long stores stay open after the last look.
const LINGER: Duration = Duration::from_millis(500);

/// The stores, while they are open, and when they were last looked at.
type Open = Arc<Mutex<Option<(Copied, Instant)>>>;

/// Opens the stores of a project on demand.
pub(super) struct Stores {
    layout: Layout,
    open: Open,
}

impl Stores {
    pub(super) fn of(layout: &Layout) -> Self {
        Self { layout: layout.clone(), open: Open::default() }
    }

    /// Looks.
    pub(super) fn with<T>(&self, look: impl FnOnce(&mut Inspection) -> Result<T>) -> Result<T> {
        let mut open = lock(&self.open);
        if open.is_none() {
            *open = Some((Project::open(self.layout.dir())?.stores()?, Instant::now()));
            let kept = Arc::clone(&self.open);
            std::thread::spawn(move || close_when_idle(&kept));
        }
        let Some((stores, at)) = &mut *open else { return Err(Error::failed("the stores are closed")) };
        *at = Instant::now();
        look(stores)
    }

    /// Closes them now.
    pub(super) fn close(&self) {
        lock(&self.open).take();
    }
}

fn lock(open: &Open) -> MutexGuard<'_, Option<(Copied, Instant)>> {
    open.lock().unwrap_or_else(PoisonError::into_inner)
}

fn close_when_idle(open: &Open) {
    loop {
        std::thread::sleep(LINGER);
        let mut open = lock(open);
        match &*open {
            Some((_, at)) if at.elapsed() < LINGER => {}
            _ => {
                open.take();
                return;
            }
        }
    }
}
