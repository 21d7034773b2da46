//! What a site with a table says of itself; everything about addresses and truths follows from it.

use std::ops::Range;

use osprey_model::CanonicalUrl;

use super::ground::Ground;
use super::hosted::{Asked, Hosted, Plan};
use super::pieces::span;
use super::sheet::Sheet;
use super::site_map::{PageId, PageKind};
use crate::WorldTopic;
use crate::nasty::Setting;
use crate::routes::{fill, read};
use crate::site::{Answer, Ask, Site, Truth};

/// The classes of a plan's pages.
pub(crate) type ClassOf<P> = <<P as MappedPlan>::Page as PageKind>::Class;

/// What stands where on a site, and for whom it was made.
pub(crate) trait MappedPlan: Sized + Send + Sync {
    /// The kinds of page.
    type Page: PageKind;

    /// The start page.
    const HOME: Self::Page;

    /// The site's name.
    const BRAND: &'static str;

    /// The paths that robots may not see.
    const DISALLOWED: &'static [&'static str] = &["/cgi-bin/"];

    /// The query parameter that pages of lists have.
    const PAGE_PARAM: &'static str = "page";

    /// The number that addresses give the first part of a member.
    const FIRST_PART: u64 = 0;

    /// The plan for a setting.
    fn new(setting: Setting) -> Self;

    /// What the site stands on.
    fn ground(&self) -> &Ground;

    /// The members of a class that are worth a visit, numbered; `0..1` for what there is once.
    fn members(&self, class: ClassOf<Self>) -> Range<u64>;

    /// Whether there is such a member. What is there beyond [`MappedPlan::members`] is a calendar without end.
    fn is_member(&self, class: ClassOf<Self>, id: u64) -> bool {
        self.members(class).contains(&id)
    }

    /// The members in the order of the list of all pages.
    fn listed(&self, class: ClassOf<Self>) -> Box<dyn Iterator<Item = u64> + '_> {
        Box::new(self.members(class))
    }

    /// How many parts a member has, for kinds with parts.
    fn parts(&self, _kind: Self::Page, _id: u64) -> u64 {
        1
    }

    /// The last page of a page's list: 1 for what is no list, 0 for what is not there.
    fn last_page(&self, _page: PageId<Self::Page>) -> u64 {
        1
    }

    /// Appends the name of a member in addresses.
    fn write_id(&self, kind: Self::Page, id: u64, out: &mut String);

    /// The member of this name; may be generous, since the address is written again and compared.
    fn read_id(&self, kind: Self::Page, name: &str) -> Option<u64>;

    /// The kind and member of a name that tells both, for sites that number everything in one row.
    fn read_any(&self, _name: &str) -> Option<(Self::Page, u64)> {
        None
    }

    /// Appends a word that decorates an address.
    fn write_word(&self, _slot: &str, _page: PageId<Self::Page>, _out: &mut String) {}

    /// Reads such a word, where it tells more than the rest.
    fn read_word(&self, _slot: &str, _word: &str, _page: &mut PageId<Self::Page>) -> Option<()> {
        Some(())
    }

    /// What a member is about: a topic of the site.
    fn topic(&self, _class: ClassOf<Self>, _id: u64) -> Option<usize> {
        None
    }

    /// The names of all topics of a member, the main one first.
    fn topics(&self, class: ClassOf<Self>, id: u64) -> Vec<String> {
        self.topic(class, id).map(|topic| self.ground().name(topic)).into_iter().collect()
    }

    /// Whether a member only advertises, or was made by somebody who does.
    fn is_spam(&self, _class: ClassOf<Self>, _id: u64) -> bool {
        false
    }

    /// The template's name in truths.
    fn template(&self, page: PageId<Self::Page>) -> &'static str {
        page.kind.row().template
    }

    /// The number that a page's design is drawn with: all pages of one list share it.
    fn design_number(&self, page: PageId<Self::Page>) -> u64 {
        page.id
    }

    /// The navigation.
    fn menu(&self) -> Vec<(PageId<Self::Page>, String)>;

    /// Writes the page from [`Sheet::begin`] to before [`Sheet::end`].
    fn write(&self, page: PageId<Self::Page>, out: &mut Sheet<'_, Self>);

    /// Writes what stands beside the page.
    fn aside(&self, page: PageId<Self::Page>, out: &mut Sheet<'_, Self>);

    /// A path like those of the site's pages where nothing stands.
    fn gone(&self, draw: u64) -> String;

    /// The page that another path redirects to, and the status it does so with.
    fn shortcut(&self, _path: &str) -> Option<(u16, PageId<Self::Page>)> {
        None
    }

    /// What is at a URL that is no page: pictures.
    fn picture(&self, _url: &CanonicalUrl) -> Option<Answer> {
        None
    }

    /// What is true of a URL that is no page.
    fn picture_truth(&self, _url: &CanonicalUrl) -> Option<Truth> {
        None
    }

    /// The topics that can be asked for.
    fn world_topics(&self) -> Vec<WorldTopic> {
        self.ground().world_topics()
    }
}

impl<P: MappedPlan> Plan for P {
    type Place = PageId<P::Page>;

    fn new(setting: Setting) -> Self {
        MappedPlan::new(setting)
    }

    fn ground(&self) -> &Ground {
        MappedPlan::ground(self)
    }

    fn read(&self, asked: Asked<'_>) -> Option<Self::Place> {
        let number = |text: &str| text.parse::<u64>().ok();
        let (clean, page) = match asked.whole.rsplit_once(['?', '&']) {
            Some((clean, last)) => match last.strip_prefix(P::PAGE_PARAM).and_then(|l| l.strip_prefix('=')) {
                Some(text) => (clean, number(text)?),
                None => (asked.whole, 1),
            },
            None => (asked.whole, 1),
        };
        P::Page::ALL.iter().find_map(|kind| {
            let mut place = PageId { page, ..kind.first() };
            let (mut is_good, mut word) = (true, None);
            read(kind.row().address, clean, |slot, text| {
                let value = match slot {
                    "" => self.read_id(*kind, text).map(|id| place.id = id),
                    "part" => {
                        number(text).and_then(|n| n.checked_sub(P::FIRST_PART)).map(|part| place.part = part)
                    }
                    "page" => number(text).map(|n| place.page = n),
                    slot => {
                        word = Some((slot, text));
                        Some(())
                    }
                };
                is_good &= value.is_some();
            })?;
            if let Some((slot, text)) = word.filter(|_| is_good) {
                self.read_word(slot, text, &mut place)?;
            }
            let mut again = String::with_capacity(asked.whole.len());
            (is_good && Plan::exists(self, place) && {
                Plan::path(self, place, &mut again);
                again == asked.whole
            })
            .then_some(place)
        })
    }

    fn path(&self, page: Self::Place, out: &mut String) {
        let (address, start) = (page.kind.row().address, out.len());
        let mut is_paged = false;
        fill(address, out, |slot, out| match slot {
            "" => self.write_id(page.kind, page.id, out),
            "part" => out.push_str(&P::FIRST_PART.saturating_add(page.part).to_string()),
            "page" => {
                is_paged = true;
                out.push_str(&page.page.to_string());
            }
            word => self.write_word(word, page, out),
        });
        if page.page > 1 && !is_paged {
            out.push(if out.get(start..).is_some_and(|path| path.contains('?')) { '&' } else { '?' });
            out.push_str(P::PAGE_PARAM);
            out.push('=');
            out.push_str(&page.page.to_string());
        }
    }

    fn exists(&self, page: Self::Place) -> bool {
        let row = page.kind.row();
        self.is_member(row.class, page.id)
            && page.part < self.parts(page.kind, page.id)
            && (1..=self.last_page(page)).contains(&page.page)
    }

    fn truth(&self, page: Self::Place) -> Truth {
        let (row, id) = (page.kind.row(), page.id);
        let waste = match self.members(row.class).contains(&id) {
            false => Some("calendar".to_owned()),
            true => self.is_spam(row.class, id).then(|| "spam".to_owned()),
        };
        Truth {
            page_type: row.page_type,
            template: self.template(page).to_owned(),
            user_created: row.by_users && waste.is_none(),
            topics: if waste.is_none() { self.topics(row.class, id) } else { Vec::new() },
            duplicate_of: None,
            waste,
        }
    }

    fn grain(&self, page: Self::Place) -> (&'static str, u64) {
        (page.kind.row().template, self.design_number(page))
    }

    fn places(&self) -> Box<dyn Iterator<Item = Self::Place> + '_> {
        let groups = P::Page::ALL.chunk_by(|_, next| !next.row().begins);
        Box::new(groups.flat_map(move |kinds| {
            let class = kinds.first().map(|kind| kind.row().class);
            let members = class.into_iter().flat_map(move |class| {
                self.listed(class).filter(move |id| self.is_member(class, *id) && !self.is_spam(class, *id))
            });
            members.flat_map(move |id| self.pages_of(kinds, id))
        }))
    }

    fn home(&self) -> Self::Place {
        P::HOME.first()
    }

    fn menu(&self) -> (&'static str, Vec<(Self::Place, String)>) {
        (P::BRAND, MappedPlan::menu(self))
    }

    fn write(&self, place: Self::Place, sheet: &mut Sheet<'_, Self>) {
        MappedPlan::write(self, place, sheet);
        sheet.end();
    }

    fn aside(&self, place: Self::Place, sheet: &mut Sheet<'_, Self>) {
        MappedPlan::aside(self, place, sheet);
    }

    fn gone(&self, draw: u64) -> String {
        MappedPlan::gone(self, draw)
    }

    fn disallowed(&self) -> &'static [&'static str] {
        P::DISALLOWED
    }
}

