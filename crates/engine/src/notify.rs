//! Tells someone that a crawl has ended, is stuck, or has found its first hundred relevant pages: by a command, a web hook,
//! or both (`[notify]`).
//!
//! Nothing of this can hold up or fail a crawl. Every message goes out on a thread of its own, within a time limit, and what
//! went wrong is a note. The web hook is a URL that the user wrote, not one that a page did: it may be anywhere, also on this
//! machine, is asked without regard to robots.txt, and its redirects are not followed.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use osprey_crawl::{Crawl, Report, Stop};
use osprey_fetch::{Cookies, FetchOptions, HttpSource, Timeouts};
use osprey_model::CanonicalUrl;
use serde::Serialize;

use crate::error::Result;
use crate::observe::Control;
use crate::project::Project;
use crate::source::SourceKind;
use crate::words::{counted, duration, grouped};

/// How long a command or a web hook may take.
const LIMIT: Duration = Duration::from_secs(30);
/// How often it is looked whether a command has ended.
const LOOK_UP: Duration = Duration::from_millis(20);
/// The relevant pages that are worth a message.
const FIRST: u64 = 100;
/// Messages that may be under way; more than that are dropped.
const MANY: usize = 8;

/// What `[notify]` says, checked.
#[derive(Clone, Debug, Default)]
pub(crate) struct NotifyRules {
    /// What to run.
    pub(crate) command: Option<Hook>,
    /// What to post to.
    pub(crate) url: Option<CanonicalUrl>,
    /// A crawl that has fetched nothing for so long is stuck.
    pub(crate) stuck: Duration,
}

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Hook {
    /// For `sh -c`.
    Shell(String),
    /// A program and its arguments, as they are.
    Program(String, Vec<String>),
}

/// What a message tells.
#[derive(Clone, Debug, Serialize)]
struct Message {
    /// `ended`, `stuck` or `first-hundred`.
    event: &'static str,
    /// The whole in one sentence.
    text: String,
    project: String,
    dir: PathBuf,
    policy: String,
    visited: u64,
    relevant: u64,
    harvest_ratio: f64,
    failed: u64,
    waiting: u64,
    /// Why it ended: as in the report of `osprey crawl`, or `error`.
    stopped_by: Option<String>,
}

/// Watches a crawl and tells of it.
pub(crate) struct Notifier {
    rules: NotifyRules,
    fetch: FetchOptions,
    project: String,
    dir: PathBuf,
    policy: String,
    /// Relevant pages of this run.
    relevant: u64,
    has_told_first: bool,
    last_visit: Instant,
    has_told_stuck: bool,
    /// The last counts.
    counts: Counts,
    under_way: Vec<JoinHandle<Vec<String>>>,
}

/// How a crawl stands.
#[derive(Clone, Debug, Default)]
struct Counts {
    visited: u64,
    relevant: u64,
    failed: u64,
    waiting: u64,
}

impl Notifier {
    /// The notifier of a project's crawl; `None` if none is configured.
    pub(crate) fn of(project: &Project) -> Option<Self> {
        let rules = project.resolved.notify.clone();
        if rules.command.is_none() && rules.url.is_none() {
            return None;
        }
        let options = match &project.resolved.source {
            SourceKind::Http(options) => (**options).clone(),
            _ => FetchOptions {
                user_agent: project.resolved.settings.agent.clone(),
                ..FetchOptions::default()
            },
        };
        let timeouts =
            Timeouts { connect: LIMIT / 3, first_byte: LIMIT / 3, whole: LIMIT, ..options.timeouts };
        Some(Self {
            rules,
            fetch: FetchOptions { allow_private: true, cookies: Cookies::Off, timeouts, ..options },
            project: project.title(),
            dir: project.layout().dir().to_owned(),
            policy: project.policy(),
            relevant: 0,
            has_told_first: false,
            last_visit: Instant::now(),
            has_told_stuck: false,
            counts: Counts::default(),
            under_way: Vec::new(),
        })
    }

