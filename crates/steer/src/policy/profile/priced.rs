//! Where links are placed if visits to people and lists have a price: everything is worth what visits of its kind have
//! paid ([`super::pay`]), things of a known uploader the uploader's rank times that.
//!
//! Three rules follow from comparing what visits pay. A profile is not asked for if enough is known of its owner, from
//! pages of things that were read: then it is a list of the owner's things, no more. If asking pays less than fetching
//! the things of unknown uploaders blindly, things do not wait for profiles. And a kind of link that fails, redirects or
//! shows nothing new comes later and later, whatever it promises.

use osprey_model::{CanonicalUrl, LinkScore, PageType};
use osprey_page::Link;
use xxhash_rust::xxh3::xxh3_64;

use super::leads::{is_named, name_in};
use super::pay::{Hint, KindId, Pays, Role};
use super::place::is_more;
use super::waiting::{Of, profile_of, things_of};
use super::{LANGUAGE, LAST, LAST_PART, LIST, OWN_LIST, Owned, Owner, Uploaders};
use crate::policy::Visit;
use crate::profiles::{Rank, UserId};
use crate::{Part, Placing};

/// What a new list that a page links to counts, of a thing: it has to be fetched before it shows anything.
const STEP: f32 = 0.5;
/// A person who is mentioned is worth at most so many times what such people usually are.
const MOST_NAMED: f32 = 4.0;
/// The pay of things, of what ranks promise.
const PAYS: &str = "pays";

/// What a page has shown: the worth of its new links above the going rate, and the visits that they take with it.
#[derive(Clone, Copy, Debug)]
struct Shown {
    reward: f32,
    time: f32,
}

/// A link about to be placed.
#[derive(Clone, Copy, Debug)]
struct Spot<'p> {
    at: usize,
    link: &'p Link,
    /// Where it stands: a key of its cluster and Apath.
    place: u64,
    hint: Hint,
}

impl Uploaders {
    /// Notes what the visit paid, and places all links of the page.
    pub(super) fn place_priced(&mut self, visit: &Visit<'_>, owner: Option<Owner>, placing: &mut Placing) {
        let page = visit.page;
        // before links are placed by what kinds pay; what this visit paid is told with the next one
        self.state.pays.tell(placing);
        // before its own URL is placed again
        let placed = self.state.pays.placed(page.url());
        let cluster = visit.reading.and_then(|reading| reading.cluster);
        let name = owner.and_then(|owner| self.sighted.address(owner.user, page)).and_then(name_in);
        let mut waited_for: Vec<UserId> = self.sighted.uploaders.iter().copied().flatten().collect();
        waited_for.sort_unstable();
        let mut shown = Shown { reward: 0.0, time: 1.0 };
        for (at, link) in page.links().iter().enumerate() {
            let Some(user) = self.sighted.users.get(at).copied() else { continue };
            let is_more = is_more(page, link);
            let inherited = is_more.then(|| self.state.pays.hint_of(visit.group)).flatten();
            let hint = Hint {
                is_named: inherited.map_or_else(|| self.is_topical(page, link), |hint| hint.is_named),
                is_beside: visit.judgement.relevant,
            };
            let place =
                page.apath_key(link.apath) ^ cluster.map_or(0, |cluster| xxh3_64(&cluster.to_le_bytes()));
            let spot = Spot { at, link, place, hint };
            let own_list = owner.filter(|owner| {
                let is_named = name.is_some_and(|name| is_named(&link.url, name));
                user != owner.user && (is_named || (owner.page == Owned::List && is_more))
            });
            let lead = self.lead(at, user);
            match (lead, own_list) {
                (Some(PageType::Detail), _) => {
                    match self.uploader(at, owner).filter(|user| self.state.waiting.meet(*user)) {
                        Some(user) => self.place_ranked(spot, Role::Thing, user, &mut shown, placing),
                        None => self.place_by_pay(spot, Role::Stray, 1.0, &mut shown, placing),
                    }
                }
                (Some(PageType::Profile | PageType::List) | None, Some(owner))
                    if self.state.waiting.meet(owner.user) =>
                {
                    self.place_ranked(spot, Role::OwnList, owner.user, &mut shown, placing);
                }
                (Some(PageType::Profile), _) if self.leads.is_unwanted(cluster, page, link) => {
                    self.give_up(user, placing);
                }
                (Some(PageType::Profile), _) => {
                    let is_waited_for = waited_for.binary_search(&user).is_ok();
                    self.place_person(spot, user, is_waited_for, owner, placing);
                }
                (Some(PageType::Other) | None, _) => {
                    self.place_by_pay(spot, Role::Rest, STEP, &mut shown, placing);
                }
                (Some(PageType::List), _) => self.place_by_pay(spot, Role::List, STEP, &mut shown, placing),
            }
        }
        self.note_paid(visit, placed, owner, shown);
    }

