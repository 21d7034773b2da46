//! `tag-pages`: stage one of Zhang & Nasraoui 2009 (algorithm 3), which collects pictures of a tag so that their other
//! tags can vote on the topic. `osprey topic expand` crawls with it.
//!
//! Lists that are named like a given tag come first, by the last part of their URL or their anchor; then the things on
//! them; then other lists and things in the order they are found, because a way to the first list has to be found.
//! Profiles are left out, as in the paper. Lists wait in a group by their name: when the pictures of the given tags have
//! doubled, the strongest tags beside them are promoted, one factor each, and a new round of discovery begins at the
//! lists of those (figure 7).

use std::sync::Arc;

use osprey_model::{GroupId, LinkScore, PageType};
use osprey_page::{Link, Page};
use osprey_structure::extract::RecordKind;
use xxhash_rust::xxh3::xxh3_64;

use super::profile::{Leads, Sighted};
use super::source::learned;
use super::{LinkFacts, Policy, RestoreError, SitemapVisit, Visit};
use crate::cotag::{CoTagRules, CoTags, folded};
use crate::{Known, Placing, SteeringConfigError, Subject};

/// Things on a list of a wanted tag.
const HERE: GroupId = GroupId(1);
/// Other things.
const ELSEWHERE: GroupId = GroupId(2);
/// Pages of which nothing is known.
const REST: GroupId = GroupId(3);
/// What a list is worth, of one that is wanted.
const LIST: f32 = 0.2;
/// The same of a page of which nothing is known.
const UNKNOWN: f32 = 0.1;
/// The same of a thing on a wanted list.
const THING: f32 = 0.9;
/// Pictures of the given tags before strong tags are looked for.
const FIRST_PICTURES: u32 = 30;
/// Tags that a new round begins with.
const STRONGEST: usize = 5;

#[derive(Debug)]
pub(super) struct TagPages {
    given: Vec<String>,
    leads: Leads,
    sighted: Sighted,
    state: RoundState,
}

/// What was learned.
#[derive(Debug, Default)]
struct RoundState {
    tags: CoTags,
    /// Tags whose lists come first, the given ones too.
    wanted: Vec<String>,
    /// Pictures of the given tags when the next round begins.
    next: u32,
}

impl TagPages {
    pub(super) fn new(subject: &Subject, known: &Known) -> Result<Self, SteeringConfigError> {
        let site = Arc::clone(learned("tag-pages", known)?);
        let given: Vec<String> = subject.tags.iter().filter_map(|tag| folded(tag)).collect();
        if given.is_empty() {
            return Err(SteeringConfigError::new("policy.kind", "`tag-pages` needs `topic.tags`"));
        }
        let state = RoundState { next: FIRST_PICTURES, ..RoundState::default() };
        Ok(Self { given, leads: Leads::new(site), sighted: Sighted::default(), state })
    }

    /// Lets the lists of more tags come first.
    fn promote(&mut self, tags: impl IntoIterator<Item = String>, placing: &mut Placing) {
        for tag in tags {
            if !self.state.wanted.contains(&tag) {
                placing.factor(group_of(&tag), 1.0 / LIST);
                self.state.wanted.push(tag);
            }
        }
    }

    /// Takes the tags of a thing; begins a new round if there are enough.
    fn count(&mut self, visit: &Visit<'_>, placing: &mut Placing) {
        let record = visit.reading.and_then(|reading| reading.record.as_ref());
        let Some(record) = record.filter(|record| record.kind == RecordKind::Detail) else { return };
        self.state.tags.add(&record.tags);
        let pictures: u32 = self.given.iter().map(|tag| self.state.tags.count(tag)).sum();
        if pictures < self.state.next {
            return;
        }
        self.state.next = 2 * pictures;
        let given: Vec<&str> = self.given.iter().map(String::as_str).collect();
        let rules =
            CoTagRules { layer_tags: STRONGEST, strongest: 0, min_lift: 1.0, ..CoTagRules::default() };
        let expansion = self.state.tags.expand(&given, &rules);
        let strongest: Vec<String> = expansion.joined().map(|tag| tag.tag.clone()).collect();
        self.promote(strongest, placing);
    }

    fn is_wanted(&self, group: GroupId) -> bool {
        self.state.wanted.iter().any(|tag| group_of(tag) == group)
    }
}

/// The group of lists with a name.
fn group_of(name: &str) -> GroupId {
    GroupId(xxh3_64(name.as_bytes()))
}

