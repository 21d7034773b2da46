//! A crawl that gets to know its site as it goes.
//!
//! After the first hundred visits, and twice or three times later, it stops for a moment, learns the site from the pages that it has,
//! counts what is usual there, judges everything again and goes on: with what it knows then the judge tells items from lists
//! and text from menus. No request is made for it. Who has the site learned beforehand (`osprey learn`) is not asked again.

use std::collections::BTreeMap;

use osprey_crawl::{Report, Stop};
use osprey_structure::Sitemap;

use crate::error::{Error, Result};
use crate::learn::LearnOptions;
use crate::observe::Control;
use crate::project::Project;
use crate::words::{counted, grouped};

/// Visits after which a crawl looks at what it has; the first look comes earlier in a small crawl.
const LOOKS: [u64; 3] = [100, 300, 1_000];
/// The first look comes after this part of the budget, one in so many, ...
const SHARE: u64 = 10;
/// ... but not before so many visits.
const EARLIEST: u64 = 60;

/// Which crawls look at what they have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Looks {
    /// All.
    Always,
    /// Those with a policy that asks for it.
    IfAsked,
}

impl Project {
    /// Runs a crawl with all looks that are due. `run` crawls up to the next look, with the project as it is then; the report
    /// is that of all runs together.
    pub(crate) fn in_stages(
        &self,
        looks: Looks,
        control: Control<'_>,
        mut run: impl FnMut(&Self, Option<u64>) -> Result<Report>,
    ) -> Result<Report> {
        let mut reopened: Option<Self> = None;
        let mut looked_at = self.looked_at(looks)?;
        let mut before: Option<Report> = None;
        loop {
            let project = reopened.as_ref().unwrap_or(self);
            let next = looked_at.and_then(|visits| self.next_look(visits));
            let report = joined(before.take(), run(project, next)?);
            // a small site has come to its end before the first look
            let is_all = looked_at == Some(0) && report.stopped_by == Stop::Empty && report.has_page;
            if report.stopped_by != Stop::Look && !is_all {
                return Ok(report);
            }
            if !is_all && next.is_none_or(|next| report.visited < next) {
                // new ratings: the next run begins with judging everything again
                before = Some(report);
                continue;
            }
            match project.learn(
                &LearnOptions { crawled: true, pages: LOOKS.last().copied(), ..LearnOptions::default() },
                control,
            ) {
                Ok(learned) => control.note(looked(&learned.sitemap)),
                Err(Error::Interrupted) => return Ok(Report { stopped_by: Stop::Interrupt, ..report }),
                Err(error) => {
                    control.note(format!("note: the site was not learned: {error}; going on without"))
                }
            }
            if self.has_file {
                // the rules for records are in its file now
                reopened = Some(Self::open_with(self.layout().dir(), &self.overrides)?);
            }
            looked_at = Some(report.visited.max(next.unwrap_or_default()));
            before = Some(report);
        }
    }

    /// Visits after which the site was learned last; `None` if no look is due: it was learned from a sample, or nobody asks.
    fn looked_at(&self, looks: Looks) -> Result<Option<u64>> {
        let is_asked = looks == Looks::Always || self.resolved.learns_as_it_goes();
        let is_learned = self.site()?;
        if !is_asked || self.layout().sample().exists() {
            return Ok(None);
        }
        // of the visits of a crawl at least half bring pages, as a rule
        Ok(Some(is_learned.map_or(0, |site| 2 * site.model().sample.len() as u64)))
    }

    fn next_look(&self, visits: u64) -> Option<u64> {
        let first = self.budget().map_or(LOOKS[0], |budget| (budget / SHARE).clamp(EARLIEST, LOOKS[0]));
        let looks = std::iter::once(first).chain(LOOKS.into_iter().skip(1));
        looks.into_iter().find(|look| *look > visits)
    }
}

/// The report of two runs that are one for the user.
fn joined(before: Option<Report>, report: Report) -> Report {
    let Some(before) = before else { return report };
    let mut notices = before.notices;
    notices.extend(
        report.notices.iter().filter(|notice| !notices.contains(notice)).cloned().collect::<Vec<_>>(),
    );
    Report {
        this_run: before.this_run + report.this_run,
        seconds: before.seconds + report.seconds,
        notices,
        ..report
    }
}

/// `looked at 60 pages: 3 page types (41 detail, 12 list, 7 other)`
fn looked(sitemap: &Sitemap) -> String {
    let mut by_label: BTreeMap<&str, u64> = BTreeMap::new();
    for entry in &sitemap.types {
        *by_label.entry(entry.label.name()).or_default() += entry.pages as u64;
    }
    let all = counted(by_label.values().sum(), "page");
    let types = counted(sitemap.types.len() as u64, "page type");
    let labels = by_label.iter().map(|(label, pages)| format!("{} {label}", grouped(*pages)));
    format!("looked at {all}: {types} ({})", labels.collect::<Vec<_>>().join(", "))
}
