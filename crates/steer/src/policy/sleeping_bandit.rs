//! `sleeping-bandit`: the rule by which SB-CLASSIFIER chooses its next link (Gauquier, Manolescu, Senellart 2026), as a
//! baseline: what can be learned from the places of links alone.
//!
//! An *action* is a set of places in pages: tag paths, from the root to the link with ids and classes, whose bigrams of
//! steps are similar. A new path joins the most similar action if the cosine with all that is in it reaches
//! [`SleepingBanditRules::similarity`], and is an action of its own otherwise. (Apaths have the class of the link alone: on
//! sites of one layout nearly all of them are that similar, and the policy was breadth-first.) To follow the oldest waiting link of an action brings a reward: 1 if the page is relevant, 0 if it is not, was
//! known, or is none. After `t` visits an action that was tried `n` times scores `mean reward + alpha sqrt(ln t / n)` (AUER,
//! for bandits of which some sleep); one that was never tried comes first. An action sleeps while none of its links waits.
//!
//! What differs from the paper, whose targets are files: there a classifier says of each URL whether it is a target, and
//! targets are fetched at once and counted for the page that links to them; here wanted pages are what is fetched, and count
//! for the link that led there. There a link of the action is drawn, here the oldest goes first.

use std::collections::BTreeMap;

use osprey_model::{GroupId, LinkScore, counted};
use osprey_page::{NodeRef, Page};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::{Failure, LinkFacts, Policy, Repeat, RestoreError, Visit};
use crate::{Part, Placing, SteeringConfigError};

/// `[policy]` of `sleeping-bandit`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SleepingBanditRules {
    /// How much an action counts that was tried seldom: `alpha` = 2 sqrt 2. With rewards of at most 1 that is much.
    pub alpha: f32,
    /// From which cosine on a place joins an action: `theta` = 0.75.
    pub similarity: f32,
}

impl Default for SleepingBanditRules {
    fn default() -> Self {
        Self { alpha: 2.0 * std::f32::consts::SQRT_2, similarity: 0.75 }
    }
}

impl SleepingBanditRules {
    fn check(self) -> Result<Self, SteeringConfigError> {
        let wrong = |key, value, expected: &str| {
            Err(SteeringConfigError::new(key, format!("`{value}`: expected {expected}")))
        };
        match self {
            Self { alpha, .. } if !(0.0..=1e3).contains(&alpha) => {
                wrong("policy.alpha", alpha, "a number from 0 to 1000")
            }
            Self { similarity, .. } if !(0.0..=1.0).contains(&similarity) => {
                wrong("policy.similarity", similarity, "a number from 0 to 1")
            }
            rules => Ok(rules),
        }
    }
}

/// The parts of a score, which add.
const MEAN: &str = "mean";
const BONUS: &str = "bonus";
/// What an action scores that was never tried: more than any other.
const UNTRIED: f32 = 1e6;
/// The most actions; places that are like none join the last.
const MAX_ACTIONS: usize = 2_000;
/// The most places that are remembered; others are compared each time.
const MAX_PLACES: usize = 100_000;

/// The most steps of a path, from the link up, and the most characters of an id or class.
const MAX_STEPS: usize = 60;
const MAX_NAME: usize = 40;

/// How often each bigram of steps occurs, by its hash.
type Bigrams = BTreeMap<u32, f32>;

/// Places of links that are tried as one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Action {
    /// The sum over its places.
    bigrams: Bigrams,
    /// The square of that sum's length.
    square: f32,
    tried: u32,
    reward: f32,
    /// New links minus those that were taken. It may be too many, where links were refused later.
    waiting: u32,
}

impl Action {
    /// The cosine with a place.
    fn likeness(&self, place: &Bigrams) -> f32 {
        let product: f32 =
            place.iter().filter_map(|(bigram, count)| Some(self.bigrams.get(bigram)? * count)).sum();
        let squares = self.square * square(place);
        if squares > 0.0 { product / squares.sqrt() } else { 0.0 }
    }

