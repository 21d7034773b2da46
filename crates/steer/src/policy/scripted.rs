//! A site of a few pages and a queue, for tests that write out an order of visits.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use osprey_model::{CanonicalUrl, Factor, GroupId, LinkId, UrlRules};
use osprey_page::{Input, Page, PageRules};
use osprey_structure::site::ExtractRules;
use osprey_structure::{Learner, Recipe, Site};

use super::{Cause, Failure, Policy, Visit};
use crate::text::PageWords;
use crate::{Example, Judgement, Known, Op, Placing};

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
        Known { site: Some(self.learned()), examples: examples.iter().map(example).collect() }
    }

    /// The first `most` visits of a crawl: the highest priority first, of equal ones the oldest.
    pub(super) fn visits(&self, policy: &mut dyn Policy, site: &Site, most: usize) -> Vec<String> {
        let mut waiting: BTreeMap<String, Waiting> = BTreeMap::new();
        let mut factors: BTreeMap<GroupId, f32> = BTreeMap::new();
        let (mut known, mut visits) = (BTreeSet::from(["/".to_owned()]), Vec::new());
        let first = Waiting { group: GroupId::ALL, own: 1.0, since: 0, why: BTreeMap::new() };
        waiting.insert("/".to_owned(), first);
        while visits.len() < most && !waiting.is_empty() {
            let priority = |link: &Waiting| link.own * factors.get(&link.group).copied().unwrap_or(1.0);
            let best = waiting
                .iter()
                .max_by(|a, b| priority(a.1).total_cmp(&priority(b.1)).then(b.1.since.cmp(&a.1.since)));
            let path = best.unwrap().0.clone();
            let link = waiting.remove(&path).unwrap();
            visits.push(path.clone());
            let mut placing = Placing::default();
            let Some((_, body)) = self.0.iter().find(|(known, _)| *known == path) else {
                let (url, group, cause) = (url(&path), Some(link.group), Cause::Status(404));
                policy
                    .on_failure(&Failure { id: LinkId(0), url: &url, group, depth: 1, cause }, &mut placing);
                continue;
            };
            let page = page(&path, body);
            tell(policy, site, &page, &link, &mut placing);
            for (op, parts) in placing.ops() {
                match op {
                    Op::Factor(group, Factor::Times(factor)) => {
                        factors.insert(*group, factor.get());
                    }
                    Op::Add { link, group, own, .. } => {
                        let to = page.links()[*link as usize].url.path().to_owned();
                        let why = parts.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
                        if known.insert(to.clone()) {
                            let since = known.len();
                            waiting.insert(to, Waiting { group: *group, own: own.get(), since, why });
                        }
                    }
                    other => panic!("unexpected {other:?}"),
                }
            }
        }
        visits
    }
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
    };
    policy.on_page(&visit, placing);
}
