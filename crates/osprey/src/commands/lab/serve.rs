//! `osprey lab serve`: a simulated web over real HTTP, on loopback.
//!
//! Host names end in `.localhost:PORT`, which browsers and curl resolve to loopback without DNS; pages link to each
//! other under these names. `--domain` sets other names, and the server is also a proxy for them: `curl --proxy
//! http://127.0.0.1:8790 http://www.photo.example/`.

use std::net::{Ipv4Addr, TcpListener};
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::Context;
use osprey_lab::WorldServer;
use serde_json::json;

use super::world;
use crate::cli::LabServe;
use crate::output::Output;
use crate::session::Session;

/// How often the stop flag is looked at.
const LOOK_UP: Duration = Duration::from_millis(100);

pub(super) fn run(args: &LabServe, output: &Output) -> anyhow::Result<()> {
    let port = if args.port == 0 { free_port()? } else { args.port };
    let world = world(&args.world, &format!("localhost:{port}"))?;
    let seeds = world.seeds();
    let kind = world.kind();
    let server = WorldServer::start(world, port, !args.no_delay).with_context(|| format!("port {port}"))?;
    let session = Session::new(output)?;
    let (first, addr) = (seeds.first().cloned().unwrap_or_default(), server.addr().to_string());
    output.result(&json!({ "world": kind, "addr": addr, "seeds": seeds }), || {
        format!(
            "simulated world `{kind}` at {first} (also a proxy, at http://{addr}); press Ctrl-C to stop\n"
        )
    })?;
    while !session.stop().load(Ordering::Relaxed) {
        std::thread::sleep(LOOK_UP);
    }
    Ok(())
}

/// A free port.
pub(in crate::commands) fn free_port() -> anyhow::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}
