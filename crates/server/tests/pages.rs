//! Pages and API over a project that is written down: what is shown, what is escaped, what is refused.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod fake;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;

use fake::{EVIL, Fake, picture};
use osprey_server::{Options, Order, Project, Server, TopicView};
use osprey_vision::jpeg;

struct Served {
    server: Server,
    fake: Arc<Fake>,
}

struct Answer {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Answer {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

fn ask(address: SocketAddr, request: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(request).unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Answer { status, head, body: bytes[end + 4..].to_vec() }
}

impl Served {
    fn with(documents: usize, options: Options) -> Self {
        let fake = Fake::new(documents);
        let project = Arc::clone(&fake) as Arc<dyn Project>;
        let server = Server::start("127.0.0.1:0".parse().unwrap(), vec![project], options).unwrap();
        Self { server, fake }
    }

    fn new(documents: usize) -> Self {
        Self::with(documents, Options::default())
    }

    fn get(&self, path: &str) -> Answer {
        self.send("GET", path, "", b"")
    }

    fn send(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> Answer {
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n"
        );
        ask(self.server.address(), &[head.as_bytes(), body].concat())
    }

    /// Sends a form with the secret of a page.
    fn post(&self, path: &str, fields: &str) -> Answer {
        let page = self.get("/p/fake/topic").text();
        let secret =
            page.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
        self.send("POST", path, FORM, format!("csrf={secret}&{fields}").as_bytes())
    }
}

const FORM: &str = "Content-Type: application/x-www-form-urlencoded\r\n";
const JSON: &str = "Content-Type: application/json\r\n";
const ITEM: &str = "/p/fake/item?url=http%3A%2F%2Fphotos.example%2F0%3Fa%3D1%26b%3D%2522";

#[test]
fn nothing_from_the_web_becomes_markup() {
    let served = Served::new(3);
    let evil: String = url::form_urlencoded::byte_serialize(EVIL.as_bytes()).collect();
    let paths = [
        "/p/fake/".to_owned(),
        "/p/fake/?q=harbour".to_owned(),
        format!("/p/fake/?q={evil}"),
        format!("/p/fake/?q=harbour&like_url={evil}"),
        ITEM.to_owned(),
        "/p/fake/crawl".to_owned(),
        "/p/fake/sitemap".to_owned(),
        format!("/p/fake/topic?expand={evil}&genre_pages={evil}"),
        format!("/p/{evil}/"),
        format!("/login?to={evil}"),
    ];
    for path in paths {
        let answer = served.get(&path);
        let text = answer.text();
        assert!(answer.status < 500, "{path}: {}", answer.status);
        assert!(
            answer.head.contains("content-security-policy: default-src 'none'; script-src 'self'"),
            "{path}"
        );
        for part in ["<script>", "<img src=x", "</title></textarea>"] {
            assert!(!text.contains(part), "{path}: {part}");
        }
    }
    assert!(served.get("/p/fake/?q=harbour").text().contains("&lt;script&gt;boom()"));
}

#[test]
fn drawings_may_have_a_style_and_nothing_else() {
    let served = Served::new(3);
    for path in ["/curve.svg", "/p/fake/curve.svg", "/p/fake/sitemap.svg"] {
        let answer = served.get(path);
        assert_eq!(answer.status, 200, "{path}");
        assert!(answer.text().starts_with("<svg xmlns="), "{path}");
        let policy = "content-security-policy: default-src 'none'; style-src 'unsafe-inline'; sandbox";
        assert!(
            answer.head.contains("content-type: image/svg+xml") && answer.head.contains(policy),
            "{path}"
        );
    }
}

#[test]
fn a_page_of_results_is_small_and_pages_do_not_overlap() {
    let served = Served::new(60);
    let first = served.get("/p/fake/?q=harbour+color%3A12@top").text();
    assert!(first.len() < 100 << 10, "{} bytes", first.len());
    let mut seen = std::collections::BTreeSet::new();
    for offset in [0, 24, 48] {
        let text = served.get(&format!("/p/fake/?q=harbour&offset={offset}")).text();
        for part in text.split("<h3><a href=\"").skip(1) {
            assert!(seen.insert(part.split('"').next().unwrap().to_owned()), "{part:.80}");
        }
    }
    assert_eq!(seen.len(), 60);
}

#[test]
fn a_swatch_is_a_redirect_to_its_query() {
    let served = Served::new(3);
    let check = |path: &str, expect: &str| {
        let answer = served.get(path);
        assert_eq!(answer.status, 303, "{path}");
        assert!(answer.head.contains(&format!("location: {expect}\r\n")), "{path}: {}", answer.head);
    };
    check("/p/fake/?q=boat&add=color:12&at=top-left", "/p/fake/?q=boat+color%3A12%40top-left");
    check("/p/fake/?q=boat&add=texture:3&at=&minus=true", "/p/fake/?q=boat+-texture%3A3");
}

#[test]
fn orders_are_taken_from_our_pages_only() {
    let served = Served::new(1);
    let refused = |answer: Answer, status: u16| assert_eq!(answer.status, status, "{}", answer.text());
    refused(served.send("POST", "/p/fake/crawl", FORM, b"order=start"), 400);
    refused(served.send("POST", "/p/fake/crawl", FORM, b"csrf=wrong&order=start"), 400);
    let foreign = format!("{FORM}Origin: http://evil.example\r\n");
    refused(served.send("POST", "/p/fake/crawl", &foreign, b"order=start"), 403);
    let foreign = format!("{JSON}Sec-Fetch-Site: cross-site\r\n");
    refused(served.send("POST", "/api/v1/projects/fake/crawl", &foreign, b"{\"order\":\"stop\"}"), 403);
    let text = "Content-Type: text/plain\r\n";
    refused(served.send("POST", "/api/v1/projects/fake/crawl", text, b"{\"order\":\"stop\"}"), 415);
    refused(served.post("/p/fake/crawl", "order=dance"), 400);
    assert!(served.fake.orders.lock().unwrap().is_empty());

    assert_eq!(served.post("/p/fake/crawl", "order=start&policy=profile&budget=300").status, 303);
    let start = Order::Start { policy: Some("profile".to_owned()), budget: Some(300) };
    assert_eq!(
        served.send("POST", "/api/v1/projects/fake/crawl", JSON, b"{\"order\":\"pause\"}").status,
        200
    );
    assert_eq!(*served.fake.orders.lock().unwrap(), [start, Order::Pause {}]);
    assert_eq!(served.post("/p/fake/sitemap", "type=4&wanted=no").status, 303);
    assert_eq!(served.send("PUT", "/api/v1/projects/fake/sitemap/4", JSON, b"{\"wanted\":null}").status, 200);
    assert_eq!(*served.fake.wishes.lock().unwrap(), [(4, Some(false)), (4, None)]);
    assert_eq!(served.post("/p/fake/topic", "tags=a&tags=b,c&content_terms=").status, 303);
    let tags = ["a", "b", "c"].map(str::to_owned).to_vec();
    assert_eq!(*served.fake.topics.lock().unwrap(), [TopicView { tags, ..TopicView::default() }]);
}

#[test]
fn foreign_names_and_missing_tokens_are_refused() {
    let served = Served::new(1);
    let foreign = |host: &str, path: &str| {
        ask(
            served.server.address(),
            format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").as_bytes(),
        )
    };
    assert_eq!(foreign("evil.example", "/p/fake/").status, 403);
    assert_eq!(foreign("evil.example", "/healthz").status, 200);

    let locked = Served::with(1, Options { token: Some("a long token".to_owned()), ..Options::default() });
    assert_eq!(locked.get("/api/v1/projects").status, 401);
    assert_eq!(locked.get("/metrics").status, 401);
    let page = locked.get("/p/fake/?q=a");
    assert_eq!(page.status, 303);
    assert!(page.head.contains("location: /login?to=%2Fp%2Ffake%2F%3Fq%3Da"), "{}", page.head);
    let bearer = "Authorization: Bearer a long token\r\n";
    assert_eq!(locked.send("GET", "/api/v1/projects", bearer, b"").status, 200);
    let everywhere = Server::start("0.0.0.0:0".parse().unwrap(), Vec::new(), Options::default());
    assert!(everywhere.is_err());
}

#[test]
fn a_picture_finds_its_like() {
    let served = Served::new(4);
    let red = jpeg(&picture([205, 35, 45]));
    let answer = served.send("POST", "/api/v1/projects/fake/examples", "Content-Type: image/jpeg\r\n", &red);
    let key: serde_json::Value = serde_json::from_slice(&answer.body).unwrap();
    let key = key["key"].as_str().unwrap();
    let found = served.get(&format!("/api/v1/projects/fake/search?like={key}&limit=1"));
    let found: serde_json::Value = serde_json::from_slice(&found.body).unwrap();
    // even numbers are red
    let url = found["hits"][0]["url"].as_str().unwrap();
    assert!(
        url.starts_with("http://photos.example/0") || url.starts_with("http://photos.example/2"),
        "{url}"
    );
    assert_eq!(served.get(&format!("/p/fake/example/{key}")).status, 200);

    let refused = |headers: &str, body: &[u8]| {
        let answer = served.send("POST", "/api/v1/projects/fake/examples", headers, body);
        assert!(answer.text().contains("error"), "{}", answer.text());
        answer.status
    };
    assert_eq!(refused("Content-Type: image/jpeg\r\n", b"<html>no picture</html>"), 400);
    assert_eq!(refused("Content-Type: image/jpeg\r\n", b""), 400);
    assert_eq!(refused(FORM, &red), 415);
    assert_eq!(served.get("/api/v1/projects/fake/search?like=0123").status, 404);
}

#[test]
fn pictures_are_made_anew() {
    let served = Served::new(1);
    for layer in ["plain", "tiles", "regions", "segments"] {
        let answer = served.get(&format!("{}&layer={layer}", ITEM.replace("/item", "/picture")));
        assert_eq!(answer.status, 200, "{layer}");
        assert!(
            answer.head.contains("content-type: image/jpeg") && answer.body.starts_with(&[0xff, 0xd8]),
            "{layer}"
        );
    }
    assert_eq!(served.get("/p/fake/thumb/00/..%2f..%2fetc%2fpasswd").status, 404);
    assert_eq!(served.get("/p/fake/picture?url=http://nowhere/&layer=other").status, 400);
}

#[test]
fn every_address_of_the_description_is_there() {
    let served = Served::new(2);
    let description: serde_json::Value = serde_json::from_str(osprey_server::OPENAPI).unwrap();
    let mut asked = 0;
    for (path, methods) in description["paths"].as_object().unwrap() {
        let path = path.replace("{name}", "fake").replace("{number}", "4");
        for method in methods.as_object().unwrap().keys().filter(|_| !path.ends_with("/events")) {
            let answer = served.send(&method.to_uppercase(), &format!("/api/v1{path}"), JSON, b"");
            // whatever is missing in the request, the address is known
            assert!(
                !matches!(answer.status, 405) && !answer.text().contains("no such page"),
                "{method} {path}"
            );
            asked += 1;
        }
    }
    assert!(asked >= 14, "{asked}");
    assert_eq!(served.get("/api/v1/nothing").status, 404);
}

#[test]
fn events_come_and_end_with_the_server() {
    let served = Served::new(1);
    let mut stream = TcpStream::connect(served.server.address()).unwrap();
    stream.write_all(b"GET /api/v1/projects/fake/events HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut text = String::new();
    let mut buffer = [0; 4096];
    while !text.contains("event: crawl") {
        let read = stream.read(&mut buffer).unwrap();
        assert!(read > 0, "{text}");
        text.push_str(&String::from_utf8_lossy(&buffer[..read]));
    }
    served.server.stop().unwrap();
    let mut rest = Vec::new();
    // ended or cut off: not left hanging
    let _ = stream.read_to_end(&mut rest);
}
