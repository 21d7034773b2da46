//! The topic of a project: its tags and terms, related tags as a graph to edit, and terms proposed from example pages.
//! Saving writes to the project's `osprey.toml`.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::response::Redirect;
use maud::{Markup, html};
use osprey_engine::{BestPages, Result, Service, Topic, Uploaders, UsedTerm};
use serde::Deserialize;

use super::{Page, Room, counted, csrf, grouped, item_address, page};
use crate::api::topic::{ExpansionView, TagView, TermView, TermsView};
use crate::app::App;
use crate::error::Failure;
use crate::posted::Posted;

/// Uploaders to list.
const UPLOADERS: usize = 30;
/// Skipped tags to list.
const LEFT: usize = 15;
/// Best pages to show, unless more are asked for, and at most.
const BEST: usize = 20;
const MAX_BEST: usize = 200;
/// Terms of them to propose.
const PROPOSED: usize = 20;

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct TopicParams {
    /// Tags to expand, between commas.
    expand: String,
    /// Pages to take terms from, one a line.
    genre_pages: String,
    relevant_pages: String,
    /// Whether to list uploaders.
    uploaders: bool,
    /// How many of the best pages to show.
    best: Option<usize>,
}

fn lines(text: &str) -> Vec<String> {
    let parts = text.split(['\n', ',']).map(str::trim);
    parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// `GET /p/{name}/topic`
pub(crate) async fn get(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    Query(asked): Query<TopicParams>,
) -> Result<Markup, Failure> {
    let project = app.project(&name)?;
    let (tags, genre, relevant) =
        (lines(&asked.expand), lines(&asked.genre_pages), lines(&asked.relevant_pages));
    let of = Arc::clone(&project);
    let most = asked.best.map(|most| most.min(MAX_BEST));
    let (topic, expansion, terms, uploaders, best) = app
        .work(move || {
            let uploaders = asked.uploaders.then(|| of.project()?.uploaders());
            let expansion = (!tags.is_empty()).then(|| ExpansionView::of(&of, &tags));
            let wants_terms = !genre.is_empty() || !relevant.is_empty();
            let terms = wants_terms.then(|| TermsView::of(&of, &genre, &relevant));
            let best = most.map(|most| of.best_pages(most, PROPOSED));
            Ok((of.project()?.topic()?, expansion, terms, uploaders, best))
        })
        .await?;
    let body = html! {
        h1 { "Topic" }
        (current(&app, &project, &topic))
        h2 { "Best pages so far" }
        form.stack method="get" {
            input type="hidden" name="best" value=(BEST);
            button type="submit" { "Judge pages again" }
            span.hint { "Shows the most relevant pages with the topic as it is now, and terms to accept or drop." }
        }
        @if let Some(best) = &best { (tell(best, |best| best_pages(&app, &project, &topic, best))) }
        h2 { "Tags that go together" }
        form.stack method="get" {
            label for="expand" { "Start tags" }
            input #expand name="expand" value=(asked.expand) placeholder="beach, sea" required;
            button type="submit" { "Find tags" }
        }
        @if let Some(expansion) = &expansion { (tell(expansion, |expansion| expanded(&app, &project, &topic, expansion))) }
        h2 { "Uploaders" }
        form.stack method="get" {
            input type="hidden" name="uploaders" value="true";
            button type="submit" { "List uploaders" }
            span.hint { "By their rank for the topic, from all crawled records." }
        }
        @if let Some(uploaders) = &uploaders { (tell(uploaders, ranked)) }
        h2 { "Terms from example pages" }
        form.stack method="get" {
            label for="genre_pages" { "Pages of the wanted kind, on any subject (URLs of crawled pages, one per line)" }
            textarea #genre_pages name="genre_pages" rows="3" { (asked.genre_pages) }
            label for="relevant_pages" { "Relevant pages: of the wanted kind and on the topic" }
            textarea #relevant_pages name="relevant_pages" rows="3" { (asked.relevant_pages) }
            button type="submit" { "Propose terms" }
        }
        @if let Some(terms) = &terms { (tell(terms, |terms| proposed(&app, &project, &topic, terms))) }
    };
    let place = Some((&*project, Room::Topic));
    Ok(page(&app, &Page { title: "Topic", place, scripts: &["topic.js"], head: html! {}, body }))
}

/// What came of a question, or why nothing did.
fn tell<T>(answer: &Result<T>, show: impl Fn(&T) -> Markup) -> Markup {
    match answer {
        Ok(answer) => show(answer),
        Err(why) => html! { p.trouble role="alert" { (why) } },
    }
}

fn current(app: &App, project: &Service, topic: &Topic) -> Markup {
    let lists = [
        ("tags", "Tags", &topic.tags),
        ("genre_terms", "Terms of the wanted kind of page", &topic.genre_terms),
        ("content_terms", "Terms of the wanted content", &topic.content_terms),
    ];
    html! {
        form.stack #topic method="post" action={ "/p/" (project.name()) "/topic" } {
            (csrf(app))
            @for (name, title, values) in lists {
                label for=(name) { (title) }
                textarea id=(name) name=(name) rows="2" { (values.join(", ")) }
            }
            button type="submit" { "Save" }
            span.hint { "Saved to osprey.toml; the next crawl uses it." }
        }
    }
}

