//! `drp`: does a tree recognise the detail pages of a site that was not in its training set?
//!
//! A tree that was trained without any page of the site judges the pages of a corpus: it is trained on the labelled
//! pages that ship with the lab, without those of the site. So a cell needs no other corpus, and the training data is
//! the same wherever the experiment runs. The variant's `model` is `zhang-2008` (the tree printed in Zhang 2008),
//! `zhang-2008-features` (a tree of the features of Zhang 2008), `osprey`, or `published`: the figure that Zhang 2008
//! reports for sites outside its training set, to compare with.
//!
//! Some pages of each type of a site are drawn with the random seed. Detail pages are one class, lists and profiles the
//! other. Accuracy is the mean over the classes, so that guessing one of them scores a half; for a site with only one
//! class it is the share of that class that is found. Pages that the truth calls "other" are in neither class; how many
//! of them are taken for detail pages is a separate figure.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, bail};
use osprey_model::{CanonicalUrl, PageType};
use osprey_structure::drp::{DrpFeatures, FeatureSet, LabelledPage, Model};

use super::read::Reader;
use super::{Cell, Findings, Measure};
use crate::Corpus;
use crate::corpus::CorpusSource;

/// The table of labelled pages, in a checkout of the repository; it is not part of the program.
const TABLE: &str = "lab/training/detail-pages.tsv";
/// Table 4 of Zhang 2008.
const PUBLISHED: f64 = 0.7375;
/// Pages of each type of a site.
const MOST: usize = 100;

/// The measure.
#[derive(Clone, Copy, Debug)]
pub(super) struct DrpMeasure;

/// Pages of one class that were judged.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    pages: usize,
    called_detail: usize,
}

impl Tally {
    fn share(self) -> Option<f64> {
        (self.pages > 0).then(|| self.called_detail as f64 / self.pages as f64)
    }
}

/// What was found on a site.
#[derive(Clone, Copy, Debug, Default)]
struct SiteTally {
    details: Tally,
    lists: Tally,
    profiles: Tally,
    /// Those of type "other".
    neither: Tally,
}

impl SiteTally {
    fn of(&mut self, page_type: PageType) -> &mut Tally {
        match page_type {
            PageType::Detail => &mut self.details,
            PageType::List => &mut self.lists,
            PageType::Profile => &mut self.profiles,
            PageType::Other => &mut self.neither,
        }
    }

    fn detail_recall(&self) -> Option<f64> {
        self.details.share()
    }

    /// Both kinds of page that are not detail pages.
    fn others(&self) -> Tally {
        Tally {
            pages: self.lists.pages + self.profiles.pages,
            called_detail: self.lists.called_detail + self.profiles.called_detail,
        }
    }

    fn other_recall(&self) -> Option<f64> {
        self.others().share().map(|share| 1.0 - share)
    }

    fn accuracy(&self) -> Option<f64> {
        mean([self.detail_recall(), self.other_recall()].into_iter().flatten())
    }
}

/// The table of the checkout that `dir` is in.
fn read_table(dir: &Path) -> anyhow::Result<String> {
    let path = dir.ancestors().map(|dir| dir.join(TABLE)).find(|path| path.exists());
    let path =
        path.with_context(|| format!("`{TABLE}` not found; run this experiment in a checkout of Osprey"))?;
    std::fs::read_to_string(&path).with_context(|| path.display().to_string())
}

impl Measure for DrpMeasure {
    fn name(&self) -> &'static str {
        "drp"
    }

    fn run(&self, cell: &Cell<'_>) -> anyhow::Result<Findings> {
        let kind = match cell.variant.with.get("model").and_then(|model| model.as_str()) {
            Some("zhang-2008" | "seed") => None,
            Some("zhang-2008-features" | "seed-features") => Some(FeatureSet::Zhang2008),
            Some("osprey") => Some(FeatureSet::Osprey),
            Some("published") => {
                let mut findings = Findings::default();
                findings.figure("accuracy", Some(PUBLISHED));
                return Ok(findings);
            }
            _ => bail!(
                "variant `{}`: expected `model` to be `zhang-2008`, `zhang-2008-features`, `published` or `osprey`",
                cell.variant.name
            ),
        };
        let table = read_table(&std::env::current_dir()?)?;
        let labelled = LabelledPage::read_table(&table);
        let reader = Reader::new(cell)?;
        let mut sites: BTreeMap<String, SiteTally> = BTreeMap::new();
        for (site, urls) in by_site(cell.corpus, cell.random_seed) {
            let others: Vec<LabelledPage<'_>> =
                labelled.iter().copied().filter(|page| page.site != site).collect();
            let model = kind.map_or_else(|| Model::zhang_2008().clone(), |set| Model::train(set, &others));
            let tally = sites.entry(site).or_default();
            for url in urls {
                let page_type = cell.corpus.truth(&url).page_type;
                if tally.of(page_type).pages >= MOST {
                    continue;
                }
                if let Some(response) = reader.read_here(&url) {
                    let features = DrpFeatures::of(&reader.parse(&response));
                    let tally = tally.of(page_type);
                    tally.pages += 1;
                    tally.called_detail += usize::from(model.judge(&features).detail);
                }
            }
        }
        Ok(findings(&sites))
    }
}

