//! The command line. It is a contract: scripts depend on these names.

mod lab;

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use osprey_model::ScopeKind;
use osprey_steer::PageKinds;
use thiserror::Error;

pub(crate) use self::lab::{Lab, LabRun, LabServe, LabTruth, WorldArgs};

/// A focused crawler and media search engine.
///
/// Describe what you want: Osprey learns how a site is built, spends its page budget on relevant pages, and
/// archives them. A project is a folder with `osprey.toml` (the configuration) and `data/` (the results).
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
    /// Print no progress and no notes on standard error
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Print more details
    #[arg(long, short, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Write a log to this file; the environment variable OSPREY_LOG sets what is logged [default: info]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// Write the log as JSON objects, one per line
    #[arg(long, global = true)]
    pub(crate) log_json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve, learn, crawl and index a simulated photo site, then serve the search UI for it
    Demo(Demo),
    /// Collect what you want from a site: crawl it, index as it goes, and serve the result
    Collect(Collect),
    /// Create a project: write a commented DIR/osprey.toml
    Init(Init),
    /// Sample the site and learn its page types, how they link, and how to read records from them
    Learn(Learn),
    /// Find related tags, by counting which tags users put on the same items
    Topic(Topic),
    /// Propose genre and content terms from example pages
    Terms(Terms),
    /// Make a taxonomy file for `topic.taxonomy` from a dump of the Open Directory (RDF), a list or JSON lines
    Taxonomy(TaxonomyArgs),
    /// Start or resume a crawl; safe to kill at any time
    Crawl(Crawl),
    /// Crawl a site with several policies in turns, each page fetched once, and compare what they find
    Compare(Compare),
    /// Index the fetched pages and pictures for search
    Index(IndexArgs),
    /// Search by words, colours, textures, shapes, places in a picture, or an example picture
    Search(Search),
    /// Say of fetched pages whether they are what you want: good or bad
    Rate(Rate),
    /// Serve search pages, the crawl dashboard and the REST API to a browser, until interrupted
    Serve(Serve),
    /// Show progress, harvest ratio, frontier, hosts and errors, also of a running crawl
    Status(Dir),
    /// Pause a running crawl
    Pause(Dir),
    /// Resume a paused crawl
    Resume(Dir),
    /// Stop a running crawl after the requests in flight; `osprey crawl` resumes it
    Stop(Dir),
    /// Read everything that a project has and say what is damaged, and what to run for it
    Check(Dir),
    /// Judge everything that was crawled again by what is wanted now, and score the waiting links again
    Rejudge(Dir),
    /// Rebuild a lost or damaged frontier from the archive
    Restore(Dir),
    /// Write visits, pages, links, records or the archive to a file
    Export(Export),
    /// Show what Osprey reads from a page: text, links, path strings, XPaths
    Page(Page),
    /// Show the record of a page: every field, the rule that gave it, and rules that gave nothing
    Extract(Extract),
    /// Explain why a URL was fetched, is waiting, or was skipped
    Explain(Explain),
    /// Show the colour, texture and shape words of pictures, and the codebook they come from
    #[command(subcommand)]
    Vision(Vision),
    /// Check a URL against a robots.txt file: prints `allowed` (exit 0) or `disallowed` (exit 1)
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
    /// Also index the pictures in this folder: path as URL, file name as title, folder names as tags
    #[arg(long, value_name = "FOLDER")]
    pub(crate) images: Option<PathBuf>,
    /// Train the visual words on these pictures, and index everything again
    #[arg(long)]
    pub(crate) retrain: bool,
    /// Index everything again
    #[arg(long)]
    pub(crate) rebuild: bool,
    /// Keep indexing while a crawl is running, until it ends
    #[arg(long)]
    pub(crate) follow: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Search {
    /// The project's folder
    pub(crate) dir: PathBuf,
    /// The query: rose red -dog "new york" tag:garden color:red@center; put it in single quotes, or after `--` if a word starts with a minus
    #[arg(value_name = "QUERY")]
    pub(crate) query: Vec<String>,
    /// Find pictures similar to this file
    #[arg(long, value_name = "IMAGE")]
    pub(crate) like: Option<PathBuf>,
    /// Find documents similar to the one with this URL
    #[arg(long, value_name = "URL", conflicts_with = "like")]
    pub(crate) like_url: Option<String>,
    /// Results to show
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) limit: usize,
    /// Results to skip
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) offset: usize,
    /// How results are ordered
    #[arg(long, value_enum, default_value_t = RankingArg::Osprey)]
    pub(crate) ranking: RankingArg,
    /// Show the parts of each score
    #[arg(long)]
    pub(crate) explain: bool,
    /// Show the most frequent tags, uploaders, sites and colours of the results
    #[arg(long)]
    pub(crate) facets: bool,
    /// Group the results by their tags
    #[arg(long)]
    pub(crate) clusters: bool,
    /// Match colours and textures exactly, without their neighbours
    #[arg(long)]
    pub(crate) exact: bool,
}

