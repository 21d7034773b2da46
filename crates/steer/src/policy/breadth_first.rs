//! `breadth-first`: first in, first out. All links share one group and one score, so age decides.

use osprey_model::{GroupId, LinkScore};

use super::{LinkFacts, Policy, RestoreError, SitemapVisit, Visit};
use crate::Placing;

#[derive(Debug)]
pub(super) struct BreadthFirst;

impl Policy for BreadthFirst {
    fn name(&self) -> &'static str {
        "breadth-first"
    }

    fn on_page(&mut self, visit: &Visit<'_>, placing: &mut Placing) {
        for link in 0..visit.page.links().len() {
            placing.add(link, GroupId::ALL, LinkScore::ONE, &[]);
        }
    }

    fn on_sitemap(&mut self, map: &SitemapVisit<'_>, placing: &mut Placing) {
        for link in 0..map.entries.len() {
            placing.add(link, GroupId::ALL, LinkScore::ONE, &[]);
        }
    }

    fn explain(&self, link: &LinkFacts<'_>) -> String {
        format!("first in, first out: found at depth {}; older links go first", link.depth)
    }

    fn minds_the_want(&self) -> bool {
        false
    }

    fn learns(&self) -> bool {
        false
    }

    fn snapshot(&self) -> Vec<u8> {
        Vec::new()
    }

    fn restore(&mut self, _snapshot: &[u8]) -> Result<(), RestoreError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::placed;
    use super::*;

    #[test]
    fn entries_of_sitemaps_wait_in_their_order() {
        let urls = "<url><loc>/1</loc><priority>0.1</priority></url><url><loc>/2</loc></url>";
        let all = |link| (link, GroupId::ALL, 1.0, vec![]);
        assert_eq!(placed(&mut BreadthFirst, urls), [all(0), all(1)]);
    }
}
