//! What a page declares about itself in its `meta` elements.

use crate::tree::{AttrsId, Tree, known};
use crate::walk::WalkFindings;

/// The values of the `meta` elements.
#[derive(Default)]
pub(crate) struct Metas<'a> {
    pub(crate) keywords: AttrsId,
    pub(crate) description: AttrsId,
    pub(crate) language: AttrsId,
    pub(crate) robots: Option<String>,
    pub(crate) refresh: Option<&'a str>,
}

impl<'a> Metas<'a> {
    pub(crate) fn read(tree: &'a Tree, found: &WalkFindings<'_>) -> Self {
        let attributes = tree.attributes();
        let mut metas = Self::default();
        for &attrs in &found.metas {
            let Some(content) = attributes.find(attrs, known::CONTENT) else { continue };
            let name = attributes.find(attrs, known::NAME).unwrap_or_default().trim();
            let header = attributes.find(attrs, known::HTTP_EQUIV).unwrap_or_default().trim();
            let first = |slot: &mut AttrsId| {
                if *slot == AttrsId::NONE {
                    *slot = attrs;
                }
            };
            if name.eq_ignore_ascii_case("keywords") {
                first(&mut metas.keywords);
            } else if name.eq_ignore_ascii_case("description") {
                first(&mut metas.description);
            } else if name.eq_ignore_ascii_case("robots") {
                let robots = metas.robots.get_or_insert_default();
                if !robots.is_empty() {
                    robots.push(',');
                }
                robots.push_str(content);
            } else if header.eq_ignore_ascii_case("content-language") {
                first(&mut metas.language);
            } else if header.eq_ignore_ascii_case("refresh") {
                metas.refresh = metas.refresh.or_else(|| refresh_target(content));
            }
        }
        metas
    }
}

/// The reference in `5; url='next.html'`.
fn refresh_target(content: &str) -> Option<&str> {
    let rest = content.trim_start().trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let rest = rest.trim_start().trim_start_matches([';', ',']).trim_start();
    let value = match rest.get(..3) {
        Some(word) if word.eq_ignore_ascii_case("url") => {
            rest.get(3..)?.trim_start().strip_prefix('=').unwrap_or(rest).trim_start()
        }
        _ => rest,
    };
    let value = match value.chars().next()? {
        quote @ ('"' | '\'') => value.get(1..)?.split(quote).next()?,
        _ => value.trim_end(),
    };
    (!value.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refresh_targets_are_found() {
        let check =
            |content: &str, expect: Option<&str>| assert_eq!(refresh_target(content), expect, "{content:?}");
        check("5; url=next.html", Some("next.html"));
        check("0;URL='a b'x", Some("a b"));
        check(" 1.5 , url = \"q\"", Some("q"));
        check("3; next.html ", Some("next.html"));
        check("30", None);
        check("0; url=", None);
        check("é", Some("é"));
        check("", None);
    }
}
