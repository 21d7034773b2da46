//! Parses bytes into a [`Page`]: character set, tree, text, links, path strings, XPaths. Parsing never fails; problems
//! become notes.
//!
//! ```
//! use osprey_model::{CanonicalUrl, UrlRules};
//! use osprey_page::{Input, Page, PageRules};
//!
//! let url = CanonicalUrl::parse("http://example.com/a/", &UrlRules::default()).unwrap();
//! let body = b"<title>Birds</title><p>See the <a class=pic href=osprey.html>osprey</a>.";
//! let page = Page::parse(&Input { url: &url, content_type: None, body }, &PageRules::default());
//! assert_eq!(page.title(), "Birds");
//! let link = &page.links()[0];
//! assert_eq!(link.url.as_str(), "http://example.com/a/osprey.html");
//! assert_eq!(page.anchor(link), "osprey");
//! assert_eq!(page.context(link), "See the osprey.");
//! assert_eq!(page.apath(link.apath), "/html/body/p/a[pic]");
//! assert_eq!(page.path_string(link.path_string), "<p><body><html>");
//! ```
//!
//! The stages: `charset` decodes; `tree` parses by the rules of the HTML standard, within [`Limits`]; `walk` goes over
//! the tree once and collects text, node values and `paths`; `resolve` turns references into URLs. A page keeps its
//! strings in a few large buffers, nodes and paths are numbers, and nothing is allocated per node.
//!
//! [`Sitemap`] reads the other bodies that contain links: sitemaps and feeds.
//!
//! Not supported: XML and plain text (they are read as HTML, which is rarely useful), style sheets and scripts. Text
//! that a style sheet hides counts as visible.

mod answer;
mod charset;
mod flow;
mod link;
mod metas;
mod page;
mod paths;
mod resolve;
mod roles;
mod rules;
mod sitemap;
mod tree;
mod walk;
mod words;

pub use answer::{is_page, read_page};
pub use link::{Image, Link, LinkKind, Rel, SkippedLinks};
pub use page::{Input, Page};
pub use paths::{ApathId, Counted, PathStringId, XpathId};
pub use rules::{Limits, Note, PageRules};
pub use sitemap::{Sitemap, SitemapEntry, SitemapImage, SitemapKind, SitemapNote, SitemapRules};
pub use tree::{AttrRef, NodeId, NodeKind, NodeRef, Scripting, Tree};
pub use walk::Psnv;
