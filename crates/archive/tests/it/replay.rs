//! Recordings of every form as a source of pages.

#![expect(clippy::unwrap_used, reason = "in a test, a failed unwrap is a failed check")]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use osprey_archive::{
    Archive, Digest, Entry, Original, Replay, ReplayOptions, SlashRule, WaczInfo, WaczPage, WriterOptions,
    export_wacz,
};
use osprey_model::robots::Robots;
use osprey_model::{CanonicalUrl, Exchange, Headers, Request, Response, Source, Timestamp, UrlRules};

fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text, &UrlRules::keep_all()).unwrap()
}

fn options() -> ReplayOptions {
    ReplayOptions { url_rules: UrlRules::keep_all(), ..ReplayOptions::default() }
}

/// Requests a page as a crawl does; a replay answers at once.
fn ask(replay: &Replay, text: &str) -> Response {
    let target = Robots::allow_all().permit(&url(text)).unwrap();
    let mut fetch = pin!(replay.fetch(Request::new(target)));
    match fetch.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(Exchange::Answered(response)) => response,
        other => panic!("{text}: {other:?}"),
    }
}

fn check(replay: &Replay, text: &str, status: u16, expect: &str) {
    let response = ask(replay, text);
    let said = match response.location() {
        Some(location) => location.to_owned(),
        None => String::from_utf8_lossy(&response.body).into_owned(),
    };
    assert_eq!((response.status, said.as_str()), (status, expect), "{text}");
    assert_eq!(response.url, url(text));
}

/// A record as other tools write it.
fn record(kind: &str, target: &str, more: &str, block: &str) -> String {
    let length = block.len();
    let date = "2020-01-02T03:04:05Z";
    format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {target}\r\nWARC-Date: {date}\r\n{more}\
         Content-Length: {length}\r\n\r\n{block}\r\n\r\n"
    )
}

fn page(target: &str, body: &str) -> String {
    record("response", target, "", &format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}"))
}

fn gzip(parts: &[&str]) -> Vec<u8> {
    let mut out = Vec::new();
    for part in parts {
        let mut encoder = flate2::write::GzEncoder::new(&mut out, flate2::Compression::fast());
        encoder.write_all(part.as_bytes()).unwrap();
        encoder.finish().unwrap();
    }
    out
}

fn open(name: &str, bytes: &[u8], options: &ReplayOptions) -> Replay {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    fs::write(&path, bytes).unwrap();
    // The folder is deleted; an open recording no longer needs its name.
    Replay::open(&path, options).unwrap()
}

#[test]
fn pages_redirects_and_what_is_missing() {
    let moved = "HTTP/1.1 302 Found\r\nLocation: /new\r\n\r\n";
    let records = [
        page("http://a.example/", "home"),
        record("response", "http://a.example/old", "", moved),
        record("resource", "<http://a.example/a b>", "Content-Type: text/plain\r\n", "words"),
        record("metadata", "http://a.example/meta", "", "x: y"),
        record("resource", "metadata://gnu.org/wget.log", "", "log"),
    ];
    let records: Vec<&str> = records.iter().map(String::as_str).collect();
    for (name, bytes) in [
        ("plain.warc", records.concat().into_bytes()),
        ("members.warc.gz", gzip(&records)),
        ("whole.warc.gz", gzip(&[&records.concat()])),
        ("split.warc.gz", gzip(&[&records.concat()[..150], &records.concat()[150..]])),
    ] {
        let replay = open(name, &bytes, &options());
        assert_eq!((replay.len(), replay.problems()), (3, &[][..]), "{name}");
        check(&replay, "http://a.example/", 200, "home");
        check(&replay, "http://a.example/old", 302, "/new");
        check(&replay, "http://a.example/a%20b", 200, "words");
        check(&replay, "http://a.example/meta", 404, "");
        check(&replay, "http://a.example/robots.txt", 404, "");
        let missing = ask(&replay, "http://b.example/");
        assert_eq!(missing.note.as_deref(), Some("not in the recording"));
        assert_eq!(missing.fetched_at, "2020-01-02T03:04:05Z".parse().unwrap());
        let home = ask(&replay, "http://a.example/");
        assert_eq!(home.media_type().unwrap().essence, "text/html");
        assert_eq!(home.note, None);
    }
}

