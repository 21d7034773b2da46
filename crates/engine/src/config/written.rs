//! The shape of `osprey.toml`: every section and key, with its default. This is the only place for the name, meaning and
//! default of a key: `docs/configuration.md` is generated from these structs, their doc comments (Markdown for users) and
//! their defaults; see `reference/`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use osprey_archive::WriterOptions;
use osprey_crawl::{PictureRules, PicturesOf};
use osprey_model::{CanonicalUrl, PageType, ScopeKind, UrlRules};
use osprey_page::PageRules;
use osprey_steer::{JudgeKind, PageKinds, PolicyKind, Subject};
use osprey_structure::Recipe;
use osprey_structure::site::{ClassifyBy, ExtractRules};
use serde::Deserialize;

use super::resolve::Problem;
use crate::error::{Error, Result};
use crate::notify::{Hook, NotifyRules};
use crate::parts::Sampling;
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
    pub(crate) notify: NotifySection,
    pub(crate) server: ServerSection,
    /// Reserved; accepted and ignored.
    pub(crate) index: Option<toml::Table>,
    /// Notes on names of earlier versions that the file uses.
    #[serde(skip)]
    pub(crate) old_names: Vec<String>,
}

impl Config {
    /// Replaces the policy or the budgets of the file.
    pub(crate) fn override_crawl(&mut self, overrides: &Overrides) -> Result<()> {
        // the parameters of the file belong to the policy of the file
        if let Some(name) = overrides.policy.as_ref().filter(|name| **name != self.policy.name()) {
            self.policy = policy_named(name)?;
        }
        self.crawl.budget_pages = overrides.budget.or(self.crawl.budget_pages);
        self.crawl.budget_seconds = overrides.time.map(|time| time.as_secs()).or(self.crawl.budget_seconds);
        Ok(())
    }
}

/// The policy of that name, with its defaults.
pub(crate) fn policy_named(name: &str) -> Result<PolicyKind> {
    let unknown =
        || Error::Usage(format!("unknown policy `{name}`; expected one of {}", PolicyKind::NAMES.join(", ")));
    PolicyKind::named(name).ok_or_else(unknown)
}

/// `[server]`: how `osprey serve` listens.
#[cfg_attr(test, derive(serde::Serialize))]
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ServerSection {
    /// Address to listen on, as `127.0.0.1:8780`; `--addr` overrides it.
    pub addr: Option<String>,
    /// Bearer token that all clients must send; required if other machines can reach `addr`. The environment variable
    /// `OSPREY_TOKEN` overrides it.
    pub token: Option<String>,
}

/// `[notify]`: who is told when a crawl ends, is stuck, or has found its first hundred relevant pages.
#[cfg_attr(test, derive(serde::Serialize))]
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct NotifySection {
    /// A command to run. A text is for `sh -c`: `"mail -s \"$OSPREY_TEXT\" you@example.org"`; a list is a program and its
    /// arguments, run as they are: `["notify-send", "osprey"]`.
    pub(crate) command: Option<CommandLine>,
    /// A web hook: the message is sent there as JSON, with POST. It may be any address, also of this machine; redirects are
    /// not followed.
    pub(crate) url: Option<String>,
    /// A live crawl is stuck when it has fetched nothing for this long; it goes on waiting, up to `crawl.max_idle_seconds`.
    pub(crate) stuck_seconds: u64,
}

impl Default for NotifySection {
    fn default() -> Self {
        Self { command: None, url: None, stuck_seconds: 600 }
    }
}

/// A command, as written.
#[cfg_attr(test, derive(serde::Serialize))]
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum CommandLine {
    Shell(String),
    Program(Vec<String>),
}