/// The best uploaders, with what their ranks are made of.
fn ranked(Uploaders { ranked: uploaders, damage }: &Uploaders) -> Markup {
    let number = |value: Option<f32>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.3}"));
    html! {
        p { (counted(uploaders.len() as u64, "uploader")) ", the best first." }
        (unread(damage.summary()))
        table {
            thead { tr { th { "Uploader" } th { "Items" } th { "Inner" } th { "Inter" } th { "Rank" } } }
            tbody { @for uploader in uploaders.iter().take(UPLOADERS) {
                tr {
                    td { (uploader.name.as_deref().unwrap_or("–")) br; span.hint { (uploader.url) } }
                    td.number { (grouped(uploader.items)) }
                    td.number { (number(uploader.inner)) }
                    td.number { (number(uploader.inter)) }
                    td.number { (number(uploader.rank)) }
                }
            } }
        }
    }
}

/// What of the archive could not be read.
fn unread(summary: Option<String>) -> Markup {
    html! { @if let Some(summary) = summary { p.trouble { (summary) "; run osprey check" } } }
}

/// Values that stay as they are while others are changed.
fn kept(name: &str, values: &[String]) -> Markup {
    html! { @for value in values { input type="hidden" name=(name) value=(value); } }
}

fn expanded(app: &App, project: &Service, topic: &Topic, expansion: &ExpansionView) -> Markup {
    html! {
        p { (counted(expansion.pages, "detail page")) " counted." }
        (graph(expansion))
        form method="post" action={ "/p/" (project.name()) "/topic" } {
            (csrf(app))
            (kept("genre_terms", &topic.genre_terms))
            (kept("content_terms", &topic.content_terms))
            fieldset.checks {
                legend { "Tags of the topic" }
                @for tag in &expansion.tags {
                    label {
                        input type="checkbox" name="tags" value=(tag.tag) checked data-tag=(tag.tag);
                        " " (tag.tag) " " span.number { (grouped(u64::from(tag.votes))) }
                    }
                }
            }
            button type="submit" { "Save these tags" }
        }
        @if !expansion.left_out.is_empty() {
            details { summary { "Skipped tags" }
                ul { @for left in expansion.left_out.iter().take(LEFT) {
                    li { (left.tag) " (" (grouped(u64::from(left.votes))) "): " (left.why) }
                } }
            }
        }
    }
}

/// The given tags in the middle, those that go with them around, those of the second layer farther out.
fn graph(expansion: &ExpansionView) -> Markup {
    let layers: Vec<Vec<&TagView>> =
        (0..3).map(|layer| expansion.tags.iter().filter(|tag| tag.layer.min(2) == layer).collect()).collect();
    let place = |layer: usize, number: usize| {
        let count = layers.get(layer).map_or(1, Vec::len).max(1);
        let radius = if layer == 0 && count == 1 { 0.0 } else { [60.0, 160.0, 260.0][layer] };
        let angle = std::f64::consts::TAU * (number as f64 + 0.25 * layer as f64) / count as f64;
        (360.0 + 1.25 * radius * angle.cos(), 300.0 + radius * angle.sin())
    };
    // no more room than the layers need
    let reach = [80.0, 190.0, 290.0][layers.iter().rposition(|tags| !tags.is_empty()).unwrap_or(0)];
    let view = format!(
        "{:.0} {:.0} {:.0} {:.0}",
        360.0 - 1.25 * reach,
        300.0 - reach,
        2.5 * reach,
        2.0 * reach + 20.0
    );
    let most = expansion.tags.iter().map(|tag| tag.votes).max().unwrap_or(1).max(1);
    html! {
        figure.graph {
            svg #graph viewBox=(view) role="group" aria-label="Tags that go together" {
                @for (layer, tags) in layers.iter().enumerate().skip(1) {
                    @for number in 0..tags.len() {
                        @let (x, y) = place(layer, number);
                        @let (u, v) = if layers[layer - 1].is_empty() { (360.0, 300.0) } else {
                            place(layer - 1, number * layers[layer - 1].len() / tags.len())
                        };
                        line.edge x1=(format!("{u:.0}")) y1=(format!("{v:.0}")) x2=(format!("{x:.0}")) y2=(format!("{y:.0}")) {}
                    }
                }
                @for (layer, tags) in layers.iter().enumerate() {
                    @for (number, tag) in tags.iter().enumerate() {
                        @let (x, y) = place(layer, number);
                        @let size = 6.0 + 14.0 * (f64::from(tag.votes) / f64::from(most)).sqrt();
                        g.node data-tag=(tag.tag) {
                            circle class={ "s" (layer) } cx=(format!("{x:.0}")) cy=(format!("{y:.0}")) r=(format!("{size:.0}")) {}
                            text x=(format!("{x:.0}")) y=(format!("{:.0}", y + size + 12.0)) text-anchor="middle" { (tag.tag) }
                        }
                    }
                }
            }
            figcaption.hint { "Click a tag to remove it or to add it back." }
        }
    }
}

