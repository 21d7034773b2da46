//! A link as JSON: the same in `page` and in `export --what links`.

use osprey_page::{Link, Page};
use serde_json::{Map, Value, json};

/// Everything known of `link` before it is followed.
pub fn link_json(page: &Page, link: &Link) -> Map<String, Value> {
    Map::from_iter([
        ("url".to_owned(), json!(link.url)),
        ("anchor".to_owned(), json!(page.anchor(link))),
        ("context".to_owned(), json!(page.context(link))),
        ("rel".to_owned(), json!(link.rel.to_string())),
        ("wraps_image".to_owned(), json!(link.wraps_image)),
        ("apath".to_owned(), json!(page.apath(link.apath))),
        ("path_string".to_owned(), json!(page.path_string(link.path_string))),
        ("position".to_owned(), json!(link.position)),
    ])
}
