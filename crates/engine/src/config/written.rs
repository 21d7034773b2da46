//! The file as written: every section and key, with its default. A key's name, meaning and default stand here and
//! nowhere else: `docs/configuration.md` is made from these structs, their doc comments (which are Markdown for users)
//! and their defaults; see `reference/`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use osprey_archive::WriterOptions;
use osprey_crawl::{PictureRules, PicturesOf};
use osprey_model::{PageType, ScopeKind};
use osprey_page::PageRules;
use osprey_steer::{JudgeKind, PolicyKind, Subject};
use osprey_structure::Recipe;
use osprey_structure::site::ExtractRules;
use serde::Deserialize;

use super::resolve::Problem;
use crate::error::{Error, Result};
use crate::project::Overrides;

/// `osprey.toml`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Config {
    pub(crate) crawl: CrawlSection,
    pub(crate) source: SourceSection,
    pub(crate) fetch: FetchSection,
    pub(crate) page: PageSection,
    pub(crate) topic: TopicSection,
    pub(crate) policy: PolicyKind,
    pub(crate) judge: Option<JudgeKind>,
    pub(crate) structure: StructureSection,
    /// `[extract]`: how records are read from pages of learned types.
    pub(crate) extract: ExtractRules,
    pub(crate) archive: ArchiveSection,
    pub(crate) frontier: FrontierSection,
    pub(crate) vision: VisionSection,
    pub(crate) server: ServerSection,
    /// A section of the contract without keys yet: kept, not read.
    pub(crate) index: Option<toml::Table>,
    /// Notes on names of earlier versions that the file uses.
    #[serde(skip)]
    pub(crate) old_names: Vec<String>,
}

impl Config {
    /// Takes another policy or budget than the file's.
    pub(crate) fn override_crawl(&mut self, overrides: &Overrides) -> Result<()> {
        // the parameters of the file belong to the policy of the file
        if let Some(name) = overrides.policy.as_ref().filter(|name| **name != self.policy.name()) {
            let names = || PolicyKind::NAMES.join(", ");
            let unknown = || Error::Usage(format!("unknown policy `{name}`; expected one of {}", names()));
            self.policy = PolicyKind::named(name).ok_or_else(unknown)?;
        }
        self.crawl.budget_pages = overrides.budget.or(self.crawl.budget_pages);
        Ok(())
    }
}

/// `[server]`: how `osprey serve` listens.
#[cfg_attr(test, derive(serde::Serialize))]
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ServerSection {
    /// Where to listen, as `127.0.0.1:8780`; `--addr` wins.
    pub addr: Option<String>,
    /// What others have to know to be let in; the environment variable `OSPREY_TOKEN` wins.
    pub token: Option<String>,
}

/// `[crawl]`: where, how far, how much.
#[cfg_attr(test, derive(serde::Serialize))]
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct CrawlSection {
    /// URLs to begin with, at least one; not needed for a `world`.
    pub(crate) seeds: Vec<String>,
    /// What may be touched, seen from the seeds: `host` (same host and port), `domain` (same registrable domain), `prefix`
    /// (same folder), `any`.
    pub(crate) scope: ScopeKind,
    /// Regular expressions that refine the scope: a URL must match one of them, if there are any.
    pub(crate) allow: Vec<String>,
    /// Regular expressions that refine the scope: a URL must match none of them.
    pub(crate) deny: Vec<String>,
    /// Fetched URLs over all runs; redirects and error pages count, each costs a request.
    pub(crate) budget_pages: Option<u64>,
    /// Body bytes over all runs.
    pub(crate) budget_bytes: Option<u64>,
    /// Time spent crawling over all runs.
    pub(crate) budget_seconds: Option<u64>,
    /// A live crawl in which nothing can be fetched for longer than this ends, with what it would wait for; nothing is lost,
    /// and the next run goes on.
    pub(crate) max_idle_seconds: u64,
    /// Hops from a seed; a redirect is no hop.
    pub(crate) max_depth: Option<u32>,
    /// Fetched URLs per host.
    pub(crate) host_budget_pages: Option<u64>,
    /// Seed of the random number generator.
    pub(crate) random_seed: u64,
    /// Query parameters to drop, besides the usual session and tracking names (`utm_*`, `jsessionid`, `phpsessid`, `gclid`,
    /// ...); a final `*` matches any ending. `sid` is kept by default: phpBB sites want it here.
    pub(crate) drop_params: Vec<String>,
    /// Visits that one URL pattern (digits folded, query values dropped) may have.
    pub(crate) pattern_budget: Option<u64>,
    /// Visits between two snapshots of the policy's state; a resumed crawl tells the policy again of the visits since.
    pub(crate) snapshot_every: u64,
}

