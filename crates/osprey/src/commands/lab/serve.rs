//! `osprey lab serve`: a simulated web over real HTTP, on loopback.
//!
//! Host names end in `.localhost:PORT`, which browsers and curl take to loopback without asking anybody; pages link to
//! each other under these names. With `--domain` the names are what the user says, and the server is also a proxy
//! for them: `curl --proxy http://127.0.0.1:8790 http://www.photo.example/`.

use std::net::{Ipv4Addr, TcpListener};
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::Context;
use osprey_model::{CanonicalUrl, UrlRules};
use osprey_rogue::{Answer, Asked, Listen, Record, Reply, Server};
use osprey_world::{Ask, World};
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
    let server = serve(world, port, !args.no_delay).with_context(|| format!("port {port}"))?;
    let session = Session::new(output)?;
    let (first, addr) = (seeds.first().cloned().unwrap_or_default(), server.addr().to_string());
    output.result(&json!({ "world": kind, "addr": addr, "seeds": seeds }), || {
        format!("simulated world `{kind}` at {first} (also a proxy, at http://{addr}); Ctrl-C ends it\n")
    })?;
    while !session.stop().load(Ordering::Relaxed) {
        std::thread::sleep(LOOK_UP);
    }
    Ok(())
}

/// A port that nobody uses at this moment.
pub(in crate::commands) fn free_port() -> anyhow::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// Serves a world on 127.0.0.1, as a server and as a proxy.
pub(in crate::commands) fn serve(world: World, port: u16, with_delay: bool) -> std::io::Result<Server> {
    let seed = world.seeds().into_iter().next().unwrap_or_default();
    Listen::new().port(port).record(Record::Tally).start(move |asked: &Asked<'_>| {
        let url = match asked.path.starts_with("http://") {
            true => asked.path.to_owned(),
            false => format!("http://{}{}", asked.host, asked.path),
        };
        // nothing is dropped from the query: a server answers what it is asked
        let rules = UrlRules { drop_params: Vec::new(), ..UrlRules::default() };
        let Ok(url) = CanonicalUrl::parse(&url, &rules) else { return Reply::status(400).into() };
        if !world.has_host_of(&url) {
            // someone who typed the address instead of the name
            let is_address = asked.host_name() == "127.0.0.1" && !asked.path.starts_with("http://");
            return if is_address { Reply::redirect(302, seed.as_str()) } else { Reply::status(502) }.into();
        }
        let answer = world.answer(&Ask { url: &url, cookie: asked.header("cookie") });
        let headers =
            answer.headers.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let reply = Reply { status: answer.status, headers, body: answer.body };
        if with_delay && !answer.delay.is_zero() { Answer::Late(answer.delay, reply) } else { reply.into() }
    })
}
