//! The pages as a person uses them, in a real browser: Debian's `chromium` and `chromium-driver`. Where they are not
//! installed these tests are left out, unless `OSPREY_BROWSER=required` is set.
//!
//! Every test ends with a console that has nothing to complain of, and leaves a picture of what it saw in
//! `target/tmp/browser/`. `OSPREY_AXE` names the file of axe-core for the check of accessibility.

mod collecting;
mod crawling;
mod driver;
mod harm;
mod item;
mod login;
mod looks;
mod plain;
mod projects;
mod rating;
mod searching;
mod shots;
mod steering;

use driver::Browser;

use crate::served::Served;

/// A browser and a server for a test that is called `name`, which has the simulated photographs; `None` without a browser.
fn photos(name: &str) -> Option<(Browser, Served)> {
    let browser = Browser::start()?;
    let dir = projects::photos(name);
    Some((browser, Served::start(&[&dir], &[])))
}
