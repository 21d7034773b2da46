//! The crawl of a person who knows a site: begin at the topic's own lists, and write down two patterns, one of these lists
//! and their pages, one of items. What the patterns cannot tell apart, that person cannot either.
//!
//! The patterns let through what the site makes of its own links: further pages, old URLs, detours and `?ref=`.

use osprey_model::{CanonicalUrl, UrlRules};

use super::plan::Plan;
use super::site_map::{PageId, PageKind};
use crate::markup::percent;
use crate::routes::fill;
use crate::site::Expert;

/// How many lists of a topic such a person names, where every tag of the topic has one.
pub(crate) const LISTS_OF_TOPIC: usize = 4;

/// The crawl for a topic by its name; `None` if the site has no lists of it.
pub(super) fn of<P: Plan>(plan: &P, topic: &str) -> Option<Expert> {
    let ground = plan.ground();
    let topic = (0..ground.topic_count() as usize).find(|number| ground.name(*number) == topic)?;
    let lists = plan.topic_lists(topic);
    let mut start = Vec::with_capacity(lists.len());
    let mut paths = Vec::with_capacity(lists.len());
    for list in lists {
        let url = format!("{}{}", ground.origin, path(plan, list));
        // as a crawl asks for it: tags have spaces and more
        let url = CanonicalUrl::parse(&url, &UrlRules::default()).ok()?;
        paths.push(url.path_and_query().to_owned());
        start.push(url.to_string());
    }
    if start.is_empty() {
        return None;
    }
    let lists = pattern::<P>(paths.iter().map(|path| (quoted(path), quoted(&percent(path)))));
    let mut addresses: Vec<&str> = P::ITEMS.iter().map(|kind| kind.row().address).collect();
    addresses.dedup();
    let items =
        pattern::<P>(addresses.iter().map(|address| (filled(address, quoted), filled(address, detoured))));
    let host = quoted(&ground.origin);
    Some(Expert { start, allow: [lists, items].map(|pattern| format!("^{host}{pattern}")).to_vec() })
}

fn path<P: Plan>(plan: &P, page: PageId<P::Page>) -> String {
    let mut path = String::with_capacity(48);
    plan.path(page, &mut path);
    path
}

/// Any of these paths, each also as a detour names it, with their further pages.
fn pattern<P: Plan>(paths: impl Iterator<Item = (String, String)>) -> String {
    let (plain, detours): (Vec<String>, Vec<String>) = paths.unzip();
    let param = P::PAGE_PARAM;
    format!(
        r"((/index\.php)?({})([?&]{param}=\d+)?([?&](ref|sid)=\w+)?|/go\?to=({})((%3F|%26){param}%3D\d+)?)$",
        plain.join("|"),
        detours.join("|"),
    )
}

/// An address of the table with any text in its slots.
fn filled(address: &str, literal: fn(&str) -> String) -> String {
    // slots cannot be told from text once it is quoted, so they are marked with what no address has
    let mut marked = String::with_capacity(address.len());
    fill(address, &mut marked, |_, out| out.push('\0'));
    marked.split('\0').map(literal).collect::<Vec<_>>().join("[^/?&%]+")
}

fn detoured(text: &str) -> String {
    quoted(&percent(text))
}

/// A text as a regular expression.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if c.is_ascii_punctuation() && !matches!(c, '/' | '%' | '_' | '-' | ':' | '=' | '&') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use std::collections::{HashSet, VecDeque};

    use osprey_model::{PageType, Scope, ScopeKind};

    use super::*;
    use crate::world::walk::{self, counts, get, links};
    use crate::{Kind, Nastiness, World};

    /// Visits breadth-first what the person's patterns let through.
    fn crawl(world: &World, expert: &Expert, budget: usize) -> Vec<CanonicalUrl> {
        let start: Vec<CanonicalUrl> = expert.start.iter().map(|url| walk::url(url)).collect();
        let scope = Scope::new(ScopeKind::Host, &start, &expert.allow, &[]).unwrap();
        assert!(start.iter().all(|url| scope.check(url).is_ok()), "{expert:?}");
        let mut known: HashSet<CanonicalUrl> = start.iter().cloned().collect();
        let (mut queue, mut visits) = (VecDeque::from(start), Vec::new());
        while let Some(page) = queue.pop_front().filter(|_| visits.len() < budget) {
            let found = links(&page, &get(world, &page)).into_iter().filter(|link| scope.check(link).is_ok());
            queue.extend(found.filter(|link| known.insert(link.clone())));
            visits.push(page);
        }
        visits
    }

    #[test]
    fn a_person_who_knows_the_site_finds_items_of_the_topic() {
        // where addresses tell lists from items, most of what is fetched is an item of the topic
        let kinds = [
            (Kind::Photo, 0.5),
            (Kind::Video, 0.5),
            (Kind::Qa, 0.25),
            (Kind::Movies, 0.25),
            (Kind::Forum, 0.2),
            (Kind::Sports, 0.1),
            (Kind::Ratings, 0.1),
            (Kind::Shop, 0.25),
            (Kind::Archive, 0.25),
        ];
        for (kind, least) in kinds {
            let world = walk::world(kind, 1, 2000, Nastiness::default());
            for topic in world.topics().iter().take(5) {
                let expert = world.expert(&topic.name).expect("every topic has a list");
                for start in &expert.start {
                    let truth = world.truth(&walk::url(start)).unwrap();
                    assert_eq!((truth.page_type, counts(&truth)), (PageType::List, true), "{start}");
                }
                let visits = crawl(&world, &expert, 100);
                let truths = visits.iter().filter_map(|url| world.truth(url));
                let of_topic = truths.filter(|truth| {
                    counts(truth) && truth.page_type == PageType::Detail && truth.topics.contains(&topic.name)
                });
                let share = of_topic.count() as f64 / visits.len() as f64;
                assert!(share >= least, "{kind}, {}: {share} of {} visits", topic.name, visits.len());
            }
            assert_eq!(world.expert("Nonsense"), None);
        }
    }

    #[test]
    fn worlds_of_many_hosts_have_no_lists_that_two_patterns_fit() {
        for kind in [Kind::Campus, Kind::Portal] {
            let world = walk::world(kind, 1, 1000, Nastiness::default());
            assert!(world.topics().iter().all(|topic| world.expert(&topic.name).is_none()));
        }
    }
}
