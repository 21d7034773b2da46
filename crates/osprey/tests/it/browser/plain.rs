//! The same without scripts: search, swatches, an example, a crawl, the sitemap.

use crate::browser::driver::{Browser, ENTER, folder};
use crate::served::Served;

fn start(name: &str) -> Option<(Browser, Served)> {
    let browser = Browser::without_scripts()?;
    let dir = crate::browser::projects::photos(name);
    Some((browser, Served::start(&[&dir], &[])))
}

#[test]
fn one_can_search_without_scripts() {
    let Some((browser, served)) = start("plain-search") else { return };
    browser.go(&served.url("/p/plain-search/"));
    browser.type_into("#q", "beach");
    browser.press(ENTER);
    browser.until("location.search.includes('q=beach')");
    browser.click_on("summary", "Colours and textures");
    browser.click(".places input[value='center']");
    browser.click("#minus");
    browser.follow(".swatches button");
    let query = browser.field("#q");
    assert!(query.starts_with("beach -color:") && query.ends_with("@center"), "{query}");
    browser.follow(".swatches.tiles button");
    let query = browser.field("#q");
    assert!(query.ends_with("@center texture:0"), "{query}");
    browser.look("plain-swatches");

    let file = folder().join("plain.jpg");
    std::fs::write(&file, crate::browser::projects::jpeg_with_comment()).unwrap();
    browser.type_into("#image", file.to_str().unwrap());
    // scripts would have sent it by now
    assert_eq!(browser.parameter("like"), None);
    browser.follow_to("button", "Find similar");
    assert!(browser.parameter("like").is_some());
    assert_eq!(browser.pictures(".like img"), 1);
    browser.look("plain-example");
}

#[test]
fn one_can_crawl_and_steer_without_scripts() {
    let Some((browser, served)) = start("plain-crawl") else { return };
    browser.go(&served.url("/p/plain-crawl/crawl"));
    let visited =
        |browser: &Browser| browser.text("[data-live=visited]").replace(',', "").parse::<u64>().unwrap();
    browser.fill("[name=budget]", "12000");
    browser.follow_to("button", "Start");
    assert_eq!(browser.text("[data-live=state]"), "crawling");
    // the page loads itself again
    browser
        .until("Number(document.querySelector('[data-live=visited]').textContent.replaceAll(',', '')) > 240");
    browser.look("plain-crawl");
    browser.follow_to("button", "Stop");
    browser.until("document.querySelector('[data-live=state]').textContent === 'idle'");
    assert!(visited(&browser) > 240);

    browser.follow_to("a", "Sitemap");
    browser.follow("tr[data-type] button[value=no]");
    assert_eq!(browser.count("button[value=no][aria-pressed=true]"), 1);
    browser.look("plain-sitemap");
    browser.follow_to("a", "Topic");
    browser.fill("#content_terms", "waves, surf");
    browser.follow_to("button", "Save");
    assert_eq!(browser.field("#content_terms"), "waves, surf");
    browser.look("plain-topic");
}
