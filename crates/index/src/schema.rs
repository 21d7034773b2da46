//! The fields of an index.
//!
//! Text fields have positions. Visual fields have real term frequencies; there is one per region, because equation 21
//! of Zhang 2008 sums over regions. Values that ranking and filters read for every match are columns ("fast fields").
//! The exact word shares of a picture are a column too, packed into 64-bit numbers: the store would sort a column of
//! bytes and look values up in a dictionary, and its document store unpacks 16 KiB to read one picture.

use tantivy::schema::{
    FAST, Field, IndexRecordOption, STORED, Schema, SchemaBuilder, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::{TokenizerManager, WhitespaceTokenizer};

use crate::query::{NumberField, Region, TextField};
use crate::tokens::{FREQUENCIES, FrequencyTokenizer, KEYS, KeyTokenizer};

/// A kind of visual word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Visual {
    Colour,
    Texture,
    Shape,
    /// Textures along outlines, for the whole picture only.
    Border,
}

/// A text field, with its name in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Text {
    /// A field that a query can name.
    Named(TextField),
    /// The words of the host.
    Host,
}

impl Text {
    /// All of them.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        TextField::ALL.into_iter().map(Self::Named).chain([Self::Host])
    }

    fn name(self) -> &'static str {
        match self {
            Self::Named(field) => field.name(),
            Self::Host => "host",
        }
    }

    /// Whether its words are those of a name, without stemming and stop words.
    pub(crate) fn is_name(self) -> bool {
        matches!(self, Self::Named(TextField::By) | Self::Host)
    }

    /// The weight of a word in it: 2 for titles and 1 for tags and sets, as in Zhang 2008; the other weights are
    /// ours.
    pub(crate) fn boost(self) -> f32 {
        match self {
            Self::Named(TextField::Title) => 2.0,
            Self::Named(TextField::Text) | Self::Host => 0.5,
            Self::Named(_) => 1.0,
        }
    }
}

/// The columns of strings for facets.
pub(crate) const FACETS: [&str; 4] = ["facet_tags", "facet_uploaders", "facet_sites", "facet_colors"];
/// The column of the packed words of pictures.
pub(crate) const WORDS: &str = "words";
/// The column with a hash of the URL, which orders documents of equal score.
pub(crate) const ORDER: &str = "order";
/// Other columns.
pub(crate) const DATE: &str = "date";
pub(crate) const PAGE_TYPE: &str = "type";
pub(crate) const KIND: &str = "kind";

/// The handles of all fields.
#[derive(Clone, Debug)]
pub(crate) struct Fields {
    /// The URL, unchanged.
    pub(crate) url: Field,
    /// The data that hits show.
    pub(crate) shown: Field,
    /// The language in which the document was read.
    pub(crate) language: Field,
    /// The host and its parent domains.
    pub(crate) site: Field,
    /// Words as they are written.
    pub(crate) spelling: Field,
    text: Vec<Field>,
    colour: Vec<Field>,
    /// Colours that cover a good part of the picture; these postings lists are half as long.
    main_colour: Field,
    texture: Vec<Field>,
    shape: Vec<Field>,
    border: Field,
    pub(crate) order: Field,
    pub(crate) words: Field,
    pub(crate) date: Field,
    pub(crate) page_type: Field,
    pub(crate) kind: Field,
    numbers: Vec<Field>,
    pub(crate) facets: [Field; FACETS.len()],
}

impl Fields {
    /// The schema and its fields.
    pub(crate) fn new() -> (Schema, Self) {
        let mut schema = Schema::builder();
        let plain = |tokenizer: &str, option| {
            let indexing = TextFieldIndexing::default().set_tokenizer(tokenizer).set_index_option(option);
            TextOptions::default().set_indexing_options(indexing.set_fieldnorms(false))
        };
        let counted = |tokenizer: &str, option| {
            let indexing = TextFieldIndexing::default().set_tokenizer(tokenizer).set_index_option(option);
            TextOptions::default().set_indexing_options(indexing.set_fieldnorms(true))
        };
        let words = counted(KEYS, IndexRecordOption::WithFreqsAndPositions);
        let visual = counted(FREQUENCIES, IndexRecordOption::WithFreqs);
        let regions = |schema: &mut SchemaBuilder, name: &str| -> Vec<Field> {
            let names =
                (0..=9).map(|region| if region == 0 { name.to_owned() } else { format!("{name}_r{region}") });
            names.map(|name| schema.add_text_field(&name, visual.clone())).collect()
        };
        let fields = Self {
            url: schema.add_text_field("url", plain("raw", IndexRecordOption::Basic)),
            shown: schema.add_bytes_field("shown", STORED),
            language: schema.add_text_field("language", plain("raw", IndexRecordOption::Basic)),
            site: schema.add_text_field("site", plain(SPACED, IndexRecordOption::Basic)),
            spelling: schema.add_text_field("spelling", plain(SPACED, IndexRecordOption::Basic)),
            text: Text::all().map(|field| schema.add_text_field(field.name(), words.clone())).collect(),
            colour: regions(&mut schema, "color"),
            main_colour: schema.add_text_field("color_main", visual.clone()),
            texture: regions(&mut schema, "texture"),
            shape: regions(&mut schema, "shape"),
            border: schema.add_text_field("border", visual.clone()),
            order: schema.add_u64_field(ORDER, FAST),
            words: schema.add_u64_field(WORDS, FAST),
            date: schema.add_i64_field(DATE, FAST),
            page_type: schema.add_u64_field(PAGE_TYPE, FAST),
            kind: schema.add_u64_field(KIND, FAST),
            numbers: NumberField::ALL.iter().map(|field| schema.add_f64_field(field.name(), FAST)).collect(),
            facets: FACETS.map(|name| schema.add_text_field(name, TextOptions::default().set_fast("raw"))),
        };
        (schema.build(), fields)
    }

    /// The field for a text.
    pub(crate) fn text(&self, text: Text) -> Field {
        let place = Text::all().position(|known| known == text).unwrap_or(0);
        self.text.get(place).copied().unwrap_or(self.url)
    }

    /// The field for a kind of visual word, in a region or in the whole picture.
    pub(crate) fn visual(&self, visual: Visual, region: Option<Region>) -> Field {
        let fields = match visual {
            Visual::Colour => &self.colour,
            Visual::Texture => &self.texture,
            Visual::Shape => &self.shape,
            Visual::Border => return self.border,
        };
        let place = region.map_or(0, |region| region.index() + 1);
        fields.get(place).copied().unwrap_or(self.border)
    }

    /// The field whose postings are read for a visual word: for colours of the whole picture, the one with main
    /// colours.
    pub(crate) fn listed(&self, visual: Visual, region: Option<Region>) -> Field {
        match (visual, region) {
            (Visual::Colour, None) => self.main_colour,
            _ => self.visual(visual, region),
        }
    }

    /// The column of a numeric field.
    pub(crate) fn number(&self, number: NumberField) -> Field {
        let place = NumberField::ALL.iter().position(|known| *known == number).unwrap_or(0);
        self.numbers.get(place).copied().unwrap_or(self.order)
    }
}

/// The tokenizer for words separated by spaces.
const SPACED: &str = "osprey-spaced";

/// The tokenizers that the fields name.
pub(crate) fn tokenizers() -> TokenizerManager {
    let manager = TokenizerManager::default();
    manager.register(KEYS, KeyTokenizer);
    manager.register(FREQUENCIES, FrequencyTokenizer);
    manager.register(SPACED, WhitespaceTokenizer::default());
    manager
}