impl NotifySection {
    /// Checked.
    pub(super) fn rules(&self) -> Result<NotifyRules, Problem> {
        let empty = (
            "notify.command",
            "is empty; give a command for `sh -c`, or a program and its arguments".to_owned(),
        );
        let command = match &self.command {
            None => None,
            Some(CommandLine::Shell(text)) if text.trim().is_empty() => return Err(empty),
            Some(CommandLine::Shell(text)) => Some(Hook::Shell(text.clone())),
            Some(CommandLine::Program(parts)) => match parts.split_first() {
                Some((program, arguments)) if !program.is_empty() => {
                    Some(Hook::Program(program.clone(), arguments.to_vec()))
                }
                _ => return Err(empty),
            },
        };
        let url =
            self.url.as_deref().map(|text| hook_url(text).map_err(|why| ("notify.url", why))).transpose()?;
        if self.stuck_seconds == 0 {
            return Err(("notify.stuck_seconds", "expected at least 1".to_owned()));
        }
        Ok(NotifyRules { command, url, stuck: Duration::from_secs(self.stuck_seconds) })
    }
}

/// A URL to post to: nothing of it may get lost on the way.
fn hook_url(text: &str) -> Result<CanonicalUrl, String> {
    let has_login =
        url::Url::parse(text).is_ok_and(|url| !url.username().is_empty() || url.password().is_some());
    if has_login {
        return Err(format!(
            "`{text}`: a user name or password in a URL is not sent; use `notify.command` for that"
        ));
    }
    let rules = UrlRules { drop_params: Vec::new(), ..UrlRules::default() };
    CanonicalUrl::parse(text, &rules)
        .map_err(|problem| format!("`{text}`: {problem}; expected http://... or https://..."))
}

/// `[crawl]`: seeds, scope and budgets.
#[cfg_attr(test, derive(serde::Serialize))]
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct CrawlSection {
    /// Start URLs, at least one; not needed for a `world`.
    pub(crate) seeds: Vec<String>,
    /// Which URLs to crawl, relative to the seeds: `host` (same host and port), `domain` (same registrable domain), `prefix`
    /// (same folder), `any`.
    pub(crate) scope: ScopeKind,
    /// Regular expressions that refine the scope: a URL must match one of them, if there are any.
    pub(crate) allow: Vec<String>,
    /// Regular expressions that refine the scope: a URL must match none of them.
    pub(crate) deny: Vec<String>,
    /// Regular expressions: a URL that matches one of them is never taken for a trap. `osprey status` names the URL
    /// patterns that were closed.
    pub(crate) keep: Vec<String>,
    /// Maximum number of fetched URLs over all runs; redirects and error pages count, revisits do not.
    pub(crate) budget_pages: Option<u64>,
    /// Maximum number of URLs, pictures among them, that one run of `osprey crawl --revisit` fetches again: those whose copies
    /// are expected to be the most out of date, by their age and by how often they changed so far. They do not count towards
    /// `budget_pages`. By default as many as `budget_pages`.
    pub(crate) revisit_pages: Option<u64>,
    /// Maximum number of body bytes over all runs.
    pub(crate) budget_bytes: Option<u64>,
    /// Maximum crawling time over all runs.
    pub(crate) budget_seconds: Option<u64>,
    /// A live crawl that cannot fetch anything for longer than this ends and reports what it was waiting for. Nothing is
    /// lost; the next run resumes.
    pub(crate) max_idle_seconds: u64,
    /// End the crawl when it has brought too little for a while: when, over the last 200 visits, or the last 5 % of all visits if
    /// those are more, the share of relevant pages is below this with 99 % confidence. A small share needs more visits to be
    /// sure of: 0.02 some 270, 0.01 some 540. Requires a judge. Lower it or remove it to go on.
    pub(crate) stop_below: Option<f64>,
    /// Maximum number of hops from a seed; redirects do not count.
    pub(crate) max_depth: Option<u32>,
    /// Maximum number of fetched URLs per host.
    pub(crate) host_budget_pages: Option<u64>,
    /// Seed of the random number generator.
    pub(crate) random_seed: u64,
    /// Query parameters to remove, in addition to common session and tracking names (`utm_*`, `jsessionid`, `phpsessid`,
    /// `gclid`, ...); a final `*` matches any ending. `sid` is not removed by default; add it for phpBB sites.
    pub(crate) drop_params: Vec<String>,
    /// Maximum number of visits to one URL pattern (digits folded, query values removed).
    pub(crate) pattern_budget: Option<u64>,
    /// Visits between two snapshots of the policy's state; a resumed crawl replays the visits since the last one.
    pub(crate) snapshot_every: u64,
}

