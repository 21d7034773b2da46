//! The stored part of a host: when it was asked, how fast it may be asked, its address.

use std::net::IpAddr;
use std::time::Duration;

use osprey_model::Timestamp;

use crate::api::Pace;
use crate::asked::LastRequest;
use crate::codec::{Reader, put_bytes};

/// A host that takes longer to answer counts as slow.
const SLOW_MS: u32 = 10_000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HostRow {
    pub(crate) fetched: u64,
    pub(crate) failed: u64,
    pub(crate) asked: LastRequest,
    pub(crate) rest_until: Option<Timestamp>,
    pub(crate) pace: PaceRow,
    pub(crate) ip: Option<IpAddr>,
    /// A process ended while it had leases here; it may have made requests until the next opening.
    pub(crate) is_unclear: bool,
}

/// A [`Pace`] in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PaceRow {
    crawl_delay_ms: Option<u64>,
    slowdown_ms: u64,
    usual_ms: u32,
    streak: u16,
}

impl PaceRow {
    /// The time between two requests.
    pub(crate) fn delay(&self, default: Duration) -> Duration {
        let asked_for = self.crawl_delay_ms.unwrap_or(0).max(self.slowdown_ms);
        default.max(Duration::from_millis(asked_for))
    }
}

impl From<Pace> for PaceRow {
    fn from(pace: Pace) -> Self {
        Self {
            crawl_delay_ms: pace.crawl_delay.map(millis),
            slowdown_ms: millis(pace.slowdown),
            usual_ms: u32::try_from(millis(pace.usual)).unwrap_or(u32::MAX),
            streak: pace.streak,
        }
    }
}

impl From<PaceRow> for Pace {
    fn from(row: PaceRow) -> Self {
        Self {
            crawl_delay: row.crawl_delay_ms.map(Duration::from_millis),
            slowdown: Duration::from_millis(row.slowdown_ms),
            streak: row.streak,
            usual: Duration::from_millis(row.usual_ms.into()),
        }
    }
}

/// Rounds up, so that no delay becomes shorter.
fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX)
}

/// Bits for the parts that follow; most hosts have few of them.
const ASKED: u8 = 1;
const REST: u8 = 1 << 1;
const CRAWL_DELAY: u8 = 1 << 2;
const SLOWDOWN: u8 = 1 << 3;
const ANSWERS: u8 = 1 << 4;
const IP_V4: u8 = 1 << 5;
const IP_V6: u8 = 1 << 6;
const UNCLEAR: u8 = 1 << 7;

impl HostRow {
    /// Whether the host answers within seconds; see [`crate::lanes`].
    pub(crate) fn is_proven(&self) -> bool {
        self.fetched > self.failed && self.pace.streak == 0 && self.pace.usual_ms < SLOW_MS
    }

    pub(crate) fn encode(&self, name: &str) -> Vec<u8> {
        let mut out = Vec::with_capacity(64 + name.len());
        put_bytes(&mut out, name.as_bytes());
        out.extend_from_slice(&self.fetched.to_be_bytes());
        out.extend_from_slice(&self.failed.to_be_bytes());
        let parts = out.len();
        out.push(0);
        let mut flags = 0;
        let mut put = |flag: u8, bytes: &[u8]| {
            flags |= flag;
            out.extend_from_slice(bytes);
        };
        let PaceRow { crawl_delay_ms, slowdown_ms, usual_ms, streak } = self.pace;
        if self.asked != LastRequest::NEVER {
            put(ASKED, &self.asked.began.as_millis().to_be_bytes());
            put(ASKED, &self.asked.ended.as_millis().to_be_bytes());
        }
        if let Some(until) = self.rest_until {
            put(REST, &until.as_millis().to_be_bytes());
        }
        if let Some(crawl_delay_ms) = crawl_delay_ms {
            put(CRAWL_DELAY, &crawl_delay_ms.to_be_bytes());
        }
        if slowdown_ms != 0 {
            put(SLOWDOWN, &slowdown_ms.to_be_bytes());
        }
        if (usual_ms, streak) != (0, 0) {
            put(ANSWERS, &usual_ms.to_be_bytes());
            put(ANSWERS, &streak.to_be_bytes());
        }
        match self.ip {
            Some(IpAddr::V4(ip)) => put(IP_V4, &ip.octets()),
            Some(IpAddr::V6(ip)) => put(IP_V6, &ip.octets()),
            None => {}
        }
        if self.is_unclear {
            put(UNCLEAR, &[]);
        }
        out[parts] = flags;
        out
    }

