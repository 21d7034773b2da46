//! From the file to checked settings.

use std::path::{Path, PathBuf};
use std::time::Duration;

use osprey_archive::{ReplayOptions, SlashRule, WriterOptions};
use osprey_crawl::{Budget, PictureRules, Settings, Steering, TrapRules};
use osprey_model::{CanonicalUrl, Scope, ScopeKind, UrlRules};
use osprey_page::PageRules;
use osprey_steer::profiles::ProfileRules;
use osprey_steer::{Judge, JudgeKind, Known, Plan, Policy, SteeringConfigError, Subject};
use osprey_structure::site::ExtractRules;
use osprey_world::{Kind, Options, World, WorldError};

use super::written::{SlashName, SourceName, SourceSection, StructureSection, VisionSection, policy_named};
use super::{Config, ConfigError};
use crate::notify::NotifyRules;
use crate::parts::{Parts, StructureOptions};
use crate::source::SourceKind;

/// A key, and what is wrong with its value.
pub(super) type Problem = (&'static str, String);

/// A configuration that can be used.
#[derive(Clone)]
pub(crate) struct Resolved {
    pub(crate) settings: Settings,
    pub(crate) source: SourceKind,
    /// Whether cookies are kept from run to run.
    pub(crate) keeps_cookies: bool,
    /// Whether the clocks of hosts are shared with other projects.
    pub(crate) shares_clocks: bool,
    /// How the site is learned.
    pub(crate) structure: StructureOptions,
    /// Who is told of the crawl.
    pub(crate) notify: NotifyRules,
    /// How records are read.
    pub(crate) extract: ExtractRules,
    /// Seed of the random number generator.
    pub(crate) random_seed: u64,
    /// The file, or the folder of a project that has none.
    path: PathBuf,
    plan: Plan,
    judge: JudgeKind,
    /// Notes for the user.
    pub(crate) notices: Vec<String>,
}

impl Resolved {
    /// What a program has put together, for the project in `dir`.
    pub(crate) fn of_parts(parts: Parts, dir: &Path) -> Self {
        let Parts { settings, source, plan, judge, structure, extract, random_seed } = parts;
        Self {
            settings,
            source,
            keeps_cookies: false,
            shares_clocks: false,
            structure,
            notify: NotifyRules::default(),
            extract,
            random_seed,
            path: dir.to_owned(),
            plan,
            judge,
            notices: Vec::new(),
        }
    }

    /// The judge and the policy, new.
    pub(crate) fn steering(&self, known: &Known) -> Result<Steering, ConfigError> {
        Steering::of(&self.plan, &self.judge, known).map_err(|SteeringConfigError { key, message }| {
            ConfigError::Value { path: self.path.display().to_string(), key, message }
        })
    }

    /// The same with the policy of that name. The parameters of the file belong to the policy of the file.
    pub(crate) fn with_policy(&self, name: &str) -> crate::Result<Self> {
        let mut other = self.clone();
        if other.plan.policy.name() != name {
            other.plan.policy = policy_named(name)?;
            check(&other.plan, &other.judge)?;
        }
        Ok(other)
    }

    /// What a crawl is told apart by: policy, subject and judge, with what is known of the site.
    pub(crate) fn identity(&self, known: &Known) -> String {
        format!("{} {:?}", self.plan.identity(known), self.judge)
    }

    /// The key of the part that needs a learned site, if any.
    pub(crate) fn needs_site(&self) -> Option<&'static str> {
        match (self.plan.policy.needs_site(), self.judge.needs_site()) {
            (true, _) => Some("policy.kind"),
            (_, true) => Some("judge.kind"),
            _ => None,
        }
    }

    /// Whether the policy or the judge uses example pages: what is wanted is told by them too.
    pub(crate) fn takes_examples(&self) -> bool {
        self.plan.policy.needs_examples()
            || self.judge.needs_examples()
            || self.judge.wants_background() && !self.plan.subject.examples.is_empty()
    }

    /// Whether its crawls get to know the site as they go.
    pub(crate) fn learns_as_it_goes(&self) -> bool {
        self.plan.policy.learns_site() && !self.judge.needs_site()
    }

    /// What counts as relevant.
    pub(crate) fn judge(&self) -> &JudgeKind {
        &self.judge
    }

    /// The subject of the project.
    pub(crate) fn subject(&self) -> &Subject {
        &self.plan.subject
    }

    /// How uploaders are ranked.
    pub(crate) fn profile_rules(&self) -> ProfileRules {
        self.plan.policy.profile_rules()
    }

    /// Whether what earlier crawls say of people is of use.
    pub(crate) fn knows_people(&self) -> bool {
        self.plan.policy.knows_people()
    }

    /// What the policy calls a group.
    pub(crate) fn group_noun(&self, known: &Known) -> &'static str {
        self.plan.policy(known).map_or("groups", |policy| policy.group_noun())
    }

    /// The name of the policy.
    pub(crate) fn policy_name(&self) -> String {
        self.plan.policy.name()
    }
}

