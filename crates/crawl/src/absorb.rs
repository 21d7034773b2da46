//! Processes the result of a fetch: archives it first, then makes one commit with everything that follows from it.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use osprey_archive::{Cursor, Position};
use osprey_frontier::{Lane, LinkState, Settle};
use osprey_model::robots::RobotsDirectives;
use osprey_model::{BodyEnd, CanonicalUrl, FetchFailure, GroupId, LinkScore, Response, Timestamp, counted};
use osprey_page::{Note, Page, Sitemap, SitemapKind};
use osprey_steer::{Failure, FreshLinks, SitemapVisit, Visit};

use crate::content::Content;
use crate::ledger::{Archived, Evidence, NewVisit};
use crate::links::{Gate, LinkSource, Placed};
use crate::open::remember;
use crate::pace::{HostSignal, LONGEST_REST, Politeness};
use crate::revisit::unchanged;
use crate::rows::decode;
use crate::work::Job;
use crate::{
    BlockNote, Crawl, CrawlError, LinkNote, Outcome, ParsedResponse, ReadPage, Skip, Task, Told, VisitRow,
};

/// Statuses that may pass: too many requests, and a server's bad moment.
const PASSING: [u16; 5] = [429, 500, 502, 503, 504];
/// Attempts more for a link whose host is merely busy, which is not the link's fault.
const BUSY_ATTEMPTS: u32 = 5;

impl Crawl {
    /// Takes in how a fetch ended. `None` if the link will be tried again, and for pictures, which are not visits.
    pub fn absorb(&mut self, task: Task, outcome: Outcome) -> Result<Option<VisitRow>, CrawlError> {
        self.flight.end(&task.job, task.lane);
        self.end_shared(&task.job.url().host_key());
        self.tally.requests += 1;
        self.tally.active_ms = u64::try_from(self.flight.active().as_millis()).unwrap_or(u64::MAX);
        let (is_late, before) = (is_late(&outcome), self.lane_now(&task));
        let visit = match outcome {
            Outcome::Failed(failure) => self.absorb_failure(&task.job, &failure),
            Outcome::Answered(understood) => self.absorb_answer(&task.job, *understood),
        }?;
        self.flight.learn(before, is_late, self.lane_now(&task), self.settings.concurrency as u64);
        Ok(visit)
    }

    fn lane_now(&self, task: &Task) -> Lane {
        self.ledger.frontier().lane(&task.job.url().host_key(), task.job.is_picture())
    }

    pub(crate) fn absorb_failure(
        &mut self,
        job: &Job,
        failure: &FetchFailure,
    ) -> Result<Option<VisitRow>, CrawlError> {
        if failure.kind.is_of_host() {
            self.note_signal(job.url(), HostSignal::Broken);
        }
        self.note_trouble(job.url().as_str(), &failure.message);
        if failure.kind.is_transient() && job.lease.attempt < self.settings.max_attempts {
            self.tally.error(failure.kind.name());
            self.postpone(job, Duration::ZERO)?;
            return Ok(None);
        }
        self.tally.error(failure.kind.name());
        if job.is_picture() {
            self.picture_failed(job, failure)?;
            return Ok(None);
        }
        let (mut row, _) = self.new_row(job, failure.at)?;
        row.notes.push(format!("{}: {}", failure.kind, failure.message));
        self.settle_failure(job, row, &Evidence::Silence(failure.kind.name()))
    }

    fn absorb_answer(&mut self, job: &Job, read: ParsedResponse) -> Result<Option<VisitRow>, CrawlError> {
        let response = &read.response;
        let sign = sign(response, self.clock.now());
        self.note_answer(job.url(), response.ip, sign);
        let (busy_for, more) = match sign {
            HostSignal::Busy(retry_after) => (retry_after.unwrap_or_default(), BUSY_ATTEMPTS),
            _ => (Duration::ZERO, 0),
        };
        let more = if self.settings.is_live { more } else { 0 };
        // what broke off may come whole the next time; if it never does, the last part of it is kept
        if response.body_end.is_transient() && job.lease.attempt < self.settings.max_attempts {
            self.tally.error("body-broken-off");
            self.postpone(job, Duration::ZERO)?;
            return Ok(None);
        }
        if PASSING.contains(&response.status) && job.lease.attempt < self.settings.max_attempts + more {
            self.tally.error(&format!("status-{}", response.status));
            self.note_trouble(job.url().as_str(), &format!("status {}", response.status));
            self.postpone(job, busy_for.min(LONGEST_REST))?;
            return Ok(None);
        }
        self.take_answer(job, &read, None)
    }

