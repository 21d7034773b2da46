//! Runs the commands of the guides as they are printed. Each must end as the guide says (a guide shows a failure by its
//! `osprey: ...` message), and where a guide shows complete output, the program must print it.
//!
//! Some commands are replaced so that they run here: the port of a server, the name of a policy or world that the
//! reader adds, the size of an experiment. Not run: `cargo` and `OSPREY_WRITE_DOCS` (they build the tree), servers that
//! run until they are stopped (`osprey serve`, `osprey lab serve`; `serve.rs` and `lab.rs` test them), the experiment
//! with a policy that does not exist yet, and the search guide's last part, which needs a folder of your own pictures.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use osprey_rogue::{Answer, Reply, Server, SiteRequest};

use crate::project::{osprey, repository};

/// A command of a guide, and the lines that the guide shows below it.
struct Typed {
    command: String,
    shown: Vec<String>,
}

/// A guide to run in a folder of its own, with what is replaced in it.
struct Guide {
    name: &'static str,
    text: String,
    folder: PathBuf,
    /// Whether the guide shows all output of its commands.
    is_shown_whole: bool,
}

impl Guide {
    fn new(name: &'static str, folder: &Path) -> Self {
        let text = std::fs::read_to_string(repository().join("docs/guide").join(name)).unwrap();
        Self { name, text, folder: folder.to_owned(), is_shown_whole: false }
    }

    /// Every occurrence of a text, of which there must be one.
    fn replace(mut self, from: &str, to: &str) -> Self {
        assert!(self.text.contains(from), "{} does not contain `{from}`", self.name);
        self.text = self.text.replace(from, to);
        self
    }

    /// Blocks in triple backticks, with their kind.
    fn blocks(&self) -> impl Iterator<Item = (&str, &str)> {
        self.text.split("\n```").skip(1).step_by(2).map(|block| block.split_once('\n').unwrap())
    }

