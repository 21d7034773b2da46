//! When hosts and addresses were last asked by any project of this user: one small file in the user's state folder.
//!
//! The file is a table of fixed size, so nothing in it grows and nothing has to be cleaned up. A host or an address has a
//! place by its hash, one of four neighbours; where all four are taken, the one that was asked longest ago makes room. A
//! place holds when the last request began or ended, and until when one is under way at the latest, for a process that dies
//! in the middle of one. What a request has to wait for is computed from that by who asks, with its own delays.
//!
//! Nothing here stops a crawl. A moment well in the future comes from damage or from another clock and counts for nothing
//! (a little in the future is who looked at the clock later, and had the lock first); if the file cannot be made, read, locked
//! or written, the crawl goes on with the clocks of its own project, and the log says so.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use osprey_crawl::{Owed, SharedClocks, SharedTurn};
use osprey_model::{HostKey, Timestamp};
use tracing::{debug, warn};
use xxhash_rust::xxh3::xxh3_64;

/// The file; another layout has another name.
const NAME: &str = "clocks-1";
/// Places in the table, and those among which one host has its own.
const PLACES: u64 = 1 << 15;
const NEIGHBOURS: usize = 4;
const PLACE_BYTES: usize = 24;
/// How long a request may be under way before others no longer wait for its end. Not as long as a request may take: after a
/// kill, everybody waits so long for a host that nobody asks.
const LONGEST_TURN: Duration = Duration::from_secs(10);
/// How much later than ours the clock of another process may have been read.
const LATER: Duration = Duration::from_secs(1);
/// When to ask again for a host that is being asked.
const BUSY_PAUSE: Duration = Duration::from_millis(50);
/// How often, and after which pause, the lock is tried again. Whoever has it needs microseconds.
const LOCK_TRIES: u32 = 100;
const LOCK_PAUSE: Duration = Duration::from_millis(1);
/// The environment variable that names the folder.
const STATE_DIR: &str = "OSPREY_STATE_DIR";

/// The clocks of this user, or none if they cannot be had.
pub(crate) fn open() -> Option<Box<dyn SharedClocks>> {
    let Some(dir) = state_dir() else {
        warn!(target: "osprey::crawl", "no home folder: the clocks of hosts are not shared with other projects");
        return None;
    };
    match ClockFile::open(&dir) {
        Ok(clocks) => Some(Box::new(clocks)),
        Err(error) => {
            warn!(
                target: "osprey::crawl", dir = %dir.display(), %error,
                "the clocks of hosts cannot be shared with other projects"
            );
            None
        }
    }
}

/// `$OSPREY_STATE_DIR`, or `osprey` in `$XDG_STATE_HOME`, or `~/.local/state/osprey`.
fn state_dir() -> Option<PathBuf> {
    let path = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    path(STATE_DIR)
        .or_else(|| Some(path("XDG_STATE_HOME")?.join("osprey")))
        .or_else(|| Some(path("HOME")?.join(".local/state/osprey")))
}

/// The open file; `None` after it has failed.
#[derive(Debug)]
struct ClockFile(Option<File>);

/// One place of the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Place {
    hash: u64,
    /// The last beginning or end of a request.
    asked_ms: i64,
    /// Until when one is under way, at the latest; 0 if none is.
    busy_ms: i64,
}

impl Place {
    fn decode(bytes: &[u8]) -> Self {
        let field = |at: usize| -> [u8; 8] {
            bytes.get(at..at + 8).and_then(|bytes| bytes.try_into().ok()).unwrap_or_default()
        };
        Self {
            hash: u64::from_le_bytes(field(0)),
            asked_ms: i64::from_le_bytes(field(8)),
            busy_ms: i64::from_le_bytes(field(16)),
        }
    }

    fn encode(self) -> [u8; PLACE_BYTES] {
        let mut bytes = [0; PLACE_BYTES];
        let fields = [self.hash.to_le_bytes(), self.asked_ms.to_le_bytes(), self.busy_ms.to_le_bytes()];
        for (to, from) in bytes.chunks_exact_mut(8).zip(fields) {
            to.copy_from_slice(&from);
        }
        bytes
    }

    /// When another request may begin, if not now.
    fn wait(self, owed: Owed, now: Timestamp) -> Option<Timestamp> {
        let (asked, busy) = (Timestamp::from_millis(self.asked_ms), Timestamp::from_millis(self.busy_ms));
        if owed.is_alone && busy > now && busy <= now.after(LONGEST_TURN + LATER) {
            return Some(now.after(owed.delay.max(BUSY_PAUSE)).min(busy));
        }
        Some(asked.after(owed.delay))
            .filter(|&next| self.asked_ms != 0 && asked <= now.after(LATER) && next > now)
    }
}

