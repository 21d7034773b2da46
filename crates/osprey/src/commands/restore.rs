//! `osprey restore DIR`: rebuilds a lost or damaged frontier from the archive.

use std::fmt::Write;
use std::path::Path;

use osprey_engine::{Project, Restored, counted, damage_line};
use serde_json::json;

use crate::output::Output;

pub(super) fn run(dir: &Path, output: &Output) -> anyhow::Result<()> {
    let restored = Project::open(dir)?.restore()?;
    let Restored { visits, pictures, robots, waiting, inferred, damage, old_frontier, unknown } = &restored;
    let value = json!({
        "visits": visits, "pictures": pictures, "robots": robots, "waiting": waiting, "inferred": inferred,
        "passed_over": damage.count, "damaged_count": damage.count, "damaged": damage.records, "old_frontier": old_frontier, "unknown": unknown,
    });
    output.result(&value, || text(&restored, dir))
}

fn text(restored: &Restored, dir: &Path) -> String {
    let mut text = format!(
        "restored {} and {}; {} waiting\n",
        counted(restored.visits, "visit"),
        counted(restored.pictures, "picture"),
        counted(restored.waiting, "link")
    );
    // writing to a String cannot fail
    if restored.inferred > 0 {
        let _ = writeln!(text, "{} inferred from responses alone", counted(restored.inferred, "visit"));
    }
    if let Some(line) = damage_line(&restored.damage, dir) {
        let _ = writeln!(text, "{line}");
    }
    for unknown in &restored.unknown {
        let _ = writeln!(text, "not known: {unknown}");
    }
    if let Some(old) = &restored.old_frontier {
        let _ = writeln!(text, "the previous frontier was moved to {}", old.display());
    }
    let _ = writeln!(text, "continue with: osprey crawl {}", dir.display());
    text
}
