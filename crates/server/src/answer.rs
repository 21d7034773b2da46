//! Results as JSON: the same from `osprey search --json` and from the API. Scripts depend on these names.

use osprey_index::query::Colour;
use osprey_index::{FacetValue, Hit, Results};
use serde_json::{Map, Value, json};

/// Results, with `thumbnail` saying where a thumbnail is, by the path that a hit names.
pub fn results_json(results: &Results, thumbnail: &dyn Fn(&str) -> String) -> Value {
    let facets = &results.facets;
    let clusters = results.clusters.iter();
    json!({
        "total": results.total,
        "took_ms": results.took.as_secs_f64() * 1e3,
        "hits": results.hits.iter().map(|hit| hit_json(hit, thumbnail)).collect::<Vec<_>>(),
        "facets": {
            "tags": values(&facets.tags), "uploaders": values(&facets.uploaders), "sites": values(&facets.sites),
            "colours": values(&facets.colours), "is_estimate": facets.is_estimate,
        },
        "clusters": clusters
            .map(|cluster| json!({ "label": cluster.label, "ranks": cluster.ranks }))
            .collect::<Vec<_>>(),
        "suggestion": results.suggestion.as_ref().map(|suggestion| &suggestion.query),
        "ignored": results.ignored,
    })
}

fn values(values: &[FacetValue]) -> Vec<Value> {
    values.iter().map(|value| json!({ "value": value.value, "count": value.count })).collect()
}

/// One result.
pub(crate) fn hit_json(hit: &Hit, thumbnail: &dyn Fn(&str) -> String) -> Value {
    let parts: Map<String, Value> =
        hit.parts.iter().map(|part| (part.name.clone(), json!(part.score))).collect();
    let colours = hit.colours.iter().map(|colour| {
        let code = Colour::Rgb(colour.colour).to_string();
        json!({ "name": colour.name, "colour": code, "per_cent": colour.per_cent })
    });
    let highlights = hit.highlights.iter();
    json!({
        "rank": hit.rank, "url": hit.url, "title": hit.title, "score": hit.score, "image": hit.image,
        "thumbnail": hit.thumbnail.as_deref().map(thumbnail),
        "tags": hit.tags, "uploader": hit.uploader, "site": hit.site, "kind": hit.kind,
        "colours": colours.collect::<Vec<_>>(), "good": hit.good,
        "date": hit.date.map(|day| day.to_string()), "parts": parts,
        "highlights": highlights
            .map(|found| json!({ "field": found.field, "text": found.text, "marks": found.marks }))
            .collect::<Vec<_>>(),
    })
}
