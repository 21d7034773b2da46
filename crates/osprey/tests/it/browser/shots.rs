//! Pictures for the README, made by `scripts/screenshots`: no test, but made where the browser is.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::browser::driver::{Browser, folder};
use crate::project::osprey;
use crate::served::Served;

/// How large a page is laid out, and how much smaller its picture is.
const SIZE: (u32, u32) = (1200, 1080);
const SCALE: f64 = 0.75;
/// Bytes that a picture may have: a README is read on slow lines, too.
const MOST: u64 = 120 << 10;

fn shot(browser: &Browser, to: &Path, name: &str) {
    let clip = json!({ "x": 0, "y": 0, "width": SIZE.0, "height": SIZE.1, "scale": SCALE });
    let file = format!("{name}.jpg");
    browser.screenshot(
        &file,
        json!({ "format": "jpeg", "quality": 72, "clip": clip, "captureBeyondViewport": true }),
    );
    let bytes = std::fs::copy(folder().join(&file), to.join(&file)).unwrap();
    assert!(bytes < MOST, "{name}: {bytes} bytes");
}

#[test]
fn pictures_for_the_readme() {
    let Some(to) = std::env::var_os("OSPREY_SHOTS").map(PathBuf::from) else {
        eprintln!("left out: pictures for the README (OSPREY_SHOTS is not set; scripts/screenshots does)");
        return;
    };
    let Some(browser) = Browser::start() else { return };
    let dir = folder().join("demo");
    let made = osprey()
        .args(["demo", "--no-serve", "--quiet", "--site-port", "0", "--pages", "1200", "--dir"])
        .arg(&dir)
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let served = Served::start(&[&dir.join("profile"), &dir.join("breadth-first")], &[]);
    browser.resize(SIZE.0);
    browser.devtools("Emulation.setScrollbarsHidden", json!({ "hidden": true }));
    browser.go(&served.url("/"));
    shot(&browser, &to, "policies");
    browser.go(&served.url("/p/profile/?q=beach+color:blue@top"));
    browser.pictures(".shot img");
    shot(&browser, &to, "search");
    browser.follow(".hit .shot");
    browser.follow_to("a", "Tiles");
    browser.pictures("img");
    shot(&browser, &to, "item");
    for page in ["crawl", "sitemap"] {
        browser.go(&served.url(&format!("/p/profile/{page}")));
        browser.pictures("img");
        shot(&browser, &to, page);
    }
    browser.devtools("Emulation.setScrollbarsHidden", json!({ "hidden": false }));
}
