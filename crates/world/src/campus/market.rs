//! Job boards and shops: the other two genres of de Assis et al. 2009, about the same topics as the courses.
//!
//! A shop sells textbooks on the subjects of courses, a job board looks for people who know them: pages with the
//! content but not the genre of a syllabus, and the genres wanted in the paper's other experiments.

use super::page::{Kind, Page};
use super::shape::{ITEMS_PER_LIST, Market, SiteKind};
use super::writer::CampusWriter;
use crate::text::{Prose, TopicId, topics};
use crate::writer::{PageContext, capitalised};

const CITIES: [&str; 10] =
    ["Boston", "Chicago", "London", "Berlin", "Austin", "Lisbon", "Toronto", "Dublin", "Seattle", "Leeds"];
const ROLES: [&str; 10] = words! {
    "Analyst" "Engineer" "Assistant" "Consultant" "Instructor" "Manager" "Technician" "Developer" "Editor"
    "Coordinator"
};
const LEVELS: [&str; 4] = ["Junior", "Senior", "Lead", "Trainee"];
const GOODS: [&str; 10] = words! {
    "Kit" "Handbook" "Guide" "Set" "Workbook" "Starter Pack" "Textbook, 3rd edition" "Bundle" "Tool" "Poster"
};
const OFFER_PARTS: [(&str, [&str; 3]); 5] = [
    ("Responsibilities", ["You will", "Your tasks", "Duties"]),
    ("Requirements", ["Qualifications", "What we expect", "Work experience"]),
    ("Benefits", ["What we offer", "Benefits", "Salary and benefits"]),
    ("Contact", ["How to apply", "Contact", "Apply now"]),
    ("Company", ["About the company", "Organization", "Who we are"]),
];