/// Terms to tick, each with a number beside it; nothing if there are none.
fn choices(name: &str, title: &str, terms: &[(&str, String)], are_chosen: bool) -> Markup {
    html! {
        @if !terms.is_empty() {
            fieldset.checks {
                legend { (title) }
                @for (term, number) in terms {
                    label {
                        input type="checkbox" name=(name) value=(term) checked[are_chosen];
                        " " (term) " " span.number { (number) }
                    }
                }
            }
        }
    }
}

fn proposed(app: &App, project: &Service, topic: &Topic, terms: &TermsView) -> Markup {
    let list = |name: &str, title: &str, terms: &[TermView]| {
        let terms: Vec<_> =
            terms.iter().map(|term| (term.term.as_str(), format!("{}×", term.frequency))).collect();
        choices(name, title, &terms, true)
    };
    html! {
        form method="post" action={ "/p/" (project.name()) "/topic" } {
            (csrf(app))
            (kept("tags", &topic.tags))
            (list("genre_terms", "Terms of the wanted kind of page", &terms.genre))
            @if terms.genre.is_empty() { (kept("genre_terms", &topic.genre_terms)) }
            (list("content_terms", "Terms of the wanted content", &terms.content))
            @if terms.content.is_empty() { (kept("content_terms", &topic.content_terms)) }
            button type="submit" { "Save these terms" }
        }
    }
}

/// The best pages, the terms of the topic, and others that these pages have.
fn best_pages(app: &App, project: &Service, topic: &Topic, best: &BestPages) -> Markup {
    let list = |name: &str, title: &str, terms: &[UsedTerm]| {
        let terms: Vec<_> = terms.iter().map(|term| (term.term.as_str(), grouped(term.pages))).collect();
        choices(name, title, &terms, true)
    };
    let others: Vec<_> =
        best.proposed.iter().map(|term| (term.text.as_str(), term.pages.to_string())).collect();
    html! {
        p { (counted(best.judged, "page")) " judged, " (grouped(best.relevant)) " relevant." }
        (unread(best.damage.summary()))
        table {
            thead { tr { th { "Relevance" } th { "When crawled" } th { "Page" } } }
            tbody { @for page in &best.pages {
                tr {
                    td.number { (format!("{:.3}", page.relevance)) }
                    td.number { (page.relevance_then.map_or("-".to_owned(), |then| format!("{then:.3}"))) }
                    td { a href=(item_address(project, &page.url)) { (if page.title.trim().is_empty() { &page.url } else { &page.title }) } }
                }
            } }
        }
        form method="post" action={ "/p/" (project.name()) "/topic" } {
            (csrf(app))
            input type="hidden" name="best" value=(best.pages.len());
            (kept("tags", &topic.tags))
            (list("genre_terms", "Terms of the wanted kind of page, and how many of these pages have them", &best.genre_terms))
            (list("content_terms", "Terms of the wanted content", &best.content_terms))
            @for (name, title) in [("genre_terms", "Add to the kind of page"), ("content_terms", "Add to the content")] {
                (choices(name, title, &others, false))
            }
            button type="submit" { "Save and judge again" }
        }
    }
}

/// `POST /p/{name}/topic`
pub(crate) async fn post(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    posted: Posted,
) -> Result<Redirect, Failure> {
    let topic = Topic {
        tags: posted.list("tags"),
        genre_terms: posted.list("genre_terms"),
        content_terms: posted.list("content_terms"),
    };
    app.ask(&name, move |project| project.project()?.set_topic(&topic)).await?;
    let best = posted.one("best").and_then(|most| most.parse::<usize>().ok());
    let again = best.map_or(String::new(), |most| format!("?best={}", most.max(BEST)));
    Ok(Redirect::to(&format!("/p/{name}/topic{again}")))
}
