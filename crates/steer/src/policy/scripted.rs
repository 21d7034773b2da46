//! A site of a few pages and a queue, for tests that write out an order of visits.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use osprey_model::{CanonicalUrl, GroupFactor, GroupId, LinkId, UrlRules};
use osprey_page::{Input, Page, PageRules, Sitemap, SitemapRules};
use osprey_structure::site::ExtractRules;
use osprey_structure::{Learner, Recipe, Site};
use osprey_text::PageWords;

use super::{Cause, Failure, Policy, Visit};
use crate::{
    Example, FreshLinks, Judgement, Known, Op, Part, Placing, PolicyKind, SitemapVisit, Subject, made_of,
};

/// Paths and bodies; the first is the start page.
pub(super) struct Scripted(Vec<(String, String)>);

/// What a link waits with.
struct Waiting {
    group: GroupId,
    own: f32,
    since: usize,
    why: BTreeMap<String, f32>,
}

pub(super) fn url(path: &str) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("http://a.example{path}"), &UrlRules::default()).unwrap()
}

pub(super) fn page(path: &str, body: &str) -> Page {
    let input = Input { url: &url(path), content_type: None, body: body.as_bytes() };
    Page::parse(&input, &PageRules::default())
}

impl Scripted {
    /// A forum: a start page, 5 lists of 4 threads, whose posts differ, 6 users, and 5 rules that are all alike.
    pub(super) fn forum() -> Self {
        let links = |class: &str, to: &[String]| {
            to.iter().fold(String::new(), |mut html, to| {
                let _ = write!(html, "<li><a class={class} href={to}>{to}</a></li>");
                html
            })
        };
        let named = |name: &str, numbers: &[usize]| -> Vec<String> {
            numbers.iter().map(|n| format!("/{name}/{n}")).collect()
        };
        let foot = "<footer><p><a class=r href=/rules/0>rules</a></p></footer>";
        let mut pages = vec![(
            "/".to_owned(),
            format!("<nav><ul>{}</ul></nav>{foot}", links("l", &named("list", &[0, 1, 2, 3, 4]))),
        )];
        for list in 0..5 {
            let threads: Vec<usize> = (4 * list..4 * list + 4).collect();
            let body = format!(
                "<main><ol>{}</ol></main><h2>threads</h2>{foot}",
                links("t", &named("thread", &threads))
            );
            pages.push((format!("/list/{list}"), body));
        }
        for thread in 0..20 {
            let extra =
                ["<blockquote>q</blockquote>", "<pre>c</pre>", "<em>e</em>", "<code>k</code>"][thread % 4];
            let post = format!("<article><p>post {thread}</p>{}</article>", extra.repeat(1 + thread % 3));
            let by = links("u", &named("user", &[thread % 6]));
            // so much is the same that what differs is no other type of page
            let frame = "<h1>t</h1><h2>s</h2><h3>x</h3><hr><dl><dt>k<dd>v</dl><form><label>l</label><button>b</button></form>\
                         <address>a</address><figure><figcaption>f</figcaption></figure><details><summary>s</summary></details>\
                         <menu><li><b>m</b><li><i>n</i><li><u>o</u><li><s>p</s></menu>";
            pages.push((
                format!("/thread/{thread}"),
                format!("{frame}{post}<aside><ul>{by}</ul></aside>{foot}"),
            ));
        }
        for user in 0..6 {
            let theirs: Vec<usize> = (0..20).filter(|thread| thread % 6 == user).collect();
            let body = format!(
                "<dl><dt>name<dd>{user}</dl><section><ul>{}</ul></section>{foot}",
                links("t", &named("thread", &theirs))
            );
            pages.push((format!("/user/{user}"), body));
        }
        for rule in 0..5 {
            let next = links("r", &named("rules", &[(rule + 1) % 5]));
            pages.push((
                format!("/rules/{rule}"),
                format!("<table><tr><td>rule {rule}<td><ul>{next}</ul></table>"),
            ));
        }
        Self(pages)
    }