impl CampusWriter<'_> {
    fn market(&self) -> Market {
        self.campus.shape.market(self.page.site)
    }

    fn is_jobs(&self) -> bool {
        self.campus.shape.kind(self.page.site) == SiteKind::Jobs
    }

    fn item_name(&self, market: &Market, item: u32) -> String {
        let dice = market.dice.of("item name").at(item.into());
        let topic = self.label(market.item_about(item).main);
        if self.is_jobs() {
            let role = dice.of("role").one_of(&ROLES);
            match dice.of("level").pick(&LEVELS) {
                Some(level) if dice.chance(0.5) => format!("{level} {role}, {topic}"),
                _ => format!("{topic} {role}"),
            }
        } else {
            let good = dice.of("good").one_of(&GOODS);
            let prose = Prose::of(self.language(), vec![(market.item_about(item).main, 0.4)]);
            let word = prose.word_text(dice.of("word"));
            format!("{} {topic} {good}", capitalised(&word))
        }
    }

    fn seller_name(&self, market: &Market, seller: u32) -> String {
        let name = crate::text::person_name(market.dice.of("seller").at(seller.into()));
        let family = name.rsplit(' ').next().unwrap_or("Smith");
        let suffix = market
            .dice
            .of("suffix")
            .at(seller.into())
            .pick(&["Inc.", "Ltd", "Group", "& Sons", "Systems"])
            .copied();
        format!("{family} {}", suffix.unwrap_or("Inc."))
    }

    pub(super) fn market_heading(&self) -> String {
        let (page, market) = (self.page, self.market());
        match page.kind {
            Kind::Item => self.item_name(&market, page.a),
            Kind::Seller => self.seller_name(&market, page.a),
            Kind::Category => {
                let what = if self.is_jobs() { "Jobs" } else { "Products" };
                format!("{what}: {} ({})", self.branch(market.branch(page.b)), page.a + 1)
            }
            Kind::MarketInfo => ["About us", "Help", "Terms", "Contact"]
                .get(page.a as usize)
                .copied()
                .unwrap_or("Page")
                .to_owned(),
            _ => self.site_name(),
        }
    }

    pub(super) fn market_home(&mut self) {
        let (page, market) = (self.page, self.market());
        self.element("p", "", if self.is_jobs() { "Find your next job." } else { "Buy online, pay later." });
        self.bullets("ul", "categories", 0..market.categories(), |out, b| {
            out.link(Page { b, ..page.to(Kind::Category, 0) }, out.branch(market.branch(b)), "category");
            out.text(&format!(" ({})", market.category(b).len()));
        });
        self.section(if self.is_jobs() { "New vacancies" } else { "Special offers" }, |out| {
            for n in 0..8 {
                let item = out.dice.of("new").at(n).below(market.items.into()) as u32;
                let name = out.item_name(&market, item);
                out.link(page.to(Kind::Item, item), &name, "item");
                out.raw("<br>\n");
            }
        });
        self.section(if self.is_jobs() { "Employers" } else { "Brands" }, |out| {
            for seller in 0..market.sellers.min(10) {
                let name = out.seller_name(&market, seller);
                out.link(page.to(Kind::Seller, seller), &name, "seller");
                out.raw(" ");
            }
        });
        // All sites are connected: a market links the site after it.
        let next = (page.site + 1) % self.campus.shape.sites;
        let kind =
            if self.campus.shape.kind(next) == SiteKind::University { Kind::Home } else { Kind::MarketHome };
        self.link_away(Page::of(next, kind), "Our partner", "outside");
    }

    pub(super) fn category(&mut self) {
        let (page, market) = (self.page, self.market());
        let items = market.category(page.b);
        let first = items.start + page.a * ITEMS_PER_LIST;
        self.open("table", "results");
        for item in first..(first + ITEMS_PER_LIST).min(items.end) {
            let name = self.item_name(&market, item);
            self.raw("<tr><td>");
            self.link(page.to(Kind::Item, item), &name, "item");
            self.raw("</td><td>");
            let seller = self.seller_name(&market, market.seller(item));
            self.text(&seller);
            self.raw("</td><td>");
            let text = self.price_or_city(&market, item);
            self.text(&text);
            self.raw("</td></tr>\n");
        }
        self.close("table");
        if items.is_empty() {
            self.element("p", "notice", "Nothing in this category at the moment.");
        }
        self.pager(Kind::Category, (items.len() as u32).div_ceil(ITEMS_PER_LIST));
    }

    fn price_or_city(&self, market: &Market, item: u32) -> String {
        let dice = market.dice.of("price").at(item.into());
        if self.is_jobs() {
            dice.one_of(&CITIES).to_owned()
        } else {
            format!("$ {}.{:02}", dice.of("whole").long_tail(40.0, 2000).max(2), dice.of("cents").below(100))
        }
    }

    pub(super) fn item(&mut self) {
        let (page, market) = (self.page, self.market());
        let about = market.item_about(page.a);
        let prose = self.prose(Some(about), 0.16);
        let (seller, place) = (market.seller(page.a), self.dice);
        let text = self.price_or_city(&market, page.a);
        let label = if self.is_jobs() { "Location: " } else { "Price: " };
        self.open("p", "facts");
        self.text(&format!("{label}{text} "));
        self.link(page.to(Kind::Seller, seller), &self.seller_name(&market, seller), "seller");
        self.close("p");
        if self.is_jobs() {
            self.sections(|out| {
                for (n, (part, names)) in OFFER_PARTS.into_iter().enumerate() {
                    let heading = place.of(part).pick(&names).copied().unwrap_or(part);
                    let sentences = place.of(part).between(2, 6);
                    if place.of(part).of("kept").chance(0.85) {
                        out.section(heading, |out| {
                            let prose = if n < 2 { prose.clone() } else { Prose::background(out.language()) };
                            out.paragraph(&prose, part, sentences);
                        });
                    }
                }
            });
            let salary = place.of("salary").between(28, 120);
            self.element(
                "p",
                "",
                &format!("Job type: full time. Salary: {salary},000. Send your curriculum vitae."),
            );
        } else {
            self.element("p", "stock", "Availability: in stock. Add to cart. Payment by card.");
            self.paragraph(&prose, "description", place.of("length").between(4, 9));
            self.section("Details", |out| {
                out.open("ul", "");
                for n in 0..place.of("features").between(3, 7) {
                    let title = out.title(&prose, place.of("feature").at(n));
                    out.element("li", "", &title);
                }
                out.close("ul");
            });
        }
        self.similar(&market, about.main);
        self.used_in(about.main);
    }

    /// More from the same category.
    fn similar(&mut self, market: &Market, topic: TopicId) {
        let page = self.page;
        let category = market.category(market.category_of(page.a));
        let heading = if self.is_jobs() { "Similar jobs" } else { "Customers also bought" };
        self.section(heading, |out| {
            for n in 0..4 {
                let item = category.start + out.dice.of("similar").at(n).below(category.len() as u64) as u32;
                let name = out.item_name(market, item);
                out.link(page.to(Kind::Item, item), &name, "item");
                out.raw("<br>\n");
            }
            let branch = Page { b: market.category_of(page.a), ..page.to(Kind::Category, 0) };
            out.link(branch, out.label(topic), "up");
        });
    }

    /// Some books name a course that uses them, some job offers a teacher of the subject.
    fn used_in(&mut self, topic: TopicId) {
        let dice = self.dice.of("used in");
        if !dice.chance(0.12) {
            return;
        }
        if let Some(course) = self.campus.syllabus_about(topic, dice) {
            self.text(if self.is_jobs() { "Recommended course: " } else { "Used in: " });
            self.link_away(course, self.label(topic), "outside");
        }
    }

    pub(super) fn seller(&mut self) {
        let (page, market) = (self.page, self.market());
        let topic = self.dice.of("topic").below(topics().len() as u64) as u16;
        let prose = Prose::of(self.language(), vec![(TopicId(topic), 0.06)]);
        self.paragraph(&prose, "about", self.dice.of("length").between(3, 8));
        self.open("ul", "items");
        let items: Vec<u32> = market.items_of(page.a).take(30).collect();
        for item in items {
            self.open("li", "");
            let name = self.item_name(&market, item);
            self.link(page.to(Kind::Item, item), &name, "item");
            self.close("li");
        }
        self.close("ul");
    }
}
