//! temporary
#![allow(clippy::print_stdout, clippy::unwrap_used)]
use osprey_fetch::{FetchOptions, HttpSource};
use osprey_model::robots::Robots;
use osprey_model::{CanonicalUrl, Exchange, Request, Source, UrlRules};
use std::sync::Arc;
fn rss() -> u64 {
    let s = std::fs::read_to_string("/proc/self/status").unwrap();
    s.lines().find_map(|l| l.strip_prefix("VmRSS:")).unwrap().trim().trim_end_matches(" kB").parse().unwrap()
}
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e3
}
fn main() {
    let port = std::env::args().nth(1).unwrap();
    let n: u64 = std::env::args().nth(2).unwrap().parse().unwrap();
    let dns = osprey_rogue::Dns::start_with_ttl(3600, |_, _| vec!["127.0.0.1".parse().unwrap()]).unwrap();
    let source = Arc::new(HttpSource::new(FetchOptions { allow_private: true, name_servers: vec![dns.addr()], ..Default::default() }).unwrap());
    let rt = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let round = |from: u64, to: u64| {
        let (c, t) = (cpu(), std::time::Instant::now());
        rt.block_on(async {
            let mut next = from;
            while next < to {
                let mut set = tokio::task::JoinSet::new();
                for i in next..(next + 64).min(to) {
                    let url = CanonicalUrl::parse(&format!("http://host-number-{i}.example:{port}/"), &UrlRules::default()).unwrap();
                    let target = Robots::allow_all().permit(&url).unwrap();
                    let source = source.clone();
                    set.spawn(async move { matches!(source.fetch(Request::new(target)).await, Exchange::Answered(_)) });
                }
                assert!(set.join_all().await.into_iter().all(|ok| ok));
                next += 64;
            }
        });
        println!("hosts {from}..{to}: {:.1} us CPU, {:.1} us wall a request, RSS {} kB, {:?}", (cpu() - c) / (to - from) as f64, t.elapsed().as_secs_f64() * 1e6 / (to - from) as f64, rss(), source.counts());
    };
    round(0, 1000);
    round(0, 1000);
    round(1000, 1000 + n);
    round(1000, 1000 + n);
    println!("dns server's own record: {} kB or so", dns.asked().len() * 56 / 1024);
}
