//! The main job in one piece: looks at the site, crawls it, and makes everything searchable as it comes.
//!
//! Looking costs no request of its own: the site is learned from the first pages of the crawl itself, so that the first
//! results are there within seconds even at one request a second. Only a policy or judge that cannot begin without a
//! learned site has a sample taken for it first. Whatever ends a run, the next one sees what is there and goes on: pages that
//! were fetched are not fetched again, and the index continues behind its last commit.

use std::sync::atomic::{AtomicBool, Ordering};

use osprey_crawl::Report;
use osprey_model::CanonicalUrl;
use osprey_steer::Subject;
use serde::Serialize;

use crate::error::{Error, Result};
use crate::estimate::effort;
use crate::indexing::Indexed;
use crate::init::InitOptions;
use crate::learn::LearnOptions;
use crate::live::Running;
use crate::observe::{Control, Event, Observer};
use crate::project::Project;
use crate::run::CrawlOptions;
use crate::stages::Looks;
use crate::words::counted;

/// Pages of a sample for a policy that cannot begin without, at least and at most.
const SAMPLE: (u64, u64) = (60, 150);
/// The part of the budget, one in so many, that it takes.
const SHARE: u64 = 10;

/// What became of a run of [`Project::collect`].
#[derive(Clone, Debug, Serialize)]
pub struct Collected {
    /// The crawl.
    pub report: Report,
    /// What this run put into the index.
    pub indexed: Indexed,
    /// Whether the site was learned, by this run or before.
    pub is_learned: bool,
}

impl Project {
    /// Looks at the site, crawls it and indexes what comes, until a budget is used up, nothing is left, or the caller asks to
    /// stop. Starts or resumes.
    pub fn collect(&self, control: Control<'_>) -> Result<Collected> {
        if Running::find(self.layout())?.is_some() {
            let dir = self.layout().dir().display();
            return Err(Error::Busy(format!(
                "{dir}: another process is crawling this project; stop it with `osprey stop {dir}`, or watch it with \
                 `osprey serve {dir}`"
            )));
        }
        self.announce_crawl(&CrawlOptions::default(), control);
        if let Some(key) = self.resolved.needs_site()
            && !self.is_learned()?
        {
            let pages = self.budget().map_or(SAMPLE.1, |budget| (budget / SHARE).clamp(SAMPLE.0, SAMPLE.1));
            let pages_in_words = counted(pages, "page");
            control
                .note(format!("looking at the site first, since `{key}` needs to know it: {pages_in_words}"));
            self.learn(&LearnOptions { pages: Some(pages), ..LearnOptions::default() }, control)?;
        }
        let mut indexed = Indexed::default();
        let report = self.in_stages(Looks::Always, control, |project, look| {
            project.crawl_and_index(look, &mut indexed, control)
        })?;
        Ok(Collected { report, indexed, is_learned: self.is_learned()? })
    }

    /// What is wanted, and where: `items about *sailing* on example.org`.
    pub fn want_in_words(&self) -> String {
        let hosts = self.resolved.settings.seeds.iter().map(|url| url.authority());
        let mut hosts: Vec<&str> = hosts.collect();
        hosts.dedup();
        format!("{} on {}", subject_in_words(self.resolved.subject()), hosts.join(", "))
    }

    /// What the next run of the crawl will fetch, and how long it takes: `2,000 pages at one request a second: about 33 min`.
    pub fn effort_in_words(&self) -> Result<String> {
        let tally = self.status()?.tally;
        let effort = effort(&self.resolved.settings, &tally);
        Ok(match tally.visited {
            0 => effort,
            visited => format!("{} are there, {effort} to come", counted(visited, "page")),
        })
    }

    /// Whether its file says that the same is wanted as these options.
    pub fn wants_as(&self, options: &InitOptions) -> bool {
        let rules = &self.resolved.settings.page_rules.url;
        let parse = |urls: &[String]| -> Vec<_> {
            urls.iter().filter_map(|url| CanonicalUrl::parse(url, rules).ok()).collect()
        };
        let subject = self.resolved.subject();
        subject.words == options.words()
            && subject.pages == options.pages
            && parse(&subject.examples) == parse(&options.examples)
    }

    /// Start URLs, in their canonical form.
    pub fn seeds(&self) -> Vec<String> {
        self.resolved.settings.seeds.iter().map(ToString::to_string).collect()
    }

    /// Crawls, up to the next look, and indexes what comes meanwhile.
    fn crawl_and_index(
        &self,
        look: Option<u64>,
        indexed: &mut Indexed,
        control: Control<'_>,
    ) -> Result<Report> {
        let has_ended = AtomicBool::new(false);
        // the index stops when the crawl has, with everything in it; progress is the crawl's alone
        let notes = NotesOnly(control.observer);
        let index = || {
            let never = AtomicBool::new(false);
            let apart = Control { stop: &never, observer: &notes };
            let indexed = self.index_until(&|| has_ended.load(Ordering::Acquire), apart);
            if let Err(error) = &indexed {
                control.note(format!("note: indexing ended: {error}; the crawl goes on"));
            }
            indexed
        };
        std::thread::scope(|scope| {
            let index = scope.spawn(index);
            let report = {
                let _end = SetOnDrop(&has_ended);
                self.crawl_stage(look, control)
            };
            let done =
                index.join().unwrap_or_else(|_| Err(Error::failed("the index failed; please report this")));
            let report = report?;
            indexed.add(done?);
            Ok(report)
        })
    }
}

/// `items about *sailing*`
fn subject_in_words(subject: &Subject) -> String {
    let Subject { words, tags, genre_terms, content_terms, nodes, examples, pages, .. } = subject;
    let names = |term: &str| term.split('|').next().unwrap_or(term).trim().to_owned();
    let mut about: Vec<String> = Vec::new();
    for term in [words, tags, genre_terms, content_terms, nodes].into_iter().flatten() {
        let name = format!("*{}*", names(term));
        if !about.contains(&name) {
            about.push(name);
        }
    }
    let about = if about.is_empty() { String::new() } else { format!(" about {}", about.join(", ")) };
    let like = if examples.is_empty() { String::new() } else { format!(" like {}", examples.join(", ")) };
    match about.is_empty() && like.is_empty() {
        true => "all pages".to_owned(),
        false => format!("{}{about}{like}", pages.name()),
    }
}

/// Says that work is over, however it ends.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Passes on what people should know, and no progress.
struct NotesOnly<'a>(&'a dyn Observer);

impl Observer for NotesOnly<'_> {
    fn event(&self, event: &Event<'_>) {
        if matches!(event, Event::Note(_)) {
            self.0.event(event);
        }
    }
}

#[cfg(test)]
mod tests {
    use osprey_steer::PageKinds;

    use super::*;

    #[test]
    fn what_is_wanted_in_words() {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let check = |subject: Subject, expect: &str| assert_eq!(subject_in_words(&subject), expect);
        check(Subject::default(), "all pages");
        let words = texts(&["red car", "篮球"]);
        check(Subject { words: words.clone(), ..Subject::default() }, "items about *red car*, *篮球*");
        let tags = texts(&["red car", "boat|Boot"]);
        let subject = Subject { words, tags, pages: PageKinds::All, ..Subject::default() };
        check(subject, "pages about *red car*, *篮球*, *boat*");
        let examples = texts(&["https://a.example/1"]);
        check(Subject { examples, ..Subject::default() }, "items like https://a.example/1");
    }
}
