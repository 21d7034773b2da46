//! Generates `docs/configuration.md` from the code that reads `osprey.toml`.
//!
//! Names and meanings come from the source of the structs (their fields and doc comments), defaults from their `Default`,
//! and the accepted keys from serde's error messages, so that a renamed or skipped field is noticed. The text between the
//! tables is in `docs/configuration.in.md`, with a mark for each table. This is test code and not part of the program. `OSPREY_WRITE_DOCS=1 cargo test -p osprey-engine reference` writes the file; without it, the test compares.
//!
//! A derive such as `schemars` would want the same on every type of four crates, and a dependency in each; doc comments
//! are there anyway, and rustfmt keeps them where a few lines find them.

mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use osprey_steer::{JudgeKind, PolicyKind};
use osprey_structure::extract::FieldRule;
use osprey_structure::site::ExtractRules;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use self::source::{Field, Item, items};
use super::written;

/// Where the source of structs is looked for, seen from this crate.
const SOURCES: [&str; 4] =
    ["src/config/written.rs", "../steer/src", "../structure/src/site", "../structure/src/extract"];
/// Keys of `Config` that are no struct of keys: their tables have marks of their own, or there are none.
const APART: [&str; 4] = ["policy", "judge", "index", "old_names"];

/// The keys that serde takes, and the words that a key's value is one of, if it is.
type Keys = BTreeMap<String, Vec<String>>;

/// What the tables are made from.
struct Reference {
    items: Vec<Item>,
    /// The default of each struct, by its name, and its keys.
    known: BTreeMap<&'static str, (Value, Keys)>,
}

impl Reference {
    fn new() -> Self {
        let mut found = Vec::new();
        for place in SOURCES {
            for file in rust_files(&here().join(place)) {
                found.extend(items(&fs::read_to_string(file).unwrap()));
            }
        }
        let known = BTreeMap::from([
            section::<written::CrawlSection>("CrawlSection"),
            section::<written::SourceSection>("SourceSection"),
            section::<written::FetchSection>("FetchSection"),
            section::<written::PageSection>("PageSection"),
            section::<written::TopicSection>("TopicSection"),
            section::<written::StructureSection>("StructureSection"),
            section::<written::ArchiveSection>("ArchiveSection"),
            section::<written::FrontierSection>("FrontierSection"),
            section::<written::VisionSection>("VisionSection"),
            section::<written::NotifySection>("NotifySection"),
            section::<written::ServerSection>("ServerSection"),
            section::<ExtractRules>("ExtractRules"),
            ("FieldRule", (json!({}), keys_by_serde::<FieldRule>(json!({})))),
        ]);
        Self { items: found, known }
    }

    fn item(&self, name: &str) -> &Item {
        self.items
            .iter()
            .find(|item| item.name == name)
            .unwrap_or_else(|| panic!("no `{name}` in the source"))
    }

    /// The table for a mark such as `keys of CrawlSection`.
    fn table(&self, mark: &str) -> String {
        match mark.strip_prefix("keys of ") {
            Some(name) => {
                let (defaults, keys) = &self.known[name];
                rows(name, &self.item(name).fields, defaults, keys)
            }
            None if mark == "policies" => self.kinds::<PolicyKind>("PolicyKind"),
            None if mark == "judges" => self.kinds::<JudgeKind>("JudgeKind"),
            None => panic!("configuration.in.md: unknown mark `{mark}`"),
        }
    }

    /// A heading, what it does, and a table for each variant of an enum whose `kind` is its name.
    fn kinds<T: DeserializeOwned + Serialize>(&self, name: &str) -> String {
        let mut text = String::new();
        for variant in &self.item(name).variants {
            let kind = kebab(&variant.name);
            let fields = match &variant.holds {
                Some(rules) => &self.item(rules).fields,
                None => &variant.fields,
            };
            let needed = fields.iter().filter(|field| !field.has_default && variant.holds.is_none());
            let needed: Map<String, Value> = needed.map(|field| (field.key.clone(), json!([]))).collect();
            let defaults = default_of::<T>(&kind, needed);
            let _ = write!(text, "`{kind}`: {}\n\n", variant.doc);
            if !fields.is_empty() {
                let keys = keys_by_serde::<T>(json!({ "kind": kind }));
                let _ = writeln!(text, "{}", rows(&variant.name, fields, &defaults, &keys));
            }
        }
        text.trim_end().to_owned() + "\n"
    }
}

fn here() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// All files of a folder and those below, in order; or the file itself.
fn rust_files(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let mut entries: Vec<PathBuf> = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    let is_wanted = |path: &PathBuf| path.is_dir() || path.extension().is_some_and(|end| end == "rs");
    entries.into_iter().filter(is_wanted).flat_map(|path| rust_files(&path)).collect()
}

fn section<T: Default + DeserializeOwned + Serialize>(name: &'static str) -> (&'static str, (Value, Keys)) {
    (name, (plain(&T::default()), keys_by_serde::<T>(json!({}))))
}

/// As JSON by way of its text, which has numbers as short as they were written.
fn plain(value: &impl Serialize) -> Value {
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}

