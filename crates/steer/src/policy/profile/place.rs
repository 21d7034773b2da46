//! Where the links of a page are placed.

use osprey_model::{GroupId, LinkScore, PageType};
use osprey_page::{Link, Page};

use super::leads::{is_named, name_in};
use super::lists::Sort;
use super::waiting::{profile_of, things_of};
use super::{LAST, LAST_PART, LIST, NOBODY, OWN_LIST, Others, Owned, Owner, Uploaders};
use crate::policy::Visit;
use crate::profiles::{Rank, UserId};
use crate::{Part, Placing};

impl Uploaders {
    /// Places a link to a profile. Uploaders of things that wait come first; others are worth a contact's part of the
    /// one on whose page they are named. Beside OPIC the former have what is expected of them, the latter their cash.
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
        placing.add(at, profile_of(user), LinkScore::new(own), &[(part, own)]);
    }

    /// Places a link to a thing, in the group of its uploader.
    pub(super) fn place_thing(&mut self, at: usize, uploader: UserId, own: f32, placing: &mut Placing) {
        // whether the thing's own link may be followed is another matter, and the crawl's
        let can_ask = self.sighted.can_ask(uploader);
        let worth = self.worth(uploader).or_else(|| (!can_ask).then(|| self.prior()));
        let until = self.state.visits + self.rules.patience;
        self.state.waiting.claim(uploader, worth, until, placing);
        let mut parts: [Part; 4] = [(OWN_LIST, own); 4];
        let mut count = match self.state.profiles.rank(uploader) {
            Some(Rank { inner, inter, total }) => {
                parts[0] = ("inner", self.rules.inner * inner.unwrap_or(0.0));
                parts[1] = ("inter", self.rules.inter * inter.unwrap_or(0.0));
                parts[2] = (LAST_PART, LAST);
                2 + usize::from(self.is_last(total))
            }
            None => {
                let told = self.state.waiting.told(uploader);
                parts[0] = ("prior", told.unwrap_or_else(|| self.prior()));
                1
            }
        };
        if own < 1.0 {
            parts[count] = (OWN_LIST, own);
            count += 1;
        }
        placing.add(at, things_of(uploader), LinkScore::new(own), parts.get(..count).unwrap_or_default());
    }

    /// Places a link to a thing of which nobody says whose it is: by what is expected; if its own words name the topic,
    /// like a list that does.
    fn place_stray(&mut self, at: usize, page: &Page, placing: &mut Placing) {
        let Some(link) = page.links().get(at) else { return };
        let others = self.others;
        match others {
            Others::ByCash => {
                let cash = self.cash.get(at).copied().unwrap_or(0.0);
                placing.add(at, GroupId::ALL, LinkScore::new(cash), &[("cash", cash)]);
            }
            Others::ByYield if self.is_topical(page, link) => {
                let mean = self.state.yields.of(Sort::Topic);
                placing.add(at, Sort::Topic.group(), LinkScore::ONE, &[("yield", mean)]);
            }
            Others::ByYield => placing.add(at, NOBODY, LinkScore::ONE, &[("prior", self.prior())]),
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
                placing.add(at, sort.group(), LinkScore::ONE, &[("yield", self.state.yields.of(sort))]);
            }
            (Others::ByCash, Sort::Topic) => placing.add(at, sort.group(), LinkScore::ONE, &[("topic", 1.0)]),
            (Others::ByCash, _) => {
                let cash = self.cash.get(at).copied().unwrap_or(0.0);
                placing.add(at, GroupId::ALL, LinkScore::new(cash), &[("cash", cash)]);
            }
        }
    }

    /// What a link leads to. Who was met as somebody's uploader is a person, whatever such links lead to as a rule.
    pub(super) fn lead(&self, at: usize, user: UserId) -> Option<PageType> {
        if self.state.waiting.is_met(user) {
            return Some(PageType::Profile);
        }
        self.sighted.leads.get(at).copied().flatten()
    }

    /// Who uploaded what a link leads to, as far as the page tells; on a page of somebody's, it is theirs.
    pub(super) fn uploader(&self, at: usize, owner: Option<Owner>) -> Option<UserId> {
        let on_list = owner.filter(|owner| owner.page != Owned::Thing).map(|owner| owner.user);
        self.sighted.uploaders.get(at).copied().flatten().or(on_list)
    }

    /// Notes what a page brought, if it is of a sort of lists. Before its links are placed, for what some of them are
    /// worth.
    pub(super) fn note_yield(&mut self, visit: &Visit<'_>, owner: Option<Owner>) {
        let Some(sort) = Sort::of_group(visit.group) else { return };
        let mut shown = Shown::default();
        for (at, user) in self.sighted.users.iter().enumerate() {
            if self.lead(at, *user) == Some(PageType::Detail) {
                shown.note(self.uploader(at, owner).map(|user| self.worth(user)));
            }
        }
        if let Some(rank) = shown.rank() {
            self.state.yields.note(sort, rank);
        }
    }

    /// Places all links of a page.
    pub(super) fn place(&mut self, visit: &Visit<'_>, owner: Option<Owner>, placing: &mut Placing) {
        let page = visit.page;
        let cluster = visit.reading.and_then(|reading| reading.cluster);
        let name = owner.and_then(|owner| self.sighted.address(owner.user, page)).and_then(name_in);
        let worth = owner.map_or_else(|| self.prior(), |owner| self.worth(owner.user).unwrap_or(0.0));
        let named_by = self.rules.inter * worth;
        let mut waited_for: Vec<UserId> = self.sighted.uploaders.iter().copied().flatten().collect();
        waited_for.sort_unstable();
        for (at, link) in page.links().iter().enumerate() {
            let Some(user) = self.sighted.users.get(at).copied() else { continue };
            let own_list = owner.filter(|owner| {
                let is_named = name.is_some_and(|name| is_named(&link.url, name));
                user != owner.user && (is_named || (owner.page == Owned::List && is_more(page, link)))
            });
            match (self.lead(at, user), own_list) {
                (Some(PageType::Detail), _) => {
                    match self.uploader(at, owner).filter(|user| self.state.waiting.meet(*user)) {
                        Some(user) => self.place_thing(at, user, 1.0, placing),
                        None => self.place_stray(at, page, placing),
                    }
                }
                (Some(PageType::Profile | PageType::List) | None, Some(owner))
                    if self.others == Others::ByYield && self.state.waiting.meet(owner.user) =>
                {
                    self.place_thing(at, owner.user, LIST, placing);
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

/// Whether a link leads to another page of the same list.
pub(super) fn is_more(page: &Page, link: &Link) -> bool {
    link.url.path() == page.url().path() && link.url != *page.url()
}