#[test]
fn final_slashes() {
    let file = [page("http://a.example/x/", "folder"), page("http://a.example/y", "file")].concat();
    let with = |slash| open("x.warc", file.as_bytes(), &ReplayOptions { slash, ..options() });
    let replay = with(SlashRule::Redirect);
    check(&replay, "http://a.example/x", 301, "http://a.example/x/");
    check(&replay, "http://a.example/y/", 301, "http://a.example/y");
    check(&replay, "http://a.example/x?q", 404, "");
    let note = ask(&replay, "http://a.example/x").note;
    assert_eq!(note.as_deref(), Some("recorded with a trailing slash"));
    check(&with(SlashRule::Serve), "http://a.example/x", 200, "folder");
    check(&with(SlashRule::Auto), "http://a.example/x", 200, "folder");
    check(&with(SlashRule::Exact), "http://a.example/x", 404, "");
}

#[test]
fn several_captures_of_one_url() {
    let busy = record("response", "http://a.example/", "", "HTTP/1.1 503 Busy\r\n\r\nlater");
    let file = [&busy, &page("http://a.example/", "first"), &page("http://a.example/", "second")];
    let file = file.map(String::as_str).concat();
    check(&open("x.warc", file.as_bytes(), &options()), "http://a.example/", 200, "first");
    check(&open("x.warc", busy.as_bytes(), &options()), "http://a.example/", 503, "later");
}

#[test]
fn answers_to_posts_are_left_out() {
    let id = |n: u32| format!("WARC-Record-ID: <urn:uuid:{n}>\r\n");
    let concurrent = |n: u32| format!("WARC-Concurrent-To: <urn:uuid:{n}>\r\n");
    let http = |body: &str| format!("HTTP/1.1 200 OK\r\n\r\n{body}");
    let at = "http://a.example/";
    let file = [
        record("response", at, &id(1), &http("to the post")),
        record("request", at, &(id(2) + &concurrent(1)), "POST / HTTP/1.1\r\n\r\n"),
        record("request", at, &id(3), "HEAD / HTTP/1.1\r\n\r\n"),
        record("response", at, &(id(4) + &concurrent(3)), &http("")),
        record("response", at, &id(5), &http("to the get")),
        record("request", at, &(id(6) + &concurrent(5)), "GET / HTTP/1.1\r\n\r\n"),
    ];
    check(&open("x.warc", file.concat().as_bytes(), &options()), at, 200, "to the get");
}

#[test]
fn revisits_have_the_body_of_their_original() {
    let digest = "WARC-Payload-Digest: sha1:AAA\r\n";
    let http = "HTTP/1.1 200 OK\r\nX-Visit: ";
    let refers = "WARC-Refers-To-Target-URI: http://a.example/1\r\n";
    let file = [
        record("revisit", "http://a.example/2", digest, &format!("{http}2\r\n\r\n")),
        record("response", "http://a.example/1", digest, &format!("{http}1\r\n\r\nbody")),
        record("revisit", "http://a.example/3", refers, "HTTP/1.1 304 Not Modified\r\n\r\n"),
        record("revisit", "http://a.example/4", "", &format!("{http}4\r\n\r\n")),
    ];
    let replay = open("x.warc", file.concat().as_bytes(), &options());
    check(&replay, "http://a.example/2", 200, "body");
    assert_eq!(ask(&replay, "http://a.example/2").headers.get("x-visit"), Some("2"));
    check(&replay, "http://a.example/3", 200, "body");
    assert_eq!(ask(&replay, "http://a.example/3").headers.get("x-visit"), Some("1"));
    check(&replay, "http://a.example/4", 404, "");
    assert_eq!(replay.problems().len(), 1);
}

