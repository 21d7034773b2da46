//! Looking for things: words, swatches, places, pictures, what narrows down.

use std::collections::BTreeSet;

use serde_json::json;

use crate::browser::driver::{Browser, ENTER, folder};
use crate::served::Served;

/// The titles that are shown.
fn titles(browser: &Browser) -> Vec<String> {
    browser.texts(".hit h3")
}

/// The number of documents that were found.
fn found(browser: &Browser) -> usize {
    browser.text(".count strong").replace(',', "").parse().unwrap()
}

/// Opens the search page of a project.
fn open(browser: &Browser, served: &Served, project: &str) {
    browser.go(&served.url(&format!("/p/{project}/")));
}

#[test]
fn words_are_typed_and_what_is_found_is_narrowed_down() {
    let Some((browser, served)) = super::photos("words") else { return };
    browser.go(&served.url("/"));
    let all = found(&browser);
    assert_eq!(browser.address().path(), "/p/words/");
    browser.look("search-empty");

    browser.type_into("#q", "beach");
    browser.press(ENTER);
    browser.until("document.title.startsWith('beach')");
    let beaches = found(&browser);
    assert!(0 < beaches && beaches < all, "{beaches} of {all}");
    assert!(browser.pictures(".shot img") > 5);
    assert!(browser.count("svg.bands") > 5);
    browser.look("search-words");

    let (tag, count) = (browser.text(".facet a"), browser.text(".facet .number"));
    browser.follow(".facet a");
    assert_eq!(browser.parameter("q").unwrap(), format!("beach tag:\"{tag}\""));
    assert_eq!(found(&browser).to_string(), count);
    browser.look("search-facet");

    open(&browser, &served, "words");
    browser.fill("#q", "photo");
    browser.follow(".box button");
    let chip = browser.text(".clusters a");
    browser.follow(".clusters a");
    let tag = browser.parameter("q").unwrap().replace("photo tag:", "");
    assert!(chip.starts_with(tag.trim_matches('"')), "{chip} became {tag}");
    assert!(found(&browser) > 0);
    browser.look("search-cluster");
}

#[test]
fn words_are_completed_and_misspelt_ones_put_right() {
    let Some((browser, served)) = super::photos("spelling") else { return };
    open(&browser, &served, "spelling");
    browser.type_into("#q", "-dog bea");
    browser.until("document.querySelector('#completions option')");
    let completions =
        browser.value("[...document.querySelectorAll('#completions option')].map(each => each.value)");
    let completions: Vec<&str> =
        completions.as_array().unwrap().iter().filter_map(|each| each.as_str()).collect();
    assert!(completions.contains(&"-dog beach"), "{completions:?}");

    browser.fill("#q", "baech");
    browser.press(ENTER);
    assert_eq!(browser.text(".mean"), "beach");
    assert_eq!(found(&browser), 0);
    browser.look("search-suggestion");
    browser.follow(".mean");
    assert_eq!(browser.field("#q"), "beach");
    assert!(found(&browser) > 0);

    browser.fill("#q", "beach (color:bluu");
    browser.press(ENTER);
    let trouble = browser.text(".trouble");
    assert!(trouble.contains('^'), "{trouble}");
    // a question that cannot be answered has such a status, which Chromium notes
    let complaints = browser.complaints();
    assert!(complaints.iter().all(|line| line.contains("status of 400")), "{complaints:?}");
    browser.look("search-trouble");
}

#[test]
fn swatches_say_what_a_picture_has_and_where() {
    let Some((browser, served)) = super::photos("swatches") else { return };
    open(&browser, &served, "swatches");
    browser.click_on("summary", "Colours and textures");
    let swatch = |browser: &Browser, place: usize| {
        let value = format!("document.querySelectorAll('.swatches:not(.tiles) button')[{place}].value");
        browser.value(&value).as_str().unwrap().to_owned()
    };
    let (first, second) = (swatch(&browser, 60), swatch(&browser, 100));
    browser.follow(&format!("button[value='{first}']"));
    assert_eq!(browser.field("#q"), first);
    let with = found(&browser);
    assert!(with > 0);
    // what was opened stays open
    browser.leave(|| browser.shift_click(&format!("button[value='{second}']")));
    assert_eq!((browser.field("#q"), browser.windows()), (format!("{first} -{second}"), 1));
    assert!(found(&browser) <= with);
    browser.look("search-swatches");

    open(&browser, &served, "swatches");
    browser.click_on("summary", "Colours and textures");
    browser.click(".places input[value='top']");
    browser.follow(&format!("button[value='{second}']"));
    assert_eq!(browser.field("#q"), format!("{second}@top"));
    browser.click(".places input[value='bottom-left']");
    browser.click("#minus");
    browser.follow("button[value='texture:7']");
    assert_eq!(browser.field("#q"), format!("{second}@top -texture:7@bottom-left"));
    browser.look("search-region");
}

