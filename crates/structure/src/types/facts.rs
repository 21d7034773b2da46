//! Facts about the clusters of a site: what their pages contain, and which clusters link to each other.
//!
//! [`SiteFacts`] takes the pages of a sample one by one and keeps a small summary of each. When the clusters are known,
//! it computes [`ClusterFacts`]: means and shares over the pages of a cluster. Texts and links on most pages of the
//! site or of the cluster belong to the template and do not count. The destination of a link is known if it is in the
//! sample; otherwise it is predicted from other links of its cluster and Apath (Xu et al. 2018, equation 5). An anchor
//! names a page if it occurs in the page's title or headings and leads to few other pages.

use hashbrown::{HashMap, HashSet};
use osprey_model::CanonicalUrl;
use osprey_page::Page;
use serde::{Deserialize, Serialize};

use super::sighting::{Hints, Sighting};

/// A text or a link on at least this share of a site's pages belongs to the template.
const TEMPLATE_OF_SITE: f64 = 0.3;
/// The same of a cluster.
const TEMPLATE_OF_CLUSTER: f64 = 0.5;
/// Pages that must have a text besides: what is on three lists of a small site is not the template.
const FEWEST_FOR_TEXT: f64 = 4.0;
/// Pages of a small site that must have a link: every list of it may link to all items, and so may a third of its
/// pages. A site is small while its share would be fewer pages than these: up to 50 pages.
const FEWEST_FOR_LINK: f64 = 15.0;
/// The same for a link on a site with fewer pages than that.
const TEMPLATE_OF_SMALL_SITE: f64 = 0.9;
/// A text of at least this many characters is a paragraph.
const PARAGRAPH_CHARS: u32 = 80;
/// Pages that one anchor may lead to and still name them.
const MAX_NAMESAKES: usize = 3;

/// Facts about a cluster, means over its pages unless said otherwise.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClusterFacts {
    /// Its pages in the sample.
    pub pages: usize,
    /// Characters of text outside links, without the template's.
    pub own_chars: f64,
    /// Texts of at least 80 characters outside links, without the template's.
    pub paragraphs: f64,
    /// Texts outside links, without the template's.
    pub own_texts: f64,
    /// Share of the pages with a title or a heading that no other page of the cluster has.
    pub own_titles: f64,
    /// Characters of text in links.
    pub link_chars: f64,
    /// Pages that a page links to, by cluster, without the template's; the same length for all clusters of a site.
    pub links_to: Vec<f64>,
    /// Pages that a page links to and whose cluster is unknown.
    pub links_to_unknown: f64,
    /// Share of the pages that are one of a series: they link within their cluster by numbers or by `rel`.
    pub in_series: f64,
    /// Links that lead here from other pages of the sample, a mean.
    pub found_by: f64,
    /// Share of the pages that have such links.
    pub found: f64,
    /// Share of the pages that an anchor names.
    pub named: f64,
    /// Words of such names, a mean.
    pub name_words: f64,
    /// Share of the links here that wrap an image.
    pub by_image: f64,
    /// Share of the links here that are marked as leading to a person.
    pub by_person: f64,
    /// Share of the links here that are marked as leading to a tag or a category.
    pub by_subject: f64,
    /// Share of the pages that look like detail pages by themselves, to the tree of [`crate::drp`].
    pub looks_detail: f64,
}

/// The pages of a sample, as far as facts need them.
#[derive(Clone, Debug, Default)]
pub struct SiteFacts {
    pages: Vec<Sighting>,
}

impl SiteFacts {
    /// Takes a page of the sample; `asked` is the requested address, which differs from the page's own after a
    /// redirect.
    pub fn visited(&mut self, page: &Page, asked: &CanonicalUrl) {
        self.pages.push(Sighting::of(page, asked));
    }

    /// The facts of all clusters. `of_page` has the cluster of each page in the order of [`SiteFacts::visited`], below
    /// `clusters`; pages without one count for the site only.
    pub fn of_clusters(&self, of_page: &[Option<u32>], clusters: usize) -> Vec<ClusterFacts> {
        let site = Site::new(&self.pages, of_page, clusters);
        let mut facts: Vec<ClusterFacts> = (0..clusters).map(|cluster| site.holdings(cluster)).collect();
        site.note_links(&mut facts);
        facts
    }
}

