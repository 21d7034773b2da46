//! `best-first`: a link is worth what the page it stands on is worth: cosine(page text, topic).

use osprey_model::{GroupId, Own};
use serde::{Deserialize, Serialize};

use super::{LinkFacts, Policy, RestoreError, Visit};
use crate::{Placing, Topic};

#[derive(Debug)]
pub(super) struct BestFirst {
    topic: Topic,
    seen: Seen,
}

/// How similar the pages so far were, to put a similarity into proportion when explaining.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Seen {
    pages: u64,
    sum: f64,
}

impl BestFirst {
    pub(super) fn new(topic: Topic) -> Self {
        Self { topic, seen: Seen::default() }
    }
}

impl Policy for BestFirst {
    fn name(&self) -> &'static str {
        "best-first"
    }

    fn on_page(&mut self, visit: &Visit<'_>, placing: &mut Placing) {
        let similarity = self.topic.cosine(visit.page.text());
        self.seen.pages += 1;
        self.seen.sum += f64::from(similarity);
        for link in 0..visit.page.links().len() {
            placing.add(link, GroupId::ALL, Own::new(similarity), &[("page", similarity)]);
        }
    }

    fn explain(&self, link: &LinkFacts<'_>) -> String {
        let mean = if self.seen.pages > 0 { self.seen.sum / self.seen.pages as f64 } else { 0.0 };
        format!(
            "the page it was found on has similarity {:.3} to the topic (mean over {} pages: {mean:.3})",
            link.own, self.seen.pages
        )
    }

    fn snapshot(&self) -> Vec<u8> {
        postcard::to_stdvec(&self.seen).unwrap_or_default()
    }

    fn restore(&mut self, snapshot: &[u8]) -> Result<(), RestoreError> {
        self.seen = postcard::from_bytes(snapshot)
            .map_err(|cause| RestoreError { policy: self.name(), cause: cause.to_string() })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use osprey_model::{CanonicalUrl, LinkId, UrlRules};
    use osprey_page::{Input, Page, PageRules};

    use super::*;
    use crate::{Judgement, Op};

    #[test]
    fn links_get_the_similarity_of_their_page_and_state_survives() {
        let url = CanonicalUrl::parse("http://a.example/", &UrlRules::default()).unwrap();
        let body = b"<p>red flower red x x</p><a href=/1></a><a href=/2></a>";
        let page = Page::parse(&Input { url: &url, content_type: None, body }, &PageRules::default());
        let mut policy = BestFirst::new(Topic::of(["red flower"]));
        let mut placing = Placing::default();
        let visit = Visit { id: LinkId(0), depth: 0, page: &page, judgement: Judgement::default() };
        policy.on_page(&visit, &mut placing);

        let similarity = 3.0 / 2f32.sqrt() / 3.0; // see topic.rs
        let owns: Vec<f32> = placing
            .ops()
            .map(|(op, _)| match op {
                Op::Add { own, .. } => own.get(),
                other => panic!("unexpected {other:?}"),
            })
            .collect();
        assert_eq!(owns.len(), 2);
        assert!(owns.iter().all(|own| (own - similarity).abs() < 1e-6), "{owns:?}");

        let mut other = BestFirst::new(Topic::of(["red flower"]));
        other.restore(&policy.snapshot()).unwrap();
        assert_eq!(other.seen, policy.seen);
        assert!(other.restore(&[0xff]).is_err());
    }
}
