//! Ratings that are given while a crawl runs: by `osprey rate` in another process, a thumb in the browser, the API.
//!
//! A rated page gets its verdict at once. What the rating says of other pages, and of the links that wait, needs all pages to
//! be judged again: the crawl stops for that between two requests and goes on, in the same process. A small crawl does so after
//! each click. A large one waits until the user pauses, and does not spend more than a tenth of its time on it.

use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use osprey_crawl::Crawl;
use osprey_model::CanonicalUrl;
use osprey_steer::{Judgement, Want};
use tracing::warn;

use super::{Rating, Ratings, RatingsFile};
use crate::error::Result;
use crate::project::Project;

/// How often the file is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// So many pages are judged again at any time.
const FEW_PAGES: u64 = 500;
/// Pages that are judged again in a second, at least.
const PAGES_A_SECOND: f64 = 1_000.0;
/// Of the time, one part in so many may go to judging again.
const SHARE: f64 = 10.0;
/// A user who has not rated for so long pauses.
const PAUSE: Duration = Duration::from_millis(500);

/// What a file was when it was looked at: when it was written, and its length.
type Growth = Option<(Option<SystemTime>, u64)>;

/// The ratings of a running crawl.
pub(crate) struct NewRatings {
    file: RatingsFile,
    /// Those that the crawl began with, and those that its pages have by now.
    known: Ratings,
    growth: Growth,
    looked: Instant,
    began: Instant,
    /// When the last new one came.
    newest: Option<Instant>,
}

impl NewRatings {
    /// Of a crawl that begins, taken before its judge is made; `None` if its judge does not ask for ratings.
    pub(crate) fn of(project: &Project) -> Result<Option<Self>> {
        if !project.resolved.judge().wants_background() {
            return Ok(None);
        }
        let (path, now) = (project.layout().ratings(), Instant::now());
        let growth = growth(&path);
        let file = RatingsFile::at(path);
        let known = file.read()?;
        Ok(Some(Self { file, known, growth, looked: now, began: now, newest: None }))
    }

    /// Between two pages.
    pub(crate) fn look(&mut self, crawl: &mut Crawl) {
        let is_small = crawl.tally().visited <= FEW_PAGES;
        if is_small || self.looked.elapsed() >= LOOK_EVERY {
            self.looked = Instant::now();
            self.take_new(crawl);
        }
        let Some(newest) = self.newest else { return };
        let costs = SHARE * crawl.tally().visited as f64 / PAGES_A_SECOND;
        if is_small || (newest.elapsed() >= PAUSE && self.began.elapsed().as_secs_f64() >= costs) {
            crawl.look_soon();
        }
    }

    fn take_new(&mut self, crawl: &mut Crawl) {
        let growth = growth(&self.file.path);
        if growth == self.growth {
            return;
        }
        match self.file.read() {
            Ok(ratings) => {
                let is_new = |rating: &&Rating| self.known.get(&rating.url) != Some(rating.good);
                for rating in ratings.all().iter().filter(is_new) {
                    give(crawl, rating);
                }
                if ratings != self.known {
                    self.newest = Some(Instant::now());
                }
                (self.known, self.growth) = (ratings, growth);
            }
            // half a write: the next look sees the rest
            Err(error) => warn!(target: "osprey::crawl", %error, "ratings cannot be read"),
        }
    }
}

/// The rated page has its verdict at once.
fn give(crawl: &mut Crawl, rating: &Rating) {
    let relevance = Some(Want::worth_of_rating(rating.good));
    let given = CanonicalUrl::from_stored(&rating.url)
        .map(|url| crawl.set_verdict(&url, Judgement { relevance, relevant: rating.good }));
    if let Ok(Err(error)) = given {
        warn!(target: "osprey::crawl", %error, url = rating.url, "a rating cannot be stored with its page");
    }
}

fn growth(path: &Path) -> Growth {
    std::fs::metadata(path).ok().map(|data| (data.modified().ok(), data.len()))
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::{Control, CrawlOptions, Event, Observer};

    /// Calls the third relevant page bad when it comes, and notes what is said.
    struct Rater<'a> {
        project: &'a Project,
        relevant: Mutex<Vec<String>>,
        notes: Mutex<Vec<String>>,
    }

    impl Observer for Rater<'_> {
        fn event(&self, event: &Event<'_>) {
            match event {
                Event::Visit(visit) if visit.relevant => {
                    let mut relevant = self.relevant.lock().unwrap();
                    relevant.push(visit.url.clone());
                    if relevant.len() == 3 {
                        self.project.rate(&relevant[2..], false).unwrap();
                    }
                }
                Event::Note(note) => self.notes.lock().unwrap().push(note.to_string()),
                _ => {}
            }
        }
    }

    /// One run of a crawl: a page that was relevant is called bad on the way, and at its end it is bad, as are pages that are
    /// judged by it; the crawl went on to its end.
    #[test]
    fn a_rating_counts_in_the_crawl_that_runs() {
        let folder = tempfile::tempdir().unwrap();
        let mirror = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/harbour");
        let config = format!(
            "[crawl]\nseeds = [\"http://harbour.example/\"]\n[source]\nkind = \"replay\"\npath = \"{}\"\nbase = \"http://harbour.example/\"\n\
             [topic]\nwords = [\"birds\", \"osprey\"]\n[judge]\nkind = \"want\"\n[policy]\nkind = \"shark-search\"\n",
            mirror.display()
        );
        std::fs::write(folder.path().join("osprey.toml"), config).unwrap();
        let project = Project::open(folder.path()).unwrap();
        let rater = Rater { project: &project, relevant: Mutex::default(), notes: Mutex::default() };
        let stop = AtomicBool::new(false);
        let report =
            project.crawl(&CrawlOptions::default(), Control { stop: &stop, observer: &rater }).unwrap();
        let rated = rater.relevant.lock().unwrap()[2].clone();
        let notes = rater.notes.lock().unwrap().join("\n");
        assert!(notes.contains("judged again"), "{notes}");
        let visits = project.visits().unwrap();
        let verdict = visits.iter().find(|visit| visit.url == rated).unwrap();
        assert!(!verdict.relevant && verdict.relevance.unwrap() < 0.02, "{verdict:?}");
        // as many pages as an undisturbed crawl has
        let whole = tempfile::tempdir().unwrap();
        std::fs::copy(folder.path().join("osprey.toml"), whole.path().join("osprey.toml")).unwrap();
        let undisturbed = Project::open(whole.path()).unwrap();
        let expect =
            undisturbed.crawl(&CrawlOptions::default(), Control { stop: &stop, observer: &() }).unwrap();
        assert_eq!((report.visited, report.stopped_by), (expect.visited, expect.stopped_by));
    }
}
