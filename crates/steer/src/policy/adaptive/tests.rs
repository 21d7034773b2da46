//! A site of a few pages whose visits are written out, and the rules that hold on any site.

use std::collections::{BTreeMap, BTreeSet};

use osprey_model::{GroupFactor, LinkId};
use osprey_text::PageWords;

use super::*;
use crate::policy::scripted::{check_parts, page, url};
use crate::policy::{Cause, Policy};
use crate::{FreshLinks, Judgement, Op};

/// Pages by path, and whether they are wanted; what is not there is a dead link.
struct Site(Vec<(String, String, bool)>);

/// A link that waits.
struct Waiting {
    group: GroupId,
    since: usize,
    why: BTreeMap<String, f32>,
}

/// A crawl of it, as the frontier orders it.
struct Crawl<'s> {
    site: &'s Site,
    waiting: BTreeMap<String, Waiting>,
    factors: BTreeMap<GroupId, f32>,
    known: BTreeSet<String>,
    visits: Vec<String>,
}

impl<'s> Crawl<'s> {
    fn of(site: &'s Site) -> Self {
        let first = Waiting { group: GroupId::ALL, since: 0, why: BTreeMap::new() };
        let waiting = BTreeMap::from([("/".to_owned(), first)]);
        let known = BTreeSet::from(["/".to_owned()]);
        Self { site, waiting, factors: BTreeMap::new(), known, visits: Vec::new() }
    }

    fn factor(&self, group: GroupId) -> f32 {
        self.factors.get(&group).copied().unwrap_or(1.0)
    }

    /// Up to `most` visits in all.
    fn run(&mut self, policy: &mut Adaptive, most: usize) {
        while self.visits.len() < most {
            let best = self.waiting.iter().max_by(|a, b| {
                self.factor(a.1.group).total_cmp(&self.factor(b.1.group)).then(b.1.since.cmp(&a.1.since))
            });
            let Some(path) = best.map(|(path, _)| path.clone()) else { return };
            let link = self.waiting.remove(&path).unwrap();
            self.visits.push(path.clone());
            let mut placing = Placing::default();
            let Some((_, body, is_wanted)) = self.site.0.iter().find(|(known, ..)| *known == path) else {
                let (url, group, cause) = (&url(&path), Some(link.group), Cause::Status(404));
                policy.on_failure(&Failure { id: LinkId(0), url, group, depth: 1, cause }, &mut placing);
                self.carry_out(&placing, &[]);
                continue;
            };
            let page = page(&path, body);
            let to: Vec<String> =
                page.links().iter().map(|link| link.url.path_and_query().to_owned()).collect();
            let mut seen = BTreeSet::new();
            let is_new = |to: &String| !self.known.contains(to) && seen.insert(to.clone());
            let is_new: Vec<bool> = to.iter().map(is_new).collect();
            let fresh: FreshLinks = (0..to.len()).filter(|link| is_new[*link]).collect();
            let relevance = Some(f32::from(u8::from(*is_wanted)));
            policy.on_page(
                &Visit {
                    id: LinkId(0),
                    group: link.group,
                    depth: 0,
                    page: &page,
                    page_words: &PageWords::default(),
                    reading: None,
                    judgement: Judgement { relevance, relevant: *is_wanted },
                    why: &link.why,
                    fresh: &fresh,
                },
                &mut placing,
            );
            self.carry_out(&placing, &to);
        }
    }

    fn carry_out(&mut self, placing: &Placing, to: &[String]) {
        for (op, parts) in placing.ops() {
            match op {
                Op::Factor(group, GroupFactor::Times(factor)) => {
                    self.factors.insert(*group, factor.get());
                }
                Op::Add { link, group, own, .. } => {
                    let (to, priority) = (&to[*link as usize], self.factor(*group) * own.get());
                    check_parts(to, parts, priority);
                    let why = parts.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
                    let waiting = Waiting { group: *group, since: self.known.len(), why };
                    let is_better =
                        self.waiting.get(to).is_some_and(|known| self.factor(known.group) < priority);
                    if self.known.insert(to.clone()) || is_better {
                        self.waiting.insert(to.clone(), waiting);
                    }
                }
                other => panic!("unexpected {other:?}"),
            }
        }
    }
}

fn list(links: &[(String, String)]) -> String {
    let rows = links.iter().map(|(to, text)| format!("<li><h2><a href='{to}'>{text}</a></h2></li>"));
    format!("<main><ol>{}</ol></main>", rows.collect::<String>())
}

const MENU: &str = "<nav><a href=/login>Log in</a><a href=/about>About</a><a href=/contact>Contact</a></nav>";

