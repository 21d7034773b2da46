//! Small crawls worked out by hand: which link goes first, and why.

mod politeness;

use std::path::Path;
use std::time::Duration;

use osprey_frontier::{
    Commit, Committed, Frontier, FrontierError, Initial, LinkState, NewLink, Options, Pick, Row, Settle,
    Table, Target,
};
use osprey_model::{CanonicalUrl, GroupFactor, GroupId, LinkId, LinkScore, Timestamp, UrlRules};

const NO_DELAY: fn() -> Options = || Options { host_delay: Duration::ZERO, ..Options::default() };

fn at(ms: i64) -> Timestamp {
    Timestamp::from_millis(ms)
}

fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("http://{text}"), &UrlRules::default()).expect("a URL")
}

struct Crawl {
    frontier: Frontier,
    dir: tempfile::TempDir,
    options: Options,
}

impl Crawl {
    fn new(options: Options) -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let frontier = Frontier::open(dir.path(), &options).expect("opens");
        Self { frontier, dir, options }
    }

    /// Drops the frontier without closing it and opens it again.
    fn reopened(self) -> Self {
        let Self { frontier, dir, options } = self;
        drop(frontier);
        let frontier = Frontier::open(dir.path(), &options).expect("opens");
        Self { frontier, dir, options }
    }

    fn commit(&mut self, commit: &Commit<'_>) -> Committed {
        self.frontier.commit(commit).expect("commits")
    }

    fn add(&mut self, links: &[(&str, u64, f32)]) -> Committed {
        let urls: Vec<CanonicalUrl> = links.iter().map(|(text, ..)| url(text)).collect();
        let add = urls.iter().zip(links).map(|(url, &(_, group, own))| NewLink {
            url,
            group: GroupId(group),
            own: LinkScore::new(own),
            payload: b"",
            state: Initial::Waiting,
        });
        let add = add.collect();
        self.commit(&Commit { add, ..Commit::default() })
    }

    fn factor(&mut self, group: u64, factor: GroupFactor) {
        self.commit(&Commit { factors: vec![(GroupId(group), factor)], ..Commit::default() });
    }

    fn settle(&mut self, id: LinkId, settle: Settle, now: i64) {
        self.commit(&Commit { settle: vec![(id, settle)], now: at(now), ..Commit::default() });
    }

    /// Asks for a link and describes the answer: `path`, `wait MS`, `blocked PARKED LEASED` or `empty`.
    fn ask(&mut self, now: i64) -> (String, Option<LinkId>) {
        match self.frontier.lease(at(now)).expect("leases") {
            Pick::Leased(lease) => (lease.url.as_str().trim_start_matches("http://").into(), Some(lease.id)),
            Pick::Wait { until } => (format!("wait {}", until.as_millis()), None),
            Pick::Blocked { parked, leased } => (format!("blocked {parked} {leased}"), None),
            Pick::Empty => ("empty".into(), None),
        }
    }

    /// Leases and settles until no link comes.
    fn drain(&mut self) -> String {
        let mut order = Vec::new();
        loop {
            let (answer, id) = self.ask(0);
            order.push(answer);
            let Some(id) = id else { return order.join(", ") };
            self.settle(id, Settle::Done, 0);
        }
    }

    /// Leases the link that has to come next.
    fn lease(&mut self, now: i64, expect: &str) -> LinkId {
        let (answer, id) = self.ask(now);
        assert_eq!(answer, expect, "at {now}");
        id.expect("leased")
    }

    fn state(&self, text: &str) -> LinkState {
        self.frontier.lookup(&url(text)).expect("reads").expect("known").state
    }
}

#[test]
fn own_scores_then_age_decide_inside_a_group() {
    let mut crawl = Crawl::new(NO_DELAY());
    crawl.add(&[("a/1", 0, 0.5), ("a/2", 0, 0.9), ("b/3", 0, 0.5), ("a/4", 0, 0.9)]);
    assert_eq!(crawl.drain(), "a/2, a/4, a/1, b/3, empty");
}

