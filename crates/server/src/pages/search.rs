//! The search page: query, palettes, regions, an example picture, and results.
//!
//! All of it is one form, so that it works without scripts: a swatch is a button that sends its value (`add`) with the
//! selected region (`at`) and sign (`minus`); the server redirects to the resulting query.

use std::sync::Arc;

use axum::extract::{Multipart, Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, PreEscaped, html};
use osprey_engine::{Error, SearchHandle, Service};
use osprey_index::query::{Colour, Region};
use osprey_index::{FacetValue, Hit, Results};
use osprey_vision::{Codebook, Limits, colour};
use serde::Deserialize;

use super::rate::{thumbs, thumbs_form};
use super::{Page, Room, address, csrf, cut, grouped, item_address, outside, page};
use crate::app::App;
use crate::error::{Failure, status};
use crate::pictures;
use crate::search::{SearchOutcome, SearchParams, indexed};

/// Results of a page.
pub(crate) const PAGE: usize = 24;
/// Tags that a hit shows.
const TAGS: usize = 5;
/// Characters of a title, and of a name or tag, that a hit shows.
const TITLE: usize = 120;
const NAME: usize = 48;

/// What a swatch sends along.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Swatch {
    add: String,
    at: String,
    minus: bool,
}

impl Swatch {
    /// The query with the swatch in it.
    fn added_to(&self, query: &str) -> String {
        let at = Region::named(&self.at).map(|region| format!("@{region}")).unwrap_or_default();
        let sign = if self.minus { "-" } else { "" };
        format!("{} {sign}{}{at}", query.trim(), self.add.trim()).trim().to_owned()
    }
}

/// `GET /p/{name}/`
pub(crate) async fn get(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    Query(asked): Query<SearchParams>,
    Query(swatch): Query<Swatch>,
) -> Result<Response, Failure> {
    let project = app.project(&name)?;
    if !swatch.add.is_empty() {
        let to = here(&project, &SearchParams { q: swatch.added_to(&asked.q), offset: 0, ..asked });
        return Ok(Redirect::to(&to).into_response());
    }
    let shared = Arc::clone(&app);
    let (status, page) = app
        .work(move || {
            // an index that was just made is as good as none
            let is_new = |handle: &SearchHandle| handle.searcher.is_empty() && project.is_crawling();
            let Some(handle) = project.search_handle()?.filter(|handle| !is_new(handle)) else {
                return Ok((StatusCode::OK, whole(&shared, &project, &asked, None, &empty(&project))));
            };
            let (status, content) = match asked.search(&shared, &project, &handle, PAGE) {
                Ok(found) => (StatusCode::OK, results(&project, &asked, &found)),
                Err(error) if status(&error) == StatusCode::BAD_REQUEST => {
                    (StatusCode::BAD_REQUEST, wrong(&asked.q, &error.to_string()))
                }
                Err(error) => return Err(error),
            };
            Ok((status, whole(&shared, &project, &asked, Some(&handle.codebook), &content)))
        })
        .await?;
    Ok((status, page).into_response())
}

/// The address of a search.
fn here(project: &Service, asked: &SearchParams) -> String {
    let offset = if asked.offset > 0 { asked.offset.to_string() } else { String::new() };
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let (like, like_url, ranking) = (text(&asked.like), text(&asked.like_url), text(&asked.ranking));
    let exact = if asked.exact { "true" } else { "" };
    let parameters = [
        ("q", asked.q.as_str()),
        ("like", &like),
        ("like_url", &like_url),
        ("ranking", &ranking),
        ("exact", exact),
        ("offset", &offset),
    ];
    address(&format!("/p/{}/", project.name()), &parameters)
}

