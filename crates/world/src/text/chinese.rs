//! The grammar of Chinese prose: words without blanks between them, full-width marks, one to three clauses.

use super::lexicon::{CHINESE, Chinese, Class};
use super::names::{made_up_zh, number};
use super::prose::Pen;

/// One word.
pub(super) fn word(pen: &mut Pen<'_>) {
    if pen.put_topical() {
        return;
    }
    let kind = pen.unit();
    let class = match kind {
        ..0.1 => &CHINESE.pronoun,
        0.1..0.3 => &CHINESE.verb,
        0.3..0.45 => &CHINESE.adjective,
        0.45..0.97 => &CHINESE.noun,
        _ => return made_up_zh(pen.dice(), pen.out),
    };
    let bits = pen.bits();
    pen.out.push_str(class.word(bits));
}

/// A title.
pub(super) fn title(pen: &mut Pen<'_>) {
    pen.share = (pen.share * 2.5).min(0.9);
    let lexicon = &*CHINESE;
    match (pen.unit() * 6.0) as u32 {
        0 => {
            word_of(pen, &lexicon.adjective);
            put(pen, "的");
            thing(pen, lexicon);
        }
        1 => {
            thing(pen, lexicon);
            put(pen, "与");
            thing(pen, lexicon);
        }
        2 => {
            put(pen, "如何");
            word_of(pen, &lexicon.verb);
            thing(pen, lexicon);
        }
        3 => {
            thing(pen, lexicon);
            word_of(pen, &lexicon.verb);
            thing(pen, lexicon);
            thing(pen, lexicon);
        }
        4 => {
            name(pen);
            put(pen, "：");
            thing(pen, lexicon);
            thing(pen, lexicon);
        }
        _ => {
            thing(pen, lexicon);
            thing(pen, lexicon);
        }
    }
}

/// A sentence.
pub(super) fn sentence(pen: &mut Pen<'_>) {
    let lexicon = &*CHINESE;
    if pen.chance(0.3) {
        word_of(pen, &lexicon.opening);
        if pen.chance(0.5) {
            pen.out.push('，');
        }
    }
    clause(pen, lexicon);
    for more in [0.55, 0.3] {
        if !pen.chance(more) {
            break;
        }
        pen.out.push('，');
        if pen.chance(0.5) {
            word_of(pen, &lexicon.conjunction);
        }
        clause(pen, lexicon);
    }
    if pen.chance(0.04) {
        word_of(pen, &lexicon.ending);
    }
    let mark = match pen.unit() {
        ..0.04 => '？',
        0.04..0.08 => '！',
        _ => '。',
    };
    pen.out.push(mark);
}

fn clause(pen: &mut Pen<'_>, lexicon: &Chinese) {
    let subject = pen.unit();
    match subject {
        ..0.3 => word_of(pen, &lexicon.pronoun),
        0.3..0.85 => noun_phrase(pen, lexicon),
        _ => {}
    }
    if pen.chance(0.4) {
        word_of(pen, &lexicon.adverb);
    }
    if pen.chance(0.15) {
        word_of(pen, &lexicon.modal);
    }
    if pen.chance(0.2) {
        put(pen, "在");
        noun_phrase(pen, lexicon);
        put(pen, if subject < 0.5 { "里" } else { "上" });
    }
    word_of(pen, &lexicon.verb);
    if pen.chance(0.18) {
        put(pen, "了");
    }
    if pen.chance(0.85) {
        noun_phrase(pen, lexicon);
    }
}

fn noun_phrase(pen: &mut Pen<'_>, lexicon: &Chinese) {
    let kind = pen.unit();
    match kind {
        ..0.05 => return name(pen),
        0.05..0.08 => {
            number(2 + pen.bits() % 300, pen.out);
            pen.count();
            word_of(pen, &lexicon.classifier);
        }
        0.08..0.16 => {
            put(pen, if kind < 0.1 { "那" } else { "这" });
            word_of(pen, &lexicon.classifier);
        }
        0.16..0.24 => {
            put(pen, "一");
            word_of(pen, &lexicon.classifier);
        }
        _ => {}
    }
    if pen.chance(0.2) {
        word_of(pen, &lexicon.adjective);
        put(pen, "的");
    }
    thing(pen, lexicon);
    if pen.chance(0.22) {
        put(pen, if kind < 0.85 { "的" } else { "和" });
        thing(pen, lexicon);
    }
}

/// A noun, or the topical words that are due.
fn thing(pen: &mut Pen<'_>, lexicon: &Chinese) {
    match pen.due(0.75) {
        Some(word) => put(pen, word),
        None => return word_of(pen, &lexicon.noun),
    }
    if pen.chance(0.6)
        && let Some(word) = pen.due(1.2)
    {
        put(pen, word);
    }
}

fn name(pen: &mut Pen<'_>) {
    let dice = pen.dice();
    made_up_zh(dice, pen.out);
    pen.count();
}

fn word_of(pen: &mut Pen<'_>, class: &Class) {
    let bits = pen.bits();
    put(pen, class.word(bits));
}

fn put(pen: &mut Pen<'_>, word: &str) {
    pen.out.push_str(word);
    pen.count();
}
