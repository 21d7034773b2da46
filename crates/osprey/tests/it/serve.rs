//! `osprey serve` as clients, attackers and programs see it: bytes on a socket, no browser.

use std::fs;

use osprey_vision::{Picture, draw};

use crate::http::{Answer, Connection, ask, get};
use crate::project::Project;
use crate::served::Served;

/// The name under which a project is served.
fn name(project: &Project) -> String {
    let name = project.path().canonicalize().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
    name.replace(|c: char| !c.is_ascii_alphanumeric() && c != '_', "-").trim_matches('-').to_owned()
}

/// A small site that was crawled and can be searched.
fn harbour() -> Project {
    let project = Project::harbour("[topic]\ntags = [\"boat\"] # a boat\n");
    project.json("crawl", &[]);
    project.json("index", &[]);
    project
}

/// A simulated site with enough pages that a crawl does not end during the test.
fn endless() -> Project {
    Project::new(
        "[crawl]\nscope = \"domain\"\n[source]\nkind = \"world\"\nname = \"photo\"\nsize = 20000\n[vision]\npictures = \"none\"\n",
    )
}

/// The secret of the forms of a page.
fn csrf(page: &Answer) -> String {
    let text = page.text();
    let (_, rest) = text.split_once("name=\"csrf\" value=\"").unwrap();
    rest.split('"').next().unwrap().to_owned()
}

const FORM: (&str, &str) = ("Content-Type", "application/x-www-form-urlencoded");
const JSON: (&str, &str) = ("Content-Type", "application/json");

#[test]
fn foreign_pages_are_refused() {
    let project = harbour();
    let served = Served::start(&[project.path()], &[]);
    let (address, name) = (served.address, name(&project));
    let check = |method: &str, path: &str, headers: &[(&str, &str)], body: &str, expect: u16| {
        let answer = ask(address, method, path, headers, body.as_bytes());
        assert_eq!(answer.status, expect, "{method} {path} {headers:?}: {}", answer.text());
        answer
    };
    let (page, crawl, api) =
        (format!("/p/{name}/"), format!("/p/{name}/crawl"), format!("/api/v1/projects/{name}/crawl"));
    // a foreign name that resolves to this machine
    for host in ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", ""] {
        check("GET", &page, &[("Host", host)], "", 403);
    }
    check("GET", "/healthz", &[("Host", "evil.example")], "", 200);
    let port = address.port();
    let page = check("GET", &page, &[("Host", &format!("localhost:{port}"))], "", 200);

    let right = format!("order=stop&csrf={}", csrf(&page));
    let own = format!("http://{address}");
    check("POST", &crawl, &[FORM, ("Origin", "http://evil.example")], &right, 403);
    check("POST", &crawl, &[FORM, ("Origin", "null")], &right, 403);
    check("POST", &crawl, &[FORM, ("Origin", "http://127.0.0.1:1")], &right, 403);
    check("POST", &crawl, &[FORM, ("Sec-Fetch-Site", "cross-site")], &right, 403);
    check("POST", &crawl, &[FORM, ("Sec-Fetch-Site", "same-site")], &right, 403);
    check("POST", &crawl, &[FORM, ("Origin", &own)], "order=stop", 400);
    check("POST", &crawl, &[FORM, ("Origin", &own)], "order=stop&csrf=0", 400);
    check("POST", &crawl, &[], "order=start", 400);
    // ours: it is told that there is nothing to stop
    check("POST", &crawl, &[FORM, ("Origin", &own)], &right, 409);
    // what forms of foreign pages can send is no JSON
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"] {
        check("POST", &api, &[("Content-Type", kind)], r#"{"order":"stop"}"#, 415);
    }
    check("POST", &api, &[JSON, ("Origin", "http://evil.example")], r#"{"order":"stop"}"#, 403);
    check("POST", &format!("/api/v1/projects/{name}/examples"), &[("Content-Type", "text/plain")], "x", 415);
    check(
        "POST",
        &format!("/p/{name}/like"),
        &[("Content-Type", "multipart/form-data; boundary=x")],
        "--x--\r\n",
        400,
    );
}

