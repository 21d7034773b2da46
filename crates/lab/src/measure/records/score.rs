//! Compares records with published tables of fields.
//!
//! Values are compared without regard to white space, case and the marks around them (`(907) 279` and `907) 279 |`).
//! The published values are whole texts of pages: one that carries its label (`Brand = Sony`) is also right without.
//! Equal values of a page count once. A field that a table publishes in pieces (street, town, number) is also right as one
//! value.

use std::collections::{BTreeMap, BTreeSet};

use osprey_structure::extract::{Record, iso_date};

/// Values by field.
pub(super) type Fields = BTreeMap<String, Vec<String>>;

/// What the tables call the name of a page's subject.
const TITLES: &[&str] = &["title", "name", "model"];

/// Names under which a person would look for a field, besides its own.
const NAMES: &[(&str, &[&str])] = &[
    ("author", &["uploader", "by"]),
    ("company", &["employer", "hiring company"]),
    ("cuisine", &["food type", "category"]),
    ("date_posted", &["date", "posted"]),
    ("engine", &["engines"]),
    ("fuel_economy", &["mpg", "gas mileage"]),
    ("genre", &["genres", "category", "tags"]),
    ("height", &["ht"]),
    ("isbn_13", &["isbn", "isbn13"]),
    ("location", &["place", "address", "city"]),
    ("manufacturer", &["brand", "make"]),
    ("mpaa_rating", &["rating", "mpaa", "rated"]),
    ("phone", &["telephone", "tel"]),
    ("price", &["msrp", "our price", "cost"]),
    ("publication_date", &["date", "published", "pub date"]),
    ("type", &["institution type", "school type", "kind"]),
    ("website", &["web site", "url", "homepage", "web address"]),
    ("weight", &["wt"]),
    ("address", &["location", "street"]),
];

/// The name of a page's subject.
pub(super) fn title(truth: &Fields) -> Option<&str> {
    TITLES.iter().find_map(|title| truth.get(*title)).and_then(|titles| titles.first()).map(String::as_str)
}

/// Whether a field of a record has a name that a person would look under: all words of the wanted name, or of one that
/// means the same, are in it.
pub(super) fn is_called(name: &str, wanted: &str) -> bool {
    let words = |text: &str| -> BTreeSet<String> {
        let parts = text.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
        parts.map(|part| part.trim_end_matches('s').to_lowercase()).collect()
    };
    let own = words(name.split_once('.').map_or(name, |(_, name)| name));
    let others = NAMES.iter().find(|(known, _)| *known == wanted).map_or(&[][..], |(_, others)| others);
    std::iter::once(&wanted).chain(others).any(|wanted| words(wanted).is_subset(&own))
}

/// The forms in which a value is right.
fn forms(value: &str) -> Vec<String> {
    let plain = |text: &str| {
        let bare = text.trim_matches(|c: char| !c.is_alphanumeric());
        bare.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
    };
    let mut forms = vec![plain(value)];
    forms.extend(value.split_once([':', '=']).map(|(_, tail)| plain(tail)));
    forms.extend(iso_date(value));
    forms
}

/// The words of a value, in lower case.
fn words(value: &str) -> Vec<String> {
    let parts = value.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    parts.map(str::to_lowercase).collect()
}

/// Values compared.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Score {
    pub(super) right: usize,
    pub(super) labelled: usize,
    pub(super) found: usize,
}

impl Score {
    /// Compares the values of one page.
    pub(super) fn add(&mut self, labelled: &[String], found: &[String]) {
        let mut left: Vec<Vec<String>> = Vec::new();
        for value in labelled {
            let forms = forms(value);
            // of two texts that say the same one is enough
            if !left.iter().any(|other| other.iter().any(|form| forms.contains(form))) {
                left.push(forms);
            }
        }
        let found: BTreeSet<String> =
            found.iter().filter_map(|value| forms(value).into_iter().next()).collect();
        self.labelled += left.len();
        self.found += found.len();
        // one value that is all the texts of the published one: an address with its street, town and number
        if labelled.len() > 1
            && found.len() == 1
            && found.iter().any(|value| words(value) == words(&labelled.join(" ")))
        {
            self.right += left.len();
            self.found += left.len() - 1;
            return;
        }
        for value in found {
            let form = iso_date(&value).unwrap_or_default();
            let is_right =
                |label: &Vec<String>| label.contains(&value) || (!form.is_empty() && label.contains(&form));
            if let Some(at) = left.iter().position(is_right) {
                left.swap_remove(at);
                self.right += 1;
            }
        }
    }

    pub(super) fn precision(self) -> Option<f64> {
        (self.found > 0).then(|| self.right as f64 / self.found as f64)
    }

    pub(super) fn recall(self) -> Option<f64> {
        (self.labelled > 0).then(|| self.right as f64 / self.labelled as f64)
    }

    /// Not defined where there is nothing to find and nothing was found.
    pub(super) fn f1(self) -> Option<f64> {
        let all = self.labelled + self.found;
        (all > 0).then(|| 2.0 * self.right as f64 / all as f64)
    }

    pub(super) fn with(self, other: Self) -> Self {
        Self {
            right: self.right + other.right,
            labelled: self.labelled + other.labelled,
            found: self.found + other.found,
        }
    }
}

/// All pages of a site, and what is true of them.
#[derive(Clone, Debug, Default)]
pub(super) struct FieldScores {
    pages: Vec<(Fields, Fields)>,
}

/// How well a field of the truth was found.
#[derive(Clone, Debug, Default)]
pub(super) struct FoundField {
    /// Whether it is the name of what the page is about.
    pub(super) is_title: bool,
    /// Compared with the titles of records.
    pub(super) as_title: Score,
    /// The best of the fields that are called so.
    pub(super) named: (String, Score),
    /// The best of all fields.
    pub(super) best: (String, Score),
}

