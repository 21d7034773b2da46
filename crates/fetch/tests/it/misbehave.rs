//! Servers that misbehave in every way we know of: each exchange ends within its limits and is classified, and
//! the next one works as if nothing had happened.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, TcpStream};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use osprey_fetch::{FetchOptions, HttpSource, Timeouts};
use osprey_model::robots::{Robots, RobotsAnswer};
use osprey_model::{BodyEnd, CanonicalUrl, Exchange, Permitted, Request, Source, UrlRules};
use osprey_rogue::{Channel, Expect, Misbehaviour, RobotsCase, RobotsExpect, Rogues};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;

const MAX_BODY: usize = 4 << 20;
/// What all the exchanges together may add to the memory of the process: bodies, decoders and the servers, which
/// run in it too.
const MAX_GROWTH: usize = 64 << 20;
/// Connections kept for later.
const MAX_IDLE: usize = 2;
/// Bytes of a `Cookie` header that are still decent.
const MAX_COOKIES: usize = 8 << 10;
/// Far above all time limits: an exchange that takes so long is not bounded by them.
const HANGS: Duration = Duration::from_secs(30);

fn options(rogues: &Rogues) -> FetchOptions {
    let loopback = vec![IpAddr::from(Ipv4Addr::LOCALHOST)];
    FetchOptions {
        allow_private: true,
        max_body: MAX_BODY,
        timeouts: Timeouts {
            connect: Duration::from_secs(1),
            first_byte: Duration::from_secs(1),
            idle: Duration::from_secs(1),
            whole: Duration::from_secs(2),
            ..Timeouts::default()
        },
        robots_timeouts: Timeouts::default().for_robots(Duration::from_secs(2)),
        max_idle_connections: MAX_IDLE,
        extra_roots: vec![rogues.root_pem().into_bytes()],
        hosts: RobotsCase::all_hosts().into_iter().map(|host| (host, loopback.clone())).collect(),
        ..FetchOptions::default()
    }
}

fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text, &UrlRules::default()).unwrap()
}

async fn fetch(source: &HttpSource, target: Permitted) -> Exchange {
    let name = target.url().to_string();
    let exchange = tokio::time::timeout(HANGS, source.fetch(Request::new(target))).await;
    exchange.unwrap_or_else(|_| panic!("{name}: no end within {HANGS:?}"))
}

async fn fetch_url(source: &HttpSource, text: &str) -> Exchange {
    fetch(source, Robots::allow_all().permit(&url(text)).unwrap()).await
}

/// What came of it, in the terms of the table, and what was said about it.
fn outcome(exchange: &Exchange) -> (Expect, String) {
    match exchange {
        Exchange::Answered(response) => {
            let expect = match response.body_end {
                BodyEnd::Whole => Expect::Answered,
                BodyEnd::Early | BodyEnd::Damaged => Expect::Broken,
                BodyEnd::Late => Expect::Late,
                BodyEnd::Limit | BodyEnd::Unwanted => Expect::Cut,
            };
            assert_eq!(response.truncated, response.body_end != BodyEnd::Whole);
            (expect(response.status), response.note.clone().unwrap_or_default())
        }
        Exchange::Failed(failure) => (Expect::Failed(failure.kind), failure.message.clone()),
    }
}