#[test]
fn a_picture_is_dropped_or_chosen() {
    let Some((browser, served)) = super::photos("example") else { return };
    open(&browser, &served, "example");
    browser.fill("#q", "beach");
    browser.press(ENTER);
    browser.until("document.title.startsWith('beach')");
    browser.pictures(".shot img");
    // the thumbnail of a result comes back as a file
    let thumbnail = browser.value("document.querySelector('.shot img').getAttribute('src')");
    let bytes = crate::http::get(served.address, thumbnail.as_str().unwrap()).body;
    let file = folder().join("example.jpg");
    std::fs::write(&file, &bytes).unwrap();

    open(&browser, &served, "example");
    browser.js(
        "const bytes = new Uint8Array(arguments[0]);
         const given = new DataTransfer();
         given.items.add(new File([bytes], 'mine.jpg', { type: 'image/jpeg' }));
         for (const type of ['dragover', 'drop']) {
           document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: given }));
         }",
        json!([bytes]),
    );
    browser.until("location.search.includes('like=')");
    assert_eq!(browser.pictures(".like img"), 1);
    let first = browser.value("document.querySelector('.shot img').getAttribute('src')");
    assert_eq!(first, thumbnail, "a picture is most like itself");
    browser.look("search-drop");

    open(&browser, &served, "example");
    browser.type_into("#image", file.to_str().unwrap());
    browser.until("location.search.includes('like=')");
    assert_eq!(browser.value("document.querySelector('.shot img').getAttribute('src')"), thumbnail);
    browser.follow_to("a", "Remove");
    assert_eq!(browser.parameter("like"), None);

    let no_picture = folder().join("no-picture.jpg");
    std::fs::write(&no_picture, "<html><script>window.harmed=1</script>").unwrap();
    browser.type_into("#image", no_picture.to_str().unwrap());
    assert!(browser.text(".trouble").contains("picture"), "{}", browser.text(".trouble"));
    let complaints = browser.complaints();
    assert!(complaints.iter().all(|line| line.contains("status of 400")), "{complaints:?}");
    browser.look("search-no-picture");
}

#[test]
fn pages_of_results_go_on_without_repeating() {
    let Some((browser, served)) = super::photos("paging") else { return };
    browser.go(&served.url("/p/paging/?q=photo"));
    let all = found(&browser);
    assert!(all > 48, "{all}");
    let (mut seen, mut pages) = (BTreeSet::new(), 0);
    loop {
        pages += 1;
        let links = browser
            .value("[...document.querySelectorAll('.hit h3 a')].map(each => each.getAttribute('href'))");
        for link in links.as_array().unwrap() {
            assert!(seen.insert(link.as_str().unwrap().to_owned()), "{link} is there twice");
        }
        if browser.count("a[rel=next]") == 0 {
            break;
        }
        browser.follow("a[rel=next]");
    }
    assert_eq!((seen.len(), pages), (all, all.div_ceil(24)));
    browser.follow("a[rel=prev]");
    assert_eq!(browser.parameter("offset").unwrap(), ((pages - 2) * 24).to_string());
    assert_eq!(titles(&browser).len(), 24);
    browser.look("search-paging");
}

#[test]
fn keys_are_enough() {
    let Some((browser, served)) = super::photos("keys") else { return };
    browser.go(&served.url("/p/keys/?q=beach"));
    let focus = |browser: &Browser| browser.value("document.activeElement.textContent.trim()");
    browser.press("/");
    assert_eq!(browser.value("document.activeElement.id"), "q");
    // in the box a letter is a letter
    browser.press("j");
    assert_eq!(browser.field("#q"), "beachj");
    browser.js("document.activeElement.blur()", json!([]));
    let titles = titles(&browser);
    for (key, expect) in [("j", 0), ("j", 1), ("j", 2), ("k", 1)] {
        browser.press(key);
        assert_eq!(focus(&browser), titles[expect], "after {key}");
    }
    browser.press(ENTER);
    browser.until("document.querySelector('.layers')");
    assert_eq!(browser.text("h1"), titles[1]);

    // with the tabulator alone, from the top: first past the menu, then to the box
    browser.go(&served.url("/p/keys/"));
    let mut ways = Vec::new();
    while ways.last().is_none_or(|id| id != "q") {
        browser.press(crate::browser::driver::TAB);
        let id = browser.value("document.activeElement.id || document.activeElement.textContent.trim()");
        ways.push(id.as_str().unwrap().to_owned());
        assert!(ways.len() < 12, "{ways:?}");
    }
    assert_eq!(ways[0], "Skip to content");
    browser.look("search-keys");
}
