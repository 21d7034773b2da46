//! Keys and values that had other names before: a project file that uses the old names still works, and each use is
//! reported in a note. The text is rewritten before it is typed, so errors keep their line numbers, and the old names are
//! never suggested.

use std::borrow::Cow;
use std::ops::Range;

use toml::de::{DeTable, DeValue};

/// A renamed key of a section.
struct Renamed {
    section: &'static str,
    old: &'static str,
    new: &'static str,
    /// Renamed values of the key: old and new.
    values: &'static [(&'static str, &'static str)],
}

const RENAMED: [Renamed; 5] = [
    Renamed { section: "crawl", old: "seed", new: "random_seed", values: &[] },
    Renamed { section: "source", old: "seed", new: "random_seed", values: &[] },
    Renamed { section: "policy", old: "seed", new: "random_seed", values: &[] },
    Renamed { section: "structure", old: "variant", new: "clustering", values: CLUSTERINGS },
    Renamed { section: "structure", old: "clustering", new: "clustering", values: CLUSTERINGS },
];
const CLUSTERINGS: &[(&str, &str)] = &[("seed", "dbscan-2018")];

/// The text with current names, and a note for each old one. A text that is not TOML is returned as it is.
pub(super) fn with_current_names(text: &str) -> (Cow<'_, str>, Vec<String>) {
    let Ok(file) = DeTable::parse(text) else { return (text.into(), Vec::new()) };
    let (mut edits, mut notes) = (Vec::<(Range<usize>, String)>::new(), Vec::new());
    for Renamed { section, old, new, values } in RENAMED {
        let table = file.get_ref().iter().find(|(key, _)| key.get_ref() == section);
        let Some(DeValue::Table(table)) = table.map(|(_, value)| value.get_ref()) else { continue };
        let Some((key, value)) = table.iter().find(|(key, _)| key.get_ref() == old) else { continue };
        if old != new {
            notes.push(format!(
                "`{section}.{old}` is now `{section}.{new}`; the old name works in this version"
            ));
            edits.push((key.span(), new.to_owned()));
        }
        let DeValue::String(given) = value.get_ref() else { continue };
        if let Some((was, is)) = values.iter().find(|(was, _)| given == was) {
            notes.push(format!(
                "`{section}.{new} = \"{was}\"` is now `\"{is}\"`; the old name works in this version"
            ));
            edits.push((value.span(), format!("\"{is}\"")));
        }
    }
    if edits.is_empty() {
        return (text.into(), notes);
    }
    edits.sort_by_key(|(at, _)| std::cmp::Reverse(at.start));
    let mut text = text.to_owned();
    for (at, new) in edits {
        text.replace_range(at, &new);
    }
    (text.into(), notes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str, notes: usize) {
        let (got, told) = with_current_names(text);
        assert_eq!((&*got, told.len()), (expect, notes), "{text}: {told:?}");
    }

    #[test]
    fn old_names_are_replaced_in_place() {
        check("[crawl]\nseed = 3 # why\n", "[crawl]\nrandom_seed = 3 # why\n", 1);
        check("crawl.seed = 3\nsource.seed=4\n", "crawl.random_seed = 3\nsource.random_seed=4\n", 2);
        check("source = { seed = 4 }\n", "source = { random_seed = 4 }\n", 1);
        check("[structure]\nvariant = \"osprey\"\n", "[structure]\nclustering = \"osprey\"\n", 1);
        check("[structure]\nvariant = 'seed'\n", "[structure]\nclustering = \"dbscan-2018\"\n", 2);
        check("[structure]\nclustering = 'seed'\n", "[structure]\nclustering = \"dbscan-2018\"\n", 1);
    }

    #[test]
    fn everything_else_stays() {
        for text in
            ["", "[crawl\n", "seed = 1\n", "[crawl]\nseeds = []\nrandom_seed = 1\n", "[fetch]\nseed = 1\n"]
        {
            check(text, text, 0);
        }
    }
}
