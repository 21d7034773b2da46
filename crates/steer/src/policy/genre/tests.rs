//! Small scripted sites, fetched in the order that the policy wants; the orders are worked out by hand.

use std::collections::{BTreeMap, BTreeSet};

use osprey_model::{CanonicalUrl, GroupFactor, GroupId, LinkId, UrlRules};
use osprey_page::{Input, Page, PageRules};
use osprey_text::PageWords;

use super::*;
use crate::policy::PolicyKind;
use crate::{FreshLinks, Judgement, Known, Op};

/// Content terms of the subject: of a hundred, n make a similarity of sqrt(n / 100).
const TERMS: u32 = 100;

fn subject() -> Subject {
    Subject { content_terms: (0..TERMS).map(|n| format!("w{n}")).collect(), ..Subject::default() }
}

/// Pages by letter: similarity in tenths, and links. `s` is the seed; a link in capitals leads to another host.
struct Script<'a> {
    pages: BTreeMap<char, (u32, &'a str)>,
    urls: BTreeMap<char, CanonicalUrl>,
}

impl<'a> Script<'a> {
    fn new(pages: &[(char, u32, &'a str)]) -> Self {
        let mut urls = BTreeMap::new();
        let letters: BTreeSet<char> = pages.iter().map(|(name, ..)| *name).collect();
        for (place, name) in letters.into_iter().enumerate() {
            // addresses whose lots stand in the order of the letters
            let url = (0..).map(|n| url(name, n)).find(|url| (url.fingerprint() >> 59) as usize == place);
            urls.insert(name, url.unwrap());
        }
        Self { pages: pages.iter().map(|(name, tenths, links)| (*name, (*tenths, *links))).collect(), urls }
    }

    fn page(&self, name: char) -> Page {
        let (tenths, links) = self.pages[&name];
        let words: Vec<String> = (0..tenths * tenths).map(|n| format!("w{n}")).collect();
        let links = links.chars().map(|to| format!("<a href=\"{}\">x</a>", self.urls[&to].as_str()));
        let body = format!("<p>{}.</p>{}", words.join(". "), links.collect::<String>());
        let input = Input { url: &self.urls[&name], content_type: None, body: body.as_bytes() };
        Page::parse(&input, &PageRules::default())
    }

    fn name(&self, url: &CanonicalUrl) -> char {
        *self.urls.iter().find(|(_, other)| *other == url).unwrap().0
    }
}

fn url(name: char, n: u32) -> CanonicalUrl {
    let host = if name.is_uppercase() { "b" } else { "a" };
    CanonicalUrl::parse(&format!("http://{host}.example/{name}{n}"), &UrlRules::default()).unwrap()
}

/// A frontier of a few links: the best of them first, then the oldest.
#[derive(Default)]
struct Waiting {
    links: BTreeMap<u32, (char, GroupId, f32, BTreeMap<String, f32>)>,
    factors: BTreeMap<GroupId, f32>,
    known: BTreeSet<char>,
}

impl Waiting {
    fn priority(&self, link: u32) -> f32 {
        let (_, group, own, _) = &self.links[&link];
        own * self.factors.get(group).copied().unwrap_or(1.0)
    }

    fn add(&mut self, name: char, group: GroupId, own: f32, parts: &[crate::Part]) {
        if self.known.insert(name) {
            let why = parts.iter().map(|(part, value)| ((*part).to_owned(), *value)).collect();
            self.links.insert(self.known.len() as u32 - 1, (name, group, own, why));
        }
    }

    fn take(&mut self) -> Option<(u32, char, GroupId, BTreeMap<String, f32>)> {
        let best = |a: &&u32, b: &&u32| self.priority(**a).total_cmp(&self.priority(**b)).then(b.cmp(a));
        let id = *self.links.keys().max_by(best)?;
        let (name, group, own, mut why) = self.links.remove(&id)?;
        why.insert("own".to_owned(), own);
        why.insert("factor".to_owned(), self.factors.get(&group).copied().unwrap_or(1.0));
        Some((id, name, group, why))
    }
}

/// The letters in the order of the visits.
fn visits(policy: &mut dyn Policy, script: &Script<'_>) -> String {
    let mut waiting = Waiting::default();
    waiting.add('s', GroupId::ALL, 1.0, &[]);
    let mut order = String::new();
    while let Some((id, name, group, why)) = waiting.take() {
        order.push(name);
        let (page, words, mut placing) = (script.page(name), PageWords::default(), Placing::default());
        let (page, page_words, why) = (&page, &words, &why);
        let (id, judgement) = (LinkId(id), Judgement::default());
        let visit = Visit {
            id,
            group,
            depth: 0,
            page,
            page_words,
            reading: None,
            judgement,
            why,
            fresh: &FreshLinks::unknown(),
        };
        policy.on_page(&visit, &mut placing);
        for (op, parts) in placing.ops() {
            match op {
                Op::Add { link, group, own, .. } => {
                    let to = script.name(&page.links()[*link as usize].url);
                    waiting.add(to, *group, own.get(), parts);
                }
                Op::Factor(group, GroupFactor::Times(factor)) => {
                    waiting.factors.insert(*group, factor.get());
                }
                other => panic!("unexpected {other:?}"),
            }
        }
    }
    order
}

fn policy(rules: &str) -> Box<dyn Policy> {
    let kind: PolicyKind = toml::from_str(&format!("kind = \"genre\"\n{rules}")).unwrap();
    kind.build(&subject(), &Known::default()).unwrap()
}

/// `s` links a, d, e; `a`, the only hit with 0.5, links c, f; `e` links b. Lots stand in the order of the letters.
///
/// - `ps`: a gives c, f 0.5; then d, e, and b, which e brings.
/// - `fs-1`: a gives d, e 0.5; d has 0 and puts e back to 0; of c, e, f at 0 goes c, then e, which brings b, then f.
/// - `fs-2`: a gives d, e 0.5, and d, e change nothing; then b, c, f at 0.
/// - `pfs-1`: a gives c, d, e, f 0.5; c puts f back, d puts e back; e brings b, at 0 as f is.
/// - `pfs-2`: a gives c, d, e, f 0.5, which none of them changes; then b.
#[test]
fn five_rules_five_orders() {
    let script = Script::new(&[
        ('s', 0, "ade"),
        ('a', 5, "cf"),
        ('b', 0, ""),
        ('c', 0, ""),
        ('d', 0, ""),
        ('e', 0, "b"),
        ('f', 0, ""),
    ]);
    let check = |rule: &str, expect: &str| {
        assert_eq!(visits(policy(&format!("queue = \"{rule}\"")).as_mut(), &script), expect, "{rule}");
    };
    check("ps", "sacfdeb");
    check("fs-1", "sadcebf");
    check("fs-2", "sadebcf");
    check("pfs-1", "sacdebf");
    check("pfs-2", "sacdefb");
}

/// By age siblings stand in a row anyway: `fs-2` is breadth-first, hit or not.
#[test]
fn by_age_sibling_rules_are_breadth_first() {
    let script = Script::new(&[
        ('s', 0, "ba"),
        ('a', 9, "dc"),
        ('b', 0, "fe"),
        ('c', 0, ""),
        ('d', 0, ""),
        ('e', 9, ""),
        ('f', 0, ""),
    ]);
    let check =
        |rules: &str, expect: &str| assert_eq!(visits(policy(rules).as_mut(), &script), expect, "{rules}");
    check("ties = \"oldest\"", "sbafedc");
    check("ties = \"oldest\"\nqueue = \"fs-1\"", "sbafedc");
    check("ties = \"drawn\"", "sabcdef");
}

/// a has 0.2, not more than 0.2: nothing moves. b has 0.3: c, its sibling, goes before d.
#[test]
fn the_threshold_has_to_be_exceeded() {
    let script = |a, b| {
        Script::new(&[
            ('s', 0, "ab"),
            ('a', a, "cd"),
            ('b', b, "efz"),
            ('c', 0, ""),
            ('d', 0, ""),
            ('e', 0, ""),
            ('f', 3, ""),
            ('z', 0, ""),
        ])
    };
    let check = |rules: &str, (a, b), expect: &str| {
        assert_eq!(visits(policy(rules).as_mut(), &script(a, b)), expect, "{rules}");
    };
    check("", (2, 0), "sabcdefz");
    check("queue = \"pfs-2\"", (0, 2), "sabcdefz");
    check("queue = \"pfs-2\"", (0, 3), "sabefzcd");
    check("queue = \"pfs-2\"\nchange_threshold = 0.3", (0, 3), "sabcdefz");
}

/// A seed has no siblings: other seeds keep their 1, whatever it scores.
#[test]
fn seeds_have_no_siblings() {
    let page = crate::policy::samples::page("w1 <a href=/1></a>");
    let factors = |group| -> Vec<GroupId> {
        let mut policy = policy("queue = \"fs-1\"");
        let placing = crate::policy::samples::told(policy.as_mut(), &page, group);
        let moved = placing.ops().filter_map(|(op, _)| match op {
            Op::Factor(group, _) => Some(*group),
            _ => None,
        });
        moved.collect()
    };
    assert_eq!(factors(GroupId::ALL), [GroupId(1)]);
    assert_eq!(factors(GroupId(7)), [GroupId(7), GroupId(1)]);
}

/// A chain of pages inside a site ends after two steps; another site begins anew.
#[test]
fn depth_is_counted_per_site() {
    let script = Script::new(&[
        ('s', 0, "a"),
        ('a', 0, "b"),
        ('b', 0, "cA"),
        ('c', 0, ""),
        ('A', 0, "B"),
        ('B', 0, "C"),
        ('C', 0, "D"),
        ('D', 0, ""),
    ]);
    assert_eq!(visits(policy("max_depth = 2").as_mut(), &script), "sabABC");
    assert_eq!(visits(policy("max_depth = 9").as_mut(), &script), "sabABCDc");
}

/// Three links at first, and the same URL again does not count; the fourth waits behind until one beside it is a hit.
#[test]
fn links_are_counted_by_url() {
    let page = crate::policy::samples::page(
        "<a href=/1></a><a href=/1></a><a href=/2></a><a href=/1></a><a href=/3></a><a href=/4></a>",
    );
    let placing = crate::policy::samples::told(policy("max_links = 3").as_mut(), &page, GroupId::ALL);
    let links: Vec<(u32, bool)> = placing
        .ops()
        .filter_map(|(op, _)| match op {
            Op::Add { link, group, .. } => Some((*link, *group == GroupId(1))),
            _ => None,
        })
        .collect();
    assert_eq!(links, [(0, true), (2, true), (4, true), (5, false)]);
    // s links a to e, three at first; d and e come after f, which a brings, unless one of a, b, c is a hit
    let script = |b| {
        Script::new(&[
            ('s', 0, "abcde"),
            ('a', 0, "f"),
            ('b', b, ""),
            ('c', 0, ""),
            ('d', 0, ""),
            ('e', 0, ""),
            ('f', 0, ""),
        ])
    };
    assert_eq!(visits(policy("max_links = 3").as_mut(), &script(0)), "sabcfde");
    assert_eq!(visits(policy("max_links = 3").as_mut(), &script(5)), "sabcdef");
}

/// New links wait at all but 0; once a hit has moved them, `own` times `factor` is its score, but for a hair.
#[test]
fn the_parts_make_up_the_score() {
    let script = Script::new(&[('s', 0, "ab"), ('a', 5, ""), ('b', 0, "")]);
    let mut waiting = Waiting::default();
    let mut policy = policy("");
    waiting.add('s', GroupId::ALL, 1.0, &[]);
    let scores: Vec<f32> = std::iter::from_fn(|| {
        let (id, name, group, why) = waiting.take()?;
        let score = why["own"] * why["factor"];
        let (page, words, mut placing) = (script.page(name), PageWords::default(), Placing::default());
        let (page, page_words, id) = (&page, &words, LinkId(id));
        let judgement = Judgement::default();
        policy.on_page(
            &Visit {
                id,
                group,
                depth: 0,
                page,
                page_words,
                reading: None,
                judgement,
                why: &why,
                fresh: &FreshLinks::unknown(),
            },
            &mut placing,
        );
        for (op, parts) in placing.ops() {
            match op {
                Op::Add { link, group, own, .. } => {
                    waiting.add(script.name(&page.links()[*link as usize].url), *group, own.get(), parts);
                }
                Op::Factor(group, GroupFactor::Times(factor)) => {
                    waiting.factors.insert(*group, factor.get());
                }
                other => panic!("unexpected {other:?}"),
            }
        }
        Some(score)
    })
    .collect();
    let is_near = |found: f32, expect: f32| (found - expect).abs() < 1e-3;
    assert!(scores.len() == 3 && is_near(scores[0], 1.0), "{scores:?}");
    assert!(is_near(scores[1], 0.0) && is_near(scores[2], 0.5), "{scores:?}");
}

#[test]
fn entries_of_sitemaps_are_new_links() {
    let placed =
        crate::policy::samples::placed(policy("").as_mut(), "<url><loc>/1</loc><priority>1</priority></url>");
    assert!(
        matches!(placed.as_slice(), [(0, GroupId::ALL, own, _)] if *own > 0.0 && *own < 1e-5),
        "{placed:?}"
    );
}

#[test]
fn what_is_explained() {
    let policy = policy("");
    let check = |parts: &[(&str, f32)], expect: &str| {
        let parts: Vec<(String, f32)> =
            parts.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        let words = policy.explain(&LinkFacts { own: 1.0, depth: 2, parts: &parts, ..LinkFacts::default() });
        assert!(words.contains(expect), "{words}");
    };
    check(&[], "a seed");
    check(&[("parent", 0.25), ("site_depth", 2.0)], "the page it was found on has 0.250");
    check(&[("parent", 0.25), ("site_depth", 2.0)], "passed the change threshold");
    check(&[("mapped", 1.0)], "a sitemap");
}

#[test]
fn subjects_without_terms_are_refused() {
    let kind = PolicyKind::named("genre").unwrap();
    let check = |genre: &[&str], content: &[&str], expect: &str| {
        let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect();
        let subject =
            Subject { genre_terms: words(genre), content_terms: words(content), ..Subject::default() };
        let unfit = kind.build(&subject, &Known::default()).err().map(|unfit| unfit.to_string());
        assert_eq!(unfit.as_deref(), Some(expect));
    };
    check(&[], &[], "[topic.genre_terms] no terms: give genre terms, content terms or both");
    check(
        &["exam"],
        &["exams"],
        "[topic.content_terms] term `exam` of the genre and `exams` of the content are the same: keep it in one set",
    );
}
