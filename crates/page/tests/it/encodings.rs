//! Character sets compared with html5lib's encoding tests, read from `OSPREY_DATA`.
//!
//! Left out: `scripted/`, where a script writes the declaration.

use osprey_model::{CanonicalUrl, UrlRules};
use osprey_page::{Input, Page, PageRules};

use crate::html5lib::{is_of_registry, suite};

/// Cases that differ, with the reason.
const KNOWN: &[(&str, &str)] = &[];

#[test]
fn character_sets_are_the_standards() {
    let Some(folder) = suite("encoding") else { return };
    let (mut passed, mut total, mut known, mut unexplained) = (0, 0, Vec::new(), Vec::new());
    for file in ["tests1.dat", "tests2.dat", "test-yahoo-jp.dat"] {
        let bytes = std::fs::read(folder.join(file)).expect("the file can be read");
        for (number, (data, expect)) in cases(&bytes).into_iter().enumerate() {
            total += 1;
            let url = CanonicalUrl::parse("http://example.com/", &UrlRules::default()).expect("a URL");
            let page =
                Page::parse(&Input { url: &url, content_type: None, body: &data }, &PageRules::default());
            let label = format!("{file} {}", number + 1);
            if same(page.charset(), &expect) {
                passed += 1;
            } else if KNOWN.iter().any(|(case, _)| *case == label) {
                known.push(label);
            } else {
                let data = String::from_utf8_lossy(&data).chars().take(300).collect::<String>();
                unexplained.push(format!("{label}: expected {expect}, found {}\n{data}", page.charset()));
            }
        }
    }
    eprintln!("html5lib encoding: passed {passed} of {total}, {} known to differ", known.len());
    if is_of_registry() {
        return assert!(passed * 100 >= total * 98, "{}", unexplained.join("\n\n"));
    }
    let healed: Vec<_> = KNOWN.iter().filter(|(case, _)| !known.iter().any(|label| label == case)).collect();
    assert!(healed.is_empty(), "these pass now: {healed:?}");
    assert!(total > 70, "the suite is not all there");
    assert!(unexplained.is_empty(), "{} differ:\n{}", unexplained.len(), unexplained.join("\n\n"));
}

/// The suite expects windows-1252 where nothing is declared; what is then plain ASCII is UTF-8 here, which decodes to
/// the same.
fn same(found: &str, expect: &str) -> bool {
    let expect = encoding_rs::Encoding::for_label(expect.as_bytes()).expect("a label");
    found == expect.name() || (found == "UTF-8" && expect == encoding_rs::WINDOWS_1252)
}

fn cases(bytes: &[u8]) -> Vec<(Vec<u8>, String)> {
    let mut cases = Vec::new();
    let (mut data, mut section) = (Vec::new(), Section::None);
    for line in bytes.split(|&byte| byte == b'\n') {
        match (line, section) {
            (b"#data", _) => {
                data.clear();
                section = Section::Data;
            }
            (b"#encoding", _) => section = Section::Encoding,
            (_, Section::Data) => {
                data.extend_from_slice(line);
                data.push(b'\n');
            }
            (_, Section::Encoding) if !line.is_empty() => {
                data.pop();
                cases.push((std::mem::take(&mut data), String::from_utf8_lossy(line).trim().to_owned()));
                section = Section::None;
            }
            _ => {}
        }
    }
    cases
}

#[derive(Clone, Copy)]
enum Section {
    None,
    Data,
    Encoding,
}
