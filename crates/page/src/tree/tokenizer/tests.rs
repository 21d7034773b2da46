//! The tokenizer compared with html5lib's tokenizer tests, read from `OSPREY_DATA`.
//!
//! Left out: `xmlViolation.test`, about trees that are written as XML, and inputs with lone surrogates, which Rust
//! strings cannot contain. Parse errors are not compared.

use std::path::Path;

use serde_json::{Value, json};

use super::{Doctype, Mode, Receive, Tokenizer, without_returns};

/// Collects tokens in the suite's notation.
#[derive(Default)]
struct Collect {
    tokens: Vec<Value>,
    attributes: serde_json::Map<String, Value>,
}

impl Receive for &mut Collect {
    fn text(&mut self, text: &str) {
        if let Some(Value::Array(last)) = self.tokens.last_mut()
            && let [Value::String(kind), Value::String(before)] = last.as_mut_slice()
            && kind == "Character"
        {
            before.push_str(text);
        } else {
            self.tokens.push(json!(["Character", text]));
        }
    }
    fn null(&mut self) {
        self.text("\0");
    }
    fn attribute(&mut self, name: &str, value: &str) {
        self.attributes.entry(name).or_insert_with(|| value.into());
    }
    fn start_tag(&mut self, name: &str, self_closing: bool) -> Option<Mode> {
        let attributes = Value::Object(std::mem::take(&mut self.attributes));
        self.tokens.push(match self_closing {
            true => json!(["StartTag", name, attributes, true]),
            false => json!(["StartTag", name, attributes]),
        });
        None
    }
    fn end_tag(&mut self, name: &str) -> Option<Mode> {
        self.tokens.push(json!(["EndTag", name]));
        None
    }
    fn comment(&mut self, text: &str) {
        self.tokens.push(json!(["Comment", text]));
    }
    fn doctype(&mut self, doctype: Doctype) {
        let Doctype { name, public_id, system_id, force_quirks } = doctype;
        self.tokens.push(json!(["DOCTYPE", name, public_id, system_id, !force_quirks]));
    }
    fn in_foreign_content(&self) -> bool {
        false
    }
    fn stop(&self) -> bool {
        false
    }
}

fn tokens(input: &str, mode: Mode, last_start_tag: &str) -> Value {
    let input = without_returns(input);
    let mut collect = Collect::default();
    let mut tokenizer = Tokenizer::new(&input, mode, &mut collect);
    tokenizer.last_start_tag.push_str(last_start_tag);
    tokenizer.run();
    Value::Array(collect.tokens)
}

fn mode(state: &str) -> Mode {
    match state {
        "PLAINTEXT state" => Mode::Plaintext,
        "RCDATA state" => Mode::Rcdata,
        "RAWTEXT state" => Mode::Rawtext,
        "Script data state" => Mode::Script,
        "CDATA section state" => Mode::Cdata,
        _ => Mode::Data,
    }
}

/// Decodes the second layer of escapes in some cases; `None` if there is a lone surrogate.
fn unescape(value: &Value) -> Option<Value> {
    Some(match value {
        Value::String(text) => serde_json::from_str(&format!("\"{}\"", text.replace('"', "\\\""))).ok()?,
        Value::Array(list) => Value::Array(list.iter().map(unescape).collect::<Option<_>>()?),
        Value::Object(map) => {
            let entries = map.iter().map(|(name, value)| {
                let Value::String(name) = unescape(&Value::String(name.clone()))? else { return None };
                Some((name, unescape(value)?))
            });
            Value::Object(entries.collect::<Option<_>>()?)
        }
        other => other.clone(),
    })
}

#[test]
fn tokens_are_the_standards() {
    let data = std::env::var_os("OSPREY_DATA").map(|data| Path::new(&data).join("conformance"));
    let folder = data.or_else(|| std::env::var_os("OSPREY_CONFORMANCE").map(Into::into));
    let folder = folder.map(|folder| folder.join("html5lib-tests/tokenizer"));
    let Some(folder) = folder.filter(|folder| folder.is_dir()) else {
        eprintln!("left out: html5lib tokenizer (OSPREY_DATA is not set)");
        return;
    };
    let (mut passed, mut total, mut surrogates, mut failed) = (0, 0, 0, Vec::new());
    for entry in std::fs::read_dir(folder).expect("the folder can be listed") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "test") || path.ends_with("xmlViolation.test")
        {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        let file: Value = serde_json::from_str(&text).expect("JSON");
        for case in file["tests"].as_array().into_iter().flatten() {
            let (mut input, mut expect) = (case["input"].clone(), case["output"].clone());
            if case["doubleEscaped"] == true {
                let (Some(plain_input), Some(plain_expect)) = (unescape(&input), unescape(&expect)) else {
                    surrogates += 1;
                    continue;
                };
                (input, expect) = (plain_input, plain_expect);
            }
            let data = json!(["Data state"]);
            let states = case["initialStates"].as_array().or(data.as_array()).expect("states");
            for state in states.iter().filter_map(Value::as_str) {
                total += 1;
                let last = case["lastStartTag"].as_str().unwrap_or_default();
                let found = tokens(input.as_str().expect("text"), mode(state), last);
                if found == expect {
                    passed += 1;
                } else {
                    let name = path.file_name().unwrap_or_default().display();
                    failed.push(format!("{name} {state}\n{input}\nexpected {expect}\nfound    {found}"));
                }
            }
        }
    }
    eprintln!("html5lib tokenizer: passed {passed} of {total}, {surrogates} with lone surrogates left out");
    assert!(total > 6000, "the suite is not all there");
    assert!(failed.is_empty(), "{} differ:\n{}", failed.len(), failed.join("\n\n"));
}
