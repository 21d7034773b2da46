//! Who is refused: foreign names, foreign pages, forms without our secret, those without a token.

use std::io::{Read, Write};
use std::net::TcpStream;

use osprey_server::{Options, Server};
use serde_json::json;

use crate::projects::{ENDLESS, Folder};
use crate::served::{Answer, FORM, JSON, Served, ask};

#[test]
fn orders_are_taken_from_our_pages_only() {
    let served = Served::new(Folder::project(ENDLESS));
    let refused = |answer: Answer, status: u16| assert_eq!(answer.status, status, "{}", answer.text());
    refused(served.send("POST", "/p/it/crawl", FORM, b"order=start"), 400);
    refused(served.send("POST", "/p/it/crawl", FORM, b"csrf=wrong&order=start"), 400);
    let foreign = format!("{FORM}Origin: http://evil.example\r\n");
    refused(served.send("POST", "/p/it/crawl", &foreign, b"order=start"), 403);
    let start = br#"{"order":"start"}"#;
    let foreign = format!("{JSON}Sec-Fetch-Site: cross-site\r\n");
    refused(served.send("POST", "/api/v1/projects/it/crawl", &foreign, start), 403);
    let text = "Content-Type: text/plain\r\n";
    refused(served.send("POST", "/api/v1/projects/it/crawl", text, start), 415);
    refused(served.post("/p/it/crawl", "order=dance"), 400);
    refused(served.post("/p/it/crawl", "order=start&budget=many"), 400);
    refused(served.post("/p/it/crawl", "order=start&policy=dance"), 400);
    refused(served.send("POST", "/api/v1/projects/it/crawl", JSON, br#"{"order":"dance"}"#), 400);
    refused(served.send("POST", "/api/v1/projects/it/crawl", JSON, br#"["start"]"#), 400);
    // what is ours and makes no sense now
    for order in ["pause", "resume", "stop"] {
        refused(served.post("/p/it/crawl", &format!("order={order}")), 409);
        let order = json!({ "order": order }).to_string();
        refused(served.send("POST", "/api/v1/projects/it/crawl", JSON, order.as_bytes()), 409);
    }
    // and nothing came of any of it
    let view = served.api("");
    assert_eq!(
        (&view["state"], &view["visited"], &view["message"]),
        (&json!("idle"), &json!(0), &json!(null))
    );
    assert!(!served.folder.path().join("data/frontier").exists());
}

#[test]
fn changes_are_taken_from_our_pages_only() {
    let served = Served::new(Folder::harbour());
    let toml = || std::fs::read_to_string(served.folder.path().join("osprey.toml")).unwrap();
    let before = toml();
    for (path, body) in [("/p/it/topic", "tags=a"), ("/p/it/sitemap", "type=0&wanted=no")] {
        assert_eq!(served.send("POST", path, FORM, body.as_bytes()).status, 400, "{path}");
        let foreign = format!("{FORM}Origin: http://evil.example\r\n");
        assert_eq!(served.send("POST", path, &foreign, body.as_bytes()).status, 403, "{path}");
    }
    let topic = br#"{"tags":["a"]}"#;
    let foreign = format!("{JSON}Origin: null\r\n");
    assert_eq!(served.send("PUT", "/api/v1/projects/it/topic", &foreign, topic).status, 403);
    assert_eq!(served.send("PUT", "/api/v1/projects/it/topic", FORM, topic).status, 415);
    assert_eq!(served.send("PUT", "/api/v1/projects/it/topic", JSON, br#"{"tag":["a"]}"#).status, 400);
    assert_eq!(toml(), before);
    assert_eq!(served.send("PUT", "/api/v1/projects/it/sitemap/4", JSON, br#"{"wanted":null}"#).status, 404);
}

#[test]
fn foreign_names_and_missing_tokens_are_refused() {
    let served = Served::new(Folder::pictures(1));
    let foreign = |host: &str, path: &str| {
        ask(
            served.address,
            format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").as_bytes(),
        )
    };
    assert_eq!(foreign("evil.example", "/p/it/").status, 403);
    assert_eq!(foreign("evil.example", "/healthz").status, 200);
    assert_eq!(foreign("evil.example", "/readyz").status, 200);

    let options = Options { token: Some("a long token".to_owned()), ..Options::default() };
    let locked = Served::with(Folder::pictures(1), options);
    assert_eq!(locked.get("/api/v1/projects").status, 401);
    assert_eq!(locked.get("/metrics").status, 401);
    let page = locked.get("/p/it/?q=a");
    assert_eq!(page.status, 303);
    assert!(page.head.contains("location: /login?to=%2Fp%2Fit%2F%3Fq%3Da"), "{}", page.head);
    let bearer = "Authorization: Bearer a long token\r\n";
    assert_eq!(locked.send("GET", "/api/v1/projects", bearer, b"").status, 200);
    let everywhere = Server::start("0.0.0.0:0".parse().unwrap(), Vec::new(), Options::default());
    assert!(everywhere.is_err());
}

#[test]
fn what_is_too_much_is_refused() {
    let options = Options { upload_bytes: 1000, ..Options::default() };
    let served = Served::with(Folder::pictures(1), options);
    let jpeg = "Content-Type: image/jpeg\r\n";
    let upload =
        |bytes: usize| served.send("POST", "/api/v1/projects/it/examples", jpeg, &vec![0; bytes]).status;
    assert_eq!((upload(1000), upload(400 << 10)), (400, 413));
    let body = format!("order={}", "x".repeat(300 << 10));
    assert_eq!(served.send("POST", "/p/it/crawl", FORM, body.as_bytes()).status, 413);
    // programs are told so in the form of all other errors
    let error = |answer: Answer, status: u16| {
        assert_eq!(answer.status, status, "{}", answer.text());
        assert!(answer.json()["error"].is_string(), "{}", answer.text());
    };
    let body = format!(r#"{{"order":"{}"}}"#, "x".repeat(300 << 10));
    error(served.send("POST", "/api/v1/projects/it/crawl", JSON, body.as_bytes()), 413);
    error(served.send("POST", "/api/v1/projects/it/examples", jpeg, &vec![0; 400 << 10]), 413);
    error(served.get(&format!("/api/v1/projects/it/search?q={}", "x".repeat(65_100))), 414);
    error(served.get("/api/v1/projects/%ff"), 400);
    let page = served.get(&format!("/p/it/?q={}", "x".repeat(65_100)));
    assert!(page.status == 414 && page.text().contains("longer than"), "{}", page.text());
}

#[test]
fn a_request_names_one_host() {
    let served = Served::new(Folder::pictures(1));
    let ask = |hosts: &str| {
        let request = format!("GET /p/it/ HTTP/1.1\r\n{hosts}Connection: close\r\n\r\n");
        ask(served.address, request.as_bytes()).status
    };
    assert_eq!(ask("Host: localhost\r\n"), 200);
    assert_eq!(ask("Host: localhost\r\nHost: evil.example\r\n"), 400);
    assert_eq!(ask("Host: localhost\r\nHost: localhost\r\n"), 400);
}

#[test]
fn the_name_of_a_folder_leads_to_its_project() {
    let served = Served::new(Folder::pictures(1));
    let location = |path: &str| {
        let answer = served.get(path);
        let line = answer.head.lines().find_map(|line| line.strip_prefix("location: "));
        (answer.status, line.map(str::to_owned))
    };
    assert_eq!(location("/p/it"), (308, Some("/p/it/".to_owned())));
    assert_eq!(location("/p/%20it%20"), (308, Some("/p/it/".to_owned())));
    assert_eq!(location("/p/other"), (404, None));
}

#[test]
fn floods_of_connections_do_not_block_other_clients() {
    let options = Options { connections: 40, ..Options::default() };
    let served = Served::with(Folder::pictures(1), options);
    let open = |bytes: &[u8]| {
        let mut stream = TcpStream::connect(served.address).unwrap();
        stream.write_all(bytes).unwrap();
        stream
    };
    // heads that are never finished, and bodies
    let halves: Vec<TcpStream> = (0..100).map(|_| open(b"GET /healthz HTTP/1.1\r\nHost: local")).collect();
    assert_eq!(served.get("/healthz").status, 200);
    let post = b"POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n";
    let bodies: Vec<TcpStream> = (0..100).map(|_| open(post)).collect();
    assert_eq!(served.get("/healthz").status, 200);
    // streams of events: as many as leave room for others, then none
    let stream = b"GET /api/v1/projects/it/events HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let mut statuses = Vec::new();
    let streams: Vec<TcpStream> = (0..30)
        .map(|_| {
            let mut stream = open(stream);
            let mut line = [0; 12];
            stream.read_exact(&mut line).unwrap();
            statuses.push(String::from_utf8_lossy(&line[9..]).into_owned());
            stream
        })
        .collect();
    let count = |status: &str| statuses.iter().filter(|known| *known == status).count();
    assert_eq!((count("200"), count("503")), (20, 10));
    let refused = served.get("/api/v1/projects/it/events");
    assert!(refused.status == 503 && refused.head.contains("retry-after: "), "{}", refused.head);
    assert_eq!((served.get("/healthz").status, served.get("/p/it/").status), (200, 200));
    // the streams were not closed for any of these
    let more: Vec<TcpStream> = (0..100).map(|_| open(b"GET / HTTP/1.1\r\n")).collect();
    assert_eq!(served.get("/healthz").status, 200);
    assert_eq!(served.get("/api/v1/projects/it/events").status, 503);
    drop((halves, bodies, streams, more));
}
