//! A short name for everything that verdicts depend on: when it changes, pages that were judged are judged again.

use xxhash_rust::xxh3::xxh3_64;

use crate::{JudgeKind, Known, Subject};

impl JudgeKind {
    /// The identity of the judge that is built from these: the same one gives the same verdicts. It has two parts, joined by a
    /// hyphen: what the user asks for, and what is known (the site, what is usual there, ratings).
    pub fn identity(&self, subject: &Subject, known: &Known) -> String {
        let written = |part: serde_json::Result<String>| part.unwrap_or_default();
        let asked = [written(serde_json::to_string(self)), written(serde_json::to_string(subject))];
        let known = known.key(self.reads_site(), self.wants_background());
        format!("{:016x}-{:016x}", xxh3_64(asked.join("\n").as_bytes()), xxh3_64(known.as_bytes()))
    }

    /// Whether its verdicts depend on what was learned of the site.
    fn reads_site(&self) -> bool {
        match self {
            Self::Tags { .. } | Self::Want { .. } | Self::PageType { .. } | Self::Cluster {} => true,
            Self::All { of } | Self::Any { of } => of.iter().any(Self::reads_site),
            Self::Not { of } => of.reads_site(),
            Self::None {} | Self::Terms { .. } | Self::Taxonomy { .. } => false,
            Self::Genre { .. } | Self::Model { .. } => false,
        }
    }
}

/// Whether two identities are of judges that were asked for the same, whatever was known.
pub fn asks_the_same(one: &str, other: &str) -> bool {
    let asked = |identity: &str| identity.split_once('-').map(|(asked, _)| asked.to_owned());
    asked(one).is_some_and(|one| asked(other) == Some(one))
}

impl Known {
    /// What of it verdicts depend on, but for what follows from the subject (its examples, the rarity of its terms). A part
    /// that is added to `Known` and that a judge uses belongs here; it should change in steps, not with every page.
    fn key(&self, reads_site: bool, is_want: bool) -> String {
        let site = self.site.as_ref().filter(|_| reads_site).map_or("", |site| site.key());
        let rated = self
            .rated
            .iter()
            .filter(|_| is_want)
            .map(|rated| format!(" {} {}", rated.is_wanted, rated.page.url()));
        let background = self.background.as_ref().filter(|_| is_want).map(|background| background.key());
        std::iter::once(site.to_owned()).chain(background).chain(rated).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_judge_or_subject_changes_the_identity() {
        let of = |threshold, tag: &str| {
            let subject = Subject { tags: vec![tag.to_owned()], ..Subject::default() };
            JudgeKind::Tags { threshold }.identity(&subject, &Known::default())
        };
        assert_eq!(of(0.5, "beach"), of(0.5, "beach"));
        assert_ne!(of(0.5, "beach"), of(0.6, "beach"));
        assert_ne!(of(0.5, "beach"), of(0.5, "forest"));
        assert!(!asks_the_same(&of(0.5, "beach"), &of(0.5, "forest")));
        let judge = JudgeKind::Want { threshold: 0.5 };
        let url = osprey_model::CanonicalUrl::parse("http://a.example/", &osprey_model::UrlRules::default())
            .unwrap();
        let input = osprey_page::Input { url: &url, content_type: None, body: b"birds" };
        let page = osprey_page::Page::parse(&input, &osprey_page::PageRules::default());
        let rated = [crate::Example { page: std::sync::Arc::new(page), is_wanted: true }];
        let known = Known { rated: rated.into(), ..Known::default() };
        let [none, some] =
            [&Known::default(), &known].map(|known| judge.identity(&Subject::default(), known));
        assert!(none != some && asks_the_same(&none, &some));
    }
}
