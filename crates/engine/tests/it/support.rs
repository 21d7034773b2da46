//! Small projects, and an observer that tells a test how far a crawl is.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, Sender, channel};

use osprey_engine::{Control, Event, ExportFormat, ExportWhat, Observer, Project};

/// Holds a crawl at a visit until the test lets it go on.
pub(crate) struct Milestone {
    at: u64,
    reached: Mutex<Sender<()>>,
    go_on: Mutex<Receiver<()>>,
}

/// The test's end of a [`Milestone`].
pub(crate) struct Held {
    reached: Receiver<()>,
    go_on: Sender<()>,
}

impl Milestone {
    /// An observer that holds the crawl at visit `at`, and its other end.
    pub(crate) fn at(at: u64) -> (Self, Held) {
        let ((tell, reached), (go_on, wait)) = (channel(), channel());
        (Self { at, reached: Mutex::new(tell), go_on: Mutex::new(wait) }, Held { reached, go_on })
    }
}

impl Held {
    /// Waits until the crawl is there.
    pub(crate) fn reached(&self) {
        self.reached.recv().unwrap();
    }

    /// Lets the crawl go on.
    pub(crate) fn go_on(&self) {
        self.go_on.send(()).unwrap();
    }
}

impl Observer for Milestone {
    fn event(&self, event: &Event<'_>) {
        if let Event::Visit(visit) = event
            && visit.n == self.at
        {
            let _ = self.reached.lock().unwrap().send(());
            let _ = self.go_on.lock().unwrap().recv();
        }
    }
}

/// A project on a small simulated photo site.
pub(crate) fn world(dir: &Path, pages: u64, budget: u64) -> Project {
    let text = format!(
        "[crawl]\nscope = \"domain\"\nbudget_pages = {budget}\n[source]\nkind = \"world\"\nname = \"photo\"\nrandom_seed = 3\n\
         size = {pages}\n[topic]\ntags = [\"beach\"]\n[structure]\nsample_pages = 120\n[policy]\nkind = \"breadth-first\"\n\
         [vision]\npictures = \"records\"\nrelevant_only = false\npictures_per_page = 1\n"
    );
    std::fs::create_dir_all(dir).unwrap();
    std::fs::write(dir.join("osprey.toml"), text).unwrap();
    Project::open(dir).unwrap()
}

/// A control without observers that never stops.
pub(crate) fn quiet(stop: &AtomicBool) -> Control<'_> {
    Control { stop, observer: &() }
}

/// The rows of an export, a line each.
pub(crate) fn rows(project: &Project, what: ExportWhat) -> Vec<String> {
    let file = tempfile::NamedTempFile::new().unwrap();
    project.export_file(what, ExportFormat::Jsonl, None, file.path()).unwrap();
    std::fs::read_to_string(file.path()).unwrap().lines().map(str::to_owned).collect()
}

/// The folder of this repository.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}
