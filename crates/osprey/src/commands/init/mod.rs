//! `osprey init DIR --seed URL...`: writes a commented `osprey.toml`.

mod choose;

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, bail};
use serde_json::json;

use self::choose::Choice;
use crate::cli::{Init, UsageError};
use crate::config;
use crate::output::{Output, write_whole};

pub(super) fn run(args: &Init, output: &Output) -> anyhow::Result<()> {
    let path = config::path_in(&args.dir);
    if path.exists() && !args.force {
        bail!(UsageError(format!("{}: is there already; --force overwrites it", path.display())));
    }
    // a wrong seed is found now, not at the first crawl, and costs nothing that is there
    let choice = Choice::of(args)?;
    let text = template(args, &choice)?;
    // files are named as seen from the folder, which has to be there for that
    let is_new = !args.dir.exists();
    std::fs::create_dir_all(&args.dir).with_context(|| format!("{}: cannot be made", args.dir.display()))?;
    if let Err(error) = config::parse::<config::Config>(&text, &path).and_then(|config| config.resolve(&path))
    {
        if is_new {
            // it is empty; should it stay, nothing is lost
            let _ = std::fs::remove_dir(&args.dir);
        }
        return Err(error.into());
    }
    write_whole(&path, text.as_bytes())?;
    if args.replay.is_none() && args.contact.is_none() {
        output.say("note: put your own address into [fetch] user_agent before you crawl (or give --contact)");
    }
    let command = if choice.needs_learning() { "learn" } else { "crawl" };
    let next = format!("osprey {command} {}", args.dir.display());
    let Choice { policy, why, .. } = &choice;
    let value = json!({ "project": args.dir, "config": path, "policy": policy, "why": why, "next": next });
    output.result(&value, || {
        format!("{} written; look it over, then: {next}\npolicy {policy}: {why}", path.display())
    })
}

fn template(args: &Init, choice: &Choice) -> anyhow::Result<String> {
    let mut text = String::new();
    let list = |items: &[String]| toml::Value::from(items.to_vec()).to_string();
    writeln!(text, "# What you want. Every key is checked when it is read; see docs/configuration.md.")?;
    writeln!(text, "[crawl]")?;
    writeln!(text, "seeds = {}", list(&args.seeds))?;
    writeln!(
        text,
        "scope = \"{}\"             # host | domain | prefix | any; allow = [regex], deny = [regex] refine it",
        args.scope.name()
    )?;
    writeln!(
        text,
        "budget_pages = {}        # also budget_bytes, budget_seconds, max_depth, host_budget_pages",
        args.budget
    )?;
    writeln!(text, "seed = 1                   # for everything that draws lots")?;
    writeln!(
        text,
        "\n# Where pages come from: http (the live Web) or replay (a WARC/WACZ file or a mirror folder).\n[source]"
    )?;
    match &args.replay {
        Some(replay) => {
            writeln!(text, "kind = \"replay\"")?;
            writeln!(text, "path = {}", toml::Value::from(relative(replay, &args.dir)?))?;
            if let Some(base) = &args.base {
                writeln!(
                    text,
                    "base = {}             # the URL that the folder stands for",
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
    writeln!(
        text,
        "user_agent = {}   # say who you are: servers' owners will want to know",
        toml::Value::from(agent)
    )?;
    writeln!(text, "host_delay_ms = 1000       # between two requests to one host")?;
    writeln!(text, "obey_robots = true")?;
    write_topic(&mut text, args, choice)?;
    writeln!(text, "\n# How links are ordered: {}.\n[policy]", osprey_steer::PolicyKind::NAMES.join(" | "))?;
    writeln!(text, "kind = \"{}\"   # {}", choice.policy, choice.why)?;
    if let Some(judge) = choice.judge {
        writeln!(
            text,
            "\n# What counts as relevant: tags | terms | genre | taxonomy | page-type | cluster | model; threshold = ...\n\
             [judge]\nkind = \"{judge}\""
        )?;
    }
    Ok(text)
}

fn write_topic(text: &mut String, args: &Init, choice: &Choice) -> anyhow::Result<()> {
    writeln!(text, "\n# What you are after: what the policy looks for and the judge judges by.\n[topic]")?;
    let lists = [
        ("genre_terms", &args.genre, "the kind of page"),
        ("content_terms", &args.content, "what it is about"),
        ("examples", &args.examples, "pages like those that are wanted"),
    ];
    let list = |items: &[String]| toml::Value::from(items.to_vec()).to_string();
    writeln!(text, "tags = {}", list(&choice.tags))?;
    for (key, items, what) in lists.into_iter().filter(|(_, items, _)| !items.is_empty()) {
        writeln!(text, "{key} = {}   # {what}", list(items))?;
    }
    if let Some(path) = &args.taxonomy {
        writeln!(text, "taxonomy = {}", toml::Value::from(relative(path, &args.dir)?))?;
    }
    if let Some(node) = &choice.node {
        writeln!(text, "node = {}   # a topic of the taxonomy", toml::Value::from(node.as_str()))?;
    }
    Ok(())
}

/// `path` as seen from the project, so that a project can be moved together with its recording.
fn relative(path: &Path, dir: &Path) -> anyhow::Result<String> {
    let target = path.canonicalize().with_context(|| format!("{}: cannot be found", path.display()))?;
    // the project's folder may not be there yet, but what it lies in may be reached through links
    let dir = std::path::absolute(dir)?;
    let there = |part: &Path| Some(part.canonicalize().ok()?.join(dir.strip_prefix(part).ok()?));
    let from = dir.ancestors().find_map(there).unwrap_or_else(|| dir.clone());
    let shared = target.components().zip(from.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().count() - shared;
    let relative: std::path::PathBuf =
        std::iter::repeat_n("..".as_ref(), up).chain(target.iter().skip(shared)).collect();
    let text = relative.to_str().with_context(|| format!("{}: not valid UTF-8", relative.display()))?;
    Ok(text.to_owned())
}