    /// Writes the files that the guide shows with their path in the first line, unless they are there.
    fn write_files(&self) {
        for (_, block) in self.blocks().filter(|(kind, _)| *kind == "toml") {
            let (first, rest) = block.split_once('\n').unwrap_or((block, ""));
            if let Some(path) = first.strip_prefix("# ").filter(|path| path.ends_with(".toml")) {
                let path = self.folder.join(path);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, rest).unwrap();
            }
        }
    }

    fn commands(&self) -> Vec<Typed> {
        let mut typed: Vec<Typed> = Vec::new();
        for (_, block) in self.blocks().filter(|(kind, _)| ["console", "text"].contains(kind)) {
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
        assert!(!typed.is_empty(), "{} has no commands", self.name);
        typed
    }

    /// Runs all commands but those that begin with one of `left_out`, or contain it between spaces.
    fn run(&self, left_out: &[&str]) {
        self.write_files();
        for typed in self.commands() {
            let words = format!(" {} ", typed.command);
            if !left_out.iter().any(|part| words.contains(&format!(" {part} "))) {
                self.run_one(&typed);
            }
        }
    }

    fn run_one(&self, Typed { command, shown }: &Typed) {
        let program = Path::new(osprey().get_program()).parent().unwrap().to_owned();
        let mut child = Command::new("sh")
            .args(["-c", command])
            .current_dir(&self.folder)
            .env("PATH", format!("{}:{}", program.display(), std::env::var("PATH").unwrap()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // below `cat > FILE` the guide shows what is typed
        let (input, shown) = if command.contains("cat > ") {
            (shown.join("\n"), &[][..])
        } else {
            (String::new(), &shown[..])
        };
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        let fails = shown.first().is_some_and(|line| line.starts_with("osprey: "));
        assert_eq!(output.status.success(), !fails, "{}: `{command}`:\n{said}", self.name);
        let said: Vec<String> = said.lines().map(shape).collect();
        let whole = shown.iter().filter(|line| self.is_shown_whole || line.starts_with("osprey: "));
        for line in whole.filter(|line| !line.is_empty() && !line.contains("...")) {
            assert!(
                said.contains(&shape(line)),
                "{}: `{command}` does not say\n{line}\nbut\n{}",
                self.name,
                said.join("\n")
            );
        }
    }
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

/// A folder that looks like the repository to a guide's commands.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for shared in ["fixtures", "lab"] {
        std::os::unix::fs::symlink(repository().join(shared), folder.path().join(shared)).unwrap();
    }
    let example = folder.path().join("examples/profile");
    std::fs::create_dir_all(&example).unwrap();
    std::fs::copy(repository().join("examples/profile/osprey.toml"), example.join("osprey.toml")).unwrap();
    folder
}

#[test]
fn the_first_crawl() {
    let folder = folder();
    Guide { is_shown_whole: true, ..Guide::new("first-crawl.md", folder.path()) }.run(&[]);
}

#[test]
fn learning_a_site() {
    let folder = folder();
    Guide::new("learn-a-site.md", folder.path()).run(&[]);
}

#[test]
fn searching_and_how_policies_work() {
    let folder = folder();
    Guide::new("search.md", folder.path()).run(&["pictures"]);
    Guide { is_shown_whole: true, ..Guide::new("policies.md", folder.path()) }.run(&[]);
}

/// A manual of forty-odd pages about replication, each of which links to the next ones.
fn handbook(asked: &SiteRequest<'_>) -> Answer {
    let names = ["index", "high-availability", "logical-replication"].map(str::to_owned);
    let names: Vec<String> = names.into_iter().chain((0..60).map(|n| format!("slots-{n}"))).collect();
    let name = asked.path.strip_prefix("/postgres/").and_then(|path| path.strip_suffix(".html"));
    let Some(at) = names.iter().position(|known| Some(known.as_str()) == name) else {
        return Reply::status(404).into();
    };
    let next = names.iter().skip(at + 1).take(9);
    let links: String = next.map(|name| format!("<p><a href={name}.html>replication {name}</a>")).collect();
    Reply::html(format!("<title>{}</title><p>Chapter {at} on replication slots{links}", names[at])).into()
}

#[test]
fn crawling_the_live_web() {
    let (folder, server) = (folder(), Server::start(handbook).unwrap());
    let guide = Guide::new("live-crawl.md", folder.path())
        .replace(":8799", &format!(":{}", server.addr().port()))
        .replace("host_delay_ms = 250", "host_delay_ms = 10");
    let (init, others): (Vec<_>, Vec<_>) =
        guide.commands().into_iter().partition(|typed| typed.command.starts_with("osprey init"));
    init.iter().for_each(|typed| guide.run_one(typed));
    // the section that the guide shows takes the place of the one that `init` wrote
    let file = folder.path().join("handbook/osprey.toml");
    let mut settings: toml::Table = std::fs::read_to_string(&file).unwrap().parse().unwrap();
    let (_, fetch) = guide.blocks().find(|(_, block)| block.starts_with("[fetch]")).unwrap();
    settings.extend(fetch.parse::<toml::Table>().unwrap());
    std::fs::write(&file, settings.to_string()).unwrap();
    for typed in others.iter().filter(|typed| !typed.command.starts_with("osprey serve")) {
        guide.run_one(typed);
    }
    assert!(server.log().len() > 40, "the crawl fetched from the server");
}

/// A harbour: a start page and the photographs that it links to, of ospreys and of boats.
fn harbour(asked: &SiteRequest<'_>) -> Answer {
    let photo = asked.path.strip_prefix("/photos/").and_then(|path| path.strip_suffix(".html")?.parse().ok());
    match photo {
        Some(number @ 101..=112) if number % 2 == 1 => {
            Reply::html(format!("<title>Osprey {number}</title><p>An osprey with a fish, seen from the pier"))
                .into()
        }
        Some(number @ 101..=112) => {
            Reply::html(format!("<title>Boat {number}</title><p>A boat comes in at noon")).into()
        }
        _ if asked.path == "/" => {
            let links: String =
                (101..=112).map(|n| format!("<li><a href=/photos/{n}.html>photograph {n}</a>")).collect();
            Reply::html(format!("<title>Harbour</title><ul>{links}</ul>")).into()
        }
        _ => Reply::status(404).into(),
    }
}

#[test]
fn rating_pages() {
    let (folder, server) = (folder(), Server::start(harbour).unwrap());
    let origin = format!("http://harbour.example:{}/", server.addr().port());
    let guide = Guide::new("rate.md", folder.path()).replace("http://harbour.example/", &origin);
    let prepare = |command: String| guide.run_one(&Typed { command, shown: Vec::new() });
    prepare(format!("osprey init harbour --seed {origin} --words osprey --contact you@your.site"));
    let file = folder.path().join("harbour/osprey.toml");
    let mut settings: toml::Table = std::fs::read_to_string(&file).unwrap().parse().unwrap();
    settings.insert(
        "fetch".to_owned(),
        toml::Value::Table(toml::toml! {
            user_agent = "osprey/0.1.0 (+mailto:you@your.site)"
            host_delay_ms = 1
            hosts = { "harbour.example" = "127.0.0.1" }
            allow_private = true
        }),
    );
    std::fs::write(&file, settings.to_string()).unwrap();
    prepare("osprey crawl harbour".to_owned());
    guide.run(&[]);
    // two answers from the pipe, two URLs called good, one of them taken back
    let ratings = std::fs::read_to_string(folder.path().join("harbour/ratings.jsonl")).unwrap();
    let good = |url: &str| {
        ratings.lines().rfind(|line| line.contains(url)).map(|line| line.contains("\"good\":true"))
    };
    assert_eq!(ratings.lines().count(), 5, "{ratings}");
    assert_eq!([good("/101.html"), good("/107.html")], [Some(false), Some(true)], "{ratings}");
}

#[test]
fn adding_an_experiment() {
    let folder = folder();
    Guide::new("add-an-experiment.md", folder.path())
        .replace("pages = 4000\n", "pages = 400\n")
        .replace("random_seeds = 3\n", "random_seeds = 1\n")
        .replace("sample_pages = 500\n", "sample_pages = 100\n")
        .run(&[]);
}

/// The policy does not exist until its reader adds it: the same commands with one that does.
#[test]
fn adding_a_policy() {
    let folder = folder();
    Guide::new("add-a-policy.md", folder.path())
        .replace("kind = \"url-words\"         # rest = 0.1", "kind = \"best-first\"")
        .run(&["cargo", "url-words"]);
}

/// The same for a world.
#[test]
fn adding_a_world() {
    let folder = folder();
    Guide::new("add-a-world.md", folder.path())
        .replace("lab truth recipes", "lab truth forum")
        .run(&["cargo", "serve"]);
}

/// `crates/world/tests/it/guide.rs` checks the same for the world.
#[test]
fn the_printed_policy_is_the_one_that_is_compiled() {
    let code = std::fs::read_to_string(repository().join("crates/steer/src/policy/url_words.rs")).unwrap();
    let (policy, tests) = code.split_once("\n#[cfg(test)]").unwrap();
    let guide = Guide::new("add-a-policy.md", Path::new("."));
    let printed: Vec<&str> =
        guide.blocks().filter(|(kind, _)| *kind == "rust").map(|(_, code)| code.trim_end()).collect();
    assert_eq!(printed, [policy.trim_end(), format!("#[cfg(test)]{}", tests.trim_end()).as_str()]);
}
