//! The frontier itself: joins the store on disk and the schedule in memory.
//!
//! One rule keeps the two consistent: read what is needed, write the store, and only then change memory, with code
//! that cannot fail. The frontier has one owner and no lock; concurrency is the caller's.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::time::Duration;

use osprey_model::{CanonicalUrl, GroupFactor, GroupId, LinkId, LinkScore, Timestamp};

use crate::api::{Lease, LinkInfo, LinkState, Options, Pick, Stats, Table};
use crate::block::{Hot, StoredLink, decode_hot, decode_link};
use crate::error::FrontierError;
use crate::lanes::{Lanes, Offer};
use crate::rank::priority;
use crate::schedule::{LinkPlace, Schedule};
use crate::seen::SeenUrls;
use crate::slot::Slot;
use crate::status::{Stage, Status};
use crate::store::{Batch, Space, Store};

/// All known URLs of a crawl, their states, and which one is next.
pub struct Frontier {
    pub(crate) store: Store,
    pub(crate) schedule: Schedule,
    pub(crate) seen: SeenUrls,
    pub(crate) leases: HashMap<LinkId, Taken>,
    pub(crate) max_links: u32,
    /// Hosts whose rows changed; they are stored with the next write.
    pub(crate) unsaved_hosts: BTreeSet<u32>,
    pub(crate) sync_every: Duration,
    /// When the oldest write was made that has not been synced.
    pub(crate) unsynced_since: Option<Timestamp>,
    /// Whether waits stored by an earlier process were compared with the current time.
    pub(crate) waits_checked: bool,
    /// Links that were leased when an earlier process ended. The next write stores them as waiting, together with
    /// what that means for their hosts: otherwise each opening would find them leased, and a crawl delay of days
    /// would begin again.
    pub(crate) orphans: Vec<LinkId>,
}

/// The full state of a link while a commit changes it.
#[derive(Clone, Debug)]
pub(crate) struct Taken {
    pub(crate) host: u32,
    pub(crate) status: Status,
}

impl Frontier {
    /// Opens the frontier in a folder, or creates one. Links that were leased when the last process ended wait again.
    /// Their hosts count as asked at the first call of [`Self::lease`], since it is unknown when that process made
    /// its requests.
    pub fn open(dir: &Path, options: &Options) -> Result<Self, FrontierError> {
        crate::recover::open(dir, options)
    }

    /// Fails if another process has the frontier in `dir` open. Does not look at what is stored.
    pub fn check_free(dir: &Path) -> Result<(), FrontierError> {
        crate::store::check_free(dir)
    }

    /// Hands out the best link among the hosts that may be asked now, if there is one. If `now` is earlier than a
    /// time given before, the later one counts; but if it is earlier by more than an hour, the earlier clock was
    /// wrong, and waits that were counted from it are shortened.
    pub fn lease(&mut self, now: Timestamp) -> Result<Pick, FrontierError> {
        self.lease_from(now, |_| Lanes::ALL)
    }

    /// Like [`Self::lease`], but hands out links of some lanes only, which `open` chooses given what is ready.
    pub fn lease_from(
        &mut self,
        now: Timestamp,
        open: impl FnOnce(Offer) -> Lanes,
    ) -> Result<Pick, FrontierError> {
        let is_first = !self.waits_checked;
        self.tell(now);
        if is_first && !self.unsaved_hosts.is_empty() {
            self.save()?;
        }
        let open = open(self.offer());
        let Some(best) = self.schedule.best(open) else { return Ok(self.nothing_ready()) };
        let LinkPlace { host, group, own } = best.place;
        let stored = self.stored(best.id)?;
        let before = self.status(best.id)?;
        let url = canonical(&stored.url, best.id)?;
        let attempt = before.as_ref().map_or(0, |status| status.attempts).saturating_add(1);
        let found = before.and_then(|status| status.found);
        let status = Status { stage: Stage::Leased, group, own, attempts: attempt, found };

        // A leased link says all about its host's clock: see `orphans`.
        let mut batch = self.store.batch();
        batch.put(Space::Status, &best.id.0.to_be_bytes(), status.encode())?;
        self.put_orphans(&mut batch, |id| id == best.id)?;
        self.put_unsaved_hosts(&mut batch)?;
        let batch = batch.seal();
        self.store.commit(batch)?;

        self.note_saved();
        self.schedule.hosts.begin(host, best.id);
        self.schedule.leave(best.id, Slot::Leased);
        self.schedule.refresh(host);
        self.note_unsynced();
        let (block, payload) = match &status.found {
            Some(found) => (found.block.clone(), found.payload.clone()),
            None => (stored.block, stored.payload),
        };
        self.leases.insert(best.id, Taken { host, status });
        Ok(Pick::Leased(Lease {
            id: best.id,
            url,
            priority: best.priority.get(),
            own,
            group,
            factor: best.factor,
            attempt,
            block,
            payload,
        }))
    }

