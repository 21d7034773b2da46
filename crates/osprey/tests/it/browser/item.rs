//! One document: what is seen in its picture, what is like it, why it was fetched.

use crate::browser::driver::ENTER;

#[test]
fn an_item_shows_what_is_seen_in_it_and_why_it_was_fetched() {
    let Some((browser, served)) = super::photos("item") else { return };
    browser.go(&served.url("/p/item/?q=beach"));
    let title = browser.text(".hit h3 a");
    browser.follow(".hit .shot");
    assert_eq!(browser.text("h1"), title);

    // each layer is a picture of its own
    let mut pictures = Vec::new();
    for layer in ["Picture", "Tiles", "Regions", "Segments", "Colour words", "Texture words"] {
        browser.follow_to("a", layer);
        assert_eq!(browser.text(".layers [aria-current]"), layer);
        assert_eq!(browser.pictures("img.large"), 1);
        let address = browser.value("document.querySelector('img.large').getAttribute('src')");
        pictures.push(crate::http::get(served.address, address.as_str().unwrap()).body);
        browser.look(&format!("item-{}", layer.to_lowercase().replace(' ', "-")));
    }
    pictures.sort();
    pictures.dedup();
    assert_eq!(pictures.len(), 6);

    let about = browser.text(".about");
    for expect in ["Address", "By", "Tags", "Fetched", "Found on", "by policy profile", "Relevance"] {
        assert!(about.contains(expect), "{expect}: {about}");
    }
    // what a score is made of, and how large each part is
    assert!(browser.count("table.why tr") > 0);
    assert_eq!(browser.count("table.why meter"), browser.count("table.why tr"));

    assert!(browser.count(".few .hit") > 3);
    browser.pictures(".few .shot img");
    let tag = browser.text(".chips a");
    browser.follow_to("a", "All similar documents");
    assert!(browser.parameter("like_url").is_some());
    assert!(browser.count(".hits .hit") > 3);
    browser.look("item-alike");
    browser.press("/");
    browser.press("a");
    browser.leave(|| browser.press(ENTER));
    assert!(browser.parameter("like_url").is_some(), "more words narrow down what is alike");

    // a word of a picture, and a tag, lead to those that have it
    browser.go(&served.url("/p/item/?q=beach"));
    browser.follow(".hit .shot");
    browser.follow(".words a");
    assert!(browser.field("#q").starts_with("color:"), "{}", browser.field("#q"));
    browser.go(&served.url("/p/item/?q=beach"));
    browser.follow(".hit .shot");
    browser.follow(".chips a");
    assert_eq!(browser.field("#q"), format!("tag:\"{tag}\""));
    assert!(browser.count(".hit") > 0);
    browser.look("item-tag");
}
