//! Parses a query.
//!
//! ```text
//! query  = [ or ]
//! or     = and { "OR" and }
//! and    = unary { [ "AND" ] unary }
//! unary  = "-" unary | ( "(" or ")" | clause ) [ "^" number ]
//! clause = [ field ":" ] ( word | quoted )
//! ```
//!
//! A word ends at white space, a parenthesis, a quote or `^`; inside quotes, `\` escapes the next character.

use osprey_model::PageType;

use super::range::number;
use super::{Clause, Colour, Date, NumberField, Query, QueryError, Range, Region, TextField};
use super::{MAX_BYTES, MAX_CLAUSES, MAX_DEPTH, OTHER_FIELDS, WEIGHTS, colour};
use crate::document::DocumentKind;

impl Query {
    /// Parses a query. An empty one matches everything.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        if text.len() > MAX_BYTES {
            let expected = format!("a query of at most {MAX_BYTES} bytes");
            let error = QueryError::new(text, 0, 0, expected);
            return Err(QueryError { found: format!("{} bytes", text.len()), ..error });
        }
        let mut parser = Parser { text, at: 0, clauses: 0, depth: 0 };
        parser.skip_space();
        if parser.rest().is_empty() {
            return Ok(Self::default());
        }
        let query = parser.or()?;
        // before the end, only a parenthesis stops `or`
        if parser.rest().is_empty() { Ok(query) } else { Err(parser.expected("a word or the end", 1)) }
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    clauses: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn expected(&self, what: impl Into<String>, length: usize) -> QueryError {
        QueryError::new(self.text, self.at, length, what)
    }

    fn or(&mut self) -> Result<Query, QueryError> {
        let mut parts = vec![self.and()?];
        while self.operator("OR") {
            parts.push(self.and()?);
        }
        Ok(Query::or(parts))
    }

    fn and(&mut self) -> Result<Query, QueryError> {
        let mut parts = vec![self.unary()?];
        loop {
            self.skip_space();
            let named = self.operator("AND");
            let ends = self.rest().is_empty() || self.rest().starts_with(')') || self.word() == "OR";
            if ends && !named {
                return Ok(Query::and(parts));
            }
            parts.push(self.unary()?);
        }
    }

    /// Consumes an operator, if there is one.
    fn operator(&mut self, name: &str) -> bool {
        self.skip_space();
        let found = self.word() == name;
        if found {
            self.at += name.len();
        }
        found
    }

    fn unary(&mut self) -> Result<Query, QueryError> {
        self.skip_space();
        let rest = self.rest();
        if rest.starts_with(['-', '(']) {
            if self.depth >= MAX_DEPTH {
                let expected = format!("at most {MAX_DEPTH} parentheses and minus signs inside each other");
                return Err(self.expected(expected, 1));
            }
            self.depth += 1;
            let query = if rest.starts_with('-') {
                self.negation()
            } else {
                self.group().and_then(|query| self.weight(query))
            };
            self.depth -= 1;
            return query;
        }
        if rest.is_empty() || rest.starts_with([')', '^']) || matches!(self.word(), "OR" | "AND") {
            return Err(self.expected("a word, a field, `-` or `(`", self.word().len().max(1)));
        }
        self.clauses += 1;
        if self.clauses > MAX_CLAUSES {
            return Err(self.expected(format!("at most {MAX_CLAUSES} conditions"), self.word().len().max(1)));
        }
        let clause = self.clause()?;
        self.weight(Query::Clause(clause))
    }

    /// `query` with the weight that follows it, if there is one.
    fn weight(&mut self, query: Query) -> Result<Query, QueryError> {
        if !self.rest().starts_with('^') {
            return Ok(query);
        }
        self.at += 1;
        let text = self.word();
        let weight = text.parse::<f32>().ok().filter(|weight| WEIGHTS.contains(weight));
        let Some(weight) = weight else {
            let expected = "a weight from 0.01 to 100, such as `rose^2`; words with `^` go in quotes";
            return Err(self.expected(expected, text.len()));
        };
        self.at += text.len();
        Ok(Query::weighted(query, weight))
    }

    fn negation(&mut self) -> Result<Query, QueryError> {
        self.at += 1;
        if self.rest().is_empty() || self.rest().starts_with(char::is_whitespace) {
            return Err(self.expected("a word right behind `-`", 1));
        }
        self.unary().map(Query::not)
    }

    fn group(&mut self) -> Result<Query, QueryError> {
        self.at += 1;
        let query = self.or()?;
        self.skip_space();
        if !self.rest().starts_with(')') {
            return Err(self.expected("`)`", 1));
        }
        self.at += 1;
        Ok(query)
    }

    /// The unquoted word here, which may be empty.
    fn word(&self) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '"' | '(' | ')' | '^'));
        rest.get(..end.unwrap_or(rest.len())).unwrap_or_default()
    }

    fn clause(&mut self) -> Result<Clause, QueryError> {
        let word = self.word();
        let Some((name, _)) = word.split_once(':') else {
            return self.words().map(|text| Clause::Text { field: None, text });
        };
        let at = self.at;
        self.at += name.len() + 1;
        let lower = name.to_ascii_lowercase();
        if let Some(field) = TextField::ALL.into_iter().find(|field| field.name() == lower) {
            return self.words().map(|text| Clause::Text { field: Some(field), text });
        }
        if let Some(field) = NumberField::ALL.into_iter().find(|field| field.name() == lower) {
            let range = self.range("a number or a range such as `5`, `>5`, `2..7` or `2..`", number)?;
            return Ok(Clause::Number { field, range });
        }
        match lower.as_str() {
            "color" | "colour" => {
                let (colour, region) = self.placed(colour::EXPECTED, Colour::parse)?;
                Ok(Clause::Colour { colour, region })
            }
            "texture" => {
                let (word, region) =
                    self.placed("the number of a texture word, from 0 to 255", visual_word)?;
                Ok(Clause::Texture { word, region })
            }
            "shape" => {
                let (word, region) = self.placed("the number of a shape word, from 0 to 255", visual_word)?;
                Ok(Clause::Shape { word, region })
            }
            "site" => self.value("a host such as `example.org`", site).map(Clause::Site),
            "type" => {
                let known = |text: &str| text.parse::<PageType>().ok();
                self.value("`list`, `detail`, `profile` or `other`", known).map(Clause::Type)
            }
            "kind" => {
                self.value("`record` or `page`", |text| text.parse::<DocumentKind>().ok()).map(Clause::Kind)
            }
            "date" => {
                let expected = "a date or a range such as `2024`, `2024-05-17`, `>2023` or `2023-06..2024`";
                self.range(expected, Date::parse).map(Clause::Date)
            }
            _ => {
                self.at = at;
                Err(self.expected(unknown_field(&lower), name.len() + 1))
            }
        }
    }

    /// A sequence of words, quoted or not.
    fn words(&mut self) -> Result<String, QueryError> {
        if !self.rest().starts_with('"') {
            let word = self.word();
            if word.is_empty() || word.contains(':') {
                return Err(self.expected("a word, or words in quotes", word.len().max(1)));
            }
            self.at += word.len();
            return Ok(word.to_owned());
        }
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        let mut kept = false;
        for (offset, c) in self.rest().char_indices() {
            match c {
                '\\' if !kept => kept = true,
                '"' if !kept => {
                    if text.trim().is_empty() {
                        self.at = start;
                        return Err(self.expected("words between the quotes", offset + 2));
                    }
                    self.at += offset + 1;
                    return Ok(text);
                }
                c => {
                    text.push(c);
                    kept = false;
                }
            }
        }
        self.at = self.text.len();
        Err(self.expected("`\"` that ends the words in quotes", 0))
    }

    /// A value of one word, quoted or not.
    fn value<T>(&mut self, expected: &str, read: impl Fn(&str) -> Option<T>) -> Result<T, QueryError> {
        let start = self.at;
        let text = if self.rest().starts_with('"') {
            self.words()?
        } else {
            let word = self.word().to_owned();
            self.at += word.len();
            word
        };
        read(&text).ok_or_else(|| {
            let length = self.at - start;
            // only the end of the query is called "the end"
            let length = if length == 0 && !self.rest().is_empty() { 1 } else { length };
            QueryError::new(self.text, start, length, expected)
        })
    }

    fn range<T: Copy>(
        &mut self,
        expected: &str,
        value: impl Fn(&str) -> Option<T>,
    ) -> Result<Range<T>, QueryError> {
        self.value(expected, |text| Range::parse(text, &value))
    }

    /// A visual word with the region after `@`.
    fn placed<T>(
        &mut self,
        expected: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<(T, Option<Region>), QueryError> {
        let start = self.at;
        let (value, region) = self.value(expected, |text| {
            let (value, region) = text.split_once('@').map_or((text, None), |(v, r)| (v, Some(r.to_owned())));
            read(value).map(|value| (value, region))
        })?;
        let Some(name) = region else { return Ok((value, None)) };
        let region = Region::named(&name).ok_or_else(|| {
            let at = self.text.get(start..).and_then(|rest| rest.find('@')).unwrap_or(0);
            let expected = "a region: `center`, `top`, `top-left`, ..., or `r1` to `r9`";
            QueryError::new(self.text, start + at + 1, name.len(), expected)
        })?;
        Ok((value, Some(region)))
    }
}

fn visual_word(text: &str) -> Option<u8> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

fn site(text: &str) -> Option<String> {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
    let good = !text.is_empty() && text.chars().all(plain) && !text.starts_with('-');
    // some capital letters become several lower-case letters; a second pass makes the result stable
    good.then(|| text.to_lowercase().to_lowercase())
}

/// The message for a field that does not exist.
fn unknown_field(name: &str) -> String {
    let texts = TextField::ALL.iter().map(|field| field.name());
    let numbers = NumberField::ALL.iter().map(|field| field.name());
    let known: Vec<&str> = texts.chain(numbers).chain(OTHER_FIELDS).collect();
    let near = known.iter().map(|known| (strsim::osa_distance(name, known), *known)).min();
    match near {
        Some((distance, known)) if distance <= 2 && name.len() <= 16 => {
            format!("a field (did you mean `{known}:`?)")
        }
        _ => format!("a field ({}); words with a colon go in quotes", known.join(", ")),
    }
}
