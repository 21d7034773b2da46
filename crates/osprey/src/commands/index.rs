//! `osprey index DIR`: builds or updates the search index.

use anyhow::bail;

use crate::cli::{IndexArgs, UsageError};
use crate::collection::Collection;
use crate::config;
use crate::drive::stop_on_signal;
use crate::indexing::{Indexed, Shelves, at_rest, index_crawl, index_folder, of_crawl, of_folder, retrain};
use crate::output::Output;
use crate::progress::grouped;
use crate::project::Project;

pub(super) fn run(args: &IndexArgs, output: &Output) -> anyhow::Result<()> {
    let project = match config::path_in(&args.dir).exists() {
        true => Some(Project::open(&args.dir, |_| {})?),
        // a folder of one's own pictures needs no configuration
        false if args.images.is_some() => None,
        false => bail!(UsageError(format!(
            "{}: no osprey.toml; begin with `osprey init`, or name your own pictures with `--images FOLDER`",
            args.dir.display()
        ))),
    };
    let collection = Collection::of(&args.dir);
    // a project may have pictures of its own only
    let has_crawled = project.as_ref().filter(|project| project.data().join("frontier").exists());
    let crawled = match (has_crawled, &args.images) {
        (None, None) => bail!(UsageError(format!(
            "{}: nothing crawled yet; start with `osprey crawl`, or name your own pictures with `--images FOLDER`",
            args.dir.display()
        ))),
        (crawled, _) => crawled,
    };
    // before an index that is built anew is thrown away
    let crawled = crawled.map(|project| anyhow::Ok((project, at_rest(project)?))).transpose()?;
    if args.retrain {
        let pictures = crawled.as_ref().map(|(project, crawl)| of_crawl(project, crawl));
        let mut pictures = pictures.transpose()?.unwrap_or_default();
        if let Some(folder) = &args.images {
            pictures.extend(of_folder(folder)?);
        }
        retrain(&pictures, &collection.codebook_file(), output)?;
    }
    let mut shelves = Shelves::open(&collection, args.rebuild || args.retrain, output)?;
    if let Some((project, crawl)) = &crawled {
        let stop = stop_on_signal(output)?;
        index_crawl(project, crawl, &mut shelves, &stop, output)?;
    }
    if let Some(folder) = &args.images {
        index_folder(folder, &mut shelves, output)?;
    }
    let indexed = shelves.finish()?;
    output.result(&indexed, || text(&indexed))
}

fn text(indexed: &Indexed) -> String {
    let refused: Vec<String> =
        indexed.refused.iter().map(|(why, n)| format!("{why} {}", grouped(*n))).collect();
    let mut text = format!(
        "{} documents indexed, {} of them with a picture; {} pictures looked at\n",
        grouped(indexed.documents),
        grouped(indexed.pictures),
        grouped(indexed.looked_at)
    );
    if !refused.is_empty() {
        text.push_str(&format!("pictures without words: {}\n", refused.join(", ")));
    }
    if indexed.lost > 0 {
        text.push_str(&format!("{} pages could not be read from the archive\n", grouped(indexed.lost)));
    }
    text
}
