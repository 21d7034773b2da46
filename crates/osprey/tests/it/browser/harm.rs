//! Content that means harm: nothing of it runs, becomes an element, or makes the browser ask anybody else.

use std::fs;

use serde_json::{Value, json};

use crate::browser::driver::{Browser, folder};
use crate::browser::projects::HARM;
use crate::served::Served;

/// What a page would have, had harm been done.
const HARMED: &str = "
    const found = [];
    if (window.harmed !== undefined) found.push(`a script ran: ${window.harmed}`);
    for (const each of document.querySelectorAll('*')) {
      const names = each.getAttributeNames();
      if (names.some(name => name.startsWith('on'))) found.push(each.outerHTML);
      for (const name of ['href', 'src', 'action', 'formaction', 'xlink:href', 'content']) {
        if (/^\\s*(javascript|data|vbscript):/i.test(each.getAttribute(name) ?? '')) found.push(each.outerHTML);
      }
    }
    for (const each of document.querySelectorAll('iframe, frame, object, embed, body style, base, math, template, foreignObject')) {
      found.push(each.outerHTML);
    }
    for (const each of document.scripts) {
      if (!each.src.startsWith(`${location.origin}/static/`)) found.push(each.outerHTML);
    }
    for (const each of document.querySelectorAll('img, link, form')) {
      const to = each.src ?? (each.matches('form') ? each.action : each.href);
      if (typeof to === 'string' && !to.startsWith(`${location.origin}/`)) found.push(each.outerHTML);
    }
    for (const { name } of performance.getEntriesByType('resource')) {
      if (!name.startsWith(`${location.origin}/`)) found.push(`asked elsewhere: ${name}`);
    }
    return found;";

/// Nothing happened on the page that is open, though what means harm can be read there.
fn unharmed(browser: &Browser, name: &str) {
    assert_eq!(browser.alert(), None, "{name}");
    assert_eq!(browser.js(HARMED, json!([])), json!([]), "{name}: {}", browser.address());
    assert_eq!(browser.windows(), 1, "{name}");
    let complaints = browser.complaints();
    assert!(complaints.is_empty(), "{name}, {}: {complaints:#?}", browser.address());
}

/// All addresses that links of this kind lead to.
fn links(browser: &Browser, css: &str) -> Vec<String> {
    let found = browser
        .js("return [...document.querySelectorAll(arguments[0])].map(each => each.href)", json!([css]));
    serde_json::from_value(found).unwrap()
}

#[test]
fn what_was_crawled_stays_text() {
    let Some(browser) = Browser::start() else { return };
    let dir = crate::browser::projects::harmful("harm-crawled");
    let served = Served::start(&[&dir], &[]);
    let at = |path: &str| served.url(&format!("/p/harm-crawled/{path}"));
    browser.go(&at(""));
    // it is all there: as text
    let shown = browser.text("main");
    for text in ["<script>window.harmed='script'</script>", "<iframe src="] {
        assert!(shown.contains(text), "{text}: {shown}");
    }
    assert!(browser.count(".facet a") > 5, "tags and names are found in these pages");
    browser.pictures(".shot img");
    unharmed(&browser, "search");
    browser.look("harm-search");
    let items = links(&browser, ".hit h3 a");
    let facets = links(&browser, ".facet a");
    // all of the harm stands in the first so many
    for (number, link) in facets.iter().take(HARM.len()).chain(items.iter().take(HARM.len())).enumerate() {
        browser.go(link);
        browser.pictures("img");
        unharmed(&browser, &format!("page-{number}"));
    }
    assert!(items.len() > 10);
    assert!(browser.text(".about").contains("harm"));
    browser.look("harm-item");

    for path in ["crawl", "sitemap", "topic", "topic?expand=harm", "sitemap.svg"] {
        browser.go(&at(path));
        unharmed(&browser, path);
    }
    // live figures are written by a script
    browser.go(&at("crawl"));
    browser.js("document.querySelector('[data-live=recent]').replaceChildren()", json!([]));
    browser.until("document.querySelectorAll('[data-live=recent] a').length > 10");
    unharmed(&browser, "live");
    browser.look("harm-live");
}

#[test]
fn questions_stay_text() {
    let Some((browser, served)) = super::photos("harm-asked") else { return };
    for (number, harm) in HARM.iter().enumerate() {
        let escaped: String = url::form_urlencoded::byte_serialize(harm.as_bytes()).collect();
        let ways = [
            format!("?q={escaped}"),
            format!("?q=photo&like_url={escaped}&like={escaped}&ranking={escaped}"),
            format!("topic?expand={escaped}&genre_pages={escaped}"),
            format!("item?url={escaped}&layer=tiles"),
        ];
        for path in [&format!("?q=%22{escaped}%22"), &ways[number % ways.len()]] {
            browser.go(&served.url(&format!("/p/harm-asked/{path}")));
            // what cannot be answered has a status that says so
            let complaints = browser.complaints();
            assert!(complaints.iter().all(|line| line.contains("status of 40")), "{path}: {complaints:?}");
            unharmed(&browser, path);
        }
    }
    browser.go(&served.url("/login?to=javascript:window.harmed=1%22%3E%3Cscript%3Ewindow.harmed=1%3C/script%3E"));
    unharmed(&browser, "login");
}

#[test]
fn names_of_files_and_folders_stay_text() {
    let Some(browser) = Browser::start() else { return };
    let dir =
        crate::browser::projects::harmful_pictures("harm-\"><img src=x onerror=\"window.harmed='folder'\">");
    let lab = folder().join("harm-lab");
    crate::browser::steering::report(
        &lab,
        "<img src=x onerror=window.harmed='report'>",
        "<script>window.harmed='report'</script>",
    );
    let served = Served::start(&[&dir], &["--lab", lab.to_str().unwrap()]);
    browser.go(&served.url("/"));
    assert_eq!(browser.text(".count strong"), "22");
    browser.pictures(".shot img");
    unharmed(&browser, "pictures");
    browser.look("harm-pictures");
    let images: Vec<String> = links(&browser, ".hit h3 a");
    for (number, link) in images.iter().take(HARM.len()).enumerate() {
        browser.go(link);
        assert_eq!(browser.pictures("img.large"), 1);
        unharmed(&browser, &format!("picture-{number}"));
    }
    // pictures are painted anew: nothing that stood beside the pixels is left
    let bytes = browser.value("[...document.images].map(each => each.src)");
    for address in bytes.as_array().unwrap().iter().filter_map(Value::as_str) {
        let path = address.split_once(&served.address.to_string()).unwrap().1;
        let picture = crate::http::get(served.address, path);
        assert_eq!(picture.header("content-type"), Some("image/jpeg"));
        assert!(!picture.text().contains("harmed"), "{path}");
    }

    browser.go(&served.url("/lab"));
    unharmed(&browser, "lab");
    browser.follow(".reports a");
    assert_eq!(browser.value("window.harmed"), Value::Null);
    // that it may not run is a complaint
    let complaints = browser.complaints();
    let is_refusal =
        |line: &String| line.contains("is sandboxed") || line.contains("Content Security Policy");
    assert!(!complaints.is_empty() && complaints.iter().all(is_refusal), "{complaints:?}");
    fs::remove_dir_all(lab).unwrap();
}
