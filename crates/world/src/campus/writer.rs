//! A page of the campuses while it is written: the frame around the content in four looks, links, prose.

use super::Campus;
use super::address::{Grounds, INFOS, url};
use super::forms::Form;
use super::page::{Kind, Page};
use super::shape::{About, SiteKind};
use crate::nasty::{Charset, Setting};
use crate::text::{Language, Prose, TopicId, person_in, topics};
use crate::writer::{PageContext, Writer, capitalised};
use crate::{Answer, Dice};

/// The versions of the templates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CampusDesign {
    /// Headings, rules and lists, as written by hand in the nineties.
    Plain,
    /// Nested tables.
    Table,
    /// Blocks with classes.
    Blocks,
    /// Blocks with definition lists.
    Definitions,
}

impl CampusDesign {
    const ALL: [Self; 4] = [Self::Blocks, Self::Plain, Self::Table, Self::Definitions];
}

/// The surroundings of a campus page: site, department, language, design.
pub(super) struct CampusPlace<'a> {
    pub(super) campus: &'a Campus,
    pub(super) grounds: &'a Grounds<'a>,
    pub(super) page: Page,
    pub(super) look: CampusDesign,
    pub(super) form: Form,
    charset: Charset,
    /// How much this author writes, around 1.
    wordy: f64,
    /// Whether a run of sections is open; elsewhere headings are just headings.
    in_sections: bool,
}

impl PageContext for CampusPlace<'_> {
    const VANISHED: (&'static str, u64) = ("old", 60);
    const ABSOLUTE: f64 = 0.1;

    fn setting(&self) -> &Setting {
        &self.campus.setting
    }

    fn language(&self) -> Language {
        self.form.language()
    }

    fn is_relative(&self) -> bool {
        self.look == CampusDesign::Plain
    }

    fn vanished_word(&self, dice: Dice) -> &'static str {
        let words = ["Archive", "Old page", "Handout", "More", "Details"];
        dice.of("word").one_of(&words)
    }
}

/// A page of the campuses being written.
pub(super) type CampusWriter<'a> = Writer<CampusPlace<'a>>;

impl<'a> CampusWriter<'a> {
    pub(super) fn at(campus: &'a Campus, grounds: &'a Grounds<'a>, page: Page) -> Self {
        let site = campus.shape.site_dice(page.site);
        let dice = site.of("page").at(page.code());
        let is_university = campus.shape.kind(page.site) == SiteKind::University;
        let form = if is_university { Form::of(site) } else { Form::American };
        // Pages of one term share a version, as they were made together.
        let version = campus.setting.version(site.of("versions").at(page.dept.into()).at(page.b.into()), 3);
        let look = site.of("look").below(CampusDesign::ALL.len() as u64) + version;
        let charset = match form.language() {
            Language::English => campus.setting.charset(dice),
            Language::Chinese => Charset::Utf8,
        };
        let place = CampusPlace {
            campus,
            grounds,
            page,
            look: CampusDesign::ALL
                .get(look as usize % CampusDesign::ALL.len())
                .copied()
                .unwrap_or(CampusDesign::Plain),
            form,
            charset,
            wordy: (dice.of("wordy").long_tail(70.0, 350) as f64 / 100.0).max(0.2),
            in_sections: false,
        };
        Self::new(campus.setting.markup(dice), dice, url(&campus.setting, grounds, page), place)
    }

    pub(super) fn is_chinese(&self) -> bool {
        self.language() == Language::Chinese
    }

    /// The name of the site, as people say it.
    pub(super) fn site_name(&self) -> String {
        let name = capitalised(&self.grounds.name);
        let dice = self.campus.shape.site_dice(self.page.site).of("title");
        match self.campus.shape.kind(self.page.site) {
            SiteKind::University if self.is_chinese() => format!("{name}大学"),
            SiteKind::University => match dice.below(4) {
                0 => format!("University of {name}"),
                1 => format!("{name} State University"),
                2 => format!("{name} College"),
                _ => format!("{name} University"),
            },
            SiteKind::Jobs => format!("{name} Jobs"),
            SiteKind::Shop => format!("{name} Store"),
        }
    }

    /// A link to a page of this site.
    pub(super) fn link(&mut self, to: Page, text: &str, class: &str) {
        let target = url(&self.campus.setting, self.grounds, to);
        self.link_to(&target, text, class);
    }

    /// A link to a page of any site.
    pub(super) fn link_away(&mut self, to: Page, text: &str, class: &str) {
        let grounds = Grounds::new(&self.campus.shape, to.site);
        let target = url(&self.campus.setting, &grounds, to);
        self.link_to(&target, text, class);
    }

    /// Prose about a topic; `share` is the share of topical words.
    pub(super) fn prose(&self, about: Option<About>, share: f32) -> Prose {
        let mut mixture: Vec<(TopicId, f32)> = Vec::new();
        if let Some(about) = about {
            mixture.push((about.main, if about.second.is_some() { share * 0.7 } else { share }));
            mixture.extend(about.second.map(|second| (second, share * 0.4)));
        }
        // Every text mentions something else now and then.
        let stray = self.dice.of("aside").below(topics().len() as u64);
        mixture.push((TopicId(stray as u16), 0.02));
        Prose::of(self.language(), mixture)
    }

