//! Serves a site in the foreground, for measurements of a crawler in another process.
//!
//! Prints its address on the first line, and a summary of all requests as JSON when it stops: on SIGINT, on SIGTERM,
//! or, with `--stdin`, at the end of its input. Accepts requests from loopback only.

use std::io::Write;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::Duration;

use anyhow::Context;
use clap::{Parser, ValueEnum};
use osprey_rogue::{Flaky, Hosts, Listen, Misbehave, Plain, Rates, Record, Server};
use serde_json::json;

/// Serves a generated or misbehaving web site on loopback addresses and reports what arrived.
#[derive(Parser)]
#[command(name = "osprey-rogue", version)]
struct Args {
    /// What to serve.
    #[arg(long, value_enum, default_value_t = SiteKind::Plain)]
    site: SiteKind,
    /// Number of hosts: the addresses 127.1.0.1, 127.1.0.2, ... (plain, flaky).
    #[arg(long, default_value_t = 1)]
    hosts: u64,
    /// Pages on each host (plain, flaky).
    #[arg(long, default_value_t = 100)]
    pages: u64,
    /// Approximate size of a page (plain, flaky).
    #[arg(long, default_value_t = 4096)]
    page_bytes: usize,
    /// Random seed of pages and faults.
    #[arg(long, alias = "seed", default_value_t = 1)]
    random_seed: u64,
    /// A robots.txt file for every host; none by default.
    #[arg(long, value_name = "FILE")]
    robots: Option<PathBuf>,
    /// Serve a sitemap of each host at /sitemap.xml.
    #[arg(long)]
    sitemap: bool,
    /// Faults in a thousand requests, spread evenly over the kinds (flaky).
    #[arg(long, default_value_t = 200)]
    faults: u16,
    /// Address to listen on; all of 127.0.0.0/8 by default.
    #[arg(long, default_value = "0.0.0.0")]
    address: IpAddr,
    /// The port.
    #[arg(long, default_value_t = 8801)]
    port: u16,
    /// Write a line for each arrival: wall-clock milliseconds, address, host, path.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Stop when the input ends.
    #[arg(long)]
    stdin: bool,
}

/// What to serve.
#[derive(Clone, Copy, ValueEnum)]
enum SiteKind {
    /// Generated pages.
    Plain,
    /// Generated pages, with faults.
    Flaky,
    /// One path for each misbehaviour.
    Misbehave,
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let server = start(&args)?;
    let first = match args.site {
        SiteKind::Misbehave => server.url_at("127.0.0.1", "/"),
        SiteKind::Plain | SiteKind::Flaky => server.url_at("127.1.0.1", "/"),
    };
    say(&json!({ "listening": server.addr().to_string(), "first": first }))?;
    wait_for_end(args.stdin)?;
    let tally = server.finish().context("the log could not be written")?;
    say(&tally.to_json())
}

fn start(args: &Args) -> anyhow::Result<Server> {
    let record = args.log.clone().map_or(Record::Tally, Record::File);
    let listen = Listen::new().address(args.address).port(args.port).record(record);
    let started = match args.site {
        SiteKind::Plain => listen.start(plain(args)?),
        SiteKind::Flaky => listen.start(Flaky::new(plain(args)?, args.random_seed, rates(args.faults))),
        SiteKind::Misbehave => listen.start(Misbehave),
    };
    started.with_context(|| format!("{}:{}: cannot serve", args.address, args.port))
}

fn plain(args: &Args) -> anyhow::Result<Plain> {
    let hosts = Hosts::Loopback { count: args.hosts, port: args.port };
    let mut site = Plain::new(args.random_seed, args.pages).page_bytes(args.page_bytes).hosts(hosts);
    if let Some(path) = &args.robots {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("{}: cannot read", path.display()))?;
        site = site.robots(&text);
    }
    Ok(if args.sitemap { site.sitemap() } else { site })
}

fn rates(faults: u16) -> Rates {
    let each = faults / 5;
    let delay_by = Duration::from_secs(1);
    Rates { server_error: each, too_many: each, reset: each, cut: each, delay: each, delay_by }
}

fn say(value: &serde_json::Value) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{value}")?;
    Ok(out.flush()?)
}

fn wait_for_end(at_end_of_input: bool) -> anyhow::Result<()> {
    let (end, ended) = mpsc::channel();
    let by_input = end.clone();
    ctrlc::set_handler(move || {
        let _ = end.send(());
    })?;
    if at_end_of_input {
        std::thread::spawn(move || {
            let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
            let _ = by_input.send(());
        });
    }
    Ok(ended.recv()?)
}
