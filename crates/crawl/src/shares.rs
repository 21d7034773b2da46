//! How many of the requests under way may be for whom, so that slow hosts cannot stop a crawl.
//!
//! Of all requests that may be under way
//!
//! - *unproven* hosts (which never answered, or not the last time, or only slowly) have a quarter, for their addresses,
//!   robots.txt and pages alike; half of that quarter is the most that their pictures have while their pages wait;
//! - pictures of proven hosts have half.
//!
//! What others do not use is lent, all but a quarter, which is kept for pages of proven hosts. A request that was lent
//! cannot be called back before its time is up, so without that reserve a thousand hosts that drip could take all places in
//! the moment in which the good ones wait for their delays.
//!
//! To unproven hosts is lent what unproven hosts have *earned*: a place for each that becomes proven, and four are lost with
//! each request that runs out of time. A crawl of many good hosts has all places within moments, also with one dead host in
//! five; a thousand hosts that drip keep to their quarter, also in the seconds before the first of them is given up, and also
//! where no proven host is known yet. An answer that makes nobody proven earns nothing: a host that sends its robots.txt at
//! once and drips its pages would pay for its own places.
//!
//! A thousand hosts that drip must not stand before the one that has the site. So while unproven hosts use much of their
//! places, every other request goes to the host for which most links wait, whatever its links are worth, and the last places
//! are only for hosts for which many wait.

use osprey_frontier::{Lane, Lanes, Offer};

/// Places that unproven hosts lose with a request that ran out of time.
const LOST: u64 = 4;
/// With fewer places than this, all are lent if no other host waits: a quarter of them, rounded up to one, would be too few.
const FEW: u64 = 4;

/// Requests under way, by lane, and what unproven hosts have earned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LaneCounts {
    under_way: [u64; 4],
    /// Places beyond their quarter that may be lent to unproven hosts.
    earned: u64,
}

impl LaneCounts {
    pub(crate) fn begin(&mut self, lane: Lane) {
        self.under_way[lane as usize] += 1;
    }

    pub(crate) fn end(&mut self, lane: Lane) {
        let count = &mut self.under_way[lane as usize];
        *count = count.saturating_sub(1);
    }

    /// A host has become proven, of `places` in all.
    pub(crate) fn earn(&mut self, places: u64) {
        self.earned = (self.earned + 1).min(places - quarter(places).min(places));
    }

    /// A request to an unproven host ran out of time.
    pub(crate) fn lose(&mut self) {
        self.earned = self.earned.saturating_sub(LOST);
    }

    fn of(self, lane: Lane) -> u64 {
        self.under_way[lane as usize]
    }

    /// The lanes in which another request may begin, of `places` in all, by what waits. `only_pictures`: no pages are
    /// fetched any more. `turn`: a number that grows with the requests.
    pub(crate) fn open_lanes(self, places: u64, only_pictures: bool, turn: u64, offer: Offer) -> Lanes {
        let (quarter, half) = (quarter(places), (places / 2).max(1));
        let pictures = self.of(Lane::ProvenPicture);
        let unproven_pictures = self.of(Lane::UnprovenPicture);
        let unproven = self.of(Lane::UnprovenPage) + unproven_pictures;
        let has_reserve = pictures + unproven < places.saturating_sub(quarter);

        let ready = |lane| offer.ready.has(lane);
        let may_picture = only_pictures || pictures < half || (has_reserve && !ready(Lane::ProvenPage));
        let is_proven_ready = ready(Lane::ProvenPage) || (may_picture && ready(Lane::ProvenPicture));
        let may_lend = !is_proven_ready && (has_reserve || !offer.has_proven);
        let lent = if places < FEW { places } else { quarter + self.earned };
        let most = if may_lend { lent } else { quarter };
        let may_unproven = unproven < most;
        // the last four of 64 places
        let scarce = quarter / 4;
        let is_scarce = unproven + scarce >= most
            || (may_lend
                && offer.has_proven
                && pictures + unproven + scarce >= places.saturating_sub(quarter));
        let may_unproven_picture = unproven_pictures < (quarter / 2).max(1) || !ready(Lane::UnprovenPage);
        Lanes::default()
            .with(Lane::ProvenPage, true)
            .with(Lane::ProvenPicture, may_picture)
            .with(Lane::UnprovenPage, may_unproven)
            .with(Lane::UnprovenPicture, may_unproven && may_unproven_picture)
            .fullest_first(unproven >= (quarter / 2).max(1) && unproven % 2 == turn % 2)
            .full_only(is_scarce && quarter >= 4)
    }
}

/// What unproven hosts have in any case.
fn quarter(places: u64) -> u64 {
    (places / 4).max(1)
}

#[cfg(test)]
mod tests {
    use Lane::{ProvenPage, ProvenPicture, UnprovenPage, UnprovenPicture};

    use super::*;

    /// What begins, lane by lane, if these lanes always have a link and nothing ever ends, where so many hosts have become
    /// proven.
    fn fill_after(earned: u64, places: u64, ready: &[Lane], has_proven: bool) -> [u64; 4] {
        let lanes = ready.iter().fold(Lanes::default(), |lanes, lane| lanes.with(*lane, true));
        let offer = Offer { ready: lanes, has_proven };
        let mut counts = LaneCounts::default();
        (0..earned).for_each(|_| counts.earn(places));
        // the worst order: those first that are not kept places for
        for lane in Lane::ALL.into_iter().rev().filter(|lane| ready.contains(lane)) {
            while counts.under_way.iter().sum::<u64>() < places
                && counts.open_lanes(places, false, 0, offer).has(lane)
            {
                counts.begin(lane);
            }
        }
        counts.under_way
    }