    fn add(&mut self, place: &Bigrams) {
        for (bigram, count) in place {
            *self.bigrams.entry(*bigram).or_default() += count;
        }
        self.square = square(&self.bigrams);
    }

    /// The score in its parts: what such links brought in the mean, and what is added for trying seldom.
    fn parts(&self, tried_in_all: u32, alpha: f32) -> [Part; 2] {
        if self.tried == 0 {
            return [(MEAN, 0.0), (BONUS, UNTRIED)];
        }
        let tried = self.tried as f32;
        let bonus = alpha * ((tried_in_all.max(1) as f32).ln() / tried).sqrt();
        [(MEAN, self.reward / tried), (BONUS, bonus)]
    }

    fn score(&self, tried_in_all: u32, alpha: f32) -> f32 {
        self.parts(tried_in_all, alpha).iter().map(|(_, value)| value).sum()
    }
}

fn square(bigrams: &Bigrams) -> f32 {
    bigrams.values().map(|count| count * count).sum()
}

/// The path to a link, `/html/body/div#main/ul.list/li/a.title`; runs of digits are `0`.
fn tag_path(link: NodeRef<'_>) -> String {
    let ancestors = std::iter::successors(Some(link), NodeRef::parent).take(MAX_STEPS);
    let mut steps: Vec<String> = ancestors.filter_map(step).collect();
    steps.reverse();
    steps.concat()
}

fn step(node: NodeRef<'_>) -> Option<String> {
    let mut step = format!("/{}", node.name()?);
    for (mark, name) in [('#', "id"), ('.', "class")] {
        for value in node.attr(name).into_iter().flat_map(str::split_ascii_whitespace) {
            step.push(mark);
            // what is numbered is of one kind, and a slash ends a step
            let mut chars = value.chars().take(MAX_NAME).peekable();
            while let Some(c) = chars.next() {
                match c {
                    '/' => step.push('_'),
                    c if c.is_ascii_digit() => {
                        while chars.next_if(char::is_ascii_digit).is_some() {}
                        step.push('0');
                    }
                    c => step.push(c),
                }
            }
        }
    }
    Some(step)
}

