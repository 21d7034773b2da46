//! Real recordings, from end to end: what is reachable is visited, once.

use crate::project::{Project, shared_data};

/// Crawls a corpus from its start page without a budget.
fn check(corpus: &str, start: &str, pages_at_least: usize) {
    let Some(data) = shared_data(&format!("crawl of {corpus}")) else { return };
    let warc = data.join("corpora").join(format!("{corpus}.warc.gz"));
    let project = Project::new(&format!(
        "[crawl]\nseeds = [\"{start}\"]\n[source]\nkind = \"replay\"\npath = \"{}\"\n",
        warc.display()
    ));
    let report = project.json("crawl", &[]);
    assert_eq!(report["stopped_by"], "empty", "{report}");
    let rows = project.rows("visits");
    let pages = rows.iter().filter(|row| row["status"] == 200).count();
    eprintln!("{corpus}: {pages} pages of {} visits in {} s", rows.len(), report["seconds"]);
    assert!(pages >= pages_at_least, "{pages} pages: {report}");
    let distinct: std::collections::BTreeSet<_> =
        rows.iter().map(|row| row["url"].as_str().unwrap()).collect();
    assert_eq!(distinct.len(), rows.len());
}

#[test]
fn dh_answers() {
    check("dh-answers", "http://digitalhumanities.org/", 1_500);
}

#[test]
fn openenergymonitor() {
    check("openenergymonitor", "http://openenergymonitor.org/emon/index.html", 3_400);
}
