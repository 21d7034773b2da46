//! The learned site: its page types as a graph, and which of them are wanted.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::{Redirect, Response};
use maud::{Markup, html};
use osprey_engine::{Error, Service};

use super::{Page, Room, csrf, grouped, outside, page};
use crate::api::sitemap::SitemapView;
use crate::app::App;
use crate::error::Failure;
use crate::posted::{Posted, wanted};

/// What can be said of a type.
const CHOICES: [(&str, &str, Option<bool>); 3] =
    [("yes", "wanted", Some(true)), ("no", "unwanted", Some(false)), ("", "neutral", None)];

/// `GET /p/{name}/sitemap`
pub(crate) async fn get(State(app): State<Arc<App>>, Path(name): Path<String>) -> Result<Markup, Failure> {
    let project = app.project(&name)?;
    let asked = Arc::clone(&project);
    let sitemap = app.work(move || SitemapView::of(&asked)).await?;
    let body = html! {
        h1 { "Sitemap" }
        @match &sitemap {
            None => p.trouble { "No site model yet: run " code { "osprey learn" } " on this project." },
            Some(sitemap) => (known(&app, &project, sitemap)),
        }
    };
    let place = Some((&*project, Room::Sitemap));
    Ok(page(&app, &Page { title: "Sitemap", place, scripts: &["sitemap.js"], head: html! {}, body }))
}

/// The graph for those who do not see it.
fn in_words(sitemap: &SitemapView) -> String {
    let name = |number: u32| {
        sitemap.types.iter().find(|kind| kind.number == number).map_or("?", |kind| kind.name.as_str())
    };
    let links = sitemap.links.iter().take(12).map(|link| format!("{} to {}", name(link.from), name(link.to)));
    format!("Page types and how they link: {}", links.collect::<Vec<_>>().join(", "))
}

/// `GET /p/{name}/sitemap.svg`
pub(crate) async fn drawing(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
) -> Result<Response, Failure> {
    let svg = app.ask(&name, |project| Ok(project.sitemap_drawing())).await?;
    let svg = svg.ok_or_else(|| Error::NotFound("no site model yet".to_owned()))?;
    Ok(super::drawing(svg))
}

fn known(app: &App, project: &Service, sitemap: &SitemapView) -> Markup {
    html! {
        p { "Crawls skip links that lead to unwanted types. Policies with a target follow links that lead to wanted types." }
        figure.graph { img src={ "/p/" (project.name()) "/sitemap.svg" } alt=(in_words(sitemap)); }
        div.wide {
            table {
                thead { tr {
                    th scope="col" { "Type" } th scope="col" { "Label" } th.number scope="col" { "Pages" }
                    th scope="col" { "Examples" } th scope="col" { "Wanted" }
                } }
                tbody {
                    @for kind in &sitemap.types {
                        tr data-type=(kind.number) {
                            th scope="row" { (kind.name) }
                            td { (kind.label) }
                            td.number { (grouped(kind.pages as u64)) }
                            td.long { @for url in kind.examples.iter().take(2) { (outside(url, url)) br; } }
                            td {
                                form.toggle method="post" action={ "/p/" (project.name()) "/sitemap" } {
                                    (csrf(app))
                                    input type="hidden" name="type" value=(kind.number);
                                    @for (value, text, wanted) in CHOICES {
                                        @let pressed = kind.wanted == wanted;
                                        button type="submit" name="wanted" value=(value) aria-pressed=(pressed) aria-label={ (kind.name) ": " (text) } { (text) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// `POST /p/{name}/sitemap`
pub(crate) async fn post(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    posted: Posted,
) -> Result<Redirect, Failure> {
    let number = wanted(&posted, "type")?;
    let number: u32 = number
        .parse()
        .map_err(|_| Error::Usage(format!("invalid page type `{number}`; expected a number")))?;
    let given = posted.one("wanted").unwrap_or_default();
    let choice = CHOICES.iter().find(|(value, ..)| *value == given);
    let wanted = choice
        .ok_or_else(|| Error::Usage(format!("invalid value `{given}`; expected yes, no or nothing")))?
        .2;
    app.ask(&name, move |project| project.set_wanted(number, wanted)).await?;
    Ok(Redirect::to(&format!("/p/{name}/sitemap")))
}
