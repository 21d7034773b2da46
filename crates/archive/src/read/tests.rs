//! Small files with every kind of damage, and what should be read from them.

use super::*;
use crate::gzip::Gzip;

fn warc(target: &str, body: &str) -> String {
    warc_of_length(target, body, body.len())
}

fn warc_of_length(target: &str, body: &str, length: usize) -> String {
    format!(
        "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: {target}\r\nContent-Length: {length}\r\n\r\n{body}\r\n\r\n"
    )
}

fn gzipped(members: &[&str]) -> Vec<u8> {
    let mut gzip = Gzip::new(6);
    let mut out = Vec::new();
    for member in members {
        gzip.member(&[member.as_bytes()], &mut out).unwrap();
    }
    out
}

/// Reads `file` and compares `target=block` of each record, and the text of the problems.
fn check(file: &[u8], records: &[&str], problems: &[&str]) {
    let mut reader = RecordReader::new(file);
    let mut read = Vec::new();
    while let Some(record) = reader.next_record().unwrap() {
        read.push(format!("{}={}", record.target().unwrap_or_default(), text(&record.block)));
    }
    assert_eq!(read, records);
    let noted: Vec<_> = reader.problems().iter().map(|problem| problem.to_string()).collect();
    assert_eq!(noted, problems);
}

#[test]
fn plain_and_compressed() {
    let (a, b) = (warc("a", "first"), warc("b", "second"));
    check(format!("{a}{b}").as_bytes(), &["a=first", "b=second"], &[]);
    check(&gzipped(&[&a, &b]), &["a=first", "b=second"], &[]);
    check(b"", &[], &[]);
    check(b"\r\n\r\n", &[], &[]);
}

#[test]
fn whole_file_gzip_and_records_over_members() {
    let both = format!("{}{}", warc("a", "first"), warc("b", "second"));
    check(&gzipped(&[&both]), &["a=first", "b=second"], &[]);
    let (left, right) = both.split_at(100);
    check(&gzipped(&[left, right]), &["a=first", "b=second"], &[]);
    let seekable = |members: &[&str]| {
        let file = gzipped(members);
        let mut reader = RecordReader::new(&file[..]);
        std::iter::from_fn(|| reader.next_record().unwrap()).map(|record| record.seekable).collect::<Vec<_>>()
    };
    assert_eq!(seekable(&[&both]), [true, false]);
    assert_eq!(seekable(&[&warc("a", ""), &warc("b", "")]), [true, true]);
}

#[test]
fn offsets_and_lengths_cover_the_file() {
    let (a, b) = (warc("a", "first"), warc("b", "second"));
    for file in [format!("{a}{b}").into_bytes(), gzipped(&[&a, &b])] {
        let mut reader = RecordReader::new(&file[..]);
        let mut end = 0;
        while let Some(record) = reader.next_record().unwrap() {
            assert_eq!(record.offset, end);
            end += record.length;
            let part = &file[usize::try_from(record.offset).unwrap()..usize::try_from(end).unwrap()];
            let alone = RecordReader::new(part).next_record().unwrap().unwrap();
            assert_eq!(alone.block, record.block);
        }
        assert_eq!(end, file.len() as u64);
        let gzip = file.starts_with(&[0x1f]);
        assert_eq!(reader.whole_until(), if gzip { end } else { 0 });
    }
}

#[test]
fn odd_headers() {
    let odd = "WARC/0.17\nwarc-type: response\nWARC-Target-URI: <http://a.example/a b>\nnonsense\n\
               Content-Length:  2\n\nhi\n\n";
    check(odd.as_bytes(), &["http://a.example/a b=hi"], &["at 0: a header line is not `name: value`"]);
    let long = format!("WARC/1.0\r\nX: {}\r\n\r\n{}", "y".repeat(100_000), warc("b", "ok"));
    check(
        long.as_bytes(),
        &["b=ok"],
        &["at 0: the header is too long", "at 0: 100017 bytes belong to no record"],
    );
}

#[test]
fn headers_without_an_end() {
    let next = warc("b", "ok");
    check(
        format!("WARC/1.0\r\nWARC-Type: resource\r\n{next}").as_bytes(),
        &["b=ok"],
        &["at 0: 31 bytes belong to no record"],
    );
    // If each beginning were searched up to the limit, 40 GB would be read.
    let count = 600_000;
    let file = format!("{}{next}", "WARC/1.0\n".repeat(count));
    let mut reader = RecordReader::new(file.as_bytes());
    assert_eq!(reader.next_record().unwrap().unwrap().block, "ok");
    assert_eq!(reader.problem_count(), count as u64);
    let file = format!("{}\n{next}", "WARC/1.0\nWARC/x\n".repeat(count));
    let mut reader = RecordReader::new(file.as_bytes());
    while reader.next_record().unwrap().is_some_and(|record| record.block != "ok") {}
    assert!(reader.problem_count() >= count as u64 - 1);
}