    /// Takes in an answer that will not be asked for again, or that the archive has already: where, and up to where its
    /// records go.
    pub(crate) fn take_answer(
        &mut self,
        job: &Job,
        read: &ParsedResponse,
        archived: Option<(Position, Cursor)>,
    ) -> Result<Option<VisitRow>, CrawlError> {
        if job.is_picture() {
            self.picture_answered(job, read, archived)?;
            return Ok(None);
        }
        let response = &read.response;
        let digest = read.digest.to_string();
        let (mut row, last) = self.new_row(job, response.fetched_at)?;
        row.status = response.status;
        row.bytes = response.body.len() as u64;
        if let Some(last) = last
            && let Some(original) = unchanged(&last, response.status, &digest)
        {
            let archived = archived.map(|(at, end)| Archived::bare(at, None, end));
            let evidence = Evidence::of(read, Some(&original), archived.as_ref());
            return self.settle_unchanged(job, row, &last, &evidence);
        }
        let original = self.ledger.original(read)?;
        row.media_type = response.media_type().map(|media| media.essence);
        row.digest = Some(digest);
        row.duplicate_of = original.as_ref().map(|original| original.url.to_string());
        row.notes.extend(response.note.clone());
        if response.truncated {
            row.is_cut = true;
            if response.note.is_none() {
                row.notes.push("body cut at the size limit".to_owned());
            }
        }
        if let Some(page) = &read.page {
            self.note_page(&mut row, page)?;
        }
        let first = Some(read).filter(|_| original.is_none());
        let archived = archived.map(|(at, end)| Archived::bare(at, first, end));
        let evidence = Evidence::of(read, original.as_ref(), archived.as_ref());
        if row.is_failure() {
            return self.settle_failure(job, row, &evidence);
        }
        self.settle_answer(job, row, read, &evidence)
    }

    /// A revisit that found nothing new: kept as such, and not reported to the policy.
    fn settle_unchanged(
        &mut self,
        job: &Job,
        mut row: VisitRow,
        last: &VisitRow,
        evidence: &Evidence<'_>,
    ) -> Result<Option<VisitRow>, CrawlError> {
        row.archived = last.archived;
        row.media_type.clone_from(&last.media_type);
        row.digest.clone_from(&last.digest);
        (row.relevance, row.relevant) = (last.relevance, last.relevant);
        row.title.clone_from(&last.title);
        row.is_unchanged = true;
        row.notes.push(format!("unchanged since visit {}", last.n));
        let (block, placed) = (BlockNote::default(), Placed::default());
        self.commit_visit(job, row, &block, &placed, Settle::Done, evidence).map(Some)
    }

    fn note_page(&mut self, row: &mut VisitRow, read: &ReadPage) -> Result<(), CrawlError> {
        let page = &read.page;
        row.is_page = true;
        row.title = Some(page.title().to_owned()).filter(|title| !title.is_empty());
        row.relevance = read.judgement.relevance;
        row.relevant = read.judgement.relevant && row.duplicate_of.is_none();
        row.simhash = read.simhash.map(|hash| hash.0);
        row.shows = read.content.as_ref().map(Content::encode);
        row.is_login = read.is_login;
        if let Some(reading) = &read.reading {
            row.page_type = Some(reading.page_type.to_string());
            row.cluster = reading.cluster;
        }
        row.notes.extend(page.notes().iter().map(ToString::to_string));
        row.is_cut |=
            page.notes().iter().any(|note| !matches!(note, Note::CharsetGuessed | Note::InvalidBytes));
        row.near_duplicate_of = read.simhash.and_then(|hash| self.near.find(hash));
        if let Some(n) = row.near_duplicate_of
            && row.is_revisit
            && crate::inspect::visit(self.ledger.frontier(), n)?.is_some_and(|other| other.link == row.link)
        {
            row.near_duplicate_of = None; // of course it resembles itself
        }
        // a near duplicate that itself names a visited page as the real one is a duplicate
        if row.near_duplicate_of.is_some()
            && row.duplicate_of.is_none()
            && let Some(canonical) = page.canonical().filter(|canonical| canonical.as_str() != row.url)
            && self.ledger.frontier().lookup(canonical)?.is_some_and(|info| info.state == LinkState::Done)
        {
            row.duplicate_of = Some(canonical.to_string());
        }
        Ok(())
    }

