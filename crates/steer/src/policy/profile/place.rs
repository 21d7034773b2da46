//! Where the links of a page are placed.

use osprey_model::{GroupId, Own, PageType};
use osprey_page::{Link, Page, Rel};

use super::leads::{is_named, name_in, user_at};
use super::lists::Sort;
use super::waiting::{profile_of, things_of};
use super::{LIST, NOBODY, Others, Owned, Owner, Uploaders};
use crate::Placing;
use crate::policy::Visit;
use crate::profiles::{Rank, UserId};

impl Uploaders {
    /// Places a link to a profile. Uploaders of things that wait come first; others are worth a contact's part of the one
    /// on whose page they are named. Beside OPIC the former have what is expected of them, the latter their cash.
    fn place_profile(
        &mut self,
        at: usize,
        user: UserId,
        is_waited_for: bool,
        named_by: f32,
        placing: &mut Placing,
    ) {
        if self.state.waiting.is_tried(user) || !self.state.waiting.meet(user) {
            return;
        }
        let (own, part) = match (is_waited_for, self.others) {
            (true, Others::ByYield) => (1.0, "uploader"),
            (true, Others::ByCash) => (self.prior(), "uploader"),
            (false, Others::ByYield) => (named_by, "named_by"),
            (false, Others::ByCash) => (self.cash.get(at).copied().unwrap_or(0.0), "cash"),
        };
        placing.add(at, profile_of(user), Own::new(own), &[(part, own)]);
    }

    /// Places a link to a thing, in the group of its uploader.
    pub(super) fn place_thing(
        &mut self,
        at: usize,
        uploader: UserId,
        own: f32,
        can_ask: bool,
        placing: &mut Placing,
    ) {
        let worth = self.worth(uploader).or_else(|| (!can_ask).then(|| self.prior()));
        let until = self.state.visits + self.rules.patience;
        self.state.waiting.claim(uploader, worth, until, placing);
        let (group, own) = (things_of(uploader), Own::new(own));
        match self.state.profiles.rank(uploader) {
            Some(Rank { inner, inter, .. }) => {
                let inner = self.rules.inner * inner.unwrap_or(0.0);
                let inter = self.rules.inter * inter.unwrap_or(0.0);
                placing.add(at, group, own, &[("inner", inner), ("inter", inter)]);
            }
            None => placing.add(at, group, own, &[("prior", self.prior())]),
        }
    }

    /// Places a link to a thing of which nobody says whose it is: by what is expected; if its own words name the topic, like
    /// a list that does.
    fn place_stray(&mut self, at: usize, page: &Page, placing: &mut Placing) {
        let Some(link) = page.links().get(at) else { return };
        let others = self.others;
        match others {
            Others::ByCash => {
                let cash = self.cash.get(at).copied().unwrap_or(0.0);
                placing.add(at, GroupId::ALL, Own::new(cash), &[("cash", cash)]);
            }
            Others::ByYield if self.is_topical(page, link) => {
                let mean = self.state.yields.of(Sort::Topic);
                placing.add(at, Sort::Topic.group(), Own::ONE, &[("yield", mean)]);
            }
            Others::ByYield => placing.add(at, NOBODY, Own::ONE, &[("prior", self.prior())]),
        }
    }

    /// Places a link that leads to neither a thing nor a person.
    fn place_other(&mut self, at: usize, visit: &Visit<'_>, placing: &mut Placing) {
        let Some(link) = visit.page.links().get(at) else { return };
        let page = visit.page;
        let sort = match self.sighted.leads.get(at).copied().flatten() {
            Some(PageType::Other) | None => Sort::Rest,
            _ if is_more(page, link) => Sort::of_group(visit.group).unwrap_or(Sort::List),
            _ if self.is_topical(page, link) => Sort::Topic,
            _ => Sort::List,
        };
        match (self.others, sort) {
            (Others::ByYield, _) => {
                placing.add(at, sort.group(), Own::ONE, &[("yield", self.state.yields.of(sort))]);
            }
            (Others::ByCash, Sort::Topic) => placing.add(at, sort.group(), Own::ONE, &[("topic", 1.0)]),
            (Others::ByCash, _) => {
                let cash = self.cash.get(at).copied().unwrap_or(0.0);
                placing.add(at, GroupId::ALL, Own::new(cash), &[("cash", cash)]);
            }
        }
    }