    /// A visit was committed.
    pub(crate) fn visit(&mut self, is_relevant: bool) {
        self.relevant += u64::from(is_relevant);
        self.last_visit = Instant::now();
        self.has_told_stuck = false;
    }

    /// So much time counts for nothing: the crawl was paused.
    pub(crate) fn pass(&mut self, time: Duration) {
        self.last_visit = self.last_visit.checked_add(time).unwrap_or(self.last_visit);
    }

    /// Between two visits.
    pub(crate) fn look(&mut self, crawl: &mut Crawl) {
        let relevant = crawl.tally().relevant;
        let is_first = relevant >= FIRST && relevant.saturating_sub(self.relevant) < FIRST;
        let is_stuck = !self.has_told_stuck && self.last_visit.elapsed() >= self.rules.stuck;
        if is_first && !self.has_told_first {
            self.has_told_first = true;
            self.count(crawl);
            let text = format!(
                "{}: the first {} are there, after {}",
                self.project,
                counted(FIRST, "relevant page"),
                counted(self.counts.visited, "visit")
            );
            self.tell("first-hundred", text, None);
        }
        if is_stuck {
            self.has_told_stuck = true;
            self.count(crawl);
            let text = format!(
                "{}: nothing was fetched for {}; waiting for {}",
                self.project,
                duration(self.rules.stuck.as_secs_f64()),
                crawl.idle()
            );
            self.tell("stuck", text, None);
        }
    }

    fn count(&mut self, crawl: &mut Crawl) {
        let progress = crawl.progress();
        let (visited, relevant) = (progress.visited, progress.relevant);
        self.counts = Counts { visited, relevant, failed: progress.failed, waiting: progress.frontier };
    }

    /// The crawl has ended: tells of it, and waits until everything is told or has failed. What failed is said.
    pub(crate) fn end(mut self, report: &Result<Report>, control: Control<'_>) {
        let (why, stopped_by) = match report {
            Ok(report) => {
                let Report { visited, relevant, failed, frontier: waiting, .. } = *report;
                self.counts = Counts { visited, relevant, failed, waiting };
                let stopped_by = match report.stopped_by {
                    _ if report.is_dead_start() => "start",
                    Stop::Budget => "budget",
                    Stop::Empty => "empty",
                    Stop::Harvest => "harvest",
                    Stop::Look => "look",
                    Stop::Interrupt => "interrupt",
                };
                (report.why_stopped().to_owned(), stopped_by)
            }
            Err(error) => (error.to_string(), "error"),
        };
        let text = format!(
            "{}: the crawl has ended after {}, {} of them relevant: {why}",
            self.project,
            counted(self.counts.visited, "visit"),
            grouped(self.counts.relevant)
        );
        self.tell("ended", text, Some(stopped_by.to_owned()));
        for told in self.under_way.drain(..) {
            let problems = told.join().unwrap_or_default();
            problems.iter().for_each(|problem| control.note(format!("note: {problem}")));
        }
    }

    /// Sends a message, on a thread of its own.
    fn tell(&mut self, event: &'static str, text: String, stopped_by: Option<String>) {
        if self.under_way.iter().filter(|told| !told.is_finished()).count() >= MANY {
            return;
        }
        let Counts { visited, relevant, failed, waiting } = self.counts;
        let harvest_ratio = if visited == 0 { 0.0 } else { relevant as f64 / visited as f64 };
        let (project, dir, policy) = (self.project.clone(), self.dir.clone(), self.policy.clone());
        let message = Message {
            event,
            text,
            project,
            dir,
            policy,
            visited,
            relevant,
            harvest_ratio,
            failed,
            waiting,
            stopped_by,
        };
        let (rules, fetch) = (self.rules.clone(), self.fetch.clone());
        self.under_way.push(std::thread::spawn(move || send(&rules, fetch, &message)));
    }
}