#[test]
fn factors_decide_between_groups() {
    let mut crawl = Crawl::new(NO_DELAY());
    crawl.add(&[("a/1", 1, 0.5), ("a/2", 1, 0.4), ("a/3", 2, 0.3), ("b/4", 3, 0.2)]);
    crawl.factor(2, GroupFactor::times(10.0));
    crawl.factor(3, GroupFactor::times(2.25));
    // 2: 3.0, 1: 0.5 and 0.4, 3: 0.45
    assert_eq!(crawl.drain(), "a/3, a/1, b/4, a/2, empty");
}

#[test]
fn a_factor_set_before_the_group_has_links_counts() {
    let mut crawl = Crawl::new(NO_DELAY());
    crawl.factor(7, GroupFactor::times(3.0));
    crawl.add(&[("a/1", 1, 1.0), ("a/2", 7, 0.5)]);
    assert_eq!(crawl.drain(), "a/2, a/1, empty");
}

#[test]
fn parked_groups_wait_until_they_get_a_number() {
    let mut crawl = Crawl::new(NO_DELAY());
    crawl.factor(7, GroupFactor::Parked);
    crawl.add(&[("a/1", 7, 1.0), ("a/2", 7, 2.0), ("a/3", 0, 0.1)]);
    assert_eq!(crawl.drain(), "a/3, blocked 2 0");
    assert_eq!(crawl.frontier.stats().parked, 2);
    let mut crawl = crawl.reopened();
    assert_eq!(crawl.drain(), "blocked 2 0");
    crawl.factor(7, GroupFactor::times(0.0));
    assert_eq!(crawl.frontier.stats().parked, 0);
    assert_eq!(crawl.drain(), "a/2, a/1, empty");
}

#[test]
fn a_link_found_again_moves_to_the_better_group() {
    let mut crawl = Crawl::new(NO_DELAY());
    crawl.factor(1, GroupFactor::times(0.5));
    crawl.factor(9, GroupFactor::Parked);
    crawl.add(&[("a/1", 1, 1.0), ("a/2", 9, 5.0), ("a/3", 0, 0.75)]);
    let outcome = crawl.add(&[("a/1", 0, 0.8), ("a/2", 1, 0.1), ("a/3", 9, 9.0), ("a/3", 0, 0.75)]);
    assert_eq!((outcome.added, outcome.known, outcome.moved), (0, 4, 2));
    let mut crawl = crawl.reopened();
    // 1: 0.8 in group 0, 3: 0.75 stays, 2: 0.05 instead of parked
    assert_eq!(crawl.drain(), "a/1, a/3, a/2, empty");
}

#[test]
fn a_moved_link_carries_what_its_new_page_said() {
    let mut crawl = Crawl::new(NO_DELAY());
    let link = url("a/1");
    let new = |own, payload| NewLink {
        url: &link,
        group: GroupId::ALL,
        own: LinkScore::new(own),
        payload,
        state: Initial::Waiting,
    };
    crawl.commit(&Commit { block: b"first", add: vec![new(0.5, b"1")], ..Commit::default() });
    crawl.commit(&Commit { block: b"worse", add: vec![new(0.4, b"2")], ..Commit::default() });
    crawl.commit(&Commit { block: b"better", add: vec![new(0.6, b"3")], ..Commit::default() });
    let mut crawl = crawl.reopened();
    let Ok(Pick::Leased(lease)) = crawl.frontier.lease(at(0)) else { panic!("nothing leased") };
    assert_eq!((&lease.block[..], &lease.payload[..]), (&b"better"[..], &b"3"[..]));
    crawl.settle(lease.id, Settle::Done, 0);
    let info = crawl.reopened().frontier.link(lease.id).expect("known");
    assert_eq!(
        (&info.block[..], info.own, info.state),
        (&b"better"[..], LinkScore::new(0.6), LinkState::Done)
    );
}

