//! Labels clusters as list, detail, profile or other, by their structure.
//!
//! Every fact that supports a label is a [`Reason`] with a weight. The label with the largest sum wins, and its reasons
//! are reported as text. The weights are a few round numbers instead of a trained model: there are too few labelled
//! sites to train without overfitting to them, and a user can see why a label was chosen. The reasons:
//!
//! - a **list** has little text beside its links, has many links into one page type, is part of a numbered series, is
//!   reached by links marked as tags or categories, or repeats a paragraph for every item that it links to;
//! - a **detail** page has paragraphs, is linked by titles of several words, or by pictures;
//! - a **profile** is reached by links marked as people, or is linked by a short name that its title repeats, and has
//!   text under that name;
//! - **other** is a page with almost no content, a dead end, or a page that only the template links to.
//!
//! If links to a cluster are missing, because the template has them all or the sample is small, the content of its
//! pages decides; then a tree for single pages ([`crate::drp`]) counts as well.
//!
//! Two things are looked at over the whole site. If hardly any page of the sample is linked from another, missing links
//! mean nothing: somebody gave a list of addresses. And if nothing on a site is a detail page, what links call by short
//! names (restaurants, players, schools) is what the site is about, not who wrote there, unless marks of people say so.
//!
//! Limits: subpages of profiles ("all photos of Ann") look like lists and are labelled as lists; pages about shows,
//! teams or groups can be seen as profiles, details or lists.

use serde::{Deserialize, Serialize};

use super::facts::ClusterFacts;
use osprey_model::PageType;

/// A label for a cluster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Label {
    /// The type that its pages seem to have.
    pub page_type: PageType,
    /// How much the reasons for it outweigh those for the others: 0.25 without any reason, up to 1.
    pub confidence: f64,
    /// The reasons in words, the weightiest first.
    pub evidence: Vec<String>,
}

/// Labels the clusters of a site. The clusters must be all of the site's: their links to each other count.
pub fn label(clusters: &[ClusterFacts]) -> Vec<Label> {
    let mut reasons: Vec<Vec<Reason>> =
        (0..clusters.len()).map(|cluster| reasons(clusters, cluster)).collect();
    let mut decided: Vec<(PageType, f64)> = reasons.iter().map(|reasons| decide(reasons)).collect();
    if !decided.iter().any(|(page_type, _)| *page_type == PageType::Detail) {
        for (facts, reasons) in clusters.iter().zip(&mut reasons) {
            subjects_are_details(facts, reasons);
        }
        decided = reasons.iter().map(|reasons| decide(reasons)).collect();
    }
    let types: Vec<PageType> = decided.iter().map(|(page_type, _)| *page_type).collect();
    let told = |(mut reasons, (page_type, confidence)): (Vec<Reason>, (PageType, f64))| {
        reasons.retain(|reason| reason.speaks_for == page_type);
        reasons.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        let evidence = reasons.iter().map(|reason| reason.seen.words(&types)).collect();
        Label { page_type, confidence, evidence }
    };
    reasons.into_iter().zip(decided).map(told).collect()
}

/// What would make a page a person's makes it a detail page, unless links to it are marked as leading to people.
fn subjects_are_details(facts: &ClusterFacts, reasons: &mut [Reason]) {
    if facts.by_person < MARKED_AS_PERSON {
        let profile = reasons.iter_mut().filter(|reason| reason.speaks_for == PageType::Profile);
        profile.for_each(|reason| reason.speaks_for = PageType::Detail);
    }
}

/// The share of the pages of a sample that other pages of it link to.
fn linked_share(clusters: &[ClusterFacts]) -> f64 {
    let pages: usize = clusters.iter().map(|facts| facts.pages).sum();
    let found: f64 = clusters.iter().map(|facts| facts.found * facts.pages as f64).sum();
    found / pages.max(1) as f64
}

/// Evidence for a label.
#[derive(Clone, Debug)]
struct Reason {
    speaks_for: PageType,
    weight: f64,
    seen: Observation,
}

