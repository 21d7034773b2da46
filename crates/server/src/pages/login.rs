//! The login page: asks for the token.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use serde::Deserialize;

use super::{Page, csrf, page};
use crate::app::App;
use crate::posted::{Posted, inside};
use crate::security::Guard;

/// Delay after a wrong token, to slow down guessing.
const THINK: Duration = Duration::from_millis(500);

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct To {
    to: String,
}

/// `GET /login`
pub(crate) async fn get(State(app): State<Arc<App>>, Query(to): Query<To>) -> Markup {
    form(&app, &to.to, None)
}

fn form(app: &App, to: &str, wrong: Option<&str>) -> Markup {
    let body = html! {
        h1 { "Log in" }
        @if let Some(wrong) = wrong { p.trouble role="alert" { (wrong) } }
        form.stack method="post" action="/login" {
            (csrf(app))
            input type="hidden" name="to" value=(to);
            label for="token" { "Server token" }
            input #token type="password" name="token" required autofocus autocomplete="current-password";
            button type="submit" { "Log in" }
        }
    };
    page(app, &Page { title: "Log in", place: None, scripts: &[], head: html! {}, body })
}

/// `POST /login`
pub(crate) async fn post(State(app): State<Arc<App>>, posted: Posted) -> Response {
    let to = posted.one("to").unwrap_or("/");
    match app.guard.login(posted.one("token").unwrap_or_default()) {
        Some(cookie) => ([(header::SET_COOKIE, cookie)], Redirect::to(inside(to))).into_response(),
        None => {
            tracing::warn!(target: "osprey::server", path = "/login", why = "a wrong token", "refused");
            tokio::time::sleep(THINK).await;
            (StatusCode::UNAUTHORIZED, form(&app, to, Some("wrong token"))).into_response()
        }
    }
}

/// `POST /logout`
pub(crate) async fn leave(_: Posted) -> Response {
    ([(header::SET_COOKIE, Guard::logout())], Redirect::to("/login")).into_response()
}
