//! Stands where `osprey serve` will be.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::cli::UsageError;
use crate::output::Output;

/// Where to listen, if nobody says.
const ADDRESS: &str = "127.0.0.1:8780";

#[derive(Clone, Debug, Default)]
pub(crate) struct ServeOptions {
    pub(crate) addr: Option<String>,
}

pub(crate) fn serve(
    _dirs: &[PathBuf],
    options: &ServeOptions,
    stop: &AtomicBool,
    _output: &Output,
    ready: impl FnOnce(&str) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    ready(&format!("http://{}/", address(options.addr.as_deref())?))?;
    while !stop.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

/// The address to listen on.
pub(crate) fn address(text: Option<&str>) -> anyhow::Result<SocketAddr> {
    let text = text.unwrap_or(ADDRESS);
    let wrong = || UsageError(format!("address `{text}`: expected HOST:PORT, such as {ADDRESS}"));
    let mut found = text.to_socket_addrs().map_err(|_| wrong())?;
    Ok(found.next().ok_or_else(wrong)?)
}
