//! The rows themselves, and their columns.

use osprey_crawl::{PictureRow, VisitRow};
use osprey_page::Page;
use osprey_structure::Site;
use osprey_structure::extract::Record;
use serde_json::{Map, Value, json};

use super::table::Kind::{Bool, Float, Int, Text};
use super::table::Table;
use crate::view;

pub(super) const VISITS: &Table = &[
    ("n", Int),
    ("url", Text),
    ("final_url", Text),
    ("status", Int),
    ("fetched_at", Text),
    ("bytes", Int),
    ("media_type", Text),
    ("digest", Text),
    ("page_type", Text),
    ("cluster", Int),
    ("relevance", Float),
    ("relevant", Bool),
    ("score", Float),
    ("policy", Text),
    ("parent", Text),
    ("depth", Int),
    ("apath", Text),
    ("why", Text),
    ("title", Text),
    ("duplicate_of", Text),
    ("near_duplicate_of", Int),
    ("notes", Text),
];

pub(super) const PAGES: &Table = &[
    ("n", Int),
    ("url", Text),
    ("title", Text),
    ("lang", Text),
    ("charset", Text),
    ("canonical", Text),
    ("description", Text),
    ("text", Text),
    ("links", Int),
    ("images", Int),
    ("notes", Text),
];

pub(super) const LINKS: &Table = &[
    ("n", Int),
    ("from", Text),
    ("url", Text),
    ("anchor", Text),
    ("context", Text),
    ("rel", Text),
    ("wraps_image", Bool),
    ("apath", Text),
    ("path_string", Text),
    ("position", Int),
    ("uploader", Text),
];

pub(super) const UPLOADERS: &Table = &[
    ("name", Text),
    ("url", Text),
    ("items", Int),
    ("has_profile", Bool),
    ("contacts", Int),
    ("inner", Float),
    ("inter", Float),
    ("rank", Float),
];

pub(super) const RECORDS: &Table = &[
    ("url", Text),
    ("kind", Text),
    ("title", Text),
    ("uploader", Text),
    ("uploader_url", Text),
    ("tags", Text),
    ("sets", Text),
    ("groups", Text),
    ("comments", Text),
    ("counts", Text),
    ("date", Text),
    ("date_exact", Text),
    ("description", Text),
    ("images", Text),
    ("contacts", Text),
    ("terms", Text),
    ("fields", Text),
];

/// Rows of `--what items`: what is nested in records, as a table of its own.
pub(super) const ITEMS: &Table = &[
    ("record", Text),
    ("position", Int),
    ("author", Text),
    ("author_url", Text),
    ("date", Text),
    ("date_exact", Text),
    ("text", Text),
    ("votes", Int),
];

/// The comments of a record, in the order of the page; `record` is the address of the page.
pub(super) fn items(record: &Record) -> impl Iterator<Item = Value> + '_ {
    record.comments.iter().zip(1_u64..).map(|(comment, position)| {
        json!({
            "record": record.url,
            "position": position,
            "author": comment.author,
            "author_url": comment.author_url,
            "date": comment.date,
            "date_exact": comment.date_exact,
            "text": comment.text,
            "votes": comment.votes,
        })
    })
}

/// The contract's columns and some more; what only Osprey needs stays inside.
pub(super) fn visit(visit: &VisitRow) -> Value {
    columns(json!(visit), VISITS)
}

/// Rows of `--what pictures`.
pub(super) const PICTURES: &Table = &[
    ("n", Int),
    ("url", Text),
    ("final_url", Text),
    ("page", Text),
    ("status", Int),
    ("fetched_at", Text),
    ("bytes", Int),
    ("media_type", Text),
    ("digest", Text),
    ("duplicate_of", Text),
    ("notes", Text),
];

pub(super) fn picture(picture: &PictureRow) -> Value {
    columns(json!(picture), PICTURES)
}

/// A row with these columns and no others.
fn columns(mut row: Value, table: &Table) -> Value {
    if let Some(fields) = row.as_object_mut() {
        fields.retain(|name, _| table.iter().any(|(column, _)| column == name));
    }
    row
}

pub(super) fn page(visit: &VisitRow, page: &Page) -> Value {
    json!({
        "n": visit.n,
        "url": page.url(),
        "title": page.title(),
        "lang": page.lang(),
        "charset": page.charset(),
        "canonical": page.canonical(),
        "description": page.description(),
        "text": page.text(),
        "links": page.links().len(),
        "images": page.images().len(),
        "notes": page.notes().iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

/// The links of a page; where the site was learned, a detail link on a list page says whose it is.
pub(super) fn links<'a>(
    visit: &'a VisitRow,
    page: &'a Page,
    site: Option<&Site>,
) -> impl Iterator<Item = Value> + 'a {
    let pairings = site.map(|site| site.uploaders(visit.cluster, page)).unwrap_or_default();
    page.links().iter().enumerate().map(move |(place, link)| {
        let mut row =
            Map::from_iter([("n".to_owned(), json!(visit.n)), ("from".to_owned(), json!(page.url()))]);
        row.extend(view::link_json(page, link));
        let pairing = pairings.iter().find(|pairing| pairing.detail == place);
        let uploader = pairing.and_then(|pairing| page.links().get(pairing.uploader));
        row.insert("uploader".to_owned(), json!(uploader.map(|uploader| &uploader.url)));
        Value::Object(row)
    })
}
