//! The server side of the control socket: a listener takes requests, and the crawling thread answers them between two
//! pages.
//!
//! Pausing and stopping are flags, so they work even while a page takes long. A paused crawl still answers requests; it
//! processes what was in flight when it resumes.

use std::io::{self, BufRead, BufReader};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};

use osprey_crawl::{Crawl, VisitRow};

use super::Journal;
use super::journal::SAMPLE;
use super::protocol::{Answer, Question};
use super::socket::{self, read_line, write_line};
use crate::error::Error;
use crate::explain::explain_running;
use crate::observe::Control;
use crate::project::Project;
use crate::status::{CrawlState, Status};

/// How often it is worked out again where waiting links lead.
const EXPECT_EVERY: Duration = Duration::from_secs(5);
/// Visits of earlier runs that are caught up with at a time.
const CATCH_UP: u64 = 1000;
/// Over how long the rate of visits is measured.
const RATE_OVER: Duration = Duration::from_millis(500);
/// How often a paused crawl looks up.
const LOOK_UP: Duration = Duration::from_millis(50);
/// Conversations at a time; one more has to wait.
const MAX_CONVERSATIONS: usize = 32;
/// How long a silent asker is listened to.
const SILENCE: Duration = Duration::from_secs(60);
/// How long the crawl's thread may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// A question on its way to the crawl's thread.
type PendingQuestion = (Question, SyncSender<Answer>);

/// Flags that are set from other threads.
#[derive(Debug)]
struct Flags<'a> {
    stop: &'a AtomicBool,
    paused: &'a AtomicBool,
    ended: AtomicBool,
    conversations: AtomicUsize,
}

/// What a running crawl tells of itself.
pub(crate) struct Monitor<'a> {
    asked: Receiver<PendingQuestion>,
    journal: Journal,
    policy: String,
    budget: Option<u64>,
    /// When waiting links were looked at.
    expected: Option<Instant>,
    rate: Rate,
    stop: &'a AtomicBool,
    paused: &'a AtomicBool,
}