    /// `<p>` with this many sentences.
    pub(super) fn paragraph(&mut self, prose: &Prose, place: &str, sentences: u64) {
        self.open("p", "");
        self.sentences(prose, place, sentences);
        self.close("p");
    }

    /// A count of sentences or entries as this author would have it: some write three lines, some three screens.
    pub(super) fn scaled(&self, count: u64) -> u64 {
        ((count as f64 * self.wordy).round() as u64).max(1)
    }

    /// Sentences without markup.
    pub(super) fn sentences(&mut self, prose: &Prose, place: &str, sentences: u64) {
        let text = prose.paragraph_text(self.dice.of(place), self.scaled(sentences) as usize);
        self.text(&text);
    }

    /// A title of the given prose.
    pub(super) fn title(&self, prose: &Prose, dice: Dice) -> String {
        prose.title_text(dice)
    }

    pub(super) fn teacher(&self, dept: u32, who: u32) -> String {
        self.named("teacher", dept, who)
    }

    pub(super) fn student(&self, dept: u32, who: u32) -> String {
        self.named("student", dept, who)
    }

    /// Names are drawn by the same dice as the handles in URLs, so that they match.
    fn named(&self, role: &str, dept: u32, who: u32) -> String {
        let mut out = String::new();
        if let Some(department) = self.grounds.department(dept) {
            person_in(self.language(), department.dice.of(role).at(who.into()), &mut out);
        }
        out
    }