impl Default for CrawlSection {
    fn default() -> Self {
        Self {
            seeds: Vec::new(),
            scope: ScopeKind::default(),
            allow: Vec::new(),
            deny: Vec::new(),
            budget_pages: None,
            budget_bytes: None,
            budget_seconds: None,
            max_idle_seconds: 3600,
            max_depth: None,
            host_budget_pages: None,
            random_seed: 1,
            drop_params: Vec::new(),
            pattern_budget: None,
            snapshot_every: 1000,
        }
    }
}

/// `[vision]`: pictures.
#[cfg_attr(test, derive(serde::Serialize))]
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct VisionSection {
    /// Whose pictures a crawl fetches: of `records` of detail pages (what `[extract]` calls `images`), of all `pages`
    /// (without a record the images they show, larger ones first, none below 100 pixels), or `none`.
    pub(crate) pictures: PicturesOf,
    /// Pictures of one page.
    pub(crate) pictures_per_page: usize,
    /// Pictures of the whole crawl; they cost nothing of `crawl.budget_pages`.
    pub(crate) budget_pictures: u64,
    /// Their bytes; `crawl.budget_bytes` and `crawl.budget_seconds` count pages and pictures together.
    pub(crate) budget_bytes: Option<u64>,
    /// Only pictures of pages that the judge, where there is one, finds relevant.
    pub(crate) relevant_only: bool,
}

impl Default for VisionSection {
    fn default() -> Self {
        let rules = PictureRules::default();
        Self {
            pictures: rules.of,
            pictures_per_page: rules.per_page,
            budget_pictures: 100_000,
            budget_bytes: None,
            relevant_only: rules.relevant_only,
        }
    }
}

/// `[source]`: where pages come from.
#[cfg_attr(test, derive(serde::Serialize))]
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct SourceSection {
    /// `http` (the live Web), `replay` (a recording) or `world` (a simulated web).
    pub(crate) kind: SourceName,
    /// `replay`: a WARC, ARC or WACZ file (plain, gzip or zstd), a folder of them, or a mirror folder; relative to the
    /// project.
    pub(crate) path: Option<PathBuf>,
    /// `replay` of a mirror folder: the URL that the folder stands for; not needed where its top folders are host names.
    pub(crate) base: Option<String>,
    /// `replay`: `/x` where only `/x/` was recorded, or the reverse: `serve` that page, `redirect` to it, or `exact`: 404.
    /// `auto` redirects in mirror folders, whose links are relative, and serves from other recordings.
    pub(crate) slash: SlashName,
    /// `world`: photo, video, forum, qa, movies, ratings, sports, campus or portal ([worlds](worlds.md)).
    pub(crate) name: Option<String>,
    /// `world`: the seed of the random number generator that makes it; 1 if left out.
    pub(crate) random_seed: Option<u64>,
    /// `world`: about how many pages count; 20,000 if left out.
    pub(crate) size: Option<u64>,
}

/// What is done about final slashes.
#[cfg_attr(test, derive(serde::Serialize))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SlashName {
    #[default]
    Auto,
    Serve,
    Redirect,
    Exact,
}

/// The kinds of source.
#[cfg_attr(test, derive(serde::Serialize))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SourceName {
    #[default]
    Http,
    Replay,
    World,
}