impl Default for CrawlSection {
    fn default() -> Self {
        Self {
            seeds: Vec::new(),
            scope: ScopeKind::default(),
            allow: Vec::new(),
            deny: Vec::new(),
            keep: Vec::new(),
            budget_pages: None,
            revisit_pages: None,
            budget_bytes: None,
            budget_seconds: None,
            max_idle_seconds: 3600,
            stop_below: None,
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
    /// Which pictures to fetch: those in `records` of detail pages (the field `images` of `[extract]`), those of all `pages`
    /// (for a page without a record the images it shows, larger ones first, none below 100 pixels), or `none`.
    pub(crate) pictures: PicturesOf,
    /// Maximum number of pictures per page.
    pub(crate) pictures_per_page: usize,
    /// Maximum number of pictures of the whole crawl; they do not count towards `crawl.budget_pages`.
    pub(crate) budget_pictures: u64,
    /// Maximum number of picture bytes; `crawl.budget_bytes` and `crawl.budget_seconds` count pages and pictures together.
    pub(crate) budget_bytes: Option<u64>,
    /// Fetch only pictures of pages that the judge, if there is one, finds relevant.
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
    /// `replay` of a mirror folder: the URL that it was downloaded from; not needed if its top folders are host names.
    pub(crate) base: Option<String>,
    /// `replay`: how to answer `/x` if only `/x/` was recorded, or the reverse: `serve` that page, `redirect` to it, or
    /// `exact` (404). `auto` redirects in mirror folders, whose links are relative, and serves from other recordings.
    pub(crate) slash: SlashName,
    /// `world`: photo, video, forum, qa, movies, ratings, sports, campus, portal, shop or archive ([worlds](worlds.md)).
    pub(crate) name: Option<String>,
    /// `world`: seed of its random number generator; 1 if omitted.
    pub(crate) random_seed: Option<u64>,
    /// `world`: approximate number of content pages; 20,000 if omitted.
    pub(crate) size: Option<u64>,
}

/// How to treat trailing slashes.
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

/// `[fetch]`: politeness and limits.
#[cfg_attr(test, derive(serde::Serialize))]
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct FetchSection {
    /// The User-Agent header; its first token selects the robots.txt group. A live crawl requires a contact in it: a mail
    /// address or a URL.
    pub(crate) user_agent: String,
    /// Maximum number of requests in flight.
    pub(crate) concurrency: usize,
    /// Maximum number of requests in flight per host.
    pub(crate) host_concurrency: u32,
    /// Delay between two requests to a host: from the end of one to the start of the next, or between their starts if
    /// `host_concurrency` is above 1. A longer `Crawl-delay` in robots.txt overrides it.
    pub(crate) host_delay_ms: u64,
    /// Obey robots.txt, meta robots and `X-Robots-Tag`.
    pub(crate) obey_robots: bool,
    /// Skip links marked `rel=nofollow`.
    pub(crate) obey_nofollow: bool,
    /// Allow loopback, intranet, link-local and other addresses outside the public Web. Osprey checks the address that it
    /// connects to, after DNS and redirects; if a proxy resolves names, it can check only addresses written in URLs.
    pub(crate) allow_private: bool,
    /// Maximum size of a body after decompression; longer bodies are truncated.
    pub(crate) max_body_bytes: usize,
    /// Maximum number of redirects in a row.
    pub(crate) max_redirects: u32,
    /// Maximum number of requests for one URL; five more if the host answers 429 or 503.
    pub(crate) max_attempts: u32,
    /// Delay before the second attempt; doubles with each further attempt. Also the unit of host back-off.
    pub(crate) backoff_ms: u64,
    /// Maximum number of requests in flight to all hosts on one IP address; `host_concurrency` if omitted.
    pub(crate) ip_concurrency: Option<u32>,
    /// Delay between two requests to hosts on one IP address; `host_delay_ms` if omitted.
    pub(crate) ip_delay_ms: Option<u64>,
    /// Keep the delays together with the crawls of other projects of this user on this machine: when hosts and addresses
    /// were last asked is kept in a small file in `$OSPREY_STATE_DIR`, `$XDG_STATE_HOME/osprey` or `~/.local/state/osprey`.
    /// A request that takes longer than ten seconds is not waited for: another project may ask the host beside it.
    pub(crate) share_clocks: bool,
    /// Timeout for DNS, connection and TLS together.
    pub(crate) connect_timeout_ms: u64,
    /// Timeout from the request to the response header.
    pub(crate) first_byte_timeout_ms: u64,
    /// Timeout between two pieces of a body.
    pub(crate) idle_timeout_ms: u64,
    /// Timeout for a whole request.
    pub(crate) timeout_ms: u64,
    /// Timeout for a whole request for robots.txt; the other timeouts hold for it too if they are shorter. A third of it is
    /// its `slow_grace_ms`, if that is shorter.
    pub(crate) robots_timeout_ms: u64,
    /// Minimum average rate of a response, counted from its first byte, once `slow_grace_ms` is over. A slower request fails
    /// as `slow` and is tried again later. 0 switches this off.
    pub(crate) min_bytes_per_second: u32,
    /// Time after the first byte in which a response may be slower than `min_bytes_per_second`.
    pub(crate) slow_grace_ms: u64,
    /// Media types to accept, like `["text/html", "image/*"]`; vague declarations are checked against the first bytes. Empty
    /// accepts all.
    pub(crate) accept: Vec<String>,
    /// Keep cookies, in `data/cookies.json` of the project.
    pub(crate) cookies: bool,
    /// Use HTTP/2 if the server offers it.
    pub(crate) http2: bool,
    /// Fetch the sitemaps listed in robots.txt and follow their links.
    pub(crate) sitemaps: bool,
    /// Proxy: `http://[user:password@]host:port` or `socks5://...`.
    pub(crate) proxy: Option<String>,
    /// Addresses of hosts that override DNS: `{ "intranet.test" = "10.0.0.7" }`.
    pub(crate) hosts: BTreeMap<String, Addresses>,
    /// Additional CA certificates to trust (PEM file); relative to the project.
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
            share_clocks: true,
            connect_timeout_ms: 10_000,
            first_byte_timeout_ms: 30_000,
            idle_timeout_ms: 20_000,
            timeout_ms: 120_000,
            robots_timeout_ms: 15_000,
            min_bytes_per_second: 100,
            slow_grace_ms: 15_000,
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
    /// Attributes to include in path strings, in this order.
    pub(crate) display_properties: Vec<String>,
    /// Maximum length of URLs to follow.
    pub(crate) max_url_length: usize,
}

impl Default for PageSection {
    fn default() -> Self {
        let rules = PageRules::default();
        Self { display_properties: rules.display_properties, max_url_length: rules.url.max_length }
    }
}

/// `[topic]`: what you want.
#[cfg_attr(test, derive(serde::Serialize))]
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct TopicSection {
    /// What you want in your own words, each a word or a phrase: `["red car", "sailing"]`.
    pub(crate) words: Vec<String>,
    /// Which pages can be wanted, for the judge `want`: `items` (pages of one thing each: photos, threads, articles), `people`,
    /// `lists` or `all`.
    pub(crate) pages: PageKinds,
    /// Tags or phrases of the topic; `osprey topic DIR expand` finds related ones.
    pub(crate) tags: Vec<String>,
    /// Terms of the wanted kind of page; `osprey terms` proposes some.
    pub(crate) genre_terms: Vec<String>,
    /// Terms of its content; `osprey terms` proposes some.
    pub(crate) content_terms: Vec<String>,
    /// Terms of its URL.
    pub(crate) url_terms: Vec<String>,
    /// URLs of relevant pages; fetched once, into `data/given/`.
    pub(crate) examples: Vec<String>,
    /// URLs of irrelevant pages.
    pub(crate) counter_examples: Vec<String>,
    /// Your own taxonomy file, TOML or JSON, relative to the project; the built-in taxonomy if omitted.
    pub(crate) taxonomy: Option<PathBuf>,
    /// A topic of the taxonomy, by name, label (`篮球`) or path (`Sports/Basketball`); or a list of topics: a page about any
    /// of them is relevant.
    pub(crate) node: Option<Topics>,
    /// Weigh genre and content terms by how rare they are on the project's own pages (idf): those that `osprey learn`
    /// sampled, or else those crawled so far. They are counted when a crawl begins, once, into `data/term-rarity.json`.
    pub(crate) idf: bool,
}

/// One topic, or several, as written.
#[cfg_attr(test, derive(serde::Serialize))]
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Topics {
    One(String),
    Several(Vec<String>),
}

impl TopicSection {
    /// The subject; reads the taxonomy file.
    pub(super) fn subject(&self, config: &Path) -> Result<Subject, Problem> {
        let read = |path: &PathBuf| {
            let path = config.parent().unwrap_or(Path::new(".")).join(path);
            std::fs::read_to_string(&path)
                .map_err(|cause| ("topic.taxonomy", format!("{}: {cause}", path.display())))
        };
        let taxonomy = self.taxonomy.as_ref().map(read).transpose()?;
        let Self {
            words,
            pages,
            tags,
            genre_terms,
            content_terms,
            url_terms,
            examples,
            counter_examples,
            node,
            idf,
            ..
        } = self.clone();
        let nodes = match node {
            None => Vec::new(),
            Some(Topics::One(node)) => vec![node],
            Some(Topics::Several(nodes)) => nodes,
        };
        Ok(Subject {
            words,
            pages,
            tags,
            genre_terms,
            content_terms,
            url_terms,
            examples,
            counter_examples,
            taxonomy,
            nodes,
            idf,
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
    /// How `osprey learn` chooses the pages that it samples: `apath` (one link of each kind that a page has, rare kinds
    /// first), `apath-in-order` (the same in the order of drawing, as in Xu et al. 2018), `breadth-first`.
    pub(crate) sampling: Sampling,
    /// How the type of a page is found: `clusters` (its nearest neighbours among the sampled pages) or `path-strings` (the
    /// path strings that distinguish the types, those of `examples` first, as in Zhang & Nasraoui 2009).
    pub(crate) classify: ClassifyBy,
    /// Number of pages that `osprey learn` samples.
    pub(crate) sample_pages: u64,
    /// Maximum number of requests for each page that `osprey learn` or `osprey topic expand` is to sample: failures, redirects
    /// and robots.txt count. When they are used up, the pages that came so far are used.
    pub(crate) requests_per_page: u64,
    /// Pages whose type you know: `{ detail = ["https://..."], profile = [...] }`. `osprey learn` samples them and gives
    /// your label to the page types they belong to.
    pub(crate) examples: BTreeMap<PageType, Vec<String>>,
}

impl Default for StructureSection {
    fn default() -> Self {
        let (clustering, sampling, examples) = (ClusteringName::Osprey, Sampling::Apath, BTreeMap::new());
        let classify = ClassifyBy::Clusters;
        Self { clustering, sampling, classify, sample_pages: 1000, requests_per_page: 3, examples }
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
            Self::Dbscan2018 => Recipe::Dbscan2018,
        }
    }
}

/// `[archive]`: the WARC files.
#[cfg_attr(test, derive(serde::Serialize))]
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ArchiveSection {
    /// Start a new WARC file after this many bytes.
    pub(crate) rotate_bytes: u64,
    /// gzip level, 1 to 9; 2 takes over half as much time again as 1 and saves a fifth of the disk space.
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
    /// Maximum number of known URLs; this limits memory. Further links are skipped and counted as `full`.
    pub(crate) max_links: u32,
}

impl Default for FrontierSection {
    fn default() -> Self {
        Self { max_links: osprey_frontier::Options::default().max_links }
    }
}