/// Boards of four pages with five threads each. All threads of one board are wanted; nothing says so but the board's name.
fn forum(wanted: &str) -> Site {
    let boards = ["cooking", "sailing", "music"];
    let named = |board: &str| (format!("/board/{board}"), board.to_owned());
    let of_page = |title: &str, body: String| format!("<title>{title}</title>{MENU}{body}");
    let mut pages = vec![("/".to_owned(), of_page("Talk", list(&boards.map(named))), false)];
    for (place, board) in boards.iter().enumerate() {
        for number in 1..=4_usize {
            let path = |number: usize| match number {
                1 => format!("/board/{board}"),
                _ => format!("/board/{board}?page={number}"),
            };
            let thread = |n: usize| {
                let thread = 100 * place + 5 * number + n;
                (format!("/thread/{thread}"), format!("Question number {thread}"))
            };
            let threads: Vec<(String, String)> = (0..5).map(thread).collect();
            let next = if number < 4 {
                format!("<p><a rel=next href='{}'>next</a></p>", path(number + 1))
            } else {
                String::new()
            };
            pages.push((path(number), of_page(board, list(&threads) + &next), false));
            for (to, text) in threads {
                pages.push((
                    to,
                    of_page(&text, format!("<article><p>{text}</p></article>")),
                    *board == wanted,
                ));
            }
        }
    }
    for path in ["/login", "/about", "/contact"] {
        pages.push((path.to_owned(), of_page(path, "<p>rules</p>".to_owned()), false));
    }
    Site(pages)
}

fn sailing(without: &[&str]) -> Adaptive {
    let subject = Subject { words: vec!["sailing".to_owned()], ..Subject::default() };
    let rules = AdaptiveRules { without: without.iter().map(|part| (*part).to_owned()).collect() };
    Adaptive::new(&rules, &subject, &Known::default()).unwrap()
}

fn threads(visits: &[String]) -> usize {
    visits.iter().filter(|path| path.strip_prefix("/thread/1").is_some_and(|rest| rest.len() == 2)).count()
}

#[test]
fn the_list_of_the_topic_its_pages_and_their_items_come_first() {
    let site = forum("sailing");
    let mut crawl = Crawl::of(&site);
    crawl.run(&mut sailing(&[]), 26);
    assert_eq!(crawl.visits[..3], ["/", "/board/sailing", "/thread/105"], "{:?}", crawl.visits);
    // 20 threads, 4 pages of the list, the start: one visit of 26 is left for anything else
    assert_eq!(threads(&crawl.visits), 20, "{:?}", crawl.visits);
}

#[test]
fn everything_is_fetched_in_the_end() {
    let site = forum("sailing");
    let mut crawl = Crawl::of(&site);
    crawl.run(&mut sailing(&[]), 1_000);
    assert_eq!(crawl.visits.len(), site.0.len());
}

#[test]
fn without_a_sign_and_without_a_find_it_is_breadth_first_by_kinds() {
    let site = forum("");
    let mut crawl = Crawl::of(&site);
    let subject = Subject { words: vec!["astronomy".to_owned()], ..Subject::default() };
    let mut policy = Adaptive::new(&AdaptiveRules::default(), &subject, &Known::default()).unwrap();
    crawl.run(&mut policy, 14);
    // one of each kind before the second of any: boards, the menu, threads, further pages
    let has = |start: &str| crawl.visits.iter().any(|path| path.starts_with(start));
    assert!(
        has("/board/")
            && has("/thread/")
            && has("/login")
            && crawl.visits.iter().any(|path| path.contains("?page=")),
        "{:?}",
        crawl.visits
    );
}

#[test]
fn a_resumed_crawl_goes_on_as_one_that_was_not_interrupted() {
    let site = forum("sailing");
    for at in [1, 2, 7, 20, 40] {
        let (mut whole, mut half) = (Crawl::of(&site), Crawl::of(&site));
        let mut policy = sailing(&[]);
        whole.run(&mut policy, 60);
        let mut before = sailing(&[]);
        half.run(&mut before, at);
        let mut after = sailing(&[]);
        after.restore(&before.snapshot()).unwrap();
        half.run(&mut after, 60);
        assert_eq!(whole.visits, half.visits, "interrupted after {at}");
        assert_eq!(policy.snapshot(), after.snapshot());
    }
    assert!(sailing(&[]).restore(&[1, 2, 3]).is_err());
}

#[test]
fn a_list_in_other_orders_is_left() {
    // the topic's list in eight orders, all of the same ten items
    let items: Vec<(String, String)> = (0..10).map(|n| (format!("/item/{n}"), format!("Item {n}"))).collect();
    let orders: String = (0..8).map(|n| format!("<p><a href='/list?sort={n}'>order {n}</a></p>")).collect();
    let others: Vec<(String, String)> =
        (0..20).map(|n| (format!("/other/{n}"), format!("Other {n}"))).collect();
    let of_list = |items: &[(String, String)]| format!("<title>sailing</title>{}{orders}", list(items));
    let start = list(&[
        ("/list?sort=0".to_owned(), "sailing".to_owned()),
        ("/others".to_owned(), "others".to_owned()),
    ]);
    let mut pages = vec![("/".to_owned(), start, false)];
    for n in 0..8 {
        let mut items = items.clone();
        items.rotate_left(n);
        pages.push((format!("/list?sort={n}"), of_list(&items), false));
    }
    pages.push(("/others".to_owned(), list(&others), false));
    pages.extend(items.iter().map(|(to, text)| (to.clone(), format!("<title>{text}</title>"), true)));
    pages.extend(others.iter().map(|(to, text)| (to.clone(), format!("<title>{text}</title>"), false)));
    let site = Site(pages);
    let mut crawl = Crawl::of(&site);
    crawl.run(&mut sailing(&[]), 20);
    let last_item = crawl.visits.iter().rposition(|path| path.starts_with("/item/")).unwrap();
    let orders = crawl.visits[..last_item].iter().filter(|path| path.starts_with("/list")).count();
    assert_eq!(
        crawl.visits.iter().filter(|path| path.starts_with("/item/")).count(),
        10,
        "{:?}",
        crawl.visits
    );
    assert!(orders <= 3, "{:?}", crawl.visits);
}

