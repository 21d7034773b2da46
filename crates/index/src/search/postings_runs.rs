//! Runs of terms in postings: which documents have them, and how much that counts.

use tantivy::postings::{Postings, SegmentPostings, TermInfo};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet, TERMINATED, Term};

use super::accumulate::Gather;
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

/// What a term's frequency in a document adds up to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Count {
    /// The frequency, times the factor for the length of its field.
    Plain,
    /// Its root times the factor.
    Root,
    /// The root of at most this times the factor.
    RootOfAtMost(u32),
    /// What a table says of the frequency, whatever the length.
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
        let lengths = segment.lengths(self.field)?;
        let value = |frequency: u32, doc: DocId| {
            self.count.value(frequency, self.factors[usize::from(lengths.fieldnorm_id(doc))])
        };
        let [step] = self.steps.as_slice() else {
            let Some(mut phrase) = Phrase::open(self, segment, number)? else { return Ok(()) };
            while phrase.doc() != TERMINATED {
                let (doc, frequency) = (phrase.doc(), phrase.frequency());
                if frequency > 0 {
                    gather.add(doc, value(frequency, doc));
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
                // what long lists are read with has a loop of its own
                Count::Table(table) => {
                    gather.add_block(docs, |place, _| table[frequency(place).min(255) as usize]);
                }
                Count::Plain => gather.add_block(docs, |place, doc| factor(doc) * frequency(place) as f32),
                _ => gather.add_block(docs, |place, doc| value(frequency(place), doc)),
            }
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

/// The lists of a run in a segment, walked together; the shortest leads.
struct Phrase {
    lead: SegmentPostings,
    lead_offset: u32,
    others: Vec<(u32, SegmentPostings)>,
    starts: Vec<u32>,
    positions: Vec<u32>,
}

impl Phrase {
    /// `None` if a term is not in the segment.
    fn open(run: &Run, segment: &Segment, number: usize) -> tantivy::Result<Option<Self>> {
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

    /// The document at which the first list is.
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

    /// How often the run occurs in the document.
    fn frequency(&mut self) -> u32 {
        let doc = self.lead.doc();
        if self.others.iter_mut().any(|(_, postings)| forward(postings, doc) != doc) {
            return 0;
        }
        if self.others.is_empty() {
            return self.lead.term_freq();
        }
        // where the run would begin: a position less the distance from the first, moved up so that none is below zero
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

/// More than the last word of the longest phrase is from the first.
const MAX_OFFSET: u32 = 1 << 20;
/// Looking a document up unpacks a block of its list: as much as reading so many postings.
const LOOK_UP: u64 = 100;

/// The documents that have some run of some place: of each place the largest counts, and places add up.
pub(crate) fn evaluate_places(
    places: &[Vec<Run>],
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

/// The documents that have some of `runs`, with what `score` makes of their sums.
pub(crate) fn evaluate(
    runs: &[Run],
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
    let gather = gather(runs, segment, number)?;
    Ok(match wanted {
        Some(docs) => gather.only(docs, score),
        None => gather.matches(score),
    })
}

/// What every document has of `runs`.
pub(crate) fn gather(runs: &[Run], segment: &Segment, number: usize) -> tantivy::Result<Gather> {
    let postings: u64 = runs.iter().map(|run| run.frequency_in(number)).sum();
    let mut gather = Gather::new(postings, segment.docs());
    for run in runs {
        run.gather(segment, number, &mut gather)?;
    }
    Ok(gather)
}
