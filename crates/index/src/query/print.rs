//! Prints a query in its one form.

use std::fmt::{self, Display, Write};

use super::{Clause, Query};

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::And(parts) => joined(f, parts, " ", |part| matches!(part, Self::Or(_) | Self::And(_))),
            Self::Or(parts) => joined(f, parts, " OR ", |part| matches!(part, Self::Or(_))),
            Self::Not(inner) => {
                f.write_char('-')?;
                grouped(f, inner, matches!(**inner, Self::Or(_) | Self::And(_)))
            }
            Self::Weighted(inner, weight) => {
                grouped(f, inner, matches!(**inner, Self::Or(_) | Self::And(_)))?;
                write!(f, "^{weight}")
            }
            Self::Clause(clause) => clause.fmt(f),
        }
    }
}

fn joined(
    f: &mut fmt::Formatter<'_>,
    parts: &[Query],
    between: &str,
    needs_group: impl Fn(&Query) -> bool,
) -> fmt::Result {
    for (number, part) in parts.iter().enumerate() {
        if number > 0 {
            f.write_str(between)?;
        }
        grouped(f, part, needs_group(part))?;
    }
    Ok(())
}

fn grouped(f: &mut fmt::Formatter<'_>, query: &Query, in_group: bool) -> fmt::Result {
    if in_group { write!(f, "({query})") } else { query.fmt(f) }
}

impl fmt::Display for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text { field, text } => {
                field.map_or(Ok(()), |field| write!(f, "{}:", field.name()))?;
                words(f, text)
            }
            Self::Colour { colour, region } => placed(f, "color", colour, *region),
            Self::Texture { word, region } => placed(f, "texture", word, *region),
            Self::Shape { word, region } => placed(f, "shape", word, *region),
            Self::Site(site) => write!(f, "site:{site}"),
            Self::Type(page_type) => write!(f, "type:{page_type}"),
            Self::Kind(kind) => write!(f, "kind:{kind}"),
            Self::Number { field, range } => write!(f, "{}:{range}", field.name()),
            Self::Date(range) => write!(f, "date:{range}"),
        }
    }
}

fn placed(
    f: &mut fmt::Formatter<'_>,
    field: &str,
    word: impl fmt::Display,
    region: Option<super::Region>,
) -> fmt::Result {
    write!(f, "{field}:{word}")?;
    region.map_or(Ok(()), |region| write!(f, "@{region}"))
}

/// Whether a text can be printed without quotes.
pub(super) fn is_bare(text: &str) -> bool {
    let plain = |c: char| !c.is_whitespace() && !matches!(c, '"' | '(' | ')' | ':' | '^');
    !text.is_empty() && text.chars().all(plain) && !text.starts_with('-') && !matches!(text, "OR" | "AND")
}

fn words(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    if is_bare(text) {
        return f.write_str(text);
    }
    f.write_char('"')?;
    for c in text.chars() {
        if matches!(c, '"' | '\\') {
            f.write_char('\\')?;
        }
        f.write_char(c)?;
    }
    f.write_char('"')
}