#[test]
fn the_reward_of_a_page_by_hand() {
    let check = |worth: f32, promised: &[f32], expect: f32| {
        let found = reward(worth, promised.to_vec());
        assert!((found - expect).abs() < 1e-6, "{worth} {promised:?}: {found}");
    };
    check(0.0, &[], 0.0);
    check(0.7, &[], 0.7);
    // a wanted page is not worth less for what stands on it
    check(1.0, &[0.2, 0.2], 1.0);
    // (0 + .6 + .6) / 3, and the weak link is left out
    check(0.0, &[0.6, 0.0, 0.6], 0.4);
    // (.1 + .9) / 2
    check(0.1, &[0.3, 0.9], 0.5);
}

#[test]
fn sums_by_hand() {
    let level = Level { said: Said::ByLink, by_page: false };
    let mut kinds = Kinds::default();
    let kind = kinds.add(1, level);
    let check = |kinds: &Kinds, page: f32, way: f32| {
        let found = kinds.expected(kind);
        assert!((found.page - page).abs() < 1e-5 && (found.way - way).abs() < 1e-5, "{found:?}");
    };
    check(&kinds, 0.5, 0.5);
    // said: (1 + 4 x .5) / 5 = .6; shape: (1 + 2 x .6) / 3 = .7333; kind: (1 + 2 x .7333) / 3 = .8222
    kinds.brought(kind, Yield { page: 1.0, way: 1.0 }, true);
    check(&kinds, 0.822_222, 0.822_222);
    // promised: .8222 x 1.5 / 4
    assert!((kinds.promised(kind) - 0.308_333).abs() < 1e-5);
    // said: 3 / 6 = .5, of which 2 of 3 are alive: .3333; shape: (1 + 2 x .3333) / 4 = .41667; kind: (1 + .83333) / 4
    kinds.brought(kind, Yield::NONE, false);
    check(&kinds, 0.458_333, 0.458_333);
}

#[test]
fn a_list_by_hand() {
    let level = Level { said: Said::Nowhere, by_page: true };
    let mut kinds = Kinds::default();
    let (item, further) = (kinds.add(1, level), kinds.add(2, level));
    let mut list = List::of_kind(further);
    // nothing is known of it: as links to further pages of any list
    assert!((list.worth(&kinds) - kinds.expected(further).way).abs() < 1e-6);
    list.page([item; 9].into_iter());
    let promised = kinds.promised(item);
    let expect = (9.0 * promised / 10.0 + 0.5 * kinds.expected(further).way) / 1.5;
    assert!((list.worth(&kinds) - expect).abs() < 1e-6);
    // it rises with its items, and sinks with pages that have nothing new
    let before = list.worth(&kinds);
    (0..5).for_each(|_| kinds.brought(item, Yield { page: 1.0, way: 1.0 }, true));
    let risen = list.worth(&kinds);
    assert!(risen > 2.0 * before, "{before} {risen}");
    let mut last = risen;
    for _ in 0..5 {
        list.page(std::iter::empty());
        assert!(list.worth(&kinds) < last);
        last = list.worth(&kinds);
    }
    assert!(last < risen / 2.0, "{risen} {last}");
}

#[test]
fn an_unknown_part_is_an_error() {
    let rules = AdaptiveRules { without: vec!["hub".to_owned()] };
    let error = Adaptive::new(&rules, &Subject::default(), &Known::default()).unwrap_err().to_string();
    assert!(error.contains("`hub`") && error.contains("hubs"), "{error}");
}

#[test]
fn what_a_link_is_expected_to_bring_is_told_with_counts() {
    let site = forum("sailing");
    let mut crawl = Crawl::of(&site);
    let mut policy = sailing(&[]);
    crawl.run(&mut policy, 12);
    let explained = |path: &str| {
        let link =
            crawl.waiting.get(path).unwrap_or_else(|| panic!("{path} does not wait: {:?}", crawl.visits));
        policy.explain(&LinkFacts { group: link.group, ..LinkFacts::default() })
    };
    assert!(
        explained("/login").contains("the text around it says what is wanted"),
        "{}",
        explained("/login")
    );
    assert!(
        explained("/board/music").contains("no link of its kind was followed yet"),
        "{}",
        explained("/board/music")
    );
}
