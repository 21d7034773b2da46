//! Search, items and pictures; and that nothing from the Web becomes markup anywhere.

use std::collections::BTreeSet;

use osprey_engine::Service;
use osprey_server::{Options, Server};
use osprey_vision::jpeg;
use std::sync::Arc;

use crate::projects::{EVIL, Folder, picture};
use crate::served::{FORM, Served, ask};

const ITEM: &str = "/p/it/item?url=http%3A%2F%2Fphotos.example%2F0%3Fa%3D1%26b%3D%2522";

fn escaped(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// A page that shows evil text as text.
fn check(served: &Served, path: &str, shows_it: bool) {
    let answer = served.get(path);
    let text = answer.text();
    assert!(answer.status < 500, "{path}: {}", answer.status);
    assert!(answer.head.contains("content-security-policy: default-src 'none'; script-src 'self'"), "{path}");
    for part in ["<script>", "<img src=x", "</title></textarea>"] {
        assert!(!text.contains(part), "{path}: {part}");
    }
    if shows_it {
        assert!(text.contains("&lt;script&gt;boom()"), "{path}: {text}");
    }
}

#[test]
fn nothing_from_the_web_becomes_markup() {
    let served = Served::new(Folder::evil());
    let evil = escaped(EVIL);
    let shows_it = [
        "/p/it/".to_owned(),
        "/p/it/?q=harbour".to_owned(),
        format!("/p/it/?q={evil}"),
        "/p/it/item?url=http%3A%2F%2Fphotos.example%2F0.html".to_owned(),
        "/p/it/crawl".to_owned(),
        "/p/it/sitemap".to_owned(),
        "/p/it/topic".to_owned(),
        format!("/p/it/topic?expand={evil}&genre_pages={evil}"),
        format!("/p/{evil}/"),
    ];
    shows_it.iter().for_each(|path| check(&served, path, true));
    for path in [format!("/p/it/?q=harbour&like_url={evil}"), format!("/login?to={evil}")] {
        check(&served, &path, false);
    }
    // where it was found is told as well
    let item = served.get("/p/it/item?url=http%3A%2F%2Fphotos.example%2F0.html").text();
    assert!(item.contains("Origin") && item.contains("1 hop from a seed"), "{item}");
    assert_eq!(served.get("/p/it/sitemap").status, 200);
    assert_eq!(served.get("/p/it/topic").status, 200);
}

#[test]
fn what_is_wrong_with_a_file_stays_text() {
    let served = Served::new(Folder::harbour());
    let key = serde_json::to_string(EVIL).unwrap();
    std::fs::write(served.folder.path().join("osprey.toml"), format!("{key} = 1\n")).unwrap();
    for path in ["/p/it/crawl", "/p/it/topic"] {
        check(&served, path, true);
    }
    assert_eq!(served.get("/p/it/topic").status, 400);
    let view = served.api("");
    assert!(view["message"].as_str().unwrap().contains(EVIL), "{view}");
    assert_eq!((&view["state"], &view["policies"]), (&"idle".into(), &serde_json::json!([])));
}

#[test]
fn a_page_of_results_is_small_and_pages_do_not_overlap() {
    let served = Served::new(Folder::pictures(60));
    // the API's idea of how many are right is not the page's
    assert_eq!(served.api("/search?q=harbour")["hits"].as_array().unwrap().len(), 20);
    let first = served.get("/p/it/?q=harbour+color%3A12@top").text();
    assert!(first.len() < 100 << 10, "{} bytes", first.len());
    let mut seen = BTreeSet::new();
    for offset in [0, 24, 48] {
        let text = served.get(&format!("/p/it/?q=harbour&offset={offset}")).text();
        for part in text.split("<h3><a href=\"").skip(1) {
            assert!(seen.insert(part.split('"').next().unwrap().to_owned()), "{part:.80}");
        }
    }
    assert_eq!(seen.len(), 60);
}

#[test]
fn a_swatch_is_a_redirect_to_its_query() {
    let served = Served::new(Folder::pictures(3));
    let check = |path: &str, expect: &str| {
        let answer = served.get(path);
        assert_eq!(answer.status, 303, "{path}");
        assert!(answer.head.contains(&format!("location: {expect}\r\n")), "{path}: {}", answer.head);
    };
    check("/p/it/?q=boat&add=color:12&at=top-left", "/p/it/?q=boat+color%3A12%40top-left");
    check("/p/it/?q=boat&add=texture:3&at=&minus=true", "/p/it/?q=boat+-texture%3A3");
}

#[test]
fn a_picture_finds_its_like() {
    let served = Served::new(Folder::pictures(4));
    let red = jpeg(&picture([205, 35, 45]));
    let answer = served.send("POST", "/api/v1/projects/it/examples", "Content-Type: image/jpeg\r\n", &red);
    let key = answer.json()["key"].as_str().unwrap().to_owned();
    let found = served.api(&format!("/search?like={key}&limit=1"));
    // even numbers are red
    let url = found["hits"][0]["url"].as_str().unwrap();
    assert!(
        url.starts_with("http://photos.example/0") || url.starts_with("http://photos.example/2"),
        "{url}"
    );
    assert_eq!(served.get(&format!("/p/it/example/{key}")).status, 200);

    let refused = |headers: &str, body: &[u8]| {
        let answer = served.send("POST", "/api/v1/projects/it/examples", headers, body);
        assert!(answer.text().contains("error"), "{}", answer.text());
        answer.status
    };
    assert_eq!(refused("Content-Type: image/jpeg\r\n", b"<html>no picture</html>"), 400);
    assert_eq!(refused("Content-Type: image/jpeg\r\n", b""), 400);
    assert_eq!(refused(FORM, &red), 415);
    assert_eq!(served.get("/api/v1/projects/it/search?like=0123").status, 404);
}

/// The form without scripts.
#[test]
fn a_picture_of_a_form_becomes_an_address() {
    let served = Served::new(Folder::pictures(2));
    let page = served.get("/p/it/").text();
    let secret = page.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let part = |name: &str| format!("--edge\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n");
    let head = format!("{}{secret}\r\n{}boat\r\n{}", part("csrf"), part("q"), part("image"));
    let body = [head.as_bytes(), &jpeg(&picture([205, 35, 45])), b"\r\n--edge--\r\n"].concat();
    let form = "Content-Type: multipart/form-data; boundary=edge\r\n";
    let answer = served.send("POST", "/p/it/like", form, &body);
    assert_eq!(answer.status, 303, "{}", answer.text());
    assert!(answer.head.contains("location: /p/it/?q=boat&like="), "{}", answer.head);
    assert_eq!(served.send("POST", "/p/it/like", form, b"--edge--\r\n").status, 400);
}

#[test]
fn pictures_are_made_anew() {
    let served = Served::new(Folder::pictures(1));
    for layer in ["plain", "tiles", "regions", "segments", "colours", "textures"] {
        let answer = served.get(&format!("{}&layer={layer}", ITEM.replace("/item", "/picture")));
        assert_eq!(answer.status, 200, "{layer}");
        assert!(
            answer.head.contains("content-type: image/jpeg") && answer.body.starts_with(&[0xff, 0xd8]),
            "{layer}"
        );
    }
    assert_eq!(served.get(&format!("/p/it/thumb/00/{:032x}.jpg", 0)).status, 200);
    assert_eq!(served.get("/p/it/thumb/00/..%2f..%2fetc%2fpasswd").status, 404);
    assert_eq!(served.get("/p/it/picture?url=http://nowhere/&layer=other").status, 400);
}

#[test]
fn what_is_not_there_is_not_found() {
    let served = Served::new(Folder::harbour());
    let check = |path: &str, expect: u16| {
        let answer = served.get(path);
        assert_eq!(answer.status, expect, "{path}: {}", answer.text());
    };
    // nothing is indexed or learned
    check("/p/it/", 200);
    check("/api/v1/projects/it/search?q=boat", 404);
    check("/api/v1/projects/it/sitemap", 404);
    check("/p/it/sitemap.svg", 404);
    check("/p/other/", 404);
    let indexed = Served::new(Folder::pictures(1));
    for path in ["item?url=http://nowhere/", "search?like_url=http://nowhere/"] {
        assert_eq!(indexed.get(&format!("/api/v1/projects/it/{path}")).status, 404, "{path}");
    }
    assert_eq!(indexed.get("/p/it/?q=(").status, 400);
    assert_eq!(indexed.get("/api/v1/projects/it/search?ranking=best").status, 400);
    assert_eq!(indexed.get("/api/v1/projects/it/search?offset=1000000").status, 400);
    // a folder of pictures has nothing to crawl
    let view = indexed.api("");
    assert_eq!(view["message"], "a picture collection; there is nothing to crawl");
    assert_eq!(view["documents"], 1);
}

#[test]
fn several_projects_stand_side_by_side() {
    let folders = [Folder::harbour(), Folder::pictures(2)];
    let names = ["one", "two"];
    let services = folders.iter().zip(names);
    let services = services.map(|(folder, name)| Service::open(folder.path(), name.to_owned()).unwrap());
    let services = services.map(Arc::new).collect();
    let server = Server::start("127.0.0.1:0".parse().unwrap(), services, Options::default()).unwrap();
    let get = |path: &str| {
        let head = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        ask(server.address(), head.as_bytes())
    };
    let home = get("/").text();
    for name in names {
        assert!(home.contains(&format!("href=\"/p/{name}/\"")), "{home}");
    }
    let projects = get("/api/v1/projects").json();
    let listed: Vec<_> = projects["projects"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert_eq!(listed, names);
}
