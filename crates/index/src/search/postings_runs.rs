//! Sequences of terms in postings: which documents contain them, and the weight of each occurrence.

use tantivy::postings::{Postings, SegmentPostings, TermInfo};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet, TERMINATED, Term};

use super::accumulate::Accumulator;
use super::matches::Matches;
use super::segment::Segment;

/// A term of a sequence.
#[derive(Clone, Debug)]
struct Step {
    /// Its distance from the first term.
    offset: u32,
    /// Its postings in each segment.
    places: Vec<Option<TermInfo>>,
}

/// How a term's frequency in a document contributes to the sum.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Count {
    /// The frequency multiplied by the factor for the length of its field.
    Plain,
    /// Its root multiplied by the factor.
    Root,
    /// The root of its minimum with this limit, multiplied by the factor.
    RootOfAtMost(u32),
    /// A table lookup by frequency, whatever the length.
    Table(Box<[f32; 256]>),
}

impl Count {
    fn value(&self, frequency: u32, factor: f32) -> f32 {
        match self {
            Self::Plain => factor * frequency as f32,
            Self::Root => factor * (frequency as f32).sqrt(),
            Self::RootOfAtMost(most) => factor * (frequency.min(*most) as f32).sqrt(),
            Self::Table(table) => table[frequency.min(255) as usize],
        }
    }
}

/// A sequence of terms in a field.
#[derive(Clone, Debug)]
pub(crate) struct TermRun {
    field: Field,
    steps: Vec<Step>,
    /// The factor of a count by the field's length, as the store encodes it.
    factors: Box<[f32; 256]>,
    count: Count,
}

impl TermRun {
    /// The sequence of `terms`, each with its distance from the first; `None` where a segment's dictionary shows that
    /// no document contains it.
    pub(crate) fn find(
        segments: &[Segment],
        field: Field,
        terms: &[(u32, String)],
        count: Count,
    ) -> tantivy::Result<Option<Self>> {
        let mut steps = Vec::with_capacity(terms.len());
        for (offset, text) in terms {
            let term = Term::from_field_text(field, text);
            let mut places = Vec::with_capacity(segments.len());
            for segment in segments {
                places.push(segment.reader.inverted_index(field)?.get_term_info(&term)?);
            }
            if places.iter().all(Option::is_none) {
                return Ok(None);
            }
            steps.push(Step { offset: *offset, places });
        }
        Ok(Some(Self { field, steps, factors: Box::new([1.0; 256]), count }))
    }

    /// The number of documents that contain the rarest of its terms.
    pub(crate) fn frequency(&self) -> u64 {
        let of = |step: &Step| step.places.iter().flatten().map(|info| u64::from(info.doc_freq)).sum::<u64>();
        self.steps.iter().map(of).min().unwrap_or(0)
    }

    /// Sets the factors, given the length of the field.
    pub(crate) fn weigh(&mut self, factor: impl Fn(f32) -> f32) {
        for (id, place) in (0..=u8::MAX).zip(self.factors.iter_mut()) {
            let length = tantivy::fieldnorm::FieldNormReader::id_to_fieldnorm(id);
            *place = factor((length as f32).max(1.0));
        }
    }

    /// The number of documents of a segment that contain the rarest of its terms.
    fn frequency_in(&self, number: usize) -> u64 {
        let of =
            |step: &Step| step.places.get(number).and_then(Option::as_ref).map_or(0, |info| info.doc_freq);
        self.steps.iter().map(|step| u64::from(of(step))).min().unwrap_or(0)
    }

    /// Adds the contribution of every document.
    fn accumulate(&self, segment: &Segment, number: usize, sums: &mut Accumulator) -> tantivy::Result<()> {
        let lengths = segment.lengths(self.field)?;
        let value = |frequency: u32, doc: DocId| {
            self.count.value(frequency, self.factors[usize::from(lengths.fieldnorm_id(doc))])
        };
        let [step] = self.steps.as_slice() else {
            let Some(mut phrase) = Phrase::open(self, segment, number)? else { return Ok(()) };
            while phrase.doc() != TERMINATED {
                let (doc, frequency) = (phrase.doc(), phrase.frequency());
                if frequency > 0 {
                    sums.add(doc, value(frequency, doc));
                }
                phrase.advance();
            }
            return Ok(());
        };
        let Some(info) = step.places.get(number).and_then(Option::as_ref) else { return Ok(()) };
        let lists = segment.reader.inverted_index(self.field)?;
        let mut postings = lists.read_block_postings_from_terminfo(info, IndexRecordOption::WithFreqs)?;
        while postings.block_len() > 0 {
            let (docs, frequencies) = (postings.docs(), postings.freqs());
            let frequency = |place: usize| frequencies.get(place).copied().unwrap_or(0);
            let factor = |doc: DocId| self.factors[usize::from(lengths.fieldnorm_id(doc))];
            match &self.count {
                // the case of long lists has a loop of its own
                Count::Table(table) => {
                    sums.add_block(docs, |place, _| table[frequency(place).min(255) as usize]);
                }
                Count::Plain => sums.add_block(docs, |place, doc| factor(doc) * frequency(place) as f32),
                _ => sums.add_block(docs, |place, doc| value(frequency(place), doc)),
            }
            postings.advance();
        }
        Ok(())
    }

    /// Adds the contribution of each of `docs` to `sums`.
    fn look_up(
        &self,
        segment: &Segment,
        number: usize,
        docs: &[DocId],
        sums: &mut [f32],
    ) -> tantivy::Result<()> {
        let Some(mut phrase) = Phrase::open(self, segment, number)? else { return Ok(()) };
        let lengths = segment.lengths(self.field)?;
        for (doc, sum) in docs.iter().zip(sums) {
            if phrase.seek(*doc) == *doc {
                let frequency = phrase.frequency();
                if frequency > 0 {
                    *sum +=
                        self.count.value(frequency, self.factors[usize::from(lengths.fieldnorm_id(*doc))]);
                }
            }
        }
        Ok(())
    }
}

