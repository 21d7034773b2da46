//! The simulated site. `demo.toml` describes it, so that a second start serves the same pages at the same addresses.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, bail};
use osprey_engine::grouped;
use osprey_lab::WorldServer;
use osprey_world::{Kind, Options, World};
use serde::Deserialize;

use super::steps::Finding;
use crate::cli::{Demo, UsageError};
use crate::commands::lab::serve::free_port;
use crate::output::write_whole;

/// Where the site is described, in the demonstration's folder.
const FILE: &str = "demo.toml";
/// Pages of the site for each that a crawl may fetch: enough that choosing matters.
const PAGES_PER_VISIT: u64 = 8;
/// The default port.
const PORT: u16 = 8790;

/// What is served.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Described {
    world: Kind,
    #[serde(alias = "seed")]
    random_seed: u64,
    size: u64,
    port: u16,
}

/// The site, served for as long as this lives.
pub(super) struct DemoSite {
    pub(super) world: World,
    _server: WorldServer,
}

impl DemoSite {
    /// Serves the site of a folder; a new folder gets one.
    pub(super) fn open(args: &Demo, dir: &Path) -> anyhow::Result<Finding<Self>> {
        let path = dir.join(FILE);
        let was_done = path.exists();
        let described = if was_done { Described::read(&path, args)? } else { Described::new(args, dir)? };
        let Described { world: kind, random_seed, size, port } = described;
        let options =
            Options { random_seed, pages: size, domain: format!("localhost:{port}"), ..Options::default() };
        let world = World::new(kind, &options).map_err(|error| UsageError(error.to_string()))?;
        let server = WorldServer::start(world.clone(), port, false).map_err(|cause| match cause.kind() {
            ErrorKind::AddrInUse => anyhow::Error::from(UsageError(in_use(port, was_done))),
            _ => anyhow::Error::from(cause).context(format!("port {port}")),
        })?;
        if !was_done {
            fs::create_dir_all(dir).with_context(|| format!("{}: cannot be created", dir.display()))?;
            write_whole(&path, described.text().as_bytes())?;
        }
        let says = format!("{} has some {} pages", first_page(&world), grouped(size));
        Ok(Finding { was_done, says, value: Self { world, _server: server } })
    }

    /// Where it begins.
    pub(super) fn seed(&self) -> String {
        first_page(&self.world)
    }
}

fn first_page(world: &World) -> String {
    world.seeds().into_iter().next().unwrap_or_default()
}

fn in_use(port: u16, was_there: bool) -> String {
    match was_there {
        false => format!("port {port}: in use; give another with --site-port, or 0 for a free one"),
        true => format!(
            "port {port}: in use, and the addresses of the fetched pages hold it; stop the program that listens there (another \
             `osprey demo`?), or start over in another folder (--dir) on another port (--site-port)"
        ),
    }
}

impl Described {
    fn new(args: &Demo, dir: &Path) -> anyhow::Result<Self> {
        let is_strange = fs::read_dir(dir).is_ok_and(|entries| {
            entries.flatten().any(|entry| !entry.file_name().to_string_lossy().starts_with('.'))
        });
        if is_strange {
            bail!(UsageError(format!(
                "{}: exists and is not a demo folder; choose another with --dir",
                dir.display()
            )));
        }
        let port = match args.site_port {
            Some(0) => free_port()?,
            port => port.unwrap_or(PORT),
        };
        let size = args.pages.unwrap_or(super::projects::PAGES).saturating_mul(PAGES_PER_VISIT);
        Ok(Self { world: Kind::Photo, random_seed: 1, size, port })
    }

    fn read(path: &Path, args: &Demo) -> anyhow::Result<Self> {
        let text = fs::read_to_string(path).with_context(|| format!("{}: cannot be read", path.display()))?;
        let described: Self = osprey_engine::config::parse(&text, path)?;
        match args.site_port {
            Some(port) if port != 0 && port != described.port => bail!(UsageError(format!(
                "--site-port `{port}`: {} serves its site on port {}, which is part of all addresses; choose \
                 another folder with --dir",
                path.parent().unwrap_or(path).display(),
                described.port
            ))),
            _ => Ok(described),
        }
    }

    fn text(&self) -> String {
        let Self { world, random_seed, size, port } = self;
        format!(
            "# The simulated web that `osprey demo` serves for the projects in this folder. The addresses of the pages\n\
             # depend on all of it: for another site, use another folder.\n\
             world = \"{world}\"\nrandom_seed = {random_seed}\nsize = {size}\nport = {port}\n"
        )
    }
}
