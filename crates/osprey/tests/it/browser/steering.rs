//! What crawls go by, changed in a browser: the sitemap, the topic; and reports of the lab.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::browser::driver::{Browser, folder};
use crate::served::Served;

fn sitemap_file(name: &str) -> toml::Table {
    let text = fs::read_to_string(folder().join(name).join("data/model/sitemap.toml")).unwrap();
    text.parse().unwrap()
}

#[test]
fn kinds_of_page_are_wanted_or_not() {
    let Some((browser, served)) = super::photos("kinds") else { return };
    browser.go(&served.url("/p/kinds/sitemap"));
    assert_eq!(browser.pictures(".graph img"), 1);
    let rows = browser.count("tr[data-type]");
    assert!(rows > 5, "{rows}");
    browser.look("sitemap");

    let number = browser.value("Number(document.querySelectorAll('tr[data-type]')[2].dataset.type)");
    let button = |value: &str| format!("tr[data-type='{number}'] button[value='{value}']");
    let wanted = || {
        let file = sitemap_file("kinds");
        let mut types = file["type"].as_array().unwrap().iter();
        let entry = types.find(|entry| entry["cluster"].as_integer() == number.as_i64()).unwrap();
        entry.get("wanted").and_then(toml::Value::as_bool)
    };
    browser.js("window.isTheSame = true", json!([]));
    for (value, expect) in [("no", Some(false)), ("yes", Some(true)), ("", None), ("no", Some(false))] {
        browser.click(&button(value));
        browser.until(&format!("document.querySelector(\"{}\").ariaPressed === 'true'", button(value)));
        assert_eq!(wanted(), expect, "{value}");
    }
    assert_eq!(browser.value("window.isTheSame"), true);
    browser.reload();
    assert_eq!(browser.texts("button[value=no][aria-pressed=true]").len(), 1);
    assert_eq!(browser.count(&format!("{}[aria-pressed=true]", button("no"))), 1);
    browser.look("sitemap-unwanted");
}

fn topic(name: &str) -> (String, toml::Table) {
    let text = fs::read_to_string(folder().join(name).join("osprey.toml")).unwrap();
    let table: toml::Table = text.parse().unwrap();
    (text, table["topic"].as_table().unwrap().clone())
}

fn list(topic: &toml::Table, key: &str) -> Vec<String> {
    let values = topic.get(key).and_then(toml::Value::as_array).into_iter().flatten();
    values.filter_map(|value| Some(value.as_str()?.to_owned())).collect()
}

#[test]
fn tags_that_go_together_are_pruned_and_kept() {
    let Some((browser, served)) = super::photos("topic") else { return };
    browser.go(&served.url("/p/topic/topic"));
    assert_eq!(browser.field("#tags"), "beach, sand");
    browser.look("topic");
    browser.type_into("#expand", "beach, sea, sand");
    browser.follow_to("button", "Find tags");
    let tags = browser.texts("#graph .node text");
    assert!(tags.len() > 3 && tags[..3] == ["beach", "sea", "sand"], "{tags:?}");

    // a click drops a tag, a second one takes it back
    let node = |tag: &str| format!("#graph .node[data-tag='{tag}'] circle");
    let is_checked =
        |tag: &str| browser.value(&format!("document.querySelector(\"input[data-tag='{tag}']\").checked"));
    browser.click(&node(&tags[2]));
    assert_eq!(is_checked(&tags[2]), false);
    browser.click(&node(&tags[2]));
    assert_eq!(is_checked(&tags[2]), true);
    browser.click(&node(&tags[1]));
    browser.look("topic-graph");
    browser.follow_to("button", "Save these tags");

    let (text, table) = topic("topic");
    let expect: Vec<String> = tags.iter().filter(|tag| **tag != tags[1]).cloned().collect();
    let mut kept = list(&table, "tags");
    assert_eq!(browser.field("#tags"), kept.join(", "));
    kept.sort();
    let mut expect = expect;
    expect.sort();
    assert_eq!(kept, expect);
    assert!(text.starts_with("# photographs of the sea\n") && text.contains("# what we are after"), "{text}");
    assert!(text.contains("extraction rules by `osprey learn`"), "{text}");

    browser.go(&served.url("/p/topic/topic?expand=nobody+has+this"));
    assert!(browser.text(".trouble").contains("no page has the tag"));
    browser.look("topic-unknown");
}

#[test]
fn terms_are_proposed_from_example_pages() {
    let Some((browser, served)) = super::photos("terms") else { return };
    browser.go(&served.url("/p/terms/?q=beach"));
    let urls = browser.value("[...document.querySelectorAll('.hit .by a')].map(each => each.href)");
    let urls: Vec<&str> = urls.as_array().unwrap().iter().filter_map(|url| url.as_str()).collect();
    browser.follow_to("a", "Topic");
    browser.type_into("#genre_pages", &urls[3..6].join("\n"));
    browser.type_into("#relevant_pages", &urls[..3].join("\n"));
    browser.follow_to("button", "Propose terms");
    let dropped = "input[name=content_terms]";
    assert!(browser.count(dropped) > 2 && browser.count("input[name=genre_terms]") > 0);
    let (first, all) = (browser.field(dropped), browser.count(dropped));
    browser.click(dropped);
    browser.look("topic-terms");
    browser.follow_to("button", "Save these terms");
    let kept = list(&topic("terms").1, "content_terms");
    assert_eq!(kept.len(), all - 1);
    assert!(!kept.contains(&first), "{first}: {kept:?}");
    assert_eq!(list(&topic("terms").1, "tags"), ["beach", "sand"]);
    assert_eq!(browser.field("#content_terms"), kept.join(", "));
    browser.look("topic-kept");
}

/// A report as the lab writes them, in small.
pub(crate) fn report(lab: &Path, name: &str, body: &str) {
    fs::create_dir_all(lab.join(name)).unwrap();
    let page = format!(
        "<!DOCTYPE html><html lang=en><title>{name}</title><style>h1 {{ color: rgb(1, 2, 3) }}</style><h1>{name}</h1>{body}"
    );
    fs::write(lab.join(name).join("report.html"), page).unwrap();
}

#[test]
fn reports_of_the_lab_open() {
    let Some(browser) = Browser::start() else { return };
    let (dir, lab) = (crate::browser::projects::photos("lab"), folder().join("lab-reports"));
    report(&lab, "baselines", "<p>what loses is shown losing</p>");
    report(&lab, "same-crawl", "");
    let served = Served::start(&[&dir], &["--lab", lab.to_str().unwrap()]);
    browser.go(&served.url("/"));
    browser.follow_to("a", "Lab");
    assert_eq!(browser.texts(".reports a"), ["baselines", "same-crawl"]);
    browser.look("lab");
    browser.follow_to("a", "baselines");
    assert_eq!(browser.text("p"), "what loses is shown losing");
    assert_eq!(browser.value("getComputedStyle(document.querySelector('h1')).color"), "rgb(1, 2, 3)");
    browser.look("lab-report");
}
