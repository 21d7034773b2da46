//! A project's stores, opened to look while nothing runs, and closed when nobody has looked for a moment: whoever wants to
//! crawl should not find them taken.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use osprey_crawl::Inspection;

use crate::project::Project;

/// How long stores stay open after the last look.
const LINGER: Duration = Duration::from_secs(2);

/// The stores, while they are open, and when they were last looked at.
type Open = Arc<Mutex<Option<(Inspection, Instant)>>>;

/// Opens the stores of a project when somebody looks.
pub(super) struct Look {
    dir: PathBuf,
    open: Open,
}

impl Look {
    pub(super) fn of(dir: &Path) -> Self {
        Self { dir: dir.to_owned(), open: Open::default() }
    }

    /// Looks.
    pub(super) fn with<T>(
        &self,
        look: impl FnOnce(&mut Inspection) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let mut open = lock(&self.open);
        if open.is_none() {
            let project = Project::open(&self.dir, |_| {})?;
            let options = &project.resolved.settings.frontier;
            let stores = Inspection::open(&project.data(), options, Inspection::PATIENCE)?;
            *open = Some((stores, Instant::now()));
            let kept = Arc::clone(&self.open);
            std::thread::spawn(move || close_when_idle(&kept));
        }
        let Some((stores, at)) = &mut *open else { anyhow::bail!("the stores are closed") };
        *at = Instant::now();
        look(stores)
    }

    /// Closes them now.
    pub(super) fn close(&self) {
        lock(&self.open).take();
    }
}

fn lock(open: &Open) -> MutexGuard<'_, Option<(Inspection, Instant)>> {
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
