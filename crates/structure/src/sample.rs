//! Which pages to look at: one link of every kind that a page has, not all of them (seed 001, section 4.1).
//!
//! The sampler is told of pages and asked for the next link; it fetches nothing. Of each Apath of a page one link, drawn
//! by lot among those that are not known yet, joins the queue; the others are remembered. When the queue is empty before
//! enough pages were seen, remembered links follow, those of the Apath with the fewest samples first. What is remembered
//! is bounded; links past the bound are forgotten, as there are enough of their kind.

use std::collections::{BTreeMap, VecDeque};

use hashbrown::HashSet;
use osprey_model::{CanonicalUrl, HostKey};
use osprey_page::Page;

/// Links remembered of one Apath.
const MAX_OF_APATH: usize = 1_000;
/// Apaths that are remembered.
const MAX_APATHS: usize = 10_000;
/// URLs in the queue.
const MAX_QUEUE: usize = 100_000;

/// Links of one Apath, over all pages.
#[derive(Clone, Debug, Default)]
struct Kind {
    /// How often a link of this kind was queued.
    samples: usize,
    rest: Vec<CanonicalUrl>,
}

/// Chooses the pages of a sample.
#[derive(Clone, Debug)]
pub struct Sampler {
    lots: u64,
    host: HostKey,
    queue: VecDeque<CanonicalUrl>,
    /// Fingerprints of URLs that were queued.
    known: HashSet<u64>,
    kinds: BTreeMap<u64, Kind>,
}

impl Sampler {
    /// A sampler of the site of `start`. The same seed and the same pages give the same sample.
    pub fn new(start: CanonicalUrl, seed: u64) -> Self {
        let host = start.host_key();
        let known = HashSet::from_iter([start.fingerprint()]);
        Self { lots: seed, host, queue: VecDeque::from([start]), known, kinds: BTreeMap::new() }
    }

    /// The page to fetch next; `None` when no link is left.
    pub fn next_url(&mut self) -> Option<CanonicalUrl> {
        self.queue.pop_front().or_else(|| self.recall())
    }

    /// Takes the links of a page.
    pub fn visited(&mut self, page: &Page) {
        self.known.insert(page.url().fingerprint());
        self.visited_links(page.links().iter().map(|link| (page.apath_key(link.apath), link.url.clone())));
    }

    /// The same with links as Apath key and URL. Links out of the site are ignored.
    pub fn visited_links(&mut self, links: impl IntoIterator<Item = (u64, CanonicalUrl)>) {
        let mut by_apath: BTreeMap<u64, Vec<CanonicalUrl>> = BTreeMap::new();
        for (apath, url) in links {
            if url.host_key() == self.host && !self.known.contains(&url.fingerprint()) {
                by_apath.entry(apath).or_default().push(url);
            }
        }
        for (apath, mut urls) in by_apath {
            // An earlier Apath of this page may have taken the same URL.
            urls.retain(|url| !self.known.contains(&url.fingerprint()));
            let chosen = self.draw(urls.len()).map(|lot| urls.swap_remove(lot));
            if self.kinds.len() >= MAX_APATHS && !self.kinds.contains_key(&apath) {
                self.enqueue(chosen);
                continue;
            }
            let kind = self.kinds.entry(apath).or_default();
            kind.samples += usize::from(chosen.is_some());
            let room = MAX_OF_APATH.saturating_sub(kind.rest.len());
            kind.rest.extend(urls.into_iter().take(room));
            self.enqueue(chosen);
        }
    }

    fn enqueue(&mut self, url: Option<CanonicalUrl>) {
        let room = self.queue.len() < MAX_QUEUE;
        if let Some(url) = url.filter(|_| room) {
            self.known.insert(url.fingerprint());
            self.queue.push_back(url);
        }
    }

    /// A remembered link of the Apath that has the fewest samples.
    fn recall(&mut self) -> Option<CanonicalUrl> {
        loop {
            let waiting = self.kinds.iter().filter(|(_, kind)| !kind.rest.is_empty());
            let (&apath, kind) = waiting.min_by_key(|(_, kind)| kind.samples)?;
            let lot = self.draw(kind.rest.len())?;
            let kind = self.kinds.get_mut(&apath)?;
            let url = kind.rest.swap_remove(lot);
            if self.known.insert(url.fingerprint()) {
                kind.samples += 1;
                return Some(url);
            }
        }
    }

    /// A number below `n`, by splitmix64; `None` if `n` is 0.
    fn draw(&mut self, n: usize) -> Option<usize> {
        if n == 0 {
            return None;
        }
        self.lots = self.lots.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.lots;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        Some(((u128::from(z) * n as u128) >> 64) as usize)
    }
}

#[cfg(test)]
mod tests {
    use osprey_model::UrlRules;

    use super::*;

    fn url(path: &str) -> CanonicalUrl {
        let base = CanonicalUrl::parse("http://example.com/", &UrlRules::default()).expect("a URL");
        base.join(path, &UrlRules::default()).expect("a URL")
    }

    fn links(apath: u64, paths: &[&str]) -> Vec<(u64, CanonicalUrl)> {
        paths.iter().map(|path| (apath, url(path))).collect()
    }

    fn all(sampler: &mut Sampler) -> Vec<String> {
        std::iter::from_fn(|| sampler.next_url()).map(|url| url.path().to_owned()).collect()
    }

    #[test]
    fn one_of_each_kind_then_the_rest() {
        let mut sampler = Sampler::new(url("/"), 1);
        assert_eq!(sampler.next_url(), Some(url("/")));
        let threads = ["/t1", "/t2", "/t3", "/t4", "/t5"];
        let mut page = links(1, &threads);
        page.extend(links(2, &["/u1", "/u2"]));
        page.extend(links(3, &["/", "http://example.org/"]));
        sampler.visited_links(page);
        let seen = all(&mut sampler);
        assert_eq!(seen.len(), 7, "{seen:?}");
        assert!(threads.contains(&seen[0].as_str()) && seen[1].starts_with("/u"), "{seen:?}");
        // One sample each so far: a thread (the lower Apath), a profile, and from there only threads.
        assert!(seen[2].starts_with("/t") && seen[3].starts_with("/u"), "{seen:?}");
        let mut sorted = seen.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), 7, "no page twice: {seen:?}");
    }

    #[test]
    fn a_seed_decides() {
        let run = |seed: u64| {
            let mut sampler = Sampler::new(url("/"), seed);
            let paths: Vec<String> = (0..100).map(|i| format!("/{i}")).collect();
            sampler.visited_links(paths.iter().map(|path| (1, url(path))));
            all(&mut sampler)
        };
        assert_eq!(run(5), run(5));
        assert_ne!(run(5), run(6));
        assert_eq!(run(5).len(), 101);
    }
}
