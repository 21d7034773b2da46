//! The politeness rule, the same for hosts and for addresses: how many requests at a time, and how long between them.
//!
//! With one request at a time, the delay counts from the end of the last one: measured at the server, two requests
//! are then never closer than the delay, however slow the first was. With several at a time there is no such end, and
//! the delay counts from the last beginning. An open lease counts from its beginning; if it ends without a request,
//! it leaves no trace.

use std::time::Duration;

use osprey_model::{LinkId, Timestamp};

/// When requests were made. Open requests are not included; they are in a list of [`Open`] turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LastRequest {
    /// When the last request began.
    pub(crate) began: Timestamp,
    /// When the last request ended.
    pub(crate) ended: Timestamp,
}

impl LastRequest {
    const BEFORE_ALL: Timestamp = Timestamp::from_millis(i64::MIN);
    /// The value before the first request.
    pub(crate) const NEVER: Self = Self { began: Self::BEFORE_ALL, ended: Self::BEFORE_ALL };

    pub(crate) fn begin(&mut self, at: Timestamp) {
        self.began = self.began.max(at);
    }

    pub(crate) fn end(&mut self, at: Timestamp) {
        self.ended = self.ended.max(at);
    }

    /// Keeps the later of both times.
    pub(crate) fn merge(&mut self, other: Self) {
        self.begin(other.began);
        self.end(other.ended);
    }

    /// Corrects times in the future, which come from a wrong clock.
    pub(crate) fn clamp(&mut self, now: Timestamp) {
        self.began = self.began.min(now);
        self.ended = self.ended.min(now);
    }
}

impl Default for LastRequest {
    fn default() -> Self {
        Self::NEVER
    }
}

/// A turn that has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Open {
    pub(crate) at: Timestamp,
    pub(crate) host: u32,
    /// The leased link, or [`NO_LINK`].
    pub(crate) link: LinkId,
}

/// Marks a turn without a link. No link has this id.
pub(crate) const NO_LINK: LinkId = LinkId(u32::MAX);

/// The limit of a host or an address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    pub(crate) delay: Duration,
    pub(crate) concurrency: u32,
}

impl Limit {
    /// Whether all turns are in use.
    pub(crate) fn is_full(self, open: &[Open]) -> bool {
        open.len() >= self.concurrency as usize
    }

    /// The earliest moment of the next request.
    pub(crate) fn next_at(self, asked: LastRequest, open: &[Open]) -> Timestamp {
        let last = if self.concurrency > 1 { asked.began } else { asked.began.max(asked.ended) };
        match open.iter().map(|turn| turn.at).fold(last, Timestamp::max) {
            LastRequest::BEFORE_ALL => LastRequest::BEFORE_ALL,
            last => last.after(self.delay),
        }
    }
}

/// Removes a host's turn from a list.
pub(crate) fn take_open(open: &mut Vec<Open>, host: u32, link: LinkId) -> Option<Open> {
    let index = open.iter().position(|turn| turn.host == host && turn.link == link)?;
    let turn = open.remove(index);
    if open.is_empty() {
        // Most hosts are idle most of the time.
        *open = Vec::new();
    }
    Some(turn)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(ms)
    }

    /// `made` are the beginnings and ends of finished requests, `open` the beginnings of open turns.
    fn check(concurrency: u32, made: &[(i64, i64)], open: &[i64], expect: i64) {
        let limit = Limit { delay: Duration::from_millis(100), concurrency };
        let mut asked = LastRequest::NEVER;
        for &(began, ended) in made {
            asked.begin(at(began));
            asked.end(at(ended));
        }
        let open: Vec<Open> =
            open.iter().map(|&since| Open { at: at(since), host: 0, link: NO_LINK }).collect();
        assert_eq!(limit.next_at(asked, &open), at(expect), "{concurrency} {made:?} {open:?}");
    }

    #[test]
    fn the_delay_counts_from_the_end_or_from_the_last_beginning() {
        check(1, &[(1000, 1070)], &[], 1170);
        check(2, &[(1000, 1070)], &[], 1100);
        check(2, &[(1000, 1500), (1200, 1210)], &[], 1300);
        check(1, &[(1000, 1070)], &[1200], 1300);
        check(2, &[(1000, 1070)], &[1200, 1150], 1300);
        check(1, &[], &[], i64::MIN);
    }

    #[test]
    fn an_ended_turn_leaves_no_room_behind() {
        let turn = |host, link| Open { at: at(5), host, link: LinkId(link) };
        let mut open = vec![turn(1, 7), turn(2, 7)];
        assert_eq!(take_open(&mut open, 2, LinkId(8)), None);
        assert_eq!(take_open(&mut open, 2, LinkId(7)), Some(turn(2, 7)));
        assert_eq!(take_open(&mut open, 1, LinkId(7)), Some(turn(1, 7)));
        assert_eq!(open.capacity(), 0);
    }
}
