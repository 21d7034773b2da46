//! Pictures on pages. The server never sends a picture as it came from the Web: thumbnails were made from pixels at
//! indexing, and larger pictures are decoded under limits and encoded again.

use std::fmt::Write;
use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use osprey_engine::{Error, Result, Service};
use osprey_index::query::Colour;
use osprey_vision::{Codebook, Limits, SIDE, Worker, decode, draw, jpeg};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::error::Failure;
use crate::pages::item::Which;

/// Kept by a browser for as long as it likes: the address has a digest in it.
const FOR_EVER: &str = "private, max-age=31536000, immutable";
/// Kept for a while.
const A_WHILE: &str = "private, max-age=3600";

/// What is shown of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Layer {
    #[default]
    Plain,
    Tiles,
    Regions,
    Segments,
    Colours,
    Textures,
}

impl Layer {
    pub(crate) const ALL: [Self; 6] =
        [Self::Plain, Self::Tiles, Self::Regions, Self::Segments, Self::Colours, Self::Textures];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Tiles => "tiles",
            Self::Regions => "regions",
            Self::Segments => "segments",
            Self::Colours => "colours",
            Self::Textures => "textures",
        }
    }

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Plain => "Picture",
            Self::Tiles => "Tiles",
            Self::Regions => "Regions",
            Self::Segments => "Segments",
            Self::Colours => "Colour words",
            Self::Textures => "Texture words",
        }
    }

    pub(crate) fn about(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Tiles => {
                "Green tiles lie within one segment, blue ones cross several: their number is a texture word. Red ones \
                 lie on a border: theirs is a shape word."
            }
            Self::Regions => "Words are counted in the whole picture and in each of nine regions.",
            Self::Segments => "Segments in their mean colours.",
            Self::Colours => "Each dot in the colour of its colour word: what a search by colour sees.",
            Self::Textures => {
                "Each tile as the tile that the codebook keeps for its texture word, from a picture that the word was \
                 learned from: what a search by texture sees, whatever the colour."
            }
        }
    }
}

fn file(media_type: &'static str, keep: &'static str, bytes: Vec<u8>) -> Response {
    ([(header::CONTENT_TYPE, media_type), (header::CACHE_CONTROL, keep)], bytes).into_response()
}

fn no_picture() -> Error {
    Error::NotFound("no such picture".to_owned())
}

/// `GET /p/{name}/thumb/{folder}/{file}`
pub(crate) async fn thumbnail(
    State(app): State<Arc<App>>,
    Path((name, folder, leaf)): Path<(String, String, String)>,
) -> Result<Response, Failure> {
    let project = app.project(&name)?;
    let path = project.thumbnail(&format!("{folder}/{leaf}")).ok_or_else(no_picture)?;
    // a few kilobytes from the page cache: it takes longer to hand them to another thread
    let bytes = std::fs::read(path).map_err(|_| no_picture())?;
    Ok(file("image/jpeg", FOR_EVER, bytes))
}

/// `GET /p/{name}/example/{key}`
pub(crate) async fn example(
    State(app): State<Arc<App>>,
    Path((_, key)): Path<(String, String)>,
) -> Result<Response, Failure> {
    let uploaded = app.examples.get(&key).ok_or_else(no_picture)?;
    Ok(file("image/jpeg", A_WHILE, uploaded.words.thumbnail.clone()))
}

/// `GET /p/{name}/picture?url=&layer=`
pub(crate) async fn picture(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    Query(Which { url, layer }): Query<Which>,
) -> Result<Response, Failure> {
    let bytes = app.ask(&name, move |project| drawn(project, &url, layer)).await?;
    Ok(file("image/jpeg", A_WHILE, bytes))
}

fn drawn(project: &Service, url: &str, layer: Layer) -> Result<Vec<u8>> {
    let handle = project.search_handle()?.ok_or_else(no_picture)?;
    let bytes = match project.picture(url) {
        Ok(Some(bytes)) => bytes,
        // where the original cannot be had, its thumbnail stands for it
        Ok(None) | Err(_) => {
            let path = handle.searcher.document(url)?.thumbnail.and_then(|path| project.thumbnail(&path));
            path.and_then(|path| std::fs::read(path).ok()).ok_or_else(no_picture)?
        }
    };
    let picture =
        decode(&bytes, SIDE, &Limits::default()).map_err(|refusal| Error::NotFound(refusal.to_string()))?;
    let mut worker = Worker::new(Arc::clone(&handle.codebook));
    Ok(jpeg(&match layer {
        Layer::Plain => picture,
        Layer::Regions => draw::regions(&picture),
        Layer::Tiles => {
            worker.look(&picture);
            draw::tiles(&picture, worker.seen(), &handle.codebook)
        }
        Layer::Segments => {
            worker.look(&picture);
            draw::segments(&picture, worker.seen())
        }
        Layer::Colours => draw::quantised(&picture, &handle.codebook),
        Layer::Textures => {
            worker.look(&picture);
            draw::words(&picture, worker.seen(), &handle.codebook)
        }
    }))
}

/// Where the style of a codebook's words is.
pub(crate) fn palette_address(project: &Service, codebook: &Codebook) -> String {
    format!("/p/{}/palette/{:016x}.css", project.name(), codebook.id())
}

/// `GET /p/{name}/palette/{file}`: colours and textures as classes, because pages have no style of their own.
pub(crate) async fn palette(
    State(app): State<Arc<App>>,
    Path((name, leaf)): Path<(String, String)>,
) -> Result<Response, Failure> {
    let project = app.project(&name)?;
    let made = app
        .work(move || {
            let handle = project.search_handle()?.ok_or_else(no_picture)?;
            let id = format!("{:016x}", handle.codebook.id());
            match leaf.rsplit_once('.') {
                Some((known, "css")) if known == id => {
                    Ok(file("text/css; charset=utf-8", FOR_EVER, style(&handle.codebook).into_bytes()))
                }
                Some((known, "png")) if known == id => {
                    Ok(file("image/png", FOR_EVER, draw::png(&draw::textures(&handle.codebook))))
                }
                _ => Err(no_picture()),
            }
        })
        .await?;
    Ok(made)
}

fn style(codebook: &Codebook) -> String {
    let mut style = String::new();
    for (word, rgb) in codebook.palette().enumerate() {
        // writing to a String cannot fail
        let _ = writeln!(style, ".c{word}{{background-color:{}}}", Colour::Rgb(rgb));
    }
    let _ = writeln!(style, ".tx{{background-image:url({:016x}.png)}}", codebook.id());
    for word in 0..codebook.tiles().len() {
        let _ = writeln!(style, ".t{word}{{background-position:-{}px 0}}", word * 32);
    }
    style
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_has_a_class() {
        let style = style(&Codebook::embedded());
        for class in [
            ".c0{",
            ".c127{background-color:#",
            ".t0{background-position:-0px 0}",
            ".t127{background-position:-4064px 0}",
        ] {
            assert!(style.contains(class), "{class}");
        }
    }
}