fn whole(
    app: &App,
    project: &Service,
    asked: &SearchParams,
    codebook: Option<&Codebook>,
    content: &Markup,
) -> Markup {
    let title = if asked.q.trim().is_empty() { "Search" } else { asked.q.trim() };
    let palette = codebook.map(|codebook| pictures::palette_address(project, codebook));
    let head = html! {
        @if let Some(palette) = palette { link rel="stylesheet" href=(palette); }
        @if codebook.is_none() && project.is_crawling() { meta http-equiv="refresh" content="2"; }
    };
    let body = html! {
        h1.away { "Search" }
        (form(app, project, asked, codebook))
        @if codebook.is_some() { (example_form(app, project, asked)) }
        (content)
        (thumbs_form(app, project, &here(project, asked)))
    };
    let place = Some((project, Room::Search));
    page(app, &Page { title, place, scripts: &["rate.js", "search.js", "grow.js"], head, body })
}

/// The box, and what pictures can be searched by.
fn form(app: &App, project: &Service, asked: &SearchParams, codebook: Option<&Codebook>) -> Markup {
    let uses_swatches =
        ["color:", "colour:", "texture:", "shape:"].iter().any(|field| asked.q.contains(field));
    let draw = |codebook: &Codebook| html! { (colours(codebook)) (textures(codebook)) };
    let swatches = codebook.map(|codebook| app.swatches(codebook, draw)).unwrap_or_default();
    html! {
        form #search role="search" method="get" action={ "/p/" (project.name()) "/" }
            data-complete={ "/api/v1/projects/" (project.name()) "/complete" } {
            div.box {
                label.away for="q" { "Search for" }
                input #q type="search" name="q" value=(asked.q) placeholder="rose -dog tag:garden color:red@center"
                    list="completions" autocomplete="off" autocapitalize="off" spellcheck="false" maxlength="8192";
                datalist #completions {}
                button type="submit" { "Search" }
            }
            @for (name, value) in [("like", &asked.like), ("like_url", &asked.like_url)] {
                @if let Some(value) = value { input type="hidden" name=(name) value=(value); }
            }
            label.order { "Order " select name="ranking" {
                @for (value, title) in [("", "best match"), ("relevance", "relevance"), ("classic", "classic")] {
                    option value=(value) selected[asked.ranking.as_deref().unwrap_or_default() == value] { (title) }
                }
            } }
            @if codebook.is_some() {
                details.palettes open[uses_swatches] {
                    summary { "Colours and textures" }
                    div.choose { (places()) (PreEscaped(&swatches)) }
                }
            }
        }
    }
}

/// Where in the picture, and with which sign.
fn places() -> Markup {
    html! {
        div {
            fieldset.places {
                legend { "Where" }
                div.three {
                    @for region in Region::all() {
                        label title=(region) {
                            input type="radio" name="at" value=(region);
                            span.away { (region) }
                        }
                    }
                }
                label { input type="radio" name="at" value="" checked; " anywhere" }
            }
            label.minus { input #minus type="checkbox" name="minus" value="true"; " exclude (or shift-click)" }
        }
    }
}

fn colours(codebook: &Codebook) -> Markup {
    let mut words: Vec<(usize, [u8; 3])> = codebook.palette().enumerate().collect();
    words.sort_by_key(|(_, rgb)| by_hue(*rgb));
    html! {
        fieldset {
            legend { "Colours" }
            div.swatches {
                @for (word, rgb) in words {
                    @let name = format!("{} (color {word})", colour::name(rgb));
                    button class={ "c" (word) } type="submit" name="add" value={ "color:" (word) } title=(name) aria-label=(name) {}
                }
            }
        }
    }
}

fn textures(codebook: &Codebook) -> Markup {
    html! {
        fieldset {
            legend { "Textures" }
            div.swatches.tiles {
                @for word in 0..codebook.tiles().len() {
                    @let name = format!("texture {word}");
                    button class={ "tx t" (word) } type="submit" name="add" value={ "texture:" (word) } title=(name) aria-label=(name) {}
                }
            }
        }
    }
}

/// Greys first, by lightness; then by hue, dark before light.
fn by_hue([red, green, blue]: [u8; 3]) -> (u8, u16, u16) {
    let (red, green, blue) = (i32::from(red), i32::from(green), i32::from(blue));
    let (most, least) = (red.max(green).max(blue), red.min(green).min(blue));
    let (light, spread) = ((most + least) as u16, most - least);
    if spread < 24 {
        return (0, 0, light);
    }
    let hue = match most {
        most if most == red => (green - blue) * 60 / spread,
        most if most == green => 120 + (blue - red) * 60 / spread,
        _ => 240 + (red - green) * 60 / spread,
    };
    (1, hue.rem_euclid(360) as u16 / 20, light)
}

/// Search by a picture: dropped anywhere on the page, or chosen here.
fn example_form(app: &App, project: &Service, asked: &SearchParams) -> Markup {
    let anew = here(project, &SearchParams { like: None, like_url: None, offset: 0, ..asked.clone() });
    html! {
        form #example.example method="post" enctype="multipart/form-data" action={ "/p/" (project.name()) "/like" } {
            (csrf(app))
            input type="hidden" name="q" value=(asked.q);
            label for="image" { "Similar to this picture" }
            input #image type="file" name="image" accept="image/jpeg,image/png,image/gif,image/webp,image/bmp" required;
            button type="submit" { "Find similar" }
            span.hint { "or drop one anywhere" }
        }
        @if let Some(key) = &asked.like {
            p.like {
                img src={ "/p/" (project.name()) "/example/" (key) } alt="your picture" width="80";
                "Pictures similar to yours. " a href=(anew) { "Remove" }
            }
        }
        @if let Some(url) = &asked.like_url {
            p.like { "Similar to " a href=(item_address(project, url)) { (url) } ". " a href=(anew) { "Remove" } }
        }
    }
}

