//! `osprey check`: reads everything that a project has and says what is damaged, and what to run for it.
//!
//! Nothing is changed, so it works on folders that may only be read; and while a crawl runs, but for the frontier, which
//! that crawl holds. The store of a frontier repairs itself when it is opened, so a copy of it is looked at. A fault is
//! something that was written and is not there any more as it was written. What another version has made, or what has not
//! been made yet, is none.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use osprey_archive::{CATALOG, Verified};
use osprey_crawl::{Inspection, Verdicts};
use osprey_fetch::Cookies;
use osprey_frontier::{Frontier, FrontierError};
use osprey_index::{Gallery, Index, IndexError, Stale, standing};
use osprey_steer::Judge;
use serde::Serialize;

use crate::captures::Captures;
use crate::collection::Collection;
use crate::cookies::CookieFile;
use crate::error::{Error, Result};
use crate::example_pages::ExamplePages;
use crate::layout::Layout;
use crate::live::Running;
use crate::observe::Control;
use crate::project::Project;
use crate::site_files::SiteFiles;
use crate::words::counted;

/// A part of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckedPart {
    /// The WARC files and their catalogue; those of sampled and given pages too.
    Archive,
    /// URL states and queues.
    Frontier,
    /// The search index and the words of pictures.
    Index,
    /// What was learned, what was judged again, the configuration, the cookies.
    Models,
}

impl fmt::Display for CheckedPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Archive => "archive",
            Self::Frontier => "frontier",
            Self::Index => "index",
            Self::Models => "models",
        })
    }
}

/// Something that is damaged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// Of which part.
    pub part: CheckedPart,
    /// The file or folder, from the project's folder on.
    pub file: String,
    /// What is wrong with it.
    pub what: String,
    /// What to do about it.
    pub remedy: String,
}

/// What a check found.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CheckReport {
    /// The faults; of many of one kind the first, and how many there are.
    pub faults: Vec<Fault>,
    /// Parts that could not be looked at, and why.
    pub skipped: Vec<String>,
    /// What is not damaged and will be mended by itself, in words.
    pub notes: Vec<String>,
    /// WARC files that were read.
    pub files: u64,
    /// Records in them that are intact.
    pub records: u64,
    /// Records in them that are damaged.
    pub damaged: u64,
}

impl CheckReport {
    /// Whether nothing is damaged, as far as could be looked.
    pub fn is_whole(&self) -> bool {
        self.faults.is_empty()
    }
}

impl Project {
    /// Reads everything that the project has, and says what is damaged.
    pub fn check(&self, control: Control<'_>) -> Result<CheckReport> {
        let mut check = Check::new(&self.layout, control);
        check.run(Some(self))?;
        Ok(check.report)
    }
}

/// The same of a folder whose configuration may be damaged, too.
pub fn check(dir: &Path, control: Control<'_>) -> Result<CheckReport> {
    let layout = Layout::of(dir);
    if !layout.config().exists() && !layout.data().exists() {
        return Err(Error::NotFound(format!("{}: neither `osprey.toml` nor `data` is there", dir.display())));
    }
    let mut check = Check::new(&layout, control);
    let project = match layout.config().exists() {
        true => match Project::open(dir) {
            Ok(project) => Some(project),
            Err(error) => {
                let remedy =
                    "correct it; `osprey init` in another folder shows how it should look".to_owned();
                check.fault(CheckedPart::Models, &layout.config(), error.to_string(), remedy);
                None
            }
        },
        false => None,
    };
    check.run(project.as_ref())?;
    Ok(check.report)
}

struct Check<'a> {
    layout: &'a Layout,
    control: Control<'a>,
    report: CheckReport,
}

impl<'a> Check<'a> {
    fn new(layout: &'a Layout, control: Control<'a>) -> Self {
        Self { layout, control, report: CheckReport::default() }
    }

    fn run(&mut self, project: Option<&Project>) -> Result<()> {
        let is_running = Running::find(self.layout)?.is_some();
        let again = self.command("learn", " --again");
        let delete = || Some("delete the folder; its pages are fetched again".to_owned());
        let folders = [
            (self.layout.data().to_owned(), None),
            (self.layout.sample(), Some(again)),
            (self.layout.example_pages(), delete()),
        ];
        let tag_crawls = self.layout.tag_crawls().into_iter().map(|folder| (folder, delete()));
        for (data, remedy) in folders.into_iter().chain(tag_crawls) {
            if Captures::exist(&data) {
                self.archive(&data, remedy, is_running)?;
            }
        }
        match project {
            Some(_) if is_running => {
                self.skip("frontier: a crawl is running and holds it; check again when it has ended");
            }
            Some(project) => self.frontier(project),
            None if !self.layout.frontier().exists() => {}
            None => self.skip("frontier: it is opened with the configuration, which cannot be used"),
        }
        self.verdicts();
        self.index();
        self.models(project);
        Ok(())
    }

