//! `breadth-first`: first in, first out. All links share one group and one score, so age decides.

use osprey_model::{GroupId, Own};

use super::{LinkFacts, Policy, RestoreError, Visit};
use crate::Placing;

#[derive(Debug)]
pub(super) struct BreadthFirst;

impl Policy for BreadthFirst {
    fn name(&self) -> &'static str {
        "breadth-first"
    }

    fn on_page(&mut self, visit: &Visit<'_>, placing: &mut Placing) {
        for link in 0..visit.page.links().len() {
            placing.add(link, GroupId::ALL, Own::ONE, &[]);
        }
    }

    fn explain(&self, link: &LinkFacts<'_>) -> String {
        format!("first in, first out: found at depth {}; older links go first", link.depth)
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