/// `POST /p/{name}/like`: a picture becomes an example with an address.
pub(crate) async fn like(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    form: Multipart,
) -> Result<Redirect, Failure> {
    let project = app.project(&name)?;
    let Upload { query, bytes } = Upload::read(&app, form).await?;
    let shared = Arc::clone(&app);
    let to = app
        .work(move || {
            let key = shared.examples.look(&indexed(&project)?, &bytes)?;
            Ok(here(&project, &SearchParams { q: query, like: Some(key), ..SearchParams::default() }))
        })
        .await?;
    Ok(Redirect::to(&to))
}

struct Upload {
    query: String,
    bytes: Vec<u8>,
}

impl Upload {
    async fn read(app: &App, mut form: Multipart) -> Result<Self, Failure> {
        let broken = |error: axum::extract::multipart::MultipartError| {
            Failure::of(error.status(), format!("the picture: {}", error.body_text()))
        };
        let (mut query, mut bytes, mut is_ours) = (String::new(), Vec::new(), false);
        while let Some(field) = form.next_field().await.map_err(broken)? {
            match field.name().unwrap_or_default() {
                "csrf" => {
                    app.guard.check_csrf(&field.text().await.map_err(broken)?)?;
                    is_ours = true;
                }
                // the secret stands first in our form: nothing of a foreign one is read
                _ if !is_ours => break,
                "q" => query = field.text().await.map_err(broken)?,
                "image" => bytes = field.bytes().await.map_err(broken)?.to_vec(),
                _ => {}
            }
        }
        if !is_ours {
            app.guard.check_csrf("")?;
        }
        let most = app.options.upload_bytes.min(Limits::default().file_bytes);
        if bytes.is_empty() || bytes.len() > most {
            let message = format!("picture of `{}` bytes; expected 1 to {most}", bytes.len());
            return Err(Error::Usage(message).into());
        }
        Ok(Self { query, bytes })
    }
}

/// Nothing can be searched yet; while a crawl goes on, that changes soon.
fn empty(project: &Service) -> Markup {
    html! {
        @if project.is_crawling() {
            p.trouble role="status" {
                "The first results come in a moment: this page looks again by itself. "
                a href={ "/p/" (project.name()) "/crawl" } { "Watch the crawl" } "."
            }
        } @else {
            p.trouble { "Nothing is indexed yet. " a href={ "/p/" (project.name()) "/crawl" } { "Crawl" } " first, then index." }
        }
    }
}