/// Say of fetched pages whether they are what you want.
///
/// Shows pages one by one, those that the judge finds best first, and reads a line for each: y (good), n (bad), s (skip), u
/// (undo the last), q (quit). With URLs, rates these. Ratings are kept in DIR/ratings.jsonl, also while a crawl runs.
#[derive(Args, Debug)]
pub(crate) struct Rate {
    /// The project's folder
    pub(crate) dir: PathBuf,
    /// Rate these pages, without asking
    #[arg(value_name = "URL", requires = "verdict")]
    pub(crate) urls: Vec<String>,
    /// They are what you want
    #[arg(long, group = "verdict", requires = "urls")]
    pub(crate) good: bool,
    /// They are not
    #[arg(long, group = "verdict", requires = "urls")]
    pub(crate) bad: bool,
    /// Take their ratings back
    #[arg(long, group = "verdict", requires = "urls")]
    pub(crate) undo: bool,
    /// Ask about the pages that the judge is most unsure of
    #[arg(long, conflicts_with_all = ["urls", "list"])]
    pub(crate) suggest: bool,
    /// Pages to ask about
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    /// List the ratings
    #[arg(long, conflicts_with = "urls")]
    pub(crate) list: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Serve {
    /// Folders of projects, or of pictures that `osprey index --images` has indexed
    #[arg(value_name = "DIR", required = true)]
    pub(crate) dirs: Vec<PathBuf>,
    /// Address to listen on; one that other machines can reach needs a token (OSPREY_TOKEN, or `[server] token` in osprey.toml) [default:
    /// 127.0.0.1:8780]
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) addr: Option<String>,
    /// Folder of lab reports to show, as written by `osprey lab run`
    #[arg(long, value_name = "DIR", default_value = "lab-out")]
    pub(crate) lab: PathBuf,
}

/// How results are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RankingArg {
    /// BM25F for text, sums of minima for pictures, each part on one scale
    Osprey,
    /// Equation 21 of Zhang 2008
    #[value(alias = "seed")]
    Classic,
    /// By what the judge said of the page, the most relevant first; needs no query
    Relevance,
}

/// `osprey vision ...`
#[derive(Subcommand, Debug)]
pub(crate) enum Vision {
    /// Print the visual words of a picture file; --draw shows where they are
    Words(VisionWords),
    /// Draw the codebook of a project as a PNG
    Codebook(VisionCodebook),
}

