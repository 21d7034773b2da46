//! `osprey vision words IMAGE`, `osprey vision codebook DIR`: the visual words of pictures.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use osprey_engine::Collection;
use osprey_vision::{Bag, Codebook, Limits, SIDE, Words, Worker, decode, draw};
use serde_json::json;

use crate::cli::{Vision, VisionCodebook, VisionWords};
use crate::output::{Output, write_whole};

/// Words of a kind that are printed.
const SHOWN: usize = 8;

pub(super) fn run(command: &Vision, output: &Output) -> anyhow::Result<()> {
    match command {
        Vision::Words(args) => words(args, output),
        Vision::Codebook(args) => codebook(args, output),
    }
}

fn words(args: &VisionWords, output: &Output) -> anyhow::Result<()> {
    let codebook = match &args.project {
        Some(dir) => Collection::of(dir).codebook()?,
        None => Codebook::embedded(),
    };
    let limits = Limits::default();
    let picture = decode(&read(&args.image, &limits)?, SIDE, &limits)
        .with_context(|| args.image.display().to_string())?;
    let mut worker = Worker::new(Arc::clone(&codebook));
    let words = worker.look(&picture);
    if let Some(out) = &args.draw {
        write_whole(out, &draw::png(&draw::seen(&picture, worker.seen(), &codebook)))?;
    }
    let hash = words.hash.to_string();
    output.result(&json!({ "image": args.image, "hash": hash, "words": words, "drawn": args.draw }), || {
        let mut text = describe(&words, &codebook);
        if let Some(out) = &args.draw {
            let _ = writeln!(text, "drawn      {}", out.display());
        }
        text
    })
}

/// The bytes of a file, but not of one that is larger than pictures are.
pub(super) fn read(path: &Path, limits: &Limits) -> anyhow::Result<Vec<u8>> {
    use std::io::Read;
    let cannot = || path.display().to_string();
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).with_context(cannot)?;
    // one byte more, so that the decoder can say that it is too large
    file.take(limits.file_bytes as u64 + 1).read_to_end(&mut bytes).with_context(cannot)?;
    Ok(bytes)
}

fn describe(words: &Words, codebook: &Codebook) -> String {
    let palette: Vec<[u8; 3]> = codebook.palette().collect();
    let colour = |word: u8| match palette.get(usize::from(word)) {
        Some([red, green, blue]) => format!(" #{red:02x}{green:02x}{blue:02x}"),
        None => String::new(),
    };
    let named = words.dominant.iter().map(|dominant| format!("{} {} %", dominant.name, dominant.per_cent));
    let [inner, bordering, crossing] = words.tiles;
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "{name:<10} {value}");
    };
    line("size", &format!("{} x {} (longest side scaled to {SIDE})", words.size.0, words.size.1));
    line("tiles", &format!("{inner} inner, {bordering} bordering, {crossing} crossing"));
    line("colours", &named.collect::<Vec<_>>().join(", "));
    line("color:", &strongest(&words.colours.whole, colour));
    line("texture:", &strongest(&words.textures.whole, |_| String::new()));
    line("borders", &strongest(&words.borders, |_| String::new()));
    line("shape:", &strongest(&words.shapes.whole, |_| String::new()));
    line("hash", &words.hash.to_string());
    text
}

/// The strongest words with their shares in per cent.
fn strongest(bag: &Bag, remark: impl Fn(u8) -> String) -> String {
    let words = bag.strongest(SHOWN).into_iter();
    let words = words.map(|(word, share)| format!("{word}{} ({:.0} %)", remark(word), share * 100.0));
    let mut text = words.collect::<Vec<_>>().join(", ");
    if bag.len() > SHOWN {
        let _ = write!(text, ", and {} more", bag.len() - SHOWN);
    }
    if text.is_empty() { "none".to_owned() } else { text }
}

fn codebook(args: &VisionCodebook, output: &Output) -> anyhow::Result<()> {
    let collection = Collection::of(&args.dir);
    let codebook = collection.codebook()?;
    let out = match &args.out {
        Some(out) => out.clone(),
        None => {
            let folder = collection.layout().images();
            std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
            folder.join("codebook.png")
        }
    };
    write_whole(&out, &draw::png(&draw::sheet(&codebook)))?;
    let counts = [codebook.palette().count(), codebook.textures().len(), codebook.shapes().len()];
    let id = format!("{:016x}", codebook.id());
    let value = json!({
        "id": id, "origin": codebook.origin, "colours": counts[0], "textures": counts[1], "shapes": counts[2],
        "drawn": out,
    });
    output.result(&value, || {
        let [colours, textures, shapes] = counts;
        format!(
            "codebook   {id}\norigin     {}\nwords      {colours} colours, {textures} textures, {shapes} shapes\n\
             drawn      {}",
            codebook.origin,
            out.display()
        )
    })
}
