//! Opening: rebuilds memory from the store in one pass over the small rows; URL texts are not read.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use osprey_model::{CanonicalUrl, GroupFactor, GroupId, LinkId};

use crate::api::Options;
use crate::asked::Limit;
use crate::block::{Hot, decode_hot};
use crate::error::FrontierError;
use crate::frontier::{Frontier, decode_factor};
use crate::host_row::HostRow;
use crate::hosts::Limits;
use crate::schedule::{LinkPlace, Schedule};
use crate::seen::SeenUrls;
use crate::slot::resting_slot;
use crate::status::{Stage, Status};
use crate::store::{Space, Store};

pub(crate) fn open(dir: &Path, options: &Options) -> Result<Frontier, FrontierError> {
    let limits = Limits {
        host: Limit { delay: options.host_delay, concurrency: options.host_concurrency },
        address: Limit { delay: options.ip_delay, concurrency: options.ip_concurrency },
        budget: options.host_budget,
    };
    let mut frontier = Frontier {
        store: Store::open(dir, options.cache_bytes)?,
        schedule: Schedule::new(limits),
        seen: SeenUrls::new(),
        leases: HashMap::new(),
        // The largest id is reserved: ranks use it for "no link".
        max_links: options.max_links.min(u32::MAX - 1),
        unsaved_hosts: BTreeSet::new(),
        sync_every: options.sync_every,
        unsynced_since: None,
        waits_checked: false,
        orphans: Vec::new(),
    };
    load_hosts(&mut frontier)?;
    load_links(&mut frontier)?;
    load_factors(&mut frontier)?;
    frontier.schedule.relist_all();
    Ok(frontier)
}

fn load_hosts(frontier: &mut Frontier) -> Result<(), FrontierError> {
    for entry in frontier.store.scan(Space::Hosts, &[]) {
        let (key, value) = entry?;
        let corrupt = |what| Space::Hosts.corrupt(&key, what);
        if read_id(&key) != u32::try_from(frontier.schedule.hosts.len()).ok() {
            return Err(corrupt("hosts before this one are missing"));
        }
        let (name, row) = HostRow::decode(&value).ok_or_else(|| corrupt("not a host"))?;
        // The only public way to make a host key is from a URL.
        let url = CanonicalUrl::from_stored(&format!("http://{name}/"))
            .map_err(|_| corrupt("not the name of a host"))?;
        frontier.schedule.hosts.add(url.host_key(), row);
    }
    Ok(())
}

/// Fingerprints per message to the thread that fills the seen table.
const PRINTS: usize = 8192;

/// Fills the table of seen URLs and the schedule, each on its own thread: they share nothing, and each takes about
/// half of the opening time.
fn load_links(frontier: &mut Frontier) -> Result<(), FrontierError> {
    let Frontier { store, schedule, seen, orphans, unsaved_hosts, .. } = frontier;
    if let Some((last, _)) = store.at_or_before(Space::Hot, &[u8::MAX; 4])? {
        seen.reserve(read_id(&last).unwrap_or_default() as usize);
    }
    let (sender, receiver) = std::sync::mpsc::sync_channel::<Vec<u64>>(8);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for print in receiver.into_iter().flatten() {
                seen.insert(print);
            }
        });
        let mut prints = Vec::with_capacity(PRINTS);
        // The receiver lives until the sender is dropped, so sending does not fail.
        let send = |prints: &mut Vec<u64>| {
            sender.send(std::mem::replace(prints, Vec::with_capacity(PRINTS))).unwrap_or_default();
        };
        let loaded = read_links(store, schedule, |print| {
            prints.push(print);
            if prints.len() == PRINTS {
                send(&mut prints);
            }
        });
        send(&mut prints);
        drop(sender);
        for (id, host) in loaded? {
            schedule.hosts.set_unclear(host);
            unsaved_hosts.insert(host);
            orphans.push(id);
        }
        Ok(())
    })
}

/// Reads blocks and statuses side by side; both are in the order of links. Returns the links that were leased, and
/// their hosts.
fn read_links(
    store: &Store,
    schedule: &mut Schedule,
    mut see: impl FnMut(u64),
) -> Result<Vec<(LinkId, u32)>, FrontierError> {
    let mut orphans = Vec::new();
    let mut statuses = store.scan(Space::Status, &[]);
    let mut next_status = read_status(statuses.next())?;
    let mut next_id = 0;
    for entry in store.scan(Space::Hot, &[]) {
        let (key, value) = entry?;
        let corrupt = |what| Space::Hot.corrupt(&key, what);
        if read_id(&key) != Some(next_id) {
            return Err(corrupt("links before this block are missing"));
        }
        for hot in decode_hot(&value).ok_or_else(|| corrupt("not a block of links"))? {
            if schedule.hosts.get(hot.host).is_none() {
                return Err(corrupt("a link of an unknown host"));
            }
            see(hot.print);
            let id = LinkId(next_id);
            next_id += 1;
            let status = match next_status.take_if(|(of, _)| *of == id) {
                Some((_, status)) => {
                    next_status = read_status(statuses.next())?;
                    Some(status)
                }
                None => None,
            };
            if status.as_ref().is_some_and(|status| status.stage == Stage::Leased) {
                orphans.push((id, hot.host));
            }
            load_link(schedule, id, &hot, status);
        }
    }
    match next_status {
        Some((id, _)) => Err(Space::Status.corrupt(&id.0.to_be_bytes(), "status of an unknown link")),
        None => Ok(orphans),
    }
}

fn load_link(schedule: &mut Schedule, id: LinkId, hot: &Hot, status: Option<Status>) {
    let (stage, group, own) = match status {
        Some(status) => (status.stage, status.group, status.own),
        None => (hot.refused.map_or(Stage::Waiting, Stage::Refused), hot.group, hot.own),
    };
    let place = LinkPlace { host: hot.host, group, own };
    match stage {
        // Its process ended; the attempt still counts.
        Stage::Waiting | Stage::Leased => schedule.load(id, place, GroupFactor::ONE, None),
        Stage::Delayed(at) => schedule.load(id, place, GroupFactor::ONE, Some(at)),
        stage => {
            if let Some(slot) = resting_slot(stage) {
                schedule.leave(id, slot);
            }
        }
    }
}

/// Loads the factors of groups that have waiting links. Most factors are of groups whose links are all fetched; those
/// stay on disk.
fn load_factors(frontier: &mut Frontier) -> Result<(), FrontierError> {
    for entry in frontier.store.scan(Space::Factors, &[]) {
        let (key, value) = entry?;
        let corrupt = |what| Space::Factors.corrupt(&key, what);
        let group = key.as_ref().try_into().map(u64::from_be_bytes).map_err(|_| corrupt("not a group"))?;
        let factor = decode_factor(&value).ok_or_else(|| corrupt("not a factor"))?;
        frontier.schedule.load_factor(GroupId(group), factor);
    }
    Ok(())
}

type Entry = Result<(fjall::Slice, fjall::Slice), FrontierError>;

fn read_status(entry: Option<Entry>) -> Result<Option<(LinkId, Status)>, FrontierError> {
    let Some(entry) = entry else { return Ok(None) };
    let (key, value) = entry?;
    let read = read_id(&key).map(LinkId).zip(Status::decode(&value));
    read.map(Some).ok_or_else(|| Space::Status.corrupt(&key, "not a status"))
}

fn read_id(key: &[u8]) -> Option<u32> {
    key.try_into().ok().map(u32::from_be_bytes)
}
