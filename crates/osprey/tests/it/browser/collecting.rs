//! A site that is collected, seen in a browser from the first second on.

use std::time::{Duration, Instant};

use osprey_rogue::Server;

use crate::browser::driver::{Browser, folder};
use crate::collect::forum;
use crate::project::osprey;
use crate::served::Served;

/// The bar: the first results are there this soon, at one request a second.
const SOON: Duration = Duration::from_secs(20);

#[test]
fn results_appear_while_a_site_is_collected() {
    let Some(browser) = Browser::start() else { return };
    let site = Server::start(forum).unwrap();
    let dir = folder().join("collecting");
    let _ = std::fs::remove_dir_all(&dir);
    let mut command = osprey();
    command.arg("collect").arg(site.url("/")).args(["sailing", "--allow-private", "--addr", "127.0.0.1:0"]);
    command.args(["--contact", "test@example.org", "--dir"]).arg(&dir).env_remove("OSPREY_TOKEN");
    let began = Instant::now();
    let served = Served::run(command);
    browser.go(&served.url("/"));
    // without any click, the page reloads itself until there is something to show
    browser.until("document.querySelectorAll('.hits li').length > 0");
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    browser.look("collect-first");
    let first: u64 = browser.text(".count strong").parse().unwrap();
    // and goes on growing, without a reload, and without moving the hit that is read
    let top = browser.text(".hits .hit h3 a");
    browser.until(&format!("Number(document.querySelector('.count strong').textContent) > {first}"));
    browser.until(&format!("document.querySelectorAll('.hits .hit').length > {first} || {first} >= 24"));
    assert_eq!(browser.text(".hits .hit h3 a"), top);
    browser.follow_to("a", "Crawl");
    browser.until("document.querySelector('[data-live=state]').textContent === 'crawling'");
    browser.look("collect-crawl");
    browser.follow_to("button", "Stop");
    browser.until("document.querySelector('[data-live=state]').textContent === 'idle'");
    let message = browser.text("[data-live=message]");
    assert!(message.contains("stopped; start again to resume"), "{message}");
    // the result stays until Ctrl-C
    browser.follow_to("a", "Search");
    assert!(browser.count(".hits li") > 0);
    served.interrupt();
    assert_eq!(served.end().code(), Some(0));
}