    /// Places a thing, or a list, of an uploader.
    fn place_ranked(
        &mut self,
        spot: Spot<'_>,
        role: Role,
        user: UserId,
        shown: &mut Shown,
        placing: &mut Placing,
    ) {
        let kind = self.state.pays.kind(role, spot.hint, spot.place);
        let pays = self.state.pays.mean(kind);
        let must_wait = self.state.pays.asks() && self.sighted.can_ask(user);
        let worth = self.worth(user).or_else(|| (!must_wait).then(|| self.prior()));
        let until = self.state.visits + self.rules.patience;
        self.state.waiting.claim(user, worth, until, placing);
        let part = if role == Role::OwnList { OWN_LIST } else { PAYS };
        let mut parts: [Part; 4] = [(part, pays); 4];
        let count = match self.state.profiles.rank(user) {
            Some(Rank { inner, inter, total }) => {
                parts[0] = ("inner", self.rules.inner * inner.unwrap_or(0.0));
                parts[1] = ("inter", self.rules.inter * inter.unwrap_or(0.0));
                if self.is_last(total) {
                    parts[2] = (LAST_PART, LAST);
                    4
                } else {
                    3
                }
            }
            None => {
                parts[0] = ("prior", self.state.waiting.told(user).unwrap_or_else(|| self.prior()));
                2
            }
        };
        placing.add(spot.at, things_of(user), LinkScore::new(pays), parts.get(..count).unwrap_or_default());
        if self.state.pays.place(&spot.link.url, kind) && role == Role::Thing {
            self.state.pays.waits(user);
            let rate = self.state.pays.rate();
            let unknown = || self.prior().max(if must_wait { self.state.pays.asking() / rate } else { 0.0 });
            let worth = rate * pays * worth.unwrap_or_else(unknown);
            self.note_shown(worth, shown);
        }
    }

    /// Places a link that is nobody's by what its kind has paid.
    fn place_by_pay(
        &mut self,
        spot: Spot<'_>,
        role: Role,
        counts: f32,
        shown: &mut Shown,
        placing: &mut Placing,
    ) {
        let kind = self.state.pays.kind(role, spot.hint, spot.place);
        self.state.pays.introduce(kind, placing);
        placing.add(spot.at, Pays::group(kind), LinkScore::ONE, &[("paid", self.state.pays.worth(kind))]);
        if self.state.pays.place(&spot.link.url, kind) {
            self.note_shown(counts * self.state.pays.mean(kind), shown);
        }
    }

    fn note_shown(&self, worth: f32, shown: &mut Shown) {
        if worth > self.state.pays.going() {
            *shown = Shown { reward: shown.reward + worth, time: shown.time + 1.0 };
        }
    }

    /// Places the profile of a person: of an uploader whose things wait, of one who is known well enough, or of one who
    /// is only mentioned.
    fn place_person(
        &mut self,
        spot: Spot<'_>,
        user: UserId,
        is_waited_for: bool,
        owner: Option<Owner>,
        placing: &mut Placing,
    ) {
        if self.state.waiting.is_tried(user) || !self.state.waiting.meet(user) {
            return;
        }
        let role = if is_waited_for { Role::Asked } else { Role::Named };
        let kind = self.state.pays.kind(role, spot.hint, spot.place);
        let is_new = self.state.pays.place(&spot.link.url, kind);
        let (own, part) = match (self.worth(user), is_waited_for) {
            (None, true) => {
                let asking = self.state.pays.asking_told();
                placing.factor(profile_of(user), asking);
                placing.add(spot.at, profile_of(user), LinkScore::ONE, &[("uploader", asking)]);
                return;
            }
            // whoever waits already, to be asked or mentioned, is not worth more by being mentioned again
            _ if !is_new => return,
            (Some(worth), _) => (LIST * worth, "known"),
            (None, false) => {
                let by = owner.map_or_else(|| self.prior(), |owner| self.worth(owner.user).unwrap_or(0.0));
                let times = (by / self.prior().max(f32::MIN_POSITIVE)).min(MOST_NAMED);
                (self.state.pays.worth(kind) * times, "named_by")
            }
        };
        placing.add(spot.at, profile_of(user), LinkScore::new(own), &[(part, own)]);
    }