fn wrong(query: &str, why: &str) -> Markup {
    let pointer = osprey_index::Query::parse(query).err().map(|error| error.pointer(query));
    html! {
        div.trouble role="alert" {
            p { (why) }
            @if let Some(pointer) = pointer { pre { (pointer) } }
        }
    }
}

/// What was found.
fn results(project: &Service, asked: &SearchParams, found: &SearchOutcome) -> Markup {
    let results = &found.results;
    let took = results.took.as_secs_f64() * 1e3;
    let with = |more: &str| {
        let q = format!("{} {more}", asked.q.trim()).trim().to_owned();
        here(project, &SearchParams { q, offset: 0, ..asked.clone() })
    };
    html! {
        // as many hits as there is room for: see grow.js
        div.found data-growing=[project.is_crawling().then_some(PAGE)] {
            aside aria-label="Narrow down" { (facets(results, &with)) }
            section aria-label="Results" {
                p.count role="status" {
                    strong { (grouped(results.total)) }
                    @if !asked.is_empty() { " found" } @else if results.total == 1 { " document" } @else { " documents" }
                    " in " (format!("{took:.1}")) " ms"
                    @if !results.ignored.is_empty() { "; ignored words: " (results.ignored.join(", ")) }
                }
                @if let Some(suggestion) = &results.suggestion {
                    @let to = here(project, &SearchParams { q: suggestion.query.clone(), offset: 0, ..asked.clone() });
                    p { "Did you mean " a.mean href=(to) { (suggestion.query) } "?" }
                }
                @if results.clusters.len() > 1 { (clusters(results, &with)) }
                ol.hits start=(asked.offset + 1) {
                    @for hit in &results.hits { (card(project, hit)) }
                }
                (paging(project, asked, results))
            }
        }
    }
}

fn facets(results: &Results, with: &impl Fn(&str) -> String) -> Markup {
    let facets = &results.facets;
    let lists: [(&str, &str, &[FacetValue]); 4] = [
        ("Tags", "tag", &facets.tags),
        ("Uploaders", "by", &facets.uploaders),
        ("Sites", "site", &facets.sites),
        ("Colours", "color", &facets.colours),
    ];
    let about = if facets.is_estimate { "about " } else { "" };
    html! {
        @for (title, field, values) in lists {
            @if !values.is_empty() {
                h2 { (title) }
                ul.facet {
                    @for FacetValue { value, count } in values {
                        li {
                            a href=(with(&clause(field, value))) { (cut(value, NAME)) }
                            span.number { (about) (grouped(*count)) }
                        }
                    }
                }
            }
        }
    }
}

/// A condition of the query language.
pub(crate) fn clause(field: &str, value: &str) -> String {
    match field {
        "color" => format!("color:{}", value.replace(' ', "-")),
        "site" => format!("site:{value}"),
        field => format!("{field}:\"{}\"", value.replace(['"', '\\'], " ")),
    }
}

fn clusters(results: &Results, with: &impl Fn(&str) -> String) -> Markup {
    html! {
        nav.clusters aria-label="Groups of results" {
            @for cluster in &results.clusters {
                @let tag = cluster.label.split(", ").next().unwrap_or_default();
                a href=(with(&clause("tag", tag))) { (cluster.label) " " span.number { (cluster.ranks.len()) } }
            }
        }
    }
}

