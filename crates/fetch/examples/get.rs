//! Fetches a URL many times and says what it costs: `get URL [N [CONCURRENCY]]`.
//!
//! One thread, so that processor time is the fetcher's own. Private addresses are allowed: the point is to measure
//! against a server on loopback.

#![allow(clippy::print_stdout, reason = "the figures are what it is for")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use osprey_fetch::{FetchOptions, HttpSource};
use osprey_model::robots::Robots;
use osprey_model::{CanonicalUrl, Exchange, Request, Source, UrlRules};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let text = arguments.next().ok_or("usage: get URL [N [CONCURRENCY]]")?;
    let total: u64 = arguments.next().map_or(Ok(1), |n| n.parse())?;
    let concurrency: u64 = arguments.next().map_or(Ok(64), |n| n.parse())?;
    let url = CanonicalUrl::parse(&text, &UrlRules::default())?;
    let target = Robots::allow_all().permit(&url).ok_or("not permitted")?;
    let source = Arc::new(HttpSource::new(FetchOptions { allow_private: true, ..Default::default() })?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;

    let (left, bytes, failed) = (AtomicU64::new(total), AtomicU64::new(0), AtomicU64::new(0));
    let shared = Arc::new((left, bytes, failed));
    let (began, cpu_before) = (Instant::now(), cpu_seconds());
    runtime.block_on(async {
        let mut tasks = Vec::new();
        for _ in 0..concurrency.min(total) {
            let (source, shared, request) = (source.clone(), shared.clone(), Request::new(target.clone()));
            tasks.push(tokio::spawn(async move {
                let (left, bytes, failed) = &*shared;
                while left.fetch_update(Relaxed, Relaxed, |n| n.checked_sub(1)).is_ok() {
                    match source.fetch(request.clone()).await {
                        Exchange::Answered(answer) => {
                            bytes.fetch_add(answer.body.len() as u64, Relaxed);
                            if total == 1 {
                                print_answer(&answer);
                            }
                        }
                        Exchange::Failed(failure) => {
                            if failed.fetch_add(1, Relaxed) == 0 {
                                println!("{}: {}: {}", failure.url, failure.kind, failure.message);
                            }
                        }
                    }
                }
            }));
        }
        for task in tasks {
            task.await?;
        }
        Ok::<(), Failure>(())
    })?;
    let (wall, cpu) = (began.elapsed().as_secs_f64(), cpu_seconds() - cpu_before);
    let (_, bytes, failed) = &*shared;
    println!(
        "{total} requests, {} failed, {} bytes, {wall:.2} s: {:.0} a second, {:.0} a CPU second",
        failed.load(Relaxed),
        bytes.load(Relaxed),
        total as f64 / wall,
        total as f64 / cpu.max(1e-9),
    );
    println!("{:?}", source.counts());
    Ok(())
}

fn print_answer(answer: &osprey_model::Response) {
    println!("{}", String::from_utf8_lossy(&answer.request_head));
    println!("{} from {:?} in {:?}, note {:?}", answer.status, answer.ip, answer.took, answer.note);
    for (name, value) in answer.headers.iter() {
        println!("{name}: {value}");
    }
}

/// Of this process, by the kernel's accounts, in steps of nanoseconds; 0 where there is no such account.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|nanos| nanos.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
}