#[derive(Args, Debug)]
pub(crate) struct VisionWords {
    /// A JPEG, PNG, GIF, WebP or BMP file
    pub(crate) image: PathBuf,
    /// Draw the picture with its tiles (green inner, red bordering, blue crossing) and its segments, and beside them the
    /// picture in the colours and in the texture tiles of the codebook, to this PNG file
    #[arg(long, value_name = "FILE")]
    pub(crate) draw: Option<PathBuf>,
    /// Use the codebook of this project instead of the built-in one
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct VisionCodebook {
    /// The project's folder
    pub(crate) dir: PathBuf,
    /// Output file [default: data/images/codebook.png in the project]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// A project.
#[derive(Args, Debug)]
pub(crate) struct Dir {
    /// The project's folder
    pub(crate) dir: PathBuf,
}

/// Serve, learn, crawl and index a simulated photo site, then serve the search UI for it.
///
/// Creates two projects in DIR, `profile` and `breadth-first`, with the same site, topic and budget, so that you can
/// compare the policies. It takes a minute or two; press Ctrl-C to stop, and run the same command to resume. The
/// projects are ordinary ones: read their osprey.toml, search them, crawl more. Nothing leaves this machine.
#[derive(Args, Debug)]
pub(crate) struct Demo {
    /// Address of the search UI; port 0 picks a free port [default: 127.0.0.1:8780]
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) addr: Option<String>,
    /// The folder for the two projects; created if missing [default: `osprey/demo` in your data folder,
    /// `~/.local/share`]
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// Page budget of each crawl, in a new folder; the site has eight times as many pages [default: 3000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(100..=100_000))]
    pub(crate) pages: Option<u64>,
    /// Port of the simulated site, in a new folder; 0 picks a free port [default: 8790]
    #[arg(long, value_name = "PORT")]
    pub(crate) site_port: Option<u16>,
    /// Exit after the comparison instead of serving the search UI
    #[arg(long, conflicts_with = "addr")]
    pub(crate) no_serve: bool,
}

/// Collect what you want from a site: crawl it, index as it goes, and serve the result.
///
/// One line does what `init`, `learn`, `crawl`, `index` and `serve` do: `osprey collect example.org sailing`. It makes the
/// project, if it is not there, and says where; the address of the result is printed at once, and the first pages can be
/// searched within seconds. Press Ctrl-C at any time: the same line goes on where it was. When the budget is used up, it
/// serves the result until Ctrl-C.
#[derive(Args, Debug)]
pub(crate) struct Collect {
    /// Start URLs (`example.org` is `https://example.org/`), and what you want in your own words: everything that is no URL
    #[arg(value_name = "URL|WORDS")]
    pub(crate) asked: Vec<String>,
    /// URL of a page like those that you want; can be repeated
    #[arg(long, value_name = "URL")]
    pub(crate) like: Vec<String>,
    /// Which pages can be wanted
    #[arg(long, value_enum, default_value_t = PagesArg::Items)]
    pub(crate) pages: PagesArg,
    /// Pages to fetch at most, over all runs [default: 2000, or as many as come in --time]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) budget: Option<u64>,
    /// Time to crawl at most, over all runs: 30m, 2h
    #[arg(long, value_name = "TIME")]
    pub(crate) time: Option<Age>,
    /// The project's folder [default: a new one here, named after the site and the words]
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// A contact for site owners; becomes part of the User-Agent header
    #[arg(long, value_name = "MAIL-OR-URL")]
    pub(crate) contact: Option<String>,
    /// Address to serve the result at [default: 127.0.0.1:8780, or a free port if that is in use]
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) addr: Option<String>,
    /// Serve nothing, and exit when the crawl is over
    #[arg(long, conflicts_with = "addr")]
    pub(crate) no_serve: bool,
    /// Fetch from loopback and intranet addresses too
    #[arg(long)]
    pub(crate) allow_private: bool,
    /// Crawl a recording instead of the Web: a WARC or WACZ file, or a mirror folder
    #[arg(long, value_name = "PATH")]
    pub(crate) replay: Option<PathBuf>,
    /// The URL that the mirror folder was downloaded from
    #[arg(long, value_name = "URL", requires = "replay")]
    pub(crate) base: Option<String>,
}

/// Which pages can be wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PagesArg {
    /// Pages of one thing each: photos, threads, articles
    Items,
    /// Pages of people
    People,
    /// Pages that list others
    Lists,
    /// Any page
    All,
}

impl From<PagesArg> for PageKinds {
    fn from(pages: PagesArg) -> Self {
        match pages {
            PagesArg::Items => Self::Items,
            PagesArg::People => Self::People,
            PagesArg::Lists => Self::Lists,
            PagesArg::All => Self::All,
        }
    }
}

