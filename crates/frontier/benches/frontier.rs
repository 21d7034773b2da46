//! The operations of a crawl's inner loop on a frontier of 200,000 links over 200 hosts.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use osprey_frontier::{Commit, Frontier, Initial, NewLink, Options, Pick, Settle};
use osprey_model::{CanonicalUrl, GroupFactor, GroupId, LinkScore, Timestamp, UrlRules};

const PAGE: u32 = 50;

fn add_page(frontier: &mut Frontier, page: u32, group: GroupId) {
    let urls: Vec<CanonicalUrl> = (0..PAGE)
        .filter_map(|n| {
            let host = if n % 10 == 9 { page * 31 + n } else { page } % 200;
            let text = format!("https://www.host-{host}.example/forum/topic/{page}/answer-{n}.html");
            CanonicalUrl::parse(&text, &UrlRules::default()).ok()
        })
        .collect();
    let add = urls.iter().map(|url| NewLink {
        url,
        group,
        own: LinkScore::new((url.fingerprint() % 1000) as f32),
        payload: b"payload",
        state: Initial::Waiting,
    });
    let add = add.collect();
    black_box(frontier.commit(&Commit { block: b"page", add, ..Commit::default() })).ok();
}

fn benches(criterion: &mut Criterion) {
    let Ok(dir) = tempfile::tempdir() else { return };
    let options = Options { host_delay: Duration::ZERO, ..Options::default() };
    let Ok(mut frontier) = Frontier::open(dir.path(), &options) else { return };
    let one = GroupId(u64::MAX);
    let mut pages = 0..;
    for page in pages.by_ref().take(4000) {
        add_page(&mut frontier, page, if page < 2000 { one } else { GroupId(u64::from(page)) });
    }
    criterion.bench_function("commit a page of 50 new links", |bench| {
        bench.iter(|| {
            let page = pages.next().unwrap_or_default();
            add_page(&mut frontier, page, GroupId(u64::from(page)));
        });
    });
    criterion.bench_function("lease and settle", |bench| {
        bench.iter(|| {
            if let Ok(Pick::Leased(lease)) = frontier.lease(Timestamp::EPOCH) {
                let settle = vec![(lease.id, Settle::Done)];
                frontier.commit(&Commit { settle, ..Commit::default() }).ok();
            }
        });
    });
    let mut factor = 0.0;
    criterion.bench_function("new factor for 100,000 links at 200 hosts", |bench| {
        bench.iter(|| {
            factor += 0.25;
            let factors = vec![(one, GroupFactor::times(factor))];
            frontier.commit(&Commit { factors, ..Commit::default() }).ok();
        });
    });
}

criterion_group! {
    name = group;
    config = Criterion::default().sample_size(20).measurement_time(Duration::from_secs(2));
    targets = benches
}
criterion_main!(group);
