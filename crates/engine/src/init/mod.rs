//! A new project: a commented `osprey.toml` with the policy and judge that fit the options.

mod choose;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use osprey_model::ScopeKind;
use osprey_steer::PageKinds;
use serde::Serialize;

use self::choose::Choice;
use crate::config;
use crate::error::{Context, Error, Result};
use crate::layout::Layout;
use crate::project::Project;

/// Options of a new project.
#[derive(Clone, Debug, Default)]
pub struct InitOptions {
    /// Start URLs.
    pub seeds: Vec<String>,
    /// Which URLs to crawl, relative to the seeds.
    pub scope: ScopeKind,
    /// Pages to fetch at most; by default 5,000, or as many as come in `time`.
    pub budget: Option<u64>,
    /// Time to crawl at most.
    pub time: Option<Duration>,
    /// The policy; by default the one that fits the other options.
    pub policy: Option<String>,
    /// What is wanted in the user's own words; a comma is between two things.
    pub words: Vec<String>,
    /// Which pages can be wanted.
    pub pages: PageKinds,
    /// Tags of the topic.
    pub tags: Vec<String>,
    /// Topics of the taxonomy; what is none of it is words.
    pub topics: Vec<String>,
    /// The user's own taxonomy, instead of the built-in one.
    pub taxonomy: Option<PathBuf>,
    /// Terms of the wanted kind of page.
    pub genre: Vec<String>,
    /// Terms of the wanted content.
    pub content: Vec<String>,
    /// URLs of relevant pages.
    pub examples: Vec<String>,
    /// A recording to crawl instead of the Web.
    pub replay: Option<PathBuf>,
    /// The URL that a mirror folder was downloaded from.
    pub base: Option<String>,
    /// A contact for site owners.
    pub contact: Option<String>,
    /// Whether loopback and intranet addresses may be fetched.
    pub allow_private: bool,
    /// Whether to overwrite a configuration that exists.
    pub force: bool,
}

/// A new project.
#[derive(Clone, Debug, Serialize)]
pub struct Initialised {
    /// Its folder.
    pub project: PathBuf,
    /// Its configuration.
    pub config: PathBuf,
    /// The policy that was chosen.
    pub policy: String,
    /// Why.
    pub why: String,
    /// The next command to run.
    pub next: String,
}

/// The default page budget.
const BUDGET: u64 = 5000;

impl Project {
    /// Writes the configuration of a new project. Nothing is written that could not be used.
    pub fn init(dir: impl AsRef<Path>, options: &InitOptions) -> Result<Initialised> {
        let dir = dir.as_ref();
        let path = Layout::of(dir).config();
        if path.exists() && !options.force {
            return Err(Error::Usage(format!(
                "{}: already exists; use --force to overwrite",
                path.display()
            )));
        }
        let choice = Choice::of(options)?;
        let text = template(dir, options, &choice)?;
        // files are named as seen from the folder, which has to be there for that
        let is_new = !dir.exists();
        std::fs::create_dir_all(dir).with_context(|| format!("{}: cannot be created", dir.display()))?;
        let checked = config::typed(&text, &path).and_then(|config| config.resolve(&path));
        if let Err(error) = checked {
            if is_new {
                // it is empty; should it stay, nothing is lost
                let _ = std::fs::remove_dir(dir);
            }
            return Err(error.into());
        }
        osprey_files::write_durably(&path, text)?;
        let command = if choice.needs_learning() { "learn" } else { "crawl" };
        let next = format!("osprey {command} {}", dir.display());
        let Choice { policy, why, .. } = choice;
        Ok(Initialised { project: dir.to_owned(), config: path, policy, why, next })
    }
}

