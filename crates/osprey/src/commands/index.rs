//! `osprey index DIR`: builds or updates the search index.

use std::path::Path;

use anyhow::bail;
use osprey_engine::{IndexOptions, Indexed, Layout, Project, counted, damage_line, grouped, index_images};

use crate::cli::{IndexArgs, UsageError};
use crate::output::Output;
use crate::session::Session;

pub(super) fn run(args: &IndexArgs, output: &Output) -> anyhow::Result<()> {
    let IndexArgs { images, retrain, rebuild, follow, .. } = args;
    let options =
        IndexOptions { images: images.clone(), retrain: *retrain, rebuild: *rebuild, follow: *follow };
    let session = Session::new(output)?;
    let indexed = if Layout::of(&args.dir).config().exists() {
        Project::open(&args.dir)?.index(&options, session.control())?
    } else if args.images.is_some() {
        // a folder of one's own pictures needs no configuration
        index_images(&args.dir, &options, session.control())?
    } else {
        bail!(UsageError(format!(
            "{}: no osprey.toml; start with `osprey init`, or index your own pictures with `--images FOLDER`",
            args.dir.display()
        )));
    };
    output.result(&indexed, || text(&indexed, &args.dir))
}

fn text(indexed: &Indexed, dir: &Path) -> String {
    let refused: Vec<String> =
        indexed.refused.iter().map(|(why, n)| format!("{why} {}", grouped(*n))).collect();
    let mut text = format!(
        "{} indexed, {} of them with a picture; {} analysed\n",
        counted(indexed.documents, "document"),
        grouped(indexed.pictures),
        counted(indexed.looked_at, "picture")
    );
    if !refused.is_empty() {
        text.push_str(&format!("pictures skipped: {}\n", refused.join(", ")));
    }
    if indexed.lost > 0 {
        text.push_str(&format!("{} could not be read from the archive\n", counted(indexed.lost, "page")));
    }
    if let Some(line) = damage_line(&indexed.damage, dir) {
        text.push_str(&format!("{line}\n"));
    }
    text
}