    fn command(&self, name: &str, more: &str) -> String {
        format!("run `osprey {name} {}{more}`", self.layout.dir().display())
    }

    fn skip(&mut self, why: impl Into<String>) {
        self.report.skipped.push(why.into());
    }

    fn fault(&mut self, part: CheckedPart, path: &Path, what: impl Into<String>, remedy: String) {
        let file = path.strip_prefix(self.layout.dir()).unwrap_or(path).display().to_string();
        self.report.faults.push(Fault { part, file, what: what.into(), remedy });
    }

    /// Notes that there are more faults of a kind than are named.
    fn more(&mut self, part: CheckedPart, path: &Path, count: u64, named: usize, remedy: String) {
        if let more @ 1.. = count.saturating_sub(named as u64) {
            self.fault(part, path, format!("{more} more of these"), remedy);
        }
    }

    fn archive(&mut self, data: &Path, remedy: Option<String>, is_running: bool) -> Result<()> {
        let (dir, control) = (data.join("archive"), self.control);
        let verified = osprey_archive::verify(&dir, &mut |done, total| {
            control.work("bytes", done, total);
            !control.is_stopped()
        });
        control.end();
        if control.is_stopped() {
            return Err(Error::Interrupted);
        }
        let lost = remedy.unwrap_or_else(|| {
            "put the file back from a copy; without one, index, learn and export go on without this record".to_owned()
        });
        let part = CheckedPart::Archive;
        let Verified { files, damage, torn, catalog, catalog_faults, .. } = match verified {
            Ok(verified) => verified,
            Err(error) => {
                self.fault(part, &dir, error.to_string(), lost);
                return Ok(());
            }
        };
        self.report.files += files;
        self.report.records += damage.intact;
        self.report.damaged += damage.count;
        for record in &damage.records {
            let about = record.url.as_ref().map(|url| format!(" ({url})")).unwrap_or_default();
            let what = format!("the record at {}{about}: {}", record.offset, record.what);
            self.fault(part, &dir.join(&record.file), what, lost.clone());
        }
        self.more(part, &dir, damage.count, damage.records.len(), lost);
        if let Some((path, offset, bytes)) = torn.filter(|_| !is_running) {
            let what = format!("its last {bytes} bytes, from {offset} on, are half a record");
            let remedy = format!("{}: it cuts them off and goes on", self.command("crawl", ""));
            self.fault(part, &path, what, remedy);
        }
        let path = dir.join(CATALOG);
        let remedy =
            format!("delete it, and {}: it is written again from the WARC files", self.command("crawl", ""));
        for fault in &catalog {
            let what = format!("the line at {}: {}", fault.offset, fault.what);
            self.fault(part, &path, what, remedy.clone());
        }
        self.more(part, &path, catalog_faults, catalog.len(), remedy);
        Ok(())
    }

    fn frontier(&mut self, project: &Project) {
        let path = self.layout.frontier();
        let (part, remedy) = (CheckedPart::Frontier, self.command("restore", ""));
        if !path.exists() {
            if Captures::exist(self.layout.data()) {
                self.fault(part, &path, "it is missing, and the archive beside it is not", remedy);
            }
            return;
        }
        let options = &project.resolved.settings.frontier;
        let in_use = "frontier: another process has it open; check again when that has ended";
        let is_in_use = || matches!(Frontier::check_free(&path), Err(FrontierError::Locked { .. }));
        if is_in_use() {
            return self.skip(in_use);
        }
        let copy = match project.copied_frontier() {
            Ok(copy) => copy,
            Err(error) => return self.skip(format!("frontier: a copy is looked at, and {error}")),
        };
        // what is copied while another process writes says nothing
        if is_in_use() {
            return self.skip(in_use);
        }
        let stores = match Inspection::open(copy.path(), options, Duration::ZERO) {
            Ok(stores) => stores,
            Err(error) => {
                let (copied, data) = (copy.path().display().to_string(), self.layout.data());
                let what = error.to_string().replace(&copied, &data.display().to_string());
                return self.fault(part, &path, what, remedy);
            }
        };
        let archive = self.layout.archive();
        let places = osprey_archive::Places::of(&archive);
        let faults = stores.verify(|at| places.has(at));
        for what in &faults.named {
            self.fault(part, &path, what.clone(), remedy.clone());
        }
        self.more(part, &path, faults.count, faults.named.len(), remedy);
        if let Ok(behind @ 1..) = stores.uncommitted(&archive) {
            let crawl = format!("the next `osprey crawl {}`", self.layout.dir().display());
            let (visits, takes) = (counted(behind, "visit"), "takes over from the archive");
            self.report.notes.push(format!("frontier: {visits} that {crawl} {takes}"));
        }
    }