    /// A user whose things were parked has become known: the profile is a list of the user's things now.
    pub(super) fn is_known_now(&self, user: UserId, worth: f32, placing: &mut Placing) {
        if self.is_priced() && self.state.waiting.is_parked(user) {
            placing.factor(profile_of(user), LIST * worth);
        }
    }

    /// What a visit paid, by what the link was placed as.
    fn note_paid(
        &mut self,
        visit: &Visit<'_>,
        placed: Option<(Role, KindId)>,
        owner: Option<Owner>,
        shown: Shown,
    ) {
        let is_wanted = self.is_wanted(visit);
        let paid = f32::from(u8::from(is_wanted));
        let group = self.state.waiting.whose(visit.group);
        if let Some(Of::Things(user)) = group {
            self.state.pays.came(user);
        }
        self.state.pays.ended(is_wanted);
        let Some((role, kind)) = placed else { return };
        let factor = visit.part("factor").unwrap_or(0.0);
        let promised = self.state.pays.rate() * factor;
        let is_promised = matches!(group, Some(Of::Things(_))) && factor > self.state.cut.rank;
        match role {
            Role::Thing if is_promised => {
                self.state.pays.note(kind, paid, promised);
                self.state.pays.note_ranked(is_wanted, factor);
            }
            Role::OwnList if is_promised => {
                self.state.pays.note(kind, shown.reward + paid, shown.time * promised);
            }
            Role::Thing | Role::OwnList => {}
            Role::Stray => self.state.pays.note(kind, paid, 1.0),
            Role::List | Role::Rest => self.state.pays.note(kind, shown.reward + paid, shown.time),
            Role::Asked | Role::Named => {
                let user = owner.filter(|owner| owner.page == Owned::Profile).map(|owner| owner.user);
                let (reward, time) = user.map_or((0.0, 1.0), |user| self.told_of(user));
                self.state.pays.note(kind, reward, time);
            }
        }
    }

    /// What it pays to have asked a user: the things that wait, if they are worth fetching now, in the visits that they
    /// and the profile take. Otherwise the profile alone was fetched.
    fn told_of(&self, user: UserId) -> (f32, f32) {
        let things = f32::from(self.state.pays.waiting(user));
        let worth = self.state.pays.rate() * self.worth(user).unwrap_or(0.0);
        if worth > self.state.pays.going() { (things * worth, 1.0 + things) } else { (0.0, 1.0) }
    }

    /// A link was fetched in vain.
    pub(super) fn note_vain(&mut self, url: &CanonicalUrl, group: Option<Of>, placing: &mut Placing) {
        if let Some(Of::Things(user)) = group {
            self.state.pays.came(user);
        }
        self.state.pays.ended(false);
        let Some((role, kind)) = self.state.pays.placed(url) else { return };
        let is_multiple = matches!(role, Role::Thing | Role::OwnList);
        let time = if is_multiple { self.state.pays.rate() * self.prior() } else { 1.0 };
        self.state.pays.note(kind, 0.0, time);
        self.state.pays.tell(placing);
    }

    /// Whether a page is a thing that is wanted: by the judge, or without one by the tags of its record.
    fn is_wanted(&mut self, visit: &Visit<'_>) -> bool {
        let Some(reading) = visit.reading.filter(|reading| reading.page_type == PageType::Detail) else {
            return false;
        };
        if visit.judgement.relevance.is_some() {
            return visit.judgement.relevant;
        }
        let Self { tags, hits, .. } = self;
        let texts = reading.record.iter().flat_map(|record| &record.tags);
        osprey_text::with_reader(|reader| {
            texts.into_iter().any(|text| {
                tags.count(reader, text, LANGUAGE, hits);
                hits.counts().iter().any(|count| *count > 0)
            })
        })
    }

    /// Moves the profiles that are waited for if asking pays more or less; lets things go if it no longer pays.
    pub(super) fn tell_pays(&mut self, prior: f32, placing: &mut Placing) {
        let price = self.state.pays.new_asking();
        let is_over = self.state.pays.reconsider(prior);
        if price.is_none() && !is_over {
            return;
        }
        for user in self.state.waiting.parked() {
            if let Some(price) = price {
                placing.factor(profile_of(user), price);
            }
            if is_over {
                self.state.waiting.settle(user, prior, placing);
            }
        }
    }
}