impl FieldScores {
    /// Adds a page.
    pub(super) fn add(&mut self, truth: &Fields, record: Fields) {
        self.pages.push((truth.clone(), record));
    }

    /// The fields of the truth.
    pub(super) fn fields(&self) -> BTreeMap<String, FoundField> {
        let wanted: BTreeSet<&String> = self.pages.iter().flat_map(|(truth, _)| truth.keys()).collect();
        let names: BTreeSet<&String> = self.pages.iter().flat_map(|(_, record)| record.keys()).collect();
        let title = TITLES.iter().find(|title| wanted.iter().any(|field| field == *title));
        wanted
            .into_iter()
            .map(|field| {
                let mut found = FoundField {
                    is_title: title.is_some_and(|title| title == field),
                    as_title: self.score(field, "title"),
                    named: (String::new(), self.score(field, "")),
                    best: (String::new(), self.score(field, "")),
                };
                for name in &names {
                    let score = self.score(field, name);
                    let better = |known: Score| score.f1() > known.f1();
                    if is_called(name, field) && better(found.named.1) {
                        found.named = ((*name).clone(), score);
                    }
                    if better(found.best.1) {
                        found.best = ((*name).clone(), score);
                    }
                }
                (field.clone(), found)
            })
            .collect()
    }

    fn score(&self, field: &str, name: &str) -> Score {
        let mut score = Score::default();
        for (truth, record) in &self.pages {
            let values = |fields: &'_ Fields, name: &str| fields.get(name).cloned().unwrap_or_default();
            score.add(&values(truth, field), &values(record, name));
        }
        score
    }
}

/// A record as a table of names and values.
pub(super) fn named_values(record: &Record) -> Fields {
    let mut fields = Fields::new();
    let singles = [
        ("title", &record.title),
        ("uploader", &record.uploader),
        ("date", &record.date),
        ("description", &record.description),
    ];
    for (name, value) in singles {
        if let Some(value) = value {
            fields.insert(name.to_owned(), vec![value.clone()]);
        }
    }
    for (name, values) in [("tags", &record.tags), ("sets", &record.sets), ("groups", &record.groups)] {
        if !values.is_empty() {
            fields.insert(name.to_owned(), values.clone());
        }
    }
    fields
        .extend(record.counts.iter().map(|(name, count)| (format!("count.{name}"), vec![count.to_string()])));
    fields.extend(record.terms.iter().map(|(name, values)| (format!("terms.{name}"), values.clone())));
    fields.extend(record.fields.iter().map(|(name, values)| (format!("fields.{name}"), values.clone())));
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(labelled: &[&str], found: &[&str]) -> (usize, usize, usize) {
        let own = |values: &[&str]| values.iter().map(|&value| value.to_owned()).collect::<Vec<_>>();
        let mut score = Score::default();
        score.add(&own(labelled), &own(found));
        (score.right, score.labelled, score.found)
    }

    #[test]
    fn values_are_compared_as_people_read_them() {
        assert_eq!(score(&["\u{a0}240"], &["240"]), (1, 1, 1));
        assert_eq!(score(&["Canon", ": Canon"], &["canon"]), (1, 1, 1));
        assert_eq!(score(&["Brand = Sony"], &["Sony"]), (1, 1, 1));
        assert_eq!(score(&["June 29, 2010"], &["2010-06-29"]), (1, 1, 1));
        assert_eq!(score(&["Crime", "Thriller"], &["Crime", "Drama", "crime"]), (1, 2, 2));
        assert_eq!(score(&["Sony"], &["Brand: Sony"]), (0, 1, 1));
        assert_eq!(score(&["1 Long Road", "Barrow", "AK"], &["1 Long Road Barrow, AK"]), (3, 3, 3));
        assert_eq!(score(&["1 Long Road", "Barrow"], &["1 Long Road"]), (1, 2, 1));
        assert_eq!(score(&[], &["x"]), (0, 0, 1));
    }

    #[test]
    fn a_field_is_found_under_names_that_mean_it() {
        let check = |name: &str, wanted: &str, expect: bool| {
            assert_eq!(is_called(name, wanted), expect, "{name} {wanted}")
        };
        check("fields.isbn_13", "isbn_13", true);
        check("uploader", "author", true);
        check("fields.base_price", "price", true);
        check("fields.pub_date", "publication_date", true);
        check("fields.team_website", "team", true);
        check("fields.publisher", "publication_date", false);
        check("count.views", "price", false);
    }

    #[test]
    fn the_best_field_is_found_whatever_its_name() {
        let fields = |pairs: &[(&str, &str)]| -> Fields {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), vec![(*value).to_owned()])).collect()
        };
        let mut scores = FieldScores::default();
        let truth = fields(&[("name", "Red"), ("price", "$1"), ("phone", "12")]);
        scores.add(&truth, fields(&[("title", "Red"), ("fields.price", "$2"), ("fields.cost", "1")]));
        let found = scores.fields();
        assert!(found["name"].is_title && !found["price"].is_title);
        assert_eq!(found["name"].as_title.f1(), Some(1.0));
        assert_eq!(
            (found["price"].named.0.as_str(), found["price"].named.1.f1()),
            ("fields.cost", Some(1.0))
        );
        assert_eq!((found["price"].best.0.as_str(), found["price"].best.1.f1()), ("fields.cost", Some(1.0)));
        assert_eq!((found["phone"].best.0.as_str(), found["phone"].best.1.f1()), ("", Some(0.0)));
    }
}