#[test]
fn bombs_lies_and_nonsense() {
    let bomb = {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(&vec![b'x'; 20_000_000]).unwrap();
        encoder.finish().unwrap()
    };
    let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n";
    let header = format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\nWARC-Date: never\r\n\
         Content-Length: {}\r\n\r\n{head}",
        head.len() + bomb.len()
    );
    let file = [header.as_bytes(), &bomb, b"\r\n\r\n"].concat();
    let replay = open("x.warc", &file, &ReplayOptions { max_body: 1000, ..options() });
    let response = ask(&replay, "http://a.example/");
    assert_eq!((response.body.len(), response.truncated), (1000, true));
    assert_eq!(response.fetched_at, Timestamp::EPOCH);
    assert_eq!(replay.problems()[0].problem.to_string(), "at 0: `never` is not a date");

    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.warc.gz");
    for nonsense in [&b""[..], b"hello", &[0x1f, 0x8b, 8, 0], b"PK\x03\x04nonsense"] {
        fs::write(&path, nonsense).unwrap();
        assert!(Replay::open(&path, &options()).is_err(), "{nonsense:?}");
    }
    assert!(Replay::open(&dir.path().join("absent"), &options()).is_err());
}

fn response(at: &str, body: &'static str) -> Response {
    Response {
        url: url(at),
        status: 200,
        headers: Headers::from_iter([("Content-Type", "text/html")]),
        body: Bytes::from_static(body.as_bytes()),
        fetched_at: Timestamp::from_millis(1_700_000_000_000),
        took: Default::default(),
        truncated: false,
        body_end: Default::default(),
        ip: None,
        request_head: Bytes::from_static(b"GET / HTTP/1.1\r\n\r\n"),
        note: None,
    }
}

fn write_archive(dir: &Path) {
    let options = WriterOptions { rotate_bytes: 1, ..WriterOptions::default() };
    let mut archive = Archive::open(dir, &options, None).unwrap();
    let mut original = None;
    for (at, body) in
        [("http://a.example/", "home"), ("http://a.example/b", "b"), ("http://a.example/c", "home")]
    {
        let response = response(at, body);
        let digest = Digest::of(&response.body);
        let duplicate_of = original.as_ref().filter(|_| at.ends_with('c'));
        let entry = Entry { response: &response, digest: &digest, duplicate_of, metadata: &[] };
        let record = archive.write(&entry).unwrap();
        original.get_or_insert(Original { url: response.url.clone(), date: response.fetched_at, record });
    }
}

#[test]
fn our_own_archive_and_its_wacz() {
    let dir = tempfile::tempdir().unwrap();
    let archive = dir.path().join("archive");
    write_archive(&archive);
    let wacz = dir.path().join("x.wacz");
    let info = WaczInfo {
        title: "test".to_owned(),
        description: None,
        software: "test".to_owned(),
        created: Timestamp::from_millis(1_700_000_000_000),
        main_page: None,
    };
    let page = WaczPage { url: url("http://a.example/"), title: None, date: info.created };
    let summary = export_wacz(&archive, &wacz, &info, [page]).unwrap();
    assert_eq!((summary.files, summary.captures, summary.pages), (3, 3, 1));
    assert_eq!(summary.bytes, fs::metadata(&wacz).unwrap().len());
    for path in [&archive, &wacz] {
        let replay = Replay::open(path, &options()).unwrap();
        assert_eq!((replay.len(), replay.problems()), (3, &[][..]));
        check(&replay, "http://a.example/", 200, "home");
        check(&replay, "http://a.example/b", 200, "b");
        check(&replay, "http://a.example/c", 200, "home");
    }
}

#[test]
fn a_wacz_with_deflated_members() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.wacz");
    let mut zip = zip::ZipWriter::new(fs::File::create(&path).unwrap());
    let deflated = zip::write::SimpleFileOptions::default();
    for (name, at) in
        [("archive/b.warc", "http://a.example/b"), ("../../archive/a.warc", "http://a.example/a")]
    {
        zip.start_file(name, deflated.compression_method(zip::CompressionMethod::Deflated)).unwrap();
        zip.write_all(page(at, at).as_bytes()).unwrap();
    }
    zip.finish().unwrap();
    let replay = Replay::open(&path, &options()).unwrap();
    check(&replay, "http://a.example/a", 200, "http://a.example/a");
    check(&replay, "http://a.example/b", 200, "http://a.example/b");
}

