//! Runs of terms in postings: which documents have them, and how much that counts.

use tantivy::postings::{Postings, TermInfo};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet, TERMINATED, Term};

use super::gather::Gather;
use super::matches::Matches;
use super::segment::Segment;

/// A term of a run.
#[derive(Clone, Debug)]
struct Step {
    /// How far from the first.
    offset: u32,
    /// Where it is in each segment.
    places: Vec<Option<TermInfo>>,
}

/// What a term's frequency in a document adds up to, with the factor for the length of its field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Count {
    /// The frequency times the factor.
    Plain,
    /// Its root times the factor.
    Root,
    /// The root of at most this times the factor.
    RootOfAtMost(u32),
    /// The smaller of `most` and the frequency times the factor, then `times`.
    Minimum { most: f32, times: f32 },
    /// The smaller of `most` and the root of the frequency times the factor over `roots`, then `times`.
    RootMinimum { most: f32, roots: f32, times: f32 },
}

impl Count {
    fn value(self, frequency: u32, factor: f32) -> f32 {
        let plain = frequency as f32;
        match self {
            Self::Plain => factor * plain,
            Self::Root => factor * plain.sqrt(),
            Self::RootOfAtMost(most) => factor * (frequency.min(most) as f32).sqrt(),
            Self::Minimum { most, times } => times * most.min(factor * plain),
            Self::RootMinimum { most, roots, times } => times * most.min((factor * plain).sqrt() / roots),
        }
    }
}

/// Terms one after the other in a field.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    field: Field,
    steps: Vec<Step>,
    /// What a count is multiplied with, by the length of the field as the store keeps it.
    factors: Box<[f32; 256]>,
    count: Count,
}

impl Run {
    /// The run of `terms`, each with its distance from the first; `None` where a segment's dictionary shows that no
    /// document has it.
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

    /// Documents that have the rarest of its terms.
    pub(crate) fn frequency(&self) -> u64 {
        let of = |step: &Step| step.places.iter().flatten().map(|info| u64::from(info.doc_freq)).sum::<u64>();
        self.steps.iter().map(of).min().unwrap_or(0)
    }

    /// Sets what counts are multiplied with, given the length of the field.
    pub(crate) fn weigh(&mut self, factor: impl Fn(f32) -> f32) {
        for (id, place) in (0..=u8::MAX).zip(self.factors.iter_mut()) {
            let length = tantivy::fieldnorm::FieldNormReader::id_to_fieldnorm(id);
            *place = factor((length as f32).max(1.0));
        }
    }

    /// Documents of a segment that have the rarest of its terms.
    fn frequency_in(&self, number: usize) -> u64 {
        let of =
            |step: &Step| step.places.get(number).and_then(Option::as_ref).map_or(0, |info| info.doc_freq);
        self.steps.iter().map(|step| u64::from(of(step))).min().unwrap_or(0)
    }

    /// Adds what every document has of it.
    fn gather(&self, segment: &Segment, number: usize, gather: &mut Gather) -> tantivy::Result<()> {
        let [step] = self.steps.as_slice() else {
            return self.each_phrase(segment, number, None, |_, doc, value| gather.add(doc, value));
        };
        let Some(info) = step.places.get(number).and_then(Option::as_ref) else { return Ok(()) };
        let lists = segment.reader.inverted_index(self.field)?;
        let lengths = segment.lengths(self.field)?;
        let mut postings = lists.read_block_postings_from_terminfo(info, IndexRecordOption::WithFreqs)?;
        while postings.block_len() > 0 {
            let frequencies = postings.freqs();
            gather.add_block(postings.docs(), |place, doc| {
                let factor = self.factors[usize::from(lengths.fieldnorm_id(doc))];
                self.count.value(frequencies.get(place).copied().unwrap_or(0), factor)
            });
            postings.advance();
        }
        Ok(())
    }

