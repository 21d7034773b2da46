//! From a plan with its table to a site: URLs to pages and back, truths, the list of all pages, the order of answers.
//!
//! A URL is a page's if reading it and writing it again gives the same URL: `?page=1` and `?page=007` are not pages,
//! so that no page has two names besides the ones that are made on purpose. Made here: `?sort=`, another order of the
//! same list, and the house rules that every footer links to. Pictures are drawn for any name under `/media/`.

use osprey_model::{CanonicalUrl, PageType};

use crate::Ablation;
use crate::nasty::Setting;
use crate::routes::{prefix, read};
use crate::site::{Answer, Ask, Expert, Site, Truth, WorldTopic};

use super::expert;
use super::plan::Plan;
use super::site_map::{PageId, PageKind};
use super::writer::PageWriter;

/// What lists can be sorted by.
const SORTS: [&str; 3] = ["date", "rating", "name"];

/// What lists can be sorted by in a world of [`Ablation::EightOrders`].
const EIGHT_SORTS: [&str; 8] = ["date", "rating", "name", "views", "replies", "size", "author", "price"];

/// The names of the orders that lists of a world can have.
pub(super) fn sorts(setting: &Setting) -> &'static [&'static str] {
    if setting.ablation == Some(Ablation::EightOrders) { &EIGHT_SORTS } else { &SORTS }
}

/// The house rules: path and title.
pub(super) const RULES: [(&str, &str); 8] = [
    ("/about", "About us"),
    ("/about/terms", "Terms of use"),
    ("/about/privacy", "Privacy policy"),
    ("/about/contact", "Contact"),
    ("/about/jobs", "Jobs"),
    ("/about/press", "Press room"),
    ("/about/help", "Help and frequent questions"),
    ("/about/advertise", "Advertise with us"),
];

/// An address of the table, and the kinds of page that share it.
struct Pattern<K> {
    address: &'static str,
    /// The beginning of every such address: most URLs are ruled out by it.
    prefix: &'static str,
    kinds: Vec<K>,
}

/// The texts of the slots of an address.
#[derive(Default)]
struct Slots<'a> {
    name: Option<&'a str>,
    part: Option<&'a str>,
    page: Option<&'a str>,
    word: Option<(&'a str, &'a str)>,
}

/// What a URL of a site names.
#[derive(Clone, Copy)]
enum Named<K> {
    Page(PageId<K>),
    /// A page of a list in another order.
    Sorted(PageId<K>, Order),
    Rule(usize),
}

/// An order of a list, by its place in [`sorts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Order(usize);

impl Order {
    /// Its name in addresses.
    pub(super) fn name(self, setting: &Setting) -> &'static str {
        sorts(setting).get(self.0).copied().unwrap_or_default()
    }

    /// The page whose entries stand on a page in this order. Where there are eight, each begins at another page; else
    /// only the order within a page differs.
    pub(super) fn shown<P: Plan>(self, plan: &P, page: PageId<P::Page>) -> PageId<P::Page> {
        if plan.ground().setting.ablation != Some(Ablation::EightOrders) {
            return page;
        }
        let last = plan.last_page(page).max(1);
        let begins = self.0 as u64 * last / EIGHT_SORTS.len() as u64;
        PageId { page: (page.page.saturating_sub(1) + begins) % last + 1, ..page }
    }

    /// Whether entries of a page run the other way.
    pub(super) fn is_reversed(self, setting: &Setting) -> bool {
        setting.ablation != Some(Ablation::EightOrders) || self.0.is_multiple_of(2)
    }
}

/// A plan as a site.
pub(crate) struct Hosted<P: Plan> {
    plan: P,
    patterns: Vec<Pattern<P::Page>>,
}

impl<P: Plan> Hosted<P> {
    pub(crate) fn new(setting: Setting) -> Self {
        let mut patterns: Vec<Pattern<P::Page>> = Vec::new();
        for kind in P::Page::ALL {
            let address = kind.row().address;
            match patterns.iter_mut().find(|pattern| pattern.address == address) {
                Some(pattern) => pattern.kinds.push(*kind),
                None => patterns.push(Pattern { address, prefix: prefix(address), kinds: vec![*kind] }),
            }
        }
        Self { plan: P::new(setting), patterns }
    }

    /// The page at a path with its query.
    fn page(&self, asked: &str) -> Option<PageId<P::Page>> {
        let param = asked
            .rsplit_once(['?', '&'])
            .and_then(|(clean, last)| Some((clean, last.strip_prefix(P::PAGE_PARAM)?.strip_prefix('=')?)));
        let (clean, page) = match param {
            Some((clean, number)) => (clean, number.parse().ok()?),
            None => (asked, 1),
        };
        let fitting = self.patterns.iter().filter(|pattern| clean.starts_with(pattern.prefix));
        fitting.filter_map(|pattern| self.page_by(pattern, clean, page)).find(|page| {
            let mut again = String::with_capacity(asked.len());
            self.plan.path(*page, &mut again);
            again == asked
        })
    }

