//! `osprey collect`: a site in one line, from loopback servers and a recording: whole, stopped, killed, refused.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Output, Stdio};
use std::time::{Duration, Instant};

use osprey_rogue::{Answer, Reply, Server, SiteRequest};
use serde_json::Value;
use tempfile::TempDir;

use crate::http;
use crate::project::{Project, fails_with, osprey, repository};
use crate::served::Served;

/// How long is waited for what is to come; only a failing test waits for all of it.
const PATIENCE: Duration = Duration::from_secs(60);
/// Threads of the site.
const THREADS: u64 = 90;

/// A forum: lists of ten threads each, a third of which are about sailing.
pub(crate) fn forum(asked: &SiteRequest<'_>) -> Answer {
    let number = |prefix: &str| asked.path.strip_prefix(prefix)?.parse::<u64>().ok();
    if let Some(page) = number("/list/").or_else(|| (asked.path == "/").then_some(0)) {
        let entry = |n: u64| format!("<li><a href=/thread/{n}>{}</a> {}</li>", title(n), text(n, 12));
        let entries: String = (page * 10..(page * 10 + 10).min(THREADS)).map(entry).collect();
        let has_next = (page + 1) * 10 < THREADS;
        let next =
            if has_next { format!("<a rel=next href=/list/{}>older</a>", page + 1) } else { String::new() };
        return Reply::html(format!("<title>Threads, page {page}</title><ul>{entries}</ul>{next}")).into();
    }
    let Some(n) = number("/thread/").filter(|n| *n < THREADS) else { return Reply::status(404).into() };
    let (title, text) = (title(n), text(n, 60));
    let by = format!("<p class=by>by user{}</p>", n % 7);
    let post = format!("<div class=post><p>{title}: {text}</p></div>");
    Reply::html(format!("<title>{title}</title><h1>{title}</h1>{by}{post}")).into()
}

fn title(n: u64) -> String {
    let about = ["sailing the lake", "baking bread", "mending bikes"];
    format!("Thread {n} on {}", about.into_iter().cycle().nth((n % 3) as usize).unwrap())
}

/// Words that no other thread has.
fn text(n: u64, words: u64) -> String {
    (0..words).map(|k| format!("w{} ", (n * 7919 + k * 104_729) % 100_003)).collect()
}

/// A folder to type the command in.
struct Folder {
    folder: TempDir,
    seed: String,
}

impl Folder {
    fn at(seed: String) -> Self {
        Self { folder: tempfile::tempdir().unwrap(), seed }
    }

    /// `osprey collect SEED ARGS`, as typed here.
    fn command(&self, args: &[&str]) -> Command {
        let mut command = osprey();
        command.current_dir(self.folder.path()).env_remove("OSPREY_TOKEN");
        command.args(["collect", &self.seed, "--allow-private", "--contact", "test@example.org"]).args(args);
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// To its end, without a server: the one document.
    fn whole(&self, args: &[&str]) -> Value {
        let output = self.run(&[args, &["--no-serve", "--json", "--quiet"]].concat());
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// A first page, so that there is a project; then as fast as the server answers.
    fn begin(&self, args: &[&str]) {
        assert_eq!(self.whole(&[args, &["--budget", "1"]].concat())["report"]["visited"], 1);
        let file = self.dir().join("osprey.toml");
        let toml = std::fs::read_to_string(&file).unwrap();
        let quick =
            toml.replace("host_delay_ms = 1000", "host_delay_ms = 0\nshare_clocks = false\nbackoff_ms = 20");
        assert_ne!(quick, toml);
        std::fs::write(&file, quick).unwrap();
    }

    /// The only folder here.
    fn dir(&self) -> PathBuf {
        let mut entries = std::fs::read_dir(self.folder.path()).unwrap();
        let dir = entries.next().unwrap().unwrap().path();
        assert!(entries.next().is_none());
        dir
    }

    /// The URLs of all visits, each of which is there once.
    fn visited(&self) -> BTreeSet<String> {
        let output = osprey().args(["export", "--what", "visits"]).arg(self.dir()).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let urls: Vec<String> = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["url"].as_str().unwrap().to_owned())
            .collect();
        let distinct: BTreeSet<String> = urls.iter().cloned().collect();
        assert_eq!(distinct.len(), urls.len(), "{urls:?}");
        distinct
    }
}

/// A run that goes on, and what it says.
struct Going {
    child: Child,
    lines: BufReader<ChildStderr>,
}

impl Going {
    fn start(mut command: Command) -> Self {
        let mut child = command.arg("-v").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap());
        Self { child, lines }
    }

