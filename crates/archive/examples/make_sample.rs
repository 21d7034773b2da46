//! Writes a small archive, its CDXJ index and a WACZ into a folder, for other tools to check:
//! `cargo run -p osprey-archive --example make_sample -- FOLDER`, then `warcio check FOLDER/archive/*.warc.gz`
//! and `wacz validate -f FOLDER/sample.wacz`.

use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;

use bytes::Bytes;
use osprey_archive::{
    Archive, Digest, Entry, Original, WaczInfo, WaczPage, WriterOptions, export_wacz, write_cdxj,
};
use osprey_model::{BodyEnd, CanonicalUrl, Headers, Response, Timestamp, UrlRules};

fn page(n: u32, rules: &UrlRules) -> Result<Response, Box<dyn Error>> {
    let status = if n % 10 == 7 { 404 } else { 200 };
    let text =
        format!("<!doctype html><title>Page {n}</title><p>{}", "lorem ipsum dolor ".repeat(n as usize % 50));
    Ok(Response {
        url: CanonicalUrl::parse(&format!("https://www.sample.example/Dir/{n}/?b={n}&A=1"), rules)?,
        status,
        headers: Headers::from_iter([
            ("Content-Type", "text/html; charset=utf-8"),
            ("Content-Encoding", "gzip"),
            ("Content-Length", "100"),
            ("X-Motto", "na\u{ef}ve"),
        ]),
        body: Bytes::from(text),
        fetched_at: Timestamp::from_millis(1_790_000_000_000 + i64::from(n) * 1500),
        took: Duration::from_millis(20),
        truncated: n == 5,
        body_end: if n == 5 { BodyEnd::Limit } else { BodyEnd::Whole },
        ip: Some([192, 0, 2, 1].into()),
        request_head: format!("GET /Dir/{n}/ HTTP/1.1\r\nHost: www.sample.example\r\n\r\n").into(),
        note: None,
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("usage: make_sample FOLDER")?);
    let rules = UrlRules::keep_all();
    let dir = folder.join("archive");
    let options = WriterOptions {
        rotate_bytes: 200_000,
        info: vec![("operator".to_owned(), "a sample".to_owned())],
        ..WriterOptions::default()
    };
    let mut archive = Archive::open(&dir, &options, None)?;
    let mut pages = Vec::new();
    let mut first: Option<Original> = None;
    for n in 0..2500 {
        let response = page(n, &rules)?;
        let digest = Digest::of(&response.body);
        let duplicate_of = first.as_ref().filter(|_| n % 50 == 0);
        let metadata = b"{\"via\":\"https://www.sample.example/\"}";
        let metadata = if n % 3 == 0 { &metadata[..] } else { &[] };
        let entry = Entry { response: &response, digest: &digest, duplicate_of, metadata };
        // Every fiftieth text is the same except for its number; only equal bodies may be revisits.
        let same = first.is_some() && n % 50 == 0;
        let twin = Response { body: page(0, &rules)?.body, ..response.clone() };
        let twin_digest = Digest::of(&twin.body);
        let entry = if same { Entry { response: &twin, digest: &twin_digest, ..entry } } else { entry };
        let record = archive.write(&entry)?;
        if first.is_none() {
            first = Some(Original { url: response.url.clone(), date: response.fetched_at, record });
        }
        if response.status == 200 {
            let title = Some(format!("Page {n}"));
            pages.push(WaczPage { url: response.url.clone(), title, date: response.fetched_at });
        }
    }
    archive.sync()?;
    let captures = write_cdxj(&dir, &folder.join("index.cdxj"))?;
    let info = WaczInfo {
        title: "Sample".to_owned(),
        description: Some("pages that were never on the Web".to_owned()),
        software: options.software.clone(),
        created: Timestamp::from_millis(1_795_000_000_000),
        main_page: pages.first().map(|page| page.url.clone()),
    };
    let summary = export_wacz(&dir, &folder.join("sample.wacz"), &info, pages)?;
    eprintln!(
        "{captures} captures, {} files, {} pages, {} bytes",
        summary.files, summary.pages, summary.bytes
    );
    Ok(())
}