trait PagesOf: MappedPlan {
    /// The pages of a member: kind by kind, or where kinds have parts, part by part.
    fn pages_of(&self, kinds: &'static [Self::Page], id: u64) -> impl Iterator<Item = PageId<Self::Page>> {
        let runs = kinds.chunk_by(|kind, next| kind.row().has_parts() == next.row().has_parts());
        runs.flat_map(move |run| {
            let parts = run.first().map_or(0, |kind| self.parts(*kind, id));
            (0..parts).flat_map(move |part| {
                run.iter().flat_map(move |kind| {
                    let last = self.last_page(kind.part(id, part));
                    (1..=last).map(move |page| PageId { part, ..kind.page(id, page) })
                })
            })
        })
    }
}

impl<P: MappedPlan> PagesOf for P {}

impl<P: MappedPlan> Sheet<'_, P> {
    /// Links to the other pages of this list.
    pub(crate) fn pager(&mut self) {
        let here = self.place;
        self.pager_of(here.page, self.plan.last_page(here), |page| PageId { page, ..here });
    }

    /// The entries on this page of its list.
    pub(crate) fn span(&self, per_page: u64) -> Range<u64> {
        span(self.place.page, per_page)
    }
}

/// A site with a table, its shortcuts and its pictures.
pub(crate) struct MappedSite<P>(Hosted<P>);