/// A sample with its clusters, indexed.
struct Site<'a> {
    pages: &'a [Sighting],
    /// Cluster of each page.
    of_page: Vec<Option<usize>>,
    /// Pages of each cluster.
    members: Vec<Vec<usize>>,
    by_url: HashMap<u64, usize>,
    /// Links and texts of templates: of the site, and of each cluster.
    template: HashSet<u64>,
    templates: Vec<HashSet<u64>>,
}

impl<'a> Site<'a> {
    fn new(pages: &'a [Sighting], of_page: &[Option<u32>], clusters: usize) -> Self {
        let cluster_of = |page: usize| of_page.get(page).copied().flatten().map(|cluster| cluster as usize);
        let of_page: Vec<Option<usize>> =
            (0..pages.len()).map(|page| cluster_of(page).filter(|cluster| *cluster < clusters)).collect();
        let mut members = vec![Vec::new(); clusters];
        let mut by_url = HashMap::new();
        for (page, (sighting, cluster)) in pages.iter().zip(&of_page).enumerate() {
            if let Some(members) = cluster.and_then(|cluster| members.get_mut(cluster)) {
                members.push(page);
            }
            for url in sighting.urls {
                by_url.entry(url).or_insert(page);
            }
        }
        let all: Vec<usize> = (0..pages.len()).collect();
        let template = common(pages, &all, &Threshold::of_site(all.len()));
        let of_cluster =
            |members: &Vec<usize>| common(pages, members, &Threshold::of_cluster(members.len(), all.len()));
        let templates = members.iter().map(of_cluster).collect();
        Self { pages, of_page, members, by_url, template, templates }
    }

    fn is_template(&self, cluster: Option<usize>, key: u64) -> bool {
        let own = cluster.and_then(|cluster| self.templates.get(cluster));
        self.template.contains(&key) || own.is_some_and(|template| template.contains(&key))
    }

    /// Facts that the pages of a cluster tell by themselves.
    fn holdings(&self, cluster: usize) -> ClusterFacts {
        let members = self.members.get(cluster).map(Vec::as_slice).unwrap_or_default();
        let mut facts = ClusterFacts { pages: members.len(), ..ClusterFacts::default() };
        for sighting in members.iter().filter_map(|page| self.pages.get(*page)) {
            let own = sighting.texts.iter().filter(|(text, _)| !self.is_template(Some(cluster), *text));
            for (_, chars) in own {
                facts.own_chars += f64::from(*chars);
                facts.own_texts += 1.0;
                facts.paragraphs += f64::from(u8::from(*chars >= PARAGRAPH_CHARS));
            }
            facts.link_chars += sighting.link_chars as f64;
            facts.looks_detail += f64::from(u8::from(sighting.looks_detail));
        }
        let pages = members.len().max(1) as f64;
        facts.own_titles = self.own_titles(members) as f64;
        let sums = [
            &mut facts.own_chars,
            &mut facts.own_texts,
            &mut facts.own_titles,
            &mut facts.paragraphs,
            &mut facts.link_chars,
            &mut facts.looks_detail,
        ];
        sums.into_iter().for_each(|sum| *sum /= pages);
        facts
    }

    /// How many of some pages have a title or a heading that none of the others has.
    fn own_titles(&self, members: &[usize]) -> usize {
        let titles = |page: &usize| -> HashSet<u64> {
            self.pages.get(*page).map(|page| page.titles.iter().copied().collect()).unwrap_or_default()
        };
        let mut counts: HashMap<u64, usize> = HashMap::new();
        for title in members.iter().flat_map(titles) {
            *counts.entry(title).or_default() += 1;
        }
        let is_own = |title: &u64| counts.get(title) == Some(&1);
        members.iter().filter(|page| titles(page).iter().any(is_own)).count()
    }

