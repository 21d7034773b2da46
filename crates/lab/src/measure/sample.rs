//! The sample of pages from which a site is learned, with the truth about each page.
//!
//! It is the sample that `osprey learn` takes: one link of each kind, as in Xu et al. 2018, or breadth-first, which the
//! paper compares with. The choice of pages does not use the truth.

use osprey_engine::{Project, SampledPages, Sampling};
use osprey_page::Page;
use osprey_structure::types::SiteFacts;
use osprey_structure::{InLinks, PageShape};
use osprey_world::Truth;

use super::Cell;
use super::project::{control, sampling};

/// Pages of a site, and all that is learned from.
pub(super) struct Sample {
    /// The pages, in the archive of the sample: parsed ones are many times as large.
    pages: SampledPages,
    /// Where each page is among them.
    places: Vec<usize>,
    /// What is true of each page.
    pub(super) truth: Vec<Truth>,
    /// The shape of each page, with the links that lead there.
    pub(super) shapes: Vec<PageShape>,
    /// Facts about all of them.
    pub(super) facts: SiteFacts,
}

impl Sample {
    /// Takes a sample of so many pages, or of all there are, with the cell's random seed.
    pub(super) fn take(cell: &Cell<'_>, most: u64, how: Sampling) -> anyhow::Result<Self> {
        let project = Project::assemble(cell.scratch, sampling(cell, how));
        let pages = project.sample(most, control(cell))?;
        let (mut places, mut truth, mut shapes) = (Vec::new(), Vec::new(), Vec::new());
        let (mut inlinks, mut urls, mut facts) = (InLinks::default(), Vec::new(), SiteFacts::default());
        for place in 0..pages.len() {
            let Some((page, asked)) = pages.page(place)? else { continue };
            inlinks.visited(&page);
            facts.visited(&page, &asked);
            shapes.push(PageShape::of(&page).with_regions(&page));
            truth.push(cell.corpus.truth(page.url()));
            places.push(place);
            urls.push([asked, page.url().clone()]);
        }
        let shapes = shapes.into_iter().zip(&urls);
        let shapes = shapes.map(|(shape, urls)| shape.found_by(inlinks.links_to(urls))).collect();
        Ok(Self { pages, places, truth, shapes, facts })
    }

    /// How many pages there are.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// A page of the sample, read again.
    pub(super) fn page(&self, place: usize) -> Option<Page> {
        let place = self.places.get(place)?;
        Some(self.pages.page(*place).ok()??.0)
    }
}
