//! `osprey serve DIR...`: projects in a browser.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, bail};
use osprey_engine::Service;
use osprey_engine::config::server_section;
use osprey_server::{Options, Server, service_name};
use serde_json::json;

use crate::cli::{self, UsageError};
use crate::output::Output;
use crate::session::Session;

/// The default address.
const ADDRESS: &str = "127.0.0.1:8780";
/// The environment variable that has the token.
const TOKEN: &str = "OSPREY_TOKEN";
/// Minimum length of a token.
const TOKEN_LENGTH: usize = 12;
/// How often the stop flag is looked at.
pub(crate) const LOOK_UP: Duration = Duration::from_millis(100);

/// How to serve.
#[derive(Clone, Debug, Default)]
pub(crate) struct ServeOptions {
    /// Where; by default what the first project says, or else a port of this machine.
    pub(crate) addr: Option<String>,
    /// Where reports of the lab are.
    pub(crate) lab: Option<PathBuf>,
    /// Take a free port if the usual one is in use and no other was named.
    pub(crate) or_free: bool,
}

pub(super) fn run(args: &cli::Serve, output: &Output) -> anyhow::Result<()> {
    let session = Session::new(output)?;
    let options = ServeOptions {
        addr: args.addr.clone(),
        lab: Some(args.lab.clone()).filter(|lab| lab.is_dir()),
        or_free: false,
    };
    serve(&args.dirs, &options, session.stop(), |address| {
        output.result(&json!({ "address": address }), || format!("{address}  (press Ctrl-C to stop)\n"))
    })
}

/// Serves projects until `stop` is set; `ready` gets the address.
pub(crate) fn serve(
    dirs: &[PathBuf],
    options: &ServeOptions,
    stop: &AtomicBool,
    ready: impl FnOnce(&str) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let services = open(dirs)?;
    let server = listen(&services, dirs, options)?;
    ready(&format!("http://{}/", server.address()))?;
    wait(stop);
    // first those who ask, then those who are asked
    let ended = server.stop();
    services.iter().for_each(|service| service.close());
    Ok(ended?)
}

/// A server for these projects, which are in `dirs`.
pub(crate) fn listen(
    services: &[Arc<Service>],
    dirs: &[PathBuf],
    options: &ServeOptions,
) -> anyhow::Result<Server> {
    let section = dirs.first().map(|dir| server_section(dir)).transpose()?.unwrap_or_default();
    let token = std::env::var(TOKEN).ok().or(section.token).filter(|token| !token.is_empty());
    let chosen = options.addr.as_deref().or(section.addr.as_deref());
    let address = address(chosen)?;
    check_token(address, token.as_deref())?;
    let start = |address| {
        let options = Options { token: token.clone(), lab: options.lab.clone(), ..Options::default() };
        Server::start(address, services.to_vec(), options)
    };
    let server = match start(address) {
        Err(cause) if cause.kind() == ErrorKind::AddrInUse && options.or_free && chosen.is_none() => {
            start(SocketAddr::new(address.ip(), 0))
        }
        started => started,
    };
    server.with_context(|| format!("{address}: cannot listen there; choose another with --addr"))
}

/// Waits for the user's end.
pub(crate) fn wait(stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        std::thread::sleep(LOOK_UP);
    }
}

/// The address to listen on.
pub(crate) fn address(text: Option<&str>) -> anyhow::Result<SocketAddr> {
    let text = text.unwrap_or(ADDRESS);
    let wrong = || UsageError(format!("address `{text}`: expected HOST:PORT, such as {ADDRESS}"));
    let mut found = text.to_socket_addrs().map_err(|_| wrong())?;
    Ok(found.next().ok_or_else(wrong)?)
}

fn check_token(address: SocketAddr, token: Option<&str>) -> anyhow::Result<()> {
    match token {
        None if !address.ip().is_loopback() => bail!(UsageError(format!(
            "{address}: reachable from other machines, so a token is required: set {TOKEN}, or `[server] token` in osprey.toml"
        ))),
        Some(token) if token.len() < TOKEN_LENGTH => bail!(UsageError(format!(
            "the token has `{}` characters, expected at least {TOKEN_LENGTH}",
            token.len()
        ))),
        _ => Ok(()),
    }
}

/// Projects with names of their own: those of their folders, with a number where two are the same.
pub(crate) fn open(dirs: &[PathBuf]) -> anyhow::Result<Vec<Arc<Service>>> {
    let mut names = BTreeSet::new();
    let mut services = Vec::new();
    for dir in dirs {
        let first = name(dir);
        let mut names_to_try = std::iter::once(first.clone()).chain((2..).map(|n| format!("{first}-{n}")));
        let name = names_to_try.find(|name| names.insert(name.clone())).unwrap_or(first);
        services.push(Arc::new(Service::open(dir, name)?));
    }
    Ok(services)
}

/// A folder's name, as it can be in an address.
fn name(dir: &Path) -> String {
    let full = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    let name = full.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    service_name(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_have_names_for_addresses() {
        let check = |dir: &str, expect: &str| assert_eq!(name(Path::new(dir)), expect);
        check("/a/photos", "photos");
        check("/a/My photos (2)", "My-photos--2");
        check("/a/写真", "project");
        check("/", "project");
    }

    #[test]
    fn others_need_a_token() {
        let check = |address: &str, token: Option<&str>, expect: bool| {
            assert_eq!(check_token(address.parse().unwrap(), token).is_ok(), expect, "{address} {token:?}");
        };
        check("127.0.0.1:1", None, true);
        check("[::1]:1", None, true);
        check("0.0.0.0:1", None, false);
        check("192.0.2.1:1", Some("short"), false);
        check("192.0.2.1:1", Some("long enough, this"), true);
        check("127.0.0.1:1", Some("short"), false);
    }
}