    /// Facts from links: about the clusters that they start in, and those that they lead to.
    fn note_links(&self, facts: &mut [ClusterFacts]) {
        let namesakes = self.namesakes();
        let mut routes: HashMap<(usize, u64), Route> = HashMap::new();
        let mut finds: Vec<Find> = vec![Find::default(); self.pages.len()];
        for (page, sighting) in self.pages.iter().enumerate() {
            let from = self.cluster_of(page);
            let mut met: HashSet<u64> = HashSet::new();
            for link in &sighting.links {
                let end = self.by_url.get(&link.to).copied();
                if end == Some(page) || self.is_template(from, link.to) {
                    continue;
                }
                if let Some((end, find)) = end.and_then(|end| Some((end, finds.get_mut(end)?))) {
                    let is_name = self.is_name(link.anchor, end, &namesakes);
                    find.note(link.hints, is_name.then_some(link.words));
                }
                if let Some(from) = from.filter(|_| met.insert(link.to)) {
                    let to = end.and_then(|end| self.cluster_of(end));
                    routes.entry((from, link.apath)).or_default().note(to);
                }
            }
            if let Some(facts) = from.filter(|_| self.is_in_series(page)).and_then(|from| facts.get_mut(from))
            {
                facts.in_series += 1.0;
            }
        }
        self.spread(&routes, facts);
        self.collect(&finds, facts);
    }

    fn cluster_of(&self, page: usize) -> Option<usize> {
        self.of_page.get(page).copied().flatten()
    }

    /// Whether a page links within its cluster by numbers or by `rel`. Links of the template count here: pages of a
    /// series may all link to each other.
    fn is_in_series(&self, page: usize) -> bool {
        let own = self.cluster_of(page);
        let other = |to: u64| self.by_url.get(&to).copied().filter(|end| *end != page);
        let is_within = |to: u64| own.is_some() && other(to).is_some_and(|end| self.cluster_of(end) == own);
        let links = self.pages.get(page).map(|sighting| sighting.links.as_slice()).unwrap_or_default();
        links.iter().any(|link| link.hints.series && is_within(link.to))
    }

    /// Whether an anchor names the page that it leads to.
    fn is_name(&self, anchor: u64, end: usize, namesakes: &HashMap<u64, Vec<u64>>) -> bool {
        let few = namesakes.get(&anchor).is_none_or(|ends| ends.len() <= MAX_NAMESAKES);
        few && self.pages.get(end).is_some_and(|page| page.is_named(anchor))
    }

    /// The different destinations of each anchor, up to the number that matters.
    fn namesakes(&self) -> HashMap<u64, Vec<u64>> {
        let mut ends: HashMap<u64, Vec<u64>> = HashMap::new();
        for link in self.pages.iter().flat_map(|page| &page.links) {
            let ends = ends.entry(link.anchor).or_default();
            if ends.len() <= MAX_NAMESAKES && !ends.contains(&link.to) {
                ends.push(link.to);
            }
        }
        ends
    }

    /// Links with unknown destinations are distributed like the known ones of their Apath.
    fn spread(&self, routes: &HashMap<(usize, u64), Route>, facts: &mut [ClusterFacts]) {
        let clusters = facts.len();
        for facts in facts.iter_mut() {
            facts.links_to = vec![0.0; clusters];
            facts.in_series /= facts.pages.max(1) as f64;
        }
        // in a fixed order: sums of floating-point numbers depend on it
        let mut sorted: Vec<_> = routes.iter().collect();
        sorted.sort_unstable_by_key(|(key, _)| **key);
        for (&(from, _), route) in sorted {
            let Some(facts) = facts.get_mut(from) else { continue };
            let per_page = f64::from(route.links) / facts.pages.max(1) as f64;
            let known: u32 = route.ends.values().sum();
            if known == 0 {
                facts.links_to_unknown += per_page;
            }
            for (&to, &count) in &route.ends {
                if let Some(links) = facts.links_to.get_mut(to) {
                    *links += per_page * f64::from(count) / f64::from(known);
                }
            }
        }
    }

    /// Adds up how the pages of each cluster are found.
    fn collect(&self, finds: &[Find], facts: &mut [ClusterFacts]) {
        for (members, facts) in self.members.iter().zip(facts) {
            let found: Vec<&Find> =
                members.iter().filter_map(|page| finds.get(*page)).filter(|find| find.links > 0).collect();
            let links: u32 = found.iter().map(|find| find.links).sum();
            let names: u32 = found.iter().map(|find| find.names).sum();
            let share = |part: u32, whole: u32| f64::from(part) / f64::from(whole.max(1));
            let sum = |part: fn(&Find) -> u32| found.iter().map(|find| part(find)).sum::<u32>();
            let pages = |pages: usize| u32::try_from(pages).unwrap_or(u32::MAX);
            facts.found = share(pages(found.len()), pages(facts.pages));
            facts.found_by = share(links, pages(facts.pages));
            facts.named = share(sum(|find| find.names.min(1)), pages(facts.pages));
            facts.name_words = share(sum(|find| find.name_words), names);
            facts.by_image = share(sum(|find| find.images), links);
            facts.by_person = share(sum(|find| find.persons), links);
            facts.by_subject = share(sum(|find| find.subjects), links);
        }
    }
}

