//! The crawl page: the state of a crawl, and its buttons. Elements that change carry `data-live`, and a script fills them
//! from the stream of events; without scripts the page reloads every few seconds while a crawl or an index run is active.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Redirect;
use maud::{Markup, html};
use osprey_engine::{Error, Fetched, Service};

use super::rate::{thumbs, thumbs_form};
use super::{Page, Room, csrf, curve, grouped, item_address, page};
use crate::app::App;
use crate::crawl_view::{CrawlView, Order, ProjectState};
use crate::error::Failure;
use crate::posted::{Posted, wanted};

/// Errors, reasons and hosts that are listed.
const LISTED: usize = 20;

/// `GET /p/{name}/crawl`
pub(crate) async fn get(State(app): State<Arc<App>>, Path(name): Path<String>) -> Result<Markup, Failure> {
    let project = app.project(&name)?;
    let view = app.crawl(&project).await?;
    let is_busy = !matches!(view.state, ProjectState::Idle | ProjectState::Paused);
    let head = html! {
        @if is_busy { noscript { meta http-equiv="refresh" content="3"; } }
    };
    let body = html! {
        h1 { "Crawl" }
        div #crawl data-events={ "/api/v1/projects/" (name) "/events" } data-item={ "/p/" (name) "/item" } {
            (switches(&app, &project, &view))
            (figures(&view))
            h2 { "Relevant pages over time" }
            div #curve { (curve::figure(&format!("/p/{name}/curve.svg"), &[(project.name(), &view)])) }
            div.columns {
                (page_types(&view))
                (hosts(&view))
                (counts("Errors", "errors", view.errors.iter().map(|(name, n)| (name.as_str(), *n))))
                (counts("Links skipped", "skipped", view.skipped.iter().map(|(name, n)| (name.as_str(), *n))))
            }
            h2 { "Last visits" }
            div.wide { (visits(&project, &view.recent)) }
        }
        (thumbs_form(&app, &project, &format!("/p/{name}/crawl")))
        div #thumbs-of-visit hidden { (thumbs("", "", None)) }
    };
    let place = Some((&*project, Room::Crawl));
    Ok(page(&app, &Page { title: "Crawl", place, scripts: &["rate.js", "crawl.js"], head, body }))
}

/// Start, pause, stop: which of them make sense now.
fn switches(app: &App, project: &Service, view: &CrawlView) -> Markup {
    let state = view.state;
    let button = |order: &str, text: &str, makes_sense: bool| {
        html! { button type="submit" name="order" value=(order) disabled[!makes_sense] data-order=(order) { (text) } }
    };
    html! {
        form.switches method="post" action={ "/p/" (project.name()) "/crawl" } {
            (csrf(app))
            span.state role="status" data-live="state" { (state.name()) }
            span.hint data-live="external" hidden[!view.external] { "in another process" }
            label { "Policy "
                select name="policy" {
                    @for policy in view.policies {
                        option value=(policy) selected[*policy == view.policy] { (policy) }
                    }
                }
            }
            label { "Pages " input type="number" name="budget" min="1" max="100000000" value=[view.budget]; }
            (button("start", "Start", state == ProjectState::Idle))
            (button("pause", "Pause", state == ProjectState::Crawling))
            (button("resume", "Resume", state == ProjectState::Paused))
            (button("stop", "Stop", matches!(state, ProjectState::Crawling | ProjectState::Paused)))
            (button("index", "Index", state == ProjectState::Idle))
        }
        p data-live="message" hidden[view.message.is_none()] { (view.message.as_deref().unwrap_or_default()) }
    }
}

fn figures(view: &CrawlView) -> Markup {
    let figures = [
        ("Pages", "visited", grouped(view.visited)),
        ("Relevant", "relevant", grouped(view.relevant)),
        ("Harvest ratio", "harvest_ratio", format!("{:.3}", view.harvest_ratio)),
        ("Pages/s", "rate", format!("{:.1}", view.rate)),
        ("Waiting", "waiting", grouped(view.waiting)),
        ("Parked", "parked", grouped(view.parked)),
        ("Pictures", "pictures", grouped(view.pictures)),
        ("Failed", "failed", grouped(view.failed)),
        ("Searchable", "documents", grouped(view.documents)),
    ];
    html! {
        dl.figures {
            @for (title, name, value) in figures {
                div { dt { (title) } dd data-live=(name) { (value) } }
            }
        }
        @for past in &view.past_wants {
            p.hint {
                "Before: " (grouped(past.relevant)) " of " (grouped(past.visited)) " relevant, before the want changed on "
                (&past.until)
            }
        }
        p.hint data-live="left" { @if let Some(left) = &view.left { "Left: " (left) } }
        p.hint data-live="waits_for" { @if let Some(waits) = &view.waits_for { "Waiting for " (waits) } }
    }
}