impl Monitor<'_> {
    /// Runs a project's crawl and answers those who ask meanwhile. Without a socket (a file system that has none) the crawl
    /// runs all the same, and says so.
    pub(crate) fn run<T>(
        project: &Project,
        control: Control<'_>,
        crawl: impl FnOnce(&mut Monitor<'_>) -> T,
    ) -> T {
        let (to_crawl, asked) = mpsc::sync_channel(MAX_CONVERSATIONS);
        let paused = AtomicBool::new(false);
        let mut monitor = Monitor {
            asked,
            journal: Journal::default(),
            policy: project.resolved.policy_name(),
            budget: project.budget(),
            expected: None,
            rate: Rate::default(),
            stop: control.stop,
            paused: &paused,
        };
        let listener = match socket::listen(project.layout()) {
            Ok(listener) => listener,
            Err(cause) => {
                control.note(format!("note: other processes cannot control this crawl: {cause}"));
                return crawl(&mut monitor);
            }
        };
        let flags = Flags {
            stop: control.stop,
            paused: &paused,
            ended: AtomicBool::new(false),
            conversations: AtomicUsize::new(0),
        };
        std::thread::scope(|scope| {
            scope.spawn(|| accept(scope, &listener, &to_crawl, &flags));
            // whatever becomes of the crawl, the listener has to end, or the scope never would
            let _end = End { flags: &flags, project };
            crawl(&mut monitor)
        })
    }

    /// A visit was committed. In their order: while those of earlier runs are missing, visits are left to what reads these.
    pub(crate) fn visit(&mut self, visit: &VisitRow) {
        if visit.n == self.journal.visited() + 1 {
            self.journal.add(visit);
        }
    }

    /// Between two pages.
    pub(crate) fn idle(&mut self, crawl: &mut Crawl) {
        // what earlier runs did is part of the picture, but the crawl does not wait for it
        let to = crawl.tally().visited.min(self.journal.visited() + CATCH_UP);
        while self.journal.visited() < to {
            match crawl.visit_number(self.journal.visited() + 1) {
                Ok(Some(row)) => self.journal.add(&row),
                _ => self.journal.skip(),
            }
        }
        self.rate.tick(crawl.tally().visited);
        while let Ok((question, answer)) = self.asked.try_recv() {
            // the client may be gone
            let _ = answer.try_send(self.answer(&question, crawl));
        }
        while self.paused.load(Ordering::Relaxed) && !self.stop.load(Ordering::Relaxed) {
            match self.asked.recv_timeout(LOOK_UP) {
                Ok((question, answer)) => {
                    let _ = answer.try_send(self.answer(&question, crawl));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn answer(&mut self, question: &Question, crawl: &mut Crawl) -> Answer {
        let answer = match question {
            Question::Status => Ok(Answer::Status(Box::new(self.status(crawl)))),
            Question::Explain(url) => {
                explain_running(crawl, url).map(|found| Answer::Explanation(Box::new(found)))
            }
            Question::Visit(url) => {
                crawl.visit(url).map(|row| Answer::Visit(row.map(Box::new))).map_err(Error::from)
            }
            Question::Picture(url) => {
                crawl.picture(url).map(|row| Answer::Picture(row.map(Box::new))).map_err(Error::from)
            }
            Question::Pause | Question::Resume | Question::Stop => Ok(Answer::Done),
        };
        Answer::of(answer)
    }

    fn status(&mut self, crawl: &mut Crawl) -> Status {
        if self.expected.is_none_or(|at| at.elapsed() >= EXPECT_EVERY) {
            self.expected = Some(Instant::now());
            self.journal.expect(&crawl.some_waiting(SAMPLE).unwrap_or_default());
        }
        let mut status = Status::of(crawl.tally().clone(), &crawl.stats(), crawl.hosts());
        status.running = true;
        status.past_wants = crawl.past_wants().unwrap_or_default();
        status.state = if self.stop.load(Ordering::Relaxed) {
            CrawlState::Stopping
        } else if self.paused.load(Ordering::Relaxed) {
            CrawlState::Paused
        } else {
            CrawlState::Crawling
        };
        status.process = Some(std::process::id());
        status.policy.clone_from(&self.policy);
        status.budget = self.budget;
        status.rate = Some(if status.state == CrawlState::Paused { 0.0 } else { self.rate.now });
        status.waits_for(crawl.idle());
        status.outlook = crawl.outlook();
        status.closed = crawl.closed_patterns();
        status.course = self.journal.course(status.frontier.waiting + status.frontier.parked);
        status
    }
}

/// How fast visits come, lately.
#[derive(Debug, Default)]
struct Rate {
    since: Option<(u64, Instant)>,
    now: f64,
}

impl Rate {
    fn tick(&mut self, visited: u64) {
        match self.since {
            None => self.since = Some((visited, Instant::now())),
            Some((before, at)) if at.elapsed() >= RATE_OVER => {
                self.now = visited.saturating_sub(before) as f64 / at.elapsed().as_secs_f64();
                self.since = Some((visited, Instant::now()));
            }
            Some(_) => {}
        }
    }
}

/// Ends the listener.
struct End<'a, 'f> {
    flags: &'a Flags<'f>,
    project: &'a Project,
}

impl Drop for End<'_, '_> {
    fn drop(&mut self) {
        self.flags.ended.store(true, Ordering::Release);
        self.flags.paused.store(false, Ordering::Relaxed);
        socket::knock(self.project.layout());
        socket::remove(self.project.layout());
    }
}

/// Takes conversations until the crawl has ended.
fn accept<'s>(
    scope: &'s std::thread::Scope<'s, '_>,
    listener: &UnixListener,
    to_crawl: &SyncSender<PendingQuestion>,
    flags: &'s Flags<'_>,
) {
    loop {
        let stream = listener.accept();
        if flags.ended.load(Ordering::Acquire) {
            return;
        }
        let Ok((stream, _)) = stream else { continue };
        if flags.conversations.fetch_add(1, Ordering::AcqRel) >= MAX_CONVERSATIONS {
            flags.conversations.fetch_sub(1, Ordering::AcqRel);
            continue; // dropped: who asks finds the conversation ended and tries again
        }
        let to_crawl = to_crawl.clone();
        scope.spawn(move || {
            // who asks nonsense, or nothing, is left
            let _ = converse(stream, &to_crawl, flags);
            flags.conversations.fetch_sub(1, Ordering::AcqRel);
        });
    }
}

fn converse(stream: UnixStream, to_crawl: &SyncSender<PendingQuestion>, flags: &Flags<'_>) -> io::Result<()> {
    stream.set_write_timeout(Some(PATIENCE))?;
    let (mut reader, mut writer) = (BufReader::new(stream.try_clone()?), stream);
    let mut silent = Duration::ZERO;
    loop {
        // so that an asker who keeps a conversation open does not keep a crawl from ending
        reader.get_ref().set_read_timeout(Some(LOOK_UP))?;
        match reader.fill_buf().map(<[u8]>::is_empty) {
            Ok(true) => return Ok(()),
            Ok(false) => silent = Duration::ZERO,
            Err(cause) if matches!(cause.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                silent += LOOK_UP;
                if flags.ended.load(Ordering::Acquire) || silent >= SILENCE {
                    return Ok(());
                }
                continue;
            }
            Err(cause) => return Err(cause),
        }
        reader.get_ref().set_read_timeout(Some(PATIENCE))?;
        let Some(line) = read_line(&mut reader)? else { return Ok(()) };
        let answer = match serde_json::from_str(&line) {
            Ok(question) => ask(question, to_crawl, flags),
            Err(cause) => Answer::of(Err(Error::Usage(format!("invalid request: {cause}")))),
        };
        write_line(&mut writer, &answer)?;
    }
}

fn ask(question: Question, to_crawl: &SyncSender<PendingQuestion>, flags: &Flags<'_>) -> Answer {
    match question {
        Question::Pause => flags.paused.store(true, Ordering::Relaxed),
        Question::Resume => flags.paused.store(false, Ordering::Relaxed),
        Question::Stop => {
            flags.stop.store(true, Ordering::Relaxed);
            flags.paused.store(false, Ordering::Relaxed);
        }
        question => {
            let (answer, answered) = mpsc::sync_channel(1);
            let busy = || Answer::of(Err(Error::Busy("the crawl is busy; try again".to_owned())));
            if to_crawl.try_send((question, answer)).is_err() {
                return busy();
            }
            return answered.recv_timeout(PATIENCE).unwrap_or_else(|_| busy());
        }
    }
    Answer::Done
}
