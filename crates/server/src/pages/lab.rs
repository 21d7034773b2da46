//! Lab reports, as `osprey lab run` wrote them to a folder. A report may use its own inline style and nothing else.

use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use osprey_engine::Error;

use super::{Page, page};
use crate::app::App;
use crate::error::Failure;

/// Reports that are listed.
const LISTED: usize = 500;
/// What a report may do: show itself.
const CONTENT: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; sandbox";

fn missing() -> Error {
    Error::NotFound("no such report; `osprey lab run` writes reports".to_owned())
}

/// `GET /lab`
pub(crate) async fn list(State(app): State<Arc<App>>) -> Result<Markup, Failure> {
    let folder = app.options.lab.clone().ok_or_else(missing)?;
    let names = app.work(move || Ok(reports(&folder))).await?;
    let body = html! {
        h1 { "Lab" }
        @if names.is_empty() { p { "No reports yet. Run " code { "osprey lab run baselines" } " to write one." } }
        ul.reports { @for name in &names { li { a href={ "/lab/" (name) } { (name) } } } }
    };
    Ok(page(&app, &Page { title: "Lab", place: None, scripts: &[], head: html! {}, body }))
}

/// `GET /lab/{name}`
pub(crate) async fn get(State(app): State<Arc<App>>, Path(name): Path<String>) -> Result<Response, Failure> {
    let folder = app.options.lab.clone().ok_or_else(missing)?;
    let page = app
        .work(move || {
            // only what is listed is served, so no name leads out of the folder
            let known = reports(&folder).into_iter().find(|known| *known == name).ok_or_else(missing)?;
            std::fs::read(report(&folder, &known)).map_err(|_| missing())
        })
        .await?;
    let headers =
        [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CONTENT_SECURITY_POLICY, CONTENT)];
    Ok((headers, page).into_response())
}

fn report(folder: &FilePath, name: &str) -> PathBuf {
    folder.join(name).join("report.html")
}

fn reports(folder: &FilePath) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| report(folder, name).is_file()).take(LISTED).collect();
    names.sort();
    names
}
