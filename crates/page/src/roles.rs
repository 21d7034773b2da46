//! What an element means for text and links, decided once per name.

use html5ever::{local_name, ns};

use crate::tree::{NameId, Tree};

/// What has to be done at an element.
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
    /// Nothing inside is part of the page's text or links.
    Skip,
}

/// What an element's name tells.
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
        Self(tree.names().iter().map(|name| role(&name.ns, &name.local)).collect())
    }

    pub(crate) fn of(&self, name: NameId) -> Role {
        self.0.get(name.0 as usize).copied().unwrap_or(Role { task: Task::None, block: false, hidden: false })
    }
}

fn role(ns: &html5ever::Namespace, local: &html5ever::LocalName) -> Role {
    let task = match *ns {
        ns!(html) => html_task(local),
        ns!(svg) if *local == local_name!("a") => Task::Anchor,
        // Titles and descriptions of drawings are not shown; their styles and scripts are none of ours.
        _ => match &**local {
            "title" | "desc" | "metadata" | "style" | "script" => Task::Skip,
            _ => Task::None,
        },
    };
    let html = *ns == ns!(html);
    Role { task, block: html && is_block(local), hidden: html && *local == local_name!("noscript") }
}

fn html_task(local: &html5ever::LocalName) -> Task {
    match *local {
        local_name!("html") => Task::Html,
        local_name!("base") => Task::Base,
        local_name!("meta") => Task::Meta,
        local_name!("link") => Task::Head,
        local_name!("title") => Task::Title,
        local_name!("a") => Task::Anchor,
        local_name!("area") => Task::Area,
        local_name!("frame") | local_name!("iframe") => Task::Frame,
        local_name!("img") => Task::Image,
        local_name!("picture") => Task::Picture,
        local_name!("source") => Task::Source,
        local_name!("br") => Task::Break,
        local_name!("script")
        | local_name!("style")
        | local_name!("template")
        | local_name!("noframes")
        | local_name!("noembed") => Task::Skip,
        _ => Task::None,
    }
}

/// Elements that stand on lines of their own, table cells and list items among them.
fn is_block(local: &html5ever::LocalName) -> bool {
    matches!(
        *local,
        local_name!("address")
            | local_name!("article")
            | local_name!("aside")
            | local_name!("blockquote")
            | local_name!("body")
            | local_name!("button")
            | local_name!("caption")
            | local_name!("center")
            | local_name!("dd")
            | local_name!("details")
            | local_name!("dialog")
            | local_name!("dir")
            | local_name!("div")
            | local_name!("dl")
            | local_name!("dt")
            | local_name!("fieldset")
            | local_name!("figcaption")
            | local_name!("figure")
            | local_name!("footer")
            | local_name!("form")
            | local_name!("frameset")
            | local_name!("h1")
            | local_name!("h2")
            | local_name!("h3")
            | local_name!("h4")
            | local_name!("h5")
            | local_name!("h6")
            | local_name!("header")
            | local_name!("hgroup")
            | local_name!("hr")
            | local_name!("html")
            | local_name!("legend")
            | local_name!("li")
            | local_name!("listing")
            | local_name!("main")
            | local_name!("menu")
            | local_name!("nav")
            | local_name!("ol")
            | local_name!("optgroup")
            | local_name!("option")
            | local_name!("p")
            | local_name!("plaintext")
            | local_name!("pre")
            | local_name!("search")
            | local_name!("section")
            | local_name!("select")
            | local_name!("summary")
            | local_name!("table")
            | local_name!("tbody")
            | local_name!("td")
            | local_name!("textarea")
            | local_name!("tfoot")
            | local_name!("th")
            | local_name!("thead")
            | local_name!("tr")
            | local_name!("ul")
            | local_name!("xmp")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_found() {
        for name in ["address", "li", "td", "xmp", "h6"] {
            assert!(is_block(&name.into()), "{name}");
        }
        for name in ["a", "span", "svg", "br", "x-y"] {
            assert!(!is_block(&name.into()), "{name}");
        }
    }
}