    pub(super) fn page(&self, path: &str) -> Page {
        let body = self.0.iter().find(|(known, _)| known == path).map(|(_, body)| body.as_str());
        page(path, body.unwrap())
    }

    /// The site learned from all of its pages.
    pub(super) fn learned(&self) -> Arc<Site> {
        let mut learner = Learner::default();
        for (path, body) in &self.0 {
            learner.visited(&page(path, body), &url(path));
        }
        let model = learner.finish(&Recipe::Osprey);
        let sitemap = model.sitemap();
        Arc::new(Site::new(model, sitemap, &ExtractRules::default()).unwrap())
    }

    /// The site, and these pages as examples.
    pub(super) fn known(&self, examples: &[&str]) -> Known {
        let example = |path: &&str| Example { page: Arc::new(self.page(path)), is_wanted: true };
        Known {
            site: Some(self.learned()),
            examples: examples.iter().map(example).collect(),
            ..Known::default()
        }
    }

    /// The first `most` visits of a crawl: the highest priority first, of equal ones the oldest. Every score is checked
    /// against its parts.
    pub(super) fn visits(&self, policy: &mut dyn Policy, site: &Site, most: usize) -> Vec<String> {
        let mut queue = Queue::new();
        let mut visits = Vec::new();
        while visits.len() < most && !queue.waiting.is_empty() {
            let mut placing = Placing::default();
            let Some((path, link)) = queue.next() else {
                policy.on_blocked(&mut placing);
                assert!(placing.ops().count() > 0, "parked for ever: {:?}", queue.waiting.keys());
                queue.carry_out(&placing, &[]);
                continue;
            };
            visits.push(path.clone());
            let Some((_, body)) = self.0.iter().find(|(known, _)| *known == path) else {
                let (url, group, cause) = (url(&path), Some(link.group), Cause::Status(404));
                policy
                    .on_failure(&Failure { id: LinkId(0), url: &url, group, depth: 1, cause }, &mut placing);
                queue.carry_out(&placing, &[]);
                continue;
            };
            let page = page(&path, body);
            tell(policy, site, &page, &link, &mut placing);
            let links: Vec<&CanonicalUrl> = page.links().iter().map(|link| &link.url).collect();
            queue.carry_out(&placing, &links);
        }
        visits
    }
}

/// What waits, as a frontier keeps it.
struct Queue {
    waiting: BTreeMap<String, Waiting>,
    /// `None` for groups that are parked.
    factors: BTreeMap<GroupId, Option<f32>>,
    known: BTreeSet<String>,
}

impl Queue {
    fn new() -> Self {
        let first = Waiting { group: GroupId::ALL, own: 1.0, since: 0, why: BTreeMap::new() };
        let waiting = BTreeMap::from([("/".to_owned(), first)]);
        Self { waiting, factors: BTreeMap::new(), known: BTreeSet::from(["/".to_owned()]) }
    }

    fn priority(&self, group: GroupId, own: f32) -> Option<f32> {
        self.factors.get(&group).copied().unwrap_or(Some(1.0)).map(|factor| factor * own)
    }

    /// The best link that is not parked.
    fn next(&mut self) -> Option<(String, Waiting)> {
        let ready = self.waiting.iter();
        let ready = ready.filter_map(|(path, link)| {
            Some((self.priority(link.group, link.own)?, link.since, path.clone()))
        });
        let (.., path) = ready.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))?;
        self.waiting.remove(&path).map(|link| (path, link))
    }

    /// Factors first, as a commit does it.
    fn carry_out(&mut self, placing: &Placing, links: &[&CanonicalUrl]) {
        for (op, _) in placing.ops() {
            if let Op::Factor(group, factor) = op {
                let factor = match factor {
                    GroupFactor::Times(factor) => Some(factor.get()),
                    GroupFactor::Parked => None,
                };
                self.factors.insert(*group, factor);
            }
        }
        for (op, parts) in placing.ops() {
            match op {
                Op::Factor(..) => {}
                Op::Add { link, group, own, .. } => {
                    let to = links[*link as usize].path().to_owned();
                    if let Some(priority) = self.priority(*group, own.get()) {
                        check_parts(&to, parts, priority);
                    }
                    let why = parts.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
                    if self.known.insert(to.clone()) {
                        let since = self.known.len();
                        self.waiting.insert(to, Waiting { group: *group, own: own.get(), since, why });
                    }
                }
                other => panic!("unexpected {other:?}"),
            }
        }
    }
}

