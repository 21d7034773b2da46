//! Who is refused: foreign names, foreign pages, forms without our secret, those without a token.

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
}
