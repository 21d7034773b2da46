//! The live Web as a [`Source`]: one request, one answer, whatever happens.

use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use osprey_coding::{Coding, CodingsError};
use osprey_model::{
    BodyEnd, CanonicalUrl, Exchange, FailureKind, FetchFailure, Headers, HostKey, Permitted, Request,
    Response, Source, Timestamp, robots,
};
use tokio::time::Instant;
use tracing::{debug, info};

use crate::body::{Collected, Ending, Wanted, collect};
use crate::connect::{Connected, Connector};
use crate::cookies::Jar;
use crate::counts::{Counts, Tally};
use crate::error::FetchError;
use crate::fault::{Again, Broken, Fault};
use crate::gates::Gates;
use crate::http1::{self, HeadLimits};
use crate::http2;
use crate::options::{Cookies, FetchOptions};
use crate::patience::{Overdue, Patience, Stage, timer};
use crate::pool::{Lane, Pool};
use crate::proxy::ProxyKind;
use crate::request::{RequestHead, is_sendable};

/// Fetches from the live Web. Made once per crawl; used by many tasks of one tokio runtime at a time.
pub struct HttpSource {
    options: FetchOptions,
    connector: Connector,
    pool: Pool,
    gates: Gates,
    jar: Option<Jar>,
    tally: Arc<Tally>,
}

/// An answer before its codings are removed.
struct Raw {
    status: u16,
    headers: Headers,
    body: Collected,
    codings: Result<Vec<Coding>, CodingsError>,
    ip: Option<IpAddr>,
}

impl HttpSource {
    /// Checks the settings and makes a fetcher. Nothing is connected or looked up yet.
    pub fn new(options: FetchOptions) -> Result<Self, FetchError> {
        if !is_sendable(&options.user_agent) {
            return Err(FetchError::UserAgent(options.user_agent));
        }
        let tally = Arc::new(Tally::default());
        let jar = match &options.cookies {
            Cookies::Off => None,
            Cookies::Fresh => Some(Jar::default()),
            Cookies::Restored(text) => Some(Jar::from_json(text).map_err(FetchError::Cookies)?),
        };
        Ok(Self {
            connector: Connector::new(&options, &tally)?,
            pool: Pool::new(options.max_idle_connections, options.keep_alive),
            gates: Gates::new(),
            jar,
            tally,
            options,
        })
    }

    /// The cookies as JSON, for [`Cookies::Restored`]; `None` if none are kept.
    pub fn cookies(&self) -> Option<String> {
        self.jar.as_ref().map(Jar::to_json)
    }

    /// What was done so far.
    pub fn counts(&self) -> Counts {
        self.tally.counts()
    }

    /// Sends a body to a URL that the user named, once, and returns the status of the answer; its body is not read. For
    /// messages, not for crawling: no robots rules, cookies, redirects or second tries.
    pub async fn post(&self, url: &CanonicalUrl, media_type: &str, body: &[u8]) -> Result<u16, FetchFailure> {
        let limits = &self.options.timeouts;
        let mut timer = pin!(timer(limits));
        let mut patience = Patience::new(timer.as_mut(), limits);
        let posted = self.post_by(url, media_type, body, &mut patience).await;
        posted.map_err(|Fault { kind, message }| FetchFailure { url: url.clone(), kind, message, at: now() })
    }

    async fn post_by(
        &self,
        url: &CanonicalUrl,
        media_type: &str,
        body: &[u8],
        patience: &mut Patience<'_>,
    ) -> Result<u16, Fault> {
        let head = RequestHead::of_post(url, &self.options.user_agent, media_type, body.len());
        let proxy = self.connector.proxy.as_ref();
        let proxy = proxy.filter(|proxy| proxy.kind == ProxyKind::Http && url.scheme() == "http");
        let text = proxy.map_or_else(|| head.as_str().to_owned(), |proxy| head.for_proxy(url, proxy));
        let request = [text.as_bytes(), body].concat();
        patience.enter(Stage::Connect);
        let deadline = patience.due();
        let Connected { io, ip, .. } =
            patience.wait(Box::pin(self.connector.connect(url, false, deadline))).await??;
        let asked = http1::Connection::new(io, ip).ask(&request, self.limits(), patience).await;
        Ok(asked.map_err(|Broken { fault, .. }| fault)?.status)
    }

    fn limits(&self) -> HeadLimits {
        HeadLimits { bytes: self.options.max_header_bytes, lines: self.options.max_headers }
    }

