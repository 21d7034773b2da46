//! Table 4 of Chen et al. 2009: how many of the relevant pages that a crawl found name their topic, or a topic above it,
//! in their URL. It is the paper's evidence that URLs predict topics.

use osprey_steer::Subject;
use osprey_steer::fcmrps::{TokenTable, UrlTopic};
use osprey_steer::taxonomy::{Aim, Taxonomy};

use super::Findings;

/// Counts of one crawl.
#[derive(Debug, Default)]
pub(super) struct UrlRates {
    /// The topics of the crawl; none if it has no node of a taxonomy.
    topics: Vec<UrlTopic>,
    relevant: u64,
    with_topic: u64,
    with_context: u64,
}

impl UrlRates {
    /// For the topics of a subject.
    pub(super) fn of(subject: &Subject) -> Self {
        let own = subject.taxonomy.as_deref().and_then(|text| Taxonomy::parse(text).ok());
        let taxonomy = own.as_ref().unwrap_or(Taxonomy::shipped());
        let nodes = subject.nodes.iter().filter_map(|node| taxonomy.find(node).ok());
        let topics = nodes.map(|node| UrlTopic::new(&Aim::of_node(taxonomy, node), TokenTable::shipped()));
        Self { topics: topics.collect(), ..Self::default() }
    }

    /// Counts a relevant page.
    pub(super) fn add(&mut self, url: &str) {
        let found: Vec<_> = self.topics.iter_mut().map(|topic| topic.relevance(url)).collect();
        let has_topic = found.iter().any(|found| found.has_topic);
        self.relevant += 1;
        self.with_topic += u64::from(has_topic);
        self.with_context += u64::from(!has_topic && found.iter().any(|found| found.has_context));
    }

    /// `rat`, `ract` and their sum `ra`; none for a crawl without a topic.
    pub(super) fn report(&self, findings: &mut Findings) {
        let rate = |count: u64| {
            (self.relevant > 0 && !self.topics.is_empty()).then(|| count as f64 / self.relevant as f64)
        };
        findings.figure("rat", rate(self.with_topic));
        findings.figure("ract", rate(self.with_context));
        findings.figure("ra", rate(self.with_topic + self.with_context));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_4_by_hand() {
        let nodes = vec!["basketball".to_owned()];
        let mut rates = UrlRates::of(&Subject { nodes, ..Subject::default() });
        for url in [
            "http://sports.example/lanqiu/",
            "http://sports.example/1",
            "http://a.example/tiyu/",
            "http://a.example/",
        ] {
            rates.add(url);
        }
        let mut findings = Findings::default();
        rates.report(&mut findings);
        let figures: Vec<f64> = ["rat", "ract", "ra"].map(|name| findings.figures[name]).to_vec();
        assert_eq!(figures, [0.25, 0.5, 0.75]);
        let mut findings = Findings::default();
        UrlRates::of(&Subject::default()).report(&mut findings);
        assert!(findings.figures.is_empty());
    }
}
