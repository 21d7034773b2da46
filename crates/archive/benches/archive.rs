//! What the archive costs: writing at several gzip levels (compared with gzip alone), reading, indexing, replaying.
//! With `OSPREY_DATA` set, on 400 pages of three real sites; otherwise on generated pages.

use std::hint::black_box;
use std::io::Write;
use std::path::PathBuf;

use bytes::Bytes;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use osprey_archive::{Archive, Digest, Entry, RecordReader, Replay, ReplayOptions, WriterOptions};
use osprey_model::{CanonicalUrl, Exchange, Headers, Response, Timestamp, UrlRules};

fn corpus(name: &str) -> Option<PathBuf> {
    let root = std::env::var_os("OSPREY_DATA").map(PathBuf::from)?;
    Some(root.join("corpora").join(name)).filter(|path| path.is_file())
}

fn real(name: &str) -> Option<Vec<Response>> {
    let replay = Replay::open(&corpus(name)?, &ReplayOptions::default()).ok()?;
    let step = replay.len() / 400 + 1;
    let responses = replay.urls().step_by(step).filter_map(|url| match replay.get(url) {
        Exchange::Answered(response) => Some(response),
        Exchange::Failed(_) => None,
    });
    Some(responses.collect())
}

fn made_up() -> Vec<Response> {
    let page = |n: u64| {
        let words = (0..3000_u64).map(|i| format!("<p>word{}</p>", (i * n * 2_654_435_761) % 1000));
        Response {
            url: CanonicalUrl::parse(&format!("http://a.example/{n}"), &UrlRules::default()).expect("a URL"),
            status: 200,
            headers: Headers::from_iter([("Content-Type", "text/html")]),
            body: Bytes::from(words.collect::<String>()),
            fetched_at: Timestamp::EPOCH,
            took: Default::default(),
            truncated: false,
            body_end: Default::default(),
            ip: None,
            request_head: Bytes::new(),
            note: None,
        }
    };
    (1..200).map(page).collect()
}

fn sets() -> Vec<(&'static str, Vec<Response>)> {
    let names = ["dh-answers", "w3school-cn", "forum-spirit"];
    let found: Vec<_> =
        names.iter().filter_map(|name| Some((*name, real(&format!("{name}.warc.gz"))?))).collect();
    if found.is_empty() { vec![("made-up", made_up())] } else { found }
}

fn write(responses: &[Response], level: u32) -> u64 {
    let dir = tempfile::tempdir().expect("a folder");
    let options = WriterOptions { level, ..WriterOptions::default() };
    let mut archive = Archive::open(dir.path(), &options, None).expect("an archive");
    let mut end = 0;
    for response in responses {
        let digest = Digest::of(&response.body);
        let entry = Entry { response, digest: &digest, duplicate_of: None, metadata: &[] };
        let position = archive.write(&entry).expect("written");
        end = position.offset + position.length;
    }
    end
}

fn gzip_alone(responses: &[Response], level: u32) -> usize {
    let compress = |response: &Response| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(level));
        encoder.write_all(&response.body).and_then(|()| encoder.finish()).map_or(0, |bytes| bytes.len())
    };
    responses.iter().map(compress).sum()
}

fn writing(c: &mut Criterion) {
    for (name, responses) in sets() {
        let bytes: usize = responses.iter().map(|response| response.body.len()).sum();
        let mut group = c.benchmark_group(format!("write/{name}"));
        group.throughput(Throughput::Bytes(bytes as u64)).sample_size(10);
        for level in [1, 2, 3, 6] {
            let percent = write(&responses, level) * 100 / bytes as u64;
            group.bench_function(BenchmarkId::new("archive", format!("{level} ({percent}%)")), |b| {
                b.iter(|| write(black_box(&responses), level));
            });
        }
        for level in [1, 3] {
            group.bench_function(BenchmarkId::new("gzip alone", level), |b| {
                b.iter(|| gzip_alone(black_box(&responses), level));
            });
        }
        group.finish();
    }
}

fn reading(c: &mut Criterion) {
    let Some(path) = corpus("w3school-cn.warc.gz") else {
        eprintln!("left out: reading and replaying (OSPREY_DATA is not set)");
        return;
    };
    let stored = std::fs::read(&path).expect("a corpus");
    let mut group = c.benchmark_group("read/w3school-cn");
    group.sample_size(10);
    group.bench_function("all records (11,597)", |b| {
        b.iter(|| {
            let mut reader = RecordReader::new(&stored[..]);
            let mut bytes = 0;
            while let Ok(Some(record)) = reader.next_record() {
                bytes += record.block.len();
            }
            bytes
        });
    });
    group.bench_function("open a replay", |b| {
        b.iter(|| Replay::open(&path, &ReplayOptions::default()).map(|replay| replay.len()));
    });
    let replay = Replay::open(&path, &ReplayOptions::default()).expect("a replay");
    let urls: Vec<_> = replay.urls().step_by(37).collect();
    let mut next = urls.iter().cycle();
    group.bench_function("fetch one page", |b| {
        b.iter(|| next.next().map(|url| replay.get(url)));
    });
    group.finish();
}

criterion_group!(benches, writing, reading);
criterion_main!(benches);
