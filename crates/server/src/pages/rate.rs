//! Thumbs up and down: on every result, document and visit.
//!
//! A page has one form for all of its thumbs. Each thumb is a button of that form, wherever it stands; its name says what
//! it does and its value is the URL. So it works without scripts, and costs a page little; `rate.js` saves loading the page
//! again. A pressed thumb takes the rating back.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Redirect;
use maud::{Markup, html};
use osprey_engine::{Error, Service};

use super::csrf;
use crate::app::App;
use crate::error::Failure;
use crate::posted::{Posted, inside, wanted};

/// The names of the buttons, what they say of a page, and what they are called.
const THUMBS: [(&str, bool, &str); 2] = [("good", true, "Good"), ("bad", false, "Bad")];
/// What a pressed button does.
const UNDO: &str = "undo";

/// The form of all thumbs of a page; without scripts, they lead back to `to`.
pub(crate) fn thumbs_form(app: &App, project: &Service, to: &str) -> Markup {
    html! {
        form #thumbs method="post" action={ "/p/" (project.name()) "/rate" }
            data-api={ "/api/v1/projects/" (project.name()) "/ratings" } {
            (csrf(app))
            input type="hidden" name="to" value=(to);
        }
        // drawn once, shown by each button
        svg.away aria-hidden="true" {
            symbol id="thumb" viewBox="0 0 24 24" {
                path d="M2 10h4v11H2zm6 0 5-8c2 0 3 1.4 2.500 3.500L14.500 9H20c1.500 0 2.300 1.200 2 2.500l-2 8c-.3 1-1 1.500-2 1.500H8z" {}
            }
        }
    }
}

/// The two thumbs of a page. Those who do not see it hear `name`.
pub(crate) fn thumbs(url: &str, name: &str, good: Option<bool>) -> Markup {
    html! {
        span.thumbs role="group" aria-label={ "Rate " (name) } {
            @for (does, is_good, called) in THUMBS {
                @let is_pressed = good == Some(is_good);
                button class=(does) type="submit" form="thumbs" name=(if is_pressed { UNDO } else { does }) value=(url)
                    aria-pressed=(is_pressed) aria-label=(called) title=(called) { svg aria-hidden="true" { use href="#thumb" {} } }
            }
        }
    }
}

/// `POST /p/{name}/rate`
pub(crate) async fn post(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    posted: Posted,
) -> Result<Redirect, Failure> {
    let (url, good) = said(&posted)?;
    app.ask(&name, move |project| project.rate(&url, good)).await?;
    Ok(Redirect::to(inside(wanted(&posted, "to")?)))
}

/// The page that was rated, and how.
fn said(posted: &Posted) -> Result<(String, Option<bool>), Error> {
    let choices = THUMBS.iter().map(|(name, is_good, _)| (*name, Some(*is_good))).chain([(UNDO, None)]);
    let mut found = choices.filter_map(|(name, good)| Some((posted.one(name)?.to_owned(), good)));
    let missing =
        || Error::Usage("missing form field: expected `good`, `bad` or `undo` with a URL".to_owned());
    found.next().ok_or_else(missing)
}