    /// Sends the request, on a fresh connection once more if a kept one proves dead. So the server sees one request.
    async fn exchange(
        &self,
        request: &Request,
        head: &RequestHead,
        patience: &mut Patience<'_>,
    ) -> Result<Raw, Fault> {
        let url = request.target.url();
        let key = self.pool_key(url);
        let lane = match self.pool.take(key) {
            Some(lane) => {
                self.tally.reused.fetch_add(1, Relaxed);
                lane
            }
            None => self.open(url, key, patience).await?,
        };
        let Broken { fault, again } = match self.ask(lane, request, head, patience).await {
            Ok(raw) => return Ok(raw),
            Err(broken) => broken,
        };
        match again {
            Again::No => return Err(fault),
            Again::LaterHttp1 => {
                self.gates.of(key).decline_http2();
                self.pool.forget(key);
                return Err(fault);
            }
            Again::Fresh => self.pool.forget(key),
        }
        self.tally.retries.fetch_add(1, Relaxed);
        let lane = self.open(url, key, patience).await?;
        self.ask(lane, request, head, patience).await.map_err(|broken| broken.fault)
    }

    /// Connections are interchangeable if they go to the same origin, or to a proxy that takes whole URLs.
    fn pool_key<'u>(&self, url: &'u CanonicalUrl) -> &'u str {
        let through_proxy = self.connector.proxy.as_ref().is_some_and(|proxy| proxy.kind == ProxyKind::Http);
        if through_proxy && url.scheme() == "http" { "http" } else { url.origin() }
    }

    /// A fresh connection, or an HTTP/2 one that someone else has just opened.
    async fn open(&self, url: &CanonicalUrl, key: &str, patience: &mut Patience<'_>) -> Result<Lane, Fault> {
        patience.enter(Stage::Connect);
        let deadline = patience.due();
        // Connecting is rare and its state is large: kept off the exchange itself.
        patience.wait(Box::pin(self.open_by(url, key, deadline))).await?
    }

    async fn open_by(&self, url: &CanonicalUrl, key: &str, deadline: Instant) -> Result<Lane, Fault> {
        let is_tls = url.scheme() == "https";
        let gate = (is_tls && self.options.http2).then(|| self.gates.of(key));
        let Some(gate) = gate.filter(|gate| gate.takes_http2()) else {
            let Connected { io, ip, .. } = self.connector.connect(url, false, deadline).await?;
            return Ok(Lane::Http1(http1::Connection::new(io, ip)));
        };
        let _turn = gate.enter().await;
        // What others have put back or opened while one waited for one's turn.
        if let Some(lane) = self.pool.take(key) {
            self.tally.reused.fetch_add(1, Relaxed);
            return Ok(lane);
        }
        let Connected { io, ip, is_http2 } = self.connector.connect(url, true, deadline).await?;
        gate.learn(is_http2);
        if !is_http2 {
            return Ok(Lane::Http1(http1::Connection::new(io, ip)));
        }
        let shared = http2::Shared::start(io, ip, self.limits()).await?;
        self.pool.put(key, Lane::Http2(shared.clone()));
        Ok(Lane::Http2(shared))
    }

    /// Sends the request over `lane` and reads the answer.
    async fn ask(
        &self,
        lane: Lane,
        request: &Request,
        head: &RequestHead,
        patience: &mut Patience<'_>,
    ) -> Result<Raw, Broken> {
        let url = request.target.url();
        match lane {
            Lane::Http1(connection) => {
                let absolute = match &self.connector.proxy {
                    Some(proxy) if proxy.kind == ProxyKind::Http && url.scheme() == "http" => {
                        Some(head.for_proxy(url, proxy))
                    }
                    _ => None,
                };
                let text = absolute.as_deref().unwrap_or(head.as_str());
                let mut answer = connection.ask(text.as_bytes(), self.limits(), patience).await?;
                let (codings, body) = self.read(request, &answer.headers, &mut answer.body, patience).await?;
                let ip = answer.body.ip();
                if let Some(connection) = answer.body.into_connection() {
                    self.pool.put(self.pool_key(url), Lane::Http1(connection));
                }
                Ok(Raw { status: answer.status, headers: answer.headers, body, codings, ip })
            }
            Lane::Http2(shared) => {
                let ip = shared.ip;
                let asked = shared.ask(url, head.as_str(), self.limits(), patience).await;
                let mut answer = asked.inspect_err(|broken| {
                    // A connection that answers nothing is not given to the next request.
                    if broken.fault.kind == FailureKind::Timeout {
                        self.pool.forget(self.pool_key(url));
                    }
                })?;
                let (codings, body) = self.read(request, &answer.headers, &mut answer.body, patience).await?;
                Ok(Raw { status: answer.status, headers: answer.headers, body, codings, ip })
            }
        }
    }

    /// Bytes of a body that are of use. One more of a robots.txt than is read, which tells that it was cut.
    fn max_body(&self, target: &Permitted) -> usize {
        if target.is_robots() { robots::MAX_BODY + 1 } else { self.options.max_body }
    }

    async fn read(
        &self,
        request: &Request,
        headers: &Headers,
        pieces: &mut impl crate::body::Pieces,
        patience: &mut Patience<'_>,
    ) -> Result<(Result<Vec<Coding>, CodingsError>, Collected), Overdue> {
        let codings = osprey_coding::codings(headers);
        let removed = codings.as_deref().unwrap_or_default();
        let takes_all = request.takes_all || request.target.is_robots();
        let filter = Some(&self.options.accept).filter(|filter| !filter.is_empty() && !takes_all);
        let max_body = self.max_body(&request.target);
        let max_wire = self.options.max_wire.unwrap_or(self.options.max_body).max(max_body);
        let wanted = Wanted {
            max: if removed.is_empty() { max_body } else { max_wire },
            codings: removed,
            filter,
            declared: headers.get("content-type"),
        };
        match collect(pieces, &wanted, patience).await {
            // What drips is not worth keeping.
            Collected { ending: Ending::Late(overdue), .. } if overdue.stage == Stage::Rate => Err(overdue),
            body => Ok((codings, body)),
        }
    }

    /// Removes the codings and puts the answer together.
    fn finish(
        &self,
        raw: Raw,
        target: &Permitted,
        head: RequestHead,
        at: Timestamp,
        began: Instant,
    ) -> Response {
        let Raw { status, headers, body: Collected { bytes, ending }, codings, ip } = raw;
        let mut notes = Vec::new();
        let mut body_end = ending.kind();
        match ending {
            Ending::Whole | Ending::Limit => {}
            Ending::Early(words) => notes.push(format!("body ended early: {words}")),
            Ending::Late(overdue) => notes.push(format!("body timed out: {overdue}")),
            Ending::NotAccepted(essence) => notes.push(format!("media type `{essence:.100}` not accepted")),
        }
        let body = match codings {
            Ok(codings) if codings.is_empty() => Bytes::from(bytes),
            Ok(codings) => {
                let decoded = osprey_coding::decode(&codings, &bytes, self.max_body(target));
                // Damage at the end of a cut body is no news.
                if body_end == BodyEnd::Whole {
                    body_end = decoded.end;
                    notes.extend(decoded.note);
                }
                Bytes::from(decoded.body.into_owned())
            }
            Err(why) => {
                notes.push(why.to_string());
                Bytes::from(bytes)
            }
        };
        Response {
            url: target.url().clone(),
            status,
            headers,
            body,
            fetched_at: at,
            took: began.elapsed(),
            truncated: body_end != BodyEnd::Whole,
            body_end,
            ip,
            request_head: head.into_bytes(),
            note: (!notes.is_empty()).then(|| notes.join("; ")),
        }
    }
}

