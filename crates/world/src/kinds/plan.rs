//! The description of a site besides its table ([`super::site_map`]): for each class of things how many there are, how
//! they are named and what they are about, and the content of their pages. [`super::hosted`] does the rest.

use osprey_model::CanonicalUrl;

use super::ground::Ground;
use super::members::Members;
use super::site_map::{PageId, PageKind};
use super::writer::PageWriter;
use crate::WorldTopic;
use crate::nasty::Setting;
use crate::routes::fill;
use crate::site::{Answer, Truth};

/// The classes of a plan's pages.
pub(crate) type ClassOf<P> = <<P as Plan>::Page as PageKind>::Class;

/// The plan of a site: which pages exist, what is on them, and who made them.
pub(crate) trait Plan: Sized + Send + Sync {
    /// The kinds of page.
    type Page: PageKind;

    /// The start page.
    const HOME: Self::Page;

    /// The site's name.
    const BRAND: &'static str;

    /// Whether every list offers its other orders, in worlds with duplicates; else some do.
    const ALWAYS_SORTED: bool = false;

    /// The paths that robots may not see.
    const DISALLOWED: &'static [&'static str] = &["/cgi-bin/"];

    /// The query parameter that pages of lists have.
    const PAGE_PARAM: &'static str = "page";

    /// The number that addresses give the first part of a member.
    const FIRST_PART: u64 = 0;

    /// What the chance of users is drawn for.
    const USERS: &'static str = "user";

    /// What a person who looks for a topic would fetch besides [`Plan::topic_lists`]: items, and what lies between them and
    /// the lists.
    const ITEMS: &'static [Self::Page] = &[];

    /// The plan for a setting.
    fn new(setting: Setting) -> Self;

    /// The site's ground: its host, settings and topics.
    fn ground(&self) -> &Ground;

    /// What there is of a class.
    fn class(&self, class: ClassOf<Self>) -> Members<'_>;

    /// The members in the order of the list of all pages.
    fn listed(&self, class: ClassOf<Self>) -> Box<dyn Iterator<Item = u64> + '_> {
        Box::new(self.class(class).listed)
    }

    /// How many parts a member has, for kinds with parts.
    fn parts(&self, _kind: Self::Page, _id: u64) -> u64 {
        1
    }

    /// The last page of a page's list: 1 for a page that is not a list, 0 for a page that does not exist.
    fn last_page(&self, _page: PageId<Self::Page>) -> u64 {
        1
    }

    /// Appends the name of a member in addresses.
    fn write_id(&self, kind: Self::Page, id: u64, out: &mut String);

    /// The member of this name; may be generous, since the address is written again and compared.
    fn read_id(&self, kind: Self::Page, name: &str) -> Option<u64>;

    /// The kind and member that a name identifies, for sites that number everything in one series.
    fn read_any(&self, _name: &str) -> Option<(Self::Page, u64)> {
        None
    }

    /// Appends a word that decorates an address.
    fn write_word(&self, _slot: &str, _page: PageId<Self::Page>, _out: &mut String) {}

    /// Reads such a word, where it carries information.
    fn read_word(&self, _slot: &str, _word: &str, _page: &mut PageId<Self::Page>) -> Option<()> {
        Some(())
    }

    /// The names of the topics of a member, the main one first.
    fn topics(&self, class: ClassOf<Self>, id: u64) -> Vec<String> {
        let topic = self.class(class).topic(id);
        topic.map(|topic| self.ground().name(topic)).into_iter().collect()
    }

    /// Whether a user is a spammer; `None` is not.
    fn is_spammer(&self, user: Option<u64>) -> bool {
        let dice = self.ground().setting.dice.of(Self::USERS);
        user.is_some_and(|user| self.ground().is_spammer(dice.at(user)))
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

    /// Writes the page from [`PageWriter::begin`] on; [`PageWriter::end`] is written after it.
    fn write(&self, page: PageId<Self::Page>, out: &mut PageWriter<'_, Self>);

    /// Writes the side boxes.
    fn aside(&self, out: &mut PageWriter<'_, Self>);

    /// A path like those of the site's pages, but without a page.
    fn gone(&self, draw: u64) -> String;

    /// The page that another path redirects to, and the status it does so with.
    fn shortcut(&self, _path: &str) -> Option<(u16, PageId<Self::Page>)> {
        None
    }

    /// What is at a URL that is not a page: pictures.
    fn picture(&self, _url: &CanonicalUrl) -> Option<Answer> {
        None
    }

    /// The truth about a URL that is not a page.
    fn picture_truth(&self, _url: &CanonicalUrl) -> Option<Truth> {
        None
    }

    /// The topics.
    fn world_topics(&self) -> Vec<WorldTopic> {
        self.ground().world_topics()
    }

    /// The lists of a topic, where a person who knows the site would begin; none if it has none.
    fn topic_lists(&self, _topic: usize) -> Vec<PageId<Self::Page>> {
        Vec::new()
    }

    /// Appends the path and query of a page. Follows from the table.
    fn path(&self, page: PageId<Self::Page>, out: &mut String) {
        let start = out.len();
        let mut is_paged = page.page <= 1;
        fill(page.kind.row().address, out, |slot, out| match slot {
            "" => self.write_id(page.kind, page.id, out),
            "part" => push_number(Self::FIRST_PART.saturating_add(page.part), out),
            "page" => {
                is_paged = true;
                push_number(page.page, out);
            }
            word => self.write_word(word, page, out),
        });
        if !is_paged {
            out.push(if out.get(start..).is_some_and(|path| path.contains('?')) { '&' } else { '?' });
            out.push_str(Self::PAGE_PARAM);
            out.push('=');
            push_number(page.page, out);
        }
    }
}

fn push_number(number: u64, out: &mut String) {
    use std::fmt::Write as _;
    // writing to a string cannot fail
    let _ = write!(out, "{number}");
}
