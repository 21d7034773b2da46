//! Structs and enums as they stand in source that rustfmt has formatted: names, doc comments, what they hold. No more of
//! Rust is understood than configuration needs; the rest is skipped.

/// A struct or an enum.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Item {
    pub(super) name: String,
    /// Of a struct.
    pub(super) fields: Vec<Field>,
    /// Of an enum.
    pub(super) variants: Vec<Variant>,
}

/// A key.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Field {
    /// As serde has it.
    pub(super) key: String,
    /// Its type, as written.
    pub(super) of: String,
    /// Its doc comment, on one line.
    pub(super) doc: String,
    /// Whether it says so of itself.
    pub(super) has_default: bool,
}

/// A kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Variant {
    pub(super) name: String,
    pub(super) doc: String,
    /// The struct that it holds, as in `Profile(UploaderRules)`.
    pub(super) holds: Option<String>,
    /// Fields of its own.
    pub(super) fields: Vec<Field>,
}

/// What precedes a name: doc comment and attributes.
#[derive(Default)]
struct Before {
    doc: Vec<String>,
    attributes: String,
}

impl Before {
    /// Takes in a line that belongs to what follows; false if it does not.
    fn take(&mut self, line: &str) -> bool {
        if let Some(doc) = line.strip_prefix("///") {
            self.doc.push(doc.trim().to_owned());
        } else if line.starts_with("#[") {
            self.attributes.push_str(line);
        } else {
            return false;
        }
        true
    }

    /// The first paragraph, on one line.
    fn doc(&self) -> String {
        let first = self.doc.split(String::is_empty).next().unwrap_or_default();
        first.join(" ")
    }

    fn field(&self, line: &str) -> Option<Field> {
        let (name, of) = line.trim_end_matches(',').split_once(": ")?;
        let name = name.rsplit(' ').next()?;
        let renamed = self.attributes.split_once("rename = \"").and_then(|(_, rest)| rest.split_once('"'));
        Some(Field {
            key: renamed.map_or(name, |(renamed, _)| renamed).to_owned(),
            of: of.to_owned(),
            doc: self.doc(),
            has_default: self.attributes.contains("serde(default"),
        })
    }
}

/// Everything that a source declares at its outermost level.
pub(super) fn items(text: &str) -> Vec<Item> {
    let mut lines = text.lines();
    let mut found = Vec::new();
    while let Some(line) = lines.next() {
        let Some(head) = line.strip_suffix(" {").filter(|head| !head.starts_with([' ', '/'])) else {
            continue;
        };
        let mut words = head.split(' ').skip_while(|word| word.starts_with("pub"));
        let (kind, name) = (words.next().unwrap_or_default(), words.next().unwrap_or_default().to_owned());
        let body: Vec<&str> = match kind {
            "struct" | "enum" => lines.by_ref().take_while(|line| *line != "}").map(str::trim).collect(),
            _ => continue,
        };
        found.push(match kind {
            "struct" => Item { name, fields: fields(&body), variants: Vec::new() },
            _ => Item { name, fields: Vec::new(), variants: variants(&body) },
        });
    }
    found
}

fn fields(body: &[&str]) -> Vec<Field> {
    let mut found = Vec::new();
    let mut before = Before::default();
    for line in body {
        if !before.take(line) {
            found.extend(before.field(line));
            before = Before::default();
        }
    }
    found
}

fn variants(body: &[&str]) -> Vec<Variant> {
    let mut found = Vec::new();
    let mut before = Before::default();
    let mut lines = body.iter();
    while let Some(line) = lines.next() {
        if before.take(line) {
            continue;
        }
        let before = std::mem::take(&mut before);
        let name: String = line.chars().take_while(|letter| letter.is_alphanumeric()).collect();
        let holds = line.split_once('(').map(|(_, rest)| rest.trim_end_matches("),").to_owned());
        let own: Vec<&str> = match line.ends_with('{') {
            true => lines.by_ref().copied().take_while(|line| *line != "},").collect(),
            false => Vec::new(),
        };
        found.push(Variant { name, doc: before.doc(), holds, fields: fields(&own) });
    }
    found
}

#[test]
fn what_configuration_is_made_of_is_read() {
    let text = r#"
//! A file.

/// A section.
#[derive(Debug)]
pub(crate) struct Section {
    /// One thing,
    /// on two lines.
    ///
    /// Not for users.
    #[serde(default, rename = "rule")]
    pub(crate) rules: Vec<Rule>,
    plain: u32,
}

impl Section {
    fn f() {}
}

pub enum Kind {
    /// Nothing.
    None {},
    /// With rules.
    Some(Rules),
    /// With its own.
    Own {
        /// How much.
        #[serde(default)]
        share: f32,
    },
}
"#;
    let found = items(text);
    let field = |key: &str, of: &str, doc: &str, has_default| Field {
        key: key.to_owned(),
        of: of.to_owned(),
        doc: doc.to_owned(),
        has_default,
    };
    let [section, kind] = found.as_slice() else { panic!("{found:?}") };
    let rules = field("rule", "Vec<Rule>", "One thing, on two lines.", true);
    assert_eq!(
        (section.name.as_str(), &section.fields),
        ("Section", &vec![rules, field("plain", "u32", "", false)])
    );
    let [none, some, own] = kind.variants.as_slice() else { panic!("{kind:?}") };
    assert_eq!((none.name.as_str(), none.doc.as_str(), none.fields.len()), ("None", "Nothing.", 0));
    assert_eq!((some.holds.as_deref(), some.fields.len()), (Some("Rules"), 0));
    assert_eq!((own.holds.as_deref(), &own.fields), (None, &vec![field("share", "f32", "How much.", true)]));
}