impl ClockFile {
    fn open(dir: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(dir)?;
        let file =
            File::options().read(true).write(true).create(true).truncate(false).open(dir.join(NAME))?;
        let length = (PLACES + NEIGHBOURS as u64) * PLACE_BYTES as u64;
        if file.metadata()?.len() != length {
            file.set_len(length)?;
        }
        Ok(Self(Some(file)))
    }

    /// Works on the locked file; `None` if that fails, and then always.
    fn locked<T>(&mut self, work: impl FnOnce(&mut File) -> io::Result<T>) -> Option<T> {
        let file = self.0.as_mut()?;
        let worked = lock(file).and_then(|is_locked| {
            if !is_locked {
                return Ok(None);
            }
            let worked = work(file).map(Some);
            file.unlock()?;
            worked
        });
        match worked {
            Ok(Some(worked)) => Some(worked),
            Ok(None) => {
                debug!(target: "osprey::crawl", "the shared clocks of hosts are locked for long: passed over once");
                None
            }
            Err(error) => {
                warn!(target: "osprey::crawl", %error, "the clocks of hosts are not shared any more");
                self.0 = None;
                None
            }
        }
    }
}

/// Whether the lock was had in time: a process that is stopped while it has it must not stop others.
fn lock(file: &File) -> io::Result<bool> {
    for _ in 0..LOCK_TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(false)
}

/// The place of a key and where it stands: its own, or the one that makes room for it.
fn find(file: &mut File, hash: u64) -> io::Result<(u64, Place)> {
    let first = hash % PLACES;
    let mut bytes = [0; NEIGHBOURS * PLACE_BYTES];
    file.seek(SeekFrom::Start(first * PLACE_BYTES as u64))?;
    file.read_exact(&mut bytes)?;
    let places = || bytes.chunks_exact(PLACE_BYTES).map(Place::decode).zip(first..);
    let own = places().find(|(place, _)| place.hash == hash);
    let oldest = || places().min_by_key(|(place, _)| place.asked_ms.max(place.busy_ms));
    Ok(match own {
        Some((place, at)) => (at, place),
        None => (oldest().map_or(first, |(_, at)| at), Place { hash, ..Place::default() }),
    })
}

fn put(file: &mut File, at: u64, place: Place) -> io::Result<()> {
    file.seek(SeekFrom::Start(at * PLACE_BYTES as u64))?;
    file.write_all(&place.encode())
}

/// What a request is counted for, and what that is owed. On this machine itself every port is a server of its own.
fn keys(turn: &SharedTurn) -> impl Iterator<Item = (u64, Owed)> {
    let port =
        |host: &HostKey| host.as_str().rsplit_once(':').map_or(String::new(), |(_, port)| format!(":{port}"));
    let address = turn.address.map(|ip: IpAddr| {
        let port = if ip.is_loopback() { port(&turn.host) } else { String::new() };
        (format!("address {ip}{port}"), turn.address_owed)
    });
    let host = Some((format!("host {}", turn.host.as_str()), turn.host_owed));
    let needed = |(_, owed): &(String, Owed)| !owed.delay.is_zero();
    // 0 is an empty place
    host.into_iter().chain(address).filter(needed).map(|(key, owed)| (xxh3_64(key.as_bytes()).max(1), owed))
}

impl SharedClocks for ClockFile {
    fn begin(&mut self, turn: &SharedTurn, now: Timestamp) -> Result<(), Timestamp> {
        let begun = self.locked(|file| {
            let mut wait: Option<Timestamp> = None;
            for (hash, owed) in keys(turn) {
                wait = wait.max(find(file, hash)?.1.wait(owed, now));
            }
            if wait.is_none() {
                for (hash, owed) in keys(turn) {
                    let at = find(file, hash)?.0;
                    let busy_ms = if owed.is_alone { now.after(LONGEST_TURN).as_millis() } else { 0 };
                    put(file, at, Place { hash, asked_ms: now.as_millis(), busy_ms })?;
                }
            }
            Ok(wait)
        });
        begun.flatten().map_or(Ok(()), Err)
    }

    fn end(&mut self, turn: &SharedTurn, now: Timestamp) {
        if keys(turn).all(|(_, owed)| !owed.is_alone) {
            return;
        }
        // Where several are asked at a time, the last beginning counts.
        self.locked(|file| {
            for (hash, _) in keys(turn).filter(|(_, owed)| owed.is_alone) {
                let at = find(file, hash)?.0;
                put(file, at, Place { hash, asked_ms: now.as_millis(), busy_ms: 0 })?;
            }
            Ok(())
        });
    }
}

#[cfg(test)]
mod tests {
    use osprey_model::{CanonicalUrl, UrlRules};

    use super::*;