    /// The page that an address of this pattern names, if it is there.
    fn page_by(&self, pattern: &Pattern<P::Page>, asked: &str, page: u64) -> Option<PageId<P::Page>> {
        let mut slots = Slots::default();
        read(pattern.address, asked, |slot, text| match slot {
            "" => slots.name = Some(text),
            "part" => slots.part = Some(text),
            "page" => slots.page = Some(text),
            word => slots.word = Some((word, text)),
        })?;
        let part = slots.part.map_or(Some(0), |text| text.parse::<u64>().ok()?.checked_sub(P::FIRST_PART))?;
        let page = slots.page.map_or(Some(page), |text| text.parse().ok())?;
        let known = slots.name.filter(|_| pattern.kinds.len() > 1).and_then(|name| self.plan.read_any(name));
        pattern.kinds.iter().find_map(|kind| {
            let id = match (known, slots.name) {
                (Some((known, id)), _) => (known == *kind).then_some(id)?,
                (None, Some(name)) => self.plan.read_id(*kind, name)?,
                (None, None) => 0,
            };
            let mut found = PageId { kind: *kind, id, part, page };
            if let Some((slot, word)) = slots.word {
                self.plan.read_word(slot, word, &mut found)?;
            }
            self.exists(found).then_some(found)
        })
    }

    fn exists(&self, page: PageId<P::Page>) -> bool {
        self.plan.class(page.kind.row().class).has(page.id)
            && page.part < self.plan.parts(page.kind, page.id)
            && (1..=self.plan.last_page(page)).contains(&page.page)
    }

    /// Every page that counts.
    fn all_pages(&self) -> impl Iterator<Item = PageId<P::Page>> + '_ {
        let plan = &self.plan;
        let groups = P::Page::ALL.chunk_by(|_, next| !next.row().begins);
        groups.flat_map(move |kinds| {
            let members = kinds.first().map(|kind| kind.row().class).into_iter().flat_map(move |class| {
                let members = plan.class(class);
                let counts = move |id: &u64| members.has(*id) && !plan.is_spammer(members.maker(*id));
                plan.listed(class).filter(counts)
            });
            members.flat_map(move |id| self.pages_of(kinds, id))
        })
    }

    /// The pages of a member: kind by kind, or where kinds have parts, part by part.
    fn pages_of(&self, kinds: &'static [P::Page], id: u64) -> impl Iterator<Item = PageId<P::Page>> + '_ {
        let runs = kinds.chunk_by(|kind, next| kind.row().has_parts() == next.row().has_parts());
        runs.flat_map(move |run| {
            let parts = run.first().map_or(0, |kind| self.plan.parts(*kind, id));
            (0..parts).flat_map(move |part| {
                run.iter().flat_map(move |kind| {
                    let last = self.plan.last_page(kind.part(id, part));
                    (1..=last).map(move |page| PageId { part, ..kind.page(id, page) })
                })
            })
        })
    }

    /// What is true of a page that is there.
    fn truth_of(&self, page: PageId<P::Page>) -> Truth {
        let (row, id) = (page.kind.row(), page.id);
        let members = self.plan.class(row.class);
        let waste = match members.listed.contains(&id) {
            false => Some("calendar".to_owned()),
            true => self.plan.is_spammer(members.maker(id)).then(|| "spam".to_owned()),
        };
        Truth {
            page_type: row.page_type,
            template: self.plan.template(page).to_owned(),
            user_created: row.by_users && waste.is_none(),
            topics: if waste.is_none() { self.plan.topics(row.class, id) } else { Vec::new() },
            duplicate_of: None,
            waste,
        }
    }

    fn named(&self, url: &CanonicalUrl) -> Option<Named<P::Page>> {
        if !self.is_host(url) {
            return None;
        }
        let asked = url.path_and_query();
        if let Some(rule) = RULES.iter().position(|(path, _)| *path == asked) {
            return Some(Named::Rule(rule));
        }
        if let Some((clean, sort)) =
            asked.rsplit_once(['?', '&']).filter(|(_, last)| last.starts_with("sort="))
        {
            let mut names = sorts(&self.plan.ground().setting).iter();
            let order = Order(names.position(|name| sort.strip_prefix("sort=") == Some(name))?);
            let page = self.page(clean)?;
            return (page.kind.row().page_type == PageType::List).then_some(Named::Sorted(page, order));
        }
        self.page(asked).map(Named::Page)
    }

    /// Where a shortcut redirects to, and with which status.
    fn target(&self, url: &CanonicalUrl) -> Option<(u16, String)> {
        let (status, page) = self.plan.shortcut(url.path_and_query()).filter(|_| self.is_host(url))?;
        Some((status, self.url_of(page)))
    }

    /// The name of the file under `/media/` at a URL.
    fn medium<'a>(&self, url: &'a CanonicalUrl) -> Option<&'a str> {
        let name = url.path_and_query().strip_prefix("/media/").filter(|_| self.is_host(url))?;
        [".css", ".js", ".jpg"].iter().any(|ending| name.ends_with(ending)).then_some(name)
    }

    fn file(&self, name: &str) -> Answer {
        if name.ends_with(".css") {
            return Answer::new(200, "text/css", "body { margin: 0 }\n");
        }
        if name.ends_with(".js") {
            return Answer::new(200, "text/javascript", "\"use strict\";\n");
        }
        let (ground, dice) = (self.plan.ground(), self.plan.ground().setting.dice.of("media").of(name));
        let topic = ground.topic_id(dice.of("topic").below(ground.topic_count()) as usize);
        Answer::new(200, "image/jpeg", crate::picture::jpeg(topic, dice, 120, 90))
    }

    fn is_host(&self, url: &CanonicalUrl) -> bool {
        url.origin() == self.plan.ground().origin
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.plan.ground().origin)
    }

    fn url_of(&self, page: PageId<P::Page>) -> String {
        let mut url = self.plan.ground().origin.clone();
        self.plan.path(page, &mut url);
        url
    }
}

