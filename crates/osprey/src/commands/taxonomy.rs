//! `osprey taxonomy FILE --out FILE`: a taxonomy from a directory of the Web.

use std::fs::File;
use std::io::{BufRead, BufReader};

use anyhow::Context;
use osprey_engine::counted;
use osprey_steer::taxonomy::{ImportRules, Imported, Taxonomy, import};
use serde_json::json;

use crate::cli;
use crate::output::Output;

pub(super) fn run(args: &cli::TaxonomyArgs, output: &Output) -> anyhow::Result<()> {
    let name = args.file.display();
    let from: Box<dyn BufRead> = match args.file.as_os_str() == "-" {
        true => Box::new(BufReader::new(std::io::stdin())),
        false => Box::new(BufReader::new(File::open(&args.file).with_context(|| name.to_string())?)),
    };
    let rules = ImportRules { under: args.under.clone(), depth: args.depth, examples: args.examples };
    let Imported { topics, pages, skipped, is_cut } =
        import(from, &rules).with_context(|| name.to_string())?;
    let text = serde_json::to_string(&json!({ "topic": topics }))?;
    let taxonomy = Taxonomy::parse(&text).with_context(|| name.to_string())?;
    osprey_files::write_durably(&args.out, text)?;
    if is_cut {
        output.say(format!("note: {name} ends in the middle; what was whole before is imported"));
    }
    let count = taxonomy.len() as u64;
    let value =
        json!({ "out": &args.out, "topics": count, "pages": pages, "skipped": skipped, "is_cut": is_cut });
    output.result(&value, || {
        format!(
            "{}: {} with {}; {skipped} skipped",
            args.out.display(),
            counted(count, "topic"),
            counted(pages, "example page")
        )
    })
}
