//! A crawl that is started, watched, paused, stopped and indexed from its page.

use serde_json::json;

use crate::browser::driver::Browser;

/// A figure of the page.
fn figure(browser: &Browser, name: &str) -> u64 {
    browser.text(&format!("[data-live={name}]")).replace(',', "").parse().unwrap()
}

/// Waits until the page says, by itself, that the project does this.
fn until_it(browser: &Browser, state: &str) {
    browser.until(&format!("document.querySelector('[data-live=state]').textContent === '{state}'"));
}

/// Waits until more pages than this are counted.
fn until_more_than(browser: &Browser, visited: u64) {
    browser.until(&format!(
        "Number(document.querySelector('[data-live=visited]').textContent.replaceAll(',', '')) > {visited}"
    ));
}

/// How many pages the next events of the stream tell of.
fn events(browser: &Browser, count: usize) -> Vec<u64> {
    browser.js(
        "window.told = [];
         const events = new EventSource(document.getElementById('crawl').dataset.events);
         events.addEventListener('crawl', event => {
           if (window.told.push(JSON.parse(event.data).visited) >= arguments[0]) events.close();
         });",
        json!([count]),
    );
    browser.until(&format!("window.told.length >= {count}"));
    serde_json::from_value(browser.value("window.told")).unwrap()
}

#[test]
fn a_crawl_is_watched_paused_stopped_and_indexed() {
    let Some((browser, served)) = super::photos("crawling") else { return };
    browser.go(&served.url("/p/crawling/"));
    let documents = browser.text(".count strong");
    browser.follow_to("a", "Crawl");
    assert_eq!((browser.text("[data-live=state]").as_str(), figure(&browser, "visited")), ("idle", 240));
    let enabled = |browser: &Browser| browser.texts("[data-order]:not(:disabled)");
    assert_eq!(enabled(&browser), ["Start", "Index"]);
    assert!(browser.count("[data-live=recent] tr") > 10);
    browser.look("crawl-idle");

    browser.fill("[name=budget]", "12000");
    browser.follow_to("button", "Start");
    // from here on the page is told: it is not loaded again
    browser.js("window.isTheSame = true", json!([]));
    until_it(&browser, "crawling");
    until_more_than(&browser, 240);
    assert_eq!(enabled(&browser), ["Pause", "Stop"]);
    let (now, curve) = (figure(&browser, "visited"), "document.querySelector('#curve img').src");
    let drawn = browser.value(curve);
    until_more_than(&browser, now);
    assert_ne!(browser.value(curve), drawn);
    assert_eq!(browser.value("window.isTheSame"), true);
    assert!(browser.texts("[data-live=recent] td:last-child").iter().any(|why| !why.is_empty()));
    browser.look("crawl-crawls");

    browser.follow_to("button", "Pause");
    until_it(&browser, "paused");
    assert_eq!(enabled(&browser), ["Resume", "Stop"]);
    // what was in flight is still counted; then nothing moves
    let told = events(&browser, 5);
    assert_eq!((told[2], told[3]), (told[4], told[4]), "{told:?}");
    browser.look("crawl-paused");
    browser.follow_to("button", "Resume");
    until_it(&browser, "crawling");
    until_more_than(&browser, told[4]);

    browser.follow_to("button", "Stop");
    until_it(&browser, "idle");
    let (message, visited) = (browser.text("[data-live=message]"), figure(&browser, "visited"));
    assert!(message.contains("stopped; start again to resume"), "{message}");
    assert!((told[4]..12_000).contains(&visited), "{visited}");

    browser.follow_to("button", "Index");
    browser.until("/documents indexed/.test(document.querySelector('[data-live=message]').textContent)");
    until_it(&browser, "idle");
    let searchable = browser.text("[data-live=documents]");
    browser.look("crawl-indexed");
    browser.follow_to("a", "Search");
    assert_eq!(browser.text(".count strong"), searchable);
    let number = |text: &str| text.replace(',', "").parse::<u64>().unwrap();
    assert!(number(&searchable) > number(&documents), "{searchable} after {documents}");
    browser.look("crawl-searched");
}

#[test]
fn nonsense_is_reported() {
    let Some((browser, served)) = super::photos("orders") else { return };
    browser.go(&served.url("/p/orders/crawl"));
    // a page that was left open while another client stopped the crawl
    let stop = "const stop = document.querySelector('[value=stop]'); stop.disabled = false; stop.click();";
    browser.leave(|| drop(browser.js(stop, json!([]))));
    assert!(browser.text(".trouble").contains("nothing is running"), "{}", browser.text(".trouble"));
    let complaints = browser.complaints();
    assert!(complaints.iter().all(|line| line.contains("status of 409")), "{complaints:?}");
    browser.look("crawl-nothing-runs");
}