fn template(dir: &Path, args: &InitOptions, choice: &Choice) -> Result<String> {
    let mut text = String::new();
    let list = |items: &[String]| toml::Value::from(items.to_vec()).to_string();
    writeln!(text, "# Project configuration; docs/configuration.md explains every key.")?;
    writeln!(text, "[crawl]")?;
    writeln!(text, "seeds = {}", list(&args.seeds))?;
    writeln!(
        text,
        "scope = \"{}\"             # host | domain | prefix | any; allow = [regex], deny = [regex] refine it",
        args.scope
    )?;
    if let Some(time) = args.time {
        writeln!(text, "budget_seconds = {}      # of crawling, over all runs", time.as_secs())?;
    }
    if let Some(pages) = args.budget.or_else(|| args.time.is_none().then_some(BUDGET)) {
        let more = "also budget_bytes, budget_seconds, max_depth, host_budget_pages";
        writeln!(text, "budget_pages = {pages}        # {more}")?;
    }
    writeln!(text, "random_seed = 1            # seed of the random number generator")?;
    writeln!(
        text,
        "\n# Where pages come from: http (the live Web) or replay (a WARC/WACZ file or a mirror folder).\n[source]"
    )?;
    match &args.replay {
        Some(replay) => {
            writeln!(text, "kind = \"replay\"")?;
            writeln!(text, "path = {}", toml::Value::from(relative(replay, dir)?))?;
            if let Some(base) = &args.base {
                writeln!(
                    text,
                    "base = {}             # the URL that the folder was downloaded from",
                    toml::Value::from(base.as_str())
                )?;
            }
        }
        None => writeln!(text, "kind = \"http\"")?,
    }
    writeln!(text, "\n[fetch]")?;
    let contact = args.contact.as_deref().unwrap_or("mailto:you@example.org");
    let contact = if contact.contains('@') && !contact.contains(':') {
        format!("mailto:{contact}")
    } else {
        contact.to_owned()
    };
    let agent = format!("osprey/{} (+{contact})", env!("CARGO_PKG_VERSION"));
    writeln!(text, "user_agent = {}   # a contact for site owners", toml::Value::from(agent))?;
    writeln!(text, "host_delay_ms = 1000       # between two requests to one host")?;
    writeln!(text, "obey_robots = true")?;
    if args.allow_private {
        writeln!(text, "allow_private = true       # loopback and intranet addresses may be fetched")?;
    }
    write_topic(&mut text, dir, args, choice)?;
    writeln!(text, "\n# How links are ordered: {}.\n[policy]", osprey_steer::PolicyKind::NAMES.join(" | "))?;
    writeln!(text, "kind = \"{}\"   # {}", choice.policy, choice.why)?;
    if let Some(judge) = choice.judge {
        writeln!(
            text,
            "\n# What counts as relevant: want | tags | terms | genre | taxonomy | page-type | cluster | model; threshold = ...\n\
             [judge]\nkind = \"{judge}\""
        )?;
    }
    Ok(text)
}

/// The key `topic.pages`.
#[derive(Serialize)]
struct PagesWritten {
    pages: PageKinds,
}

fn write_topic(text: &mut String, dir: &Path, args: &InitOptions, choice: &Choice) -> Result<()> {
    writeln!(text, "\n# The topic: the policy looks for it, and the judge scores pages by it.\n[topic]")?;
    let lists = [
        ("genre_terms", &args.genre, "the kind of page"),
        ("content_terms", &args.content, "what it is about"),
        ("examples", &args.examples, "relevant pages"),
    ];
    let list = |items: &[String]| toml::Value::from(items.to_vec()).to_string();
    writeln!(text, "words = {}   # in your own words, each a word or a phrase", list(&choice.words))?;
    let pages = PagesWritten { pages: args.pages };
    let pages = toml::to_string(&pages).context("topic.pages")?;
    writeln!(
        text,
        "{}            # which pages can be wanted: items | people | lists | all",
        pages.trim_end()
    )?;
    writeln!(text, "tags = {}", list(&args.tags))?;
    for (key, items, what) in lists.into_iter().filter(|(_, items, _)| !items.is_empty()) {
        writeln!(text, "{key} = {}   # {what}", list(items))?;
    }
    if let Some(path) = &args.taxonomy {
        writeln!(text, "taxonomy = {}", toml::Value::from(relative(path, dir)?))?;
    }
    if !choice.nodes.is_empty() {
        writeln!(text, "node = {}   # topics of the taxonomy", list(&choice.nodes))?;
    }
    Ok(())
}

/// `path` as seen from the project, so that a project can be moved together with its recording.
fn relative(path: &Path, dir: &Path) -> Result<String> {
    let target = path.canonicalize().with_context(|| format!("{}: cannot be found", path.display()))?;
    // the project's folder may not be there yet, but what it lies in may be reached through links
    let dir = std::path::absolute(dir).with_context(|| dir.display())?;
    let there = |part: &Path| Some(part.canonicalize().ok()?.join(dir.strip_prefix(part).ok()?));
    let from = dir.ancestors().find_map(there).unwrap_or_else(|| dir.clone());
    let shared = target.components().zip(from.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().count() - shared;
    let relative: std::path::PathBuf =
        std::iter::repeat_n("..".as_ref(), up).chain(target.iter().skip(shared)).collect();
    let text = relative.to_str();
    let text = text.ok_or_else(|| Error::Usage(format!("{}: not valid UTF-8", relative.display())))?;
    Ok(text.to_owned())
}
