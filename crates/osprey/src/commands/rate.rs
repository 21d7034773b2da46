//! `osprey rate DIR`: pages one by one, each called good or bad; or ratings of URLs that a script gives.
//!
//! Answers are lines, from a terminal or a pipe. Every answer is saved before the next page is shown, so the command can be
//! left at any moment.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, BufRead, IsTerminal, Write};
use std::sync::atomic::AtomicBool;

use anyhow::bail;
use osprey_engine::{Control, PageToRate, Project, RateOptions, Rating, counted, grouped};
use serde_json::json;

use crate::cli::{Rate, UsageError};
use crate::output::Output;
use crate::progress::Terminal;

/// Width of the lines of an excerpt.
const WIDTH: usize = 100;
/// What can be answered.
const ANSWERS: &str = "y = good, n = bad, s = skip, u = undo the last, q = quit";

pub(super) fn run(args: &Rate, output: &Output) -> anyhow::Result<()> {
    let project = Project::open(&args.dir)?;
    if args.list {
        return list(&project, output);
    }
    if args.urls.is_empty() {
        return ask(&project, args, output);
    }
    if args.undo {
        let urls = project.unrate(&args.urls)?;
        return output.result(&json!({ "undone": urls }), || {
            urls.iter().map(|url| format!("not rated any more: {url}\n")).collect()
        });
    }
    let rated = project.rate(&args.urls, args.good)?;
    output.result(&json!({ "rated": rated }), || lines(&rated))
}

fn lines(ratings: &[Rating]) -> String {
    ratings.iter().map(|rating| format!("{}  {}\n", verdict(rating.good), rating.url)).collect()
}

fn verdict(is_good: bool) -> &'static str {
    if is_good { "good" } else { "bad " }
}

fn list(project: &Project, output: &Output) -> anyhow::Result<()> {
    let ratings = project.ratings()?;
    let (good, bad) = ratings.counts();
    output.result(&json!({ "good": good, "bad": bad, "ratings": ratings.all() }), || {
        format!("{}{} good, {} bad\n", lines(ratings.all()), grouped(good), grouped(bad))
    })
}

/// What was said of pages, by their places in the list.
type Said = BTreeMap<usize, bool>;

fn ask(project: &Project, args: &Rate, output: &Output) -> anyhow::Result<()> {
    if args.limit == 0 {
        bail!(UsageError("`--limit`: expected at least 1".to_owned()));
    }
    // not a session: Ctrl-C may end it at once, because every answer is saved
    let (stop, observer) = (AtomicBool::new(false), Terminal::new(output));
    let options = RateOptions { suggest: args.suggest, limit: args.limit };
    let pages = project.pages_to_rate(&options, Control { stop: &stop, observer: &observer })?;
    let said =
        if pages.is_empty() { Said::new() } else { Asking { project, pages: &pages, output }.ask()? };
    let (good, bad) = project.ratings()?.counts();
    let shown = pages.iter().enumerate().map(|(place, page)| {
        let mut value = json!(page);
        value["good"] = json!(said.get(&place));
        value
    });
    let document =
        json!({ "rated": said.len(), "good": good, "bad": bad, "pages": shown.collect::<Vec<_>>() });
    output.result(&document, || {
        let rated = counted(said.len() as u64, "page");
        let all = format!("{} good and {} bad in all", grouped(good), grouped(bad));
        match pages.len() {
            0 => format!("every page that was fetched is rated: {all}"),
            _ => format!("rated {rated}; {all}"),
        }
    })
}

/// A round of questions.
struct Asking<'a> {
    project: &'a Project,
    pages: &'a [PageToRate],
    output: &'a Output,
}

impl Asking<'_> {
    /// Until all pages were shown, the user quits, or there are no more answers.
    fn ask(&self) -> anyhow::Result<Said> {
        let (mut said, mut order, mut at) = (Said::new(), Vec::new(), 0);
        let mut answers = io::stdin().lock().lines();
        self.tell(&format!("{ANSWERS}\n"))?;
        while let Some(page) = self.pages.get(at) {
            self.tell(&format!("\n{}", self.shown(at, page)))?;
            self.prompt()?;
            let Some(answer) = answers.next().transpose()? else { break };
            match answer.trim().to_lowercase().as_str() {
                "y" | "yes" | "+" => at = self.rate(at, true, &mut said, &mut order)?,
                "n" | "no" | "-" => at = self.rate(at, false, &mut said, &mut order)?,
                "s" | "skip" | "" => at += 1,
                "u" | "undo" => match order.pop() {
                    Some(last) => {
                        if let Some(page) = self.pages.get(last) {
                            self.project.rate_shown(page, None)?;
                        }
                        said.remove(&last);
                        at = last;
                    }
                    None => self.tell("nothing was rated yet\n")?,
                },
                "q" | "quit" => break,
                other => self.tell(&format!("`{}`? {ANSWERS}\n", other.escape_debug()))?,
            }
        }
        Ok(said)
    }

    /// Saves an answer; the next page.
    fn rate(&self, at: usize, good: bool, said: &mut Said, order: &mut Vec<usize>) -> anyhow::Result<usize> {
        if let Some(page) = self.pages.get(at) {
            self.project.rate_shown(page, Some(good))?;
        }
        said.insert(at, good);
        order.push(at);
        Ok(at + 1)
    }

    /// A page, as far as it helps to tell good from bad.
    fn shown(&self, at: usize, page: &PageToRate) -> String {
        let mut text = format!("{} of {}", at + 1, self.pages.len());
        // writing to a String cannot fail
        if let Some(worth) = page.worth {
            let relevant = if page.relevant { "relevant" } else { "not relevant" };
            let _ = write!(text, "  worth {worth:.2}, {relevant}");
        }
        if let Some(page_type) = &page.page_type {
            let _ = write!(text, "  ({page_type})");
        }
        let title = if page.title.is_empty() { "(no title)" } else { &page.title };
        let _ = writeln!(text, "\n  {title}\n  {}", page.url);
        for line in wrapped(&page.excerpt) {
            let _ = writeln!(text, "    {line}");
        }
        let _ = writeln!(text, "  {}", page.why);
        text
    }

    /// Says something to the user: on standard output, unless that is for one JSON document.
    fn tell(&self, text: &str) -> io::Result<()> {
        if self.output.json {
            return io::stderr().lock().write_all(text.as_bytes());
        }
        io::stdout().lock().write_all(text.as_bytes())
    }

    /// Asks, if a terminal shows the question.
    fn prompt(&self) -> io::Result<()> {
        if !io::stdin().is_terminal() {
            return Ok(());
        }
        self.tell("good? [y/n/s/u/q] ")?;
        io::stdout().flush()
    }
}

/// A text in lines of at most `WIDTH` characters, cut at blanks where there are any.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let length = word.chars().count();
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + length <= WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            // Chinese has no blanks
            _ => {
                let letters: Vec<char> = word.chars().collect();
                lines.extend(letters.chunks(WIDTH).map(|part| part.iter().collect::<String>()));
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_not_too_long() {
        assert_eq!(wrapped(""), Vec::<String>::new());
        assert_eq!(wrapped("a few  words"), ["a few words"]);
        let long = wrapped(&format!("{} {} end", "word ".repeat(30), "图".repeat(250)));
        let lengths: Vec<usize> = long.iter().map(|line| line.chars().count()).collect();
        assert!(lengths.iter().all(|length| *length <= WIDTH), "{lengths:?}");
        assert_eq!(long.last().unwrap(), &format!("{} end", "图".repeat(50)));
    }
}