#[test]
fn remembered_links_wait_once_they_are_wanted() {
    let mut crawl = Crawl::new(NO_DELAY());
    let link = url("a/1");
    let new = |state| NewLink { url: &link, group: GroupId::ALL, own: LinkScore::ONE, payload: b"", state };
    let outcome = crawl.commit(&Commit { add: vec![new(Initial::Dropped(4))], ..Commit::default() });
    assert_eq!(outcome.added, 1);
    assert_eq!(crawl.state("a/1"), LinkState::Refused(4));
    let mut crawl = crawl.reopened();
    assert_eq!(crawl.state("a/1"), LinkState::Refused(4));
    assert_eq!(crawl.ask(0).0, "empty");
    let outcome = crawl.commit(&Commit { add: vec![new(Initial::Waiting)], ..Commit::default() });
    assert_eq!((outcome.known, outcome.revived), (1, 1));
    assert_eq!(crawl.drain(), "a/1, empty");
}

#[test]
fn dropped_links_stay_dropped() {
    let mut crawl = Crawl::new(NO_DELAY());
    crawl.add(&[("a/1", 0, 1.0), ("a/2", 0, 0.5)]);
    crawl.commit(&Commit { drop: vec![(LinkId(0), 3)], ..Commit::default() });
    crawl.add(&[("a/1", 0, 9.0)]);
    let mut crawl = crawl.reopened();
    assert_eq!(crawl.drain(), "a/2, empty");
    assert_eq!(crawl.state("a/1"), LinkState::Dropped(3));
}

#[test]
fn rescoring_works_by_number_and_by_url() {
    let mut crawl = Crawl::new(NO_DELAY());
    crawl.add(&[("a/1", 0, 0.1), ("a/2", 0, 0.2), ("a/3", 0, 0.3)]);
    let (first, unknown) = (url("a/1"), url("a/9"));
    let rescore = vec![
        (Target::Url(&first), LinkScore::new(0.9)),
        (LinkId(2).into(), LinkScore::new(0.0)),
        (Target::Url(&unknown), LinkScore::ONE),
    ];
    crawl.commit(&Commit { rescore, ..Commit::default() });
    assert_eq!(crawl.drain(), "a/1, a/2, a/3, empty");
}

#[test]
fn retries_wait_for_their_time() {
    let mut crawl = Crawl::new(NO_DELAY());
    crawl.add(&[("a/1", 0, 1.0), ("a/2", 0, 0.5)]);
    let (_, id) = crawl.ask(0);
    crawl.settle(id.expect("leased"), Settle::Retry { at: at(500) }, 0);
    let mut crawl = crawl.reopened();
    assert_eq!(crawl.frontier.link(LinkId(0)).expect("known").retry_at, Some(at(500)));
    let (answer, id) = crawl.ask(10);
    assert_eq!(answer, "a/2");
    crawl.settle(id.expect("leased"), Settle::Failed { reason: 2 }, 10);
    assert_eq!(crawl.ask(499).0, "wait 500");
    let Ok(Pick::Leased(lease)) = crawl.frontier.lease(at(500)) else { panic!("nothing leased") };
    assert_eq!((lease.id, lease.attempt), (LinkId(0), 2));
    assert_eq!(crawl.state("a/2"), LinkState::Failed(2));
}

#[test]
fn a_spent_budget_ends_a_host() {
    let mut crawl = Crawl::new(Options { host_budget: Some(1), ..NO_DELAY() });
    crawl.add(&[("a/1", 0, 1.0), ("a/2", 0, 1.0), ("b/1", 0, 0.5)]);
    assert_eq!(crawl.drain(), "a/1, b/1, empty");
    let crawl = crawl.reopened();
    assert_eq!(crawl.frontier.stats().over_budget, 1);
}