/// A result.
pub(crate) fn card(project: &Service, hit: &Hit) -> Markup {
    let title = if hit.title.trim().is_empty() { &hit.url } else { &hit.title };
    let to = item_address(project, &hit.url);
    html! {
        li.hit {
            @match &hit.thumbnail {
                Some(path) => a.shot href=(to) tabindex="-1" aria-hidden="true" {
                    img src={ "/p/" (project.name()) "/thumb/" (path) } alt="" loading="lazy";
                },
                None => @if let Some(excerpt) = hit.highlights.first() { p.excerpt { (marked(excerpt)) } },
            }
            h3 { a href=(to) { (cut(title, TITLE)) } }
            (bands(hit))
            (thumbs(&hit.url, &cut(title, NAME), hit.good))
            p.by {
                @if !hit.uploader.is_empty() { (cut(&hit.uploader, NAME)) " · " }
                (outside(&hit.url, if hit.site.is_empty() { "file" } else { &hit.site }))
            }
            @if !hit.tags.is_empty() { p.tags { (hit.tags.iter().take(TAGS).map(|tag| cut(tag, NAME)).collect::<Vec<_>>().join(", ")) } }
            @if !hit.parts.is_empty() {
                details.why {
                    summary { "score " (format!("{:.3}", hit.score)) }
                    ul { @for part in &hit.parts { li { (part.name) " " span.number { (format!("{:.3}", part.score)) } } } }
                }
            }
        }
    }
}

/// The colours of a picture that people would name, by their share.
fn bands(hit: &Hit) -> Markup {
    let names: Vec<String> =
        hit.colours.iter().map(|colour| format!("{} {} %", colour.name, colour.per_cent)).collect();
    let mut from = 0u32;
    html! {
        @if !hit.colours.is_empty() {
            svg.bands viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label=(names.join(", ")) {
                @for colour in &hit.colours {
                    rect x=(from) width=(colour.per_cent) height="6" fill=(Colour::Rgb(colour.colour)) {}
                    ({ from += u32::from(colour.per_cent); "" })
                }
            }
        }
    }
}

/// An excerpt with the words that were found.
fn marked(excerpt: &osprey_index::Highlight) -> Markup {
    let mut at = 0;
    html! {
        @for mark in &excerpt.marks {
            (excerpt.text.get(at..mark.start).unwrap_or_default())
            mark { (excerpt.text.get(mark.clone()).unwrap_or_default()) }
            ({ at = mark.end; "" })
        }
        (excerpt.text.get(at..).unwrap_or_default())
    }
}

fn paging(project: &Service, asked: &SearchParams, results: &Results) -> Markup {
    let page = |offset: usize| here(project, &SearchParams { offset, ..asked.clone() });
    let next = asked.offset + results.hits.len();
    let has_next =
        (next as u64) < results.total && next + PAGE <= osprey_index::MAX_DEPTH && !results.hits.is_empty();
    html! {
        nav.pages aria-label="Pages of results" {
            @if asked.offset > 0 { a rel="prev" href=(page(asked.offset.saturating_sub(PAGE))) { "Previous" } }
            @if has_next { a rel="next" href=(page(next)) { "Next" } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swatch_becomes_a_clause() {
        let check = |query: &str, add: &str, at: &str, minus: bool, expect: &str| {
            let swatch = Swatch { add: add.to_owned(), at: at.to_owned(), minus };
            assert_eq!(swatch.added_to(query), expect);
        };
        check("", "color:12", "", false, "color:12");
        check("rose ", "color:12", "top-left", false, "rose color:12@top-left");
        check("rose", "texture:3", "center", true, "rose -texture:3@center");
        check("rose", "color:1", "nowhere", false, "rose color:1");
    }

    #[test]
    fn values_of_facets_become_clauses() {
        let check = |field: &str, value: &str, expect: &str| {
            let text = clause(field, value);
            assert_eq!(text, expect);
            assert!(osprey_index::Query::parse(&text).is_ok(), "{text}");
        };
        check("tag", "new york", "tag:\"new york\"");
        check("tag", "a\"b\\c", "tag:\"a b c\"");
        check("color", "sky blue", "color:sky-blue");
        check("site", "photos.example.org", "site:photos.example.org");
    }

    #[test]
    fn colours_stand_in_the_order_of_the_rainbow() {
        let mut colours = [[0, 0, 255], [255, 0, 0], [250, 250, 250], [0, 255, 0], [10, 10, 10]];
        colours.sort_by_key(|rgb| by_hue(*rgb));
        assert_eq!(colours, [[10, 10, 10], [250, 250, 250], [255, 0, 0], [0, 255, 0], [0, 0, 255]]);
    }
}