impl<P: MappedPlan> MappedSite<P> {
    pub(crate) fn new(setting: Setting) -> Self {
        Self(Hosted::new(setting))
    }

    /// Where a shortcut leads to, and how.
    fn target(&self, url: &CanonicalUrl) -> Option<(u16, String)> {
        let plan = self.0.plan();
        let origin = &MappedPlan::ground(plan).origin;
        let (status, page) = plan.shortcut(url.path_and_query()).filter(|_| url.origin() == *origin)?;
        let mut target = origin.clone();
        Plan::path(plan, page, &mut target);
        Some((status, target))
    }
}

impl<P: MappedPlan> Site for MappedSite<P> {
    fn seeds(&self) -> Vec<String> {
        self.0.seeds()
    }

    fn answer(&self, ask: &Ask<'_>) -> Option<Answer> {
        match self.target(ask.url) {
            Some((status, target)) => Some(Answer::redirect(status, &target)),
            None => self.0.plan().picture(ask.url).or_else(|| self.0.answer(ask)),
        }
    }

    fn truth(&self, url: &CanonicalUrl) -> Option<Truth> {
        match self.target(url) {
            Some((_, target)) => {
                let (template, waste) = ("redirect".into(), Some("redirect".into()));
                Some(Truth { template, waste, duplicate_of: Some(target), ..Truth::default() })
            }
            None => self.0.plan().picture_truth(url).or_else(|| self.0.truth(url)),
        }
    }

    fn pages(&self) -> Box<dyn Iterator<Item = String> + '_> {
        self.0.pages()
    }

    fn topics(&self) -> Vec<WorldTopic> {
        self.0.plan().world_topics()
    }

    fn robots_txt(&self, host: &str) -> Option<String> {
        self.0.robots_txt(host)
    }
}
