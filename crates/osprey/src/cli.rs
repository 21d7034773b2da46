//! The command line. It is a contract: scripts depend on these names.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use osprey_model::ScopeKind;
use thiserror::Error;

/// A focused crawler and media search engine.
///
/// Say what you want; Osprey learns how a site is built, spends its page budget on what you asked for, and
/// archives it. A project is a folder with `osprey.toml` (what you want) and `data/` (what Osprey got).
#[derive(Debug, Parser)]
#[command(name = "osprey", version, arg_required_else_help = true, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command.
#[derive(Args, Clone, Debug)]
pub(crate) struct Global {
    /// Print one JSON document on standard output, and nothing else there
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// No progress and no remarks on standard error
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Say more; twice: say everything
    #[arg(long, short, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Log to this file; what is logged says the environment variable OSPREY_LOG [default: info]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// Log JSON objects, one a line
    #[arg(long, global = true)]
    pub(crate) log_json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// See it work: a simulated photo site is served, learned, crawled, indexed, and shown in the search UI
    Demo(Demo),
    /// Write DIR/osprey.toml, commented, with the options given
    Init(Init),
    /// Sample the site and learn its page types, how they link, and how to read records from them
    Learn(Learn),
    /// Find the tags that go with a tag, by what users tagged together
    Topic(Topic),
    /// Propose genre and content terms from example pages
    Terms(Terms),
    /// Start or resume a crawl; safe to kill at any time
    Crawl(Crawl),
    /// Make everything that was fetched searchable: texts, and the words of pictures
    Index(IndexArgs),
    /// Search by words, colours, textures, shapes, places in a picture, or an example picture
    Search(Search),
    /// Serve search pages, the crawl dashboard and the REST API to a browser, until interrupted
    Serve(Serve),
    /// Progress, harvest, frontier, hosts, errors; also of a crawl that runs
    Status(Dir),
    /// Let a running crawl fetch nothing until it is resumed
    Pause(Dir),
    /// Let a paused crawl go on
    Resume(Dir),
    /// End a running crawl: what is in flight is finished, and `osprey crawl` goes on from there
    Stop(Dir),
    /// Rebuild a lost or damaged frontier from the archive; says what could not be known
    Restore(Dir),
    /// Write visits, pages, links, records or the archive to a file
    Export(Export),
    /// Show what Osprey sees in a page: text, links, path strings, XPaths
    Page(Page),
    /// Say why a URL was fetched, waits, or was skipped
    Explain(Explain),
    /// Show the colour, texture and shape words of pictures, and the codebook they come from
    #[command(subcommand)]
    Vision(Vision),
    /// Print `allowed` (exit 0) or `disallowed` (exit 1)
    RobotsCheck(RobotsCheck),
    /// Compare policies on simulated and recorded webs
    #[command(subcommand)]
    Lab(Lab),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual, or write one page per command to a folder
    Man(Man),
}

#[derive(Args, Debug)]
pub(crate) struct Man {
    /// Write `osprey.1`, `osprey-crawl.1` and so on to this folder, which is created if needed
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct IndexArgs {
    /// The project's folder, or any folder for your own pictures
    pub(crate) dir: PathBuf,
    /// Take in the pictures of this folder, too: path as URL, file name as title, folder names as tags
    #[arg(long, value_name = "FOLDER")]
    pub(crate) images: Option<PathBuf>,
    /// Learn the words from these very pictures, and index everything again
    #[arg(long)]
    pub(crate) retrain: bool,
    /// Index everything again
    #[arg(long)]
    pub(crate) rebuild: bool,
    /// Follow a crawl that runs until it ends
    #[arg(long)]
    pub(crate) follow: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Search {
    /// The project's folder
    pub(crate) dir: PathBuf,
    /// What to look for: rose red -dog "new york" tag:garden color:red@center; in single quotes, or after `--`, where a word begins with a minus
    #[arg(value_name = "QUERY")]
    pub(crate) query: Vec<String>,
    /// Pictures that look like this file
    #[arg(long, value_name = "IMAGE")]
    pub(crate) like: Option<PathBuf>,
    /// More like the document with this URL
    #[arg(long, value_name = "URL", conflicts_with = "like")]
    pub(crate) like_url: Option<String>,
    /// Results to show
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) limit: usize,
    /// Results to pass over
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) offset: usize,
    /// How results are ordered
    #[arg(long, value_enum, default_value_t = RankingArg::Osprey)]
    pub(crate) ranking: RankingArg,
    /// Say what each score is made of
    #[arg(long)]
    pub(crate) explain: bool,
    /// Say what the results have in common: tags, uploaders, sites, colours
    #[arg(long)]
    pub(crate) facets: bool,
    /// Group the results by their tags
    #[arg(long)]
    pub(crate) clusters: bool,
    /// Take colours and textures as they are, without their neighbours
    #[arg(long)]
    pub(crate) exact: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Serve {
    /// Folders of projects, or of pictures that `osprey index --images` has indexed
    #[arg(value_name = "DIR", required = true)]
    pub(crate) dirs: Vec<PathBuf>,
    /// Where to listen; an address that others reach needs a token: OSPREY_TOKEN, or `[server] token` in osprey.toml [default:
    /// 127.0.0.1:8780]
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) addr: Option<String>,
    /// Reports to show: where `osprey lab run` has left them
    #[arg(long, value_name = "DIR", default_value = "lab-out")]
    pub(crate) lab: PathBuf,
}