    pub(crate) fn decode(value: &[u8]) -> Option<(&str, Self)> {
        let mut reader = Reader::new(value);
        let name = std::str::from_utf8(reader.bytes()?).ok()?;
        let mut row = Self { fetched: reader.u64()?, failed: reader.u64()?, ..Self::default() };
        let flags = reader.u8()?;
        let has = |flag| flags & flag != 0;
        if has(IP_V4) && has(IP_V6) {
            return None;
        }
        row.is_unclear = has(UNCLEAR);
        if has(ASKED) {
            row.asked = LastRequest { began: moment(&mut reader)?, ended: moment(&mut reader)? };
        }
        if has(REST) {
            row.rest_until = Some(moment(&mut reader)?);
        }
        if has(CRAWL_DELAY) {
            row.pace.crawl_delay_ms = Some(reader.u64()?);
        }
        if has(SLOWDOWN) {
            row.pace.slowdown_ms = reader.u64()?;
        }
        if has(ANSWERS) {
            row.pace.usual_ms = reader.u32()?;
            row.pace.streak = reader.u16()?;
        }
        if has(IP_V4) {
            row.ip = Some(reader.u32()?.to_be_bytes().into());
        }
        if has(IP_V6) {
            row.ip = Some(reader.array::<16>()?.into());
        }
        reader.is_empty().then_some((name, row))
    }
}

fn moment(reader: &mut Reader<'_>) -> Option<Timestamp> {
    reader.i64().map(Timestamp::from_millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(row: HostRow) {
        let value = row.encode("a.example:8080");
        assert_eq!(HostRow::decode(&value), Some(("a.example:8080", row)));
        assert_eq!(HostRow::decode(&value[..value.len() - 1]), None);
        assert_eq!(HostRow::decode(&[&value[..], &[0]].concat()), None);
    }

    #[test]
    fn hosts_come_back() {
        let at = Timestamp::from_millis;
        let plain = HostRow { fetched: 3, failed: 1, ..HostRow::default() };
        check(plain);
        check(HostRow { asked: LastRequest { began: at(5), ended: LastRequest::NEVER.ended }, ..plain });
        check(HostRow { rest_until: Some(at(-1)), ip: Some([10, 0, 0, 1].into()), ..plain });
        let pace = PaceRow { crawl_delay_ms: Some(u64::MAX), slowdown_ms: 7, usual_ms: 80, streak: 2 };
        let ip = "2001:db8::1".parse().ok();
        check(HostRow { pace, ip, ..plain });
        check(HostRow { is_unclear: true, ..plain });
        check(HostRow { pace: PaceRow { streak: 1, ..PaceRow::default() }, ..plain });
    }

    #[test]
    fn paces_are_kept_to_the_millisecond_and_never_shortened() {
        let check = |crawl_delay: Option<Duration>, slowdown: Duration, expect: Duration| {
            let pace = Pace { crawl_delay, slowdown, ..Pace::default() };
            assert_eq!(PaceRow::from(pace).delay(Duration::from_secs(1)), expect);
        };
        let days = Duration::from_secs(3 * 24 * 60 * 60);
        check(None, Duration::ZERO, Duration::from_secs(1));
        check(Some(Duration::from_millis(200)), Duration::ZERO, Duration::from_secs(1));
        check(Some(days), Duration::from_secs(5), days);
        check(Some(Duration::from_secs(2)), Duration::from_secs(5), Duration::from_secs(5));
        check(Some(Duration::from_micros(1_000_001)), Duration::ZERO, Duration::from_millis(1001));
        check(Some(Duration::MAX), Duration::ZERO, Duration::from_millis(u64::MAX));
    }
}
