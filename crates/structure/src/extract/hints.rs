//! The structured data of a page, as far as it fills fields of a record.
//!
//! A page describes many things: its site, its publisher, its breadcrumbs, related items. Only an item about the
//! subject of the page counts: an item of a content type, and of several the one whose name is in the page's title. An
//! author that is an organisation repeats the publisher and does not count. Sites may publish wrong data, such as the
//! same title on all pages; therefore rules name the data that they trust ([`Trust`]).

use std::collections::{BTreeMap, BTreeSet};

use osprey_page::Page;

use super::counts::number;
use super::record::{Record, add, add_named, long, short};
use super::rules::Trust;
use super::structured::{Item, Items, Value, meta_properties};
use super::text::words;

/// Types of items that are not what a page is about.
const SCENERY: &[&str] = &[
    "Organization",
    "WebSite",
    "WebPage",
    "CollectionPage",
    "SearchAction",
    "BreadcrumbList",
    "ListItem",
    "ItemList",
    "ImageGallery",
    "SiteNavigationElement",
    "WPHeader",
    "WPFooter",
    "WPSideBar",
    "Corporation",
    "NewsMediaOrganization",
    "AggregateRating",
    "Rating",
    "Offer",
    "Comment",
    "UserComments",
    "Review",
    "InteractionCounter",
    "ContactPoint",
    "PostalAddress",
    "Blog",
    "Brand",
];
/// Types of authors that are not persons.
const BODIES: &[&str] = &["Organization", "Corporation", "NewsMediaOrganization", "LocalBusiness", "WebSite"];

/// What a page declares about its subject.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hints {
    /// The name of its subject.
    pub title: Option<String>,
    /// Who made it.
    pub uploader: Option<String>,
    /// Where their name leads.
    pub uploader_url: Option<String>,
    /// Tags.
    pub tags: Vec<String>,
    /// A date.
    pub date: Option<String>,
    /// A description.
    pub description: Option<String>,
    /// Pictures.
    pub images: Vec<String>,
    /// Numbers by name.
    pub counts: BTreeMap<String, u64>,
    /// Other properties by name.
    pub fields: BTreeMap<String, Vec<String>>,
    /// The types of its subject.
    pub types: Vec<String>,
}

impl Hints {
    /// Reads the structured data of a page.
    pub fn of(page: &Page) -> Self {
        let mut hints = Self::default();
        let items = Items::of(page);
        if let Some(item) = subject(&items, page.title()) {
            hints.read_item(&items, item);
        }
        hints.read_metas(page);
        hints.read_links(page);
        hints
    }

    /// Fills a record with what is trusted.
    pub fn fill(&self, record: &mut Record, trusted: &BTreeSet<Trust>) {
        let trusts = |trust: Trust| trusted.contains(&trust);
        if trusts(Trust::Title) {
            record.title = self.title.as_deref().map(short);
        }
        if trusts(Trust::Uploader) {
            record.uploader = self.uploader.as_deref().map(short);
            record.uploader_url = self.uploader_url.clone();
        }
        if trusts(Trust::Date) {
            record.date = self.date.as_deref().map(short);
        }
        if trusts(Trust::Description) {
            record.description = self.description.as_deref().map(long);
        }
        if trusts(Trust::Tags) {
            self.tags.iter().for_each(|tag| add(&mut record.tags, tag));
        }
        if trusts(Trust::Images) {
            self.images.iter().for_each(|image| add(&mut record.images, image));
        }
        if trusts(Trust::Fields) {
            self.counts.iter().for_each(|(name, &count)| record.add_count(name, count));
            for (name, values) in &self.fields {
                values.iter().for_each(|value| add_named(&mut record.fields, name, value));
            }
        }
    }

