//! Chromium, driven by hand: the part of WebDriver that these tests speak, over HTTP/1.1 on loopback.
//!
//! A person's means only: clicks, keys, and what is shown. Scripts are run to read a page, to drop a file on it, and to
//! wait. One chromedriver serves all tests of the binary; it ends when its standard input does, which is when the tests end,
//! however they end.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::http;

/// What WebDriver calls an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";
/// How long is waited for what is to come; only a failing test waits for all of it.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often is looked whether it came.
const LOOK: Duration = Duration::from_millis(20);
/// How often an element is looked for that was there a moment ago.
const TRIES: usize = 5;
/// The shift key, in WebDriver's alphabet.
const SHIFT: &str = "\u{e008}";
/// The tabulator.
pub(crate) const TAB: &str = "\u{e004}";
/// The return key.
pub(crate) const ENTER: &str = "\u{e007}";

/// Where screenshots, profiles and projects of these tests are.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser")
}

/// The process that starts browsers.
struct Driver {
    address: SocketAddr,
    chromium: PathBuf,
    /// Held for what they hold: its input ends it, its output must be read.
    _child: (Child, BufReader<ChildStdout>),
}

impl Driver {
    fn start() -> Option<Self> {
        let (driver, chromium) = (program("chromedriver")?, program("chromium")?);
        // in a group of its own, with the browsers that wait for a test when there is none any more
        let script = "setsid \"$0\" --port=0 & read -r _; kill -- -$!; wait $! 2>/dev/null";
        let mut command = Command::new("sh");
        command.args(["-c", script]).arg(driver).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut said = BufReader::new(child.stdout.take().unwrap());
        let port = said.by_ref_lines().find_map(|line| {
            let (_, port) = line.rsplit_once("started successfully on port ")?;
            port.trim_end_matches('.').parse::<u16>().ok()
        });
        let address = SocketAddr::from(([127, 0, 0, 1], port.expect("chromedriver says its port")));
        Some(Self { address, chromium, _child: (child, said) })
    }

    fn command(&self, method: &str, path: &str, body: &Value) -> Result<Value, String> {
        let body = if method == "POST" { body.to_string() } else { String::new() };
        let headers = [("Content-Type", "application/json")];
        let answer = http::ask(self.address, method, path, &headers, body.as_bytes());
        let value = answer.json()["value"].clone();
        match answer.status {
            200 => Ok(value),
            _ => Err(format!("{} {}", value["error"].as_str().unwrap_or("?"), value["message"])),
        }
    }
}

/// Lines that leave the reader where it is.
trait Lines: BufRead {
    fn by_ref_lines(&mut self) -> impl Iterator<Item = String> {
        std::iter::from_fn(|| {
            let mut line = String::new();
            let read = self.read_line(&mut line).ok()?;
            (read > 0).then(|| line.trim_end().to_owned())
        })
    }
}

impl<R: BufRead> Lines for R {}

fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

fn driver() -> Option<&'static Driver> {
    static DRIVER: OnceLock<Option<Driver>> = OnceLock::new();
    let driver = DRIVER.get_or_init(Driver::start).as_ref();
    if driver.is_none() {
        let is_required = std::env::var_os("OSPREY_BROWSER").is_some_and(|value| value == "required");
        assert!(!is_required, "chromium or chromedriver is not installed");
        eprintln!("left out: tests in a browser (chromium or chromedriver is not installed)");
    }
    driver
}

/// A browser with one window. It takes a second or two to start, so one that served its test well serves the next.
pub(crate) struct Browser {
    driver: &'static Driver,
    /// The address of its session.
    session: String,
    has_scripts: bool,
}

/// Browsers that wait for a test: whether they run scripts, and their sessions.
static WAITING: Mutex<Vec<(bool, String)>> = Mutex::new(Vec::new());