/// `[fetch]`: manners and limits.
#[cfg_attr(test, derive(serde::Serialize))]
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct FetchSection {
    /// Who we are; its first word is what robots.txt is read for. A live crawl needs a contact in it: a mail address or a
    /// URL.
    pub(crate) user_agent: String,
    /// Requests in flight, in all.
    pub(crate) concurrency: usize,
    /// Requests in flight, per host.
    pub(crate) host_concurrency: u32,
    /// Between two requests to a host: from the end of one to the beginning of the next, or, with `host_concurrency` above
    /// 1, between their beginnings. A longer `Crawl-delay` of the host's wins.
    pub(crate) host_delay_ms: u64,
    /// Whether robots.txt, meta robots and `X-Robots-Tag` bind us.
    pub(crate) obey_robots: bool,
    /// Whether links marked `rel=nofollow` are left alone.
    pub(crate) obey_nofollow: bool,
    /// Whether loopback, intranet, link-local and other addresses that are not of the public Web may be fetched. Checked on
    /// the address that is connected to, whatever the name, redirect or spelling; where a proxy resolves names, only
    /// addresses written in URLs can be checked.
    pub(crate) allow_private: bool,
    /// Bodies are cut here, after decompression.
    pub(crate) max_body_bytes: usize,
    /// Redirects in a row.
    pub(crate) max_redirects: u32,
    /// Requests for one URL before it is given up; five more where the host says 429 or 503.
    pub(crate) max_attempts: u32,
    /// The wait before the second attempt; doubles with each further one. Rests of hosts are counted in it.
    pub(crate) backoff_ms: u64,
    /// Requests in flight to all hosts on one address together; as for a host if left out.
    pub(crate) ip_concurrency: Option<u32>,
    /// The delay of all hosts on one address together; as for a host if left out.
    pub(crate) ip_delay_ms: Option<u64>,
    /// For name, connection and TLS together.
    pub(crate) connect_timeout_ms: u64,
    /// From the request to the answer's header.
    pub(crate) first_byte_timeout_ms: u64,
    /// Between two pieces of a body.
    pub(crate) idle_timeout_ms: u64,
    /// For an exchange as a whole.
    pub(crate) timeout_ms: u64,
    /// Media types whose bodies are read, like `["text/html", "image/*"]`; vague declarations are checked against the first
    /// bytes. Empty: all.
    pub(crate) accept: Vec<String>,
    /// Whether cookies are kept, for the project, in `data/cookies.json`.
    pub(crate) cookies: bool,
    /// Whether HTTP/2 is used where a server offers it.
    pub(crate) http2: bool,
    /// Whether the sitemaps that robots.txt names are fetched and read for links.
    pub(crate) sitemaps: bool,
    /// `http://[user:password@]host:port` or `socks5://...`.
    pub(crate) proxy: Option<String>,
    /// Addresses of hosts, instead of asking the DNS: `{ "intranet.test" = "10.0.0.7" }`.
    pub(crate) hosts: BTreeMap<String, Addresses>,
    /// Certificates (PEM) to trust besides the usual ones; relative to the project.
    pub(crate) ca_file: Option<PathBuf>,
}

/// One address, or several, as written.
#[cfg_attr(test, derive(serde::Serialize))]
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Addresses {
    One(String),
    Some(Vec<String>),
}

impl Default for FetchSection {
    fn default() -> Self {
        Self {
            user_agent: concat!("osprey/", env!("CARGO_PKG_VERSION")).to_owned(),
            concurrency: 64,
            host_concurrency: 1,
            host_delay_ms: 1000,
            obey_robots: true,
            obey_nofollow: false,
            allow_private: false,
            max_body_bytes: 8 << 20,
            max_redirects: 10,
            max_attempts: 3,
            backoff_ms: 5000,
            ip_concurrency: None,
            ip_delay_ms: None,
            connect_timeout_ms: 10_000,
            first_byte_timeout_ms: 30_000,
            idle_timeout_ms: 20_000,
            timeout_ms: 120_000,
            accept: Vec::new(),
            cookies: true,
            http2: true,
            sitemaps: true,
            proxy: None,
            hosts: BTreeMap::new(),
            ca_file: None,
        }
    }
}

/// `[page]`: how pages are read.
#[cfg_attr(test, derive(serde::Serialize))]
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct PageSection {
    /// Attributes that are part of path strings, in that order.
    pub(crate) display_properties: Vec<String>,
    /// Longer URLs are not followed.
    pub(crate) max_url_length: usize,
}

impl Default for PageSection {
    fn default() -> Self {
        let rules = PageRules::default();
        Self { display_properties: rules.display_properties, max_url_length: rules.url.max_length }
    }
}

