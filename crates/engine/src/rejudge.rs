//! What is wanted has changed: everything that was crawled is judged again, and what waits is scored again.

use std::path::Path;
use std::sync::Arc;

use osprey_archive::Damage;
use osprey_crawl::{Crawl, CrawlError, Rejudged, Rejudging, Settings, Steering, StepClock, SystemClock};
use osprey_model::Clock;
use serde::Serialize;

use crate::captures::Captures;
use crate::error::{Error, Result};
use crate::example_pages::ExamplePages;
use crate::live::Running;
use crate::observe::Control;
use crate::project::Project;
use crate::words::counted;

/// What was judged again.
#[derive(Clone, Debug, Serialize)]
pub struct RejudgeReport {
    /// The counts.
    #[serde(flatten)]
    pub rejudged: Rejudged,
    /// Pages judged a second.
    pub pages_per_second: f64,
    /// Records of the archive that are damaged: pages whose answers are among them keep their verdict.
    #[serde(flatten)]
    pub damage: Damage,
}

impl Project {
    /// Judges everything that was crawled again by what is wanted today, and scores the links that wait again. A crawl does
    /// the same by itself when it starts and finds that what is wanted has changed.
    pub fn rejudge(&self, control: Control<'_>) -> Result<RejudgeReport> {
        let dir = self.layout().dir().display();
        if Running::find(self.layout())?.is_some() {
            return Err(Error::Busy(format!(
                "{dir}: a crawl is running; stop it with `osprey stop {dir}`: the next `osprey crawl {dir}` judges \
                 everything again by itself if what is wanted has changed"
            )));
        }
        if !Captures::exist(self.layout().data()) {
            return Err(CrawlError::Nothing(self.layout().data().to_owned()).into());
        }
        let steering = self.resolved.steering(&ExamplePages::of(self).known(control)?)?;
        let settings = self.resolved.settings.clone();
        let clock: Arc<dyn Clock> = match settings.is_live {
            true => Arc::new(SystemClock::default()),
            false => Arc::new(StepClock::default()),
        };
        let crawl = open(self.layout().data(), settings, steering, clock, true, control)?;
        let rejudged = crawl.rejudged().cloned().unwrap_or_default();
        let pages_per_second = rejudged.pages as f64 / rejudged.seconds.max(1e-9);
        Ok(RejudgeReport { rejudged, pages_per_second, damage: crawl.damage() })
    }
}

/// Opens a crawl; if what is wanted has changed, or `always`, everything is judged again.
pub(crate) fn open(
    data: &Path,
    settings: Settings,
    steering: Steering,
    clock: Arc<dyn Clock>,
    always: bool,
    control: Control<'_>,
) -> Result<Crawl> {
    let mut is_counted = false;
    let mut each = |done, total| {
        is_counted = true;
        control.work("pages judged again", done, total);
        !control.is_stopped()
    };
    let how = Rejudging { always, now: SystemClock::default().now(), each: &mut each };
    let opened = Crawl::open_rejudging(data, settings, steering, clock, how);
    if is_counted {
        control.end();
    }
    opened.map_err(|error| match error {
        CrawlError::Stopped => Error::Interrupted,
        error => error.into(),
    })
}

/// Says that everything was judged again because the want has changed.
pub(crate) fn say(rejudged: &Rejudged, control: Control<'_>) {
    let Rejudged { pages, relevant, relevant_before, rescored, found, unread, .. } = *rejudged;
    let mut text = match (rejudged.is_new_want, rejudged.knows_more) {
        (true, _) => "note: the want changed since the last run".to_owned(),
        (false, true) => "note: more is known of the site and of what is wanted".to_owned(),
        (false, false) => "note: judging again had been interrupted".to_owned(),
    };
    text += &format!(
        ": {} judged again, {} relevant now (was {}); {} rescored",
        counted(pages, "page"),
        crate::words::grouped(relevant),
        crate::words::grouped(relevant_before),
        counted(rescored, "waiting link"),
    );
    if found > 0 {
        text += &format!(", {} added", counted(found, "link"));
    }
    if unread > 0 {
        text += &format!("; {} could not be read back and keep their verdicts", counted(unread, "page"));
    }
    control.note(text);
}