    /// What was judged again since it came.
    fn verdicts(&mut self) {
        let data = self.layout.data();
        if let Err(error) = Verdicts::read(data) {
            let remedy = self.command("rejudge", "");
            self.fault(CheckedPart::Models, &Verdicts::file_of(data), error.to_string(), remedy);
        }
    }

    fn index(&mut self) {
        let (part, remedy) = (CheckedPart::Index, self.command("index", " --rebuild"));
        let collection = Collection::of(self.layout.dir());
        // that of a damaged codebook is told of with the models
        let Ok(codebook) = collection.codebook() else { return };
        let (id, path) = (codebook.id(), standing(&self.layout.index()));
        if path.exists() {
            let opened = Index::open(&path, codebook)
                .and_then(|index| Ok((index.damaged_files()?, index.searcher()?)));
            match opened {
                Ok((damaged, _)) => {
                    for file in damaged {
                        self.fault(part, &path.join(file), "its checksum does not fit", remedy.clone());
                    }
                }
                Err(IndexError::Rebuild { why: why @ Stale::Damaged(_), .. }) => {
                    self.fault(part, &path, why.to_string(), remedy.clone());
                }
                // it is of another version or codebook, or cannot be read now
                Err(error) => self.skip(format!("index: {error}")),
            }
        }
        let images = self.layout.images();
        match Gallery::look(&images, id) {
            Ok(Some(state)) if state.damaged_bytes > 0 => {
                let what = format!(
                    "{} bytes behind the words of {} pictures cannot be read",
                    state.damaged_bytes, state.pictures
                );
                self.fault(part, &images.join("words.log"), what, remedy);
            }
            Ok(_) => {}
            Err(error) => self.skip(format!("index: {error}")),
        }
    }

    fn models(&mut self, project: Option<&Project>) {
        let (part, remedy) = (CheckedPart::Models, self.command("learn", ""));
        let codebook = self.layout.codebook();
        if let Err(error) = Collection::of(self.layout.dir()).codebook() {
            let remedy = format!("delete it, or {}", self.command("index", " --retrain"));
            self.fault(part, &codebook, error.to_string(), remedy);
        }
        let files = SiteFiles::of(self.layout);
        let model = files.model();
        if let Err(error) = &model {
            self.fault(part, &files.model_file(), error.to_string(), remedy.clone());
        }
        if let Err(error) = files.sitemap() {
            let remedy = format!("correct it, or {remedy}: it keeps the file under another name");
            self.fault(part, &files.sitemap_file(), error.to_string(), remedy);
        } else if let (Some(project), Ok(Some(_))) = (project, &model)
            && let Err(error) = project.site()
        {
            self.fault(part, &self.layout.model(), error.to_string(), remedy);
        }
        if let Some(project) = project {
            self.cookies(project);
            if model.is_ok() {
                self.judge(project);
            }
        }
    }

    fn cookies(&mut self, project: &Project) {
        let checked = CookieFile::of(project).load(project, &Cookies::Fresh).map(|cookies| cookies.check());
        let what = match checked {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        };
        let remedy = "delete it: the crawl goes on without these cookies".to_owned();
        self.fault(CheckedPart::Models, &self.layout.cookies(), what, remedy);
    }

    /// Builds the judge of what it is made of: terms, taxonomy, example pages, the learned site. What has not been learned
    /// or fetched yet is no fault.
    fn judge(&mut self, project: &Project) {
        let kind = project.resolved.judge();
        let known = match kind.needs_examples() {
            true => ExamplePages::of(project).known_already(),
            false => project.known_so_far(),
        };
        let known = match known {
            Ok(known) => known,
            Err(error) => {
                let remedy = "delete the folder; its pages are fetched again".to_owned();
                let path = self.layout.example_pages();
                return self.fault(CheckedPart::Models, &path, error.to_string(), remedy);
            }
        };
        let subject = project.resolved.subject();
        let is_unfetched = !subject.examples.is_empty() && known.examples.is_empty();
        if (kind.needs_site() && known.site.is_none()) || (kind.needs_examples() && is_unfetched) {
            return;
        }
        if let Err(error) = Judge::new(kind, subject, &known) {
            let what = format!("the judge cannot be made: {error}");
            let remedy = format!(
                "correct `[judge]` and `[topic]`; where example pages are damaged, delete {}: they are fetched again",
                self.layout.example_pages().display()
            );
            self.fault(CheckedPart::Models, &self.layout.config(), what, remedy);
        }
    }
}