/// The defaults of a kind; keys that have none are left out.
fn default_of<T: DeserializeOwned + Serialize>(kind: &str, needed: Map<String, Value>) -> Value {
    let stand_ins = [json!([]), json!({ "kind": "none" })];
    let made = stand_ins.iter().find_map(|stand_in| {
        let mut given: Map<String, Value> =
            needed.keys().map(|key| (key.clone(), stand_in.clone())).collect();
        given.insert("kind".to_owned(), json!(kind));
        serde_json::from_value::<T>(Value::Object(given)).ok()
    });
    let mut value = plain(&made.unwrap_or_else(|| panic!("kind `{kind}` cannot be made")));
    if let Some(table) = value.as_object_mut() {
        needed.keys().for_each(|key| {
            table.remove(key);
        });
    }
    value
}

/// The keys of a type by serde's own words: it lists what it takes when it meets something else.
fn keys_by_serde<T: DeserializeOwned>(given: Value) -> Keys {
    let refused = |key: &str, prefix: &str| -> Vec<String> {
        let mut given = given.clone();
        given[key] = json!("nonsense");
        let error =
            serde_json::from_value::<T>(given).err().map(|error| error.to_string()).unwrap_or_default();
        let listed = error.strip_prefix(prefix).unwrap_or_default();
        listed.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    };
    let keys = refused("nonsense", "unknown field `nonsense`, expected ");
    assert!(!keys.is_empty(), "unknown keys are taken");
    let values = |key: String| {
        let values = refused(&key, "unknown variant `nonsense`, expected ");
        (key, values)
    };
    keys.into_iter().map(values).collect()
}

fn rows(name: &str, fields: &[Field], defaults: &Value, keys: &Keys) -> String {
    let read: BTreeSet<&String> = fields.iter().map(|field| &field.key).collect();
    assert_eq!(read, keys.keys().collect(), "{name}: keys in the source, and keys that serde takes");
    let mut text = "| key | default | meaning |\n| --- | --- | --- |\n".to_owned();
    for field in fields {
        assert!(!field.doc.is_empty(), "{name}: `{}` has no doc comment", field.key);
        let default = defaults.get(&field.key).map(default_text).unwrap_or_default();
        let values: Vec<String> = keys[&field.key].iter().map(|value| format!("`{value}`")).collect();
        let meaning = match values.iter().all(|value| field.doc.contains(value)) {
            true => field.doc.clone(),
            false => format!("{} One of {}.", field.doc, values.join(", ")),
        };
        let _ = writeln!(text, "| `{}` | {default} | {} |", field.key, meaning.replace('|', "\\|"));
    }
    text
}

/// A default as it would be written in TOML; nothing for what is not there.
fn default_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        value => format!("`{}`", toml_text(value)),
    }
}

fn toml_text(value: &Value) -> String {
    match value {
        Value::Object(table) => {
            let pairs: Vec<String> =
                table.iter().map(|(key, value)| format!("{key} = {}", toml_text(value))).collect();
            if pairs.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", pairs.join(", ")) }
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(toml_text).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// `SourceUcc` as `source-ucc`.
fn kebab(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push('-');
        }
        text.extend(letter.to_lowercase());
    }
    text
}

/// The document: the template with its tables.
fn document(reference: &Reference) -> (String, BTreeSet<String>) {
    let (mut text, mut marks) = (String::new(), BTreeSet::new());
    for line in include_str!("../../../../../docs/configuration.in.md").lines() {
        match line.strip_prefix("<!-- ").and_then(|line| line.strip_suffix(" -->")) {
            Some(mark) => {
                text.push_str(&reference.table(mark));
                marks.insert(mark.to_owned());
            }
            None => {
                let _ = writeln!(text, "{line}");
            }
        }
    }
    (text, marks)
}

#[test]
fn the_reference_is_what_the_code_says() {
    let reference = Reference::new();
    let (text, marks) = document(&reference);
    for field in reference.item("Config").fields.iter().filter(|field| !APART.contains(&&*field.key)) {
        let mark = format!("keys of {}", field.of);
        assert!(
            marks.contains(&mark),
            "configuration.in.md: [{}] has no table: `<!-- {mark} -->`",
            field.key
        );
    }
    let path = here().join("../../docs/configuration.md");
    if std::env::var_os("OSPREY_WRITE_DOCS").is_some() {
        fs::write(&path, &text).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    let advice = "docs/configuration.md is not what the code says: OSPREY_WRITE_DOCS=1 cargo test -p osprey-engine reference";
    for (line, (is, should)) in written.lines().zip(text.lines()).enumerate() {
        assert_eq!(is, should, "line {}: {advice}", line + 1);
    }
    assert!(written == text, "{advice}");
}

#[test]
fn names_and_values_as_people_write_them() {
    assert_eq!(kebab("SourceUcc"), "source-ucc");
    let check = |value: Value, expect: &str| assert_eq!(default_text(&value), expect);
    check(Value::Null, "");
    check(json!("host"), "`\"host\"`");
    check(json!([]), "`[]`");
    check(json!({ "tags": 1, "of": ["a"] }), "`{ tags = 1, of = [\"a\"] }`");
    check(json!({}), "`{}`");
}
