//! Draws what is seen in a picture, or the embedded codebook: `draw IMAGE OUT.png` or `draw --codebook OUT.png`.

use anyhow::{Context, Result};
use osprey_vision::{Codebook, Limits, SIDE, Worker, decode, draw};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [from, out] = arguments.as_slice() else {
        anyhow::bail!("expected `IMAGE OUT.png` or `--codebook OUT.png`")
    };
    let codebook = Codebook::embedded();
    let drawn = if from == "--codebook" {
        draw::sheet(&codebook)
    } else {
        let file = std::fs::read(from).with_context(|| format!("{from}: not read"))?;
        let picture = decode(&file, SIDE, &Limits::default()).with_context(|| from.clone())?;
        let mut worker = Worker::new(codebook.clone());
        worker.look(&picture);
        draw::seen(&picture, worker.seen(), &codebook)
    };
    std::fs::write(out, draw::png(&drawn)).with_context(|| format!("{out}: not written"))
}