    /// Adds to `sums` what each of `docs` has of it.
    fn look_up(
        &self,
        segment: &Segment,
        number: usize,
        docs: &[DocId],
        sums: &mut [f32],
    ) -> tantivy::Result<()> {
        self.each_phrase(segment, number, Some(docs), |place, _, value| {
            if let Some(sum) = sums.get_mut(place) {
                *sum += value;
            }
        })
    }

    /// Calls `each` with every document that has the run, of `wanted` or of all, with its place among the wanted.
    fn each_phrase(
        &self,
        segment: &Segment,
        number: usize,
        wanted: Option<&[DocId]>,
        mut each: impl FnMut(usize, DocId, f32),
    ) -> tantivy::Result<()> {
        let lists = segment.reader.inverted_index(self.field)?;
        let lengths = segment.lengths(self.field)?;
        let needs = if self.steps.len() > 1 {
            IndexRecordOption::WithFreqsAndPositions
        } else {
            IndexRecordOption::WithFreqs
        };
        let mut all = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let Some(info) = step.places.get(number).and_then(Option::as_ref) else { return Ok(()) };
            all.push((step.offset, lists.read_postings_from_terminfo(info, needs)?));
        }
        // the rarest leads
        all.sort_by_key(|(_, postings)| postings.doc_freq());
        let Some(((first_offset, lead), others)) = all.split_first_mut() else { return Ok(()) };
        let (mut starts, mut more) = (Vec::new(), Vec::new());
        let mut places = 0..wanted.map_or(0, <[DocId]>::len);
        'docs: loop {
            let (place, doc) = match wanted {
                None => (0, lead.doc()),
                Some(wanted) => {
                    let Some(place) = places.next() else { return Ok(()) };
                    let doc = wanted.get(place).copied().unwrap_or(TERMINATED);
                    if lead.doc() < doc {
                        lead.seek(doc);
                    }
                    if lead.doc() > doc {
                        continue;
                    }
                    (place, doc)
                }
            };
            if doc == TERMINATED {
                return Ok(());
            }
            let mut found = true;
            for (_, postings) in others.iter_mut() {
                if postings.doc() < doc {
                    postings.seek(doc);
                }
                found &= postings.doc() == doc;
                if !found {
                    break;
                }
            }
            if found {
                let frequency = if others.is_empty() {
                    lead.term_freq()
                } else {
                    // a start is a position less the distance from the first; one added so that none is below zero
                    let start = |offset: u32| MAX_OFFSET - offset.min(MAX_OFFSET);
                    lead.positions_with_offset(start(*first_offset), &mut starts);
                    for (offset, postings) in others.iter_mut() {
                        postings.positions_with_offset(start(*offset), &mut more);
                        starts.retain(|at| more.binary_search(at).is_ok());
                    }
                    starts.len() as u32
                };
                if frequency > 0 {
                    let factor = self.factors[usize::from(lengths.fieldnorm_id(doc))];
                    each(place, doc, self.count.value(frequency, factor));
                }
            }
            if wanted.is_none() && lead.advance() == TERMINATED {
                break 'docs;
            }
        }
        Ok(())
    }
}

/// More than the last word of the longest phrase is from the first.
const MAX_OFFSET: u32 = 1 << 20;
/// Looking a document up costs so many postings.
const LOOK_UP: u64 = 24;

/// The documents that have some of `runs`, with what `score` makes of their sums.
pub(crate) fn evaluate(
    runs: &[Run],
    segment: &Segment,
    number: usize,
    wanted: Option<&[DocId]>,
    score: impl Fn(f32) -> Option<f32>,
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
            if let Some(score) = score(sum) {
                matches.docs.push(*doc);
                matches.scores.push(score);
            }
        }
        return Ok(matches);
    }
    let mut gather = Gather::new(postings, segment.docs());
    for run in runs {
        run.gather(segment, number, &mut gather)?;
    }
    Ok(gather.matches(score))
}