#[test]
fn retries_that_time_alone_does_not_bring_are_not_waited_for() {
    let retry = |budget, parks| {
        let mut crawl = Crawl::new(Options { host_budget: budget, ..NO_DELAY() });
        crawl.add(&[("a/1", 1, 1.0), ("b/1", 1, 0.5)]);
        for _ in 0..2 {
            let (_, id) = crawl.ask(0);
            crawl.settle(id.expect("leased"), Settle::Retry { at: at(500) }, 0);
        }
        if parks {
            crawl.factor(1, GroupFactor::Parked);
        }
        crawl.ask(10).0
    };
    assert_eq!(retry(None, false), "wait 500");
    assert_eq!(retry(None, true), "blocked 2 0");
    assert_eq!(retry(Some(2), true), "blocked 2 0");
    assert_eq!(retry(Some(1), false), "empty");
    assert_eq!(retry(Some(1), true), "empty");
}

#[test]
fn a_sync_is_asked_for_in_time() {
    let every = |sync_every| {
        let mut crawl = Crawl::new(Options { sync_every, ..NO_DELAY() });
        let mut due = vec![crawl.frontier.is_sync_due()];
        for now in [1000, 5999, 6000] {
            crawl.commit(&Commit { now: at(now), ..Commit::default() });
            due.push(crawl.frontier.is_sync_due());
        }
        crawl.frontier.sync().expect("syncs");
        due.push(crawl.frontier.is_sync_due());
        due
    };
    assert_eq!(every(Duration::from_secs(5)), [false, false, false, true, false]);
    assert_eq!(every(Duration::MAX), [false; 5]);
}

#[test]
fn links_beyond_the_limit_are_counted() {
    let mut crawl = Crawl::new(Options { max_links: 2, ..NO_DELAY() });
    let outcome = crawl.add(&[("a/1", 0, 1.0), ("a/1", 0, 1.0), ("a/2", 0, 1.0), ("a/3", 0, 1.0)]);
    assert_eq!((outcome.added, outcome.known, outcome.full), (2, 1, 1));
    assert_eq!(crawl.drain(), "a/1, a/2, empty");
}

#[test]
fn large_commits_are_split_and_found_again() {
    let mut crawl = Crawl::new(NO_DELAY());
    let urls: Vec<String> = (0..1000).map(|n| format!("a/{n}")).collect();
    crawl.add(&urls.iter().map(|text| (text.as_str(), 0, 1.0)).collect::<Vec<_>>());
    for id in [0, 127, 128, 500, 999] {
        assert_eq!(crawl.frontier.link(LinkId(id)).expect("known").url, url(&format!("a/{id}")));
    }
}

#[test]
fn rows_land_with_the_commit_and_come_in_order() {
    let mut crawl = Crawl::new(NO_DELAY());
    let row = |key: &'static [u8], value: Option<&'static [u8]>| Row {
        table: Table::Policy,
        key: key.into(),
        value: value.map(Into::into),
    };
    let rows = vec![row(b"b", Some(b"1")), row(b"a", Some(b"2")), row(b"b", Some(b"3")), row(b"c", None)];
    crawl.commit(&Commit { rows, ..Commit::default() });
    let crawl = crawl.reopened();
    let read = |from: &[u8]| {
        let rows = crawl.frontier.rows(Table::Policy, from).collect::<Result<Vec<_>, _>>();
        rows.expect("reads").into_iter().map(|(key, value)| [key, value].concat()).collect::<Vec<_>>()
    };
    assert_eq!(read(b""), [b"a2", b"b3"]);
    assert_eq!(read(b"b"), [b"b3"]);
    assert_eq!(crawl.frontier.row(Table::Visits, b"a").expect("reads"), None);
}