/// What was observed of a cluster.
#[derive(Clone, Copy, Debug)]
enum Observation {
    NextToNothing,
    DeadEnd,
    OnlyInTemplate,
    LooksDetail { share: f64 },
    LittleText { chars: f64, links: f64 },
    LinksInto { cluster: usize, links: f64 },
    Series { share: f64 },
    BySubject { share: f64 },
    Excerpts { cluster: usize, links: f64, paragraphs: f64 },
    Nameless,
    Paragraphs { paragraphs: f64 },
    TitledLinks { words: f64, share: f64 },
    ByImage { share: f64 },
    ByPerson { share: f64 },
    NamedLinks { words: f64, share: f64 },
    AboutTheName { chars: f64 },
    Entry { texts: f64 },
}

/// How far a value is between `none` and `all`, from 0 to 1.
fn ramp(value: f64, none: f64, all: f64) -> f64 {
    ((value - none) / (all - none)).clamp(0.0, 1.0)
}

/// A name with at least this many words is a title rather than the name of a person or a tag.
const TITLE_WORDS: f64 = 2.75;
/// The share of links marked as leading to a person that says so.
const MARKED_AS_PERSON: f64 = 0.05;

impl ClusterFacts {
    /// Links to other kinds of page: links to related pages and series say nothing about a page's type.
    fn links_elsewhere(&self, own: usize) -> f64 {
        let others = self.links_to.iter().enumerate().filter(|(cluster, _)| *cluster != own);
        self.links_to_unknown + others.map(|(_, links)| links).sum::<f64>()
    }

    /// The cluster of items that its pages have the most links into, the first of equals.
    fn most_items(&self, clusters: &[Self], own: usize) -> Option<(usize, f64)> {
        let is_item = |cluster: usize| clusters.get(cluster).is_some_and(Self::is_item);
        self.most_linked(|cluster| cluster != own && is_item(cluster))
    }

    /// The cluster that its pages have the most links into, of those that count; the first of equals.
    fn most_linked(&self, counts: impl Fn(usize) -> bool) -> Option<(usize, f64)> {
        let counted = self.links_to.iter().copied().enumerate().filter(|(cluster, _)| counts(*cluster));
        counted.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
    }

    /// How much is missing of links that would tell what its pages are, from 0 to 1.
    fn unlinked(&self) -> f64 {
        ramp(0.6 - self.found, 0.0, 0.3)
    }

    /// How much its pages are entries, from 0 to 1: each has a title and a few texts of its own, and a link that names
    /// it, as far as links are known.
    fn is_entry(&self, linked: f64) -> f64 {
        let named = f64::max(ramp(self.named, 0.2, 0.6), 1.0 - ramp(linked, 0.1, 0.4));
        ramp(self.own_texts, 1.0, 3.0) * ramp(self.own_titles, 0.3, 0.7) * named
    }

    /// Whether links to its pages bear titles or pictures: what a list would show.
    fn is_announced(&self) -> bool {
        (self.named >= 0.5 && self.name_words >= TITLE_WORDS) || self.by_image >= 0.3
    }

    /// Whether its pages are what a list shows: links announce them, or links are missing and the pages look so.
    fn is_item(&self) -> bool {
        self.is_announced() || (self.unlinked() > 0.0 && self.looks_detail >= 0.5)
    }
}

fn reasons(clusters: &[ClusterFacts], own: usize) -> Vec<Reason> {
    let Some(facts) = clusters.get(own) else { return Vec::new() };
    let mut reasons = Vec::new();
    let mut add = |speaks_for: PageType, weight: f64, seen: Observation| {
        if weight > 0.0 {
            reasons.push(Reason { speaks_for, weight, seen });
        }
    };
    let linked = linked_share(clusters);
    for_other(clusters, facts, own, linked, &mut add);
    for_list(clusters, facts, own, &mut add);
    for_detail(facts, own, linked, &mut add);
    for_profile(facts, own, &mut add);
    reasons
}

type Add<'a> = dyn FnMut(PageType, f64, Observation) + 'a;

