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
//! the moment in which the good ones wait for their delays. Where no proven host has a link (a crawl that begins, or one of
//! a single host that struggles), there is nobody to keep places for, and all are lent.
//!
//! A thousand hosts that drip must not stand before the one that has the site. So while unproven hosts use much of their
//! places, every other request goes to the host for which most links wait, whatever its links are worth, and the last places
//! are only for hosts for which many wait.

use osprey_frontier::{Lane, Lanes, Offer};

/// Requests under way, by lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LaneCounts([u64; 4]);

impl LaneCounts {
    pub(crate) fn begin(&mut self, lane: Lane) {
        self.0[lane as usize] += 1;
    }

    pub(crate) fn end(&mut self, lane: Lane) {
        let count = &mut self.0[lane as usize];
        *count = count.saturating_sub(1);
    }

    fn of(self, lane: Lane) -> u64 {
        self.0[lane as usize]
    }

    /// The lanes in which another request may begin, of `places` in all, by what waits. `only_pictures`: no pages are
    /// fetched any more. `turn`: a number that grows with the requests.
    pub(crate) fn open_lanes(self, places: u64, only_pictures: bool, turn: u64, offer: Offer) -> Lanes {
        let (quarter, half) = ((places / 4).max(1), (places / 2).max(1));
        let pictures = self.of(Lane::ProvenPicture);
        let unproven_pictures = self.of(Lane::UnprovenPicture);
        let unproven = self.of(Lane::UnprovenPage) + unproven_pictures;
        let has_reserve = pictures + unproven < places.saturating_sub(quarter);

        let ready = |lane| offer.ready.has(lane);
        let may_picture = only_pictures || pictures < half || (has_reserve && !ready(Lane::ProvenPage));
        let is_proven_ready = ready(Lane::ProvenPage) || (may_picture && ready(Lane::ProvenPicture));
        let may_lend = !is_proven_ready && (has_reserve || !offer.has_proven);
        let may_unproven = unproven < quarter || may_lend;
        // the last four of 64 places
        let is_scarce = match (may_lend, offer.has_proven) {
            (true, true) => pictures + unproven + quarter / 4 >= places.saturating_sub(quarter),
            (true, false) => pictures + unproven + quarter / 4 >= places,
            (false, _) => unproven + quarter / 4 >= quarter,
        };
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

#[cfg(test)]
mod tests {
    use Lane::{ProvenPage, ProvenPicture, UnprovenPage, UnprovenPicture};

    use super::*;

    /// What begins, lane by lane, if these lanes always have a link and nothing ever ends.
    fn fill(places: u64, ready: &[Lane], has_proven: bool) -> [u64; 4] {
        let lanes = ready.iter().fold(Lanes::default(), |lanes, lane| lanes.with(*lane, true));
        let offer = Offer { ready: lanes, has_proven };
        let mut counts = LaneCounts::default();
        // the worst order: those first that are not kept places for
        for lane in Lane::ALL.into_iter().rev().filter(|lane| ready.contains(lane)) {
            while counts.0.iter().sum::<u64>() < places
                && counts.open_lanes(places, false, 0, offer).has(lane)
            {
                counts.begin(lane);
            }
        }
        counts.0
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
        // nobody proven is ready, but may be soon
        assert_eq!(fill(64, &[UnprovenPage, UnprovenPicture], true), [0, 0, 40, 8]);
        assert_eq!(fill(64, &[UnprovenPicture], true), [0, 0, 0, 48]);
        assert_eq!(fill(64, &[ProvenPicture], true), [0, 48, 0, 0]);
    }

    #[test]
    fn all_places_are_used_where_nobody_else_waits() {
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
        let lanes = |unproven| LaneCounts([0, 0, unproven, 0]).open_lanes(64, false, 1, alone);
        assert_eq!((lanes(58), lanes(60)), (lanes(48), lanes(48).full_only(true)));
        (0..13).for_each(|_| counts.end(UnprovenPage));
        assert_eq!(counts.open_lanes(1, false, 0, offer), Lanes::ALL);
    }
}
