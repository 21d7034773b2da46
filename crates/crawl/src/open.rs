//! Starting and resuming: the same code. What memory needs is rebuilt from what was committed; the policy gets
//! its last snapshot and is told again of every visit since, read back from the archive. Then what the archive has
//! and no commit has is taken over.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use osprey_archive::{Archive, Cursor, LogReader, Position, Repair};
use osprey_frontier::{Commit, Frontier, FrontierError, NewLink, Table};
use osprey_model::{CanonicalUrl, Clock, Factor, GroupId};
use osprey_page::read_page;
use osprey_steer::{Cause, Failure, Judgement, Op, Placing, Policy, SitemapVisit, Visit};
use osprey_text::PageWords;
use serde::{Deserialize, Serialize};

use crate::absorb::{encode, row_error};
use crate::admission::Admission;
use crate::admit::DropRow;
use crate::duplicates::{NearDuplicates, Simhash};
use crate::flight::Flight;
use crate::format;
use crate::links::unscored;
use crate::pace::{Politeness, kept};
use crate::parse::read_sitemap;
use crate::records::RecordLog;
use crate::robots::RobotsBook;
use crate::traps::Traps;
use crate::{BlockNote, Crawl, CrawlError, Reader, Settings, Skip, Steering, Tally, Told, VisitRow};

/// Keys of single rows.
pub(crate) mod keys {
    use osprey_model::LinkId;

    pub(crate) const TALLY: &[u8] = b"tally";
    pub(crate) const SNAPSHOT: &[u8] = b"snapshot";
    /// How far in the archive everything is committed.
    pub(crate) const ARCHIVED: &[u8] = b"archived";
    /// The format of all rows but the frontier's own.
    pub(crate) const FORMAT: &[u8] = b"format";

    /// Where the drops of leased links begin.
    pub(crate) const DROPS: &[u8] = b"drop/";

    /// The n-th drop of a leased link.
    pub(crate) fn drop(n: u64) -> Vec<u8> {
        [DROPS, &n.to_be_bytes()].concat()
    }

    /// Where pictures begin.
    pub(crate) const PICTURES: &[u8] = b"picture/";

    /// The n-th picture.
    pub(crate) fn picture(n: u64) -> Vec<u8> {
        [PICTURES, &n.to_be_bytes()].concat()
    }

    /// Which picture a link is.
    pub(crate) fn picture_of(link: LinkId) -> Vec<u8> {
        [&b"picture-of/"[..], &link.0.to_be_bytes()].concat()
    }

    /// Which visit a link had.
    pub(crate) fn visit_of(link: LinkId) -> Vec<u8> {
        [&b"visit-of/"[..], &link.0.to_be_bytes()].concat()
    }
}

/// A policy's state as stored.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct PolicyState {
    pub(crate) identity: String,
    pub(crate) visits: u64,
    pub(crate) drops: u64,
    pub(crate) state: Vec<u8>,
}