/// How results are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RankingArg {
    /// BM25F for text, sums of minima for pictures, each part on one scale
    Osprey,
    /// Equation 21 of Zhang 2008
    Seed,
}

/// `osprey vision ...`
#[derive(Subcommand, Debug)]
pub(crate) enum Vision {
    /// The words of a picture file, and on demand a picture that shows how they came about
    Words(VisionWords),
    /// The words that a project's pictures are described with, drawn as a PNG
    Codebook(VisionCodebook),
}

#[derive(Args, Debug)]
pub(crate) struct VisionWords {
    /// A JPEG, PNG, GIF, WebP or BMP file
    pub(crate) image: PathBuf,
    /// Draw the picture with its tiles (green inner, red bordering, blue crossing) and its segments to this PNG file
    #[arg(long, value_name = "FILE")]
    pub(crate) draw: Option<PathBuf>,
    /// Use the codebook of this project instead of the one that ships
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct VisionCodebook {
    /// The project's folder
    pub(crate) dir: PathBuf,
    /// Where to draw it; by default data/images/codebook.png in the project
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// A project.
#[derive(Args, Debug)]
pub(crate) struct Dir {
    /// The project's folder
    pub(crate) dir: PathBuf,
}

/// See it work: a simulated photo site is served, learned, crawled, indexed, and shown in the search UI.
///
/// Two projects are made in DIR: `profile` and `breadth-first`, with the same site, topic and budget, so that you see
/// what a policy is worth. It takes a minute or two; Ctrl-C ends it at any moment, and the same command goes on. The
/// projects are ordinary ones: read their osprey.toml, search them, crawl on. Nothing leaves this machine.
#[derive(Args, Debug)]
pub(crate) struct Demo {
    /// Where the search UI listens [default: 127.0.0.1:8780]; port 0 for a free one
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) addr: Option<String>,
    /// The folder for the two projects; made if it is not there [default: `osprey/demo` in your data folder,
    /// `~/.local/share`]
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// Pages that each crawl may fetch, in a new folder [default: 3000]; the site has eight times as many
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(100..=100_000))]
    pub(crate) pages: Option<u64>,
    /// The port of the simulated site, in a new folder [default: 8790]; 0 for a free one
    #[arg(long, value_name = "PORT")]
    pub(crate) site_port: Option<u16>,
    /// End when everything is indexed and compared
    #[arg(long, conflicts_with = "addr")]
    pub(crate) no_serve: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Init {
    /// The project's folder; made if it is not there
    pub(crate) dir: PathBuf,
    /// Where to begin; may be given several times
    #[arg(long = "seed", value_name = "URL", required = true, num_args = 1..)]
    pub(crate) seeds: Vec<String>,
    /// What may be touched, seen from the seeds
    #[arg(long, value_enum, default_value_t = ScopeArg::Host)]
    pub(crate) scope: ScopeArg,
    /// Pages to fetch at most
    #[arg(long, value_name = "N", default_value_t = 5000)]
    pub(crate) budget: u64,
    /// How links are ordered; by default what fits the rest
    #[arg(long, value_name = "POLICY", value_parser = osprey_steer::PolicyKind::NAMES)]
    pub(crate) policy: Option<String>,
    /// A tag of what you are after; may be given several times
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// A topic of the taxonomy: Sports/Basketball, 篮球; other words are taken as a tag
    #[arg(long, value_name = "TOPIC")]
    pub(crate) topic: Option<String>,
    /// A taxonomy of your own, TOML or JSON, instead of the one that ships
    #[arg(long, value_name = "FILE", requires = "topic")]
    pub(crate) taxonomy: Option<PathBuf>,
    /// A term of the wanted kind of page: syllabus, credits; may be given several times
    #[arg(long = "genre", value_name = "TERM", num_args = 1..)]
    pub(crate) genre: Vec<String>,
    /// A term of the wanted content: relational algebra; may be given several times
    #[arg(long = "content", value_name = "TERM", num_args = 1..)]
    pub(crate) content: Vec<String>,
    /// A page like those that are wanted; may be given several times
    #[arg(long = "example", value_name = "URL", num_args = 1..)]
    pub(crate) examples: Vec<String>,
    /// Crawl a recording instead of the Web: a WARC or WACZ file, or a mirror folder
    #[arg(long, value_name = "PATH")]
    pub(crate) replay: Option<PathBuf>,
    /// The URL that a mirror folder stands for
    #[arg(long, value_name = "URL", requires = "replay")]
    pub(crate) base: Option<String>,
    /// An address that servers can complain to, put into the user agent
    #[arg(long, value_name = "MAIL-OR-URL")]
    pub(crate) contact: Option<String>,
    /// Overwrite an osprey.toml that is there
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ScopeArg {
    Host,
    Domain,
    Prefix,
    Any,
}

impl From<ScopeArg> for ScopeKind {
    fn from(scope: ScopeArg) -> Self {
        match scope {
            ScopeArg::Host => Self::Host,
            ScopeArg::Domain => Self::Domain,
            ScopeArg::Prefix => Self::Prefix,
            ScopeArg::Any => Self::Any,
        }
    }
}

#[derive(Args, Debug)]
pub(crate) struct Learn {
    /// The project's folder
    pub(crate) dir: PathBuf,
    /// Learn from so many pages, instead of `structure.sample_pages`
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) pages: Option<u64>,
    /// Learn from the pages that `osprey crawl` has fetched, and fetch nothing
    #[arg(long, conflicts_with_all = ["pages", "again"])]
    pub(crate) crawled: bool,
    /// Replace the extraction rules of the last time in osprey.toml even if they were edited
    #[arg(long)]
    pub(crate) replace_rules: bool,
    /// Forget the sample of the last time and fetch a new one
    #[arg(long)]
    pub(crate) again: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Topic {
    /// The project's folder
    pub(crate) dir: PathBuf,
    #[command(subcommand)]
    pub(crate) action: TopicAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TopicAction {
    /// Add the tags that go with these, from pages of the site
    Expand(Expand),
}

#[derive(Args, Debug)]
pub(crate) struct Expand {
    /// Tags of the topic
    #[arg(required = true, value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Look at so many pages
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) pages: u64,
    /// Look at the pages that `osprey crawl` has fetched, and fetch nothing
    #[arg(long, conflicts_with = "pages")]
    pub(crate) crawled: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Terms {
    /// The project's folder
    pub(crate) dir: PathBuf,
    /// A page of the wanted kind, whatever it is about; may be given several times
    #[arg(long = "genre-page", value_name = "URL", num_args = 1..)]
    pub(crate) genre_pages: Vec<String>,
    /// A page that is wanted, of the kind and about the topic; may be given several times
    #[arg(long = "relevant-page", value_name = "URL", num_args = 1..)]
    pub(crate) relevant_pages: Vec<String>,
    /// Genre terms to propose
    #[arg(long, value_name = "N", default_value_t = 15)]
    pub(crate) genre: usize,
    /// Content terms to propose
    #[arg(long, value_name = "N", default_value_t = 15)]
    pub(crate) content: usize,
    /// Rank by frequency only, and compare with no other pages
    #[arg(long)]
    pub(crate) by_frequency: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Crawl {
    /// The project's folder
    pub(crate) dir: PathBuf,
    /// Order links by this policy, instead of the configured one
    #[arg(long, value_name = "POLICY", value_parser = osprey_steer::PolicyKind::NAMES)]
    pub(crate) policy: Option<String>,
    /// Fetch at most so many pages over all runs, instead of `budget_pages`
    #[arg(long, value_name = "N")]
    pub(crate) budget: Option<u64>,
    /// Fetch again what was last fetched longer ago than this: 12h, 7d (live crawls); unchanged answers are noticed
    #[arg(long, value_name = "AGE")]
    pub(crate) revisit: Option<Age>,
}

/// A time span: `90s`, `15m`, `12h`, `7d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Age(pub(crate) Duration);

impl FromStr for Age {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let expected = || format!("`{text}`: expected a number and s, m, h or d, like 12h");
        let unit = match text.chars().last() {
            Some('s') => 1,
            Some('m') => 60,
            Some('h') => 60 * 60,
            Some('d') => 24 * 60 * 60,
            _ => return Err(expected()),
        };
        let number: u64 = text.get(..text.len() - 1).and_then(|n| n.parse().ok()).ok_or_else(expected)?;
        number.checked_mul(unit).map(|seconds| Self(Duration::from_secs(seconds))).ok_or_else(expected)
    }
}

#[derive(Args, Debug)]
pub(crate) struct Export {
    /// The project's folder
    pub(crate) dir: PathBuf,
    /// What to write
    #[arg(long, value_enum)]
    pub(crate) what: What,
    /// The form; by default jsonl, and wacz for the archive
    #[arg(long, value_enum)]
    pub(crate) format: Option<Format>,
    /// Where to; by default standard output (parquet and wacz need a file)
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum What {
    /// One row per fetched URL, in visit order
    Visits,
    /// One row per page: title, language, text
    Pages,
    /// What was extracted from detail and profile pages
    Records,
    /// One row per link on each page
    Links,
    /// One row per fetched picture
    Pictures,
    /// The archive itself
    Warc,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Jsonl,
    Csv,
    Parquet,
    Wacz,
}

impl Format {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Csv => "csv",
            Self::Parquet => "parquet",
            Self::Wacz => "wacz",
        }
    }
}

#[derive(Args, Debug)]
pub(crate) struct Page {
    /// An HTML file, or an http:// or https:// URL to fetch
    #[arg(value_name = "FILE-OR-URL")]
    pub(crate) source: String,
    /// Fetch as this project would: its user agent, limits, proxy
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Fetch from loopback and intranet addresses too
    #[arg(long)]
    pub(crate) allow_private: bool,
    /// The URL a file came from, for its links
    #[arg(long, value_name = "URL", default_value = "http://localhost/")]
    pub(crate) url: String,
    /// The Content-Type it was sent with
    #[arg(long, value_name = "VALUE")]
    pub(crate) content_type: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct Explain {
    /// The project's folder
    pub(crate) dir: PathBuf,
    /// The URL
    pub(crate) url: String,
}

#[derive(Args, Debug)]
pub(crate) struct RobotsCheck {
    /// A robots.txt
    pub(crate) robots_file: PathBuf,
    /// A user agent or its product token
    pub(crate) agent: String,
    /// The URL in question
    pub(crate) url: String,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Lab {
    /// The experiments, and what each repeats
    List(LabList),
    /// Run experiments: a table here, a report and the figures in a folder; an interrupted run goes on
    Run(LabRun),
    /// Serve a simulated web over HTTP on loopback, until interrupted
    Serve(LabServe),
    /// What is true of URLs of a simulated web, which no crawler sees; without URLs: of all pages that count
    Truth(LabTruth),
}

#[derive(Args, Debug)]
pub(crate) struct LabList {
    /// Experiments of your own: a folder with files like those of lab/experiments
    #[arg(long, value_name = "DIR")]
    pub(crate) experiments: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct LabRun {
    /// Names of experiments; `all` for every one
    #[arg(value_name = "NAME", required = true)]
    pub(crate) names: Vec<String>,
    /// How large: small (minutes for all), paper (the sizes of the seed documents)
    #[arg(long, default_value_t = osprey_lab::Scale::Small)]
    pub(crate) scale: osprey_lab::Scale,
    /// The first seed number; further runs take the next ones
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Where reports and figures go
    #[arg(long, value_name = "DIR", default_value = "lab-out")]
    pub(crate) out: PathBuf,
    /// Experiments of your own: a folder with files like those of lab/experiments
    #[arg(long, value_name = "DIR")]
    pub(crate) experiments: Option<PathBuf>,
    /// Cells at a time; by default one for each core
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<usize>,
}

/// A simulated web.
#[derive(Args, Debug)]
pub(crate) struct WorldArgs {
    /// photo, video, forum, qa, movies, ratings, sports, campus or portal
    #[arg(value_name = "WORLD")]
    pub(crate) kind: osprey_world::Kind,
    /// The seed number that it is made from
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// About how many pages count
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub(crate) pages: u64,
    /// What host names end in
    #[arg(long, value_name = "NAME")]
    pub(crate) domain: Option<String>,
    /// Without traps, duplicates, dead links and the like
    #[arg(long)]
    pub(crate) tame: bool,
}

#[derive(Args, Debug)]
pub(crate) struct LabServe {
    #[command(flatten)]
    pub(crate) world: WorldArgs,
    /// The port; 0 for a free one
    #[arg(long, value_name = "P", default_value_t = 8790)]
    pub(crate) port: u16,
    /// Answer at once, slow hosts too
    #[arg(long)]
    pub(crate) no_delay: bool,
}

#[derive(Args, Debug)]
pub(crate) struct LabTruth {
    #[command(flatten)]
    pub(crate) world: WorldArgs,
    /// URLs of that web
    #[arg(value_name = "URL")]
    pub(crate) urls: Vec<String>,
}

/// The command line asks for something that does not go together.
#[derive(Debug, Error)]
#[error("{0}")]
pub(crate) struct UsageError(pub(crate) String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages() {
        let check = |text: &str, seconds: Option<u64>| {
            assert_eq!(text.parse().ok(), seconds.map(|s| Age(Duration::from_secs(s))), "{text}");
        };
        check("90s", Some(90));
        check("15m", Some(900));
        check("12h", Some(43_200));
        check("7d", Some(604_800));
        check("0s", Some(0));
        for wrong in ["", "7", "d", "-1d", "1.5h", "7w", "9999999999999999999d", "1000000000000000d", "7é"] {
            check(wrong, None);
        }
    }
}
