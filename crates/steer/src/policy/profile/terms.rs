//! The texts that a record contains about a user, by source.

use osprey_structure::extract::{Record, RecordKind};

use crate::profiles::Source;

/// Words in the names of lists, and what stands there. `upload` and `photo` are titles of what the user made.
const NAMES: &[(&str, Source)] = &[
    ("tag", Source::Tags),
    ("keyword", Source::Tags),
    ("interest", Source::Tags),
    ("set", Source::Sets),
    ("album", Source::Sets),
    ("playlist", Source::Sets),
    ("collection", Source::Collections),
    ("group", Source::Groups),
    ("pool", Source::Groups),
    ("member", Source::Groups),
    ("favorite", Source::Text),
    ("favourite", Source::Text),
    ("upload", Source::Text),
    ("video", Source::Text),
    ("photo", Source::Text),
    ("post", Source::Text),
];

/// Calls `each` with every text that says what the user cares for: the user of a profile, or the uploader of a thing.
/// Of fields without a meaning of their own only those that are named like something a user makes: others stand on
/// every page of the site, like its popular tags.
pub(super) fn each_text<'r>(record: &'r Record, mut each: impl FnMut(Source, &'r str)) {
    let mut all = |source: Source, texts: &'r [String]| texts.iter().for_each(|text| each(source, text));
    all(Source::Tags, &record.tags);
    all(Source::Sets, &record.sets);
    all(Source::Groups, &record.groups);
    if record.kind == RecordKind::Detail {
        // what a thing is called is the user's own; the title of a profile is a name
        record.title.iter().for_each(|title| each(Source::Text, title));
        return;
    }
    for (name, texts) in &record.terms {
        let source = source_of(name).unwrap_or(Source::Text);
        texts.iter().for_each(|text| each(source, text));
    }
    for (name, texts) in &record.fields {
        let Some(source) = source_of(name) else { continue };
        texts.iter().for_each(|text| each(source, text));
    }
    record.description.iter().for_each(|text| each(Source::Text, text));
}

/// The source that a list's name tells, if any; what is popular or of the day is the site's.
fn source_of(name: &str) -> Option<Source> {
    let mut words = name.split(|c: char| !c.is_alphanumeric());
    if words.clone().any(|word| matches!(word, "popular" | "day" | "featured" | "recent")) {
        return None;
    }
    words.find_map(|word| {
        let word = word.strip_suffix('s').unwrap_or(word);
        NAMES.iter().find(|(name, _)| *name == word).map(|(_, source)| *source)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_sources() {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let mut record = Record::new("http://a.example/ann", RecordKind::Profile);
        record.title = Some("ann".to_owned());
        record.tags = texts(&["rose"]);
        record.terms.insert("sets".to_owned(), texts(&["My garden"]));
        record.fields.insert("member_of".to_owned(), texts(&["Macro"]));
        record.fields.insert("popular_tag".to_owned(), texts(&["nba"]));
        record.fields.insert("currently".to_owned(), texts(&["Cork"]));
        let check = |record: &Record, expect: &[(Source, &str)]| {
            let mut found = Vec::new();
            each_text(record, |source, text| found.push((source, text)));
            assert_eq!(found, expect);
        };
        check(&record, &[(Source::Tags, "rose"), (Source::Sets, "My garden"), (Source::Groups, "Macro")]);
        record.kind = RecordKind::Detail;
        check(&record, &[(Source::Tags, "rose"), (Source::Text, "ann")]);
    }
}