#[derive(Args, Debug)]
pub(crate) struct Init {
    /// The project's folder; created if missing
    pub(crate) dir: PathBuf,
    /// Start URL; can be repeated
    #[arg(long = "seed", value_name = "URL", required = true, num_args = 1..)]
    pub(crate) seeds: Vec<String>,
    /// Which URLs to crawl, relative to the seeds
    #[arg(long, value_enum, default_value_t = ScopeArg::Host)]
    pub(crate) scope: ScopeArg,
    /// Pages to fetch at most
    #[arg(long, value_name = "N", default_value_t = 5000)]
    pub(crate) budget: u64,
    /// Crawl policy [default: chosen by the other options]
    #[arg(long, value_name = "POLICY", value_parser = osprey_steer::PolicyKind::NAMES)]
    pub(crate) policy: Option<String>,
    /// What you want in your own words: "red cars"; can be repeated
    #[arg(long = "words", value_name = "WORDS")]
    pub(crate) words: Vec<String>,
    /// Which pages can be wanted
    #[arg(long, value_enum, default_value_t = PagesArg::Items)]
    pub(crate) pages: PagesArg,
    /// A tag of the topic; can be repeated
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// A topic of the taxonomy: Sports/Basketball, 篮球; anything else is words; can be repeated
    #[arg(long = "topic", value_name = "TOPIC")]
    pub(crate) topics: Vec<String>,
    /// Your own taxonomy, TOML or JSON, instead of the built-in one
    #[arg(long, value_name = "FILE", requires = "topics")]
    pub(crate) taxonomy: Option<PathBuf>,
    /// A term of the wanted kind of page: syllabus, credits; can be repeated
    #[arg(long = "genre", value_name = "TERM", num_args = 1..)]
    pub(crate) genre: Vec<String>,
    /// A term of the wanted content: relational algebra; can be repeated
    #[arg(long = "content", value_name = "TERM", num_args = 1..)]
    pub(crate) content: Vec<String>,
    /// URL of a relevant page; can be repeated
    #[arg(long = "example", value_name = "URL", num_args = 1..)]
    pub(crate) examples: Vec<String>,
    /// Crawl a recording instead of the Web: a WARC or WACZ file, or a mirror folder
    #[arg(long, value_name = "PATH")]
    pub(crate) replay: Option<PathBuf>,
    /// The URL that the mirror folder was downloaded from
    #[arg(long, value_name = "URL", requires = "replay")]
    pub(crate) base: Option<String>,
    /// A contact for site owners; becomes part of the User-Agent header
    #[arg(long, value_name = "MAIL-OR-URL")]
    pub(crate) contact: Option<String>,
    /// Overwrite an existing osprey.toml
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
    /// Number of pages to learn from [default: `structure.sample_pages`]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) pages: Option<u64>,
    /// Learn from the pages that `osprey crawl` has fetched; fetch nothing
    #[arg(long, conflicts_with_all = ["pages", "again"])]
    pub(crate) crawled: bool,
    /// Replace the extraction rules in osprey.toml even if you have edited them
    #[arg(long)]
    pub(crate) replace_rules: bool,
    /// Discard the previous sample and fetch a new one
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
    /// Find tags related to these on pages of the site
    Expand(Expand),
    /// List uploaders by their rank for the topic
    Uploaders {
        /// Number of uploaders to list
        #[arg(long, value_name = "N", default_value_t = 20)]
        most: usize,
    },
}

