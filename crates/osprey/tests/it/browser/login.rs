//! A server with a token lets in who knows it.

use crate::browser::driver::{Browser, ENTER};
use crate::served::Served;

const TOKEN: &str = "a token of many characters";

#[test]
fn only_who_knows_the_token_comes_in() {
    let Some(browser) = Browser::start() else { return };
    let dir = crate::browser::projects::photos("login");
    let served = Served::with_token(&[&dir], TOKEN);
    browser.go(&served.url("/p/login/?q=beach"));
    assert_eq!(browser.address().path(), "/login");
    assert_eq!(browser.value("document.activeElement.id"), "token");
    browser.look("login");

    browser.type_into("#token", "a guess of many characters");
    browser.press(ENTER);
    assert_eq!(browser.text(".trouble"), "wrong token");
    let complaints = browser.complaints();
    assert!(complaints.iter().all(|line| line.contains("status of 401")), "{complaints:?}");
    browser.look("login-refused");

    browser.type_into("#token", TOKEN);
    browser.press(ENTER);
    // on to where one wanted to go
    browser.until("location.pathname === '/p/login/'");
    assert_eq!(browser.field("#q"), "beach");
    assert!(browser.pictures(".shot img") > 0);
    assert_eq!(browser.value("document.cookie"), "", "no script sees the session");
    browser.look("login-done");

    browser.follow_to("button", "Log out");
    assert_eq!(browser.address().path(), "/login");
    browser.go(&served.url("/p/login/crawl"));
    assert_eq!(browser.address().path(), "/login");
    browser.look("login-over");
}
