//! The grammar of English prose: subject, verb, object, phrases with prepositions. Past tense and modal verbs avoid the
//! agreement of number.

use super::lexicon::{Class, ENGLISH, English};
use super::names::{capital, made_up, number};
use super::prose::Pen;

/// One word or term, without blanks around.
pub(super) fn word(pen: &mut Pen<'_>) {
    if pen.put_topical() {
        return;
    }
    let kind = pen.unit();
    let class = match kind {
        ..0.15 => &ENGLISH.determiner,
        0.15..0.25 => &ENGLISH.preposition,
        0.25..0.4 => &ENGLISH.verb,
        0.4..0.55 => &ENGLISH.adjective,
        0.55..0.97 => &ENGLISH.noun,
        _ => return made_up(pen.dice(), pen.out),
    };
    let bits = pen.bits();
    pen.out.push_str(class.word(bits));
}

/// A title with capitals.
pub(super) fn title(pen: &mut Pen<'_>) {
    pen.share = (pen.share * 2.5).min(0.9);
    let lexicon = &*ENGLISH;
    match (pen.unit() * 8.0) as u32 {
        0 => {
            word_of(pen, &lexicon.adjective, true);
            thing(pen, lexicon, true);
        }
        1 => {
            thing(pen, lexicon, true);
            put(pen, "and", false);
            thing(pen, lexicon, true);
        }
        2 => {
            put(pen, "the", true);
            word_of(pen, &lexicon.adjective, true);
            thing(pen, lexicon, true);
            word_of(pen, &lexicon.preposition, false);
            thing(pen, lexicon, true);
        }
        3 => {
            thing(pen, lexicon, true);
            put(pen, "of", false);
            put(pen, "the", false);
            thing(pen, lexicon, true);
        }
        4 => {
            put(pen, "how", true);
            put(pen, "to", false);
            word_of(pen, &lexicon.verb, true);
            word_of(pen, &lexicon.determiner, false);
            thing(pen, lexicon, true);
        }
        5 => {
            thing(pen, lexicon, true);
            thing(pen, lexicon, true);
            word_of(pen, &lexicon.preposition, false);
            name(pen);
        }
        6 => {
            name(pen);
            thing(pen, lexicon, true);
            let year = 1990 + pen.bits() % 36;
            pen.out.push(' ');
            number(year, pen.out);
        }
        _ => {
            thing(pen, lexicon, true);
            thing(pen, lexicon, true);
        }
    }
}

/// A sentence of one or two clauses.
pub(super) fn sentence(pen: &mut Pen<'_>) {
    let lexicon = &*ENGLISH;
    if pen.chance(0.12) {
        word_of(pen, &lexicon.adverb, false);
        pen.out.push(',');
    } else if pen.chance(0.12) {
        phrase(pen, lexicon);
        pen.out.push(',');
    }
    clause(pen, lexicon);
    if pen.chance(0.48) {
        if pen.chance(0.6) {
            pen.out.push(',');
        }
        word_of(pen, &lexicon.conjunction, false);
        clause(pen, lexicon);
    }
    let mark = match pen.unit() {
        ..0.04 => '?',
        0.04..0.08 => '!',
        _ => '.',
    };
    pen.out.push(mark);
    capital(pen.out, pen.start);
}

fn clause(pen: &mut Pen<'_>, lexicon: &English) {
    if pen.chance(0.4) {
        word_of(pen, &lexicon.pronoun, false);
    } else {
        noun_phrase(pen, lexicon);
    }
    if pen.chance(0.12) {
        word_of(pen, &lexicon.adverb, false);
    }
    let kind = pen.unit();
    match kind {
        ..0.25 => {
            word_of(pen, &lexicon.copula, false);
            if pen.chance(0.35) {
                if pen.chance(0.3) {
                    word_of(pen, &lexicon.adverb, false);
                }
                word_of(pen, &lexicon.adjective, false);
            } else {
                noun_phrase(pen, lexicon);
            }
        }
        0.25..0.55 => {
            word_of(pen, &lexicon.modal, false);
            word_of(pen, &lexicon.verb, false);
            noun_phrase(pen, lexicon);
        }
        _ => {
            word_of(pen, &lexicon.past, false);
            if pen.chance(0.85) {
                noun_phrase(pen, lexicon);
            }
        }
    }
    for more in [0.65, 0.25] {
        if pen.chance(more) {
            phrase(pen, lexicon);
        }
    }
    if pen.chance(0.16) {
        put(pen, "to", false);
        word_of(pen, &lexicon.verb, false);
        noun_phrase(pen, lexicon);
    }
}

fn phrase(pen: &mut Pen<'_>, lexicon: &English) {
    word_of(pen, &lexicon.preposition, false);
    noun_phrase(pen, lexicon);
}

fn noun_phrase(pen: &mut Pen<'_>, lexicon: &English) {
    let kind = pen.unit();
    match kind {
        ..0.05 => {
            let value = match pen.bits() % 3 {
                0 => 1980 + pen.bits() % 46,
                1 => 2 + pen.bits() % 20,
                _ => 10 + pen.bits() % 990,
            };
            space(pen);
            number(value, pen.out);
            pen.count();
        }
        0.05..0.11 => return name(pen),
        0.11..0.76 => word_of(pen, &lexicon.determiner, false),
        _ => {}
    }
    if pen.chance(0.24) {
        match pen.due(1.6) {
            Some(word) => put(pen, word, false),
            None => word_of(pen, &lexicon.adjective, false),
        }
    }
    thing(pen, lexicon, false);
    if pen.chance(0.06) {
        put(pen, "of", false);
        word_of(pen, &lexicon.determiner, false);
        thing(pen, lexicon, false);
    } else if pen.chance(0.06) {
        put(pen, "and", false);
        thing(pen, lexicon, false);
    }
}

/// A noun, or the topical words that are due.
fn thing(pen: &mut Pen<'_>, lexicon: &English, capitals: bool) {
    match pen.due(0.75) {
        Some(word) => put(pen, word, capitals),
        None => return word_of(pen, &lexicon.noun, capitals),
    }
    if pen.chance(0.6)
        && let Some(word) = pen.due(1.2)
    {
        put(pen, word, capitals);
    }
}

fn name(pen: &mut Pen<'_>) {
    space(pen);
    let dice = pen.dice();
    made_up(dice, pen.out);
    pen.count();
}

fn word_of(pen: &mut Pen<'_>, class: &Class, capitals: bool) {
    let bits = pen.bits();
    put(pen, class.word(bits), capitals);
}

fn put(pen: &mut Pen<'_>, word: &str, capitals: bool) {
    // The words before are in the text: `a` becomes `an` here rather than by looking ahead.
    let vowel = word.bytes().next().is_some_and(|first| b"aeiou".contains(&first.to_ascii_lowercase()));
    if vowel && pen.out.ends_with(" a") {
        pen.out.push('n');
    }
    space(pen);
    let start = pen.out.len();
    pen.out.push_str(word);
    if capitals {
        capital(pen.out, start);
    }
    pen.count();
}

fn space(pen: &mut Pen<'_>) {
    if pen.out.len() > pen.start {
        pen.out.push(' ');
    }
}