/// The pages of a corpus, site by site, in an order drawn with the random seed. Sites are called as in the table of
/// labelled pages. A page under a wasteful or a second URL is left out.
fn by_site(corpus: &Corpus, random_seed: u64) -> BTreeMap<String, Vec<CanonicalUrl>> {
    let mut urls = corpus.urls();
    urls.sort_by_cached_key(|url| {
        (crate::fingerprint(format!("{random_seed} {url}").as_bytes()), url.as_str().to_owned())
    });
    let first = urls.first().map(|url| url.authority().to_owned()).unwrap_or_default();
    let has_several = urls.iter().any(|url| url.authority() != first);
    let mut sites: BTreeMap<String, Vec<CanonicalUrl>> = BTreeMap::new();
    for url in urls {
        let truth = corpus.truth(&url);
        if truth.waste.is_some() || truth.duplicate_of.is_some() {
            continue;
        }
        let site = match &corpus.source {
            CorpusSource::World(world) => format!("simulated/{}", world.kind()),
            CorpusSource::Recording(_) if has_several => format!("{}/{}", corpus.name, url.authority()),
            CorpusSource::Recording(_) | CorpusSource::Pictures(_) => corpus.name.clone(),
        };
        sites.entry(site).or_default().push(url);
    }
    sites
}

fn findings(sites: &BTreeMap<String, SiteTally>) -> Findings {
    let of_all = |of: fn(&SiteTally) -> Option<f64>| mean(sites.values().filter_map(of));
    let count = |of: fn(&SiteTally) -> usize| Some(sites.values().map(of).sum::<usize>() as f64);
    let mut findings = Findings::default();
    for (name, value) in [
        ("accuracy", of_all(SiteTally::accuracy)),
        ("detail_recall", of_all(SiteTally::detail_recall)),
        ("other_recall", of_all(SiteTally::other_recall)),
        ("lists_called_detail", of_all(|site| site.lists.share())),
        ("profiles_called_detail", of_all(|site| site.profiles.share())),
        ("neither_called_detail", of_all(|site| site.neither.share())),
        ("sites", Some(sites.len() as f64)),
        ("detail_pages", count(|site| site.details.pages)),
        ("other_pages", count(|site| site.others().pages)),
    ] {
        findings.figure(name, value);
    }
    if sites.len() > 1 {
        for (site, tally) in sites {
            findings.figure(&format!("accuracy {site}"), tally.accuracy());
        }
    }
    findings
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accuracy_is_the_mean_over_the_classes_that_there_are() {
        let check = |details: (usize, usize), others: (usize, usize), expect: Option<f64>| {
            let tally = |(pages, called_detail)| Tally { pages, called_detail };
            let site = SiteTally { details: tally(details), lists: tally(others), ..SiteTally::default() };
            assert_eq!(site.accuracy(), expect, "{site:?}");
        };
        check((100, 90), (10, 5), Some(0.7));
        check((100, 100), (10, 10), Some(0.5));
        check((4, 3), (0, 0), Some(0.75));
        check((0, 0), (4, 1), Some(0.75));
        check((0, 0), (0, 0), None);
    }

    #[test]
    fn the_mean_is_over_sites_and_single_sites_are_reported() {
        let tally = |pages, called_detail| SiteTally {
            details: Tally { pages, called_detail },
            ..SiteTally::default()
        };
        let sites = BTreeMap::from([("a".to_owned(), tally(100, 50)), ("b".to_owned(), tally(10, 10))]);
        let findings = findings(&sites);
        assert_eq!(findings.figures.get("accuracy"), Some(&0.75));
        assert_eq!(findings.figures.get("accuracy a"), Some(&0.5));
        assert_eq!(findings.figures.get("detail_pages"), Some(&110.0));
        assert_eq!(findings.figures.get("other_recall"), None);
    }
}
