//! The commands of the guides, typed as they are printed: each ends as the guide says, and where the guide shows a whole
//! answer, the program says it.

use std::path::Path;
use std::process::Command;

use crate::project::{osprey, repository};

/// A command of a guide, and the lines that the guide shows below it.
struct Typed {
    command: String,
    shown: Vec<String>,
}

/// The commands of a guide; files that it shows with their name in the first line are written to `folder`.
fn commands(guide: &str, folder: &Path) -> Vec<Typed> {
    let text = std::fs::read_to_string(repository().join("docs/guide").join(guide)).unwrap();
    let mut typed: Vec<Typed> = Vec::new();
    for block in text.split("\n```").skip(1).step_by(2) {
        let (kind, block) = block.split_once('\n').unwrap();
        match (kind, block.split_once('\n').unwrap_or((block, ""))) {
            ("toml", (first, rest)) if first.starts_with("# ") && first.ends_with(".toml") => {
                let path = folder.join(&first[2..]);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, rest).unwrap();
            }
            ("console" | "text", _) => {
                for line in block.lines() {
                    match (line.strip_prefix("$ "), typed.last_mut()) {
                        (Some(command), _) => {
                            typed.push(Typed { command: command.to_owned(), shown: Vec::new() });
                        }
                        (None, Some(last)) => last.shown.push(line.to_owned()),
                        (None, None) => {}
                    }
                }
            }
            _ => {}
        }
    }
    typed
}

/// A line without what differs from run to run: numbers, and how far they are set apart.
fn shape(line: &str) -> String {
    let words = line.replace(|c: char| c.is_ascii_digit(), "0");
    let words: Vec<&str> = words.split_whitespace().collect();
    let mut shape = words.join(" ");
    while shape.contains("00") {
        shape = shape.replace("00", "0");
    }
    shape.replace("0.0", "0").replace("0,0", "0")
}

fn check(guide: &str, is_shown_whole: bool, is_typed: impl Fn(&str) -> bool) {
    let folder = tempfile::tempdir().unwrap();
    for shared in ["fixtures", "lab"] {
        std::os::unix::fs::symlink(repository().join(shared), folder.path().join(shared)).unwrap();
    }
    let example = folder.path().join("examples/profile");
    std::fs::create_dir_all(&example).unwrap();
    std::fs::copy(repository().join("examples/profile/osprey.toml"), example.join("osprey.toml")).unwrap();
    let program = Path::new(osprey().get_program()).parent().unwrap().to_owned();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let typed = commands(guide, folder.path());
    assert!(!typed.is_empty(), "{guide} has no commands");
    for Typed { command, shown } in typed.iter().filter(|typed| is_typed(&typed.command)) {
        let output = Command::new("sh")
            .args(["-c", command])
            .current_dir(&folder)
            .env("PATH", &path)
            .output()
            .unwrap();
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        let fails = shown.first().is_some_and(|line| line.starts_with("osprey: "));
        assert_eq!(output.status.success(), !fails, "{guide}: `{command}`:\n{said}");
        let said: Vec<String> = said.lines().map(shape).collect();
        for line in shown.iter().filter(|line| is_shown_whole && !line.is_empty() && !line.contains("...")) {
            assert!(
                said.contains(&shape(line)),
                "{guide}: `{command}` does not say\n{line}\nbut\n{}",
                said.join("\n")
            );
        }
    }
}

#[test]
fn the_first_crawl() {
    check("first-crawl.md", true, |_| true);
}

#[test]
fn learning_a_site() {
    check("learn-a-site.md", false, |_| true);
}

#[test]
fn searching() {
    // the last part is about pictures of one's own, which are not here
    check("search.md", false, |command| !command.contains(" pictures "));
}
