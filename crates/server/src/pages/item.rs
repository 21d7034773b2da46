//! One document: its picture and visual words, its fields, similar documents, and why it was fetched.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use maud::{Markup, html};
use osprey_engine::{Error, Result, Service, VisitRow};
use osprey_index::{Hit, Like, Request};
use osprey_vision::{Bag, Codebook, Words, colour};
use serde::Deserialize;

use super::rate::{thumbs, thumbs_form};
use super::search::{card, clause};
use super::{Page, Room, address, counted, grouped, item_address, outside, page, search_address};
use crate::app::App;
use crate::cache::weight;
use crate::error::Failure;
use crate::pictures::{self, Layer};
use crate::search::indexed;

/// Documents that are like it.
const ALIKE: usize = 12;
/// Words of a kind that are listed.
const WORDS: usize = 8;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Which {
    pub(crate) url: String,
    pub(crate) layer: Layer,
}

/// All that is known of a document.
pub(crate) struct Item {
    pub(crate) hit: Hit,
    pub(crate) words: Option<Words>,
    pub(crate) codebook: Arc<Codebook>,
    pub(crate) alike: Arc<Vec<Hit>>,
    /// The visit that fetched it, if a crawl did; or why that is not known.
    pub(crate) origin: Result<Option<VisitRow>>,
}

/// What similar documents are kept by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct AlikeKey {
    project: String,
    url: String,
    rated: u64,
}

impl Item {
    /// Looks a document up. Blocks.
    pub(crate) fn find(app: &App, project: &Service, url: &str) -> Result<Self> {
        let handle = indexed(project)?;
        let hit = Hit { good: handle.ratings.get(url), ..handle.searcher.document(url)? };
        let words = handle.searcher.words(url)?;
        let request = Request {
            like: Some(Like::Document(url)),
            limit: ALIKE,
            // a dozen that are much alike, not the very best of all: a page should not wait for that
            candidates: 100,
            postings: 200_000,
            rated: Some(&handle.rated),
            ..Request::default()
        };
        let key =
            AlikeKey { project: project.name().to_owned(), url: url.to_owned(), rated: handle.rated.key() };
        let key_bytes = 2 * (size_of::<AlikeKey>() + key.project.len() + key.url.len());
        let alike = app.alike.get(&handle.searcher, key, || {
            let hits = handle.searcher.search(&request)?.hits;
            let bytes = weight(&hits) + key_bytes;
            Ok::<_, Error>((hits, bytes))
        })?;
        Ok(Self { hit, words, codebook: handle.codebook, alike, origin: project.visit(url) })
    }
}

/// `GET /p/{name}/item?url=`
pub(crate) async fn get(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    Query(which): Query<Which>,
) -> Result<Markup, Failure> {
    let shared = Arc::clone(&app);
    let made = app.ask(&name, move |project| {
        Ok(made(&shared, project, &Item::find(&shared, project, &which.url)?, which.layer))
    });
    Ok(made.await?)
}

fn made(app: &App, project: &Service, item: &Item, layer: Layer) -> Markup {
    let title = if item.hit.title.trim().is_empty() { &item.hit.url } else { &item.hit.title };
    let palette = pictures::palette_address(project, &item.codebook);
    let head = html! { link rel="stylesheet" href=(palette); };
    let all_alike = address(&format!("/p/{}/", project.name()), &[("like_url", &item.hit.url)]);
    let body = html! {
        h1 { (title) }
        p { (thumbs(&item.hit.url, title, item.hit.good)) }
        (thumbs_form(app, project, &item_address(project, &item.hit.url)))
        div.item {
            div.look { (picture(project, item, layer)) }
            div.about {
                (fields(project, &item.hit))
                (origin(project, &item.origin))
            }
        }
        @if !item.alike.is_empty() {
            h2 { "More like this" }
            ol.hits.few { @for hit in item.alike.iter() { (card(project, hit)) } }
            p { a href=(all_alike) { "All similar documents" } }
        }
    };
    page(app, &Page { title, place: Some((project, Room::Search)), scripts: &["rate.js"], head, body })
}