    /// The same where all that may be lent is lent.
    fn fill(places: u64, ready: &[Lane], has_proven: bool) -> [u64; 4] {
        fill_after(places, places, ready, has_proven)
    }

    #[test]
    fn pages_of_proven_hosts_always_have_places() {
        assert_eq!(fill(64, &[ProvenPage, UnprovenPage], true), [48, 0, 16, 0]);
        assert_eq!(fill(64, &[ProvenPage, UnprovenPage, UnprovenPicture], true), [48, 0, 8, 8]);
        assert_eq!(fill(64, &[ProvenPage, ProvenPicture, UnprovenPicture], true), [16, 32, 0, 16]);
        assert_eq!(
            fill(64, &[ProvenPage, ProvenPicture, UnprovenPage, UnprovenPicture], true),
            [16, 32, 8, 8]
        );
        // no proven host is ready, but one may be soon
        assert_eq!(fill(64, &[UnprovenPage, UnprovenPicture], true), [0, 0, 40, 8]);
        assert_eq!(fill(64, &[UnprovenPicture], true), [0, 0, 0, 48]);
        assert_eq!(fill(64, &[ProvenPicture], true), [0, 48, 0, 0]);
    }

    #[test]
    fn all_places_are_used_if_no_other_host_waits() {
        assert_eq!(fill(64, &[UnprovenPage], false), [0, 0, 64, 0]);
        assert_eq!(fill(64, &[ProvenPage], true), [64, 0, 0, 0]);
        for places in 1..4 {
            assert_eq!(fill(places, &[UnprovenPage], false), [0, 0, places, 0]);
            assert_eq!(fill(places, &[UnprovenPage, ProvenPage], true), [places - 1, 0, 1, 0]);
        }
    }

    #[test]
    fn places_come_back() {
        let offer = Offer { ready: Lanes::ALL, has_proven: true };
        let mut counts = LaneCounts::default();
        assert!(counts.open_lanes(4, false, 0, offer).has(UnprovenPage));
        counts.begin(UnprovenPage);
        assert!(!counts.open_lanes(4, false, 0, offer).has(UnprovenPage));
        counts.end(UnprovenPage);
        assert_eq!(counts, LaneCounts::default());
        let open = |counts: LaneCounts, turn| counts.open_lanes(64, false, turn, offer);
        assert_eq!((open(counts, 0), open(counts, 1)), (Lanes::ALL, Lanes::ALL));
        (0..8).for_each(|_| counts.begin(UnprovenPage));
        assert_eq!((open(counts, 0), open(counts, 1)), (Lanes::ALL.fullest_first(true), Lanes::ALL));
        (0..5).for_each(|_| counts.begin(UnprovenPage));
        assert_eq!(open(counts, 0), Lanes::ALL.full_only(true));
        let alone = Offer { has_proven: false, ready: Lanes::default().with(UnprovenPage, true) };
        let lanes = |unproven, earned| {
            LaneCounts { under_way: [0, 0, unproven, 0], earned }.open_lanes(64, false, 1, alone)
        };
        assert_eq!((lanes(58, 48), lanes(60, 48)), (lanes(48, 48), lanes(48, 48).full_only(true)));
        assert_eq!(lanes(28, 16), lanes(60, 48), "the last of what is lent");
        (0..13).for_each(|_| counts.end(UnprovenPage));
        assert_eq!(counts.open_lanes(1, false, 0, offer), Lanes::ALL);
    }

    #[test]
    fn unproven_hosts_are_lent_what_they_earned() {
        // no host has answered yet: the slow ones have a quarter, whether a proven host has links or not
        assert_eq!(fill_after(0, 64, &[UnprovenPage], false), [0, 0, 16, 0]);
        assert_eq!(fill_after(0, 64, &[UnprovenPage, UnprovenPicture], true), [0, 0, 8, 8]);
        assert_eq!(fill_after(0, 64, &[UnprovenPicture], true), [0, 0, 0, 16]);
        assert_eq!(fill_after(4, 64, &[UnprovenPage], true), [0, 0, 20, 0]);
        assert_eq!(fill_after(4, 64, &[ProvenPage, UnprovenPage], true), [48, 0, 16, 0]);
        assert_eq!(fill_after(99, 64, &[UnprovenPage], true), [0, 0, 48, 0]);
        for places in 1..4 {
            assert_eq!(fill_after(0, places, &[UnprovenPage], false), [0, 0, places, 0]);
        }
        let after = |steps: &[i32]| {
            let mut counts = LaneCounts::default();
            for &step in steps {
                (0..step).for_each(|_| counts.earn(64));
                (step..0).for_each(|_| counts.lose());
            }
            counts.earned
        };
        assert_eq!((after(&[10]), after(&[10, -1]), after(&[10, -3]), after(&[10, -3, 2])), (10, 6, 0, 2));
        assert_eq!(after(&[200]), 48, "no more than there is");
        // one dead host in five and all is lent in the end, one in three and next to nothing is
        assert_eq!((after(&[5, -1].repeat(80)), after(&[2, -1].repeat(80))), (44, 0));
    }
}