#[test]
fn a_token_is_wanted_everywhere() {
    let project = harbour();
    let served = Served::with_token(&[project.path()], "a token of many characters");
    let (address, name) = (served.address, name(&project));
    let check = |method: &str, path: &str, headers: &[(&str, &str)], expect: u16| {
        let answer = ask(address, method, path, headers, b"");
        assert_eq!(answer.status, expect, "{method} {path} {headers:?}: {}", answer.text());
        answer
    };
    let api = format!("/api/v1/projects/{name}/search?q=boat");
    for path in [&api, "/api/v1/projects", "/api/v1/openapi.json", "/api/v1/nothing", "/metrics"] {
        let refused = check("GET", path, &[], 401);
        assert_eq!(refused.header("www-authenticate"), Some("Bearer"), "{path}");
        check("GET", path, &[("Authorization", "Bearer a token of many characterS")], 401);
        check("GET", path, &[("Authorization", "Basic YTpi")], 401);
        check("GET", path, &[("Cookie", "osprey_session=a token of many characters")], 401);
    }
    let thumb = format!("/p/{name}/thumb/00/{}.jpg", "0".repeat(32));
    for path in ["/", &format!("/p/{name}/crawl"), "/lab", "/nowhere", &thumb] {
        let sent = check("GET", path, &[], 303);
        let expect = format!("/login?to={}", path.replace('/', "%2F"));
        assert_eq!(sent.header("location"), Some(expect.as_str()));
    }
    check("POST", &format!("/p/{name}/crawl"), &[FORM], 401);
    let bearer = [("Authorization", "Bearer a token of many characters")];
    check("GET", &api, &bearer, 200);
    check("GET", "/metrics", &bearer, 200);
    for path in ["/healthz", "/readyz", "/login"] {
        check("GET", path, &[("Host", "elsewhere.example")], 200);
    }

    // the login gives a cookie that scripts and other sites do not get
    let form =
        format!("token=a+token+of+many+characters&to=//evil.example/&csrf={}", csrf(&get(address, "/login")));
    let came_in = ask(address, "POST", "/login", &[FORM], form.as_bytes());
    assert_eq!((came_in.status, came_in.header("location")), (303, Some("/")));
    let cookie = came_in.header("set-cookie").unwrap();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let session = cookie.split(';').next().unwrap();
    check("GET", &api, &[("Cookie", session)], 200);
}

#[test]
fn no_address_leads_out_of_a_project() {
    let project = harbour();
    let lab = project.path().join("lab");
    fs::create_dir_all(lab.join("report")).unwrap();
    fs::write(lab.join("report/report.html"), "<h1>report</h1>").unwrap();
    fs::write(project.path().join("report.html"), "secret").unwrap();
    let served = Served::start(&[project.path()], &["--lab", lab.to_str().unwrap()]);
    let name = name(&project);
    assert_eq!(get(served.address, "/lab/report").text(), "<h1>report</h1>");
    let tricks = [
        "thumb/..%2f..%2fosprey.toml",
        "thumb/../../osprey.toml",
        "thumb/..%2f../osprey.toml",
        "thumb/..%2f..%2f/osprey.toml",
        "thumb/00/..%2f..%2f..%2fosprey.toml",
        "thumb/00/..%5c..%5cosprey.toml",
        "thumb/%2e%2e/%2e%2e%2fosprey.toml",
        "thumb/00/osprey.toml%00.jpg",
        "thumb//osprey.toml",
        "palette/..%2f..%2fosprey.toml",
        "example/..%2f..%2fosprey.toml",
        "picture?url=file:///etc/passwd",
        "picture?url=../osprey.toml",
        "item?url=file:///etc/passwd",
    ];
    let tricks = tricks.map(|path| format!("/p/{name}/{path}"));
    let others = [
        "/lab/..",
        "/lab/..%2f",
        "/lab/%2e%2e",
        "/lab/.",
        "/lab/report%2f..%2f..",
        "/lab/../osprey.toml",
        "/static/x/..%2f..%2fstyle.css",
        "/static/../../etc/passwd",
        "/p/..%2f/",
        "/p/%2e%2e/crawl",
        "//etc/passwd",
        "/p/%ff/",
    ];
    for path in tricks.iter().map(String::as_str).chain(others) {
        let answer = get(served.address, path);
        assert!(matches!(answer.status, 400 | 404), "{path}: {}", answer.status);
        let text = answer.text();
        assert!(
            !text.contains("[crawl]") && !text.contains("root:") && !text.contains("secret"),
            "{path}: {text}"
        );
    }
}

/// A form with a picture in it.
fn upload(csrf: &str, bytes: &[u8]) -> Vec<u8> {
    let head = format!(
        "--edge\r\nContent-Disposition: form-data; name=\"csrf\"\r\n\r\n{csrf}\r\n--edge\r\nContent-Disposition: form-data; \
         name=\"image\"; filename=\"a.png\"\r\nContent-Type: image/png\r\n\r\n"
    );
    [head.as_bytes(), bytes, b"\r\n--edge--\r\n"].concat()
}

