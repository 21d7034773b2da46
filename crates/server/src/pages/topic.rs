//! The topic of a project: its tags and terms, related tags as a graph to edit, and terms proposed from example pages.
//! Saving writes to the project's `osprey.toml`.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::response::Redirect;
use maud::{Markup, html};
use osprey_engine::{Result, Service, Topic};
use serde::Deserialize;

use super::{Page, Room, counted, csrf, grouped, page};
use crate::api::topic::{ExpansionView, TagView, TermView, TermsView};
use crate::app::App;
use crate::error::Failure;
use crate::posted::Posted;

/// Skipped tags to list.
const LEFT: usize = 15;

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct TopicParams {
    /// Tags to expand, between commas.
    expand: String,
    /// Pages to take terms from, one a line.
    genre_pages: String,
    relevant_pages: String,
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
    let (topic, expansion, terms) = app
        .work(move || {
            let expansion = (!tags.is_empty()).then(|| ExpansionView::of(&of, &tags));
            let wants_terms = !genre.is_empty() || !relevant.is_empty();
            let terms = wants_terms.then(|| TermsView::of(&of, &genre, &relevant));
            Ok((of.project()?.topic()?, expansion, terms))
        })
        .await?;
    let body = html! {
        h1 { "Topic" }
        (current(&app, &project, &topic))
        h2 { "Tags that go together" }
        form.stack method="get" {
            label for="expand" { "Start tags" }
            input #expand name="expand" value=(asked.expand) placeholder="beach, sea" required;
            button type="submit" { "Find tags" }
        }
        @if let Some(expansion) = &expansion { (tell(expansion, |expansion| expanded(&app, &project, &topic, expansion))) }
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
    Ok(page(&app, &Page { title: "Topic", place, script: Some("topic.js"), head: html! {}, body }))
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

fn proposed(app: &App, project: &Service, topic: &Topic, terms: &TermsView) -> Markup {
    let list = |name: &'static str, title: &str, terms: &[TermView]| {
        html! {
            @if !terms.is_empty() {
                fieldset.checks {
                    legend { (title) }
                    @for term in terms {
                        label {
                            input type="checkbox" name=(name) value=(term.term) checked;
                            " " (term.term) " " span.number { (term.frequency) "×" }
                        }
                    }
                }
            }
        }
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
    Ok(Redirect::to(&format!("/p/{name}/topic")))
}
