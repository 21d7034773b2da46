//! Starting and resuming: the same code. What memory needs is rebuilt from what was committed; the policy gets
//! its last snapshot, and the crawl replays every visit since from the archive. Then it adopts what the archive has and no
//! commit has.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use osprey_archive::{Cursor, LogReader, Repair};
use osprey_frontier::{Frontier, FrontierError, LinkInfo, LinkState};
use osprey_model::{CanonicalUrl, Clock, GroupFactor, LinkId, counted};

use crate::admission::Admission;
use crate::duplicates::{NearDuplicates, Simhash};
use crate::flight::Flight;
use crate::harvest::Harvest;
use crate::ledger::Ledger;
use crate::links::Placed;
use crate::pace::{Politeness, kept};
use crate::rejudge::Rejudging;
use crate::robots::RobotsBook;
use crate::rows::{stored_policy, stored_tally};
use crate::start::StartTroubles;
use crate::traps::Traps;
use crate::verdicts::Verdicts;
use crate::{Crawl, CrawlError, Settings, Skip, Steering, VisitRow};

impl Crawl {
    /// Opens the crawl in `data`, new or old. `clock` is the wall clock or a stepped one.
    pub fn open(
        data: &Path,
        settings: Settings,
        steering: Steering,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, CrawlError> {
        let (now, each) = (clock.now(), &mut |_, _| true);
        Self::open_rejudging(data, settings, steering, clock, Rejudging { always: false, now, each })
    }

    /// The same for those who want to know when everything is judged again.
    pub fn open_rejudging(
        data: &Path,
        settings: Settings,
        steering: Steering,
        clock: Arc<dyn Clock>,
        mut how: Rejudging<'_>,
    ) -> Result<Self, CrawlError> {
        let dir = data.join("frontier");
        if !dir.exists() && has_archive(data)? {
            return Err(CrawlError::NoFrontier { data: data.to_owned() });
        }
        let mut crawl = Self::open_stores(data, &dir, settings, steering, clock)?;
        crawl.remember_visits()?;
        let is_rejudged = crawl.begin_rejudging(&how)?;
        if !is_rejudged {
            crawl.resume_policy()?;
        }
        crawl.ledger.add_seeds(&crawl.settings.seeds)?;
        crawl.reopen_kept()?;
        crawl.adopt_rest()?;
        if is_rejudged {
            crawl.rejudge(data, &mut how)?;
        }
        crawl.verdicts = Verdicts::default();
        crawl.ledger.open_records(data, &crawl.reader, &crawl.tally)?;
        crawl.retry_start()?;
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
        let model = steering.model_key();
        let ledger = Ledger::open(data, dir, &settings, model, Arc::clone(&clock))?;
        let tally = stored_tally(ledger.frontier())?;
        let mut notices: Vec<String> = ledger.repaired().map(repair_notice).into_iter().collect();
        // they are written again, or the visits are never adopted
        let verdicts = Verdicts::read(data).unwrap_or_else(|error| {
            notices.push(error.to_string());
            Verdicts::default()
        });
        let politeness = Politeness { delay: settings.frontier.host_delay, backoff: settings.backoff };
        Ok(Self {
            admission: Admission::new(RobotsBook::new(politeness.silence())),
            flight: Flight::new(Duration::from_millis(tally.active_ms), tally.visited),
            traps: Traps::new(settings.traps.clone()),
            reader: Arc::new(steering.reader(&settings.page_rules)),
            settings: Arc::new(settings),
            steering,
            ledger,
            clock,
            shared_clocks: None,
            harvest: Harvest::default(),
            near: NearDuplicates::default(),
            notices,
            troubles: StartTroubles::default(),
            pages_before: if tally.has_page() { 0 } else { tally.visited },
            tally,
            verdicts,
            rejudged: None,
        })
    }

    /// Duplicates and traps are functions of the visits: rebuild them.
    fn remember_visits(&mut self) -> Result<(), CrawlError> {
        for row in crate::inspect::visits(self.ledger.frontier(), 1) {
            let row = row?;
            self.harvest.count(&row);
            if let Ok(url) = CanonicalUrl::from_stored(&row.url) {
                remember(&mut self.traps, &mut self.near, &url, &row);
            }
        }
        Ok(())
    }

    /// Links that were dropped as traps wait again if `crawl.keep` says so now.
    fn reopen_kept(&mut self) -> Result<(), CrawlError> {
        let Some(keep) = &self.settings.traps.keep else { return Ok(()) };
        let frontier = self.ledger.frontier();
        let known = u32::try_from(frontier.known()).unwrap_or(u32::MAX);
        let is_kept = |info: &LinkInfo| {
            info.state == LinkState::Dropped(Skip::Trap.code()) && keep.check(&info.url).is_ok()
        };
        let kept = (0..known).map(LinkId).filter(|id| frontier.link(*id).is_ok_and(|info| is_kept(&info)));
        let kept: Vec<LinkId> = kept.collect();
        if kept.is_empty() { Ok(()) } else { self.ledger.try_again(kept, Vec::new()) }
    }

    /// Gives the policy back what it knew.
    fn resume_policy(&mut self) -> Result<(), CrawlError> {
        let (frontier, archive) = (self.ledger.frontier(), self.ledger.archive_reader());
        let (stored, visited) = (stored_policy(frontier)?, self.tally.visit_rows());
        let resumed = self.steering.resume(stored, visited, frontier, archive, &self.settings.page_rules)?;
        if resumed.lost > 0 {
            self.notices.push(format!(
                "{} could not be read back from the archive; the policy does not know them",
                counted(resumed.lost, "visit")
            ));
        }
        let Some(told) = resumed.takes_over else { return Ok(()) };
        self.notices.push(format!(
            "policy, parameters, topic or site have changed since the last run: `{}` has processed all {visited} \
             visits so far; waiting links keep their scores until they are found again",
            self.steering.policy().name(),
        ));
        // what the last policy parked is released, and what the new one says of groups is done now
        let parked =
            self.ledger.frontier().parked_groups().into_iter().map(|group| (group, GroupFactor::ONE));
        let placed = Placed::of_factors(parked.chain(told).collect());
        self.ledger.carry_out(&placed, &self.steering.snapshot(&self.tally))
    }
}

/// Whether there is an archive in `data` that is worth something.
pub(crate) fn has_archive(data: &Path) -> Result<bool, CrawlError> {
    let mut log = LogReader::without_catalog(&data.join("archive"), Cursor::default());
    Ok(log.next_item()?.is_some() || log.pending().is_some())
}

/// What later visits are compared with; the same whether a visit is new or read back.
pub(crate) fn remember(traps: &mut Traps, near: &mut NearDuplicates, url: &CanonicalUrl, row: &VisitRow) {
    traps.learn(url, row);
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
            "{path}: {} committed bytes are missing (a power cut?); writing continues in a new file",
            repair.missing
        );
    }
    match repair.cut {
        0 => {
            let damage = counted(repair.problems.len() as u64, "damaged place");
            format!("{path}: {damage}; the records behind are kept")
        }
        cut => format!("{path}: {cut} bytes of an unfinished record were removed"),
    }
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
