//! The report of a comparison: a table, curves, one JSON document.

use std::fmt::Write;
use std::path::PathBuf;

use osprey_charts::{
    Axis, Block, Cell, Column, CurvePlot, CurvePoint, Mark, Report, Section, Series, Table, table_to_text,
    to_html,
};
use osprey_crawl::{Stop, VisitRow};
use serde::Serialize;

use super::Over;
use crate::error::Result;
use crate::project::Project;
use crate::source::SourceKind;
use crate::words::{counted, grouped};

/// Shares of the budget at which relevant pages are counted, in percent.
const SHARES: [u64; 4] = [10, 25, 50, 100];
/// Points of a curve.
const POINTS: u64 = 200;

/// What `compare --json` ends with.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The policies, in the order in which they were named.
    pub policies: Vec<ComparedPolicy>,
    /// Pages for each.
    pub budget: u64,
    /// What counts as relevant: the kind of judge.
    pub judge: String,
    /// `live`, `recorded` or `simulated`.
    pub source: &'static str,
    /// Requests of all kinds that a live site got, over all runs.
    pub requests: Option<u64>,
    /// Why it ended before every policy had its budget; `None` if it did not.
    pub stopped_by: Option<Stop>,
    /// What was waited for, if the site could not be asked.
    pub waits_for: Option<String>,
    /// The report with the curves.
    pub report: PathBuf,
    #[serde(skip)]
    title: String,
}

/// What a policy found.
#[derive(Clone, Debug, Serialize)]
pub struct ComparedPolicy {
    /// Its name.
    pub policy: String,
    /// Pages visited, the budget at most.
    pub visited: u64,
    /// Of these, relevant.
    pub relevant: u64,
    /// `relevant / visited`.
    pub harvest_ratio: f64,
    /// Of these, in vain.
    pub failed: u64,
    /// Pages of a live site that were fetched for this policy first; the others were at hand.
    pub fetched: Option<u64>,
    /// Links that wait.
    pub frontier: u64,
    /// Why it ended; `None` if it has not.
    pub stopped_by: Option<Stop>,
    /// Relevant pages at shares of the budget.
    pub relevant_at: Vec<RelevantAt>,
    /// Visits and relevant pages, from the start.
    pub curve: Vec<(u64, u64)>,
}

/// Relevant pages at a share of the budget.
#[derive(Clone, Debug, Serialize)]
pub struct RelevantAt {
    /// Of the budget.
    pub percent: u64,
    /// In pages.
    pub pages: u64,
    /// Relevant among them; `None` if the policy has not come so far and may still do so.
    pub relevant: Option<u64>,
}

impl ComparedPolicy {
    pub(super) fn new(
        policy: String,
        rows: &[VisitRow],
        budget: u64,
        fetched: Option<u64>,
        frontier: u64,
        ended: Option<Stop>,
    ) -> Self {
        let rows: Vec<&VisitRow> = rows
            .iter()
            .filter(|row| !row.is_revisit)
            .take(usize::try_from(budget).unwrap_or(usize::MAX))
            .collect();
        let relevant = |rows: &[&VisitRow]| rows.iter().filter(|row| row.relevant).count() as u64;
        let visited = rows.len() as u64;
        let first = |n: u64| rows.get(..(n.min(visited)) as usize).unwrap_or_default();
        let at = SHARES.map(|percent| {
            let pages = (budget * percent).div_ceil(100);
            let is_there = pages <= visited || ended.is_some();
            RelevantAt { percent, pages, relevant: is_there.then(|| relevant(first(pages))) }
        });
        let step = visited.div_ceil(POINTS).max(1);
        let mut curve = vec![(0, 0)];
        let mut sum = 0;
        for (n, row) in (1..).zip(&rows) {
            sum += u64::from(row.relevant);
            if n % step == 0 || n == visited {
                curve.push((n, sum));
            }
        }
        Self {
            policy,
            visited,
            relevant: sum,
            harvest_ratio: if visited == 0 { 0.0 } else { sum as f64 / visited as f64 },
            failed: rows.iter().filter(|row| row.is_failure()).count() as u64,
            fetched,
            frontier,
            stopped_by: ended,
            relevant_at: at.into(),
            curve,
        }
    }
}

