//! `[fetch]` for the live Web: checked, and converted to the options of the fetcher.

use std::collections::HashMap;
use std::net::IpAddr;
use std::path::Path;
use std::time::Duration;

use osprey_fetch::{FetchOptions, MediaFilter, Proxy, Timeouts};

use super::resolve::Problem;
use super::written::{Addresses, FetchSection};

impl FetchSection {
    /// For the configuration file at `path`.
    pub(super) fn options(&self, path: &Path) -> Result<FetchOptions, Problem> {
        // who runs a server must be able to find out who visits it, and to complain
        if !self.user_agent.contains('@') && !self.user_agent.contains("://") {
            return Err((
                "fetch.user_agent",
                format!(
                    "`{}`: a live crawl needs a contact in it, like \"osprey/{} (+mailto:you@your.site)\" or a URL",
                    self.user_agent,
                    env!("CARGO_PKG_VERSION")
                ),
            ));
        }
        let accept =
            MediaFilter::new(&self.accept).map_err(|problem| ("fetch.accept", problem.to_string()))?;
        let proxy = self.proxy.as_deref().map(str::parse::<Proxy>).transpose();
        let proxy = proxy.map_err(|problem| ("fetch.proxy", problem.to_string()))?;
        let timeouts = Timeouts {
            connect: Duration::from_millis(self.connect_timeout_ms),
            first_byte: Duration::from_millis(self.first_byte_timeout_ms),
            idle: Duration::from_millis(self.idle_timeout_ms),
            whole: Duration::from_millis(self.timeout_ms),
            min_rate: self.min_bytes_per_second,
            grace: Duration::from_millis(self.slow_grace_ms),
        };
        Ok(FetchOptions {
            user_agent: self.user_agent.clone(),
            allow_private: self.allow_private,
            max_body: self.max_body_bytes,
            timeouts,
            robots_timeouts: timeouts.for_robots(Duration::from_millis(self.robots_timeout_ms)),
            http2: self.http2,
            proxy,
            hosts: self.addresses()?,
            extra_roots: self.roots(path)?,
            accept,
            ..FetchOptions::default()
        })
    }

    fn addresses(&self) -> Result<HashMap<String, Vec<IpAddr>>, Problem> {
        let parse = |name: &String, text: &String| {
            let wrong =
                |_| ("fetch.hosts", format!("`{name}`: `{text}` is not an address like 10.0.0.7 or fd00::7"));
            text.parse::<IpAddr>().map_err(wrong)
        };
        let mut hosts = HashMap::new();
        for (name, addresses) in &self.hosts {
            let texts = match addresses {
                Addresses::One(text) => std::slice::from_ref(text),
                Addresses::Some(texts) => texts,
            };
            let addresses = texts.iter().map(|text| parse(name, text)).collect::<Result<_, _>>()?;
            hosts.insert(name.to_ascii_lowercase(), addresses);
        }
        Ok(hosts)
    }

    fn roots(&self, path: &Path) -> Result<Vec<Vec<u8>>, Problem> {
        let Some(file) = &self.ca_file else { return Ok(Vec::new()) };
        let file = path.parent().unwrap_or(Path::new(".")).join(file);
        let pem = std::fs::read(&file)
            .map_err(|cause| ("fetch.ca_file", format!("{}: {cause}", file.display())))?;
        Ok(vec![pem])
    }
}