/// Sections can be focused: one that is wider than its column is scrolled by keys.
fn page_types(view: &CrawlView) -> Markup {
    html! {
        section tabindex="0" aria-label="By type of page" {
            h2 { "By type of page" }
            table {
                thead { tr { th scope="col" { "Type" } th.number scope="col" { "Fetched" } th.number scope="col" { "Relevant" } th.number scope="col" { "Waiting (estimate)" } } }
                tbody data-live="page_types" {
                    @for kind in &view.page_types {
                        tr {
                            th scope="row" { (kind.name) }
                            td.number { (grouped(kind.fetched)) }
                            td.number { (grouped(kind.relevant)) }
                            td.number { @match kind.waiting { Some(n) => (grouped(n)), None => "" } }
                        }
                    }
                }
            }
        }
    }
}

fn hosts(view: &CrawlView) -> Markup {
    html! {
        section tabindex="0" aria-label="Hosts" {
            h2 { "Hosts" }
            table {
                thead { tr {
                    th scope="col" { "Host" } th.number scope="col" { "Waiting" } th.number scope="col" { "Fetched" }
                    th.number scope="col" { "Failed" } th.number scope="col" { "Delay (s)" } th scope="col" { "Health" }
                } }
                tbody data-live="hosts" {
                    @for host in view.hosts.iter().take(LISTED) {
                        tr {
                            th scope="row" { (host.host) }
                            td.number { (grouped(host.waiting)) }
                            td.number { (grouped(host.fetched)) }
                            td.number { (grouped(host.failed)) }
                            td.number { (format!("{:.1}", host.delay)) }
                            td { (host.health) }
                        }
                    }
                }
            }
        }
    }
}

fn counts<'a>(title: &str, live: &str, counts: impl Iterator<Item = (&'a str, u64)>) -> Markup {
    html! {
        section tabindex="0" aria-label=(title) {
            h2 { (title) }
            table {
                thead { tr { th scope="col" { "Kind" } th.number scope="col" { "Number" } } }
                tbody data-live=(live) {
                    @for (name, n) in counts.take(LISTED) {
                        tr { th scope="row" { (name) } td.number { (grouped(n)) } }
                    }
                }
            }
        }
    }
}

fn visits(project: &Service, visits: &[Fetched]) -> Markup {
    html! {
        table.visits {
            thead { tr {
                th.number scope="col" { "No." } th scope="col" { "Page" } th scope="col" { "Type" }
                th.number scope="col" { "Status" } th scope="col" { "Relevant" } th.number scope="col" { "Score" } th scope="col" { "Rate" } th scope="col" { "Why" }
            } }
            tbody data-live="recent" {
                @for visit in visits {
                    tr data-n=(visit.n) {
                        td.number { (grouped(visit.n)) }
                        td { a href=(item_address(project, &visit.url)) { (name(visit)) } }
                        td { (visit.page_type.as_deref().unwrap_or_default()) }
                        td.number { (visit.status) }
                        td { @if visit.relevant { "yes" } }
                        td.number { (format!("{:.4}", visit.score)) }
                        td.rate { @if is_rateable(visit) { (thumbs(&visit.url, name(visit), visit.good)) } }
                        td { (reasons(visit)) }
                    }
                }
            }
        }
    }
}

/// What a visit is called.
fn name(visit: &Fetched) -> &str {
    visit.title.as_deref().filter(|title| !title.trim().is_empty()).unwrap_or(&visit.url)
}

/// Whether it brought something that can be good or bad: no failure and no redirect.
fn is_rateable(visit: &Fetched) -> bool {
    (200..300).contains(&visit.status)
}

/// What a score is made of, in a line.
fn reasons(visit: &Fetched) -> String {
    visit.why.iter().map(|(name, value)| format!("{name} {value:.3}")).collect::<Vec<_>>().join(", ")
}

/// `POST /p/{name}/crawl`
pub(crate) async fn post(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    posted: Posted,
) -> Result<Redirect, Failure> {
    let order = order(&posted)?;
    let project = app.project(&name)?;
    app.ask_crawls(move || order.apply(&project)).await?;
    Ok(Redirect::to(&format!("/p/{name}/crawl")))
}

fn order(posted: &Posted) -> Result<Order, Error> {
    match wanted(posted, "order")? {
        "start" => {
            let budget = posted.one("budget").map(|text| {
                text.parse().map_err(|_| Error::Usage(format!("invalid number of pages `{text}`")))
            });
            Ok(Order::Start { policy: posted.one("policy").map(str::to_owned), budget: budget.transpose()? })
        }
        "pause" => Ok(Order::Pause {}),
        "resume" => Ok(Order::Resume {}),
        "stop" => Ok(Order::Stop {}),
        "index" => Ok(Order::Index {}),
        other => Err(Error::Usage(format!(
            "unknown order `{other}`; expected one of start, pause, resume, stop, index"
        ))),
    }
}
