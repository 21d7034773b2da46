//! Embedded files: style, scripts, the icon. Their addresses contain a digest of the content, so browsers can cache
//! them for ever and never show an old version.

use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};

/// A file.
struct Asset {
    name: &'static str,
    media_type: &'static str,
    bytes: &'static [u8],
}

const STYLE: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

const ASSETS: [Asset; 8] = [
    Asset { name: "style.css", media_type: STYLE, bytes: include_bytes!("../assets/style.css") },
    Asset { name: "grow.js", media_type: SCRIPT, bytes: include_bytes!("../assets/grow.js") },
    Asset { name: "search.js", media_type: SCRIPT, bytes: include_bytes!("../assets/search.js") },
    Asset { name: "rate.js", media_type: SCRIPT, bytes: include_bytes!("../assets/rate.js") },
    Asset { name: "crawl.js", media_type: SCRIPT, bytes: include_bytes!("../assets/crawl.js") },
    Asset { name: "sitemap.js", media_type: SCRIPT, bytes: include_bytes!("../assets/sitemap.js") },
    Asset { name: "topic.js", media_type: SCRIPT, bytes: include_bytes!("../assets/topic.js") },
    Asset { name: "icon.svg", media_type: "image/svg+xml", bytes: include_bytes!("../assets/icon.svg") },
];

/// The address of a file.
pub(crate) fn address(name: &str) -> String {
    let digest = ASSETS.iter().find(|asset| asset.name == name).map(digest).unwrap_or_default();
    format!("/static/{digest}/{name}")
}

fn digest(asset: &Asset) -> String {
    Sha256::digest(asset.bytes).iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}

/// `GET /static/{digest}/{name}`
pub(crate) async fn get(Path((_, name)): Path<(String, String)>) -> Response {
    match ASSETS.iter().find(|asset| asset.name == name) {
        None => StatusCode::NOT_FOUND.into_response(),
        Some(asset) => {
            let headers = [
                (header::CONTENT_TYPE, asset.media_type),
                (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
            ];
            (headers, asset.bytes).into_response()
        }
    }
}