fn for_other(clusters: &[ClusterFacts], facts: &ClusterFacts, own: usize, linked: f64, add: &mut Add<'_>) {
    let links = facts.links_elsewhere(own);
    let is_none = 1.0 - facts.is_entry(linked);
    add(
        PageType::Other,
        4.0 * is_none * ramp(200.0 - facts.own_chars, 0.0, 100.0) * ramp(4.0 - links, 0.0, 2.0),
        Observation::NextToNothing,
    );
    add(PageType::Other, 1.5 * is_none * ramp(1.0 - links, 0.0, 0.5), Observation::DeadEnd);
    let text = ramp(facts.paragraphs, 0.5, 1.0);
    // a page of rules may name people, but shows no items
    let leads_on = ramp(facts.most_items(clusters, own).map_or(0.0, |(_, links)| links), 2.0, 4.0);
    let unlinked = facts.unlinked() * ramp(linked, 0.1, 0.4);
    add(PageType::Other, 4.0 * text * unlinked * (1.0 - leads_on), Observation::OnlyInTemplate);
}

fn for_list(clusters: &[ClusterFacts], facts: &ClusterFacts, own: usize, add: &mut Add<'_>) {
    let links = facts.links_elsewhere(own);
    let chars = facts.own_chars;
    if links >= 2.0 {
        // a paragraph of its own makes a page more than its links
        let weight = 2.0 - ramp(facts.paragraphs, 0.2, 0.6);
        add(
            PageType::List,
            weight * ramp(40.0 - chars / links, 0.0, 20.0),
            Observation::LittleText { chars, links },
        );
    }
    if let Some((cluster, links)) = facts.most_linked(|cluster| cluster != own) {
        add(PageType::List, ramp(links, 2.0, 8.0), Observation::LinksInto { cluster, links });
    }
    if let Some((cluster, links)) = facts.most_items(clusters, own) {
        let paragraphs = facts.paragraphs;
        let fits = links >= 1.5 && (0.5..=2.0).contains(&(paragraphs / links)) && !facts.is_item();
        add(
            PageType::List,
            if fits { 2.5 } else { 0.0 },
            Observation::Excerpts { cluster, links, paragraphs },
        );
    }
    add(PageType::List, ramp(facts.in_series, 0.0, 0.5), Observation::Series { share: facts.in_series });
    add(
        PageType::List,
        2.5 * ramp(facts.by_subject, 0.0, 0.3),
        Observation::BySubject { share: facts.by_subject },
    );
    add(
        PageType::List,
        0.5 * ramp(0.2 - facts.named, 0.0, 0.2) * ramp(links, 2.0, 4.0),
        Observation::Nameless,
    );
}

fn for_detail(facts: &ClusterFacts, own: usize, linked: f64, add: &mut Add<'_>) {
    let elsewhere = facts.links_elsewhere(own);
    // many links make a list, whatever its title
    let entry = facts.is_entry(linked) * ramp(facts.own_texts - elsewhere, -10.0, 0.0);
    add(PageType::Detail, 0.75 * entry, Observation::Entry { texts: facts.own_texts });
    let per_link = facts.own_chars / facts.links_elsewhere(own).max(1.0);
    let text = ramp(facts.paragraphs, 0.2, 1.5) * ramp(per_link, 5.0, 30.0);
    add(PageType::Detail, 2.5 * text, Observation::Paragraphs { paragraphs: facts.paragraphs });
    let titled = ramp(facts.name_words, TITLE_WORDS - 0.25, TITLE_WORDS + 0.25) * ramp(facts.named, 0.1, 0.4);
    let seen = Observation::TitledLinks { words: facts.name_words, share: facts.named };
    add(PageType::Detail, 1.5 * titled, seen);
    let seen = Observation::LooksDetail { share: facts.looks_detail };
    add(PageType::Detail, 1.5 * ramp(facts.looks_detail, 0.5, 0.9) * facts.unlinked(), seen);
    add(
        PageType::Detail,
        1.5 * ramp(facts.by_image, 0.25, 0.5),
        Observation::ByImage { share: facts.by_image },
    );
}

fn for_profile(facts: &ClusterFacts, own: usize, add: &mut Add<'_>) {
    let named = ramp(facts.named, 0.0, 0.3);
    // what is near a person's name but is not called by it is a subpage, or a button
    let weight = 3.0 * ramp(facts.by_person, 0.05, 0.3) * (0.3 + 0.7 * named);
    add(PageType::Profile, weight, Observation::ByPerson { share: facts.by_person });
    let short = ramp(TITLE_WORDS + 0.25 - facts.name_words, 0.0, 0.5);
    let seen = Observation::NamedLinks { words: facts.name_words, share: facts.named };
    add(PageType::Profile, short * named, seen);
    let about = ramp(facts.paragraphs, 0.2, 0.5) * (1.0 - ramp(facts.by_subject, 0.0, 0.2));
    // a person has made something: the page leads there
    let weight =
        2.0 * short * ramp(facts.named, 0.2, 0.6) * about * ramp(facts.links_elsewhere(own), 2.0, 4.0);
    add(PageType::Profile, weight, Observation::AboutTheName { chars: facts.own_chars });
}