#[derive(Args, Debug)]
pub(crate) struct Expand {
    /// Tags of the topic
    #[arg(required = true, value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Number of pages to read
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) pages: u64,
    /// Read the pages that `osprey crawl` has fetched; fetch nothing
    #[arg(long, conflicts_with = "pages")]
    pub(crate) crawled: bool,
    /// Pictures of the topic that must have a tag [default: 3, and 2 % of them]
    #[arg(long, value_name = "N")]
    pub(crate) min_votes: Option<u32>,
    /// How many times more often than by chance a tag must go with the topic [default: 1.5]
    #[arg(long, value_name = "X")]
    pub(crate) min_lift: Option<f32>,
    /// Lowest phi of a tag, as printed in the paper; it falls with the number of pictures [default: 0]
    #[arg(long, value_name = "X")]
    pub(crate) min_phi: Option<f32>,
    /// Most tags that a layer adds to each given tag [default: 15]
    #[arg(long, value_name = "N")]
    pub(crate) layer_tags: Option<usize>,
    /// Take only tags that go with the given ones, not those that go with these
    #[arg(long)]
    pub(crate) one_layer: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Terms {
    /// The project's folder
    pub(crate) dir: PathBuf,
    /// URL of a page of the wanted kind, on any subject; can be repeated
    #[arg(long = "genre-page", value_name = "URL", num_args = 1..)]
    pub(crate) genre_pages: Vec<String>,
    /// URL of a relevant page: of the wanted kind and on the topic; can be repeated
    #[arg(long = "relevant-page", value_name = "URL", num_args = 1..)]
    pub(crate) relevant_pages: Vec<String>,
    /// Genre terms to propose
    #[arg(long, value_name = "N", default_value_t = 15)]
    pub(crate) genre: usize,
    /// Content terms to propose
    #[arg(long, value_name = "N", default_value_t = 15)]
    pub(crate) content: usize,
    /// Rank by frequency only, without a comparison with other pages
    #[arg(long)]
    pub(crate) by_frequency: bool,
    /// Show the N pages that the judge finds most relevant, judged again with the terms as they are now, and the terms to
    /// accept or drop
    #[arg(long, value_name = "N", conflicts_with_all = ["genre_pages", "relevant_pages", "by_frequency"])]
    pub(crate) best: Option<usize>,
    /// Add a term of the wanted kind of page to osprey.toml; can be repeated
    #[arg(long, value_name = "TERM", requires = "best")]
    pub(crate) accept_genre: Vec<String>,
    /// Add a term of the wanted content to osprey.toml; can be repeated
    #[arg(long, value_name = "TERM", requires = "best")]
    pub(crate) accept_content: Vec<String>,
    /// Remove a term from osprey.toml; can be repeated
    #[arg(long, value_name = "TERM", requires = "best")]
    pub(crate) drop: Vec<String>,
}

#[derive(Args, Debug)]
pub(crate) struct TaxonomyArgs {
    /// The dump, gzipped or not, or `-` for standard input
    pub(crate) file: PathBuf,
    /// The taxonomy to write, as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Only this category and those below it, as `Top/Computers`
    #[arg(long, value_name = "CATEGORY")]
    pub(crate) under: Option<String>,
    /// Levels to keep; pages farther down are filed at the last of them
    #[arg(long, value_name = "N", default_value_t = 6)]
    pub(crate) depth: usize,
    /// Example pages to keep for each topic
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) examples: usize,
}

/// Crawl a site with several policies in turns, each page fetched once, and compare what they find.
///
/// Every policy gets the same want, judge and number of pages. The policies take turns, and a page that one of them, or an
/// earlier `osprey crawl`, has fetched is at hand for the others: the site sees one crawler, with one request at a time. Press
/// Ctrl-C at any time; the same command goes on. The crawl of the project is left as it is.
#[derive(Args, Debug)]
pub(crate) struct Compare {
    /// The project's folder
    pub(crate) dir: PathBuf,
    /// The policies, with commas between them: breadth-first,shark-search,fcmrps
    #[arg(long, value_name = "POLICIES", required = true, value_delimiter = ',')]
    pub(crate) policies: Vec<String>,
    /// Pages for each policy [default: `crawl.budget_pages`]
    #[arg(long, value_name = "N")]
    pub(crate) budget: Option<u64>,
}