#[test]
fn lying_lengths() {
    let next = warc("b", "ok");
    let short = warc_of_length("a", "0123456789", 4);
    let goes_on = "at 0: the record goes on after its length of 4";
    check(
        format!("{short}{next}").as_bytes(),
        &["a=0123", "b=ok"],
        &[goes_on, &format!("at {}: 10 bytes belong to no record", short.len() - 10)],
    );
    let long = warc_of_length("a", "0123", 4000);
    let found = next.len() + "0123\r\n\r\n".len();
    check(
        format!("{long}{next}").as_bytes(),
        &["a=0123", "b=ok"],
        &[&format!("at 0: length 4000 declared, {found} bytes found")],
    );
    let swallows = warc_of_length("a", "0123", 30);
    check(
        format!("{swallows}{next}{}", warc("c", "")).as_bytes(),
        &["a=0123", "b=ok", "c="],
        &["at 0: length 30 declared, 8 bytes found"],
    );
    check(
        &gzipped(&[&long, &next]),
        &["a=0123\r\n\r\n", "b=ok"],
        &["at 0: length 4000 declared, 8 bytes found"],
    );
    let big = "x".repeat(300_000);
    let file = gzipped(&[&long, &warc("b", &big)]);
    let expect = ["a=0123\r\n\r\n", &format!("b={big}")];
    check(&file, &expect, &["at 0: length 4000 declared, 8 bytes found"]);
    let huge = long.replace("4000", "99999999999999999999");
    check(&gzipped(&[&huge, &next]), &["a=0123", "b=ok"], &["at 0: no usable content length"]);
}

#[test]
fn garbage_and_torn_ends() {
    let a = warc("a", "first");
    check(
        format!("noise\nmore noise\n{a}").as_bytes(),
        &["a=first"],
        &["at 0: 17 bytes belong to no record"],
    );
    let whole = gzipped(&[&a, &a]);
    let one = whole.len() / 2;
    let torn = &whole[..whole.len() - 9];
    let mut reader = RecordReader::new(torn);
    assert!(reader.next_record().unwrap().is_some_and(|record| !record.incomplete));
    assert_eq!(reader.whole_until(), one as u64);
    while reader.next_record().unwrap().is_some() {}
    assert_eq!(reader.problems()[0], Problem { offset: one as u64, kind: ProblemKind::Torn });
    assert_eq!(reader.whole_until(), one as u64);

    let noise = [&whole[..one], &b"\0\0\0garbage"[..], &whole[one..]].concat();
    check(&noise, &["a=first", "a=first"], &[&format!("at {one}: 10 bytes belong to no record")]);
}

#[test]
fn damaged_members_are_left_behind() {
    let members = [warc("a", &"x".repeat(500)), warc("b", "second"), warc("c", "third")];
    let mut file = gzipped(&[&members[0], &members[1], &members[2]]);
    let second = gzipped(&[&members[0]]).len();
    file[second + 40] ^= 0xff;
    let mut reader = RecordReader::new(&file[..]);
    let targets: Vec<_> = std::iter::from_fn(|| reader.next_record().unwrap())
        .filter(|record| !record.incomplete)
        .map(|record| record.target().unwrap_or_default().to_owned())
        .collect();
    assert!(targets.contains(&"a".to_owned()) && targets.contains(&"c".to_owned()), "{targets:?}");
    assert!(reader.problem_count() > 0);
}

#[test]
fn a_block_is_kept_up_to_the_limit() {
    let big = warc("a", &"x".repeat(1_000_000));
    let file = gzipped(&[&big, &warc("b", "ok")]);
    let options = ReaderOptions { max_block: 100, start: 0 };
    let mut reader = RecordReader::with_options(&file[..], options);
    let record = reader.next_record().unwrap().unwrap();
    assert_eq!((record.block.len(), record.block_length, record.is_cut()), (100, 1_000_000, true));
    assert_eq!(reader.next_record().unwrap().unwrap().block, "ok");
    assert_eq!(reader.problems(), []);
}

/// A zstd frame with one raw block, as an encoder that does not compress writes it.
fn zstd_frame(content: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0b1010_0000];
    frame.extend(u32::try_from(content.len()).unwrap().to_le_bytes());
    let header = u32::try_from(content.len()).unwrap() << 3 | 1;
    frame.extend(&header.to_le_bytes()[..3]);
    frame.extend(content);
    frame
}

#[test]
fn zstd_frames() {
    let (a, b) = (warc("a", "first"), warc("b", "second"));
    let file = [zstd_frame(a.as_bytes()), zstd_frame(b.as_bytes())].concat();
    check(&file, &["a=first", "b=second"], &[]);
    let skippable = [&[0x51, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 9, 9, 9][..], &file].concat();
    check(&skippable, &["a=first", "b=second"], &[]);
    let torn = &file[..file.len() - 20];
    let mut reader = RecordReader::new(torn);
    assert_eq!(reader.next_record().unwrap().unwrap().block, "first");
    while reader.next_record().unwrap().is_some() {}
    assert_eq!(reader.problems()[0].kind, ProblemKind::Torn);
    let noise = [&file[..], b"noise"].concat();
    check(&noise, &["a=first", "b=second"], &[&format!("at {}: 5 bytes belong to no record", file.len())]);
}

#[test]
fn arc_files() {
    let block = "1 0 Test\nURL IP-address Archive-date Content-type Archive-length\n";
    let file = format!(
        "filedesc://x.arc 0.0.0.0 20140216050221 text/plain {}\n{block}\nhttp://a.example/a b 1.2.3.4 \
         20140216050222 text/html 5\nhello\nhttp://a.example/c 1.2.3.4 20140216050223 text/html 2\nhi\n",
        block.len()
    );
    let block = text(block.as_bytes());
    let first = format!("filedesc://x.arc={block}");
    check(file.as_bytes(), &[&first, "http://a.example/a b=hello", "http://a.example/c=hi"], &[]);
}
