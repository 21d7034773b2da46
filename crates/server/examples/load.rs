//! Asks a server many things at once and says how it bears it: requests a second, times, memory.
//!
//! ```text
//! osprey serve DIR --addr 127.0.0.1:8780 &
//! cargo run --release -p osprey-server --example load -- 127.0.0.1:8780 NAME --requests 20000 --clients 16 --pid PID
//! ```
//!
//! Half of the requests are searches (words that the index proposes, some with colours, places or facets), a third are
//! pages of documents that were found, the rest thumbnails and the API. Clients keep their connections.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

struct Options {
    address: String,
    project: String,
    requests: usize,
    clients: usize,
    pid: Option<u32>,
    /// Fail if memory grows by more than this share between the first half and the end.
    growth: Option<f64>,
}

fn options() -> Result<Options> {
    let mut arguments = std::env::args().skip(1);
    let usage = "load ADDRESS PROJECT [--requests N] [--clients N] [--pid PID] [--growth SHARE]";
    let (address, project) = (arguments.next().ok_or(usage)?, arguments.next().ok_or(usage)?);
    let mut options = Options { address, project, requests: 20_000, clients: 8, pid: None, growth: None };
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or(usage)?;
        match name.as_str() {
            "--requests" => options.requests = value.parse()?,
            "--clients" => options.clients = value.parse()?,
            "--pid" => options.pid = Some(value.parse()?),
            "--growth" => options.growth = Some(value.parse()?),
            _ => return Err(usage.into()),
        }
    }
    Ok(options)
}

/// A connection that is kept.
struct Client {
    stream: BufReader<TcpStream>,
    address: String,
}

impl Client {
    fn connect(address: &str) -> Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        Ok(Self { stream: BufReader::new(stream), address: address.to_owned() })
    }

    /// Status and body of an answer.
    fn get(&mut self, path: &str) -> Result<(u16, Vec<u8>)> {
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.address);
        self.stream.get_mut().write_all(request.as_bytes())?;
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        let status = line.split(' ').nth(1).ok_or("no status")?.parse()?;
        let (mut length, mut is_chunked) = (0, false);
        loop {
            line.clear();
            self.stream.read_line(&mut line)?;
            let header = line.trim_end().to_ascii_lowercase();
            if header.is_empty() {
                break;
            }
            if let Some(value) = header.strip_prefix("content-length:") {
                length = value.trim().parse()?;
            }
            is_chunked |= header == "transfer-encoding: chunked";
        }
        if is_chunked {
            return Err("a chunked answer, which this client does not read".into());
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        Ok((status, body))
    }
}

fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// Addresses to ask for, made from what the server itself finds.
fn addresses(client: &mut Client, project: &str) -> Result<Vec<String>> {
    let mut words = Vec::new();
    for beginning in ["a", "b", "c", "d", "m", "s", "t", "w1", "w2", "w3"] {
        let path = format!("/api/v1/projects/{project}/complete?q={beginning}");
        let answer: serde_json::Value = serde_json::from_slice(&client.get(&path)?.1)?;
        let found = answer["completions"].as_array().cloned().unwrap_or_default();
        words.extend(found.into_iter().filter_map(|word| word.as_str().map(str::to_owned)));
    }
    if words.is_empty() {
        return Err("the index proposes no words".into());
    }
    let colours =
        ["", " color:blue@top", " color:red", " -color:black", " texture:7", " color:#c8102e@center"];
    let mut all = Vec::new();
    for (number, word) in words.iter().enumerate() {
        let query = format!("{word}{}", colours[number % colours.len()]);
        let page = format!("/p/{project}/?q={}", encoded(&query));
        let api = format!("/api/v1/projects/{project}/search?q={}", encoded(&query));
        let answer: serde_json::Value = serde_json::from_slice(&client.get(&api)?.1)?;
        let hits = answer["hits"].as_array().cloned().unwrap_or_default();
        for hit in hits.iter().take(4) {
            let url = hit["url"].as_str().unwrap_or_default();
            all.push(format!("/p/{project}/item?url={}", encoded(url)));
            all.push(page.clone());
            all.push(page.clone());
            all.push(api.clone());
            all.extend(hit["thumbnail"].as_str().map(str::to_owned));
        }
    }
    Ok(all)
}

