//! The guide prints a site of the crate, so what it prints was compiled.

use std::path::Path;

#[test]
fn the_guide_prints_the_site_that_is_compiled() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &str| std::fs::read_to_string(root.join(path)).expect(path);
    let (guide, code) = (read("docs/guide/add-a-world.md"), read("crates/world/src/kinds/recipes.rs"));
    let site = code.split("#[cfg(test)]").next().unwrap_or_default().trim_end();
    assert!(guide.contains(&format!("```rust\n{site}\n```")), "print kinds/recipes.rs in the guide again");
}