fn waiting() -> MutexGuard<'static, Vec<(bool, String)>> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Browser {
    /// A browser; `None` where there is none.
    pub(crate) fn start() -> Option<Self> {
        Self::with_scripts(true)
    }

    /// A browser in which no script runs.
    pub(crate) fn without_scripts() -> Option<Self> {
        Self::with_scripts(false)
    }

    fn with_scripts(has_scripts: bool) -> Option<Self> {
        let driver = driver()?;
        let ready = {
            let mut waiting = waiting();
            let place = waiting.iter().position(|(kind, _)| *kind == has_scripts);
            place.map(|place| waiting.swap_remove(place).1)
        };
        let session = ready.unwrap_or_else(|| session(driver, has_scripts));
        Some(Self { driver, session, has_scripts })
    }

    fn command(&self, method: &str, path: &str, body: &Value) -> Result<Value, String> {
        self.driver.command(method, &format!("{}{path}", self.session), body)
    }

    fn post(&self, path: &str, body: Value) -> Value {
        self.command("POST", path, &body).unwrap_or_else(|error| panic!("{path} {body}: {error}"))
    }

    /// Opens an address and waits until it is loaded.
    pub(crate) fn go(&self, url: &str) {
        self.post("/url", json!({ "url": url }));
    }

    /// Loads the page again.
    pub(crate) fn reload(&self) {
        self.post("/refresh", json!({}));
    }

    /// The address of the page, decoded.
    pub(crate) fn address(&self) -> url::Url {
        let address = self.command("GET", "/url", &Value::Null).unwrap();
        address.as_str().unwrap().parse().unwrap()
    }

    /// A parameter of the page's address.
    pub(crate) fn parameter(&self, name: &str) -> Option<String> {
        let address = self.address();
        address.query_pairs().find(|(known, _)| known == name).map(|(_, value)| value.into_owned())
    }

    /// A command of Chromium's own protocol.
    pub(crate) fn devtools(&self, name: &str, parameters: Value) -> Value {
        self.post("/goog/cdp/execute", json!({ "cmd": name, "params": parameters }))
    }

    fn find(&self, css: &str) -> String {
        let found = self.post("/element", json!({ "using": "css selector", "value": css }));
        found[ELEMENT].as_str().unwrap().to_owned()
    }

    fn find_named(&self, tag: &str, text: &str) -> String {
        let path = format!("//{tag}[normalize-space()=\"{text}\"]");
        let found = self.post("/element", json!({ "using": "xpath", "value": path }));
        found[ELEMENT].as_str().unwrap().to_owned()
    }

    /// Clicks what `find` finds; once more where the page was loaded again in between.
    fn click_found(&self, find: impl Fn() -> String) {
        let mut tries = 0..TRIES;
        while let Err(error) = self.command("POST", &format!("/element/{}/click", find()), &json!({})) {
            let is_gone = error.starts_with("stale element") || error.contains("not belong to the document");
            assert!(is_gone && tries.next().is_some(), "{}: {error}", self.address());
        }
    }

    /// Clicks the first element of this kind.
    pub(crate) fn click(&self, css: &str) {
        self.click_found(|| self.find(css));
    }

    /// Clicks the first element with this tag and text.
    pub(crate) fn click_on(&self, tag: &str, text: &str) {
        self.click_found(|| self.find_named(tag, text));
    }

    /// Clicks what leads to another page, and waits for that.
    pub(crate) fn follow(&self, css: &str) {
        self.leave(|| self.click(css));
    }

    /// The same by tag and text.
    pub(crate) fn follow_to(&self, tag: &str, text: &str) {
        self.leave(|| self.click_on(tag, text));
    }

    /// Does what leads to another page, and waits until that is there.
    pub(crate) fn leave(&self, go: impl FnOnce()) {
        self.js("window.isLeft = true", json!([]));
        go();
        self.until("!window.isLeft && document.readyState === 'complete'");
    }

    /// Clicks with the shift key held down.
    pub(crate) fn shift_click(&self, css: &str) {
        let element = json!({ ELEMENT: self.find(css) });
        self.js("arguments[0].scrollIntoView({ block: 'center' })", json!([element]));
        let at = json!({ "type": "pointerMove", "origin": element, "x": 0, "y": 0 });
        let rest = json!({ "type": "pause" });
        self.post(
            "/actions",
            json!({ "actions": [
                { "type": "key", "id": "keys", "actions": [rest, { "type": "keyDown", "value": SHIFT }, rest, rest, { "type": "keyUp", "value": SHIFT }] },
                { "type": "pointer", "id": "mouse", "actions": [at, rest, { "type": "pointerDown", "button": 0 }, { "type": "pointerUp", "button": 0 }, rest] },
            ] }),
        );
    }

    /// Types into an element; for a file input, the path of a file.
    pub(crate) fn type_into(&self, css: &str, text: &str) {
        self.post(&format!("/element/{}/value", self.find(css)), json!({ "text": text }));
    }

    /// Empties a field and types into it.
    pub(crate) fn fill(&self, css: &str, text: &str) {
        self.post(&format!("/element/{}/clear", self.find(css)), json!({}));
        self.type_into(css, text);
    }

    /// Presses a key, wherever the focus is.
    pub(crate) fn press(&self, key: &str) {
        let keys = json!([{ "type": "keyDown", "value": key }, { "type": "keyUp", "value": key }]);
        self.post("/actions", json!({ "actions": [{ "type": "key", "id": "keys", "actions": keys }] }));
    }

    /// Runs a script in the page; `arguments` are its arguments.
    pub(crate) fn js(&self, script: &str, arguments: Value) -> Value {
        self.post("/execute/sync", json!({ "script": script, "args": arguments }))
    }

    /// Runs a script that says when it is done; its last argument is how.
    pub(crate) fn js_later(&self, script: &str) -> Value {
        self.post("/execute/async", json!({ "script": script, "args": [] }))
    }

    /// The value of an expression in the page.
    pub(crate) fn value(&self, expression: &str) -> Value {
        self.js(&format!("return ({expression});"), json!([]))
    }

    /// The texts of all elements of this kind, as they stand in the page now.
    pub(crate) fn texts(&self, css: &str) -> Vec<String> {
        let script =
            "return [...document.querySelectorAll(arguments[0])].map(each => each.textContent.trim());";
        serde_json::from_value(self.js(script, json!([css]))).unwrap()
    }

    /// The text of the first element of this kind, once there is one.
    pub(crate) fn text(&self, css: &str) -> String {
        self.find(css);
        self.texts(css).swap_remove(0)
    }

    /// How many elements of this kind there are.
    pub(crate) fn count(&self, css: &str) -> usize {
        self.texts(css).len()
    }

    /// The value of a field.
    pub(crate) fn field(&self, css: &str) -> String {
        let value = self.js("return document.querySelector(arguments[0]).value;", json!([css]));
        value.as_str().unwrap().to_owned()
    }

    /// Waits until an expression is true in the page.
    pub(crate) fn until(&self, expression: &str) {
        let since = Instant::now();
        let script = json!({ "script": format!("return !!({expression});"), "args": [] });
        // a page that goes away answers with an error: the next one is asked
        while self.command("POST", "/execute/sync", &script) != Ok(Value::Bool(true)) {
            assert!(since.elapsed() < PATIENCE, "{}: never `{expression}`", self.address());
            std::thread::park_timeout(LOOK);
        }
    }

    /// Pictures that are shown and have pixels; waits for them, and fails if one is broken.
    pub(crate) fn pictures(&self, css: &str) -> usize {
        let eager =
            format!("document.querySelectorAll('{css}').forEach(each => {{ each.loading = 'eager'; }});");
        self.js(&eager, json!([]));
        self.until(&format!("[...document.querySelectorAll('{css}')].every(each => each.complete)"));
        let broken = format!(
            "[...document.querySelectorAll('{css}')].filter(each => !each.naturalWidth).map(each => each.src)"
        );
        assert_eq!(self.value(&broken), json!([]), "{}: broken pictures", self.address());
        self.count(css)
    }

    /// What the console said since the last look, without what is only told.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let log = self.post("/se/log", json!({ "type": "browser" }));
        let lines =
            log.as_array().unwrap().iter().filter(|line| line["level"] != "INFO" && line["level"] != "DEBUG");
        lines.map(|line| line["message"].as_str().unwrap().to_owned()).collect()
    }

    /// Nothing was wrong on any page since the last look; a picture of this one is kept.
    pub(crate) fn look(&self, name: &str) {
        self.keep(name);
        let complaints = self.complaints();
        assert!(complaints.is_empty(), "{name}, {}: {complaints:#?}", self.address());
    }

    /// Keeps a picture of the whole page.
    pub(crate) fn keep(&self, name: &str) {
        let how = json!({ "format": "jpeg", "quality": 60, "captureBeyondViewport": true });
        self.screenshot(&format!("{name}.jpg"), how);
    }

    /// Writes a picture of the page.
    pub(crate) fn screenshot(&self, file: &str, how: Value) {
        let shot = self.devtools("Page.captureScreenshot", how);
        let bytes = base64(shot["data"].as_str().unwrap());
        std::fs::create_dir_all(folder()).unwrap();
        std::fs::write(folder().join(file), bytes).unwrap();
    }

    /// A window of this width, on a telephone if it is narrow.
    pub(crate) fn resize(&self, width: u32) {
        let metrics = json!({ "width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600 });
        self.devtools("Emulation.setDeviceMetricsOverride", metrics);
    }

    /// Dark, as the reader's system says.
    pub(crate) fn darken(&self, is_dark: bool) {
        let scheme = if is_dark { "dark" } else { "light" };
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.devtools("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// How many windows there are.
    pub(crate) fn windows(&self) -> usize {
        self.command("GET", "/window/handles", &Value::Null).unwrap().as_array().unwrap().len()
    }

    /// The text of a box that a script opened.
    pub(crate) fn alert(&self) -> Option<String> {
        let text = self.command("GET", "/alert/text", &Value::Null).ok()?;
        Some(text.as_str().unwrap_or_default().to_owned())
    }

    /// Resets the browser for the next test; returns whether that succeeded.
    fn is_clean(&self) -> bool {
        let devtools =
            |name: &str| self.command("POST", "/goog/cdp/execute", &json!({ "cmd": name, "params": {} }));
        let steps = [
            self.command("POST", "/url", &json!({ "url": "about:blank" })),
            devtools("Network.clearBrowserCookies"),
            devtools("Emulation.clearDeviceMetricsOverride"),
            devtools("Emulation.setEmulatedMedia"),
            self.command("POST", "/se/log", &json!({ "type": "browser" })),
        ];
        steps.iter().all(Result::is_ok) && self.windows() == 1
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !std::thread::panicking() && self.is_clean() {
            waiting().push((self.has_scripts, self.session.clone()));
            return;
        }
        let _ = self.command("GET", "/url", &Value::Null).map(|url| eprintln!("the browser was at {url}"));
        let _ = self.command("DELETE", "", &Value::Null);
    }
}

/// Starts a browser; the address of its session.
fn session(driver: &Driver, has_scripts: bool) -> String {
    static STARTED: AtomicUsize = AtomicUsize::new(0);
    let number = STARTED.fetch_add(1, Ordering::Relaxed);
    let profile = folder().join(format!("profile-{number}"));
    let _ = std::fs::remove_dir_all(&profile);
    let flags = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-dev-shm-usage",
        "--window-size=1200,900",
        &format!("--user-data-dir={}", profile.display()),
    ];
    let javascript = if has_scripts { 1 } else { 2 };
    let preferences = json!({ "profile.managed_default_content_settings.javascript": javascript });
    let wanted = json!({ "capabilities": { "alwaysMatch": {
        "goog:chromeOptions": { "binary": driver.chromium, "args": flags, "prefs": preferences },
        "goog:loggingPrefs": { "browser": "ALL" },
        "timeouts": { "implicit": PATIENCE.as_millis() as u64 },
        "unhandledPromptBehavior": "ignore",
    } } });
    let made = driver.command("POST", "/session", &wanted).unwrap();
    format!("/session/{}", made["sessionId"].as_str().unwrap())
}

/// The bytes of a text in base 64.
fn base64(text: &str) -> Vec<u8> {
    let digits = text.bytes().filter_map(|byte| {
        Some(match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        })
    });
    let digits: Vec<u8> = digits.collect();
    let groups = digits.chunks(4).flat_map(|group| {
        let bits =
            group.iter().fold(0u32, |bits, digit| bits << 6 | u32::from(*digit)) << (6 * (4 - group.len()));
        bits.to_be_bytes().into_iter().skip(1).take(group.len() - 1)
    });
    groups.collect()
}

#[test]
fn screenshots_are_decoded() {
    let check = |text: &str, expect: &[u8]| assert_eq!(base64(text), expect);
    check("", b"");
    check("TQ==", b"M");
    check("TWE=", b"Ma");
    check("TWFu/+9", &[b'M', b'a', b'n', 0xff, 0xef]);
}