    /// The name of a topic in the language of the page.
    pub(super) fn label(&self, topic: TopicId) -> &'static str {
        let Some(topic) = topics().get(usize::from(topic.0)) else { return "" };
        self.say(&topic.label_en, &topic.label_zh)
    }

    /// The department's name.
    pub(super) fn department_name(&self, dept: u32) -> String {
        let branch = self.grounds.department(dept).map_or(0, |department| department.branch);
        let name = if branch == super::shape::computing() {
            self.say("Computer Science", "计算机科学")
        } else {
            self.branch(branch)
        };
        if self.is_chinese() { format!("{name}系") } else { format!("Department of {name}") }
    }

    /// A heading and what follows, as this look does it.
    pub(super) fn section(&mut self, heading: &str, write: impl FnOnce(&mut Self)) {
        match self.look {
            CampusDesign::Plain => {
                self.raw("<hr>\n");
                self.element("h2", "", heading);
                write(self);
            }
            CampusDesign::Table | CampusDesign::Definitions if !self.in_sections => {
                self.element("h3", "", heading);
                write(self);
            }
            CampusDesign::Table => {
                self.raw("<tr><td class=\"lbl\" valign=\"top\" width=\"140\"><b>");
                self.text(heading);
                self.raw("</b></td><td class=\"val\">");
                write(self);
                self.raw("</td></tr>\n");
            }
            CampusDesign::Blocks => {
                self.open("div", "block");
                self.element("h3", "block-title", heading);
                write(self);
                self.close("div");
            }
            CampusDesign::Definitions => {
                self.element("dt", "", heading);
                self.open("dd", "");
                write(self);
                self.close("dd");
            }
        }
    }

    /// Around a run of sections.
    pub(super) fn sections(&mut self, write: impl FnOnce(&mut Self)) {
        let (open, close) = match self.look {
            CampusDesign::Plain => ("", ""),
            CampusDesign::Table => ("<table class=\"info\" border=\"0\" cellpadding=\"4\">\n", "</table>\n"),
            CampusDesign::Blocks => ("<div class=\"blocks\">\n", "</div>\n"),
            CampusDesign::Definitions => ("<dl class=\"entry\">\n", "</dl>\n"),
        };
        self.raw(open);
        self.in_sections = true;
        write(self);
        self.in_sections = false;
        self.raw(close);
    }

    /// Writes the complete page: head, header, navigation, the content, footer.
    pub(super) fn finish(mut self, title: &str, write: impl FnOnce(&mut Self)) -> Answer {
        let site_name = self.site_name();
        self.head(title, &site_name);
        match self.look {
            CampusDesign::Plain => {
                self.raw("<body bgcolor=\"#ffffff\">\n");
                self.element("h1", "", title);
                self.navigation(" | ");
                self.raw("<p>\n");
            }
            CampusDesign::Table => {
                self.raw(
                    "<body><table width=\"100%\" class=\"layout\"><tr><td class=\"banner\" colspan=\"2\">",
                );
                self.element("b", "", &site_name);
                self.raw("</td></tr><tr><td class=\"menu\" valign=\"top\" width=\"160\">\n");
                self.navigation("<br>\n");
                self.raw("</td><td class=\"content\" valign=\"top\">\n");
                self.element("h2", "page-title", title);
            }
            CampusDesign::Blocks | CampusDesign::Definitions => {
                self.raw("<body class=\"page\"><div id=\"header\"><span class=\"site\">");
                self.text(&site_name);
                self.raw("</span></div>\n<div id=\"nav\" class=\"menu\">\n");
                self.navigation("\n");
                self.raw("</div>\n<div id=\"main\" class=\"content\">\n");
                self.element("h1", "", title);
            }
        }
        write(&mut self);
        self.tail();
        self.campus.setting.page(self.charset, self.html)
    }

    fn head(&mut self, title: &str, site_name: &str) {
        let is_plain = self.look == CampusDesign::Plain;
        self.raw(if is_plain { "" } else { "<!DOCTYPE html>\n" });
        let lang = if is_plain { ("", "") } else { ("lang", self.form.code()) };
        self.html.open("html", &[lang]);
        self.raw("<head>");
        if self.charset != Charset::Utf8 || !is_plain {
            let content = format!("text/html; charset={}", self.charset.label());
            self.html.open("meta", &[("http-equiv", "Content-Type"), ("content", &content)]);
        }
        let long = if is_plain { title.to_owned() } else { format!("{title} - {site_name}") };
        self.element("title", "", &long);
        if self.look == CampusDesign::Blocks {
            self.raw("<link rel=\"stylesheet\" href=\"/style/main.css\">\n");
            self.html.open("meta", &[("name", "description"), ("content", title)]);
        }
        self.raw("</head>\n");
    }

    fn navigation(&mut self, joint: &str) {
        let home = Page::of(self.page.site, Kind::Home);
        let mut entries: Vec<(Page, String)> = Vec::new();
        match self.campus.shape.kind(self.page.site) {
            _ if matches!(self.page.kind, Kind::HubHome | Kind::HubList) => {
                entries.push((Page::of(0, Kind::HubHome), "Directory".to_owned()));
            }
            SiteKind::University => {
                entries.push((home, self.say("Home", "首页").to_owned()));
                if self.page.kind.is_of_department() {
                    let dept = self.page.dept;
                    entries.push((Page { dept, ..home }.to(Kind::DeptHome, 0), self.department_name(dept)));
                    for (kind, english, chinese) in [
                        (Kind::CourseIndex, "Courses", "课程"),
                        (Kind::FacultyList, "People", "师资"),
                        (Kind::ProjectList, "Research", "科研"),
                    ] {
                        entries
                            .push((Page { dept, ..home }.to(kind, 0), self.say(english, chinese).to_owned()));
                    }
                }
                entries.push((home.to(Kind::NewsList, 0), self.say("News", "新闻").to_owned()));
                let infos = self.grounds.university().map_or(0, |university| university.infos);
                for (a, name) in (0..infos.min(4)).zip(INFOS) {
                    entries.push((home.to(Kind::Info, a), capitalised(name)));
                }
            }
            SiteKind::Jobs | SiteKind::Shop => {
                entries.push((home.to(Kind::MarketHome, 0), "Home".to_owned()));
                for (a, name) in (0..4).zip(["About us", "Help", "Terms", "Contact"]) {
                    entries.push((home.to(Kind::MarketInfo, a), name.to_owned()));
                }
            }
        }
        for (n, (page, text)) in entries.into_iter().enumerate() {
            if n > 0 {
                self.raw(joint);
            }
            self.link(page, &text, "");
        }
    }

    fn tail(&mut self) {
        let (setting, place) = (&self.campus.setting, self.dice);
        if let Some(calendar) = setting.calendar(place) {
            self.html.link(&calendar, self.say("Calendar of events", "校历"), &[("class", "cal")]);
        }
        if let Some(login) = setting.login_wall(place, "/") {
            self.html.link(&login, self.say("Staff login", "登录"), &[("class", "login")]);
        }
        let is_detail = matches!(self.page.kind, Kind::Syllabus | Kind::News | Kind::Item | Kind::Project);
        let print = setting.print_view(place, &self.here).filter(|_| is_detail);
        if let Some(print) = print {
            self.html.link(&print, self.say("Printable version", "打印"), &[("rel", "nofollow")]);
        }
        if self.campus.shape.kind(self.page.site) != SiteKind::University {
            setting.ad(place, "campus", &mut self.html);
        }
        let year = 2004 + place.of("year").below(8);
        let closing = match self.look {
            CampusDesign::Plain => "<hr><address>",
            CampusDesign::Table => "</td></tr><tr><td colspan=\"2\" class=\"foot\"><address>",
            CampusDesign::Blocks | CampusDesign::Definitions => "</div>\n<div id=\"footer\"><address>",
        };
        self.raw(closing);
        self.text(self.say("Last modified ", "最后更新 "));
        self.text(&format!(
            "{year}-{:02}-{:02}",
            place.of("month").between(1, 12),
            place.of("day").between(1, 28)
        ));
        let name = self.site_name();
        self.text(&format!(", webmaster, {name}"));
        self.raw(match self.look {
            CampusDesign::Plain => "</address></body></html>\n",
            CampusDesign::Table => "</address></td></tr></table></body></html>\n",
            CampusDesign::Blocks | CampusDesign::Definitions => "</address></div></body></html>\n",
        });
    }
}