    fn turn(url: &str, address: Option<&str>, is_alone: bool) -> SharedTurn {
        let host = CanonicalUrl::parse(url, &UrlRules::default()).unwrap().host_key();
        let owed = Owed { delay: Duration::from_millis(1000), is_alone };
        let address = address.map(|ip| ip.parse().unwrap());
        SharedTurn { host, address, host_owed: owed, address_owed: owed }
    }

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(1_700_000_000_000 + ms)
    }

    #[test]
    fn two_crawls_keep_one_clock() {
        let dir = tempfile::tempdir().unwrap();
        let (mut one, mut other) =
            (ClockFile::open(dir.path()).unwrap(), ClockFile::open(dir.path()).unwrap());
        let a = turn("http://a.example/", Some("93.184.216.34"), true);
        assert_eq!(one.begin(&a, at(0)), Ok(()));
        assert_eq!(other.begin(&a, at(500)), Err(at(1500)), "under way: tried again after a delay");
        assert_eq!(other.begin(&a, at(-3)), Err(at(997)), "looked at the clock first, had the lock second");
        one.end(&a, at(700));
        assert_eq!(other.begin(&a, at(1600)), Err(at(1700)), "a delay after its end");
        assert_eq!(other.begin(&a, at(1700)), Ok(()));
        // another host of the same address, and one elsewhere
        other.end(&a, at(1800));
        assert_eq!(
            one.begin(&turn("http://b.example/", Some("93.184.216.34"), true), at(2000)),
            Err(at(2800))
        );
        assert_eq!(one.begin(&turn("http://b.example/", Some("93.184.216.35"), true), at(2000)), Ok(()));
        // whoever died in the middle of a request is waited for, but not for ever
        assert_eq!(other.begin(&turn("http://b.example/", None, true), at(11_990)), Err(at(12_000)));
        assert_eq!(other.begin(&turn("http://b.example/", None, true), at(12_000)), Ok(()));
    }

    #[test]
    fn several_at_a_time_count_from_their_beginnings() {
        let dir = tempfile::tempdir().unwrap();
        let mut clocks = ClockFile::open(dir.path()).unwrap();
        let a = turn("http://a.example/", None, false);
        assert_eq!(clocks.begin(&a, at(0)), Ok(()));
        assert_eq!(clocks.begin(&a, at(10)), Err(at(1000)));
        assert_eq!(clocks.begin(&a, at(-3)), Err(at(1000)));
        clocks.end(&a, at(900));
        assert_eq!(clocks.begin(&a, at(1000)), Ok(()));
    }

    #[test]
    fn ports_of_this_machine_are_servers_of_their_own() {
        let dir = tempfile::tempdir().unwrap();
        let mut clocks = ClockFile::open(dir.path()).unwrap();
        let here = |port: u16| turn(&format!("http://127.0.0.1:{port}/"), Some("127.0.0.1"), true);
        assert_eq!(clocks.begin(&here(8001), at(0)), Ok(()));
        assert_eq!(clocks.begin(&here(8002), at(0)), Ok(()));
        assert!(clocks.begin(&here(8001), at(1)).is_err());
    }

    #[test]
    fn damage_and_wrong_clocks_do_not_stop_a_crawl() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(NAME);
        let a = turn("http://a.example/", Some("93.184.216.34"), true);
        for byte in [0x00, 0x7f, 0xff] {
            std::fs::write(&path, vec![byte; (PLACES as usize + NEIGHBOURS) * PLACE_BYTES]).unwrap();
            assert_eq!(ClockFile::open(dir.path()).unwrap().begin(&a, at(0)), Ok(()), "{byte:#x}");
        }
        std::fs::write(&path, b"short").unwrap();
        let mut clocks = ClockFile::open(dir.path()).unwrap();
        assert_eq!(clocks.begin(&a, at(5_000_000)), Ok(()));
        clocks.end(&a, at(5_000_100));
        assert_eq!(clocks.begin(&a, at(0)), Ok(()), "a clock that was set back");
        // the file is cut under our feet
        std::fs::write(&path, b"").unwrap();
        assert_eq!(clocks.begin(&a, at(1)), Ok(()));
        assert!(clocks.0.is_none(), "the crawl goes on alone");
        let file = dir.path().join("a-file");
        std::fs::write(&file, b"").unwrap();
        assert!(ClockFile::open(&file.join("below")).is_err());
    }

    #[test]
    fn many_hosts_make_room_for_each_other() {
        let dir = tempfile::tempdir().unwrap();
        let mut clocks = ClockFile::open(dir.path()).unwrap();
        for n in 0..2000 {
            assert_eq!(clocks.begin(&turn(&format!("http://h{n}.example/"), None, true), at(n)), Ok(()));
        }
        assert!(clocks.begin(&turn("http://h1999.example/", None, true), at(2000)).is_err());
        let length = std::fs::metadata(dir.path().join(NAME)).unwrap().len();
        assert_eq!(length, (PLACES + NEIGHBOURS as u64) * PLACE_BYTES as u64);
    }
}