impl Comparison {
    pub(super) fn new(
        project: &Project,
        budget: u64,
        policies: Vec<ComparedPolicy>,
        requests: Option<u64>,
        over: Over,
    ) -> Self {
        let judge = serde_json::to_value(project.resolved.judge()).ok();
        let judge = judge.and_then(|judge| Some(judge.get("kind")?.as_str()?.to_owned()));
        let source = match project.resolved.source {
            SourceKind::Http(_) => "live",
            SourceKind::World(_) => "simulated",
            SourceKind::Replay { .. } | SourceKind::Custom(_) => "recorded",
        };
        let stopped_by = over.stop();
        let waits_for = match over {
            Over::Unavailable(why) => Some(why),
            Over::Done | Over::Stopped => None,
        };
        let report = project.layout().comparison().join("compare.html");
        let title = project.title();
        let judge = judge.unwrap_or_default();
        Self { policies, budget, judge, source, requests, stopped_by, waits_for, report, title }
    }

    /// Writes `compare.html`.
    pub(super) fn save(&self) -> Result<()> {
        Ok(osprey_files::write_durably(&self.report, to_html(&self.page()))?)
    }

    /// For a terminal.
    pub fn text(&self) -> String {
        let mut text = table_to_text(&self.table());
        if !text.ends_with('\n') {
            text.push('\n');
        }
        // writing to a String cannot fail
        let _ = writeln!(text, "{}", self.summary());
        if let Some(waits_for) = &self.waits_for {
            let _ = writeln!(
                text,
                "the site cannot be asked for now ({waits_for}); run the same command to go on"
            );
        } else if self.stopped_by.is_some() {
            let _ = writeln!(text, "interrupted; run the same command to go on");
        }
        let _ = writeln!(text, "curves: {}", self.report.display());
        text
    }

    /// What the figures are, in one sentence.
    fn summary(&self) -> String {
        let requests = match self.requests {
            Some(requests) => format!("; {} to the site in all", counted(requests, "request")),
            None => String::new(),
        };
        format!(
            "{} site, {} each; relevant is what the judge `{}` finds so{requests}",
            self.source,
            counted(self.budget, "page"),
            self.judge
        )
    }

    fn table(&self) -> Table {
        let plain = |title: &str| Column { title: title.to_owned(), mark: Mark::None };
        let best = |title: &str| Column { title: title.to_owned(), mark: Mark::Highest };
        let mut columns = vec![plain("policy"), plain("pages"), best("relevant"), best("harvest")];
        columns.extend(SHARES.iter().map(|percent| best(&format!("at {percent} %"))));
        columns.push(plain("failed"));
        if self.requests.is_some() {
            columns.push(plain("fetched first"));
        }
        let mut table = Table::new("", columns);
        for found in &self.policies {
            let number = |n: u64| Cell::Number(n as f64);
            let harvest = (found.harvest_ratio * 1000.0).round() / 1000.0;
            let mut row =
                vec![Cell::Text(found.policy.clone()), number(found.visited), number(found.relevant)];
            row.push(Cell::Number(harvest));
            row.extend(found.relevant_at.iter().map(|at| at.relevant.map_or(Cell::Missing, number)));
            row.push(number(found.failed));
            row.extend(found.fetched.map(number));
            table = table.row(row);
        }
        table
    }

    fn page(&self) -> Report {
        let series = self.policies.iter().map(|found| {
            let point = |&(x, y): &(u64, u64)| CurvePoint::new(x as f64, y as f64);
            Series::new(&found.policy, found.curve.iter().map(point))
        });
        let curves = CurvePlot {
            title: "Relevant pages over pages visited".to_owned(),
            x: Axis::linear("pages visited"),
            y: Axis::linear("relevant pages"),
            series: series.collect(),
        };
        let mut about = vec![self.summary()];
        if self.stopped_by.is_some() {
            about.push("The comparison has not come to its end.".to_owned());
        }
        let mut text = String::new();
        if self.requests.is_some() {
            text.push_str(
                "A page that one policy has had is at hand for the others: \u{201c}fetched first\u{201d} counts the \
                 pages that were requested from the site for a policy.",
            );
        }
        let budget = ("budget".to_owned(), format!("{} for each policy", grouped(self.budget)));
        let requests = self.requests.map(|requests| ("requests".to_owned(), grouped(requests)));
        Report {
            title: format!("{}: policies compared", self.title),
            about,
            facts: [budget].into_iter().chain(requests).collect(),
            sections: vec![Section {
                title: "Result".to_owned(),
                text,
                blocks: vec![Block::Curves(curves), Block::Table(self.table())],
            }],
        }
    }
}
