//! Visits as a policy receives them, and policies with everything they need.

use std::collections::BTreeMap;
use std::sync::Arc;

use osprey_model::{GroupId, LinkId};
use osprey_page::Page;
use osprey_steer::{Example, FreshLinks, Judgement, Known, Op, Placing, Policy, PolicyKind, Subject, Visit};
use osprey_structure::site::ExtractRules;
use osprey_structure::{Learner, Reading, Recipe, Site};
use osprey_text::PageWords;
use rustc_hash::FxHashMap;

/// A page and what page workers made of it.
pub(crate) struct Read {
    pub(crate) page: Page,
    pub(crate) words: PageWords,
    pub(crate) reading: Reading,
}

impl Read {
    pub(crate) fn new(page: Page, site: &Site) -> Self {
        let (words, reading) = (PageWords::default(), site.read(&page));
        words.of(&page);
        Self { page, words, reading }
    }
}

/// A site learned from some of its pages.
pub(crate) fn learn<'p>(pages: impl Iterator<Item = &'p Page>) -> Arc<Site> {
    let mut learner = Learner::default();
    pages.for_each(|page| learner.visited(page, page.url()));
    let model = learner.finish(&Recipe::Osprey);
    let sitemap = model.sitemap();
    #[expect(clippy::unwrap_used, reason = "a bench may panic: the sitemap is the model's own")]
    Arc::new(Site::new(model, sitemap, &ExtractRules::default()).unwrap())
}

/// Every policy that can be had, by its name: three pages of the first kind of page that has as many are wanted, three
/// of others are not.
pub(crate) fn policies(site: &Arc<Site>, pages: &[Read], subject: &Subject) -> Vec<Steered> {
    let is_of = |read: &&Read, cluster| read.reading.cluster == cluster;
    let wanted = pages
        .iter()
        .map(|read| read.reading.cluster)
        .find(|cluster| cluster.is_some() && pages.iter().filter(|read| is_of(read, *cluster)).count() >= 3);
    let wanted = wanted.flatten();
    let example = |read: &Read, is_wanted: bool| Example { page: Arc::new(read.page.clone()), is_wanted };
    let liked = pages.iter().filter(|read| is_of(read, wanted)).take(3).map(|read| example(read, true));
    let others = pages.iter().filter(|read| !is_of(read, wanted)).take(3).map(|read| example(read, false));
    let known =
        Known { site: Some(Arc::clone(site)), examples: liked.chain(others).collect(), ..Known::default() };
    let build = |name: &&'static str| {
        let kind = PolicyKind::named(name)?;
        match kind.build(subject, &known) {
            Ok(policy) => {
                Some(Steered { name, policy, placing: Placing::default(), placed: FxHashMap::default() })
            }
            Err(unfit) => {
                eprintln!("left out: {name}: {unfit}");
                None
            }
        }
    };
    PolicyKind::NAMES.iter().filter_map(build).collect()
}

/// What a link was placed with.
struct Placement {
    group: GroupId,
    why: BTreeMap<String, f32>,
}

/// A policy at work.
pub(crate) struct Steered {
    pub(crate) name: &'static str,
    policy: Box<dyn Policy>,
    placing: Placing,
    /// By URL, of the pages that are asked for: as a frontier would give them back.
    placed: FxHashMap<u64, Placement>,
}

impl Steered {
    /// Tells of pages, and remembers where their links to each other were placed: so that later each is told of with
    /// the group and the parts that it was found with.
    pub(crate) fn rehearse(&mut self, pages: &[Read]) {
        self.placed = pages
            .iter()
            .map(|read| {
                (read.page.url().fingerprint(), Placement { group: GroupId::ALL, why: BTreeMap::new() })
            })
            .collect();
        for read in pages {
            self.tell(read);
            for (op, parts) in self.placing.ops() {
                let Op::Add { link, group, own, .. } = op else { continue };
                let Some(link) = read.page.links().get(*link as usize) else { continue };
                let Some(place) = self.placed.get_mut(&link.url.fingerprint()) else { continue };
                if place.why.is_empty() {
                    place.group = *group;
                    place.why = parts.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
                    place.why.insert("own".to_owned(), own.get());
                }
            }
        }
    }

    /// Tells of a page; the number of operations.
    pub(crate) fn tell(&mut self, read: &Read) -> usize {
        let nowhere = Placement { group: GroupId::ALL, why: BTreeMap::new() };
        let place = self.placed.get(&read.page.url().fingerprint()).unwrap_or(&nowhere);
        self.placing.clear();
        let Read { page, words: page_words, reading } = read;
        let visit = Visit {
            id: LinkId(page.url().fingerprint() as u32),
            group: place.group,
            depth: 1,
            page,
            page_words,
            reading: Some(reading),
            judgement: Judgement::default(),
            why: &place.why,
            fresh: &FreshLinks::unknown(),
        };
        self.policy.on_page(std::hint::black_box(&visit), &mut self.placing);
        self.placing.ops().count()
    }
}
