//! Thumbs in a browser: on results, documents and visits; by mouse, by keys, and without scripts.

use std::fs;

use serde_json::{Value, json};

use crate::browser::driver::{Browser, ENTER, folder};
use crate::served::Served;

/// The ratings that a project has kept: URLs, and what was said last.
fn kept(name: &str) -> Vec<(String, Value)> {
    let text = fs::read_to_string(folder().join(name).join("ratings.jsonl")).unwrap_or_default();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.map(|line| (line["url"].as_str().unwrap().to_owned(), line["good"].clone())).collect()
}

fn pressed(css: &str) -> String {
    format!("document.querySelector(\"{css}\").ariaPressed === 'true'")
}

/// Where everything stands that can be seen.
const PLACES: &str = "return [...document.querySelectorAll('.hit, .hit h3, .thumbs button, .by, h1, .about')]
    .map(each => each.getBoundingClientRect()).map(({ x, y, width, height }) => [x, y, width, height].map(Math.round).join());";

#[test]
fn thumbs_are_pressed_and_results_follow() {
    let Some((browser, served)) = super::photos("rating") else { return };
    browser.go(&served.url("/p/rating/?q=beach"));
    assert_eq!(browser.count(".hit .thumbs"), browser.count(".hit"));
    let (first, url) = (browser.text(".hit h3 a"), browser.field(".hit .bad"));
    browser.js("window.isTheSame = true", json!([]));
    let places = browser.js(PLACES, json!([]));
    browser.click(".hit .bad");
    browser.until(&pressed(".hit .bad"));
    assert_eq!(kept("rating"), [(url.clone(), json!(false))]);
    assert_eq!(browser.js(PLACES, json!([])), places, "nothing moves under the mouse");
    browser.look("rating-bad");
    // the other thumb takes over; the same one takes the rating back
    browser.click(".hit .good");
    browser.until(&pressed(".hit .good"));
    assert_eq!(browser.value(&pressed(".hit .bad")), false);
    browser.click(".hit .good");
    browser.until(&format!("!({})", pressed(".hit .good")));
    assert_eq!(kept("rating")[1..], [(url.clone(), json!(true)), (url.clone(), json!(null))]);

    // by keys: a thumb can be reached and has a name
    browser.js("document.querySelector('.hit .bad').focus()", json!([]));
    assert_eq!(browser.value("document.activeElement.getAttribute('aria-label')"), "Bad");
    let group = browser.value("document.activeElement.parentElement.getAttribute('aria-label')");
    assert_eq!(group, format!("Rate {first}"));
    browser.press(ENTER);
    browser.until(&pressed(".hit .bad"));
    assert_eq!(browser.value("window.isTheSame"), true);
    browser.reload();
    assert!(!browser.texts(".hit h3 a").is_empty());
    let urls =
        browser.value("[...document.querySelectorAll('.hit .good, .hit .bad')].map(each => each.value)");
    let at = urls.as_array().unwrap().iter().position(|each| *each == url.as_str());
    assert_ne!(at, Some(0), "what is bad comes last: {urls}");

    // the document's own page knows, and so does the page of visits
    let escaped: String = url::form_urlencoded::byte_serialize(url.as_bytes()).collect();
    browser.go(&served.url(&format!("/p/rating/item?url={escaped}")));
    assert_eq!(browser.value(&pressed("main > p .bad")), true);
    browser.click("main > p .good");
    browser.until(&pressed("main > p .good"));
    browser.look("rating-item");
    assert_eq!(kept("rating").last(), Some(&(url, json!(true))));
}

#[test]
fn visits_can_be_rated_while_figures_come() {
    let Some((browser, served)) = super::photos("rating-visits") else { return };
    browser.go(&served.url("/p/rating-visits/crawl"));
    let visit = browser.field(".visits .good");
    browser.click(".visits .good");
    browser.until(&pressed(".visits .good"));
    assert_eq!(kept("rating-visits"), [(visit.clone(), json!(true))]);
    // figures that come later do not take it away
    browser.js_later(
        "const done = arguments[arguments.length - 1]; let events = 0;
         const source = new EventSource(document.getElementById('crawl').dataset.events);
         source.addEventListener('crawl', () => { if (++events === 3) { source.close(); done(true); } });",
    );
    assert_eq!(browser.value(&pressed(".visits .good")), true);
    // a crawl goes on: rows come and go, each with its thumbs
    browser.fill("[name=budget]", "12000");
    browser.click_on("button", "Start");
    browser.until(&format!(
        "![...document.querySelectorAll('.visits .good')].some(each => each.value === {})",
        json!(visit)
    ));
    browser.click_on("button", "Stop");
    browser.until("document.querySelector('[data-live=state]').textContent === 'idle'");
    let rows = browser.value(
        "[...document.querySelectorAll('.visits tbody tr')].filter(row => row.querySelectorAll('.thumbs button[value]').length === 2).length",
    );
    assert!(rows.as_u64() > Some(3), "{rows}");
    browser.click(".visits tbody .bad");
    browser.until(&pressed(".visits tbody .bad"));
    assert_eq!(kept("rating-visits").last().unwrap().1, false);
    browser.look("rating-visits");
}

#[test]
fn thumbs_work_without_scripts() {
    let Some(browser) = Browser::without_scripts() else { return };
    let dir = crate::browser::projects::photos("plain-rating");
    let served = Served::start(&[&dir], &[]);
    browser.go(&served.url("/p/plain-rating/?q=beach"));
    let url = browser.field(".hit .bad");
    browser.follow(".hit .bad");
    assert_eq!(browser.parameter("q").as_deref(), Some("beach"));
    assert_eq!(kept("plain-rating"), [(url.clone(), json!(false))]);
    assert_ne!(browser.field(".hit .bad"), url);
    let escaped: String = url::form_urlencoded::byte_serialize(url.as_bytes()).collect();
    browser.go(&served.url(&format!("/p/plain-rating/item?url={escaped}")));
    assert_eq!(browser.count(".bad[name=undo][aria-pressed=true]"), 1);
    browser.follow(".bad[name=undo]");
    assert_eq!(browser.count("[name=undo]"), 0);
    browser.look("plain-rating");
}