impl Crawl {
    /// Opens the crawl in `data`, new or old. `clock` is the wall's or a stepped one.
    pub fn open(
        data: &Path,
        settings: Settings,
        steering: Steering,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, CrawlError> {
        let dir = data.join("frontier");
        if !dir.exists() && has_archive(data)? {
            return Err(CrawlError::NoFrontier { data: data.to_owned() });
        }
        let mut crawl = Self::open_stores(data, &dir, settings, steering, clock)?;
        crawl.remember_visits()?;
        crawl.restore_policy()?;
        crawl.add_seeds()?;
        crawl.adopt_rest()?;
        crawl.open_records(data)?;
        Ok(crawl)
    }

    /// A crawl whose frontier is in `dir`; nothing is brought up to date yet.
    pub(crate) fn open_stores(
        data: &Path,
        dir: &Path,
        mut settings: Settings,
        steering: Steering,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, CrawlError> {
        if settings.is_live {
            settings.frontier.host_delay = kept(settings.frontier.host_delay);
            settings.frontier.ip_delay = kept(settings.frontier.ip_delay);
        }
        let mut frontier = open_when_free(dir, &settings.frontier, PATIENCE)?;
        let is_old = format::check(&frontier)?;
        let tally = stored_tally(&frontier)?;
        let committed = match archived_until(&frontier)? {
            Some(end) => Some(end),
            None => last_archived(&frontier, &tally)?.map(Position::end),
        };
        let archive_dir = data.join("archive");
        let mut archive = Archive::open(&archive_dir, &settings.archive, committed)?;
        let mut archived = committed.unwrap_or_default();
        if is_old {
            archived = format::upgrade(&mut frontier, &mut archive, archived)?.0;
        }
        let notices = archive.repaired().map(repair_notice).into_iter().collect();
        let manners = Politeness { delay: settings.frontier.host_delay, backoff: settings.backoff };
        Ok(Self {
            admission: Admission::new(RobotsBook::new(manners.silence())),
            flight: Flight::new(Duration::from_millis(tally.active_ms), tally.visited),
            traps: Traps::new(settings.traps.clone()),
            reader: Arc::new(Reader {
                rules: settings.page_rules.clone(),
                judge: steering.judge,
                site: steering.site,
                reads_words: steering.policy.reads_words(),
            }),
            settings: Arc::new(settings),
            policy: steering.policy,
            identity: steering.identity,
            frontier,
            archive,
            archive_dir,
            records: None,
            clock,
            near: NearDuplicates::default(),
            placing: Placing::default(),
            notices,
            metadata: Default::default(),
            archived,
            last_snapshot: (0, 0),
            tally,
        })
    }

    /// Duplicates and traps are functions of the visits: rebuild them.
    fn remember_visits(&mut self) -> Result<(), CrawlError> {
        for row in crate::inspect::visits(&self.frontier, 1) {
            let row = row?;
            if let Ok(url) = CanonicalUrl::from_stored(&row.url) {
                remember(&mut self.traps, &mut self.near, &url, &row);
            }
        }
        Ok(())
    }

    fn open_records(&mut self, data: &Path) -> Result<(), CrawlError> {
        if let Some(site) = &self.reader.site {
            let visited = self.tally.visited;
            self.records = Some(RecordLog::open(data, &self.frontier, visited, site, &self.reader.rules)?);
        }
        Ok(())
    }

    fn restore_policy(&mut self) -> Result<(), CrawlError> {
        let (mut visits, mut drops, mut is_other) = (0, 0, false);
        match stored_policy(&self.frontier)? {
            Some(stored) if stored.identity == self.identity => {
                self.policy.restore(&stored.state)?;
                (visits, drops) = (stored.visits, stored.drops);
            }
            Some(_) if self.tally.visited > 0 => {
                is_other = true;
                self.notices.push(format!(
                    "policy, parameters, topic or site have changed since the last run: `{}` has been told of all {} \
                     visits so far; links that wait keep the scores they have until they are found again",
                    self.policy.name(),
                    self.tally.visited
                ));
            }
            _ => {}
        }
        let mut factors = BTreeMap::new();
        if self.policy.learns() {
            self.retell(visits, drops, &mut factors)?;
        }
        if is_other { self.hand_over(factors) } else { Ok(()) }
    }

    /// Another policy takes over: what the last one parked is released, and what the new one says of groups, which it will
    /// not say again, is done now.
    fn hand_over(&mut self, told: BTreeMap<GroupId, Factor>) -> Result<(), CrawlError> {
        let parked = self.frontier.parked_groups().into_iter().map(|group| (group, Factor::ONE));
        let factors: Vec<(GroupId, Factor)> = parked.chain(told).collect();
        let (rows, now) = (vec![self.snapshot_row()?], self.clock.now());
        self.frontier.commit(&Commit { factors, rows, now, ..Commit::default() })?;
        Ok(())
    }

    /// Tells the policy of what came after `visits` visits and `drops` drops, in the order it came; what it wants
    /// done was done then. `factors` gets what it says last of each group.
    fn retell(
        &mut self,
        visits: u64,
        drops: u64,
        factors: &mut BTreeMap<GroupId, Factor>,
    ) -> Result<(), CrawlError> {
        let rules = &self.settings.page_rules;
        let mut placing = Placing::default();
        let mut lost = 0;
        let mut drops = crate::inspect::drops(&self.frontier, drops).peekable();
        for row in crate::inspect::visits(&self.frontier, visits + 1) {
            let row = row?;
            let is_before = |dropped: &Result<DropRow, _>| dropped.as_ref().map_or(true, |d| d.after < row.n);
            while let Some(dropped) = drops.next_if(is_before) {
                tell_drop(&mut *self.policy, &dropped?, &mut placing)?;
            }
            keep_factors(&mut placing, factors);
            match (row.told, row.archived) {
                (Told::Page, Some(position)) => {
                    // lost in a power cut: the policy goes on without it
                    let Ok(response) = osprey_archive::read_at(&self.archive_dir, position) else {
                        lost += 1;
                        continue;
                    };
                    let page = read_page(&response, rules);
                    // the verdict of then, whatever the judge would say today
                    let judgement = Judgement { relevance: row.relevance, relevant: row.relevant };
                    let reading = self.reader.site.as_ref().map(|site| site.read(&page));
                    let (words, reading) = (PageWords::default(), reading.as_ref());
                    let VisitRow { link: id, group, depth, ref why, .. } = row;
                    let (page, page_words) = (&page, &words);
                    let visit = Visit { id, group, depth, page, page_words, reading, judgement, why };
                    self.policy.on_page(&visit, &mut placing);
                }
                (Told::Sitemap, Some(position)) => {
                    let Ok(response) = osprey_archive::read_at(&self.archive_dir, position) else {
                        lost += 1;
                        continue;
                    };
                    let sitemap = read_sitemap(&response, rules);
                    let map = SitemapVisit { id: row.link, depth: row.depth, entries: &sitemap.entries };
                    self.policy.on_sitemap(&map, &mut placing);
                }
                (Told::Failure, _) => {
                    let url =
                        CanonicalUrl::from_stored(&row.url).map_err(|cause| row_error("visit", &cause))?;
                    let (group, depth, cause) = (Some(row.group), row.depth, row.cause());
                    let failure = Failure { id: row.link, url: &url, group, depth, cause };
                    self.policy.on_failure(&failure, &mut placing);
                }
                (Told::Repeat, _) => row.tell_repeat(&mut *self.policy, &mut placing)?,
                _ => {}
            }
        }
        drops.try_for_each(|dropped| tell_drop(&mut *self.policy, &dropped?, &mut placing))?;
        keep_factors(&mut placing, factors);
        if lost > 0 {
            self.notices.push(format!(
                "{lost} visits could not be read back from the archive; the policy has not been told of them"
            ));
        }
        Ok(())
    }

    /// Seeds that are known already stay as they are.
    pub(crate) fn add_seeds(&mut self) -> Result<(), CrawlError> {
        let settings = Arc::clone(&self.settings);
        let add: Vec<NewLink<'_>> =
            settings.seeds.iter().filter(|url| !self.frontier.contains(url)).map(unscored).collect();
        if !add.is_empty() {
            let block = encode("block", &BlockNote::default())?;
            let now = self.clock.now();
            self.frontier.commit(&Commit { block: &block, add, now, ..Commit::default() })?;
        }
        Ok(())
    }
}

/// Whether there is an archive in `data` that is worth something.
pub(crate) fn has_archive(data: &Path) -> Result<bool, CrawlError> {
    let mut log = LogReader::without_catalog(&data.join("archive"), Cursor::default());
    Ok(log.next_item()?.is_some() || log.pending().is_some())
}

/// How far in the archive everything is committed; `None` for a crawl that has archived nothing, or is of an older
/// version.
pub(crate) fn archived_until(frontier: &Frontier) -> Result<Option<Cursor>, CrawlError> {
    let bytes = frontier.row(Table::Meta, keys::ARCHIVED)?;
    bytes.map(|bytes| postcard::from_bytes(&bytes).map_err(|cause| row_error("archived", &cause))).transpose()
}

/// The last record that a commit refers to. Visits that brought nothing new refer to older ones.
pub(crate) fn last_archived(frontier: &Frontier, tally: &Tally) -> Result<Option<Position>, CrawlError> {
    let mut last = None;
    for n in (1..=tally.visited).rev() {
        let row = crate::inspect::visit(frontier, n)?;
        last = row.filter(|row| !row.is_unchanged).and_then(|row| row.archived);
        if last.is_some() {
            break;
        }
    }
    for n in (1..=tally.pictures.fetched).rev() {
        if let Some(archived) = crate::pictures::picture(frontier, n)?.and_then(|row| row.archived) {
            return Ok(last.max(Some(archived)));
        }
    }
    Ok(last)
}

/// What later visits are compared with; the same whether a visit is new or read back.
pub(crate) fn remember(traps: &mut Traps, near: &mut NearDuplicates, url: &CanonicalUrl, row: &VisitRow) {
    traps.learn(url, row.is_fresh());
    if let Some(hash) = row.simhash
        && row.duplicate_of.is_none()
    {
        near.insert(Simhash(hash), row.n);
    }
}

fn repair_notice(repair: &Repair) -> String {
    let path = repair.path.display();
    if repair.missing > 0 {
        return format!(
            "{path}: {} bytes that were committed are not there (a power cut?); a new file is begun",
            repair.missing
        );
    }
    match repair.cut {
        0 => format!("{path}: {} damaged places; the records behind them are kept", repair.problems.len()),
        cut => format!("{path}: {cut} bytes of a record that was being written at the last end were cut"),
    }
}

/// Empties a list of wishes, but for factors.
fn keep_factors(placing: &mut Placing, factors: &mut BTreeMap<GroupId, Factor>) {
    factors.extend(placing.ops().filter_map(|(op, _)| match op {
        Op::Factor(group, factor) => Some((*group, *factor)),
        _ => None,
    }));
    placing.clear();
}

fn tell_drop(policy: &mut dyn Policy, row: &DropRow, placing: &mut Placing) -> Result<(), CrawlError> {
    let url = CanonicalUrl::from_stored(&row.url).map_err(|cause| row_error("drop", &cause))?;
    let cause = Cause::Skipped(Skip::from_code(row.reason).map_or("unknown", Skip::name));
    let failure = Failure { id: row.link, url: &url, group: None, depth: row.depth, cause };
    policy.on_failure(&failure, placing);
    Ok(())
}

/// How long a store that another process has open is waited for: `status` and `explain` hold it for a moment only.
pub(crate) const PATIENCE: Duration = Duration::from_secs(3);

/// Opens the frontier in `dir`, waiting a little for a process that only looks.
pub(crate) fn open_when_free(
    dir: &Path,
    options: &osprey_frontier::Options,
    patience: Duration,
) -> Result<Frontier, CrawlError> {
    let began = Instant::now();
    loop {
        match Frontier::open(dir, options) {
            Err(FrontierError::Locked { .. }) if began.elapsed() < patience => {
                std::thread::sleep(Duration::from_millis(20));
            }
            opened => return Ok(opened?),
        }
    }
}

/// The policy's last snapshot.
pub(crate) fn stored_policy(frontier: &Frontier) -> Result<Option<PolicyState>, CrawlError> {
    let bytes = frontier.row(Table::Policy, keys::SNAPSHOT)?;
    bytes.map(|bytes| postcard::from_bytes(&bytes).map_err(|cause| row_error("policy", &cause))).transpose()
}

/// The counts as last committed.
pub(crate) fn stored_tally(frontier: &Frontier) -> Result<Tally, CrawlError> {
    match frontier.row(Table::Meta, keys::TALLY)? {
        Some(bytes) => serde_json::from_slice(&bytes).map_err(|cause| row_error("tally", &cause)),
        None => Ok(Tally::default()),
    }
}