#[test]
fn what_is_too_much_is_refused() {
    let project = harbour();
    let served = Served::start(&[project.path()], &[]);
    let (address, name) = (served.address, name(&project));
    let secret = csrf(&get(address, &format!("/p/{name}/")));
    let form = [("Content-Type", "multipart/form-data; boundary=edge")];
    let like =
        |bytes: &[u8]| ask(address, "POST", &format!("/p/{name}/like"), &form, &upload(&secret, bytes));
    let picture =
        draw::png(&Picture::from_fn(96, 96, |x, _| if x % 16 < 4 { [200, 20, 30] } else { [20, 60, 200] }));
    assert_eq!(like(&picture).status, 303);
    let most = vec![0; 20 << 20];
    let told = like(&most);
    assert!(told.status == 400 && told.text().contains("not a picture"), "{}", told.text());
    let told = like(&[most.as_slice(), b"x"].concat());
    assert!(
        told.status == 400 && told.text().contains("`20971521` bytes; expected 1 to 20971520"),
        "{}",
        told.text()
    );
    assert_eq!(like(&[most.as_slice(), most.as_slice()].concat()).status, 413);
    let examples = format!("/api/v1/projects/{name}/examples");
    let given =
        |bytes: &[u8]| ask(address, "POST", &examples, &[("Content-Type", "image/png")], bytes).status;
    assert_eq!((given(&picture), given(&[most.as_slice(), b"x"].concat())), (200, 400));
    // a small file of a large picture, and a cut one
    assert_eq!(
        (
            given(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\x7f\xff\xff\xff\x7f\xff\xff\xff\x08\x02\0\0\0"),
            given(&picture[..60])
        ),
        (400, 400)
    );
    // other forms are small
    let body = format!("csrf={secret}&order={}", "x".repeat(300 << 10));
    assert_eq!(ask(address, "POST", &format!("/p/{name}/crawl"), &[FORM], body.as_bytes()).status, 413);

    let long = |length: usize| get(address, &format!("/p/{name}/?q={}", "a".repeat(length))).status;
    assert_eq!((long(60_000), long(65_100), long(1 << 20)), (200, 414, 431));
    let deep = format!("/p/{name}/?q={}a{}", "(".repeat(5000), ")".repeat(5000));
    assert_eq!(get(address, &deep).status, 400);
    assert_eq!(get(address, &format!("/p/{name}/?q=boat&offset=18446744073709551615")).status, 400);
    let many: Vec<(String, String)> = (0..200).map(|n| (format!("x-{n}"), "y".to_owned())).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(ask(address, "GET", "/healthz", &many, b"").status, 431);
    let wide = "y".repeat(1 << 20);
    assert_eq!(ask(address, "GET", "/healthz", &[("x", &wide)], b"").status, 431);
    // and after all of it
    assert_eq!(get(address, &format!("/p/{name}/?q=boat")).status, 200);
}

#[test]
fn who_says_nothing_is_dropped() {
    let project = harbour();
    let served = Served::start(&[project.path()], &[]);
    let mut slow = Connection::open(served.address);
    assert!(slow.send(b"GET / HTTP/1.1\r\nHost: local"));
    let mut garbage = Connection::open(served.address);
    assert!(garbage.send(b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03\r\n\r\n"));
    assert_eq!(garbage.answer().map(|answer| answer.status), Some(400));
    // others do not wait for it
    assert_eq!(get(served.address, "/healthz").status, 200);
    let last = slow.rest();
    assert!(last.is_empty() || last.starts_with("HTTP/1.1 408"), "{last}");
}

#[test]
fn every_answer_binds_the_browser() {
    let project = harbour();
    let served = Served::start(&[project.path()], &[]);
    let name = name(&project);
    let page = get(served.address, &format!("/p/{name}/")).text();
    let style = page.split("href=\"").find(|part| part.contains("style.css")).unwrap();
    let style = style.split('"').next().unwrap().to_owned();
    let check = |path: &str, status: u16| {
        let answer = get(served.address, path);
        assert_eq!(answer.status, status, "{path}");
        let policy = answer.header("content-security-policy").unwrap_or_default();
        assert!(
            policy.starts_with("default-src 'none'") && !policy.contains("unsafe-eval"),
            "{path}: {policy}"
        );
        assert!(!policy.contains("script-src") || policy.contains("script-src 'self';"), "{path}: {policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(answer.header("referrer-policy"), Some("same-origin"), "{path}");
        assert_eq!(answer.header("cross-origin-resource-policy"), Some("same-origin"), "{path}");
        answer
    };
    check(&format!("/p/{name}/?q=boat"), 200);
    check(&format!("/p/{name}/?q=("), 400);
    check(&format!("/p/{name}/crawl"), 200);
    check("/nowhere", 404);
    check("/p/unknown/", 404);
    check(&style, 200);
    check("/metrics", 200);
    let unknown = check("/api/v1/projects/unknown/search?q=a", 404);
    assert!(unknown.json()["error"].as_str().unwrap().contains("`unknown`"), "{}", unknown.text());
    assert!(check("/api/nothing", 404).json()["error"].is_string());

    // a head is as long as the page would be, and nothing follows it
    let mut connection = Connection::open(served.address);
    let request = |method: &str| format!("{method} /p/{name}/crawl HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert!(connection.send(request("HEAD").as_bytes()));
    let head = connection.head().unwrap();
    assert!(connection.send(request("GET").as_bytes()));
    let whole = connection.answer().unwrap();
    assert_eq!((head.status, whole.status), (200, 200));
    assert_eq!(head.header("content-length"), whole.header("content-length"));
    assert!(whole.text().contains("<h1>Crawl</h1>"));
    assert_eq!(ask(served.address, "DELETE", "/metrics", &[], b"").status, 405);
}

/// The next event of a stream.
fn event(stream: &mut Connection) -> serde_json::Value {
    loop {
        let line = stream.line().expect("the stream goes on");
        if let Some(data) = line.strip_prefix("data: ") {
            return serde_json::from_str(data).unwrap();
        }
    }
}

#[test]
fn a_server_that_is_interrupted_ends_its_crawl_and_its_streams() {
    let project = endless();
    let served = Served::start(&[project.path()], &[]);
    let (address, name) = (served.address, name(&project));
    let mut stream = Connection::open(address);
    stream.send(format!("GET /api/v1/projects/{name}/events HTTP/1.1\r\nHost: localhost\r\n\r\n").as_bytes());
    let head = stream.head().unwrap();
    assert_eq!((head.status, head.header("content-type")), (200, Some("text/event-stream")));
    assert_eq!(event(&mut stream)["state"], "idle");
    let order = |order: &str, expect: u16| {
        let path = format!("/api/v1/projects/{name}/crawl");
        let answer = ask(address, "POST", &path, &[JSON], order.as_bytes());
        assert_eq!(answer.status, expect, "{order}: {}", answer.text());
    };
    order(r#"{"order":"start","budget":15000}"#, 200);
    order(r#"{"order":"start"}"#, 409);
    let mut now = event(&mut stream);
    while now["visited"].as_u64() < Some(1) {
        now = event(&mut stream);
    }
    assert_eq!(now["state"], "crawling");
    served.interrupt();
    stream.rest();
    assert_eq!(served.end().code(), Some(0));

    // what was crawled is there, and goes on
    let kept = project.json("status", &[])["visited"].as_u64().unwrap();
    assert!(kept >= now["visited"].as_u64().unwrap() && kept < 15_000, "{kept}");
    let served = Served::start(&[project.path()], &[]);
    let view = get(served.address, &format!("/api/v1/projects/{name}")).json();
    assert_eq!((&view["visited"], &view["state"]), (&kept.into(), &"idle".into()));
}

#[test]
fn projects_do_not_know_of_each_other() {
    let (first, second) = (harbour(), Project::harbour("[topic]\ntags = [\"gull\"]\n"));
    let served = Served::start(&[first.path(), second.path()], &[]);
    let (address, one, two) = (served.address, name(&first), name(&second));
    let home = get(address, "/").text();
    assert!(home.contains(&one) && home.contains(&two), "{home}");
    let api = |project: &str, path: &str| get(address, &format!("/api/v1/projects/{project}/{path}"));
    let hits = api(&one, "search").json();
    let url = hits["hits"][0]["url"].as_str().unwrap().to_owned();
    assert_eq!(api(&one, &format!("item?url={url}")).status, 200);
    assert_eq!(api(&two, &format!("item?url={url}")).status, 404);
    assert_eq!(api(&two, "search?q=boat").status, 404);

    let topic = br#"{"tags":["tug"],"genre_terms":[],"content_terms":[]}"#;
    let put = ask(address, "PUT", &format!("/api/v1/projects/{one}/topic"), &[JSON], topic);
    assert_eq!(put.status, 200, "{}", put.text());
    assert_eq!(api(&one, "topic").json()["tags"][0], "tug");
    assert_eq!(api(&two, "topic").json()["tags"][0], "gull");
    let written = fs::read_to_string(first.path().join("osprey.toml")).unwrap();
    assert!(written.contains("\"tug\"") && written.contains("# a boat"), "{written}");
}
