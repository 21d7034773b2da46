//! Measures on picture sets: how well visual words find similar pictures, how often words are used, what a query costs.
//!
//! Each picture is a query for the other pictures of its class and is not in its own results. The variant's `with`
//! selects the query: a `vector`, `parts` of the words together, or a few texture `words`; and the `codebook`.

mod quality;
mod queries;
mod search;
mod study;
mod vectors;
mod word_use;

use anyhow::{Context, bail};
use osprey_vision::codebook::Training;
use osprey_vision::colour::Space;
use osprey_vision::{Example, Part};
use serde::Deserialize;

use self::quality::Quality;
pub(super) use self::queries::PictureQueriesMeasure;
use self::search::{Ranking, Reading, TextureIndex};
pub(crate) use self::study::Studies;
use self::study::{Choice, Fold, PictureWords};
use self::vectors::{VectorKind, Vectors};
pub(super) use self::word_use::WordUseMeasure;
use super::{Cell, Findings, Measure};
use crate::corpus::{CorpusSource, Pictures};

/// The similarity of each picture to the query; higher is better.
type Scores = Vec<f32>;

/// The parameters of a variant.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct PictureParams {
    /// Search by a vector.
    vector: Option<VectorKind>,
    /// Search by parts of the words, as query by example does.
    parts: Vec<PartName>,
    /// Search by this many texture words.
    words: Option<usize>,
    /// Which tiles the texture words come from.
    tiles: Tiles,
    /// Whether each tile counts fully for its nearest word.
    hard: bool,
    /// Whether all words are needed.
    reading: Reading,
    /// How words are chosen and results ranked.
    ranking: Ranking,
    /// Whether the hundred best are ranked again by all texture words.
    rerank: bool,
    /// Which codebook.
    codebook: CodebookName,
    /// Words of a codebook that is learnt, if not the usual number; and how it is learnt.
    size: Option<usize>,
    centres: Option<usize>,
    texture_centres: Option<usize>,
    space: Option<Space>,
    whiten: Option<bool>,
}

/// A part as experiments call it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum PartName {
    Colour,
    ColourRegions,
    Texture,
    Borders,
    Shape,
    ShapeRegions,
}

impl PartName {
    fn part(self) -> Part {
        match self {
            Self::Colour => Part::Colour,
            Self::ColourRegions => Part::ColourRegions,
            Self::Texture => Part::Texture,
            Self::Borders => Part::Borders,
            Self::Shape => Part::Shape,
            Self::ShapeRegions => Part::ShapeRegions,
        }
    }
}

/// Which tiles have texture words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Tiles {
    /// Inner and crossing ones: Zhang 2008's selection.
    Selected,
    /// All.
    #[default]
    All,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum CodebookName {
    /// Learnt in two folds.
    #[default]
    Folds,
    /// The one that ships.
    Embedded,
}

impl PictureParams {
    fn of(cell: &Cell<'_>) -> anyhow::Result<Self> {
        let table = toml::Value::Table(cell.variant.with.clone());
        table.try_into().with_context(|| format!("variant `{}`", cell.variant.name))
    }

    fn choice(&self) -> Choice {
        if self.codebook == CodebookName::Embedded {
            return Choice::Embedded;
        }
        let usual = Training::default();
        let words = self.size.unwrap_or(usual.words);
        let space = self.space.unwrap_or(usual.space);
        Choice::Folds(Training {
            words,
            space,
            centres: self.centres.unwrap_or(usual.centres.max(words)),
            texture_centres: self.texture_centres.unwrap_or(words),
            whiten: self.whiten.unwrap_or(usual.whiten),
            // A radius of one space is meaningless in another: OKLab's cube has a side of about a half.
            colour_radius: if space == Space::Rgb { usual.colour_radius * 2.5 } else { usual.colour_radius },
            ..usual
        })
    }

    /// The texture words of all pictures, as this variant wants them.
    fn index(&self, fold: &Fold) -> TextureIndex {
        let bag = |seen: &PictureWords| match (self.tiles, self.hard) {
            (Tiles::Selected, true) => seen.hard[0].clone(),
            (Tiles::All, true) => seen.hard[1].clone(),
            (Tiles::Selected, false) => seen.words.textures.whole.clone(),
            (Tiles::All, false) => seen.words.all_textures(),
        };
        TextureIndex::new(fold.seen.iter().map(bag).collect())
    }
}

/// The pictures of a cell's corpus.
fn pictures<'a>(cell: &Cell<'a>) -> anyhow::Result<&'a Pictures> {
    match &cell.corpus.source {
        CorpusSource::Pictures(pictures) => Ok(pictures),
        _ => bail!("corpus `{}`: expected `pictures`", cell.entry.name),
    }
}

/// `pictures`: precision among the first 10 and 20 and mean average precision, over all pictures and by class.
#[derive(Clone, Copy, Debug)]
pub(super) struct PicturesMeasure;

impl Measure for PicturesMeasure {
    fn name(&self) -> &'static str {
        "pictures"
    }

    fn run(&self, cell: &Cell<'_>) -> anyhow::Result<Findings> {
        let (asked, pictures) = (PictureParams::of(cell)?, pictures(cell)?);
        let classes: Vec<&str> = pictures.photos.iter().map(|photo| photo.class.as_str()).collect();
        let mut quality = Quality::new(&classes);
        if let Some(kind) = asked.vector {
            let vectors = Vectors::new(&pictures.photos, kind);
            for query in 0..classes.len() {
                quality.add(query, &vectors.scores(query));
            }
            return Ok(quality.findings());
        }
        let study = pictures.studies.get(pictures, &asked.choice());
        for fold in &study.folds {
            let index = asked.words.map(|words| (asked.index(fold), words));
            for query in &fold.queries {
                let scores = match &index {
                    Some((index, words)) => by_words(&asked, index, *query, *words),
                    None => by_parts(&asked, fold, *query)?,
                };
                quality.add(*query, &scores);
            }
        }
        let mut findings = quality.findings();
        let times = study.folds.iter().filter_map(|fold| fold.cpu_ms);
        if let Some(most) = times.reduce(f64::max) {
            findings.timings.insert("cpu_ms_per_picture".to_owned(), most);
        }
        Ok(findings)
    }
}

fn by_words(asked: &PictureParams, index: &TextureIndex, query: usize, words: usize) -> Scores {
    let mut answer = index.ask(query, words, asked.reading, asked.ranking);
    if asked.rerank {
        index.rerank(query, &mut answer);
    }
    answer.scores
}

fn by_parts(asked: &PictureParams, fold: &Fold, query: usize) -> anyhow::Result<Scores> {
    if asked.parts.is_empty() {
        bail!("expected `vector`, `parts` or `words`");
    }
    let parts: Vec<Part> = asked.parts.iter().map(|name| name.part()).collect();
    let Some(seen) = fold.seen.get(query) else { return Ok(Scores::new()) };
    let example = Example::new(&seen.words);
    let scale = fold.codebook.scale();
    let score = |other: &PictureWords| scale.score_of(&example.parts(&other.words), &parts);
    Ok(fold.seen.iter().map(score).collect())
}