    /// Waits until so many visits more were told.
    fn wait_for(&mut self, visits: usize) {
        let (mut line, mut told) = (String::new(), 0);
        while told < visits {
            line.clear();
            assert_ne!(self.lines.read_line(&mut line).unwrap(), 0, "it ended after {told} of {visits}");
            told += usize::from(line.contains(" 200 http://"));
        }
    }

    fn interrupt(mut self) -> Option<i32> {
        let status = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap();
        assert!(status.success());
        std::io::copy(&mut self.lines, &mut std::io::sink()).unwrap();
        self.child.wait().unwrap().code()
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

#[test]
fn a_site_is_collected_in_one_line_and_the_same_line_goes_on() {
    let server = Server::start(forum).unwrap();
    let folder = Folder::at(server.url("/"));
    folder.begin(&["sailing"]);
    let line = ["sailing", "--budget", "2000"];
    let summary = folder.whole(&line);
    let pages = THREADS + THREADS / 10;
    assert_eq!(summary["report"]["visited"], pages, "{summary}");
    assert_eq!(summary["documents"], pages, "{summary}");
    assert_eq!((&summary["is_learned"], &summary["address"]), (&Value::Bool(true), &Value::Null));
    assert!(
        summary["want"].as_str().unwrap().starts_with("items about *sailing* on 127.0.0.1:"),
        "{summary}"
    );
    assert!(summary["report"]["relevant"].as_u64().unwrap() > 0, "{summary}");
    let log = server.log();
    let asked: BTreeSet<&str> = log.iter().map(|arrival| arrival.path.as_str()).collect();
    assert_eq!(log.len(), asked.len(), "nothing is asked for twice, also by learning the site");

    let again = folder.whole(&line);
    assert_eq!((&again["report"]["this_run"], &again["documents"]), (&Value::from(0), &Value::from(pages)));
    assert_eq!(server.log().len(), log.len());

    // what the folder is for is the file's word
    let dir = folder.dir();
    let dir = dir.to_str().unwrap();
    let said = fails_with(&folder.run(&["boats", "--dir", dir]), 2);
    assert!(said.contains("is for items about *sailing*") && said.contains("--dir"), "{said}");
    let elsewhere = Folder { folder: tempfile::tempdir().unwrap(), seed: "http://127.0.0.1:9/".to_owned() };
    let said = fails_with(&elsewhere.run(&["sailing", "--dir", dir]), 2);
    assert!(said.contains("begins at http://127.0.0.1:"), "{said}");
}

#[test]
fn a_kill_and_two_restarts_lose_nothing() {
    let server = Server::start(forum).unwrap();
    let (calm, troubled) = (Folder::at(server.url("/")), Folder::at(server.url("/")));
    let budget = ["sailing", "--budget", "85"];
    let summaries = [&calm, &troubled].map(|folder| {
        folder.begin(&["sailing"]);
        if std::ptr::eq(folder, &troubled) {
            let mut going = Going::start(folder.command(&[&budget[..], &["--no-serve"]].concat()));
            going.wait_for(20);
            going.kill();
            let mut going = Going::start(folder.command(&[&budget[..], &["--no-serve"]].concat()));
            going.wait_for(20);
            assert_eq!(going.interrupt(), Some(0));
        }
        folder.whole(&budget)
    });
    let [first, second] = summaries;
    assert_eq!(first["report"]["visited"], second["report"]["visited"]);
    assert_eq!(calm.visited().len(), 85);
    assert_eq!(calm.visited(), troubled.visited());
    assert_eq!((&first["documents"], &second["documents"]), (&Value::from(85), &Value::from(85)));
}

#[test]
fn results_are_served_while_it_crawls() {
    let server = Server::start(forum).unwrap();
    let folder = Folder::at(server.url("/"));
    let served = Served::run(folder.command(&["sailing", "--addr", "127.0.0.1:0"]));
    // the first commit of the index comes a few seconds after the first page
    let documents = || {
        let answer = http::get(served.address, "/api/v1/projects");
        answer.json()["projects"][0]["documents"].as_u64().unwrap_or_default()
    };
    let began = Instant::now();
    while documents() == 0 {
        assert!(began.elapsed() < PATIENCE, "nothing can be searched");
    }
    let page = http::get(served.address, &format!("/p/{}/", name_of(&folder.dir())));
    assert!(page.status == 200 && page.text().contains("Thread"), "{}", page.text());
    let said = fails_with(&folder.run(&["sailing", "--no-serve"]), 1);
    assert!(said.contains("another process is crawling this project"), "{said}");
    served.interrupt();
    assert_eq!(served.end().code(), Some(0));
    let summary = folder.whole(&["sailing", "--budget", "1"]);
    assert_eq!(summary["documents"], summary["report"]["visited"], "all of it is in the index: {summary}");
}

fn name_of(dir: &Path) -> String {
    osprey_server::service_name(&dir.file_name().unwrap().to_string_lossy())
}

#[test]
fn a_recording_is_collected_like_a_site() {
    let mirror = repository().join("fixtures/harbour");
    let folder = Folder::at("http://harbour.example/".to_owned());
    let base = ["--replay", mirror.to_str().unwrap(), "--base", "http://harbour.example/"];
    let line = [&["birds"], &base[..]].concat();
    let summary = folder.whole(&line);
    assert!(folder.dir().ends_with("harbour.example-birds"));
    let visited = summary["report"]["visited"].as_u64().unwrap();
    assert!(visited > 10 && summary["documents"].as_u64().unwrap() > 10, "{summary}");
    let project = Project::harbour("[topic]\nwords = [\"birds\"]\n");
    assert_eq!(project.report(&[])["visited"], visited);
    let again = folder.whole(&line);
    assert_eq!((&again["report"]["this_run"], &again["documents"]), (&Value::from(0), &summary["documents"]));
}

#[test]
fn it_says_what_it_understood_before_it_begins() {
    let server = Server::start(|asked: &SiteRequest<'_>| -> Answer {
        let links = "<a href=/a>古典音乐会</a> <a href=/b>篮球</a>";
        let text = match asked.path {
            "/" => "本周末的古典音乐会在市中心的音乐厅举行，欢迎大家来听。",
            _ => "昨天的篮球比赛非常精彩，主队在最后一分钟赢了两分，球迷高兴极了。",
        };
        Reply::html(format!("<html lang=zh><title>古典音乐 {}</title><p>{text}{links}", asked.path)).into()
    })
    .unwrap();
    let folder = Folder::at(server.url("/"));
    let output = folder.run(&["古典音乐", "--budget", "2", "--no-serve"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    let port = server.addr().port();
    assert!(
        said.contains(&format!(
            "items about *古典音乐* on 127.0.0.1:{port}; 2 pages at one request a second: about 2.0 s"
        )),
        "{said}"
    );
    assert!(said.contains(&format!("writes to ./127.0.0.1-{port}-古典音乐/")), "{said}");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("2 pages visited") && text.contains("2 documents can be searched"), "{text}");
    let toml = std::fs::read_to_string(folder.dir().join("osprey.toml")).unwrap();
    assert!(toml.contains("words = [\"古典音乐\"]") && toml.contains("kind = \"want\""), "{toml}");
    let folder = Folder::at(server.url("/"));
    let said = folder.run(&["音乐", "--time", "2s", "--pages", "all", "--no-serve"]).stderr;
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(
        said.contains("pages about *音乐* on")
            && said.contains("about 2 pages at one request a second, for 2.0 s at most"),
        "{said}"
    );
}

#[test]
fn a_start_that_is_down_ends_it_with_the_reason() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let folder = Folder::at(format!("http://127.0.0.1:{free}/"));
    let output = folder.run(&["sailing", "--addr", "127.0.0.1:0"]);
    let said = fails_with(&output, 1);
    assert!(
        said.contains("its robots.txt could not be fetched") && said.contains("run the same command again"),
        "{said}"
    );
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("the start failed"), "{text}");
}

#[test]
fn wrong_usage_says_what_to_type_and_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let check = |args: &[&str], expect: &str| {
        let mut command = osprey();
        let said =
            fails_with(&command.arg("collect").args(args).current_dir(folder.path()).output().unwrap(), 2);
        assert!(said.contains(expect), "{args:?}: {said}");
    };
    check(&[], "osprey collect https://example.org/");
    check(&["example.org"], "say what you want");
    check(&["sailing"], "`sailing` is no URL");
    check(&["example.org", "sailing", "--like", "boat.jpg"], "osprey search DIR --like IMAGE");
    check(&["example.org", "the"], "only stop words");
    check(&["example.org", "x", "--addr", "nowhere"], "expected HOST:PORT");
    check(&["example.org", "x", "--budget", "0"], "--budget");
    assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none());
}
