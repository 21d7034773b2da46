//! The role of an element for text and links, decided once per name.

use crate::tree::{NameId, Space, Tree};

/// What the walk does at an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    None,
    Html,
    Base,
    Meta,
    Head,
    Title,
    Anchor,
    Area,
    Frame,
    Image,
    Picture,
    Source,
    /// Shown as white space.
    Break,
    /// Nothing inside belongs to the page's text or links.
    Skip,
}

/// The role of an element, given its name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Role {
    pub(crate) task: Task,
    /// Starts and ends a line.
    pub(crate) block: bool,
    /// Its text is not shown.
    pub(crate) hidden: bool,
}

/// The roles of all names of a page.
pub(crate) struct Roles(Vec<Role>);

impl Roles {
    pub(crate) fn new(tree: &Tree) -> Self {
        Self(tree.names().iter().map(|name| role(name.0, name.1)).collect())
    }

    pub(crate) fn of(&self, name: NameId) -> Role {
        self.0.get(name.0 as usize).copied().unwrap_or(Role { task: Task::None, block: false, hidden: false })
    }
}

fn role(space: Space, local: &str) -> Role {
    let task = match space {
        Space::Html => html_task(local),
        Space::Svg if local == "a" => Task::Anchor,
        // Titles and descriptions inside SVG are not shown; styles and scripts are not text.
        _ => match local {
            "title" | "desc" | "metadata" | "style" | "script" => Task::Skip,
            _ => Task::None,
        },
    };
    let html = space == Space::Html;
    Role { task, block: html && is_block(local), hidden: html && local == "noscript" }
}

fn html_task(local: &str) -> Task {
    match local {
        "html" => Task::Html,
        "base" => Task::Base,
        "meta" => Task::Meta,
        "link" => Task::Head,
        "title" => Task::Title,
        "a" => Task::Anchor,
        "area" => Task::Area,
        "frame" | "iframe" => Task::Frame,
        "img" => Task::Image,
        "picture" => Task::Picture,
        "source" => Task::Source,
        "br" => Task::Break,
        "script" | "style" | "template" | "noframes" | "noembed" => Task::Skip,
        _ => Task::None,
    }
}

/// Elements that start on a line of their own, including table cells and list items.
fn is_block(local: &str) -> bool {
    matches!(
        local,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "body"
            | "button"
            | "caption"
            | "center"
            | "dd"
            | "details"
            | "dialog"
            | "dir"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "frameset"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "header"
            | "hgroup"
            | "hr"
            | "html"
            | "legend"
            | "li"
            | "listing"
            | "main"
            | "menu"
            | "nav"
            | "ol"
            | "optgroup"
            | "option"
            | "p"
            | "plaintext"
            | "pre"
            | "search"
            | "section"
            | "select"
            | "summary"
            | "table"
            | "tbody"
            | "td"
            | "textarea"
            | "tfoot"
            | "th"
            | "thead"
            | "tr"
            | "ul"
            | "xmp"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_found() {
        for name in ["address", "li", "td", "xmp", "h6"] {
            assert!(is_block(name), "{name}");
        }
        for name in ["a", "span", "svg", "br", "x-y"] {
            assert!(!is_block(name), "{name}");
        }
    }
}