#[derive(Args, Debug)]
pub(crate) struct Crawl {
    /// The project's folder
    pub(crate) dir: PathBuf,
    /// Crawl policy [default: the configured one]
    #[arg(long, value_name = "POLICY", value_parser = osprey_steer::PolicyKind::NAMES)]
    pub(crate) policy: Option<String>,
    /// Page budget over all runs [default: `crawl.budget_pages`]
    #[arg(long, value_name = "N")]
    pub(crate) budget: Option<u64>,
    /// Fetch pages and pictures again that were last fetched longer ago than this: 12h, 7d (live crawls only), at most
    /// `crawl.revisit_pages` of them
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
    /// File format [default: jsonl; wacz for the archive]
    #[arg(long, value_enum)]
    pub(crate) format: Option<Format>,
    /// Output file [default: standard output; parquet and wacz need a file]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Only the N most relevant pages by the judge, best first (visits and pages)
    #[arg(long, value_name = "N")]
    pub(crate) best: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum What {
    /// One row per fetched URL, in visit order
    Visits,
    /// One row per page: title, language, text
    Pages,
    /// Records extracted from detail and profile pages
    Records,
    /// One row per comment, answer or review of a record
    Items,
    /// One row per link on each page
    Links,
    /// One row per fetched picture
    Pictures,
    /// One row per uploader: inner, inter, rank; the best first
    Uploaders,
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
    /// Fetch with the settings of this project: user agent, limits, proxy
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Fetch from loopback and intranet addresses too
    #[arg(long)]
    pub(crate) allow_private: bool,
    /// The URL of the file, to resolve its links
    #[arg(long, value_name = "URL", default_value = "http://localhost/")]
    pub(crate) url: String,
    /// The Content-Type of the file
    #[arg(long, value_name = "VALUE")]
    pub(crate) content_type: Option<String>,
    /// An HTML file of the same kind of page; several may be given. What the page shares with all of them is template
    /// text, and `data` are its values without it
    #[arg(long, value_name = "FILE")]
    pub(crate) like: Vec<PathBuf>,
    /// Print everything: not only the first 1,000 entries of each list, and long paths in full
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Extract {
    /// An HTML file, or an http:// or https:// URL to fetch
    #[arg(value_name = "FILE-OR-URL")]
    pub(crate) source: String,
    /// A rule: a field and the path string of its text, or its beginning followed by `...`; several may be given
    #[arg(long, value_name = "FIELD=PATH")]
    pub(crate) rule: Vec<String>,
    /// Say of each rule that gave nothing why
    #[arg(long)]
    pub(crate) explain: bool,
    /// Use the rules of this project for the page's type, and fetch with its settings
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Fetch from loopback and intranet addresses too
    #[arg(long)]
    pub(crate) allow_private: bool,
    /// The URL of the file, to resolve its links
    #[arg(long, value_name = "URL", default_value = "http://localhost/")]
    pub(crate) url: String,
    /// The Content-Type of the file
    #[arg(long, value_name = "VALUE")]
    pub(crate) content_type: Option<String>,
    /// An HTML file of the same kind of page, to propose rules from; several may be given, the more the better
    #[arg(long, value_name = "FILE")]
    pub(crate) like: Vec<PathBuf>,
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
    /// A User-Agent header or its product token
    pub(crate) agent: String,
    /// The URL to check
    pub(crate) url: String,
}

/// Invalid command line.
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

    #[test]
    fn old_names_of_options_work() {
        let parse = |args: &[&str]| Cli::try_parse_from(args).unwrap().command;
        for option in ["--random-seed", "--seed"] {
            let Command::Lab(Lab::Run(run)) = parse(&["osprey", "lab", "run", "all", option, "5"]) else {
                panic!("not lab run")
            };
            let Command::Lab(Lab::Serve(serve)) = parse(&["osprey", "lab", "serve", "photo", option, "6"])
            else {
                panic!("not lab serve")
            };
            assert_eq!((run.random_seed, serve.world.random_seed), (5, 6));
        }
        for name in ["classic", "seed"] {
            let Command::Search(search) = parse(&["osprey", "search", "DIR", "rose", "--ranking", name])
            else {
                panic!("not search")
            };
            assert_eq!(search.ranking, RankingArg::Classic);
        }
    }
}
