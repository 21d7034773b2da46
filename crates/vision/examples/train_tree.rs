//! Trains a tree that distinguishes kinds of tile, on tiles of generated pictures: `cargo run --release -p
//! osprey-vision --example train_tree [PICTURES]`. Prints the tree in the form that `Tree::parse` reads, with its
//! accuracy in comments.
#![expect(clippy::print_stdout, reason = "its output is what it is for")]

use anyhow::{Context, Result};
use osprey_vision::analysis::Settings;
use osprey_vision::tile::{Labelled, Tree, made_tiles};

fn main() -> Result<()> {
    let pictures: u64 = std::env::args()
        .nth(1)
        .map_or(Ok(200), |text| text.parse())
        .context("expected a number of pictures")?;
    let settings = Settings::default();
    let learn = made_tiles(0..pictures, &settings);
    let judge = made_tiles(pictures..pictures + pictures.div_ceil(2), &settings);
    let tree = Tree::learn(&learn);
    let as_printed: Vec<Labelled> =
        judge.iter().map(|tile| Labelled { kind: Tree::zhang_2008().kind(&tile.facts), ..*tile }).collect();
    println!(
        "# learnt from {} tiles of {pictures} made pictures, judged on {} others",
        learn.len(),
        judge.len()
    );
    println!(
        "# right {:.4}, the tree of Zhang 2008 {:.4}",
        tree.agreement(&judge),
        Tree::zhang_2008().agreement(&judge)
    );
    println!("# both say the same of {:.4}", tree.agreement(&as_printed));
    print!("{tree}");
    Ok(())
}