/// Resident memory of a process in MiB.
fn memory(pid: u32) -> Result<f64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).ok_or("no VmRSS")?;
    let number: f64 = line.split_whitespace().nth(1).ok_or("no number")?.parse()?;
    Ok(number / 1024.0)
}

/// Seconds of the answers, by what they were.
type Times = Vec<(&'static str, f64)>;

fn kind(path: &str) -> &'static str {
    match path {
        path if path.starts_with("/api/") => "api",
        path if path.contains("/item?") => "item",
        path if path.contains("/thumb/") => "thumbnail",
        _ => "search",
    }
}

fn run(options: &Options, addresses: &[String], requests: usize) -> Result<(Times, f64, usize)> {
    let (next, wrong) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let start = Instant::now();
    let all: Vec<Result<Times>> = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..options.clients.max(1))
            .map(|_| {
                scope.spawn(|| {
                    let mut client = Client::connect(&options.address)?;
                    let mut times = Vec::new();
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= requests {
                            return Ok(times);
                        }
                        // in an order that has no pattern, the same every time
                        let path = &addresses[(number * 7919) % addresses.len()];
                        let asked = Instant::now();
                        let (status, _) = client.get(path)?;
                        times.push((kind(path), asked.elapsed().as_secs_f64()));
                        // a thumbnail may be missing in an index that was made up
                        if status >= 500 || (status >= 400 && kind(path) != "thumbnail") {
                            wrong.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                })
            })
            .collect();
        clients
            .into_iter()
            .map(|client| client.join().unwrap_or_else(|_| Err("a client failed".into())))
            .collect()
    });
    let seconds = start.elapsed().as_secs_f64();
    let times = all.into_iter().collect::<Result<Vec<Times>>>()?.concat();
    Ok((times, seconds, wrong.into_inner()))
}

fn tell(name: &str, mut times: Vec<f64>) -> String {
    times.sort_by(f64::total_cmp);
    let at = |share: f64| {
        times.get((times.len() as f64 * share) as usize).or(times.last()).copied().unwrap_or(0.0) * 1e3
    };
    format!(
        "{name:<10} {:>8} requests, ms: median {:>6.1}, p99 {:>6.1}, worst {:>6.1}",
        times.len(),
        at(0.5),
        at(0.99),
        at(1.0)
    )
}

#[expect(clippy::print_stdout, reason = "a program for people")]
fn main() -> Result<()> {
    let options = options()?;
    let addresses = addresses(&mut Client::connect(&options.address)?, &options.project)?;
    // the first half warms caches and pools; what it leaves behind is what there is
    let half = options.requests / 2;
    let mut before = None;
    for (part, requests) in [("first half", half), ("second half", options.requests - half)] {
        let (times, seconds, wrong) = run(&options, &addresses, requests)?;
        println!("{part}: {:.0} requests/s, {wrong} wrong", times.len() as f64 / seconds);
        println!("  {}", tell("all", times.iter().map(|(_, time)| *time).collect()));
        for name in ["search", "item", "thumbnail", "api"] {
            let times: Vec<f64> =
                times.iter().filter(|(kind, _)| *kind == name).map(|(_, time)| *time).collect();
            println!("  {}", tell(name, times));
        }
        if let Some(pid) = options.pid {
            let now = memory(pid)?;
            println!("  memory {now:.0} MiB");
            let first: f64 = *before.get_or_insert(now);
            if options.growth.is_some_and(|most| now > first * (1.0 + most)) {
                return Err(format!("memory grew from {first:.0} to {now:.0} MiB").into());
            }
        }
        if wrong > 0 {
            return Err(format!("{wrong} answers were errors").into());
        }
    }
    Ok(())
}