/// `[topic]`: what you are after.
#[cfg_attr(test, derive(serde::Serialize))]
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct TopicSection {
    /// Tags or phrases of what you are after; `osprey topic DIR expand` finds those that go with them.
    pub(crate) tags: Vec<String>,
    /// Terms of the wanted kind of page; `osprey terms` proposes some.
    pub(crate) genre_terms: Vec<String>,
    /// Terms of its content; `osprey terms` proposes some.
    pub(crate) content_terms: Vec<String>,
    /// Terms of its URL.
    pub(crate) url_terms: Vec<String>,
    /// URLs of pages like those that are wanted; fetched once, into `data/given/`.
    pub(crate) examples: Vec<String>,
    /// URLs of pages that are not wanted.
    pub(crate) counter_examples: Vec<String>,
    /// A file of topics of your own, TOML or JSON, relative to the project; else the one that ships.
    pub(crate) taxonomy: Option<PathBuf>,
    /// A topic of the taxonomy, by name, label (`篮球`) or way (`Sports/Basketball`).
    pub(crate) node: Option<String>,
}

impl TopicSection {
    /// What is wanted; a file of topics, named relative to the configuration's, is read.
    pub(super) fn subject(&self, config: &Path) -> Result<Subject, Problem> {
        let read = |path: &PathBuf| {
            let path = config.parent().unwrap_or(Path::new(".")).join(path);
            std::fs::read_to_string(&path)
                .map_err(|cause| ("topic.taxonomy", format!("{}: {cause}", path.display())))
        };
        let taxonomy = self.taxonomy.as_ref().map(read).transpose()?;
        let Self { tags, genre_terms, content_terms, url_terms, examples, counter_examples, node, .. } =
            self.clone();
        Ok(Subject {
            tags,
            genre_terms,
            content_terms,
            url_terms,
            examples,
            counter_examples,
            taxonomy,
            node,
        })
    }
}

/// `[structure]`: how a site is learned.
#[cfg_attr(test, derive(serde::Serialize))]
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct StructureSection {
    /// How pages are clustered: `osprey`, or `dbscan-2018` for the recipe of Xu et al. 2018 as printed
    /// ([structure](structure.md)).
    pub(crate) clustering: ClusteringName,
    /// Pages that `osprey learn` looks at.
    pub(crate) sample_pages: u64,
    /// Pages whose type you know: `{ detail = ["https://..."], profile = [...] }`; they are sampled, and the types they fall
    /// into get your label.
    pub(crate) examples: BTreeMap<PageType, Vec<String>>,
}

impl Default for StructureSection {
    fn default() -> Self {
        Self { clustering: ClusteringName::Osprey, sample_pages: 1000, examples: BTreeMap::new() }
    }
}

/// The ways to cluster pages.
#[cfg_attr(test, derive(serde::Serialize))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub(crate) enum ClusteringName {
    #[default]
    #[serde(rename = "osprey")]
    Osprey,
    #[serde(rename = "dbscan-2018")]
    Dbscan2018,
}

impl ClusteringName {
    pub(super) fn recipe(self) -> Recipe {
        match self {
            Self::Osprey => Recipe::Osprey,
            Self::Dbscan2018 => Recipe::Seed,
        }
    }
}

/// `[archive]`: the WARC files.
#[cfg_attr(test, derive(serde::Serialize))]
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ArchiveSection {
    /// A new WARC file begins after so many bytes.
    pub(crate) rotate_bytes: u64,
    /// gzip level, 1 to 9; 2 saves a fifth of the disk for more than half as much time again.
    pub(crate) level: u32,
}

impl Default for ArchiveSection {
    fn default() -> Self {
        let options = WriterOptions::default();
        Self { rotate_bytes: options.rotate_bytes, level: options.level }
    }
}

/// `[frontier]`: the durable queue.
#[cfg_attr(test, derive(serde::Serialize))]
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct FrontierSection {
    /// URLs known at most: this bounds memory; links past it are counted as `full`.
    pub(crate) max_links: u32,
}

impl Default for FrontierSection {
    fn default() -> Self {
        Self { max_links: osprey_frontier::Options::default().max_links }
    }
}
