//! A segment with its columns open, and the statistics of the whole index that rankings need.

use std::sync::Arc;

use osprey_text::Language;
use osprey_vision::Words;
use tantivy::columnar::{Column, StrColumn};
use tantivy::fieldnorm::FieldNormReader;
use tantivy::schema::Field;
use tantivy::{DocId, SegmentReader};

use crate::query::NumberField;
use crate::schema::{DATE, FACETS, Fields, KIND, ORDER, PAGE_TYPE, Text, WORDS};

/// A segment.
pub(crate) struct Segment {
    pub(crate) reader: SegmentReader,
    pub(crate) order: Column<u64>,
    pub(crate) words: Column<u64>,
    pub(crate) date: Column<i64>,
    pub(crate) page_type: Column<u64>,
    pub(crate) kind: Column<u64>,
    numbers: Vec<Column<f64>>,
    pub(crate) facets: Vec<Option<StrColumn>>,
}

impl Segment {
    pub(crate) fn open(reader: &SegmentReader) -> tantivy::Result<Self> {
        let columns = reader.fast_fields();
        let empty = || Column::build_empty_column(reader.max_doc());
        Ok(Self {
            order: columns.column_opt(ORDER)?.unwrap_or_else(empty),
            words: columns.column_opt(WORDS)?.unwrap_or_else(empty),
            date: columns.column_opt(DATE)?.unwrap_or_else(|| Column::build_empty_column(reader.max_doc())),
            page_type: columns.column_opt(PAGE_TYPE)?.unwrap_or_else(empty),
            kind: columns.column_opt(KIND)?.unwrap_or_else(empty),
            numbers: NumberField::ALL
                .iter()
                .map(|field| {
                    let column = columns.column_opt(field.name())?;
                    Ok(column.unwrap_or_else(|| Column::build_empty_column(reader.max_doc())))
                })
                .collect::<tantivy::Result<_>>()?,
            facets: FACETS.iter().map(|name| columns.str(name)).collect::<tantivy::Result<_>>()?,
            reader: reader.clone(),
        })
    }

    /// Number of documents, including deleted ones.
    pub(crate) fn docs(&self) -> DocId {
        self.reader.max_doc()
    }

    pub(crate) fn is_alive(&self, doc: DocId) -> bool {
        !self.reader.is_deleted(doc)
    }

    /// The column of a numeric field.
    pub(crate) fn number(&self, field: NumberField) -> Option<&Column<f64>> {
        let place = NumberField::ALL.iter().position(|known| *known == field)?;
        self.numbers.get(place)
    }

    /// The lengths of a field, by document.
    pub(crate) fn lengths(&self, field: Field) -> tantivy::Result<FieldNormReader> {
        self.reader.get_fieldnorms_reader(field)
    }
}

/// Reads the packed visual words of pictures one by one.
#[derive(Debug, Default)]
pub(crate) struct Unpacker {
    numbers: Vec<u64>,
    words: Words,
}

impl Unpacker {
    /// The words of a document's picture; `None` if it has none.
    pub(crate) fn words(&mut self, segment: &Segment, doc: DocId) -> Option<&Words> {
        self.read(segment, doc)?;
        self.words.unpack(&self.numbers).then_some(&self.words)
    }

    /// The same, but only the colours of regions.
    pub(crate) fn colours(&mut self, segment: &Segment, doc: DocId) -> Option<&Words> {
        self.read(segment, doc)?;
        self.words.unpack_colours(&self.numbers).then_some(&self.words)
    }

    fn read(&mut self, segment: &Segment, doc: DocId) -> Option<()> {
        let rows = segment.words.index.value_row_ids(doc);
        self.numbers.resize(rows.len(), 0);
        segment.words.values.get_range(u64::from(rows.start), &mut self.numbers);
        (!self.numbers.is_empty()).then_some(())
    }
}

/// Statistics over all segments.
#[derive(Clone, Debug)]
pub(crate) struct Statistics {
    /// Number of documents.
    pub(crate) docs: u64,
    /// The mean number of words in each text field, over the documents that have any.
    lengths: Vec<f32>,
    /// The average number of comments.
    pub(crate) comments: f64,
    /// The average of known similarities; 1 if none is known.
    pub(crate) similarity: f64,
    /// The languages in which documents were read.
    pub(crate) languages: Vec<Language>,
}

impl Statistics {
    pub(crate) fn of(segments: &[Segment], fields: &Fields) -> tantivy::Result<Self> {
        let docs: u64 = segments.iter().map(|segment| u64::from(segment.reader.num_docs())).sum();
        let lengths = Text::all().map(|text| average_length(segments, fields.text(text)));
        let (comments, _) = sum(segments, NumberField::Comments);
        let (similarity, known) = sum(segments, NumberField::Similarity);
        Ok(Self {
            docs,
            lengths: lengths.collect::<tantivy::Result<_>>()?,
            comments: comments / docs.max(1) as f64,
            similarity: if known > 0 && similarity > 0.0 { similarity / known as f64 } else { 1.0 },
            languages: languages(segments, fields)?,
        })
    }

    /// The average length of a field of text.
    pub(crate) fn length(&self, text: Text) -> f32 {
        let place = Text::all().position(|known| known == text).unwrap_or(0);
        self.lengths.get(place).copied().unwrap_or(1.0)
    }
}

fn sum(segments: &[Segment], field: NumberField) -> (f64, u64) {
    let columns = segments.iter().filter_map(|segment| segment.number(field));
    let values: Vec<&Arc<_>> = columns.map(|column| &column.values).collect();
    let count = values.iter().map(|values| u64::from(values.num_vals())).sum();
    (values.iter().flat_map(|values| values.iter()).sum(), count)
}

fn average_length(segments: &[Segment], field: Field) -> tantivy::Result<f32> {
    let mut counts = [0u64; 256];
    for segment in segments {
        let lengths = segment.lengths(field)?;
        for doc in 0..segment.docs() {
            if let Some(count) = counts.get_mut(usize::from(lengths.fieldnorm_id(doc))) {
                *count += 1;
            }
        }
    }
    let (mut docs, mut words) = (0, 0);
    for (id, count) in (0..=u8::MAX).zip(counts).skip(1) {
        docs += count;
        words += count * u64::from(FieldNormReader::id_to_fieldnorm(id));
    }
    Ok(if docs == 0 { 1.0 } else { words as f32 / docs as f32 })
}

fn languages(segments: &[Segment], fields: &Fields) -> tantivy::Result<Vec<Language>> {
    let mut found = Vec::new();
    for language in Language::ALL {
        let term = tantivy::Term::from_field_text(fields.language, &language.index().to_string());
        for segment in segments {
            if segment.reader.inverted_index(fields.language)?.doc_freq(&term)? > 0 {
                found.push(language);
                break;
            }
        }
    }
    Ok(found)
}
