//! Writes a contact sheet of the pictures that worlds serve: one row per topic.
//!
//! `cargo run --release -p osprey-world --example pictures -- sheet.png [first topic] [topics] [variants]`

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("name the file to write")?;
    let mut number = |default| arguments.next().map_or(Ok(default), |word| word.parse::<u16>());
    let (first, topics, variants) = (number(0)?, number(12)?, number(8)?);
    std::fs::write(file, osprey_world::contact_sheet(first, topics, variants))?;
    Ok(())
}