    fn read_item(&mut self, items: &Items, item: &Item) {
        self.types.clone_from(&item.types);
        for (name, value) in &item.properties {
            let text = text_of(items, value);
            match (name.as_str(), text) {
                ("name" | "headline" | "title", Some(text)) => set(&mut self.title, text),
                ("author" | "creator" | "uploadedBy" | "user", _) => self.read_author(items, value),
                ("keywords" | "genre", Some(text)) if name == "keywords" => {
                    text.split([',', ';']).for_each(|tag| add(&mut self.tags, tag.trim()));
                }
                ("datePublished" | "uploadDate" | "dateCreated", Some(text)) => set(&mut self.date, text),
                ("description" | "abstract", Some(text)) => set(&mut self.description, text),
                ("image" | "contentUrl" | "thumbnailUrl", _) => {
                    if let Some(url) = url_of(items, value) {
                        add(&mut self.images, url);
                    }
                }
                ("interactionCount" | "commentCount", Some(text)) => {
                    if let Some(count) = number(text) {
                        self.counts
                            .entry(if name == "commentCount" { "comments" } else { "views" }.to_owned())
                            .or_insert(count);
                    }
                }
                (other, Some(text))
                    if !other.starts_with('@') && !matches!(other, "url" | "mainEntityOfPage" | "sameAs") =>
                {
                    add_named(&mut self.fields, other, text);
                }
                _ => {}
            }
        }
        self.tags.retain(|tag| !tag.is_empty());
    }

    /// The first author that is a person.
    fn read_author(&mut self, items: &Items, value: &Value) {
        let is_body = match value {
            Value::Item(number) => items.get(*number).is_some_and(|item| is_one_of(item, BODIES)),
            Value::Text(text) => text.contains("://"),
        };
        if self.uploader.is_none() && !is_body {
            self.uploader = text_of(items, value).map(str::to_owned);
            self.uploader_url = match value {
                Value::Item(number) => {
                    items.get(*number).and_then(|item| property(item, "url")).map(str::to_owned)
                }
                Value::Text(_) => None,
            };
        }
    }

    fn read_metas(&mut self, page: &Page) {
        let metas = meta_properties(page);
        let find = |names: &[&str]| {
            let mut found = names.iter().filter_map(|name| metas.iter().find(|(known, _)| known == name));
            found.next().map(|(_, content)| *content)
        };
        let is_site = find(&["og:type"]).is_some_and(|kind| kind.eq_ignore_ascii_case("website"));
        if let Some(title) = find(&["og:title", "twitter:title"]).filter(|_| !is_site) {
            set(&mut self.title, title);
        }
        let author = find(&["article:author", "author", "twitter:creator"]);
        if let Some(author) = author.filter(|author| !author.contains("://")) {
            set(&mut self.uploader, author.trim_start_matches('@'));
        }
        if let Some(date) = find(&["article:published_time", "date", "dc.date", "pubdate"]) {
            set(&mut self.date, date);
        }
        if let Some(description) = find(&["og:description", "twitter:description", "description"]) {
            set(&mut self.description, description);
        }
        if let Some(image) = find(&["og:image", "twitter:image"]).filter(|_| self.images.is_empty()) {
            add(&mut self.images, image);
        }
        if self.tags.is_empty() {
            let tags =
                metas.iter().filter(|(name, _)| matches!(name.as_str(), "article:tag" | "og:video:tag"));
            tags.for_each(|(_, tag)| add(&mut self.tags, tag));
        }
    }

    /// Links marked as a tag or an author. By an old convention categories are marked as tags too; they do not count.
    fn read_links(&mut self, page: &Page) {
        for link in page.links() {
            let Some(rel) = page.tree().node(link.node).and_then(|node| node.attr("rel")) else { continue };
            let has = |word: &str| rel.split_ascii_whitespace().any(|other| other.eq_ignore_ascii_case(word));
            let words = page.anchor(link);
            if has("tag") && !has("category") && !words.is_empty() {
                add(&mut self.tags, words);
            }
            if has("author") && self.uploader.is_none() && super::names::can_be_name(words) {
                self.uploader = Some(words.to_owned());
                self.uploader_url = Some(link.url.as_str().to_owned());
            }
        }
    }
}

fn set(slot: &mut Option<String>, value: &str) {
    if !value.trim().is_empty() {
        slot.get_or_insert_with(|| short(value.trim()));
    }
}

fn is_one_of(item: &Item, types: &[&str]) -> bool {
    item.types.iter().any(|name| types.contains(&name.as_str()))
}