#[test]
fn a_mirror_folder() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, body: &str| {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, body).unwrap();
    };
    write("index.html", "<p>home");
    write("list.php?page=2", "<!doctype html>two");
    write("view.php@id=7.html", "seven");
    write("sub/index.html", "sub");
    write("logo.png", "not really");
    assert!(Replay::open(dir.path(), &options()).is_err());
    let replay =
        Replay::open(dir.path(), &ReplayOptions { base: Some(url("http://m.example/w/")), ..options() });
    let replay = replay.unwrap();
    assert_eq!(replay.len(), 5);
    check(&replay, "http://m.example/w/", 200, "<p>home");
    check(&replay, "http://m.example/w/index.html", 301, "http://m.example/w/");
    check(&replay, "http://m.example/w/list.php?page=2", 200, "<!doctype html>two");
    check(&replay, "http://m.example/w/list.php%3Fpage=2", 301, "http://m.example/w/list.php?page=2");
    check(&replay, "http://m.example/w/view.php?id=7", 200, "seven");
    check(&replay, "http://m.example/w/sub", 301, "http://m.example/w/sub/");
    check(&replay, "http://m.example/w/none", 404, "");
    let types = ["", "list.php?page=2", "logo.png"].map(|name| {
        ask(&replay, &format!("http://m.example/w/{name}")).media_type().map(|media_type| media_type.essence)
    });
    assert_eq!(types.map(Option::unwrap), ["text/html", "text/html", "image/png"]);
}

#[test]
fn a_mirror_that_offers_recordings() {
    let dir = tempfile::tempdir().unwrap();
    let recording = page("http://a.example/", "recorded");
    for folder in ["m.example", "n.example"] {
        fs::create_dir(dir.path().join(folder)).unwrap();
        fs::write(dir.path().join(folder).join("index.html"), folder).unwrap();
    }
    fs::write(dir.path().join("m.example/download.warc"), &recording).unwrap();
    let replay = Replay::open(dir.path(), &options()).unwrap();
    check(&replay, "http://m.example/", 200, "m.example");
    check(&replay, "http://m.example/download.warc", 200, &recording);
    check(&replay, "http://a.example/", 404, "");

    // Mostly recordings: the other files are notes about them.
    for name in ["2.warc", "3.warc"] {
        fs::write(dir.path().join("m.example").join(name), &recording).unwrap();
    }
    let replay = Replay::open(dir.path(), &options()).unwrap();
    check(&replay, "http://a.example/", 200, "recorded");
    check(&replay, "http://m.example/", 404, "");

    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("index.html"), "home").unwrap();
    fs::write(dir.path().join("download.warc"), &recording).unwrap();
    let based = ReplayOptions { base: Some(url("http://m.example/")), ..options() };
    check(&Replay::open(dir.path(), &based).unwrap(), "http://m.example/", 200, "home");
    check(&Replay::open(dir.path(), &options()).unwrap(), "http://a.example/", 200, "recorded");
}

#[test]
fn temporary_files_share_one_limit() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.wacz");
    let mut zip = zip::ZipWriter::new(fs::File::create(&path).unwrap());
    let deflated = zip::write::SimpleFileOptions::default();
    let records = ["a", "b"].map(|name| page(&format!("http://a.example/{name}"), name));
    for (name, record) in ["a.warc", "b.warc"].iter().zip(&records) {
        zip.start_file(*name, deflated.compression_method(zip::CompressionMethod::Deflated)).unwrap();
        zip.write_all(record.as_bytes()).unwrap();
    }
    zip.finish().unwrap();
    let length = |count: usize| records.iter().take(count).map(|record| record.len() as u64).sum();
    let with = |max_spool_bytes| {
        let replay = Replay::open(&path, &ReplayOptions { max_spool_bytes, ..options() }).unwrap();
        let noted: Vec<_> = replay.problems().iter().map(|one| one.problem.to_string()).collect();
        (replay.len(), noted)
    };
    assert_eq!(with(length(2)), (2, vec![]));
    let cut = "at 0: the limit for temporary files is reached; the rest was skipped";
    assert_eq!(with(length(1)), (1, vec![cut.to_owned()]));
    // Members with several records are decoded into temporary files too.
    let both = gzip(&[&records.concat()]);
    let dir = tempfile::tempdir().unwrap();
    for name in ["1.warc.gz", "2.warc.gz"] {
        fs::write(dir.path().join(name), &both).unwrap();
    }
    let replay =
        Replay::open(dir.path(), &ReplayOptions { max_spool_bytes: length(2), ..options() }).unwrap();
    assert_eq!((replay.len(), replay.problems().len()), (2, 1));
}