/// Links of one cluster and Apath.
#[derive(Clone, Debug, Default)]
struct Route {
    links: u32,
    /// Known ends by cluster.
    ends: std::collections::BTreeMap<usize, u32>,
}

impl Route {
    fn note(&mut self, to: Option<usize>) {
        self.links += 1;
        if let Some(to) = to {
            *self.ends.entry(to).or_default() += 1;
        }
    }
}

/// How a page was found.
#[derive(Clone, Debug, Default)]
struct Find {
    links: u32,
    names: u32,
    name_words: u32,
    images: u32,
    persons: u32,
    subjects: u32,
}

impl Find {
    /// One link more; `name` is the number of its words, if they name the page.
    fn note(&mut self, hints: Hints, name: Option<u8>) {
        self.links += 1;
        self.names += u32::from(name.is_some());
        self.name_words += name.map_or(0, u32::from);
        self.images += u32::from(hints.image);
        self.persons += u32::from(hints.person);
        self.subjects += u32::from(hints.subject);
    }
}

/// Pages that must have a text or a link for it to be of a template.
struct Threshold {
    text: f64,
    link: f64,
}

impl Threshold {
    fn of_site(pages: usize) -> Self {
        let pages = pages as f64;
        let text = (pages * TEMPLATE_OF_SITE).max(FEWEST_FOR_TEXT);
        Self { text, link: text.max((pages * TEMPLATE_OF_SMALL_SITE).min(FEWEST_FOR_LINK)) }
    }

    /// Of a cluster of so many pages, on a site of so many.
    fn of_cluster(pages: usize, site: usize) -> Self {
        let text = (pages as f64 * TEMPLATE_OF_CLUSTER).max(FEWEST_FOR_TEXT);
        let is_small = site as f64 * TEMPLATE_OF_SITE < FEWEST_FOR_LINK;
        Self { text, link: if is_small { text.max(FEWEST_FOR_LINK) } else { text } }
    }
}

/// Links and texts that enough of some pages have.
fn common(pages: &[Sighting], members: &[usize], least: &Threshold) -> HashSet<u64> {
    // key and whether it is a link, to number of pages and the last page that had it
    let mut counts: HashMap<(u64, bool), (u32, usize)> = HashMap::new();
    for &page in members {
        let Some(sighting) = pages.get(page) else { continue };
        let texts = sighting.texts.iter().map(|(text, _)| (*text, false));
        for key in texts.chain(sighting.links.iter().map(|link| (link.to, true))) {
            let (count, last) = counts.entry(key).or_insert((0, usize::MAX));
            *count += u32::from(*last != page);
            *last = page;
        }
    }
    let least = |is_link: bool| if is_link { least.link } else { least.text };
    let is_common =
        |&((_, is_link), (count, _)): &((u64, bool), (u32, usize))| f64::from(count) >= least(is_link);
    counts.into_iter().filter(is_common).map(|((key, _), _)| key).collect()
}

#[cfg(test)]
mod tests {
    use osprey_model::UrlRules;
    use osprey_page::{Input, PageRules};

    use super::*;

    const LIST: u32 = 0;
    const DETAIL: u32 = 1;
    const PROFILE: u32 = 2;