    pub(crate) fn settle_answer(
        &mut self,
        job: &Job,
        mut row: VisitRow,
        read: &ParsedResponse,
        evidence: &Evidence<'_>,
    ) -> Result<Option<VisitRow>, CrawlError> {
        let note = &job.block;
        let parent = Some(row.url.clone());
        let mut block = BlockNote { parent, depth: note.depth + 1, ..BlockNote::default() };
        let mut placed = Placed::default();
        if let Some(location) = read.response.location() {
            let (depth, hops, sitemaps) = (note.depth, note.hops + 1, note.sitemaps);
            block = BlockNote { depth, hops, sitemaps, ..block };
            let target = self.redirect_target(job, location, &mut row);
            placed = self.tell_repeat(&mut row)?;
            if let Some(target) = target {
                self.follow_redirect(job, target, &block, &mut row, &mut placed)?;
            }
        } else if let Some(page) = &read.page {
            placed = self.steer(page, &read.response, &mut row, note)?;
            if row.duplicate_of.is_none() {
                self.add_pictures(page, &row, &mut placed)?;
            }
        } else if let Some(sitemap) = &read.sitemap {
            placed = self.steer_by_sitemap(job, sitemap, &mut row, &mut block)?;
        } else if (200..300).contains(&read.response.status) {
            self.tally.skip(Skip::MediaType, 1);
        }
        self.tally.redirects += u64::from(read.response.location().is_some() && !row.is_revisit);
        self.commit_visit(job, row, &block, &placed, Settle::Done, evidence).map(Some)
    }

    /// Where a redirect leads, if that can be said.
    fn redirect_target(&mut self, job: &Job, location: &str, row: &mut VisitRow) -> Option<CanonicalUrl> {
        match job.url().join(location, &self.settings.page_rules.url) {
            Ok(target) => {
                row.final_url = target.to_string();
                Some(target)
            }
            Err(problem) => {
                row.notes.push(format!("redirect to `{location:.200}`: {problem}"));
                self.tally.skip(Skip::Invalid, 1);
                None
            }
        }
    }

    /// A redirect is a new link in the old one's place: it passes the same gate and waits in the same group.
    fn follow_redirect(
        &mut self,
        job: &Job,
        target: CanonicalUrl,
        block: &BlockNote,
        row: &mut VisitRow,
        placed: &mut Placed,
    ) -> Result<(), CrawlError> {
        let gate = self.gate();
        let verdict = if block.hops > self.settings.max_redirects {
            Err(Skip::Redirects)
        } else {
            gate.check(&target, block.depth)
        };
        match verdict {
            Ok(()) => {
                // what the link carried, its successor carries
                let LinkNote { parts, .. } = decode("link", &job.lease.payload)?;
                let note = LinkNote { parts, ..LinkNote::default() };
                // a revisit goes before all other pages; the page that it leads to now does not
                let (group, own) = match job.is_revisit {
                    true => (GroupId::ALL, LinkScore::ONE),
                    false => (job.lease.group, job.lease.own),
                };
                placed.push(target, group, own, &note);
            }
            Err(skip) => {
                row.notes.push(format!("redirect not followed: {}", skip.name()));
                self.tally.skip(skip, 1);
            }
        }
        Ok(())
    }

    /// Tells the policy that a visit found nothing new.
    fn tell_repeat(&mut self, row: &mut VisitRow) -> Result<Placed, CrawlError> {
        row.told = Told::Repeat;
        self.steering.repeat(row)?;
        self.place(LinkSource::Nothing, row.depth, false)
    }

    /// Tells the policy of a page and carries out what it wants.
    fn steer(
        &mut self,
        read: &ReadPage,
        response: &Response,
        row: &mut VisitRow,
        note: &BlockNote,
    ) -> Result<Placed, CrawlError> {
        let page = &read.page;
        let skipped = page.skipped_links();
        self.tally.skip(Skip::Invalid, u64::from(skipped.invalid));
        self.tally.skip(Skip::Scheme, u64::from(skipped.scheme));
        self.tally.skip(Skip::TooLong, u64::from(skipped.too_long));
        if row.duplicate_of.is_some() {
            self.tally.skip(Skip::Duplicate, page.links().len() as u64);
            return self.tell_repeat(row);
        }
        row.told = Told::Page;
        let (page_words, reading, judgement) = (&read.words, read.reading.as_ref(), read.judgement);
        let nofollow = self.settings.obey_robots && is_nofollow(page, response, &self.settings.agent);
        row.fresh = if nofollow { FreshLinks::default() } else { self.gate().fresh(page, note.depth + 1) };
        let VisitRow { link: id, group, ref why, ref fresh, .. } = *row;
        let visit = Visit { id, group, depth: note.depth, page, page_words, reading, judgement, why, fresh };
        self.steering.page(&visit);
        let reader = Arc::clone(&self.reader);
        let learned = reader.site.as_deref().zip(reading.map(|reading| reading.cluster));
        let is_copy = self.traps.is_copy(page.url(), row);
        self.place(LinkSource::Page { page, learned, is_copy }, note.depth + 1, nofollow)
    }