    /// Hands out one given link, whether it is its turn or not, whatever its host's clocks say, and even if it is
    /// finished. This is for links that are known to be fetched already, when a crawl is rebuilt. `None` if the link
    /// is leased.
    ///
    /// Nothing is stored before the link is settled; if the process ends first, the link keeps its state. The attempt
    /// that fetched it counts, this one does not.
    pub fn claim(&mut self, id: LinkId, now: Timestamp) -> Result<Option<Lease>, FrontierError> {
        self.tell(now);
        let slot = self.schedule.slot(id).ok_or(FrontierError::UnknownLink { id })?;
        if slot == Slot::Leased {
            return Ok(None);
        }
        let (stored, before, hot) = (self.stored(id)?, self.status(id)?, self.hot(id)?);
        let url = canonical(&stored.url, id)?;
        let (group, own) = match (self.schedule.place(id), &before) {
            (Some((place, _)), _) => (place.group, place.own),
            (None, Some(status)) => (status.group, status.own),
            (None, None) => (hot.group, hot.own),
        };
        let factor = self.factor(group)?;
        let attempt = before.as_ref().map_or(0, |status| status.attempts).max(1);
        let found = before.and_then(|status| status.found);
        let (block, payload) = match &found {
            Some(found) => (found.block.clone(), found.payload.clone()),
            None => (stored.block, stored.payload),
        };
        let priority = match factor {
            GroupFactor::Times(times) => priority(times, own).get(),
            GroupFactor::Parked => 0.0,
        };
        self.schedule.hosts.begin(hot.host, id);
        self.schedule.leave(id, Slot::Leased);
        self.schedule.refresh(hot.host);
        let status = Status { stage: Stage::Leased, group, own, attempts: attempt, found };
        self.leases.insert(id, Taken { host: hot.host, status });
        Ok(Some(Lease { id, url, priority, own, group, factor, attempt, block, payload }))
    }

    /// Updates the clock. The first call after opening also compares stored times with it.
    pub(crate) fn tell(&mut self, now: Timestamp) {
        let is_first = !std::mem::replace(&mut self.waits_checked, true);
        if is_first || self.schedule.hosts.is_far_ahead(now) {
            self.unsaved_hosts.extend(self.schedule.believe(now));
        }
        self.schedule.advance(now);
    }

    fn nothing_ready(&self) -> Pick {
        if let Some(until) = self.schedule.next_ready() {
            return Pick::Wait { until };
        }
        let (parked, leased) = (self.schedule.parked_within_budget(), self.schedule.counts().leased);
        // Turns without a link keep hosts busy too, and ready hosts may be in lanes that are closed.
        match (parked, leased, self.schedule.hosts.standing().busy, self.schedule.hosts.ready_len()) {
            (0, 0, 0, 0) => Pick::Empty,
            _ => Pick::Blocked { parked, leased },
        }
    }

    /// Whether a URL is known, in any state.
    pub fn contains(&self, url: &CanonicalUrl) -> bool {
        self.seen.find(url.fingerprint()).is_some()
    }

    /// The id of a known URL. This reads memory only, so another URL with the same fingerprint counts as this one, as
    /// everywhere except in [`Self::lookup`].
    pub fn id(&self, url: &CanonicalUrl) -> Option<LinkId> {
        self.seen.find(url.fingerprint())
    }

    /// The group and own score of a waiting link; `None` if it does not wait. Reads memory only.
    pub fn place(&self, id: LinkId) -> Option<(GroupId, LinkScore)> {
        self.schedule.place(id).map(|(place, _)| (place.group, place.own))
    }

    /// Everything about a URL, if it is known.
    pub fn lookup(&self, url: &CanonicalUrl) -> Result<Option<LinkInfo>, FrontierError> {
        let Some(id) = self.seen.find(url.fingerprint()) else { return Ok(None) };
        // Another URL may have the same fingerprint.
        Ok(Some(self.link(id)?).filter(|link| link.url == *url))
    }

