//! Uploaders and their ranks, from the records of a crawl: the same ranks as the policy's, for people to look at.

use std::collections::BTreeMap;

use osprey_model::{CanonicalUrl, UrlRules};
use osprey_structure::extract::{Record, RecordKind};
use osprey_text::{Term, Vector, with_reader};
use serde::Serialize;

use super::leads::user_at;
use super::{LANGUAGE, terms};
use crate::Subject;
use crate::profiles::{ProfileRules, Profiles};

/// An uploader, and what is known of the uploader's interest in the topic.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UploaderStanding {
    /// The name, as items give it.
    pub name: Option<String>,
    /// The address of the profile.
    pub url: String,
    /// Items of the uploader that were fetched.
    pub items: u64,
    /// Whether the profile was fetched.
    pub has_profile: bool,
    /// Contacts on the profile.
    pub contacts: u64,
    /// The cosine of the uploader's words and the topic (equation 1).
    pub inner: Option<f32>,
    /// The mean of the contacts' (equation 2).
    pub inter: Option<f32>,
    /// Both, weighted (equation 5); `None` if nothing is known.
    pub rank: Option<f32>,
}

/// The uploaders of records, the best first; without a topic those with most items.
pub fn uploaders(
    subject: &Subject,
    rules: ProfileRules,
    records: impl IntoIterator<Item = Record>,
) -> Vec<UploaderStanding> {
    let tags = subject.tags.iter().chain(&subject.content_terms);
    let topic: Vec<Term> = with_reader(|reader| tags.flat_map(|tag| reader.terms(tag, LANGUAGE)).collect());
    let topic = Vector::of(topic.into_iter().map(|term| (term, 1.0)));
    let (mut profiles, mut rows, mut moved) = (Profiles::new(&topic, rules), BTreeMap::new(), Vec::new());
    for record in records {
        let Some((url, name)) = person(&record) else { continue };
        let user = user_at(&url);
        let row = rows.entry(url.as_str().to_owned()).or_insert_with(|| UploaderStanding {
            name: None,
            url: url.as_str().to_owned(),
            items: 0,
            has_profile: false,
            contacts: 0,
            inner: None,
            inter: None,
            rank: None,
        });
        row.name = row.name.take().or(name);
        match record.kind {
            RecordKind::Detail => row.items += 1,
            RecordKind::Profile => row.has_profile = true,
        }
        with_reader(|reader| {
            terms::each_text(&record, |source, text| {
                profiles.add_terms(user, source, reader.terms(text, LANGUAGE), &mut moved);
            });
        });
        for contact in record.contacts.iter().filter_map(|contact| resolved(&url, contact.url.as_deref()?)) {
            row.contacts += 1;
            profiles.add_contact(user, user_at(&contact), &mut moved);
        }
        moved.clear();
    }
    let mut rows: Vec<UploaderStanding> = rows.into_values().collect();
    for row in &mut rows {
        let rank = CanonicalUrl::from_stored(&row.url).ok().and_then(|url| profiles.rank(user_at(&url)));
        if let Some(rank) = rank.filter(|_| !subject.is_silent()) {
            (row.inner, row.inter, row.rank) = (rank.inner, rank.inter, Some(rank.total));
        }
    }
    // stable: of equals the first by address
    rows.sort_by(|a, b| {
        b.rank.unwrap_or(-1.0).total_cmp(&a.rank.unwrap_or(-1.0)).then(b.items.cmp(&a.items))
    });
    rows
}

/// Whom a record is about: the uploader of an item, or whose profile it is.
pub(super) fn person(record: &Record) -> Option<(CanonicalUrl, Option<String>)> {
    let url = CanonicalUrl::from_stored(&record.url).ok()?;
    match record.kind {
        RecordKind::Profile => Some((url, record.title.clone())),
        RecordKind::Detail => {
            Some((resolved(&url, record.uploader_url.as_deref()?)?, record.uploader.clone()))
        }
    }
}

/// An address in a record, which may be relative.
fn resolved(page: &CanonicalUrl, address: &str) -> Option<CanonicalUrl> {
    page.join(address, &UrlRules::default()).ok().filter(|_| !address.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ann has two roses and a car: inner (2 + 0) / (sqrt 5 * 1) = 0.894; Bob has nothing but Ann: inter 0.894, half of
    /// it his rank.
    #[test]
    fn ranks_by_hand() {
        let detail = |n: u32, tag: &str| {
            let mut record = Record::new(&format!("http://a.example/d/{n}"), RecordKind::Detail);
            record.tags = vec![tag.to_owned()];
            record.uploader = Some("Ann".to_owned());
            record.uploader_url = Some("/u/ann".to_owned());
            record
        };
        let mut bob = Record::new("http://a.example/u/bob", RecordKind::Profile);
        bob.contacts.push(osprey_structure::extract::Person {
            name: "Ann".to_owned(),
            url: Some("http://a.example/u/ann".to_owned()),
        });
        let subject = Subject { tags: vec!["rose".to_owned()], ..Subject::default() };
        let records = [bob, detail(1, "rose"), detail(2, "rose"), detail(3, "car")];
        let rows = uploaders(&subject, ProfileRules::default(), records.clone());
        let [ann, bob] = rows.as_slice() else { panic!("{rows:?}") };
        assert_eq!((ann.name.as_deref(), ann.items, ann.has_profile), (Some("Ann"), 3, false));
        let is = |value: Option<f32>, expect: f32| value.is_some_and(|value| (value - expect).abs() < 1e-3);
        assert!(is(ann.inner, 0.894) && ann.inter.is_none() && is(ann.rank, 0.447), "{ann:?}");
        assert!(bob.inner.is_none() && is(bob.inter, 0.894) && is(bob.rank, 0.447), "{bob:?}");
        let silent = uploaders(&Subject::default(), ProfileRules::default(), records);
        assert_eq!((silent[0].url.as_str(), silent[0].rank), ("http://a.example/u/ann", None));
    }
}