    /// Tells the policy of the links of a sitemap; those of an index are sitemaps again, and nothing to steer by.
    fn steer_by_sitemap(
        &mut self,
        job: &Job,
        sitemap: &Sitemap,
        row: &mut VisitRow,
        block: &mut BlockNote,
    ) -> Result<Placed, CrawlError> {
        let entries = sitemap.entries.len();
        let what = match sitemap.kind {
            SitemapKind::Urls | SitemapKind::Text => "sitemap",
            SitemapKind::Index => "index of sitemaps",
            SitemapKind::Feed => "feed",
        };
        row.notes.push(format!("{what} with {}", counted(entries as u64, "link")));
        row.notes.extend(sitemap.notes.iter().map(ToString::to_string));
        row.is_cut |= sitemap.is_cut;
        self.tally.skip(Skip::Invalid, u64::from(sitemap.skipped.invalid));
        if sitemap.kind == SitemapKind::Index {
            let level = job.block.sitemaps;
            if level > 1 {
                // the protocol has no index in an index, and a trap could be made of it
                row.notes.push("not followed: an index inside an index".to_owned());
                return Ok(Placed::default());
            }
            block.depth -= 1;
            block.sitemaps = 2;
            self.steering.all_of_index(entries);
        } else {
            row.told = Told::Sitemap;
            let map = SitemapVisit { id: row.link, depth: row.depth, entries: &sitemap.entries };
            self.steering.sitemap(&map);
        }
        self.place(LinkSource::Sitemap(sitemap), block.depth, false)
    }

    pub(crate) fn settle_failure(
        &mut self,
        job: &Job,
        mut row: VisitRow,
        evidence: &Evidence<'_>,
    ) -> Result<Option<VisitRow>, CrawlError> {
        row.told = Told::Failure;
        let (group, depth, cause) = (Some(row.group), row.depth, row.cause());
        self.steering.failure(&Failure { id: job.lease.id, url: job.url(), group, depth, cause });
        let placed = self.place(LinkSource::Nothing, row.depth, false)?;
        let settle = Settle::Failed { reason: 0 };
        self.commit_visit(job, row, &BlockNote::default(), &placed, settle, evidence).map(Some)
    }

    /// The one commit of a visit; what the archive has of it already counts.
    pub(crate) fn commit_visit(
        &mut self,
        job: &Job,
        mut row: VisitRow,
        block: &BlockNote,
        placed: &Placed,
        settle: Settle,
        evidence: &Evidence<'_>,
    ) -> Result<VisitRow, CrawlError> {
        if let Evidence::Archived(Archived { visit, at, .. }) = evidence {
            row = visit.cloned().unwrap_or(row);
            row.archived = row.archived.or(*at);
        }
        self.tally.count(&row);
        self.harvest.count(&row);
        let snapshot = self.steering.due_snapshot(&self.tally, self.settings.snapshot_every);
        let snapshot = snapshot.map(|state| (state, self.traps.closed_patterns()));
        let visit = NewVisit { job, row, block, placed, settle, evidence, snapshot };
        let row = self.ledger.visit(visit, &self.tally)?;
        remember(&mut self.traps, &mut self.near, job.url(), &row);
        Ok(row)
    }

    /// Carries out what the policy wants; the links of a page that asks not to follow them stay where they are.
    pub(crate) fn place(
        &mut self,
        mut found: LinkSource<'_>,
        depth: u32,
        nofollow: bool,
    ) -> Result<Placed, CrawlError> {
        if let LinkSource::Page { page, .. } = found
            && nofollow
        {
            self.tally.skip(Skip::Nofollow, page.links().len() as u64);
            found = LinkSource::Nothing;
        }
        let gate = Gate { settings: &self.settings, traps: &self.traps, frontier: self.ledger.frontier() };
        gate.place(found, depth, self.steering.wishes(), &mut self.tally)
    }

