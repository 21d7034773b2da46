//! Pages, one file each, and what they share.

pub(crate) mod crawl;
pub(crate) mod curve;
pub(crate) mod home;
pub(crate) mod item;
pub(crate) mod lab;
pub(crate) mod login;
pub(crate) mod rate;
pub(crate) mod search;
pub(crate) mod sitemap;
pub(crate) mod topic;

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use osprey_engine::Service;
pub(crate) use osprey_engine::{counted, grouped};

use crate::app::App;
use crate::assets;

/// Where in a project a page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    Search,
    Crawl,
    Sitemap,
    Topic,
}

impl Room {
    const ALL: [(Self, &'static str, &'static str); 4] = [
        (Self::Search, "Search", ""),
        (Self::Crawl, "Crawl", "crawl"),
        (Self::Sitemap, "Sitemap", "sitemap"),
        (Self::Topic, "Topic", "topic"),
    ];
}

/// A page: its title, its content, its scripts.
pub(crate) struct Page<'a> {
    pub(crate) title: &'a str,
    pub(crate) place: Option<(&'a Service, Room)>,
    pub(crate) scripts: &'static [&'static str],
    /// More of its head.
    pub(crate) head: Markup,
    pub(crate) body: Markup,
}

/// An SVG file: a drawing has its style inside, which pages may not.
pub(crate) fn drawing(svg: String) -> Response {
    let content = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
    ([(header::CONTENT_TYPE, "image/svg+xml"), (header::CONTENT_SECURITY_POLICY, content)], svg)
        .into_response()
}

/// The whole of a page.
pub(crate) fn page(app: &App, page: &Page<'_>) -> Markup {
    let several = app.projects().count() > 1;
    html! {
        (DOCTYPE)
        html lang="en" {
            (head(page.title, page.scripts, &page.head))
            body {
                a.skip href="#main" { "Skip to content" }
                header.top {
                    a.brand href="/" { (bird()) "Osprey" }
                    @if let Some((project, here)) = page.place {
                        nav aria-label="Project" {
                            @if several { span.project { (project.name()) } }
                            @for (room, name, path) in Room::ALL {
                                @let current = (room == here).then_some("page");
                                a href={ "/p/" (project.name()) "/" (path) } aria-current=[current] { (name) }
                            }
                        }
                    }
                    nav.rest aria-label="Server" {
                        @if app.options.lab.is_some() { a href="/lab" { "Lab" } }
                        @if app.guard.has_token() {
                            form method="post" action="/logout" {
                                (csrf(app))
                                button.plain type="submit" { "Log out" }
                            }
                        }
                    }
                }
                main #main { (page.body) }
            }
        }
    }
}

fn head(title: &str, scripts: &[&str], more: &Markup) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            title { (title) " - Osprey" }
            link rel="icon" href=(assets::address("icon.svg")) type="image/svg+xml";
            link rel="stylesheet" href=(assets::address("style.css"));
            @for script in scripts {
                script type="module" src=(assets::address(script)) {}
            }
            (more)
        }
    }
}

/// A page with a message only, for errors.
pub(crate) fn plain(status: &StatusCode, message: &str) -> Markup {
    let title = status.canonical_reason().unwrap_or("Error");
    html! {
        (DOCTYPE)
        html lang="en" {
            (head(title, &[], &html! {}))
            body {
                header.top { a.brand href="/" { (bird()) "Osprey" } }
                main #main {
                    h1 { (title) }
                    p.trouble role="alert" { (message) }
                    p { a href="/" { "Start page" } }
                }
            }
        }
    }
}

/// The CSRF token of a form.
pub(crate) fn csrf(app: &App) -> Markup {
    html! { input type="hidden" name="csrf" value=(app.guard.csrf()); }
}

fn bird() -> Markup {
    PreEscaped(include_str!("../../assets/icon.svg").replacen(
        "<svg ",
        "<svg aria-hidden=\"true\" class=\"bird\" ",
        1,
    ))
}

/// The beginning of a text that may be of any length, as the Web has it.
pub(crate) fn cut(text: &str, most: usize) -> std::borrow::Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => text.into(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()).into(),
    }
}

/// An address with parameters; those that are empty are left out.
pub(crate) fn address(path: &str, parameters: &[(&str, &str)]) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in parameters.iter().filter(|(_, value)| !value.is_empty()) {
        query.append_pair(name, value);
    }
    let query = query.finish();
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}

/// The address of a document's own page.
pub(crate) fn item_address(project: &Service, url: &str) -> String {
    address(&format!("/p/{}/item", project.name()), &[("url", url)])
}

/// The address of a search in a project.
pub(crate) fn search_address(project: &Service, query: &str) -> String {
    address(&format!("/p/{}/", project.name()), &[("q", query)])
}

/// A link to a page of the Web, without a referrer; plain text if the address is not HTTP.
pub(crate) fn outside(url: &str, text: &str) -> Markup {
    let is_web = url.starts_with("http://") || url.starts_with("https://");
    html! {
        @if is_web { a href=(url) rel="noopener noreferrer nofollow external" { (text) } } @else { (text) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(cut("röse", 4), "röse");
        assert_eq!(cut("röse", 2), "rö…");
    }

    #[test]
    fn addresses_are_escaped() {
        assert_eq!(address("/p/x/", &[("q", "a b&c=\"d\""), ("like", "")]), "/p/x/?q=a+b%26c%3D%22d%22");
        assert_eq!(address("/p/x/", &[]), "/p/x/");
        assert_eq!(outside("javascript:alert(1)", "<b>").into_string(), "&lt;b&gt;");
        assert!(outside("http://x/\"y", "t").into_string().contains("http://x/&quot;y"));
    }
}