/// The postings of a sequence in a segment, walked together; the shortest list leads.
struct Phrase {
    lead: SegmentPostings,
    lead_offset: u32,
    others: Vec<(u32, SegmentPostings)>,
    starts: Vec<u32>,
    positions: Vec<u32>,
}

impl Phrase {
    /// `None` if the segment lacks a term.
    fn open(run: &TermRun, segment: &Segment, number: usize) -> tantivy::Result<Option<Self>> {
        let lists = segment.reader.inverted_index(run.field)?;
        let needs = if run.steps.len() > 1 {
            IndexRecordOption::WithFreqsAndPositions
        } else {
            IndexRecordOption::WithFreqs
        };
        let mut all = Vec::with_capacity(run.steps.len());
        for step in &run.steps {
            let Some(info) = step.places.get(number).and_then(Option::as_ref) else { return Ok(None) };
            all.push((step.offset, lists.read_postings_from_terminfo(info, needs)?));
        }
        all.sort_by_key(|(_, postings)| std::cmp::Reverse(postings.doc_freq()));
        Ok(all.pop().map(|(lead_offset, lead)| {
            let (starts, positions) = (Vec::new(), Vec::new());
            Self { lead, lead_offset, others: all, starts, positions }
        }))
    }

    /// The current document of the first list.
    fn doc(&self) -> DocId {
        self.lead.doc()
    }

    fn advance(&mut self) {
        self.lead.advance();
    }

    /// Advances to a document, or past it.
    fn seek(&mut self, doc: DocId) -> DocId {
        forward(&mut self.lead, doc)
    }

    /// The number of occurrences in the current document.
    fn frequency(&mut self) -> u32 {
        let doc = self.lead.doc();
        if self.others.iter_mut().any(|(_, postings)| forward(postings, doc) != doc) {
            return 0;
        }
        if self.others.is_empty() {
            return self.lead.term_freq();
        }
        // the start of an occurrence: the position minus the distance from the first term, shifted to avoid negative
        // numbers
        let start = |offset: u32| MAX_OFFSET - offset.min(MAX_OFFSET);
        self.lead.positions_with_offset(start(self.lead_offset), &mut self.starts);
        for (offset, postings) in &mut self.others {
            postings.positions_with_offset(start(*offset), &mut self.positions);
            self.starts.retain(|at| self.positions.binary_search(at).is_ok());
        }
        self.starts.len() as u32
    }
}

fn forward(postings: &mut SegmentPostings, doc: DocId) -> DocId {
    if postings.doc() < doc { postings.seek(doc) } else { postings.doc() }
}

/// Larger than the distance of the last word from the first in the longest phrase.
const MAX_OFFSET: u32 = 1 << 20;
/// Looking up a document unpacks a block of its list: it costs as much as reading this many postings.
const LOOK_UP: u64 = 100;

/// The documents that contain a sequence of any place: of each place the maximum counts, and places are summed.
pub(crate) fn evaluate_places(
    places: &[Vec<TermRun>],
    segment: &Segment,
    number: usize,
    wanted: Option<&[DocId]>,
    weight: f32,
) -> tantivy::Result<Matches> {
    let mut sums = vec![0.0f32; segment.docs() as usize];
    let mut largest = sums.clone();
    for runs in places {
        for run in runs {
            let found = evaluate(std::slice::from_ref(run), segment, number, wanted, |_, sum| Some(sum))?;
            for (doc, value) in found.docs.iter().zip(found.scores) {
                if let Some(most) = largest.get_mut(*doc as usize) {
                    *most = most.max(value);
                }
            }
        }
        for (sum, most) in sums.iter_mut().zip(&mut largest) {
            *sum += std::mem::take(most);
        }
    }
    let (docs, scores) =
        (0..).zip(sums).filter(|(_, sum)| *sum > 0.0).map(|(doc, sum)| (doc, weight * sum)).unzip();
    Ok(Matches { docs, scores, ..Matches::default() })
}

/// The documents that contain some of `runs`, with the scores that `score` computes from their sums.
pub(crate) fn evaluate(
    runs: &[TermRun],
    segment: &Segment,
    number: usize,
    wanted: Option<&[DocId]>,
    score: impl Fn(DocId, f32) -> Option<f32>,
) -> tantivy::Result<Matches> {
    let postings: u64 = runs.iter().map(|run| run.frequency_in(number)).sum();
    if let Some(docs) = wanted
        && docs.len() as u64 * runs.len() as u64 * LOOK_UP < postings
    {
        let mut sums = vec![0.0; docs.len()];
        for run in runs {
            run.look_up(segment, number, docs, &mut sums)?;
        }
        let mut matches = Matches::default();
        for (doc, sum) in docs.iter().zip(sums).filter(|(_, sum)| *sum > 0.0) {
            if let Some(score) = score(*doc, sum) {
                matches.docs.push(*doc);
                matches.scores.push(score);
            }
        }
        return Ok(matches);
    }
    let sums = accumulate(runs, segment, number)?;
    Ok(match wanted {
        Some(docs) => sums.only(docs, score),
        None => sums.matches(score),
    })
}

/// The sums over `runs` for all documents.
pub(crate) fn accumulate(runs: &[TermRun], segment: &Segment, number: usize) -> tantivy::Result<Accumulator> {
    let postings: u64 = runs.iter().map(|run| run.frequency_in(number)).sum();
    let mut sums = Accumulator::new(postings, segment.docs());
    for run in runs {
        run.accumulate(segment, number, &mut sums)?;
    }
    Ok(sums)
}
