//! Rows as they are stored and archived: as JSON, without what says nothing (`null`, `false`, empty lists).
//!
//! Exports want every column of every row, so this is not how rows are serialised elsewhere. A third of a row's bytes
//! is saved, and each is written three times (archive, catalogue, frontier). Reading takes what is missing for nothing.

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::{PictureRow, VisitRow};

/// A row, to be serialised without what says nothing.
pub(crate) struct Compact<'a, T>(pub(crate) &'a T);

impl Serialize for Compact<'_, VisitRow> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // all of them by name, so that a new field is not forgotten here
        let VisitRow {
            n,
            url,
            final_url,
            status,
            fetched_at,
            bytes,
            media_type,
            digest,
            page_type,
            cluster,
            relevance,
            relevant,
            score,
            policy,
            parent,
            depth,
            apath,
            why,
            is_page,
            is_cut,
            title,
            link,
            archived,
            simhash,
            duplicate_of,
            near_duplicate_of,
            shows,
            is_login,
            notes,
            fresh,
            told,
            group,
            is_revisit,
            is_unchanged,
        } = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("n", n)?;
        map.serialize_entry("url", url)?;
        map.serialize_entry("final_url", final_url)?;
        map.serialize_entry("status", status)?;
        map.serialize_entry("fetched_at", fetched_at)?;
        map.serialize_entry("bytes", bytes)?;
        some(&mut map, "media_type", media_type)?;
        some(&mut map, "digest", digest)?;
        some(&mut map, "page_type", page_type)?;
        some(&mut map, "cluster", cluster)?;
        some(&mut map, "relevance", relevance)?;
        yes(&mut map, "relevant", *relevant)?;
        map.serialize_entry("score", score)?;
        map.serialize_entry("policy", policy)?;
        some(&mut map, "parent", parent)?;
        map.serialize_entry("depth", depth)?;
        some(&mut map, "apath", apath)?;
        if !why.is_empty() {
            map.serialize_entry("why", why)?;
        }
        yes(&mut map, "is_page", *is_page)?;
        yes(&mut map, "is_cut", *is_cut)?;
        some(&mut map, "title", title)?;
        map.serialize_entry("link", link)?;
        some(&mut map, "archived", archived)?;
        some(&mut map, "simhash", simhash)?;
        some(&mut map, "duplicate_of", duplicate_of)?;
        some(&mut map, "near_duplicate_of", near_duplicate_of)?;
        some(&mut map, "shows", shows)?;
        yes(&mut map, "is_login", *is_login)?;
        list(&mut map, "notes", notes)?;
        if !fresh.is_unknown() {
            map.serialize_entry("fresh", fresh)?;
        }
        map.serialize_entry("told", told)?;
        map.serialize_entry("group", group)?;
        yes(&mut map, "is_revisit", *is_revisit)?;
        yes(&mut map, "is_unchanged", *is_unchanged)?;
        map.end()
    }
}

impl Serialize for Compact<'_, PictureRow> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let PictureRow {
            n,
            url,
            final_url,
            page,
            status,
            fetched_at,
            bytes,
            media_type,
            digest,
            archived,
            duplicate_of,
            link,
            notes,
            is_revisit,
            is_unchanged,
        } = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("n", n)?;
        map.serialize_entry("url", url)?;
        map.serialize_entry("final_url", final_url)?;
        some(&mut map, "page", page)?;
        map.serialize_entry("status", status)?;
        map.serialize_entry("fetched_at", fetched_at)?;
        map.serialize_entry("bytes", bytes)?;
        some(&mut map, "media_type", media_type)?;
        some(&mut map, "digest", digest)?;
        some(&mut map, "archived", archived)?;
        some(&mut map, "duplicate_of", duplicate_of)?;
        map.serialize_entry("link", link)?;
        list(&mut map, "notes", notes)?;
        yes(&mut map, "is_revisit", *is_revisit)?;
        yes(&mut map, "is_unchanged", *is_unchanged)?;
        map.end()
    }
}

fn some<M: SerializeMap>(
    map: &mut M,
    name: &'static str,
    value: &Option<impl Serialize>,
) -> Result<(), M::Error> {
    value.as_ref().map_or(Ok(()), |value| map.serialize_entry(name, value))
}

fn yes<M: SerializeMap>(map: &mut M, name: &'static str, value: bool) -> Result<(), M::Error> {
    if value { map.serialize_entry(name, &true) } else { Ok(()) }
}

fn list<M: SerializeMap>(map: &mut M, name: &'static str, value: &[String]) -> Result<(), M::Error> {
    if value.is_empty() { Ok(()) } else { map.serialize_entry(name, value) }
}

#[cfg(test)]
mod tests {
    use osprey_archive::Position;
    use osprey_model::{GroupId, LinkId, Timestamp};
    use osprey_steer::FreshLinks;

    use super::*;
    use crate::Told;

    fn row() -> VisitRow {
        VisitRow {
            n: 1,
            url: "http://a.example/".to_owned(),
            final_url: "http://a.example/".to_owned(),
            status: 0,
            fetched_at: Timestamp::EPOCH,
            bytes: 0,
            media_type: None,
            digest: None,
            page_type: None,
            cluster: None,
            relevance: None,
            relevant: false,
            score: 0.5,
            policy: "breadth-first".to_owned(),
            parent: None,
            depth: 0,
            apath: None,
            why: Default::default(),
            is_page: false,
            is_cut: false,
            title: None,
            link: LinkId(7),
            archived: None,
            simhash: None,
            duplicate_of: None,
            near_duplicate_of: None,
            shows: None,
            is_login: false,
            notes: Vec::new(),
            fresh: FreshLinks::unknown(),
            told: Told::Failure,
            group: GroupId(3),
            is_revisit: false,
            is_unchanged: false,
        }
    }

    #[test]
    fn a_compact_row_reads_back_as_it_was() {
        let check = |row: &VisitRow| {
            let text = serde_json::to_string(&Compact(row)).unwrap();
            assert!(!text.contains("null") && !text.contains("false") && !text.contains("[]"), "{text}");
            assert_eq!(&serde_json::from_str::<VisitRow>(&text).unwrap(), row);
        };
        check(&row());
        let text = || Some("text".to_owned());
        check(&VisitRow {
            media_type: text(),
            digest: text(),
            page_type: text(),
            cluster: Some(1),
            relevance: Some(0.25),
            relevant: true,
            parent: text(),
            apath: text(),
            why: [("own".to_owned(), 1.0)].into(),
            is_page: true,
            is_cut: true,
            title: text(),
            archived: Some(Position { file: 1, offset: 2, length: 3 }),
            simhash: Some(u64::MAX),
            duplicate_of: text(),
            near_duplicate_of: Some(4),
            notes: vec!["cut".to_owned()],
            told: Told::Page,
            is_revisit: true,
            is_unchanged: true,
            ..row()
        });
    }
}