/// The item that a page is about.
fn subject<'i>(items: &'i Items, title: &str) -> Option<&'i Item> {
    let title: BTreeSet<String> = words(title).into_iter().collect();
    let fits = |item: &Item| {
        let name = property(item, "headline").or_else(|| property(item, "name"));
        let name: BTreeSet<String> = name.map(words).unwrap_or_default().into_iter().collect();
        !name.is_empty() && 2 * name.intersection(&title).count() >= name.len()
    };
    let is_entity = |item: &&Item| {
        items.iter().any(|page| {
            page.properties.iter().any(|(name, value)| {
                matches!((name.as_str(), value), ("mainEntity", Value::Item(number)) if items.get(*number).is_some_and(|entity| std::ptr::eq(entity, *item)))
            })
        })
    };
    let candidates: Vec<&Item> = items
        .iter()
        .filter(|item| !item.types.is_empty() && !is_one_of(item, SCENERY))
        .filter(|item| item.is_top || is_entity(item))
        .collect();
    candidates
        .iter()
        .find(|item| fits(item))
        .or_else(|| candidates.first().filter(|_| title.is_empty()))
        .copied()
}

/// A property's text: of an item, its name.
fn text_of<'i>(items: &'i Items, value: &'i Value) -> Option<&'i str> {
    match value {
        Value::Text(text) => Some(text),
        Value::Item(number) => items.get(*number).and_then(|item| property(item, "name")),
    }
}

/// A property's address: of an item, its `url` or `contentUrl`.
fn url_of<'i>(items: &'i Items, value: &'i Value) -> Option<&'i str> {
    match value {
        Value::Text(text) => Some(text),
        Value::Item(number) => {
            items.get(*number).and_then(|item| property(item, "contentUrl").or_else(|| property(item, "url")))
        }
    }
}

/// The first text of a property.
fn property<'i>(item: &'i Item, name: &str) -> Option<&'i str> {
    item.properties.iter().find_map(|(known, value)| match value {
        Value::Text(text) if known == name => Some(text.as_str()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::page;
    use super::*;

    fn hints(head: &str, body: &str) -> Hints {
        Hints::of(&page(&format!("<title>Red boat - Site</title>{head}<body>{body}")))
    }

    fn ld(json: &str) -> String {
        format!("<script type='application/ld+json'>{json}</script>")
    }

    #[test]
    fn the_subject_is_separated_from_its_surroundings() {
        let json = r#"{"@graph":[{"@type":"Organization","name":"Site"},{"@type":"WebPage","name":"Red boat"},
            {"@type":"BlogPosting","headline":"Red boat","author":{"@type":"Person","name":"Ann","url":"http://a.example/ann"},
             "keywords":"red, boat","datePublished":"2010-01-02","image":{"url":"http://a.example/i.jpg"},"isbn":"12"}]}"#;
        let found = hints(&ld(json), "");
        assert_eq!(found.title.as_deref(), Some("Red boat"));
        assert_eq!(found.uploader.as_deref(), Some("Ann"));
        assert_eq!(found.uploader_url.as_deref(), Some("http://a.example/ann"));
        assert_eq!(found.tags, ["red", "boat"]);
        assert_eq!(found.images, ["http://a.example/i.jpg"]);
        assert_eq!(found.fields["isbn"], ["12"]);
    }

    #[test]
    fn an_organisation_is_not_an_author() {
        let json = r#"{"@type":"Article","name":"Red boat","author":{"@type":"Organization","name":"Site"}}"#;
        assert_eq!(hints(&ld(json), "").uploader, None);
        let other = r#"{"@type":"Article","name":"Another one","author":{"@type":"Person","name":"Bob"}}"#;
        assert_eq!(hints(&ld(other), "").uploader, None);
    }

    #[test]
    fn metas_and_links() {
        let head = "<meta property=og:title content='Red boat'><meta property=article:tag content=red>
            <meta name=author content=Ann>";
        let found = hints(head, "<a rel='tag' href=/t/blue>blue</a><a rel='category tag' href=/c>boats</a>");
        assert_eq!(found.title.as_deref(), Some("Red boat"));
        assert_eq!(
            (found.uploader.as_deref(), found.tags.as_slice()),
            (Some("Ann"), &["red".to_owned(), "blue".to_owned()][..])
        );
        let site = "<meta property=og:type content=website><meta property=og:title content='Site'>";
        assert_eq!(hints(site, "<a rel=author href=/ann>Ann</a>").title, None);
        assert_eq!(hints(site, "<a rel=author href=/ann>Ann</a>").uploader.as_deref(), Some("Ann"));
    }
}
