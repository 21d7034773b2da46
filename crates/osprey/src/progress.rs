//! Progress on the terminal: notes, a status line or a bar.

use std::sync::{Mutex, PoisonError};

use indicatif::{ProgressBar, ProgressStyle};
use osprey_engine::{Event, Observer, Progress, counted, duration, grouped};

use crate::output::Output;

/// The bar that is drawn now; there is one terminal.
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Writes to the terminal without tearing the bar.
pub(crate) fn around_the_bar<T>(write: impl FnOnce() -> T) -> T {
    let bar = BAR.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match bar {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

/// Shows events on the terminal.
pub(crate) struct Terminal {
    output: Output,
}

impl Terminal {
    pub(crate) fn new(output: &Output) -> Self {
        Self { output: *output }
    }

    /// Updates the bar, if standard error is a terminal.
    fn draw(&self, template: &str, total: Option<u64>, done: u64, message: String) {
        if !self.output.shows_progress() {
            return;
        }
        let mut bar = BAR.lock().unwrap_or_else(PoisonError::into_inner);
        let bar = bar.get_or_insert_with(|| {
            let bar = ProgressBar::new_spinner();
            if let (Ok(style), Some(_)) = (ProgressStyle::with_template(template), total) {
                bar.set_style(style);
            }
            bar
        });
        if let Some(total) = total.filter(|total| bar.length() != Some(*total)) {
            bar.set_length(total);
        }
        bar.set_position(done);
        bar.set_message(message);
    }

    /// Prints a line without tearing the bar.
    fn say(&self, text: &str) {
        around_the_bar(|| self.output.say(text));
    }
}

impl Observer for Terminal {
    fn event(&self, event: &Event<'_>) {
        match event {
            Event::Note(text) => self.say(text),
            Event::Estimate(text) if !self.output.json => self.say(text),
            Event::Detail(text) if self.output.is_verbose() => self.say(text),
            Event::Visit(visit) if self.output.is_verbose() => {
                self.say(&format!("{:>6} {} {}", visit.n, visit.status, visit.url));
            }
            Event::Crawl(progress) => {
                self.draw("{bar:24} {msg}", progress.budget, progress.visited, line(progress));
            }
            Event::Work { noun, done, total } => {
                let template = "{bar:24} {human_pos} of {human_len} {msg}, {per_sec}, {eta} left";
                self.draw(template, Some(*total), *done, (*noun).to_owned());
            }
            Event::End => {
                if let Some(bar) = BAR.lock().unwrap_or_else(PoisonError::into_inner).take() {
                    bar.finish_and_clear();
                }
            }
            _ => {}
        }
    }

    fn wants_progress(&self) -> bool {
        self.output.shows_progress()
    }
}

/// `1,203 pages, 96 pictures, 412/s, harvest 0.31, 5,120 waiting, 9 s left`
fn line(progress: &Progress) -> String {
    let rate = progress.this_run as f64 / progress.seconds.max(0.001);
    let harvest = progress.relevant as f64 / progress.visited.max(1) as f64;
    let left =
        progress.budget.map(|budget| budget.saturating_sub(progress.visited)).unwrap_or(progress.frontier);
    let left = left.min(progress.frontier) as f64 / rate.max(0.001);
    let precision = if rate < 9.95 { 1 } else { 0 };
    let pages = counted(progress.visited, "page");
    let frontier = grouped(progress.frontier);
    let left = duration(left);
    let pictures = match progress.pictures {
        0 => String::new(),
        pictures => format!(", {}", counted(pictures, "picture")),
    };
    let revisits = match progress.revisits.waiting() {
        0 => String::new(),
        waiting => format!(", {} to revisit", grouped(waiting)),
    };
    let idle = match progress.idle.is_waiting() {
        true => format!("; waiting for {}", progress.idle),
        false => String::new(),
    };
    format!(
        "{pages}{pictures}, {rate:.precision$}/s, harvest {harvest:.2}, {frontier} waiting{revisits}, {left} left{idle}"
    )
}