/// A score is what its parts make; groups are not told of moves of up to a twentieth.
pub(super) fn check_parts(to: &str, parts: &[Part], priority: f32) {
    let made_of = made_of(parts.iter().copied());
    assert!(
        (made_of - priority).abs() <= 0.05 * priority + 1e-9,
        "{to}: {parts:?} make {made_of}, not {priority}"
    );
}

fn tell(policy: &mut dyn Policy, site: &Site, page: &Page, link: &Waiting, placing: &mut Placing) {
    let (words, reading) = (PageWords::default(), site.read(page));
    let visit = Visit {
        id: LinkId(0),
        group: link.group,
        depth: 0,
        page,
        page_words: &words,
        reading: Some(&reading),
        judgement: Judgement::default(),
        why: &link.why,
        fresh: &FreshLinks::unknown(),
    };
    policy.on_page(&visit, placing);
}

/// The entries of a sitemap are placed by rules of their own.
fn map(policy: &mut dyn Policy) {
    let url = url("/sitemap.xml");
    let body = "<urlset><url><loc>/thread/1</loc><priority>0.3</priority></url><url><loc>/list/7</loc></url></urlset>";
    let input = Input { url: &url, content_type: None, body: body.as_bytes() };
    let map = Sitemap::parse(&input, &SitemapRules::default());
    let mut placing = Placing::default();
    policy.on_sitemap(&SitemapVisit { id: LinkId(0), depth: 1, entries: &map.entries }, &mut placing);
    let links: Vec<&CanonicalUrl> = map.entries.iter().map(|entry| &entry.url).collect();
    Queue::new().carry_out(&placing, &links);
}

/// Each policy by its name, with what it needs, and variants that score in another way.
#[test]
fn every_score_is_made_of_its_parts() {
    let forum = Scripted::forum();
    let mut known = forum.known(&["/thread/3", "/thread/4"]);
    known.examples.push(Example { page: Arc::new(forum.page("/rules/1")), is_wanted: false });
    let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect::<Vec<String>>();
    let subject = Subject {
        tags: words(&["post", "thread"]),
        genre_terms: words(&["post", "rule"]),
        content_terms: words(&["threads"]),
        url_terms: words(&["thread"]),
        ..Subject::default()
    };
    let mut kinds: Vec<serde_json::Value> =
        PolicyKind::NAMES.iter().map(|name| serde_json::json!({ "kind": name })).collect();
    for queue in ["ps", "fs-1", "pfs-1", "pfs-2"] {
        kinds.push(serde_json::json!({ "kind": "genre", "queue": queue, "ties": "oldest" }));
    }
    kinds.push(serde_json::json!({ "kind": "svm", "queue": "siblings" }));
    kinds.push(serde_json::json!({ "kind": "sample", "in_order": true }));
    kinds.push(serde_json::json!({ "kind": "profile", "threshold": 0.9 }));
    kinds.push(serde_json::json!({ "kind": "source-ucc", "info": false, "memory": u32::MAX }));
    for kind in kinds {
        let policy: PolicyKind = serde_json::from_value(kind.clone()).unwrap();
        let new = || policy.build(&subject, &known).unwrap();
        let visits = forum.visits(new().as_mut(), known.site.as_ref().unwrap(), 100);
        assert!(visits.len() > 5, "{kind}: {visits:?}");
        map(new().as_mut());
    }
}
