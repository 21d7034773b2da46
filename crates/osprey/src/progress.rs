//! The progress line of a crawl, and the status file that other processes read.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use osprey_crawl::{Crawl, Progress, VisitRow, Watch};

use crate::output::Output;
use crate::status::Status;

const REFRESH: Duration = Duration::from_millis(100);
const STATUS_EVERY: Duration = Duration::from_secs(1);

/// Watches a crawl for a person (on a terminal) and for `osprey status`.
pub(crate) struct Watcher<'a> {
    output: Output,
    /// Who else watches.
    also: &'a mut dyn Watch,
    bar: Option<ProgressBar>,
    drawn: Instant,
    status_file: PathBuf,
    written: Option<Instant>,
    /// Visits and time at the last status, for the rate.
    before: Option<(u64, Instant)>,
    rate: f64,
    each_second: Option<Box<dyn FnMut()>>,
}

impl<'a> Watcher<'a> {
    pub(crate) fn new(output: &Output, status_file: PathBuf, also: &'a mut dyn Watch) -> Self {
        let _ = std::fs::remove_file(&status_file); // left by a crawl that was killed
        let bar = output.shows_progress().then(ProgressBar::new_spinner);
        let (output, drawn) = (*output, Instant::now());
        Self {
            output,
            also,
            bar,
            drawn,
            status_file,
            written: None,
            before: None,
            rate: 0.0,
            each_second: None,
        }
    }

    /// Has something done about once a second, and at the end.
    pub(crate) fn each_second(&mut self, work: impl FnMut() + 'static) {
        self.each_second = Some(Box::new(work));
    }

    /// Ends the line and takes the status file away.
    pub(crate) fn finish(mut self) {
        if let Some(work) = &mut self.each_second {
            work();
        }
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
        let _ = std::fs::remove_file(&self.status_file);
    }

    fn draw(&mut self, progress: &Progress) {
        let Some(bar) = &self.bar else { return };
        self.drawn = Instant::now();
        if let Some(budget) = progress.budget
            && bar.length() != Some(budget)
            && let Ok(style) = ProgressStyle::with_template("{bar:24} {msg}")
        {
            bar.set_style(style);
            bar.set_length(budget);
        }
        bar.set_position(progress.visited);
        bar.set_message(line(progress));
    }

    fn write_status(&mut self, crawl: &mut Crawl) {
        let now = Instant::now();
        self.written = Some(now);
        if let Some(work) = &mut self.each_second {
            work();
        }
        let visited = crawl.tally().visited;
        if let Some((before, at)) = self.before.replace((visited, now)) {
            self.rate =
                visited.saturating_sub(before) as f64 / now.duration_since(at).as_secs_f64().max(0.001);
        }
        let mut status = Status::of(crawl.tally().clone(), &crawl.stats(), crawl.hosts());
        status.now(self.rate, crawl.idle());
        if let Ok(text) = serde_json::to_vec(&status) {
            // not synced: it is written again in a second and worth nothing after a crash; a failure must not
            // disturb the crawl
            let _ = osprey_files::write_atomically(&self.status_file, text);
        }
    }
}

impl Watch for Watcher<'_> {
    fn visit(&mut self, visit: &VisitRow) {
        self.output.detail(|| format!("{:>6} {} {}", visit.n, visit.status, visit.url));
        self.also.visit(visit);
    }

    fn idle(&mut self, crawl: &mut Crawl) {
        if self.bar.is_some() && self.drawn.elapsed() >= REFRESH {
            self.draw(&crawl.progress());
        }
        if self.written.is_none_or(|at| at.elapsed() >= STATUS_EVERY) {
            self.write_status(crawl);
        }
        self.also.idle(crawl);
    }
}

/// How far some work has come, for a person on a terminal.
pub(crate) struct Bar(Option<ProgressBar>);

impl Bar {
    /// A bar to `total` things of a kind.
    pub(crate) fn new(output: &Output, total: u64, noun: &str) -> Self {
        let bar = output.shows_progress().then(|| ProgressBar::new(total));
        let style = ProgressStyle::with_template(&format!(
            "{{bar:24}} {{human_pos}} of {{human_len}} {noun}, {{per_sec}}, {{eta}} left"
        ));
        if let (Some(bar), Ok(style)) = (&bar, style) {
            bar.set_style(style);
        }
        Self(bar)
    }

    /// So many are done.
    pub(crate) fn set(&self, done: u64) {
        if let Some(bar) = &self.0 {
            bar.set_position(done);
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

/// `1,203 pages, 96 pictures, 412/s, harvest 0.31, 5,120 waiting, 9 s left`
pub(crate) fn line(progress: &Progress) -> String {
    let rate = progress.this_run as f64 / progress.seconds.max(0.001);
    let harvest = progress.relevant as f64 / progress.visited.max(1) as f64;
    let left =
        progress.budget.map(|budget| budget.saturating_sub(progress.visited)).unwrap_or(progress.frontier);
    let left = left.min(progress.frontier) as f64 / rate.max(0.001);
    let precision = if rate < 9.95 { 1 } else { 0 };
    let pages = grouped(progress.visited);
    let frontier = grouped(progress.frontier);
    let left = duration(left);
    let pictures = match progress.pictures {
        0 => String::new(),
        pictures => format!(", {} pictures", grouped(pictures)),
    };
    let idle = match progress.idle.is_waiting() {
        true => format!("; waits for {}", progress.idle),
        false => String::new(),
    };
    format!(
        "{pages} pages{pictures}, {rate:.precision$}/s, harvest {harvest:.2}, {frontier} waiting, {left} left{idle}"
    )
}

/// `1,234,567`
pub(crate) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `4.2 s`, `42 s`, `3 min`, `2 h 5 min`
pub(crate) fn duration(seconds: f64) -> String {
    if seconds < 9.95 {
        return format!("{seconds:.1} s");
    }
    let seconds = seconds.round() as u64;
    match seconds {
        0..=99 => format!("{seconds} s"),
        100..=5999 => format!("{} min", seconds / 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        for (n, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1234567, "1,234,567")] {
            assert_eq!(grouped(n), text);
        }
        for (s, text) in
            [(0.44, "0.4 s"), (9.96, "10 s"), (99.0, "99 s"), (150.0, "2 min"), (7500.0, "2 h 5 min")]
        {
            assert_eq!(duration(s), text);
        }
    }
}