    /// What an answer says about its host.
    fn note_answer(&mut self, url: &CanonicalUrl, ip: Option<IpAddr>, sign: HostSignal) {
        self.note_signal(url, sign);
        self.note_address(url, ip);
    }

    /// Where an answer came from, in case the host has moved.
    pub(crate) fn note_address(&mut self, url: &CanonicalUrl, ip: Option<IpAddr>) {
        if self.settings.is_live && ip.is_some() {
            let host = url.host_key();
            if self.ledger.frontier().host(&host).is_some_and(|info| info.ip != ip) {
                self.ledger.frontier_mut().locate(&host, ip);
            }
        }
    }

    /// Adapts the pace of a host; it lands with the next commit.
    pub(crate) fn note_signal(&mut self, url: &CanonicalUrl, sign: HostSignal) {
        if !self.settings.is_live {
            return;
        }
        let host = url.host_key();
        let Some(info) = self.ledger.frontier().host(&host) else { return };
        let (pace, rest) = self.politeness().after(info.pace, sign);
        if pace != info.pace {
            self.ledger.frontier_mut().set_pace(&host, pace);
        }
        if !rest.is_zero() {
            self.ledger.frontier_mut().rest_host(&host, self.clock.now().after(rest));
        }
    }

    pub(crate) fn politeness(&self) -> Politeness {
        Politeness { delay: self.settings.frontier.host_delay, backoff: self.settings.backoff }
    }

    /// The row of a fetch that ended, and the last full answer for its link. What is fetched again has the score and the group
    /// that it had the first time.
    fn new_row(&self, job: &Job, fetched_at: Timestamp) -> Result<(VisitRow, Option<VisitRow>), CrawlError> {
        let last = self.last_visit(job.lease.id)?;
        let mut row = self.first_row(job, fetched_at)?;
        if let Some(last) = &last {
            row.is_revisit = true;
            row.why.clone_from(&last.why);
            (row.score, row.group) = (last.score, last.group);
        }
        Ok((row, last))
    }

    fn first_row(&self, job: &Job, fetched_at: Timestamp) -> Result<VisitRow, CrawlError> {
        let note: LinkNote = decode("link", &job.lease.payload)?;
        let mut why: BTreeMap<String, f32> = note.parts.into_iter().collect();
        why.insert("own".to_owned(), job.lease.own.get());
        if let osprey_model::GroupFactor::Times(factor) = job.lease.factor {
            why.insert("factor".to_owned(), factor.get());
        }
        Ok(VisitRow {
            n: self.tally.visit_rows() + 1,
            url: job.url().to_string(),
            final_url: job.url().to_string(),
            status: 0,
            fetched_at,
            bytes: 0,
            media_type: None,
            digest: None,
            page_type: None,
            cluster: None,
            relevance: None,
            relevant: false,
            score: job.lease.priority,
            policy: self.steering.policy().name().to_owned(),
            parent: job.block.parent.clone(),
            depth: job.block.depth,
            apath: Some(note.apath).filter(|apath| !apath.is_empty()),
            why,
            is_page: false,
            is_cut: false,
            title: None,
            link: job.lease.id,
            archived: None,
            simhash: None,
            duplicate_of: None,
            near_duplicate_of: None,
            shows: None,
            is_login: false,
            notes: Vec::new(),
            fresh: FreshLinks::unknown(),
            told: Told::Nothing,
            group: job.lease.group,
            is_revisit: false,
            is_unchanged: false,
        })
    }
}

/// Whether a request held its place for as long as it may.
fn is_late(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Failed(failure) => failure.kind.is_late(),
        Outcome::Answered(read) => read.response.body_end == BodyEnd::Late,
    }
}

fn sign(response: &Response, now: Timestamp) -> HostSignal {
    match response.status {
        429 | 503 => HostSignal::Busy(response.retry_after(now)),
        500.. => HostSignal::Broken,
        _ => HostSignal::Fine(response.took),
    }
}

/// Whether the page or its header lines ask not to follow its links.
pub(crate) fn is_nofollow(page: &Page, response: &Response, agent: &str) -> bool {
    let meta = page.robots_meta().is_some_and(|content| RobotsDirectives::parse_meta(content).nofollow);
    let mut lines = response.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("x-robots-tag"));
    meta || lines.any(|(_, value)| RobotsDirectives::parse_header(value, agent).nofollow)
}
