//! The start page: the projects of this server, and a comparison of their crawls.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use maud::html;
use osprey_engine::Service;

use super::{Page, curve, grouped, page};
use crate::app::App;
use crate::crawl_view::CrawlView;
use crate::error::Failure;

/// `GET /`
pub(crate) async fn get(State(app): State<Arc<App>>) -> Result<Response, Failure> {
    let projects: Vec<Arc<Service>> = app.projects().cloned().collect();
    if let [only] = projects.as_slice() {
        return Ok(Redirect::to(&format!("/p/{}/", only.name())).into_response());
    }
    let views: Vec<(Arc<Service>, CrawlView)> = app
        .ask_crawls(move || {
            let view = |project: Arc<Service>| (Arc::clone(&project), CrawlView::of(&project));
            Ok(projects.into_iter().map(view).collect())
        })
        .await?;
    let series: Vec<(&str, &CrawlView)> =
        views.iter().map(|(project, view)| (project.name(), view)).collect();
    let body = html! {
        h1 { "Projects" }
        div.wide {
            table {
                thead { tr {
                    th scope="col" { "Project" } th scope="col" { "Policy" }
                    th.number scope="col" { "Pages" } th.number scope="col" { "Relevant" }
                    th.number scope="col" { "Harvest" } th.number scope="col" { "Pictures" }
                    th.number scope="col" { "Searchable" } th scope="col" { "Now" }
                } }
                tbody {
                    @for (project, view) in &views {
                        tr {
                            th scope="row" { a href={ "/p/" (project.name()) "/" } { (project.name()) } }
                            td { (view.policy) }
                            td.number { (grouped(view.visited)) }
                            td.number { (grouped(view.relevant)) }
                            td.number { (format!("{:.3}", view.harvest_ratio)) }
                            td.number { (grouped(view.pictures)) }
                            td.number { (grouped(view.documents)) }
                            td { a href={ "/p/" (project.name()) "/crawl" } { (view.state.name()) @if view.external { ", another process" } } }
                        }
                    }
                }
            }
        }
        h2 { "Relevant pages over time" }
        (curve::figure("/curve.svg", &series))
    };
    Ok(page(&app, &Page { title: "Projects", place: None, scripts: &[], head: html! {}, body })
        .into_response())
}
