//! How pages look: on a telephone, in the dark, and to those who do not see them.

use serde_json::json;

use crate::browser::driver::{Browser, folder};
use crate::served::Served;

/// A server with all kinds of page, and their addresses by name.
struct Site {
    served: Served,
    pages: Vec<(&'static str, String)>,
}

impl Site {
    fn open(browser: &Browser, name: &str) -> Self {
        let (dir, lab) = (crate::browser::projects::photos(name), folder().join(format!("{name}-lab")));
        crate::browser::steering::report(&lab, "baselines", "");
        let other = crate::browser::projects::photos(&format!("{name}-2"));
        let served = Served::start(&[&dir, &other], &["--lab", lab.to_str().unwrap()]);
        browser.go(&served.url(&format!("/p/{name}/?q=beach")));
        let item = browser.value("document.querySelector('.hit h3 a').getAttribute('href')");
        let page = |path: &str| format!("/p/{name}/{path}");
        let pages = vec![
            ("home", "/".to_owned()),
            ("search", page("?q=beach+color:blue@top")),
            ("nothing", page("?q=baech")),
            ("trouble", page("?q=beach+(")),
            ("item", item.as_str().unwrap().to_owned()),
            ("tiles", format!("{}&layer=tiles", item.as_str().unwrap())),
            ("crawl", page("crawl")),
            ("sitemap", page("sitemap")),
            ("topic", page("topic?expand=beach")),
            ("lab", "/lab".to_owned()),
            ("login", "/login".to_owned()),
            ("missing", "/nowhere".to_owned()),
        ];
        Self { served, pages }
    }

    /// Opens each page; what it is called.
    fn each(&self, browser: &Browser, mut look: impl FnMut(&str)) {
        for (name, path) in &self.pages {
            browser.go(&self.served.url(path));
            browser.until("document.querySelector('h1') && document.readyState === 'complete'");
            look(name);
            let complaints = browser.complaints();
            let is_noted = |line: &String| line.contains("status of 400") || line.contains("status of 404");
            assert!(complaints.iter().all(is_noted), "{name}: {complaints:#?}");
        }
    }
}

/// Things to click or fill in that stick out of the window where nothing can be scrolled to them.
const OUT_OF_REACH: &str = "
    const isScrolled = each => each !== null && (['auto', 'scroll'].includes(getComputedStyle(each).overflowX)
      || isScrolled(each.parentElement));
    return [...document.querySelectorAll('a, button, input:not([type=hidden]), select, textarea, summary')]
      .filter(each => each.checkVisibility() && !each.matches('.skip, .away'))
      .filter(each => {
        const { left, right } = each.getBoundingClientRect();
        return (left < 0 || right > innerWidth) && !isScrolled(each.parentElement);
      })
      .map(each => each.outerHTML.slice(0, 200));";

#[test]
fn a_telephone_shows_all_of_it() {
    let Some(browser) = Browser::start() else { return };
    let site = Site::open(&browser, "narrow");
    browser.resize(360);
    site.each(&browser, |name| {
        let widths = browser.value("[document.documentElement.scrollWidth, innerWidth]");
        assert_eq!(widths, json!([360, 360]), "{name} is wider than the window");
        assert_eq!(browser.js(OUT_OF_REACH, json!([])), json!([]), "{name}");
        browser.keep(&format!("narrow-{name}"));
    });
}

/// The lightness of what the page and its letters are painted with, from 0 to 1.
const LIGHTNESS: &str = "
    const style = getComputedStyle(document.documentElement);
    const lightness = colour => colour.match(/[0-9.]+/g).slice(0, 3).map(Number).reduce((a, b) => a + b) / 765;
    return [lightness(style.backgroundColor), lightness(style.color)];";

#[test]
fn the_dark_is_dark() {
    let Some(browser) = Browser::start() else { return };
    let site = Site::open(&browser, "dark");
    let lightness = |browser: &Browser| -> (f64, f64) {
        serde_json::from_value(browser.js(LIGHTNESS, json!([]))).unwrap()
    };
    browser.darken(false);
    let (ground, ink) = lightness(&browser);
    assert!(ground > 0.8 && ink < 0.2, "{ground} {ink}");
    browser.darken(true);
    site.each(&browser, |name| {
        let (ground, ink) = lightness(&browser);
        assert!(ground < 0.2 && ink > 0.8, "{name}: {ground} {ink}");
        browser.keep(&format!("dark-{name}"));
    });
}

/// The accessibility violations that axe-core finds.
const AXE: &str = "
    const done = arguments[arguments.length - 1];
    axe.run().then(({ violations }) => done(violations
      .filter(each => ['serious', 'critical'].includes(each.impact))
      .map(each => `${each.impact} ${each.id}: ${each.help}\\n${each.nodes.map(node => node.html + '\\n' + node.failureSummary).join('\\n')}`)));";

#[test]
fn pages_are_accessible() {
    let Some(axe) = std::env::var_os("OSPREY_AXE") else {
        eprintln!("left out: accessibility by axe-core (OSPREY_AXE is not set; scripts/test does)");
        return;
    };
    let axe = std::fs::read_to_string(&axe).unwrap_or_else(|error| panic!("{}: {error}", axe.display()));
    let Some(browser) = Browser::start() else { return };
    let site = Site::open(&browser, "axe");
    let mut found = Vec::new();
    for (is_dark, width) in [(false, 1200), (true, 1200), (false, 360)] {
        browser.darken(is_dark);
        browser.resize(width);
        site.each(&browser, |name| {
            browser.js(&axe, json!([]));
            let serious: Vec<String> = serde_json::from_value(browser.js_later(AXE)).unwrap();
            let place = format!("{name}, {width} wide, {}", if is_dark { "dark" } else { "light" });
            found.extend(serious.into_iter().map(|finding| format!("{place}: {finding}")));
        });
    }
    assert!(found.is_empty(), "{}", found.join("\n\n"));
}