    /// Three lists, four photos and four people; the fourth photo and person are not in the sample.
    fn site() -> Vec<(String, String, Option<u32>)> {
        let nav = "<p><a href=/help>Help</a> all about photos</p>";
        let mut pages = Vec::new();
        for list in 1..=3 {
            let card = |n: usize| {
                format!(
                    "<li><a href=/d{n}><img src=/i{n}.jpg></a><b class=author><a href=/u{n}>user{n}</a></b>"
                )
            };
            let cards: String = (1..=4).map(card).collect();
            let next = format!("<a href=/l{}>{}</a>", list % 3 + 1, list % 3 + 1);
            pages.push((format!("/l{list}"), format!("{nav}<ul>{cards}</ul>{next}"), Some(LIST)));
        }
        for n in 1..=3 {
            let text = "a paragraph that is not a short one ".repeat(3);
            let body = format!("{nav}<h1>Photo {n}</h1><p>{text}{n}</p><i><a href=/u{n}>user{n}</a></i>");
            pages.push((format!("/d{n}"), body, Some(DETAIL)));
            pages.push((format!("/u{n}"), format!("{nav}<title>user{n}</title><p>Hi</p>"), Some(PROFILE)));
        }
        // pages in no cluster count for the template
        pages.extend((0..10).map(|n| (format!("/help{n}"), nav.to_owned(), None)));
        pages
    }

    fn facts() -> Vec<ClusterFacts> {
        let mut site_facts = SiteFacts::default();
        let site = site();
        for (path, body, _) in &site {
            let url =
                CanonicalUrl::parse(&format!("http://e.com{path}"), &UrlRules::default()).expect("a URL");
            let input = Input { url: &url, content_type: None, body: body.as_bytes() };
            site_facts.visited(&Page::parse(&input, &PageRules::default()), &url);
        }
        let clusters: Vec<Option<u32>> = site.iter().map(|(_, _, cluster)| *cluster).collect();
        site_facts.of_clusters(&clusters, 3)
    }

    fn check(found: f64, expect: f64) {
        assert!((found - expect).abs() < 1e-9, "{found} instead of {expect}");
    }

    #[test]
    fn what_pages_hold() {
        let facts = facts();
        assert_eq!(facts.iter().map(|facts| facts.pages).collect::<Vec<_>>(), [3, 3, 3]);
        // `all about photos` is on every page
        check(facts[0].own_chars, 0.0);
        // `Photo 1`, 36 * 3 + 1 characters
        check(facts[1].own_chars, 7.0 + 109.0);
        check(facts[1].paragraphs, 1.0);
        // the title, and `Hi`
        check(facts[2].own_chars, 5.0 + 2.0);
        check(facts[2].link_chars, 4.0);
    }

    /// Of a list's four photos three are known to be photos, and all links to photos have one Apath.
    #[test]
    fn links_between_clusters_are_counted() {
        let facts = facts();
        check(facts[0].links_to[1], 4.0);
        check(facts[0].links_to[2], 4.0);
        check(facts[0].links_to[0], 1.0);
        check(facts[1].links_to[2], 1.0);
        check(facts[1].links_to[0], 0.0);
        check(facts[2].links_to.iter().sum(), 0.0);
        check(facts[0].in_series, 1.0);
        check(facts[1].in_series, 0.0);
    }

    #[test]
    fn how_pages_are_found() {
        let facts = facts();
        check(facts[1].found, 1.0);
        check(facts[1].found_by, 3.0);
        check(facts[1].by_image, 1.0);
        check(facts[1].named, 0.0);
        // three lists say author, the photo's page does not
        check(facts[2].found_by, 4.0);
        check(facts[2].by_person, 0.75);
        check(facts[2].named, 1.0);
        check(facts[2].name_words, 1.0);
    }

    #[test]
    fn what_is_of_a_template() {
        let check = |threshold: Threshold, text: f64, link: f64| {
            self::check(threshold.text, text);
            self::check(threshold.link, link);
        };
        check(Threshold::of_site(4), 4.0, 4.0);
        check(Threshold::of_site(10), 4.0, 9.0);
        check(Threshold::of_site(26), 7.8, 15.0);
        check(Threshold::of_site(100), 30.0, 30.0);
        check(Threshold::of_cluster(6, 26), 4.0, 15.0);
        check(Threshold::of_cluster(6, 100), 4.0, 4.0);
        check(Threshold::of_cluster(100, 900), 50.0, 50.0);
    }

    #[test]
    fn an_empty_sample_has_no_facts() {
        assert_eq!(SiteFacts::default().of_clusters(&[], 0), []);
        assert_eq!(SiteFacts::default().of_clusters(&[Some(7)], 1)[0].pages, 0);
    }
}