    /// Everything about a link.
    pub fn link(&self, id: LinkId) -> Result<LinkInfo, FrontierError> {
        let slot = self.schedule.slot(id).ok_or(FrontierError::UnknownLink { id })?;
        let stored = self.stored(id)?;
        let status = self.status(id)?;
        let waiting = self.schedule.place(id);
        let (group, own) = match (&waiting, &status) {
            (Some((place, _)), _) => (place.group, place.own),
            (None, Some(status)) => (status.group, status.own),
            (None, None) => self.hot(id).map(|hot| (hot.group, hot.own))?,
        };
        let factor = self.factor(group)?;
        let attempts = status.as_ref().map_or(0, |status| status.attempts);
        let (block, payload) = match status.and_then(|status| status.found) {
            Some(found) => (found.block, found.payload),
            None => (stored.block, stored.payload),
        };
        Ok(LinkInfo {
            id,
            url: canonical(&stored.url, id)?,
            state: state(slot),
            group,
            own,
            factor,
            priority: match factor {
                GroupFactor::Times(times) => Some(priority(times, own).get()),
                GroupFactor::Parked => None,
            },
            attempts,
            retry_at: waiting.and_then(|(_, retry_at)| retry_at),
            block,
            payload,
        })
    }

    /// The current factor of a group.
    pub fn factor(&self, group: GroupId) -> Result<GroupFactor, FrontierError> {
        if let Some(factor) = self.schedule.factor(group) {
            return Ok(factor);
        }
        let key = group.0.to_be_bytes();
        match self.store.get(Space::Factors, &key)? {
            Some(value) => decode_factor(&value).ok_or_else(|| Space::Factors.corrupt(&key, "not a factor")),
            None => Ok(GroupFactor::ONE),
        }
    }

    /// All groups whose factor is not one.
    pub fn factors(&self) -> impl Iterator<Item = Result<(GroupId, GroupFactor), FrontierError>> + use<> {
        self.store.scan(Space::Factors, &[]).map(|row| {
            let (key, value) = row?;
            let group = key.as_ref().try_into().map(u64::from_be_bytes).ok();
            let found = group.map(GroupId).zip(decode_factor(&value));
            found.ok_or_else(|| Space::Factors.corrupt(&key, "not a factor"))
        })
    }

    /// Parked groups that have waiting links, in ascending order.
    pub fn parked_groups(&self) -> Vec<GroupId> {
        let mut groups: Vec<GroupId> = self.schedule.parked().collect();
        groups.sort_unstable();
        groups
    }