impl<P: Plan> Site for Hosted<P> {
    fn seeds(&self) -> Vec<String> {
        vec![self.url_of(P::HOME.first())]
    }

    fn answer(&self, ask: &Ask<'_>) -> Option<Answer> {
        if let Some((status, target)) = self.target(ask.url) {
            return Some(Answer::redirect(status, &target));
        }
        if let Some(picture) = self.plan.picture(ask.url) {
            return Some(picture);
        }
        if let Some(name) = self.medium(ask.url) {
            return Some(self.file(name));
        }
        Some(match self.named(ask.url)? {
            Named::Page(page) => PageWriter::of_page(&self.plan, page, None),
            Named::Sorted(page, order) => PageWriter::of_page(&self.plan, page, Some(order)),
            Named::Rule(rule) => PageWriter::of_rule(&self.plan, rule),
        })
    }

    fn truth(&self, url: &CanonicalUrl) -> Option<Truth> {
        if let Some((_, target)) = self.target(url) {
            let (template, waste) = ("redirect".into(), Some("redirect".into()));
            return Some(Truth { template, waste, duplicate_of: Some(target), ..Truth::default() });
        }
        let Some(named) = self.named(url) else {
            let medium = self.medium(url).map(|_| Truth { template: "medium".into(), ..Truth::default() });
            return self.plan.picture_truth(url).or(medium);
        };
        Some(match named {
            Named::Page(page) => self.truth_of(page),
            Named::Sorted(page, order) => {
                let shown = order.shown(&self.plan, page);
                Truth { duplicate_of: Some(self.url_of(shown)), ..self.truth_of(shown) }
            }
            Named::Rule(_) => Truth { template: "rules".into(), ..Truth::default() },
        })
    }

    fn pages(&self) -> Box<dyn Iterator<Item = String> + '_> {
        let rules = RULES.iter().map(|(path, _)| self.url(path));
        Box::new(self.all_pages().map(|page| self.url_of(page)).chain(rules))
    }

    fn topics(&self) -> Vec<WorldTopic> {
        self.plan.world_topics()
    }

    fn is_of_person(&self, url: &CanonicalUrl) -> bool {
        match self.named(url) {
            Some(Named::Page(page) | Named::Sorted(page, _)) => {
                let row = page.kind.row();
                row.page_type == PageType::Profile || self.plan.class(row.class).are_users()
            }
            _ => false,
        }
    }

    fn expert(&self, topic: &str) -> Option<Expert> {
        expert::of(&self.plan, topic)
    }

    fn robots_txt(&self, host: &str) -> Option<String> {
        let ours = self.plan.ground().origin.strip_prefix("http://") == Some(host);
        let disallowed = P::DISALLOWED.iter().map(|path| format!("Disallow: {path}\n")).collect::<String>();
        ours.then(|| format!("User-agent: *\n{disallowed}Sitemap: {}", self.url("/sitemap.xml\n")))
    }
}