/// The label with the most weight, the earlier of equals, and how sure that is.
fn decide(reasons: &[Reason]) -> (PageType, f64) {
    let score = |page_type: PageType| -> f64 {
        reasons.iter().filter(|reason| reason.speaks_for == page_type).map(|reason| reason.weight).sum()
    };
    let scores = PageType::ALL.map(|page_type| (page_type, score(page_type)));
    let mut best = (PageType::Other, 0.0);
    for (page_type, score) in scores {
        if score > best.1 {
            best = (page_type, score);
        }
    }
    let all: f64 = scores.iter().map(|(_, score)| (score - best.1).exp()).sum();
    (best.0, 1.0 / all)
}

impl Observation {
    fn words(self, types: &[PageType]) -> String {
        let pages = |cluster: usize| types.get(cluster).copied().unwrap_or_default();
        let percent = |share: f64| (100.0 * share).round();
        match self {
            Self::NextToNothing => "next to no text and no links of its own".to_owned(),
            Self::DeadEnd => "links to nothing that the template does not link to".to_owned(),
            Self::OnlyInTemplate => "linked from the template only".to_owned(),
            Self::LooksDetail { share } => {
                format!("{:.0} % of its pages look like detail pages by themselves", percent(share))
            }
            Self::LittleText { chars, links } => {
                format!("{chars:.0} characters of its own text beside {links:.0} links")
            }
            Self::LinksInto { cluster, links } => {
                format!("{links:.1} links per page into {} pages (cluster {cluster})", pages(cluster))
            }
            Self::Series { share } => format!("{:.0} % of its pages link on by numbers", percent(share)),
            Self::BySubject { share } => {
                format!("{:.0} % of the links to it are marked as tags or categories", percent(share))
            }
            Self::Excerpts { cluster, links, paragraphs } => {
                format!(
                    "{paragraphs:.1} paragraphs beside {links:.1} links into {} pages (cluster {cluster})",
                    pages(cluster)
                )
            }
            Self::Nameless => "links to it do not name its pages".to_owned(),
            Self::Paragraphs { paragraphs } => format!("{paragraphs:.1} paragraphs of its own per page"),
            Self::TitledLinks { words, share } => {
                format!("links name {:.0} % of its pages by titles of {words:.1} words", percent(share))
            }
            Self::ByImage { share } => format!("{:.0} % of the links to it wrap an image", percent(share)),
            Self::ByPerson { share } => {
                format!("{:.0} % of the links to it are marked as people", percent(share))
            }
            Self::NamedLinks { words, share } => {
                format!("links name {:.0} % of its pages by names of {words:.1} words", percent(share))
            }
            Self::Entry { texts } => format!("a title and {texts:.0} texts of its own on each page"),
            Self::AboutTheName { chars } => {
                format!("{chars:.0} characters of text under the name that links call it by")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A photo site by round numbers: lists, photos, people, login forms, house rules.
    fn site() -> Vec<ClusterFacts> {
        let found = ClusterFacts { pages: 10, found: 1.0, found_by: 5.0, ..ClusterFacts::default() };
        vec![
            ClusterFacts {
                own_chars: 100.0,
                links_to: vec![2.0, 20.0, 15.0, 0.0, 0.0],
                in_series: 0.8,
                ..found.clone()
            },
            ClusterFacts {
                own_chars: 900.0,
                paragraphs: 3.0,
                links_to: vec![10.0, 2.0, 5.0, 0.0, 0.0],
                named: 0.9,
                name_words: 4.0,
                by_image: 0.6,
                ..found.clone()
            },
            ClusterFacts {
                own_chars: 500.0,
                paragraphs: 1.0,
                links_to: vec![5.0, 8.0, 6.0, 0.0, 0.0],
                named: 0.9,
                name_words: 1.5,
                by_person: 0.8,
                ..found.clone()
            },
            ClusterFacts { own_chars: 20.0, links_to: vec![0.0; 5], ..found.clone() },
            ClusterFacts { own_chars: 3000.0, paragraphs: 8.0, links_to: vec![0.0; 5], found: 0.1, ..found },
        ]
    }

    fn types(clusters: &[ClusterFacts]) -> Vec<PageType> {
        label(clusters).iter().map(|label| label.page_type).collect()
    }

    #[test]
    fn a_photo_site_is_labelled() {
        let expect = [PageType::List, PageType::Detail, PageType::Profile, PageType::Other, PageType::Other];
        assert_eq!(types(&site()), expect);
        let labels = label(&site());
        assert_eq!(
            labels[0].evidence,
            [
                "100 characters of its own text beside 35 links",
                "20.0 links per page into detail pages (cluster 1)",
                "80 % of its pages link on by numbers",
                "links to it do not name its pages",
            ]
        );
        assert!(labels.iter().all(|label| label.confidence > 0.5 && label.confidence <= 1.0), "{labels:?}");
    }

    /// Without words that mark people: a short name and some text about the person.
    #[test]
    fn a_profile_is_known_without_marks() {
        let mut site = site();
        site[2].by_person = 0.0;
        assert_eq!(types(&site)[2], PageType::Profile);
        // the same under the marks of a tag
        site[2].by_subject = 0.9;
        assert_eq!(types(&site)[2], PageType::List);
    }

    #[test]
    fn a_list_of_excerpts_is_a_list() {
        let mut site = site();
        site[0] = ClusterFacts { own_chars: 6000.0, paragraphs: 20.0, in_series: 0.0, ..site[0].clone() };
        assert_eq!(types(&site)[0], PageType::List);
        // text that is unrelated to the items
        site[0] = ClusterFacts { own_chars: 9000.0, paragraphs: 90.0, ..site[0].clone() };
        assert_eq!(types(&site)[0], PageType::Detail);
    }

    /// Archives of months: only the sidebar links to them, but each shows its posts.
    #[test]
    fn a_list_that_only_the_template_links_to_is_a_list() {
        let mut site = site();
        let held =
            ClusterFacts { own_chars: 6000.0, paragraphs: 10.0, found: 0.0, ..ClusterFacts::default() };
        site[4] = ClusterFacts { pages: 10, links_to: vec![0.0, 9.0, 0.0, 0.0, 0.0], ..held.clone() };
        assert_eq!(types(&site)[4], PageType::List);
        // of the photos few are found by links, but they look like what they are
        let few = ClusterFacts { found: 0.4, named: 0.3, by_image: 0.0, ..site[1].clone() };
        site[1] = ClusterFacts { looks_detail: 0.7, ..few };
        assert_eq!(types(&site)[4], PageType::List);
        // house rules that name a photo or two
        site[4] = ClusterFacts { pages: 10, links_to: vec![0.0, 2.0, 0.0, 0.0, 0.0], ..held };
        assert_eq!(types(&site)[4], PageType::Other);
    }

    #[test]
    fn single_pages_count_where_links_are_missing() {
        let check = |found: f64, looks_detail: f64, expect: PageType| {
            let mut site = site();
            let links_to = vec![5.0, 0.0, 0.0, 0.0, 0.0];
            let held =
                ClusterFacts { own_chars: 400.0, paragraphs: 0.6, links_to, ..ClusterFacts::default() };
            site[1] = ClusterFacts { pages: 10, found, looks_detail, ..held };
            assert_eq!(types(&site)[1], expect, "{found} {looks_detail}");
        };
        check(0.0, 1.0, PageType::Detail);
        check(0.0, 0.0, PageType::List);
        check(1.0, 1.0, PageType::List);
    }

    #[test]
    fn without_reasons_there_is_no_label() {
        let check = |clusters: &[ClusterFacts], expect: &[PageType]| assert_eq!(types(clusters), expect);
        check(&[], &[]);
        check(&[ClusterFacts::default()], &[PageType::Other]);
        assert!((decide(&[]).1 - 0.25).abs() < 1e-9);
    }
}