    /// Places all links of a page, and notes what its sort brought.
    pub(super) fn place(&mut self, visit: &Visit<'_>, owner: Option<Owner>, placing: &mut Placing) {
        let page = visit.page;
        let cluster = visit.reading.and_then(|reading| reading.cluster);
        let name = owner.and_then(|owner| name_of(owner.user, page));
        let worth = owner.map_or_else(|| self.prior(), |owner| self.worth(owner.user).unwrap_or(0.0));
        let named_by = self.rules.inter * worth;
        let mut waited_for: Vec<UserId> = self.sighted.uploaders.iter().copied().flatten().collect();
        waited_for.sort_unstable();
        let mut shown = Shown::default();
        for (at, link) in page.links().iter().enumerate() {
            let user = user_at(&link.url);
            // who was met as somebody's uploader is a person, whatever such links lead to as a rule
            let is_person = self.state.waiting.is_met(user);
            let lead = if is_person {
                Some(PageType::Profile)
            } else {
                self.sighted.leads.get(at).copied().flatten()
            };
            let own_list = owner.filter(|owner| {
                let is_named = name.is_some_and(|name| is_named(&link.url, name));
                user != owner.user && (is_named || (owner.page == Owned::List && is_more(page, link)))
            });
            match (lead, own_list) {
                (Some(PageType::Detail), _) => {
                    let on_list = owner.filter(|owner| owner.page != Owned::Thing).map(|owner| owner.user);
                    let uploader = self.sighted.uploaders.get(at).copied().flatten().or(on_list);
                    let uploader = uploader.filter(|user| self.state.waiting.meet(*user));
                    shown.note(uploader.map(|user| self.worth(user)));
                    match uploader {
                        Some(user) => self.place_thing(at, user, 1.0, !is_nofollow(link), placing),
                        None => self.place_stray(at, page, placing),
                    }
                }
                (Some(PageType::Profile | PageType::List) | None, Some(owner))
                    if self.others == Others::ByYield && self.state.waiting.meet(owner.user) =>
                {
                    self.place_thing(at, owner.user, LIST, !is_nofollow(link), placing);
                }
                (Some(PageType::Profile), _) if self.leads.is_unwanted(cluster, page, link) => {
                    self.give_up(user, placing);
                }
                (Some(PageType::Profile), _) => {
                    let is_waited_for = waited_for.binary_search(&user).is_ok();
                    self.place_profile(at, user, is_waited_for, named_by, placing);
                }
                _ => self.place_other(at, visit, placing),
            }
        }
        if let Some((sort, rank)) = Sort::of_group(visit.group).zip(shown.rank()) {
            self.state.yields.note(sort, rank);
        }
    }
}

/// The things that a page shows.
#[derive(Clone, Copy, Debug, Default)]
struct Shown {
    things: u32,
    ranked: u32,
    sum: f32,
}

impl Shown {
    /// One more, of a user whose worth may be known; of nobody, who may.
    fn note(&mut self, worth: Option<Option<f32>>) {
        self.things += 1;
        if let Some(worth) = worth.flatten() {
            (self.ranked, self.sum) = (self.ranked + 1, self.sum + worth);
        }
    }

    /// The mean rank: 0 if the page shows nothing, `None` if nothing is known of what it shows.
    fn rank(self) -> Option<f32> {
        match (self.things, self.ranked) {
            (0, _) => Some(0.0),
            (_, 0) => None,
            (_, ranked) => Some(self.sum / ranked as f32),
        }
    }
}

/// What names a user in URLs, by the user's address: of the page itself, or of a link on it.
fn name_of(user: UserId, page: &Page) -> Option<&str> {
    let links = page.links().iter().map(|link| &link.url);
    let mut urls = std::iter::once(page.url()).chain(links);
    urls.find(|url| user_at(url) == user).and_then(name_in)
}

/// Whether a link leads to another page of the same list.
fn is_more(page: &Page, link: &Link) -> bool {
    link.url.path() == page.url().path() && link.url != *page.url()
}

fn is_nofollow(link: &Link) -> bool {
    link.rel.contains(Rel::NOFOLLOW)
}
