//! The extraction rules that `learn` proposes, as a block of `osprey.toml` between two comments.
//!
//! The user may edit the block: its first line carries a checksum of the rest. `learn` replaces an edited block only
//! with `--replace-rules`, and never touches anything outside of it.

use xxhash_rust::xxh3::xxh3_64;

/// The line that begins the block, up to the checksum.
const BEGIN: &str = "# ---- extraction rules by `osprey learn`, ";
const BEGIN_END: &str = "; edit freely: an edited block stays ----";
/// The line that ends it.
const END: &str = "# ---- end of the rules by `osprey learn` ----";

/// What became of the proposals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Placed {
    /// The file with the new block.
    Written(String),
    /// The file says the same already.
    Same,
    /// The block was edited; it stays.
    Edited,
    /// The file has rules of its own outside of the block; they stay.
    Own,
}

/// Puts `rules` (which may be empty) into the text of an `osprey.toml`. `force` replaces an edited block.
pub(super) fn place(text: &str, rules: &str, force: bool) -> Placed {
    let block = split(text);
    if let Some(block) = &block
        && !force
        && block.checksum != checksum_of(block.rules)
    {
        return Placed::Edited;
    }
    let (before, after) = block.map_or((text, ""), |block| (block.before, block.after));
    let outside: Option<toml::Table> = toml::from_str(&format!("{before}{after}")).ok();
    if outside.is_some_and(|table| table.contains_key("extract")) {
        return Placed::Own;
    }
    let block = if rules.is_empty() {
        String::new()
    } else {
        format!("{BEGIN}{}{BEGIN_END}\n{rules}{END}\n", checksum_of(rules))
    };
    let gap = if block.is_empty() || before.is_empty() || before.ends_with("\n\n") { "" } else { "\n" };
    let line = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
    let new = format!("{before}{line}{gap}{block}{after}");
    if new == text { Placed::Same } else { Placed::Written(new) }
}

/// A block in its file.
struct Block<'a> {
    before: &'a str,
    checksum: &'a str,
    rules: &'a str,
    after: &'a str,
}

fn split(text: &str) -> Option<Block<'_>> {
    let start = text.find(BEGIN)?;
    let (before, block) = text.split_at(start);
    let (first, rest) = block.split_once('\n')?;
    let checksum = first.strip_prefix(BEGIN)?.strip_suffix(BEGIN_END)?;
    let end = rest.find(END)?;
    let (rules, tail) = rest.split_at(end);
    let after = tail.get(END.len()..)?;
    Some(Block { before, checksum, rules, after: after.strip_prefix('\n').unwrap_or(after) })
}

fn checksum_of(rules: &str) -> String {
    format!("{:016x}", xxh3_64(rules.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &str = "[[extract.rule]]\non = \"detail\"\nfield = \"title\"\npath = \"<h1>...\"\n";

    fn written(text: &str, rules: &str, force: bool) -> String {
        match place(text, rules, force) {
            Placed::Written(text) => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_block_comes_and_goes_and_nothing_else_changes() {
        let text = "[crawl]\nseeds = [\"http://a.example/\"] # mine";
        let once = written(text, RULES, false);
        assert!(once.starts_with(text) && once.contains(RULES), "{once}");
        assert!(toml::from_str::<toml::Table>(&once).unwrap().contains_key("extract"));
        assert_eq!(place(&once, RULES, false), Placed::Same);
        let other = RULES.replace("h1", "h2");
        assert_eq!(
            written(&once, &other, false),
            once.replace(RULES, &other).replace(&checksum_of(RULES), &checksum_of(&other))
        );
        assert_eq!(written(&once, "", false).trim_end(), text);
        let behind = format!("{once}[policy]\nkind = \"best-first\"\n");
        assert_eq!(written(&behind, &other, false).matches("[policy]").count(), 1);
    }

    #[test]
    fn what_a_person_wrote_stays() {
        let once = written("", RULES, false);
        let edited = once.replace("h1", "h3");
        assert_eq!(place(&edited, "", false), Placed::Edited);
        assert_eq!(written(&edited, RULES, true), once);
        let own = "[extract.structured]\ndetail = [\"title\"]\n";
        assert_eq!(place(own, RULES, true), Placed::Own);
    }
}