/// The bigrams of the steps of a path, its ends included.
fn bigrams(path: &str) -> Bigrams {
    let mut found = Bigrams::new();
    let mut before = "^";
    for step in path.split('/').filter(|step| !step.is_empty()).chain(["$"]) {
        let hash = xxh3_64(format!("{before} {step}").as_bytes()) as u32;
        *found.entry(hash).or_default() += 1.0;
        before = step;
    }
    found
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct State {
    actions: Vec<Action>,
    /// The action of each place, by the fingerprint of its path.
    places: BTreeMap<u64, u32>,
    /// `t`: how often any action was tried.
    tried: u32,
}

#[derive(Debug)]
pub(super) struct SleepingBandit {
    rules: SleepingBanditRules,
    state: State,
}

/// The group of an action in the frontier; links that no page placed wait in that of all.
fn group(action: u32) -> GroupId {
    GroupId(u64::from(action) + 1)
}

impl SleepingBandit {
    pub(super) fn new(rules: SleepingBanditRules) -> Result<Self, SteeringConfigError> {
        Ok(Self { rules: rules.check()?, state: State::default() })
    }

    fn action_of(&self, group: GroupId) -> Option<usize> {
        let action = usize::try_from(group.0.checked_sub(1)?).ok()?;
        (group != GroupId::ALL && action < self.state.actions.len()).then_some(action)
    }

    /// The action of a place, new if it is like none.
    fn action_at(&mut self, path: &str) -> u32 {
        let key = xxh3_64(path.as_bytes());
        if let Some(action) = self.state.places.get(&key) {
            return *action;
        }
        let (place, actions) = (bigrams(path), &mut self.state.actions);
        let likeness = actions.iter().map(|action| action.likeness(&place));
        // of equals the first
        let best = likeness.enumerate().reduce(|best, next| if next.1 > best.1 { next } else { best });
        let action = match best {
            Some((action, likeness)) if likeness >= self.rules.similarity => action,
            _ if actions.len() < MAX_ACTIONS => {
                actions.push(Action::default());
                actions.len() - 1
            }
            _ => actions.len() - 1,
        };
        if self.state.places.len() < MAX_PLACES {
            self.state.places.insert(key, action as u32);
            if let Some(action) = actions.get_mut(action) {
                action.add(&place);
            }
        }
        action as u32
    }

    /// A link of a group was followed.
    fn tried(&mut self, from: Option<GroupId>, reward: f32) {
        self.state.tried = self.state.tried.saturating_add(1);
        let action = from.and_then(|group| self.action_of(group));
        if let Some(action) = action.and_then(|action| self.state.actions.get_mut(action)) {
            action.tried = action.tried.saturating_add(1);
            action.reward += reward;
            action.waiting = action.waiting.saturating_sub(1);
        }
    }

    /// With each visit all actions that are awake score anew.
    fn send(&self, placing: &mut Placing) {
        for (action, number) in self.state.actions.iter().zip(0..).filter(|(action, _)| action.waiting > 0) {
            placing.factor(group(number), action.score(self.state.tried, self.rules.alpha));
        }
    }

    fn place(&mut self, page: &Page, visit: &Visit<'_>, placing: &mut Placing) {
        for (number, link) in page.links().iter().enumerate() {
            let path = page.tree().node(link.node).map(tag_path).unwrap_or_default();
            let action = self.action_at(&path);
            let Some(entry) = self.state.actions.get_mut(action as usize) else { continue };
            entry.waiting = entry.waiting.saturating_add(u32::from(visit.fresh.contains(number)));
            let parts = entry.parts(self.state.tried, self.rules.alpha);
            placing.add(number, group(action), LinkScore::ONE, &parts);
        }
    }
}

impl Policy for SleepingBandit {
    fn name(&self) -> &'static str {
        "sleeping-bandit"
    }

    fn on_page(&mut self, visit: &Visit<'_>, placing: &mut Placing) {
        self.tried(Some(visit.group), if visit.judgement.relevant { 1.0 } else { 0.0 });
        self.place(visit.page, visit, placing);
        self.send(placing);
    }

    fn on_failure(&mut self, failure: &Failure<'_>, placing: &mut Placing) {
        self.tried(failure.group, 0.0);
        self.send(placing);
    }

    fn on_repeat(&mut self, repeat: &Repeat<'_>, placing: &mut Placing) {
        self.tried(Some(repeat.group), 0.0);
        // the target waits in its place
        let action = repeat.to.and_then(|_| self.action_of(repeat.group));
        if let Some(action) = action.and_then(|action| self.state.actions.get_mut(action)) {
            action.waiting = action.waiting.saturating_add(1);
        }
        self.send(placing);
    }

    fn explain(&self, link: &LinkFacts<'_>) -> String {
        let Some(action) = self.action_of(link.group).and_then(|action| self.state.actions.get(action))
        else {
            return "no page placed it".to_owned();
        };
        let visits = counted(u64::from(self.state.tried), "visit");
        match action.tried {
            0 => "no link at a place like this one was followed yet".to_owned(),
            tried => format!(
                "of {} at places like this one that were followed, {} led to a relevant page; {visits} in all",
                counted(u64::from(tried), "link"),
                action.reward,
            ),
        }
    }

    fn snapshot(&self) -> Vec<u8> {
        postcard::to_stdvec(&self.state).unwrap_or_default()
    }

    fn restore(&mut self, snapshot: &[u8]) -> Result<(), RestoreError> {
        self.state = postcard::from_bytes(snapshot)
            .map_err(|cause| RestoreError { policy: self.name(), cause: cause.to_string() })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use osprey_model::{CanonicalUrl, GroupFactor, LinkId, UrlRules};
    use osprey_text::PageWords;

    use super::super::Cause;
    use super::super::samples::page;
    use super::*;
    use crate::{FreshLinks, Judgement, Op};

    const LISTS: &str =
        "<body><div><a href=/1>1</a><a href=/2>2</a></div><table><tr><td><a href=/3>3</a></table>";

    fn policy() -> SleepingBandit {
        SleepingBandit::new(SleepingBanditRules::default()).unwrap()
    }

    /// Tells of a page that was found in a group.
    fn told(policy: &mut SleepingBandit, body: &str, from: GroupId, relevant: bool) -> Placing {
        let (page, mut placing) = (page(body), Placing::default());
        let (words, why, fresh) = (PageWords::default(), BTreeMap::new(), FreshLinks::unknown());
        let judgement = Judgement { relevance: Some(if relevant { 0.9 } else { 0.1 }), relevant };
        let (page, page_words, why, fresh) = (&page, &words, &why, &fresh);
        let (id, depth, reading) = (LinkId(0), 0, None);
        let visit = Visit { id, group: from, depth, page, page_words, reading, judgement, why, fresh };
        policy.on_page(&visit, &mut placing);
        placing
    }

    fn groups(placing: &Placing) -> Vec<u64> {
        let group = |(op, _): (&Op, _)| match op {
            Op::Add { group, .. } => Some(group.0),
            _ => None,
        };
        placing.ops().filter_map(group).collect()
    }

    fn factors(placing: &Placing) -> Vec<(u64, f32)> {
        let factor = |(op, _): (&Op, _)| match op {
            Op::Factor(group, GroupFactor::Times(score)) => Some((group.0, score.get())),
            _ => None,
        };
        placing.ops().filter_map(factor).collect()
    }

    fn near(found: &[(u64, f32)], expect: &[(u64, f32)]) {
        let close = found.len() == expect.len()
            && found.iter().zip(expect).all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() < 1e-3);
        assert!(close, "{found:?}, expected {expect:?}");
    }

    #[test]
    fn likeness_by_hand() {
        // ^a ab b$ and ^a ac c$: one of three bigrams is the same
        let mut action = Action::default();
        action.add(&bigrams("/a/b"));
        assert!((action.likeness(&bigrams("/a/c")) - 1.0 / 3.0).abs() < 1e-6);
        assert!((action.likeness(&bigrams("/a/b")) - 1.0).abs() < 1e-6);
        assert_eq!(action.likeness(&bigrams("/d")), 0.0);
        // with both: (2, 1, 1, 1, 1), of length sqrt 8; the product with /a/b is 4
        action.add(&bigrams("/a/c"));
        assert!((action.likeness(&bigrams("/a/b")) - 4.0 / (8.0_f32 * 3.0).sqrt()).abs() < 1e-6);
    }

    #[test]
    fn scores_by_hand() {
        let mut policy = policy();
        // two links in the block, one in the table
        let placing = told(&mut policy, LISTS, GroupId::ALL, false);
        assert_eq!(groups(&placing), [1, 1, 2]);
        near(&factors(&placing), &[(1, UNTRIED), (2, UNTRIED)]);
        // t = 2: the block was tried once and found something: 1 + 2.8284 sqrt(ln 2 / 1) = 1 + 2.3548
        near(&factors(&told(&mut policy, "", GroupId(1), true)), &[(1, 3.3548), (2, UNTRIED)]);
        // t = 3, the table found nothing and has no more links: it sleeps. 1 + 2.8284 sqrt(ln 3) = 3.9646
        near(&factors(&told(&mut policy, "", GroupId(2), false)), &[(1, 3.9646)]);
        // t = 4, twice, half of it: 0.5 + 2.8284 sqrt(ln 4 / 2) = 0.5 + 2.3548; nothing is left of it
        let url = CanonicalUrl::parse("http://a.example/2", &UrlRules::default()).unwrap();
        let cause = Cause::Status(404);
        let failure = Failure { id: LinkId(1), url: &url, group: Some(GroupId(1)), depth: 1, cause };
        let mut placing = Placing::default();
        policy.on_failure(&failure, &mut placing);
        near(&factors(&placing), &[]);
        // t = 5, the table wakes: 0 + 2.8284 sqrt(ln 5) = 3.5882; the block: 0.5 + 2.8284 sqrt(ln 5 / 2) = 3.0373
        near(&factors(&told(&mut policy, LISTS, GroupId::ALL, false)), &[(1, 3.0373), (2, 3.5882)]);
    }

    #[test]
    fn similar_places_are_one_action() {
        let long = |last: &str| {
            format!("<body><main><section><article><div><ul><li><{last}><a href=/1>1</a></{last}>")
        };
        let mut policy = policy();
        // 8 of 10 bigrams are the same
        assert_eq!(groups(&told(&mut policy, &long("b"), GroupId::ALL, false)), [1]);
        assert_eq!(groups(&told(&mut policy, &long("i"), GroupId::ALL, false)), [1]);
        assert_eq!(groups(&told(&mut policy, "<a href=/1>1</a>", GroupId::ALL, false)), [2]);
        let rules = SleepingBanditRules { similarity: 1.0, ..SleepingBanditRules::default() };
        let mut strict = SleepingBandit::new(rules).unwrap();
        assert_eq!(groups(&told(&mut strict, &long("b"), GroupId::ALL, false)), [1]);
        assert_eq!(groups(&told(&mut strict, &long("i"), GroupId::ALL, false)), [2]);
    }

    #[test]
    fn ids_and_classes_tell_places_apart() {
        let page = page(
            "<div id=post-17 class='a b/c'><p class=x9y><a href=/1>1</a></div><nav><a href=/2>2</a></nav>",
        );
        let paths = page.links().iter().map(|link| tag_path(page.tree().node(link.node).unwrap()));
        let paths: Vec<String> = paths.collect();
        assert_eq!(paths, ["/html/body/div#post-0.a.b_c/p.x0y/a", "/html/body/nav/a"]);
    }

    #[test]
    fn a_redirect_keeps_its_action_awake() {
        let mut policy = policy();
        told(&mut policy, "<a href=/1>1</a>", GroupId::ALL, false);
        let url = |path: &str| {
            CanonicalUrl::parse(&format!("http://a.example{path}"), &UrlRules::default()).unwrap()
        };
        let (from, to, why) = (url("/1"), url("/2"), BTreeMap::new());
        let repeat =
            Repeat { id: LinkId(1), url: &from, to: Some(&to), group: GroupId(1), depth: 1, why: &why };
        let mut placing = Placing::default();
        policy.on_repeat(&repeat, &mut placing);
        // t = 2, tried once: 0 + 2.3548
        near(&factors(&placing), &[(1, 2.3548)]);
        let mut placing = Placing::default();
        policy.on_repeat(&Repeat { to: None, ..repeat }, &mut placing);
        near(&factors(&placing), &[]);
    }

    #[test]
    fn state_survives_and_wrong_numbers_are_refused() {
        let mut policy = policy();
        told(&mut policy, LISTS, GroupId::ALL, true);
        let mut other = self::policy();
        other.restore(&policy.snapshot()).unwrap();
        assert_eq!(other.state, policy.state);
        assert!(other.restore(&[0xff; 3]).is_err());
        let wrong = SleepingBanditRules { alpha: -1.0, ..SleepingBanditRules::default() };
        let error = SleepingBandit::new(wrong).unwrap_err().to_string();
        assert!(error.contains("policy.alpha"), "{error}");
    }
}