/// Fetches one misbehaviour and then a good page over the same channel; the list of what went wrong.
async fn check(source: &HttpSource, rogues: &Rogues, misbehaviour: &Misbehaviour) -> Vec<String> {
    let name = misbehaviour.name;
    let mut wrong = Vec::new();
    let exchange = fetch_url(source, &rogues.url(misbehaviour)).await;
    let (seen, words) = outcome(&exchange);
    eprintln!("{name:26} {seen:?}  {words}");
    if seen != misbehaviour.expect {
        wrong.push(format!("{name}: {seen:?} ({words}) instead of {:?}", misbehaviour.expect));
    }
    match &exchange {
        Exchange::Answered(response) if response.body.len() > MAX_BODY => {
            wrong.push(format!("{name}: a body of {} bytes", response.body.len()));
        }
        Exchange::Failed(failure) if failure.message.is_empty() || failure.message.contains('\n') => {
            wrong.push(format!("{name}: message `{}`", failure.message));
        }
        _ => {}
    }
    // A request may be sent once more if a kept connection proves dead, as these do; never oftener.
    let may_look_dead = matches!(name, "close-at-once" | "reset-at-once");
    let arrivals = rogues.log().iter().filter(|arrival| arrival.path == misbehaviour.path()).count();
    if arrivals > if may_look_dead { 2 } else { 1 } {
        wrong.push(format!("{name}: {arrivals} requests"));
    }
    let (good, body) = match fetch_url(source, &rogues.good_url(misbehaviour.channel)).await {
        Exchange::Answered(response) => (response.status == 200 && !response.truncated, response.body),
        Exchange::Failed(failure) => (false, failure.message.into()),
    };
    if !good || body != "<p>good</p>" {
        wrong.push(format!("{name}: afterwards {:?}", String::from_utf8_lossy(&body)));
    }
    wrong
}

/// The most memory this process has had, in bytes.
fn peak_memory() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse::<usize>().ok().map(|kib| kib << 10)
}

/// Descriptors that this process has open.
fn descriptors() -> Option<usize> {
    std::fs::read_dir("/proc/self/fd").ok().map(Iterator::count)
}

/// One after the other, so that a growth of memory has one cause; those that must wait for a time limit wait
/// together.
async fn check_all(source: &Arc<HttpSource>, rogues: &Arc<Rogues>) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut slow = JoinSet::new();
    for misbehaviour in Misbehaviour::ALL.iter().filter(|misbehaviour| !misbehaviour.expect.is_slow()) {
        wrong.extend(check(source, rogues, misbehaviour).await);
    }
    for misbehaviour in Misbehaviour::ALL.iter().filter(|misbehaviour| misbehaviour.expect.is_slow()) {
        let (source, rogues) = (Arc::clone(source), Arc::clone(rogues));
        slow.spawn(async move { check(&source, &rogues, misbehaviour).await });
    }
    while let Some(checked) = slow.join_next().await {
        wrong.extend(checked.unwrap());
    }
    wrong
}