#[test]
fn refused_commits_change_nothing() {
    let mut crawl = Crawl::new(NO_DELAY());
    crawl.add(&[("a/1", 0, 1.0)]);
    let before = crawl.frontier.stats();
    let other = url("a/2");
    let add = || {
        vec![NewLink {
            url: &other,
            group: GroupId::ALL,
            own: LinkScore::ONE,
            payload: b"",
            state: Initial::Waiting,
        }]
    };
    let cases = [
        (
            Commit { settle: vec![(LinkId(0), Settle::Done)], add: add(), ..Commit::default() },
            "link `0`: settled without a lease",
        ),
        (Commit { drop: vec![(LinkId(9), 0)], add: add(), ..Commit::default() }, "link `9`: unknown"),
        (
            Commit {
                rows: vec![Row { table: Table::Meta, key: b"".into(), value: None }],
                add: add(),
                ..Commit::default()
            },
            "frontier table `meta`: a row with a key of 0 bytes and a value of 0 cannot be stored",
        ),
    ];
    for (commit, message) in cases {
        assert_eq!(crawl.frontier.commit(&commit).expect_err("refused").to_string(), message);
        assert_eq!(crawl.frontier.stats(), before);
    }
    let (_, id) = crawl.ask(0);
    let id = id.expect("leased");
    let twice = Commit { settle: vec![(id, Settle::Done), (id, Settle::Done)], ..Commit::default() };
    assert!(matches!(crawl.frontier.commit(&twice), Err(FrontierError::NotLeased { .. })));
    assert_eq!(crawl.state("a/1"), LinkState::Leased);
}

#[test]
fn another_format_is_a_clear_error() {
    let crawl = Crawl::new(NO_DELAY());
    let Crawl { frontier, dir, .. } = crawl;
    frontier.close().expect("closes");
    let open = |dir: &Path| Frontier::open(dir, &NO_DELAY()).map(drop).map_err(|error| error.to_string());
    std::fs::write(dir.path().join("format"), "osprey frontier 99\n").expect("written");
    let expect = |found: &str| {
        format!(
            "{}: frontier format is `{found}`, this build reads `2`: made by another version of Osprey; use that \
             version, or rebuild the frontier from the archive with `osprey restore`",
            dir.path().display()
        )
    };
    assert_eq!(open(dir.path()), Err(expect("99")));
    std::fs::remove_file(dir.path().join("format")).expect("removed");
    assert_eq!(open(dir.path()), Err(expect("unknown")));
}

#[test]
fn damaged_files_are_errors_not_panics() {
    let mut crawl = Crawl::new(NO_DELAY());
    for page in 0..50 {
        let urls: Vec<String> = (0..100).map(|n| format!("a/{page}/{n}")).collect();
        crawl.add(&urls.iter().map(|text| (text.as_str(), page, 1.0)).collect::<Vec<_>>());
    }
    let Crawl { frontier, dir, options } = crawl;
    frontier.close().expect("closes");
    let journal =
        std::fs::read_dir(dir.path().join("store")).expect("reads").map(|entry| entry.expect("reads").path());
    let journal =
        journal.filter(|path| path.extension().is_some_and(|ext| ext == "jnl")).max().expect("a journal");
    let mut bytes = std::fs::read(&journal).expect("reads");
    let middle = bytes.iter().rposition(|&byte| byte != 0).expect("not empty") / 2;
    bytes[middle] ^= 0xFF;
    std::fs::write(&journal, bytes).expect("written");
    // A journal is damaged in its middle: either an error says so, or everything after it is cut off.
    match Frontier::open(dir.path(), &options) {
        Ok(frontier) => assert_eq!(frontier.stats().known % 100, 0),
        Err(error) => assert!(matches!(error, FrontierError::Corrupt { .. }), "{error}"),
    }
}