/// The picture, with what is seen in it drawn over it.
fn picture(project: &Service, item: &Item, layer: Layer) -> Markup {
    let Some(words) = &item.words else { return html! {} };
    let url = item.hit.url.as_str();
    let of = |layer: Layer| {
        address(&format!("/p/{}/picture", project.name()), &[("url", url), ("layer", layer.name())])
    };
    html! {
        nav.layers aria-label="Layers of the picture" {
            @for other in Layer::ALL {
                @let to = address(&format!("/p/{}/item", project.name()), &[("url", url), ("layer", other.name())]);
                a href=(to) aria-current=[(other == layer).then_some("true")] { (other.title()) }
            }
        }
        img.large src=(of(layer)) alt=(format!("{}: {}", layer.title(), item.hit.title));
        p.hint { (layer.about()) }
        (visual_words(project, words, &item.codebook))
    }
}

/// The words of a picture; each leads to a search.
fn visual_words(project: &Service, words: &Words, codebook: &Codebook) -> Markup {
    let palette: Vec<[u8; 3]> = codebook.palette().collect();
    let name = |word: u8| palette.get(usize::from(word)).map_or("", |rgb| colour::name(*rgb));
    let list = |field: &'static str, class: &'static str, bag: &Bag, named: &dyn Fn(u8) -> String| {
        html! {
            @for (word, share) in bag.strongest(WORDS) {
                li {
                    a href=(search_address(project, &format!("{field}:{word}"))) {
                        @if !class.is_empty() { span class={ "dot " (class) (word) } {} }
                        (named(word))
                    }
                    " " span.number { (format!("{:.0} %", share * 100.0)) }
                }
            }
        }
    };
    html! {
        h2 { "Visual words" }
        div.words {
            div { h3 { "Colours" } ul { (list("color", "c", &words.colours.whole, &|word| format!("{} ({word})", name(word)))) } }
            div { h3 { "Textures" } ul { (list("texture", "tx t", &words.textures.whole, &|word| format!("texture {word}"))) } }
            div { h3 { "Shapes" } ul { (list("shape", "", &words.shapes.whole, &|word| format!("shape {word}"))) } }
        }
    }
}

fn fields(project: &Service, hit: &Hit) -> Markup {
    let search = |field: &str, value: &str| search_address(project, &clause(field, value));
    html! {
        dl {
            dt { "Address" } dd.long { (outside(&hit.url, &hit.url)) }
            @if !hit.uploader.is_empty() {
                dt { "By" } dd { a href=(search("by", &hit.uploader)) { (hit.uploader) } }
            }
            @if !hit.site.is_empty() { dt { "Site" } dd { a href=(search("site", &hit.site)) { (hit.site) } } }
            @if let Some(date) = hit.date { dt { "Date" } dd { (date) } }
            @if !hit.tags.is_empty() {
                dt { "Tags" }
                dd.chips { @for tag in &hit.tags { a href=(search("tag", tag)) { (tag) } } }
            }
            @if !hit.description.trim().is_empty() { dt { "Description" } dd { (hit.description) } }
        }
    }
}

fn origin(project: &Service, origin: &Result<Option<VisitRow>>) -> Markup {
    let visit = match origin {
        Ok(Some(visit)) => visit,
        Ok(None) => return html! {},
        Err(why) => return html! { h2 { "Origin" } p { (why) } },
    };
    let most = visit.why.values().map(|value| value.abs()).fold(1e-6, f32::max);
    html! {
        h2 { "Origin" }
        dl {
            dt { "Fetched" } dd { "number " (grouped(visit.n)) ", " (visit.fetched_at) ", " (grouped(visit.bytes)) " bytes" }
            dt { "Found on" }
            dd.long {
                @match &visit.parent {
                    Some(parent) => { a href=(item_address(project, parent)) { (parent) } },
                    None => "a seed",
                }
                ", " (counted(visit.depth.into(), "hop")) " from a seed"
                @if let Some(apath) = &visit.apath { br; code { (apath) } }
            }
            @if let Some(page_type) = &visit.page_type { dt { "Page type" } dd { (page_type) } }
            @if let Some(relevance) = visit.relevance {
                dt { "Relevance" } dd { (format!("{relevance:.3}")) @if visit.relevant { ": relevant" } @else { ": not relevant" } }
            }
            dt { "Why" }
            dd {
                "score " (format!("{:.4}", visit.score)) " by policy " code { (visit.policy) }
                @if !visit.why.is_empty() {
                    table.why { @for (name, value) in &visit.why {
                        tr {
                            th scope="row" { (name) }
                            td.number { (format!("{value:.4}")) }
                            td { meter min="0" max="1" value=(format!("{:.3}", value.abs() / most)) aria-label=(name) {} }
                        }
                    } }
                }
            }
            @if let Some(digest) = &visit.digest { dt { "Digest" } dd.long { code { (digest) } } }
        }
    }
}
