//! Universities with their courses, and the job boards and shops around them (de Assis et al. 2009).
//!
//! Genre and content are drawn independently: every topic has syllabi, lecture notes, research pages, job offers and
//! products, and every genre has all topics. Relevant pages tend to be siblings in one list (the courses of a term),
//! but a list contains courses of several topics, and a third of the universities link syllabi only from their
//! teachers' pages. The hosts are `{university}.campus.{domain}`, some with hosts for departments; `www` is a directory
//! of all.

mod address;
mod forms;
mod general;
mod market;
mod page;
mod people;
mod shape;
mod teaching;
#[cfg(test)]
mod tests;
mod writer;

use osprey_model::CanonicalUrl;

use crate::nasty::Setting;
use crate::site::Site;
use crate::text::{TopicId, TopicWords, branches, topics};
use crate::{Answer, Ask, Dice, Truth, WorldTopic};

use address::Grounds;
use page::{Kind, Page};
use shape::{Shape, SiteKind};
use writer::CampusWriter;

/// How many sites a user would begin with: six universities, a job board and a shop.
const SEEDS: u32 = 8;
/// How many candidates are tried to find a page about a topic on another site.
const TRIES: u64 = 8;

/// The world `campus`.
pub(crate) struct Campus {
    setting: Setting,
    shape: Shape,
}

impl Campus {
    pub(crate) fn new(setting: Setting) -> Self {
        let shape = Shape::new(setting.dice, setting.pages);
        Self { setting, shape }
    }

    fn url(&self, page: Page) -> String {
        address::url(&self.setting, &Grounds::new(&self.shape, page.site), page)
    }

    /// Where a user would enter a site: the department that teaches computing, or the shop's door.
    fn entrance(&self, site: u32) -> Page {
        let is_university = self.shape.kind(site) == SiteKind::University;
        Page::of(site, if is_university { Kind::DeptHome } else { Kind::MarketHome })
    }

    /// An item about a topic in some market, if a few draws meet one.
    fn item_about(&self, kind: SiteKind, topic: TopicId, dice: Dice) -> Option<Page> {
        (0..TRIES).find_map(|n| {
            let dice = dice.at(n);
            let site = self.shape.some_market(kind, dice.of("site"));
            let market = self.shape.market(site);
            let a = dice.of("item").below(market.items.into()) as u32;
            (market.item_about(a).main == topic).then(|| Page::of(site, Kind::MarketHome).to(Kind::Item, a))
        })
    }

    /// A syllabus about a topic at some university, if a few draws meet one.
    fn syllabus_about(&self, topic: TopicId, dice: Dice) -> Option<Page> {
        (0..TRIES).find_map(|n| {
            let dice = dice.at(n);
            let site = self.shape.some_university(dice.of("site"));
            let university = self.shape.university(site);
            let dept = dice.of("dept").below(university.departments.into()) as u32;
            let department = university.department(dept);
            let course = dice.of("course").below(department.courses.into()) as u32;
            let term = dice.of("term").below(department.terms.into()) as u32;
            let is_there =
                department.is_offered(course, term) && department.course_about(course).main == topic;
            is_there
                .then(|| Page { dept, ..Page::of(site, Kind::Home) }.offering(Kind::Syllabus, course, term))
        })
    }

    fn render(&self, page: Page) -> Answer {
        let grounds = Grounds::new(&self.shape, page.site);
        let out = CampusWriter::at(self, &grounds, page);
        let title = out.heading();
        out.finish(&title, |out| {
            match page.kind {
                Kind::HubHome => out.hub_home(),
                Kind::HubList => out.hub_list(),
                Kind::Home => out.home(),
                Kind::Info | Kind::MarketInfo => out.info(),
                Kind::Partners => out.partners(),
                Kind::NewsList => out.news_list(),
                Kind::News => out.news(),
                Kind::DeptHome => out.department_home(),
                Kind::CourseIndex => out.catalogue(),
                Kind::TermList => out.term_list(),
                Kind::CourseHome => out.course_home(),
                Kind::Syllabus => out.syllabus(),
                Kind::Lecture => out.lecture(),
                Kind::Assignment => out.assignment(),
                Kind::FacultyList => out.faculty_list(),
                Kind::StudentList => out.student_list(),
                Kind::Faculty => out.faculty(),
                Kind::Publications => out.publications(),
                Kind::Student => out.student_page(),
                Kind::ProjectList => out.project_list(),
                Kind::Project => out.project(),
                Kind::MarketHome => out.market_home(),
                Kind::Category => out.category(),
                Kind::Item => out.item(),
                Kind::Seller => out.seller(),
            }
            out.bookmarks();
        })
    }
}

impl Site for Campus {
    fn seeds(&self) -> Vec<String> {
        (0..SEEDS.min(self.shape.sites)).map(|site| self.url(self.entrance(site))).collect()
    }

    fn answer(&self, ask: &Ask<'_>) -> Option<Answer> {
        let page = address::find(&self.setting, &self.shape, ask.url)?;
        Some(self.render(page))
    }

    fn truth(&self, url: &CanonicalUrl) -> Option<Truth> {
        address::find(&self.setting, &self.shape, url).map(|page| self.shape.truth(page))
    }

    fn pages(&self) -> Box<dyn Iterator<Item = String> + '_> {
        let hub = self.shape.hub_pages().map(|page| self.url(page));
        let sites = (0..self.shape.sites).flat_map(|site| {
            let grounds = Grounds::new(&self.shape, site);
            let pages = self.shape.pages_of(site).into_iter();
            pages.map(|page| address::url(&self.setting, &grounds, page)).collect::<Vec<_>>()
        });
        Box::new(hub.chain(sites))
    }

    /// The topics that every university teaches: the commonest leaves of computing. The others are too rare to be
    /// compared.
    fn topics(&self) -> Vec<WorldTopic> {
        let leaves = branches().get(shape::computing()).map_or(0..0, |branch| branch.topics.clone());
        let asked = topics().get(leaves).unwrap_or_default();
        asked.iter().take(shape::COMMON).map(world_topic).collect()
    }

    fn robots_txt(&self, host: &str) -> Option<String> {
        let dice = self.setting.dice.of("robots").of(host);
        let mut text = match dice.below(4) {
            0 => return None,
            1 => "User-agent: *\nDisallow:\n".to_owned(),
            2 => "User-agent: *\nDisallow: /cgi-bin/\nDisallow: /login\n".to_owned(),
            _ => "# be nice\nUser-agent: BadBot\nDisallow: /\n\nUser-agent: *\nDisallow: /private/\n"
                .to_owned(),
        };
        if dice.of("sitemap").chance(0.2) {
            text.push_str(&format!("Sitemap: http://{host}/sitemap.xml\n"));
        }
        Some(text)
    }
}

/// A topic as a user would describe it: its name and its strongest words.
pub(crate) fn world_topic(topic: &TopicWords) -> WorldTopic {
    let strongest = |label: &str, words: &[String]| {
        let others = words.iter().filter(|word| !word.eq_ignore_ascii_case(label)).take(19).cloned();
        std::iter::once(label.to_lowercase()).chain(others).collect()
    };
    WorldTopic {
        name: topic.name.clone(),
        terms: strongest(&topic.label_en, &topic.en),
        terms_zh: strongest(&topic.label_zh, &topic.zh),
    }
}
