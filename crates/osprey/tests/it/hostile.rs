//! A site that means harm, from end to end: the crawl ends, within bounds, names what it met, and loses nothing.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::process::Command;

use serde_json::Value;

use crate::project::Project;

fn write(project: &Project, name: &str, fill: impl FnOnce(&mut BufWriter<File>)) {
    let mirror = project.path().join("mirror");
    std::fs::create_dir_all(&mirror).unwrap();
    let mut file = BufWriter::new(File::create(mirror.join(name)).unwrap());
    fill(&mut file);
    file.flush().unwrap();
}

/// Crawls with two gigabytes of address space, so that what is not bounded fails.
fn crawl_bounded(project: &Project) -> Value {
    let command = format!(
        "ulimit -v 2097152; exec \"{}\" crawl \"{}\" --json",
        env!("CARGO_BIN_EXE_osprey"),
        project.path().display()
    );
    let output = Command::new("sh").args(["-c", &command]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn hostile_pages_are_bounded_and_named() {
    let project = Project::new(
        "[crawl]\nseeds = [\"http://evil.example/\"]\n[source]\nkind = \"replay\"\npath = \"{dir}/mirror\"\nbase = \"http://evil.example/\"\n",
    );
    let pages = ["deep", "bold", "attributes", "nulls", "huge", "charset", "links", "empty"];
    write(&project, "index.html", |out| {
        for page in pages {
            write!(out, "<a href={page}.html>{page}</a> ").unwrap();
        }
        write!(out, "<a href='/{}'>long</a><a href='http://[::1'>bad</a>", "x".repeat(1 << 20)).unwrap();
    });
    write(&project, "deep.html", |out| (0..100_000).for_each(|_| out.write_all(b"<div>").unwrap()));
    write(&project, "bold.html", |out| (0..100_000).for_each(|i| write!(out, "<b><i x={i}><p>").unwrap()));
    write(&project, "attributes.html", |out| {
        out.write_all(b"<p ").unwrap();
        (0..10_000_000).for_each(|i| write!(out, "a{i} ").unwrap());
        out.write_all(b">after").unwrap();
    });
    write(&project, "nulls.html", |out| {
        out.write_all(&b"<p>a\0b\0\0<a hr\0ef=x>\0</a>".repeat(1000)).unwrap()
    });
    // 200 MiB, almost all of it a hole in the file
    write(&project, "huge.html", |out| {
        out.write_all(b"<title>huge</title>").unwrap();
        out.flush().unwrap();
        out.get_ref().set_len(200 << 20).unwrap();
    });
    write(&project, "charset.html", |out| {
        out.write_all(b"<meta charset=utf-16><title>\xff\xfe\xe4\xf6 \x81\x8d</title><p>\xf0\x28\x8c\x28")
            .unwrap();
    });
    write(&project, "links.html", |out| {
        (0..100_000).for_each(|i| write!(out, "<a href=#{i}>x</a><a href='?{i}'>y</a>").unwrap())
    });
    write(&project, "empty.html", |_| {});
    write(&project, "robots.txt", |out| {
        out.write_all(b"User-agent: *\nDisallow: /links.html?\n").unwrap();
        (0..2_000_000).for_each(|i| writeln!(out, "Disallow: /no*{i}*x*y$").unwrap());
    });
    assert!(std::fs::metadata(project.path().join("mirror/robots.txt")).unwrap().len() > 45 << 20);

    let report = crawl_bounded(&project);
    assert_eq!(report["stopped_by"], "empty", "{report}");
    assert!(report["skipped"]["too-long"] == 1 && report["skipped"]["invalid"] == 1, "{report}");
    assert!(report["skipped"]["robots"].as_u64().unwrap() > 0, "{report}");
    let rows = project.rows("visits");
    let row = |page: &str| {
        rows.iter().find(|row| row["url"] == format!("http://evil.example/{page}.html")).unwrap()
    };
    for page in pages {
        assert_eq!(row(page)["status"], 200, "{page}");
    }
    for (page, note) in [
        ("deep", "nested too deeply"),
        ("bold", "nested too deeply"),
        ("attributes", "too many on one element"),
        ("huge", "body cut at the size limit"),
        ("links", "links dropped"),
        ("charset", "outside the character set"),
    ] {
        assert!(row(page)["notes"].to_string().contains(note), "{page}: {}", row(page)["notes"]);
    }
    assert_eq!(row("huge")["title"], "huge");
    assert_eq!(project.json("crawl", &[])["visited"], rows.len());
}

/// A recording that lies about lengths, ends in the middle and hides a bomb.
#[test]
fn hostile_recordings_are_bounded_and_named() {
    let project = Project::new(
        "[crawl]\nseeds = [\"http://evil.example/\"]\n[source]\nkind = \"replay\"\npath = \"{dir}/evil.warc\"\n",
    );
    let record = |url: &str, http: &[u8], length: usize| {
        let mut record = format!(
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000000>\r\n\
             WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Target-URI: {url}\r\nContent-Type: application/http; msgtype=response\r\n\
             Content-Length: {length}\r\n\r\n"
        )
        .into_bytes();
        record.extend_from_slice(http);
        record.extend_from_slice(b"\r\n\r\n");
        record
    };
    let page = |body: &str| format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}").into_bytes();
    let front = page("<a href=/bomb>b</a><a href=/lie>l</a><a href=/torn>t</a><a href=/good>g</a>");
    let mut bomb = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n".to_vec();
    bomb.extend_from_slice(&gzip_bomb(&project));
    let good = page("<title>good</title>");
    let (lie, torn) = (page("<p>lie"), page("<p>torn"));
    let mut warc = record("http://evil.example/", &front, front.len());
    warc.extend(record("http://evil.example/bomb", &bomb, bomb.len()));
    warc.extend(record("http://evil.example/good", &good, good.len()));
    warc.extend(record("http://evil.example/lie", &lie, 1 << 40));
    warc.extend(record("http://evil.example/torn", &torn, torn.len()));
    warc.truncate(warc.len() - 20);
    std::fs::write(project.path().join("evil.warc"), warc).unwrap();

    let report = crawl_bounded(&project);
    assert_eq!(report["stopped_by"], "empty", "{report}");
    let rows = project.rows("visits");
    let find = |path: &str| rows.iter().find(|row| row["url"] == format!("http://evil.example{path}"));
    assert_eq!(find("/good").unwrap()["title"], "good");
    let bomb = find("/bomb").unwrap();
    assert!(bomb["bytes"].as_u64().unwrap() <= 8 << 20, "{bomb}");
    assert!(bomb["notes"].to_string().contains("cut"), "{bomb}");
}

/// 256 MiB of zeros, packed by the system's gzip.
fn gzip_bomb(project: &Project) -> Vec<u8> {
    let zeros = project.path().join("zeros");
    File::create(&zeros).unwrap().set_len(256 << 20).unwrap();
    let output = Command::new("gzip").arg("-c").arg(&zeros).output().unwrap();
    assert!(output.status.success());
    output.stdout
}