/// Sends a message everywhere. Returns what went wrong.
fn send(rules: &NotifyRules, fetch: FetchOptions, message: &Message) -> Vec<String> {
    let json = serde_json::to_vec(message).unwrap_or_default();
    let mut problems = Vec::new();
    // first what cannot be held up by the other
    if let Some(url) = &rules.url
        && let Err(why) = post(url, fetch, &json)
    {
        problems.push(format!("notify.url: {url}: {why}"));
    }
    if let Some(hook) = &rules.command
        && let Err(why) = run(hook, message, &json, LIMIT)
    {
        problems.push(format!("notify.command: {why}"));
    }
    problems
}

fn post(url: &CanonicalUrl, options: FetchOptions, json: &[u8]) -> Result<(), String> {
    let source = HttpSource::new(options).map_err(|error| error.to_string())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    match runtime.block_on(source.post(url, "application/json", json)) {
        Ok(200..=299) => Ok(()),
        Ok(status) => Err(format!("status {status}")),
        Err(failure) => Err(failure.message),
    }
}

/// Runs a command with a message on its standard input; kills it when its time is over.
fn run(hook: &Hook, message: &Message, json: &[u8], limit: Duration) -> Result<(), String> {
    let mut command = match hook {
        Hook::Shell(text) => {
            let mut shell = Command::new("sh");
            shell.arg("-c").arg(text);
            shell
        }
        Hook::Program(program, arguments) => {
            let mut command = Command::new(program);
            command.args(arguments);
            command
        }
    };
    command
        .current_dir(&message.dir)
        .env("OSPREY_EVENT", message.event)
        .env("OSPREY_TEXT", &message.text)
        .env("OSPREY_DIR", &message.dir)
        .env("OSPREY_VISITED", message.visited.to_string())
        .env("OSPREY_RELEVANT", message.relevant.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| format!("cannot be run: {error}"))?;
    if let Some(mut input) = child.stdin.take() {
        // who does not read it has no need of it; a message is shorter than what a pipe holds
        let _ = input.write_all(json);
    }
    wait(&mut child, limit)
}

fn wait(child: &mut Child, limit: Duration) -> Result<(), String> {
    let began = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(format!("failed: {status}")),
            Ok(None) if began.elapsed() < limit => std::thread::sleep(LOOK_UP),
            Ok(None) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("killed: it took longer than {}", duration(limit.as_secs_f64())));
            }
            Err(error) => return Err(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(dir: PathBuf) -> Message {
        Message {
            event: "ended",
            text: "it's over; $(touch no)".to_owned(),
            project: "p".to_owned(),
            dir,
            policy: "opic".to_owned(),
            visited: 3,
            relevant: 1,
            harvest_ratio: 0.3,
            failed: 0,
            waiting: 0,
            stopped_by: None,
        }
    }

    #[test]
    fn a_command_gets_the_message_and_nothing_runs_in_it() {
        let dir = tempfile::tempdir().unwrap();
        let message = message(dir.path().to_owned());
        let shell =
            Hook::Shell("cat > got; echo \"$OSPREY_EVENT $OSPREY_TEXT $OSPREY_VISITED\" > env".to_owned());
        run(&shell, &message, b"{\"a\":1}", LIMIT).unwrap();
        let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap();
        assert_eq!(read("got"), "{\"a\":1}");
        assert_eq!(read("env"), "ended it's over; $(touch no) 3\n");
        let plain = Hook::Program("touch".to_owned(), vec!["a b; touch c".to_owned()]);
        run(&plain, &message, b"", LIMIT).unwrap();
        assert!(dir.path().join("a b; touch c").exists() && !dir.path().join("no").exists());
    }

    #[test]
    fn failing_and_hanging_commands_are_reported() {
        let dir = tempfile::tempdir().unwrap();
        let message = message(dir.path().to_owned());
        let fails = |hook: Hook, limit| run(&hook, &message, b"{}", limit).unwrap_err();
        assert!(fails(Hook::Shell("exit 3".to_owned()), LIMIT).contains("exit status: 3"));
        assert!(fails(Hook::Program("/no/such".to_owned(), Vec::new()), LIMIT).starts_with("cannot be run"));
        let hangs = Hook::Program("sleep".to_owned(), vec!["1000".to_owned()]);
        assert!(fails(hangs, Duration::from_millis(10)).starts_with("killed"));
    }
}
