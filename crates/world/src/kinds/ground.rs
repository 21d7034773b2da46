//! What the sites of this folder share: the host, the topics, the number of pages of each kind, and prose about a
//! topic.

use crate::nasty::Setting;
use crate::text::{Language, Prose, TopicId, TopicWords, month_name, topics};
use crate::{Ablation, Dice, WorldTopic};

use super::ties::Sections;

/// A site's ground.
#[derive(Clone, Debug)]
pub(crate) struct Ground {
    pub(crate) setting: Setting,
    /// The kind's name in host names.
    pub(crate) kind: &'static str,
    /// `http://www.movies.example`.
    pub(crate) origin: String,
    topics: Vec<TopicId>,
    weights: Vec<f64>,
}

impl Ground {
    /// The ground of the host `www.{kind}.{domain}`, with the topics to which `liking` gives more than 0. The size of a
    /// topic follows its liking and a Zipf draw that differs from one random seed to another.
    pub(crate) fn new(setting: Setting, kind: &'static str, liking: impl Fn(&TopicWords) -> f64) -> Self {
        let origin = format!("http://{}", setting.host("www", kind));
        let dice = setting.dice.of("topics");
        let mut ranked: Vec<(f64, u16)> = (0u16..)
            .zip(topics())
            .map(|(id, words)| (liking(words) * (0.25 + dice.at(u64::from(id)).unit()), id))
            .filter(|(liking, _)| *liking > 0.0)
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        // a small site has only a few topics
        ranked.truncate((setting.pages / 120).clamp(6, 400) as usize);
        let liked = |id: &u16| topics().get(usize::from(*id)).map_or(0.0, &liking);
        let weights =
            (2u32..).zip(&ranked).map(|(rank, (_, id))| liked(id) * f64::from(rank).powf(-0.8)).collect();
        let topics = ranked.into_iter().map(|(_, id)| TopicId(id)).collect();
        Self { setting, kind, origin, topics, weights }
    }

    /// The sections of a class that makes up `share` of the site's pages; at least `least`.
    pub(crate) fn sections(&self, share: f64, least: u64) -> Sections {
        self.cut(self.count(share, least), &self.weights)
    }

    fn cut(&self, count: u64, weights: &[f64]) -> Sections {
        Sections::new(count, weights).mixed(self.setting.ablation == Some(Ablation::NoHomophily))
    }

    /// The same for a class that only some topics have.
    pub(crate) fn sections_where(&self, share: f64, least: u64, has: impl Fn(usize) -> bool) -> Sections {
        let weights: Vec<f64> =
            (0..).zip(&self.weights).map(|(topic, weight)| if has(topic) { *weight } else { 0.0 }).collect();
        self.cut(self.count(share, least), &weights)
    }

    /// How many there are of something that makes up `share` of the site's pages; at least `least`.
    pub(crate) fn count(&self, share: f64, least: u64) -> u64 {
        ((self.setting.pages as f64 * share) as u64).max(least)
    }

    /// How many topics the site has.
    pub(crate) fn topic_count(&self) -> u64 {
        self.topics.len() as u64
    }

    /// The taxonomy's number of the site's topic.
    pub(crate) fn topic_id(&self, topic: usize) -> TopicId {
        self.topics.get(topic).copied().unwrap_or_default()
    }

    /// All words of a topic.
    pub(crate) fn words(&self, topic: usize) -> Option<&'static TopicWords> {
        topics().get(usize::from(self.topic_id(topic).0))
    }

    /// `Basketball`.
    pub(crate) fn label(&self, topic: usize) -> &'static str {
        self.words(topic).map_or("", |words| words.label_en.as_str())
    }

    /// The topic's name in truths.
    pub(crate) fn name(&self, topic: usize) -> String {
        self.words(topic).map(|words| words.name.clone()).unwrap_or_default()
    }

    /// The topics.
    pub(crate) fn world_topics(&self) -> Vec<WorldTopic> {
        let all = self.topics.iter().filter_map(|id| topics().get(usize::from(id.0)));
        let some = |words: &[String]| words.iter().take(12).cloned().collect();
        all.map(|words| WorldTopic {
            name: words.name.clone(),
            terms: some(&words.en),
            terms_zh: some(&words.zh),
        })
        .collect()
    }

    /// Prose about a topic, with a little of a related one and of any other; `focus` is the share of topical words.
    pub(crate) fn prose(&self, topic: usize, focus: f32, dice: Dice) -> Prose {
        let other = self.topic_id(dice.of("other").below(self.topic_count()) as usize);
        let mut mixture = vec![(self.topic_id(topic), focus), (other, focus * 0.3)];
        if let Some(related) = self.words(topic).and_then(|words| dice.of("related").pick(&words.related)) {
            mixture.push((*related, focus * 0.4));
        }
        Prose::of(Language::English, mixture)
    }

    /// A title about a topic: the same dice give the same title wherever it is named.
    pub(crate) fn title(&self, topic: usize, dice: Dice) -> String {
        let mut out = String::with_capacity(48);
        let mixture = vec![(self.topic_id(topic), 0.45)];
        Prose::of(Language::English, mixture).title(dice, &mut out);
        out
    }

    /// Whether the user with these dice only advertises.
    pub(crate) fn is_spammer(&self, user: Dice) -> bool {
        user.of("spammer").chance(self.setting.nasty.spam_users)
    }
}

/// `14 March 2009`, some day between 1999 and 2013.
pub(crate) fn day_of(dice: Dice) -> Day {
    Day(dice.between(10_600, 15_700))
}

/// Days since the first of January 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Day(pub(crate) u64);

impl Day {
    /// Year, month and day (the algorithm of Howard Hinnant, for days after 1970).
    pub(crate) fn date(self) -> (u64, u64, u64) {
        let days = self.0 + 719_468;
        let (era, of_era) = (days / 146_097, days % 146_097);
        let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * of_year + 2) / 153;
        let day = of_year - (153 * shifted + 2) / 5 + 1;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
        (year_of_era + era * 400 + u64::from(month <= 2), month, day)
    }

    /// The day that is written `2009-03-14`, from 1970 to 9999.
    pub(crate) fn of_iso(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, '-').map(|part| part.parse::<u64>().ok());
        let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
        if !(1970..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
            return None;
        }
        let shifted_year = if month <= 2 { year - 1 } else { year };
        let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
        let (era, of_era) = (shifted_year / 400, shifted_year % 400);
        let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year;
        let found = Self(days.checked_sub(719_468)?);
        (found.iso() == text).then_some(found)
    }

    /// `2009-03-14`.
    pub(crate) fn iso(self) -> String {
        let (year, month, day) = self.date();
        format!("{year:04}-{month:02}-{day:02}")
    }

    /// `14 March 2009`.
    pub(crate) fn long(self) -> String {
        let (year, month, day) = self.date();
        let name = month_name(month);
        format!("{day} {name} {year}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_dates() {
        let check = |day: u64, expect: &str| assert_eq!(Day(day).iso(), expect);
        check(0, "1970-01-01");
        check(11_016, "2000-02-29");
        check(14_317, "2009-03-14");
        assert_eq!(Day(14_317).long(), "14 March 2009");
        for (text, expect) in [("2009-02-30", None), ("2009-3-14", None), ("x", None), ("1969-12-31", None)] {
            assert_eq!(Day::of_iso(text), expect, "{text}");
        }
        (0..20_000).step_by(7).for_each(|day| assert_eq!(Day::of_iso(&Day(day).iso()), Some(Day(day))));
    }
}