#[test]
fn links_that_are_over_wait_again_where_they_were() {
    let mut crawl = Crawl::new(NO_DELAY());
    crawl.factor(7, GroupFactor::times(2.0));
    crawl.add(&[("a/1", 7, 0.9), ("b/2", 0, 0.8), ("a/3", 0, 0.7), ("a/4", 0, 0.6), ("c/5", 0, 0.5)]);
    let settled = [
        ("a/1", Settle::Retry { at: at(0) }),
        ("a/1", Settle::Done),
        ("b/2", Settle::Failed { reason: 3 }),
        ("a/3", Settle::Dropped { reason: 4 }),
    ];
    for (text, settle) in settled {
        let id = crawl.lease(0, text);
        crawl.settle(id, settle, 0);
    }
    // The fourth waits and the fifth is leased: both are ignored.
    crawl.commit(&Commit { rescore: vec![(LinkId(4).into(), LinkScore::ONE)], ..Commit::default() });
    let leased = crawl.lease(0, "c/5");
    let again = (0..5).map(LinkId).collect();
    let outcome = crawl.commit(&Commit { again, ..Commit::default() });
    assert_eq!(outcome.again, 3);
    assert_eq!(crawl.state("c/5"), LinkState::Leased);
    let mut crawl = crawl.reopened();
    assert_eq!(crawl.frontier.link(LinkId(0)).expect("known").attempts, 0);
    assert_eq!(crawl.frontier.link(leased).expect("known").attempts, 1);
    assert_eq!(crawl.drain(), "a/1, c/5, b/2, a/3, a/4, empty");
    // One commit may settle a link and make it wait again.
    crawl.commit(&Commit { again: vec![LinkId(3)], ..Commit::default() });
    let id = crawl.lease(0, "a/4");
    let commit = Commit { settle: vec![(id, Settle::Done)], again: vec![id], ..Commit::default() };
    assert_eq!(crawl.commit(&commit).again, 1);
    assert_eq!(crawl.drain(), "a/4, empty");
    let unknown = Commit { again: vec![LinkId(9)], ..Commit::default() };
    assert!(matches!(crawl.frontier.commit(&unknown), Err(FrontierError::UnknownLink { .. })));
}

#[test]
fn a_claimed_link_is_settled_whatever_its_host_and_its_state_say() {
    let mut crawl = Crawl::new(Options { host_delay: Duration::from_secs(60), ..Options::default() });
    crawl.add(&[("a.example/1", 1, 0.5), ("a.example/2", 1, 0.9), ("a.example/3", 2, 0.1)]);
    crawl.commit(&Commit { factors: vec![(GroupId(2), GroupFactor::Parked)], ..Commit::default() });
    let settle = |crawl: &mut Crawl, id: LinkId, settle: Settle| {
        crawl.commit(&Commit { settle: vec![(id, settle)], now: at(1000), ..Commit::default() });
    };
    // neither its turn, nor rested, nor released
    for id in [LinkId(0), LinkId(1), LinkId(2)] {
        let lease = crawl.frontier.claim(id, at(1000)).expect("claims").expect("is free");
        assert_eq!((lease.id, lease.attempt), (id, 1));
        assert_eq!(crawl.frontier.claim(id, at(1000)).expect("claims"), None, "in flight");
        settle(&mut crawl, id, Settle::Done);
    }
    // over, and once more
    let lease = crawl.frontier.claim(LinkId(0), at(1000)).expect("claims").expect("is free");
    assert_eq!((lease.own, lease.group), (LinkScore::new(0.5), GroupId(1)));
    settle(&mut crawl, LinkId(0), Settle::Failed { reason: 3 });
    assert_eq!(crawl.frontier.stats().failed, 1);
    assert!(matches!(crawl.frontier.claim(LinkId(9), at(0)), Err(FrontierError::UnknownLink { .. })));
    // what was not settled is unchanged
    crawl.frontier.claim(LinkId(1), at(1000)).expect("claims");
    let crawl = crawl.reopened();
    let stats = crawl.frontier.stats();
    assert_eq!((stats.done, stats.failed, stats.waiting, stats.leased), (2, 1, 0, 0));
}