/// In one test and in a process of its own: memory and descriptors are those of the whole process.
#[test]
fn every_misbehaviour_is_bounded_and_classified() {
    const ALONE: &str = "OSPREY_TEST_ALONE";
    if std::env::var_os(ALONE).is_none() {
        let test = "misbehave::every_misbehaviour_is_bounded_and_classified";
        let program = std::env::current_exe().unwrap();
        let output =
            Command::new(program).args(["--exact", test, "--nocapture"]).env(ALONE, "1").output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        return;
    }
    let descriptors_before = descriptors();
    let rogues = Arc::new(Rogues::start().unwrap());
    let runtime = Runtime::new().unwrap();
    let source = Arc::new(HttpSource::new(options(&rogues)).unwrap());
    runtime.block_on(fetch_url(&source, &rogues.good_url(Channel::Http2)));
    let peak_before = peak_memory();

    let mut wrong = runtime.block_on(check_all(&source, &rogues));
    if let (Some(before), Some(after)) = (peak_before, peak_memory())
        && after - before > MAX_GROWTH
    {
        wrong.push(format!("{} MiB more memory", (after - before) >> 20));
    }
    wrong.extend(runtime.block_on(check_open(&source, &rogues)));
    wrong.extend(runtime.block_on(check_cookies(&source, &rogues)));
    wrong.extend(runtime.block_on(check_robots(&source, &rogues)));
    wrong.extend(check_surplus(&rogues));
    drop((source, runtime, rogues));
    if descriptors() > descriptors_before {
        wrong.push(format!("{:?} descriptors after {descriptors_before:?}", descriptors()));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A connection that waits in the pool when unrequested bytes come must not be used again, whether or
/// not the runtime has had time to hear of them.
fn check_surplus(rogues: &Rogues) -> Vec<String> {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let source = HttpSource::new(options(rogues)).unwrap();
    let mut wrong = Vec::new();
    for channel in [Channel::Http, Channel::Https] {
        let first = runtime.block_on(fetch_url(&source, &rogues.url_of(channel, "/smuggled-late")));
        assert_eq!(outcome(&first).0, Expect::Answered(200), "{channel:?}");
        // Blocks the runtime for as long as the server takes to answer, which is until after the surplus.
        let mut stream = TcpStream::connect(rogues.server(Channel::Http).unwrap().addr()).unwrap();
        stream.write_all(b"GET /pause HTTP/1.1\r\nConnection: close\r\n\r\n").unwrap();
        stream.read_to_end(&mut Vec::new()).unwrap();
        match runtime.block_on(fetch_url(&source, &rogues.good_url(channel))) {
            Exchange::Answered(response) if response.body == "<p>good</p>" => {}
            other => wrong.push(format!("{channel:?} after late surplus: {other:?}")),
        }
    }
    wrong
}

/// What is still open waits in the pool. Connections close in tasks of their own: some exchanges give them time.
async fn check_open(source: &HttpSource, rogues: &Rogues) -> Option<String> {
    for _ in 0..100 {
        fetch_url(source, &rogues.url_of(Channel::Http2, "/good")).await;
        if source.counts().connections_open <= MAX_IDLE as u64 {
            return None;
        }
    }
    Some(format!("{} connections are open", source.counts().connections_open))
}

/// However many cookies a server hands out, few come back.
async fn check_cookies(source: &HttpSource, rogues: &Rogues) -> Option<String> {
    let flood = rogues.url(Misbehaviour::named("set-cookie-flood").unwrap());
    for at in 0..50 {
        let exchange = fetch_url(source, &format!("{flood}/{at}")).await;
        assert_eq!(outcome(&exchange).0, Expect::Answered(200));
    }
    let log = rogues.log();
    let sent = log.iter().filter_map(|arrival| arrival.headers.get("cookie")).map(str::len);
    let most = sent.max().unwrap_or(0);
    (!(1..=MAX_COOKIES).contains(&most)).then(|| format!("{most} bytes of cookies"))
}

/// Each way to serve robots.txt means what RFC 9309 says.
async fn check_robots(source: &Arc<HttpSource>, rogues: &Rogues) -> Vec<String> {
    let server = rogues.server(Channel::Http).unwrap();
    let mut cases = JoinSet::new();
    for case in RobotsCase::ALL {
        let (source, page) = (Arc::clone(source), url(&server.url_at(&case.host(), "/private")));
        cases.spawn(async move {
            let seen = ask_robots(&source, &page).await;
            (seen != case.expect).then(|| format!("{}: {seen:?} instead of {:?}", case.host(), case.expect))
        });
    }
    cases.join_all().await.into_iter().flatten().collect()
}

/// Follows a robots.txt for five hops and says what it means for `page`, which `Disallow: /private` is about.
async fn ask_robots(source: &HttpSource, page: &CanonicalUrl) -> RobotsExpect {
    let mut target = Permitted::robots_txt(page);
    let mut answer = RobotsAnswer::Unreachable;
    for _ in 0..=5 {
        let Exchange::Answered(response) = fetch(source, target.clone()).await else {
            return RobotsExpect::Unreachable;
        };
        answer = RobotsAnswer::of(&response, "osprey");
        let next = response.location().and_then(|to| response.url.join(to, &UrlRules::default()).ok());
        match next.and_then(|next| target.robots_redirect(next)) {
            Some(next) => target = next,
            None => break,
        }
    }
    let public = page.join("/public", &UrlRules::default()).unwrap();
    match answer {
        RobotsAnswer::Unreachable => RobotsExpect::Unreachable,
        RobotsAnswer::Rules(rules) if !rules.allows(page) && rules.allows(&public) => RobotsExpect::Rules,
        RobotsAnswer::Rules(rules) if !rules.allows(&public) => panic!("{page}: a rule that does not count"),
        RobotsAnswer::Rules(_) | RobotsAnswer::AllowAll => RobotsExpect::AllowAll,
    }
}
