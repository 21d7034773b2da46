//! The links that wait for a profile.
//!
//! The items of a user wait in one group. The group is parked until the rank of the user is known, the profile turns
//! out to be empty, or the wait has been long enough. Then its factor is the rank, and follows it. Every parked group
//! has a deadline in `due`, so none waits forever if a profile cannot be fetched.

use std::collections::VecDeque;

use osprey_model::GroupId;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::Placing;
use crate::profiles::UserId;

/// Parts the group of a user's profile from that of the user's things.
const PROFILE: u64 = 0x70_72_6f_66_69_6c_65_00;
/// Changes of a factor up to this share are not told.
const SLIGHT: f32 = 0.02;
/// The maximum number of users; items of further users have no owner.
const MAX_USERS: usize = 1_000_000;

/// What is being done about a user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Standing {
    /// The profile page was read, or could not be.
    tried: bool,
    things: Things,
}

/// The user's things that wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
enum Things {
    /// None so far.
    #[default]
    None,
    /// For the rank.
    Parked,
    /// With this factor.
    Open(f32),
}

/// All users who were met.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Waiting {
    standings: FxHashMap<UserId, Standing>,
    /// When the patience with a user ends, in visits; in the order of time.
    due: VecDeque<(u64, UserId)>,
}

/// What a group is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    /// Links to the profile of a user.
    Profile(UserId),
    /// Things and lists of a user.
    Things(UserId),
}

/// The group of a user's things.
pub(super) fn things_of(user: UserId) -> GroupId {
    GroupId(user.0)
}

/// The group of the links to a user's profile: a redirect waits in the group of the link it replaced, so whatever comes
/// of such a link is the user's.
pub(super) fn profile_of(user: UserId) -> GroupId {
    GroupId(user.0.rotate_left(1) ^ PROFILE)
}

impl Waiting {
    /// What a group is about, if it is a user's.
    pub(super) fn whose(&self, group: GroupId) -> Option<Of> {
        let (things, profile) = (UserId(group.0), UserId((group.0 ^ PROFILE).rotate_right(1)));
        if self.is_met(things) {
            return Some(Of::Things(things));
        }
        self.is_met(profile).then_some(Of::Profile(profile))
    }

    pub(super) fn is_met(&self, user: UserId) -> bool {
        self.standings.contains_key(&user)
    }

    /// Meets a user; `false` if there is no room for another.
    pub(super) fn meet(&mut self, user: UserId) -> bool {
        let has_room = self.standings.len() < MAX_USERS || self.is_met(user);
        if has_room {
            self.standings.entry(user).or_default();
        }
        has_room
    }

    /// Whether the profile need not be asked for again.
    pub(super) fn is_tried(&self, user: UserId) -> bool {
        self.standings.get(&user).is_some_and(|standing| standing.tried)
    }

    /// Nothing more will come from the profile page.
    pub(super) fn tried(&mut self, user: UserId) {
        if self.meet(user) {
            self.standings.entry(user).or_default().tried = true;
        }
    }

    /// A thing of a user is about to wait: opens or parks the group if it is the first. `worth` is what the user's
    /// things are worth, if that is known.
    pub(super) fn claim(&mut self, user: UserId, worth: Option<f32>, until: u64, placing: &mut Placing) {
        let standing = self.standings.entry(user).or_default();
        if standing.things != Things::None {
            return;
        }
        match worth {
            Some(worth) => {
                standing.things = Things::Open(worth);
                placing.factor(things_of(user), worth);
            }
            None => {
                standing.things = Things::Parked;
                self.due.push_back((until, user));
                placing.park(things_of(user));
            }
        }
    }

    /// A user's things are worth this now. Says so if any wait and it makes a difference.
    pub(super) fn settle(&mut self, user: UserId, worth: f32, placing: &mut Placing) {
        let Some(standing) = self.standings.get_mut(&user) else { return };
        let is_news = match standing.things {
            Things::None => return,
            Things::Parked => true,
            Things::Open(before) => (worth - before).abs() > SLIGHT * before,
        };
        if is_news {
            standing.things = Things::Open(worth);
            placing.factor(things_of(user), worth);
        }
    }

    /// What a user's things were last said to be worth; `None` while that has to be waited for.
    pub(super) fn told(&self, user: UserId) -> Option<f32> {
        match self.standings.get(&user)?.things {
            Things::Open(worth) => Some(worth),
            Things::None | Things::Parked => None,
        }
    }

    /// Whether a user's things wait for the rank.
    pub(super) fn is_parked(&self, user: UserId) -> bool {
        self.standings.get(&user).is_some_and(|standing| standing.things == Things::Parked)
    }

    /// A user whose date has passed and whose things are still parked.
    pub(super) fn overdue(&mut self, now: u64) -> Option<UserId> {
        while let Some((_, user)) = self.due.front().copied().filter(|(due, _)| *due <= now) {
            self.due.pop_front();
            if self.is_parked(user) {
                return Some(user);
            }
        }
        None
    }

    /// Users whose things are parked, in the order of their keys.
    pub(super) fn parked(&self) -> Vec<UserId> {
        let parked = self.standings.iter().filter(|(_, standing)| standing.things == Things::Parked);
        let mut users: Vec<UserId> = parked.map(|(user, _)| *user).collect();
        users.sort_unstable();
        users
    }

    /// Users whose things wait with a factor or parked, in the order of their keys.
    pub(super) fn with_things(&self) -> Vec<UserId> {
        let waiting = self.standings.iter().filter(|(_, standing)| standing.things != Things::None);
        let mut users: Vec<UserId> = waiting.map(|(user, _)| *user).collect();
        users.sort_unstable();
        users
    }
}

/// As stored: in the order of the keys.
#[derive(Serialize, Deserialize)]
pub(super) struct SavedWaiting {
    standings: Vec<(UserId, Standing)>,
    due: Vec<(u64, UserId)>,
}

impl Waiting {
    pub(super) fn save(&self) -> SavedWaiting {
        let mut standings: Vec<(UserId, Standing)> =
            self.standings.iter().map(|(user, standing)| (*user, *standing)).collect();
        standings.sort_unstable_by_key(|(user, _)| *user);
        SavedWaiting { standings, due: self.due.iter().copied().collect() }
    }

    pub(super) fn of_saved(saved: SavedWaiting) -> Self {
        Self { standings: saved.standings.into_iter().collect(), due: saved.due.into() }
    }
}