    /// Reads a row of the caller.
    pub fn row(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, FrontierError> {
        Ok(self.store.get(Space::Rows(table), key)?.map(|value| value.to_vec()))
    }

    /// Reads the rows of a table from a key on, in key order.
    pub fn rows(
        &self,
        table: Table,
        from: &[u8],
    ) -> impl Iterator<Item = Result<(Vec<u8>, Vec<u8>), FrontierError>> + use<> {
        self.store
            .scan(Space::Rows(table), from)
            .map(|row| row.map(|(key, value)| (key.to_vec(), value.to_vec())))
    }

    /// URLs that were ever added.
    pub fn known(&self) -> u64 {
        u64::from(self.seen.len())
    }

    /// Totals of the frontier.
    pub fn stats(&self) -> Stats {
        let counts = self.schedule.counts();
        let hosts = &self.schedule.hosts;
        Stats {
            known: u64::from(self.seen.len()),
            waiting: counts.waiting,
            parked: counts.parked,
            retrying: self.schedule.retrying() as u64,
            over_budget: self.over_budget(),
            leased: counts.leased,
            done: counts.done,
            failed: counts.failed,
            dropped: counts.dropped,
            hosts: hosts.len() as u64,
            ready_hosts: hosts.ready_len() as u64,
            groups: self.schedule.groups() as u64,
            next_ready: self.schedule.next_ready(),
        }
    }

    /// Forces everything that was committed to the disk.
    pub fn sync(&mut self) -> Result<(), FrontierError> {
        if !self.unsaved_hosts.is_empty() {
            self.save()?;
        }
        self.store.sync()?;
        self.unsynced_since = None;
        Ok(())
    }

    /// Writes what was waiting for the next write.
    fn save(&mut self) -> Result<(), FrontierError> {
        let mut batch = self.store.batch();
        self.put_orphans(&mut batch, |_| false)?;
        self.put_unsaved_hosts(&mut batch)?;
        let batch = batch.seal();
        self.store.commit(batch)?;
        self.note_saved();
        self.note_unsynced();
        Ok(())
    }

    fn put_unsaved_hosts(&self, batch: &mut Batch<'_>) -> Result<(), FrontierError> {
        for &index in &self.unsaved_hosts {
            if let Some(host) = self.schedule.hosts.get(index) {
                batch.put(Space::Hosts, &index.to_be_bytes(), host.encode(&host.row))?;
            }
        }
        Ok(())
    }

    /// Stores that the links of an ended process wait, except for those that the batch already contains.
    pub(crate) fn put_orphans(
        &self,
        batch: &mut Batch<'_>,
        is_put: impl Fn(LinkId) -> bool,
    ) -> Result<(), FrontierError> {
        for &id in self.orphans.iter().filter(|id| !is_put(**id)) {
            if let Some(status) = self.status(id)? {
                let status = Status { stage: Stage::Waiting, ..status };
                batch.put(Space::Status, &id.0.to_be_bytes(), status.encode())?;
            }
        }
        Ok(())
    }

    /// Notes that everything that was waiting for a write is stored.
    pub(crate) fn note_saved(&mut self) {
        self.unsaved_hosts.clear();
        self.orphans = Vec::new();
    }

    /// Whether something that was committed has been waiting for [`Self::sync`] for [`Options::sync_every`] or
    /// longer, at the latest time the frontier was given.
    pub fn is_sync_due(&self) -> bool {
        let clock = self.schedule.hosts.clock();
        // A clock that was set back must not delay the sync.
        self.unsynced_since.is_some_and(|since| since > clock || clock.since(since) >= self.sync_every)
    }

    pub(crate) fn note_unsynced(&mut self) {
        self.unsynced_since.get_or_insert(self.schedule.hosts.clock());
    }

    /// Forces everything to the disk and releases the folder. Without this call, nothing that was committed is lost
    /// either, unless the power fails.
    pub fn close(mut self) -> Result<(), FrontierError> {
        self.sync()
    }

    fn stored(&self, id: LinkId) -> Result<StoredLink, FrontierError> {
        let (key, value, index) = self.block_value(Space::Links, id)?;
        decode_link(&value, index).ok_or_else(|| Space::Links.corrupt(&key, "not a block of links"))
    }

    pub(crate) fn hot(&self, id: LinkId) -> Result<Hot, FrontierError> {
        let (key, value, index) = self.block_value(Space::Hot, id)?;
        let hot = decode_hot(&value).and_then(|links| links.get(index).copied());
        hot.ok_or_else(|| Space::Hot.corrupt(&key, "not a block of links"))
    }

    /// The block that holds a link, and the link's index in it.
    fn block_value(
        &self,
        space: Space,
        id: LinkId,
    ) -> Result<(fjall::Slice, fjall::Slice, usize), FrontierError> {
        let key = id.0.to_be_bytes();
        let missing = || space.corrupt(&key, "no block holds this link");
        let (first, value) = self.store.at_or_before(space, &key)?.ok_or_else(missing)?;
        let first_id = first.as_ref().try_into().map(u32::from_be_bytes).map_err(|_| missing())?;
        let index = id.0.checked_sub(first_id).ok_or_else(missing)?;
        Ok((first, value, index as usize))
    }

    pub(crate) fn status(&self, id: LinkId) -> Result<Option<Status>, FrontierError> {
        let key = id.0.to_be_bytes();
        let Some(value) = self.store.get(Space::Status, &key)? else { return Ok(None) };
        Status::decode(&value).map(Some).ok_or_else(|| Space::Status.corrupt(&key, "not a status"))
    }
}

/// Reads a stored URL.
fn canonical(text: &str, id: LinkId) -> Result<CanonicalUrl, FrontierError> {
    CanonicalUrl::from_stored(text)
        .map_err(|_| Space::Links.corrupt(&id.0.to_be_bytes(), "not a canonical URL"))
}

pub(crate) fn encode_factor(factor: GroupFactor) -> Vec<u8> {
    match factor {
        GroupFactor::Times(times) => times.get().to_be_bytes().to_vec(),
        GroupFactor::Parked => b"parked".to_vec(),
    }
}

pub(crate) fn decode_factor(value: &[u8]) -> Option<GroupFactor> {
    if value == b"parked" {
        return Some(GroupFactor::Parked);
    }
    value.try_into().ok().map(|bytes| GroupFactor::Times(LinkScore::new(f32::from_be_bytes(bytes))))
}

fn state(slot: Slot) -> LinkState {
    match slot {
        Slot::Waiting { .. } | Slot::Delayed { .. } => LinkState::Waiting,
        Slot::Leased => LinkState::Leased,
        Slot::Done => LinkState::Done,
        Slot::Failed(reason) => LinkState::Failed(reason),
        Slot::Dropped(reason) => LinkState::Dropped(reason),
        Slot::Refused(reason) => LinkState::Refused(reason),
    }
}
