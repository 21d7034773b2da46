//! The file as written: every section and key, with its default. A key's name, meaning and default stand here and
//! nowhere else.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use osprey_crawl::{PictureRules, PicturesOf};
use osprey_model::{PageType, ScopeKind};
use osprey_steer::{JudgeKind, PolicyKind, Subject};
use osprey_structure::Recipe;
use osprey_structure::site::ExtractRules;
use serde::Deserialize;

use super::resolve::Problem;

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
}

impl Config {
    /// Takes another policy or budget than the file's.
    pub(crate) fn override_crawl(&mut self, policy: Option<&str>, budget: Option<u64>) {
        // the parameters of the file belong to the policy of the file
        if let Some(name) = policy.filter(|name| *name != self.policy.name()) {
            self.policy = PolicyKind::named(name).unwrap_or_default();
        }
        self.crawl.budget_pages = budget.or(self.crawl.budget_pages);
    }
}

/// `[server]`: how `osprey serve` listens.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ServerSection {
    /// Where to listen, as `127.0.0.1:8780`; `--addr` wins.
    pub(crate) addr: Option<String>,
    /// What others have to know to be let in; the environment variable `OSPREY_TOKEN` wins.
    pub(crate) token: Option<String>,
}

/// `[crawl]`: where, how far, how much.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct CrawlSection {
    /// Where to begin.
    pub(crate) seeds: Vec<String>,
    /// `host`, `domain`, `prefix` or `any`.
    pub(crate) scope: ScopeKind,
    /// A URL must match one of these, if there are any.
    pub(crate) allow: Vec<String>,
    /// A URL must match none of these.
    pub(crate) deny: Vec<String>,
    pub(crate) budget_pages: Option<u64>,
    pub(crate) budget_bytes: Option<u64>,
    pub(crate) budget_seconds: Option<u64>,
    /// A live crawl ends when nothing can be fetched for longer than this.
    pub(crate) max_idle_seconds: Option<u64>,
    pub(crate) max_depth: Option<u32>,
    pub(crate) host_budget_pages: Option<u64>,
    /// For everything that draws lots.
    pub(crate) seed: Option<u64>,
    /// Query parameters to drop, besides the usual session and tracking names. A final `*` matches any ending.
    pub(crate) drop_params: Vec<String>,
    /// Visits a single URL pattern may have.
    pub(crate) pattern_budget: Option<u64>,
    /// Visits between two snapshots of the policy's state.
    pub(crate) snapshot_every: Option<u64>,
}

/// `[vision]`: pictures.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct VisionSection {
    /// Whose pictures a crawl fetches: `none`, those of `records`, or of all `pages`.
    pub(crate) pictures: PicturesOf,
    /// Pictures of one page.
    pub(crate) pictures_per_page: usize,
    /// Pictures of the whole crawl.
    pub(crate) budget_pictures: u64,
    /// Their bytes.
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
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct SourceSection {
    pub(crate) kind: SourceName,
    /// `replay`: a WARC or WACZ file, a folder of them, or a mirror folder; relative to the project.
    pub(crate) path: Option<PathBuf>,
    /// `replay`: the URL that a mirror folder stands for.
    pub(crate) base: Option<String>,
    /// `replay`: what `/x` means where only `/x/` was recorded, or the reverse: `serve` that page, `redirect` to it,
    /// or `exact`: nothing. `auto` redirects in mirror folders and serves from other recordings.
    pub(crate) slash: SlashName,
    /// `world`: its name, seed and size.
    pub(crate) name: Option<String>,
    pub(crate) seed: Option<u64>,
    pub(crate) size: Option<u64>,
}

/// What is done about final slashes.
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SourceName {
    #[default]
    Http,
    Replay,
    World,
}

/// `[fetch]`: manners and limits.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct FetchSection {
    pub(crate) user_agent: String,
    pub(crate) concurrency: usize,
    pub(crate) host_concurrency: u32,
    pub(crate) host_delay_ms: u64,
    pub(crate) obey_robots: bool,
    /// Leave links marked `rel=nofollow` alone.
    pub(crate) obey_nofollow: bool,
    pub(crate) allow_private: bool,
    /// Bodies are cut here.
    pub(crate) max_body_bytes: usize,
    pub(crate) max_redirects: u32,
    /// Requests for one URL before it is given up.
    pub(crate) max_attempts: u32,
    /// The first wait after a failure; doubles with each further one, and rests of hosts are counted in it.
    pub(crate) backoff_ms: u64,
    /// Limits that hosts on one address share; those of a host if left out.
    pub(crate) ip_concurrency: Option<u32>,
    pub(crate) ip_delay_ms: Option<u64>,
    /// DNS, TCP and TLS together.
    pub(crate) connect_timeout_ms: u64,
    /// From the request to the answer's header.
    pub(crate) first_byte_timeout_ms: u64,
    /// Between two pieces of a body.
    pub(crate) idle_timeout_ms: u64,
    /// For an exchange as a whole.
    pub(crate) timeout_ms: u64,
    /// Media types to read: `text/html`, `image/*`. The bodies of others are left unread. Empty: all.
    pub(crate) accept: Vec<String>,
    /// Keep cookies, for the project.
    pub(crate) cookies: bool,
    /// Use HTTP/2 where a server offers it.
    pub(crate) http2: bool,
    /// Read the sitemaps that robots.txt names.
    pub(crate) sitemaps: bool,
    /// `http://[user:password@]host:port` or `socks5://...`.
    pub(crate) proxy: Option<String>,
    /// Addresses of hosts, instead of asking the DNS.
    pub(crate) hosts: BTreeMap<String, Addresses>,
    /// Certificates (PEM) to trust besides the usual ones; relative to the project.
    pub(crate) ca_file: Option<PathBuf>,
}

/// One address, or several, as written.
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
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct PageSection {
    /// Attributes that are part of path strings.
    pub(crate) display_properties: Option<Vec<String>>,
    pub(crate) max_url_length: Option<usize>,
}

/// `[topic]`: what you are after.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct TopicSection {
    pub(crate) tags: Vec<String>,
    pub(crate) genre_terms: Vec<String>,
    pub(crate) content_terms: Vec<String>,
    pub(crate) url_terms: Vec<String>,
    pub(crate) examples: Vec<String>,
    pub(crate) counter_examples: Vec<String>,
    pub(crate) taxonomy: Option<PathBuf>,
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
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct StructureSection {
    /// `osprey` or `seed`: how pages are clustered.
    pub(crate) variant: Recipe,
    /// Pages to learn from.
    pub(crate) sample_pages: u64,
    /// Pages whose type is known, by type.
    pub(crate) examples: BTreeMap<PageType, Vec<String>>,
}

impl Default for StructureSection {
    fn default() -> Self {
        Self { variant: Recipe::Osprey, sample_pages: 1000, examples: BTreeMap::new() }
    }
}

/// `[archive]`: the WARC files.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ArchiveSection {
    /// A new file begins after so many bytes.
    pub(crate) rotate_bytes: Option<u64>,
    /// gzip level, 1 to 9.
    pub(crate) level: Option<u32>,
}

/// `[frontier]`: the durable queue.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct FrontierSection {
    /// URLs known at most; bounds memory.
    pub(crate) max_links: Option<u32>,
}
