//! Where a text stands on its page: in a link, in a menu or bar, in the line that says which part of the site this is.

use osprey_page::NodeRef;

/// Roles of what is around the content of a page.
const FRAME_ROLES: [&str; 5] = ["navigation", "banner", "contentinfo", "complementary", "search"];
/// Words in the names (classes, ids) of the same.
const FRAME_NAMES: [&str; 8] =
    ["nav", "navbar", "navigation", "menu", "sidebar", "footer", "widget", "widgets"];
/// In the name of the line that says which part of the site a page is in.
const TRAIL_NAME: &str = "breadcrumb";
/// Elements from a text up that are looked at.
const MAX_DEPTH: usize = 40;

/// Where a text stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) is_link: bool,
    /// The page itself says that it is no content: a menu, a bar, a footer.
    pub(super) is_frame: bool,
    /// It names the part of the site that the page is in.
    pub(super) is_trail: bool,
}

impl Place {
    /// Of a text: by the elements and roles of HTML, or by what classes and ids around it are called everywhere. What is in an
    /// article is content.
    pub(super) fn of(text: NodeRef<'_>) -> Self {
        let mut place = Self::default();
        for node in std::iter::successors(Some(text), |node| node.parent()).take(MAX_DEPTH) {
            let Some(name) = node.name() else { continue };
            match name {
                "article" | "main" | "body" => break,
                "a" => place.is_link = true,
                "nav" | "header" | "footer" | "aside" => place.is_frame = true,
                _ => place.is_frame |= node.attr("role").is_some_and(|role| FRAME_ROLES.contains(&role)),
            }
            let names = ["class", "id", "aria-label"].into_iter().filter_map(|name| node.attr(name));
            for names in names {
                if has(names, TRAIL_NAME) {
                    return Self { is_trail: true, is_frame: false, ..place };
                }
                place.is_frame |= is_frame_name(names);
            }
            if node.attr("role") == Some("main") {
                break;
            }
        }
        place
    }
}

fn has(names: &str, part: &str) -> bool {
    names.len() >= part.len()
        && names.as_bytes().windows(part.len()).any(|window| window.eq_ignore_ascii_case(part.as_bytes()))
}

/// `top-nav`, `footer_widgets`: whether a word of a name is that of a frame.
fn is_frame_name(names: &str) -> bool {
    let mut words = names.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| FRAME_NAMES.iter().any(|name| word.eq_ignore_ascii_case(name)))
}

#[cfg(test)]
mod tests {
    use osprey_model::{CanonicalUrl, UrlRules};
    use osprey_page::{Input, Page, PageRules};

    use super::*;

    #[test]
    fn menus_and_trails_are_told_from_content() {
        let check = |html: &str, expect: Place| {
            let url = CanonicalUrl::parse("http://a.example/", &UrlRules::default()).unwrap();
            let input = Input { url: &url, content_type: None, body: html.as_bytes() };
            let page = Page::parse(&input, &PageRules::default());
            let pair = page.psnv().iter().find(|pair| page.psnv_value(pair) == "x").unwrap();
            assert_eq!(Place::of(page.tree().node(pair.node).unwrap()), expect, "{html}");
        };
        let (content, frame) = (Place::default(), Place { is_frame: true, ..Place::default() });
        check("<p>x", content);
        check("<nav><p>x", frame);
        check("<div class='Site-Footer wide'><p>x", frame);
        check("<div role=navigation><p>x", frame);
        check("<div class=navigator><p>x", content);
        check("<article><footer><p>x", frame);
        check("<footer><article><p>x", content);
        check("<div class=sidebar><main><p>x", content);
        let trail = Place { is_trail: true, is_link: true, is_frame: false };
        check("<ul class=breadcrumb_nav><li><a href=/x>x</a></ul>", trail);
        check("<nav aria-label=Breadcrumb><a href=/x>x</a></nav>", trail);
        check("<a href=/x>x</a>", Place { is_link: true, ..content });
    }
}