/// The policy that gave the scores of a crawl, by its stored identity and state; `None` if another version wrote them.
pub(crate) fn stored_policy(identity: &str, state: &[u8], known: &Known) -> Option<Box<dyn Policy>> {
    let mut policy = Plan::of_identity(identity, known)?.policy(known).ok()?;
    policy.restore(state).ok()?;
    Some(policy)
}

/// Checks what can be checked before a site was learned or an example fetched.
fn check(plan: &Plan, judge: &JudgeKind) -> Result<(), SteeringConfigError> {
    let known = Known::default();
    if !(plan.policy.needs_site() || plan.policy.needs_examples()) {
        plan.policy(&known)?;
    }
    let waits_for_examples =
        judge.needs_examples() || judge.wants_background() && !plan.subject.examples.is_empty();
    if !waits_for_examples {
        Judge::new(judge, &plan.subject, &known)?;
    }
    Ok(())
}

/// How long a crawl that has got no page yet waits for a host: long enough for the second and third try of a page, not for
/// a host that is down.
const START_PATIENCE: Duration = Duration::from_secs(30);

impl Config {
    /// Checks everything that can be checked before a crawl.
    pub(crate) fn resolve(&self, path: &Path) -> Result<Resolved, ConfigError> {
        let wrong =
            |key, message: String| ConfigError::Value { path: path.display().to_string(), key, message };
        let url_rules = self.url_rules();
        let parse = |key: &'static str, text: &str| {
            CanonicalUrl::parse(text, &url_rules).map_err(|problem| {
                wrong(key, format!("`{text}`: {problem}; expected http://... or https://..."))
            })
        };
        if self.crawl.seeds.is_empty() && self.source.kind != SourceName::World {
            return Err(wrong("crawl.seeds", "is empty; give at least one start URL".to_owned()));
        }
        let base = self.source.base.as_deref().map(|base| parse("source.base", base)).transpose()?;
        let source = self.source(path, base).map_err(|(key, message)| wrong(key, message))?;
        let seeds = match &source {
            SourceKind::World(world) if self.crawl.seeds.is_empty() => world.seeds(),
            _ => self.crawl.seeds.clone(),
        };
        let seeds = seeds.iter().map(|seed| parse("crawl.seeds", seed)).collect::<Result<Vec<_>, _>>()?;
        let scope = Scope::new(self.crawl.scope, &seeds, &self.crawl.allow, &self.crawl.deny)
            .map_err(|error| wrong("crawl.allow / crawl.deny", error.to_string()))?;
        if let Some(out) = seeds.iter().find(|seed| scope.check(seed).is_err()) {
            return Err(wrong(
                "crawl.seeds",
                format!("`{out}` is outside the scope set by `allow` and `deny`"),
            ));
        }
        let keep = match self.crawl.keep.as_slice() {
            [] => None,
            keep => Some(
                Scope::new(ScopeKind::Any, &seeds, keep, &[])
                    .map_err(|error| wrong("crawl.keep", error.to_string()))?,
            ),
        };
        let is_live = matches!(source, SourceKind::Http(_));
        let subject = self.topic.subject(path).map_err(|(key, message)| wrong(key, message))?;
        let plan = Plan { policy: self.policy.clone(), subject };
        let judge = match (&self.judge, plan.subject.tags.is_empty()) {
            (Some(judge), _) => judge.clone(),
            (None, true) => JudgeKind::None {},
            (None, false) => JudgeKind::Tags { threshold: 0.0 },
        };
        self.check_stop(&judge).map_err(|(key, message)| wrong(key, message))?;
        check(&plan, &judge).map_err(|SteeringConfigError { key, message }| wrong(key, message))?;
        let given = self.structure.examples.iter();
        let given = given.flat_map(|(label, urls)| urls.iter().map(move |url| (*label, url)));
        let examples = given.map(|(label, url)| Ok((label, parse("structure.examples", url)?)));
        let examples = examples.collect::<Result<Vec<_>, ConfigError>>()?;
        if let Some((_, out)) = examples.iter().find(|(_, url)| scope.check(url).is_err()) {
            return Err(wrong("structure.examples", format!("`{out}` is outside the scope")));
        }
        let StructureSection { clustering, sampling, classify, sample_pages, requests_per_page, .. } =
            self.structure;
        let variant = clustering.recipe();
        let structure =
            StructureOptions { variant, sampling, classify, sample_pages, requests_per_page, examples };
        if sample_pages == 0 {
            return Err(wrong("structure.sample_pages", "expected at least 1".to_owned()));
        }
        if requests_per_page == 0 {
            return Err(wrong("structure.requests_per_page", "expected at least 1".to_owned()));
        }
        if !(1..=9).contains(&self.archive.level) {
            return Err(wrong("archive.level", "expected a gzip level from 1 to 9".to_owned()));
        }
        let notify = self.notify.rules().map_err(|(key, message)| wrong(key, message))?;
        let mut settings = self.settings(seeds, scope, url_rules, is_live);
        settings.traps.keep = keep;
        Ok(Resolved {
            settings,
            source,
            keeps_cookies: self.fetch.cookies,
            shares_clocks: self.fetch.share_clocks,
            structure,
            notify,
            extract: self.extract.clone(),
            random_seed: self.crawl.random_seed,
            path: path.to_owned(),
            plan,
            judge,
            notices: self.notices(is_live),
        })
    }

    fn check_stop(&self, judge: &JudgeKind) -> Result<(), Problem> {
        let key = "crawl.stop_below";
        match self.crawl.stop_below {
            Some(share) if !(share > 0.0 && share < 1.0) => {
                Err((key, format!("`{share}`: expected a share of pages above 0 and below 1, like 0.02")))
            }
            Some(_) if matches!(judge, JudgeKind::None {}) => {
                let message =
                    "needs a judge to say which pages are relevant: set `judge.kind`, or `topic.tags`";
                Err((key, message.to_owned()))
            }
            _ => Ok(()),
        }
    }

    fn source(&self, path: &Path, base: Option<CanonicalUrl>) -> Result<SourceKind, Problem> {
        match self.source.kind {
            SourceName::Http => Ok(SourceKind::Http(Box::new(self.fetch.options(path)?))),
            SourceName::World => self.world().map(SourceKind::World),
            SourceName::Replay => {
                let recording = self.source.path.as_ref();
                let recording = recording.ok_or((
                    "source.path",
                    "kind = \"replay\" requires it: a WARC or WACZ file, or a folder".to_owned(),
                ))?;
                let path = path.parent().unwrap_or(Path::new(".")).join(recording);
                let slash = match self.source.slash {
                    SlashName::Auto => SlashRule::Auto,
                    SlashName::Serve => SlashRule::Serve,
                    SlashName::Redirect => SlashRule::Redirect,
                    SlashName::Exact => SlashRule::Exact,
                };
                let (url_rules, max_body) = (self.url_rules(), self.fetch.max_body_bytes);
                let options = ReplayOptions { base, url_rules, max_body, slash, ..ReplayOptions::default() };
                Ok(SourceKind::Replay { path, options: Box::new(options) })
            }
        }
    }

    fn world(&self) -> Result<World, Problem> {
        let SourceSection { name, random_seed, size, .. } = &self.source;
        let missing = || format!("kind = \"world\" requires it: {}", Kind::names());
        let name = name.as_deref().ok_or_else(|| ("source.name", missing()))?;
        let kind: Kind = name.parse().map_err(|error: WorldError| ("source.name", error.to_string()))?;
        let mut options = Options::default();
        options.random_seed = random_seed.unwrap_or(options.random_seed);
        options.pages = size.unwrap_or(options.pages);
        World::new(kind, &options).map_err(|error| ("source.size", error.to_string()))
    }

    fn url_rules(&self) -> UrlRules {
        let mut rules = UrlRules::default();
        rules.drop_params.extend(self.crawl.drop_params.iter().cloned());
        rules.max_length = self.page.max_url_length;
        rules
    }

    fn settings(&self, seeds: Vec<CanonicalUrl>, scope: Scope, url: UrlRules, is_live: bool) -> Settings {
        let fetch = &self.fetch;
        let mut page_rules = PageRules { url, ..PageRules::default() };
        page_rules.limits.max_bytes = fetch.max_body_bytes;
        page_rules.display_properties.clone_from(&self.page.display_properties);
        let mut traps = TrapRules::default();
        traps.pattern_budget = self.crawl.pattern_budget.unwrap_or(traps.pattern_budget);
        let mut frontier = osprey_frontier::Options::default();
        // a recording needs no delays, and its order should depend on scores alone
        frontier.host_delay = Duration::from_millis(if is_live { fetch.host_delay_ms } else { 0 });
        frontier.host_concurrency = fetch.host_concurrency.max(1);
        frontier.ip_delay = Duration::from_millis(match (is_live, fetch.ip_delay_ms) {
            (true, delay) => delay.unwrap_or(fetch.host_delay_ms),
            (false, _) => 0,
        });
        frontier.ip_concurrency = fetch.ip_concurrency.unwrap_or(fetch.host_concurrency).max(1);
        frontier.host_budget = self.crawl.host_budget_pages;
        frontier.max_links = self.frontier.max_links;
        let mut archive = WriterOptions::default();
        archive.rotate_bytes = self.archive.rotate_bytes;
        archive.level = self.archive.level;
        archive.software = concat!("osprey/", env!("CARGO_PKG_VERSION")).to_owned();
        Settings {
            seeds,
            scope,
            budget: Budget {
                pages: self.crawl.budget_pages,
                requests: None,
                revisits: self.crawl.revisit_pages.or(self.crawl.budget_pages),
                bytes: self.crawl.budget_bytes,
                time: self.crawl.budget_seconds.map(Duration::from_secs),
                depth: self.crawl.max_depth,
            },
            stop_below: self.crawl.stop_below,
            look_at: None,
            pictures: self.vision.rules(),
            page_rules,
            agent: fetch.user_agent.clone(),
            obey_robots: fetch.obey_robots,
            obey_nofollow: fetch.obey_nofollow,
            max_redirects: fetch.max_redirects,
            // what a recording answered once it answers always
            max_attempts: if is_live { fetch.max_attempts.max(1) } else { 1 },
            backoff: Duration::from_millis(fetch.backoff_ms.max(1)),
            is_live,
            start_patience: START_PATIENCE,
            max_idle: Duration::from_secs(self.crawl.max_idle_seconds),
            sitemaps: fetch.sitemaps,
            traps,
            snapshot_every: self.crawl.snapshot_every,
            concurrency: fetch.concurrency,
            page_workers: std::thread::available_parallelism().map_or(1, usize::from),
            frontier,
            archive,
        }
    }

    fn notices(&self, is_live: bool) -> Vec<String> {
        let unread = [("index", &self.index)];
        let is_set = |table: &Option<toml::Table>| table.as_ref().is_some_and(|table| !table.is_empty());
        let is_placeholder = is_live && self.fetch.user_agent.contains("you@example.org");
        let placeholder = "[fetch] user_agent has no contact: put a mail address or URL there that site owners can write to";
        let placeholder = is_placeholder.then(|| placeholder.to_owned());
        let unread = unread
            .into_iter()
            .filter(|(_, table)| is_set(table))
            .map(|(name, _)| format!("this version ignores [{name}]"));
        placeholder.into_iter().chain(unread).chain(self.old_names.iter().cloned()).collect()
    }
}

impl VisionSection {
    fn rules(&self) -> PictureRules {
        PictureRules {
            of: self.pictures,
            relevant_only: self.relevant_only,
            per_page: self.pictures_per_page,
            budget: Some(self.budget_pictures),
            budget_bytes: self.budget_bytes,
        }
    }
}