impl Source for HttpSource {
    async fn fetch(&self, request: Request) -> Exchange {
        let (began, at) = (Instant::now(), now());
        let is_robots = request.target.is_robots();
        let limits = if is_robots { &self.options.robots_timeouts } else { &self.options.timeouts };
        let mut timer = pin!(timer(limits));
        let mut patience = Patience::new(timer.as_mut(), limits);
        let url = request.target.url().clone();
        let cookies = self.jar.as_ref().and_then(|jar| jar.header_for(&url, at.as_millis()));
        let head = RequestHead::new(&request, &self.options.user_agent, cookies.as_deref());
        match self.exchange(&request, &head, &mut patience).await {
            Ok(raw) => {
                if let Some(jar) = &self.jar {
                    let lines =
                        raw.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("set-cookie"));
                    jar.take(&url, lines.map(|(_, value)| value), at.as_millis());
                }
                let response = self.finish(raw, &request.target, head, at, began);
                debug!(
                    target: "osprey::fetch", url = %response.url, status = response.status, bytes = response.body.len(),
                    ms = response.took.as_millis() as u64, "answered"
                );
                Exchange::Answered(response)
            }
            Err(Fault { kind, message }) => {
                info!(target: "osprey::fetch", %url, %kind, %message, "failed");
                Exchange::Failed(FetchFailure { url, kind, message, at })
            }
        }
    }

    /// The first address of the host that may be asked; `None` too where a proxy looks up the names.
    async fn locate(&self, host: &HostKey) -> Option<IpAddr> {
        if self.connector.proxy.as_ref().is_some_and(|proxy| proxy.resolves_names()) {
            return None;
        }
        let name = match host.as_str().rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => name,
            _ => host.as_str(),
        };
        let found =
            tokio::time::timeout(self.options.timeouts.connect, self.connector.resolver.addresses(name));
        found.await.ok()?.ok()?.first().copied()
    }
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