/// What a list is named: by the last part of its URL that is no number, else by its anchor.
fn name_of(page: &Page, link: &Link) -> Option<String> {
    let parts = link.url.path_and_query().rsplit(['/', '?', '=', '&']);
    let part = parts.take(2).find(|part| part.chars().any(char::is_alphabetic));
    let name = part.and_then(|part| folded(&part.replace(['+', '_', '-'], " ").replace("%20", " ")));
    name.or_else(|| folded(page.anchor(link)))
}

impl Policy for TagPages {
    fn name(&self) -> &'static str {
        "tag-pages"
    }

    fn on_page(&mut self, visit: &Visit<'_>, placing: &mut Placing) {
        let page = visit.page;
        let (cluster, page_type) =
            visit.reading.map(|reading| (reading.cluster, reading.page_type)).unwrap_or_default();
        self.leads.sight(cluster, page_type, page, &mut self.sighted);
        self.promote(self.given.clone(), placing);
        self.count(visit, placing);
        let is_wanted = self.is_wanted(visit.group);
        for (at, link) in page.links().iter().enumerate() {
            let is_more = link.url.path() == page.url().path() && link.url != *page.url();
            match self.sighted.leads.get(at).copied().flatten() {
                Some(PageType::Profile) => {}
                Some(PageType::Detail) if is_wanted => {
                    placing.add(at, HERE, LinkScore::new(THING), &[("tagged", THING)]);
                }
                Some(PageType::Detail) => {
                    placing.add(at, ELSEWHERE, LinkScore::new(LIST), &[("thing", LIST)])
                }
                lead => {
                    // the next page of a list is named by a number
                    let anchor = folded(page.anchor(link)).map(|anchor| group_of(&anchor));
                    let anchor = anchor.filter(|group| self.is_wanted(*group));
                    let group = if is_more && is_wanted {
                        visit.group
                    } else {
                        anchor.or_else(|| name_of(page, link).map(|name| group_of(&name))).unwrap_or(REST)
                    };
                    let own = if lead.is_none() || lead == Some(PageType::Other) { UNKNOWN } else { LIST };
                    let is_named = self.is_wanted(group);
                    let own = if is_named { LIST } else { own };
                    let worth = if is_named { 1.0 } else { own };
                    placing.add(
                        at,
                        group,
                        LinkScore::new(own),
                        &[(if is_named { "named" } else { "list" }, worth)],
                    );
                }
            }
        }
    }

    fn on_sitemap(&mut self, map: &SitemapVisit<'_>, placing: &mut Placing) {
        for link in 0..map.entries.len() {
            placing.add(link, REST, LinkScore::new(UNKNOWN), &[("list", UNKNOWN)]);
        }
    }

    fn explain(&self, link: &LinkFacts<'_>) -> String {
        match link.parts.first().map(|(name, _)| name.as_str()) {
            Some("named") => "a list named like a tag of the topic".to_owned(),
            _ if self.is_wanted(link.group) => "a list named like a tag that goes with the topic".to_owned(),
            Some("tagged") => "an item on a list of a tag of the topic".to_owned(),
            Some("thing") => "an item on another page".to_owned(),
            Some("list") => "a list or page of another name".to_owned(),
            _ => "a seed".to_owned(),
        }
    }

    fn snapshot(&self) -> Vec<u8> {
        let RoundState { tags, wanted, next } = &self.state;
        let sets: Vec<Vec<&str>> = tags.sets().collect();
        postcard::to_stdvec(&(sets, wanted, next)).unwrap_or_default()
    }

    fn restore(&mut self, snapshot: &[u8]) -> Result<(), RestoreError> {
        let (sets, wanted, next): (Vec<Vec<String>>, Vec<String>, u32) = postcard::from_bytes(snapshot)
            .map_err(|cause| RestoreError { policy: self.name(), cause: cause.to_string() })?;
        let mut tags = CoTags::default();
        for set in sets {
            tags.add(set);
        }
        self.state = RoundState { tags, wanted, next };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use osprey_model::{CanonicalUrl, UrlRules};
    use osprey_page::{Input, PageRules};

    use super::*;

    #[test]
    fn lists_have_names() {
        let check = |link: &str, expect: &str| {
            let url = CanonicalUrl::parse("http://a.example/", &UrlRules::default()).unwrap();
            let body = format!("<a href={link}>More of it</a>");
            let input = Input { url: &url, content_type: None, body: body.as_bytes() };
            let page = Page::parse(&input, &PageRules::default());
            assert_eq!(name_of(&page, &page.links()[0]).as_deref(), Some(expect), "{link}");
        };
        check("/tags/beach", "beach");
        check("/tags/beach/", "beach");
        check("/photos?tag=New+York", "new york");
        check("/tag/beach?page=2", "page");
        check("/tag/17", "tag");
        check("/17/4", "more of it");
    }
}
