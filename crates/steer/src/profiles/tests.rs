//! Ranks by hand, and that keeping them up is the same as making them anew.

use proptest::prelude::*;

use super::*;

fn term(number: u8) -> Term {
    Term::of(&format!("t{number}"))
}

fn profiles(topic: &[u8]) -> Profiles {
    Profiles::new(&Vector::of(topic.iter().map(|number| (term(*number), 1.0))), ProfileRules::default())
}

fn near(found: Option<f32>, expect: Option<f32>) {
    let close = match (found, expect) {
        (Some(found), Some(expect)) => (found - expect).abs() < 1e-6,
        (found, expect) => found == expect,
    };
    assert!(close, "{found:?}, expected {expect:?}");
}

fn check(profiles: &Profiles, user: u64, inner: Option<f32>, inter: Option<f32>, total: f32) {
    let rank = profiles.rank(UserId(user)).unwrap();
    near(rank.inner, inner);
    near(rank.inter, inter);
    near(Some(rank.total), Some(total));
}

/// Topic (t1, t2). User 1: t1 3, t3 4: 3 / (5 sqrt 2). User 2: t1, t2: 1. User 3 has no terms.
/// 3 knows 1 and 2: inter = (3 / (5 sqrt 2) + 1) / 2. 1 knows 2 and 4, of whom nothing is known: inter = 1.
#[test]
fn equations_1_2_and_5() {
    let mut profiles = profiles(&[1, 2]);
    let mut moved = Vec::new();
    let one = 3.0 / (5.0 * 2f32.sqrt());
    profiles.add_terms(UserId(1), Source::Tags, [1, 1, 3, 3].map(term), &mut moved);
    profiles.add_terms(UserId(1), Source::Sets, [1, 3, 3].map(term), &mut moved);
    check(&profiles, 1, Some(one), None, 0.5 * one);
    profiles.add_contact(UserId(3), UserId(1), &mut moved);
    profiles.add_contact(UserId(3), UserId(2), &mut moved);
    profiles.add_contact(UserId(1), UserId(2), &mut moved);
    profiles.add_contact(UserId(1), UserId(4), &mut moved);
    check(&profiles, 3, None, Some(one), 0.5 * one);
    moved.clear();
    profiles.add_terms(UserId(2), Source::Groups, [1, 2].map(term), &mut moved);
    assert_eq!(moved, [UserId(2), UserId(3), UserId(1)]);
    check(&profiles, 2, Some(1.0), None, 0.5);
    check(&profiles, 3, None, Some((one + 1.0) / 2.0), (one + 1.0) / 4.0);
    check(&profiles, 1, Some(one), Some(1.0), 0.5 * one + 0.5);
    assert_eq!(profiles.rank(UserId(4)), None);
    assert_eq!(profiles.rank(UserId(99)), None);
}

#[test]
fn loops_and_repetitions() {
    let mut profiles = profiles(&[1]);
    let mut moved = Vec::new();
    for (user, contact) in [(1, 1), (1, 2), (2, 1), (1, 2)] {
        profiles.add_contact(UserId(user), UserId(contact), &mut moved);
    }
    assert!(moved.is_empty());
    profiles.add_terms(UserId(1), Source::Text, [term(1)], &mut moved);
    profiles.add_terms(UserId(2), Source::Text, [term(2)], &mut moved);
    check(&profiles, 1, Some(1.0), Some(0.0), 0.5);
    check(&profiles, 2, Some(0.0), Some(1.0), 0.5);
}

/// Tags count twice: t1 from tags 2, t2 from groups 1: cosine with (t1) is 2 / sqrt 5.
#[test]
fn sources_have_weights() {
    let sources = SourceWeights { tags: 2, sets: 0, ..SourceWeights::default() };
    let rules = ProfileRules { sources, ..ProfileRules::default() };
    let mut profiles = Profiles::new(&Vector::of([(term(1), 1.0)]), rules);
    let mut moved = Vec::new();
    profiles.add_terms(UserId(1), Source::Sets, [term(3)], &mut moved);
    assert_eq!(profiles.rank(UserId(1)), None);
    profiles.add_terms(UserId(1), Source::Tags, [term(1)], &mut moved);
    profiles.add_terms(UserId(1), Source::Groups, [term(2)], &mut moved);
    check(&profiles, 1, Some(2.0 / 5f32.sqrt()), None, 1.0 / 5f32.sqrt());
}

/// Past the bound a word of the topic is kept, and another one makes the vector longer all the same: with 256 + 44
/// others of count 1, the cosine with (t1) is 1 / sqrt(301).
#[test]
fn terms_are_bounded() {
    let mut profiles = profiles(&[1]);
    let many = (0..MAX_TERMS as u32 + 44).map(|number| Term::of(&number.to_string()));
    profiles.add_terms(UserId(1), Source::Tags, many, &mut Vec::new());
    profiles.add_terms(UserId(1), Source::Tags, [term(1)], &mut Vec::new());
    assert_eq!(profiles.users[0].terms.len(), MAX_TERMS + 1);
    near(profiles.rank(UserId(1)).and_then(|rank| rank.inner), Some(1.0 / 301f32.sqrt()));
}

/// Inner ranks 1 and 0 of three users, the third without any: 0.5.
#[test]
fn what_to_expect_of_an_unknown_user() {
    let mut profiles = profiles(&[1]);
    assert_eq!(profiles.expected(), None);
    profiles.add_terms(UserId(1), Source::Tags, [term(1)], &mut Vec::new());
    profiles.add_terms(UserId(2), Source::Tags, [term(2)], &mut Vec::new());
    profiles.add_contact(UserId(3), UserId(2), &mut Vec::new());
    near(profiles.expected(), Some(0.5));
}

/// A thousand pages of somebody with ten thousand followers: operations, counted as users whose ranks may have moved.
/// The inner rank goes from 1 to 1 / sqrt 2 in steps that become smaller, and comes to 0.29 * 512 = 150 tellings at
/// most.
#[test]
fn followers_are_told_of_moves_that_matter() {
    const FOLLOWERS: u64 = 10_000;
    const PAGES: usize = 1000;
    let (mut profiles, mut moved) = (profiles(&[1]), Vec::new());
    profiles.add_terms(UserId(0), Source::Tags, [1; 200].map(term), &mut moved);
    (1..=FOLLOWERS).for_each(|user| profiles.add_contact(UserId(user), UserId(0), &mut moved));
    let mut operations = 0;
    for page in 0..PAGES {
        moved.clear();
        let words = if page < 200 { vec![term(2)] } else { vec![term(1), term(2)] };
        profiles.add_terms(UserId(0), Source::Tags, words, &mut moved);
        operations += moved.len();
    }
    let each_time = PAGES * FOLLOWERS as usize;
    assert!(operations < PAGES + 151 * FOLLOWERS as usize, "{operations} of {each_time}");
    let (own, told) = (profiles.rank(UserId(0)).unwrap(), profiles.rank(UserId(7)).unwrap());
    near(own.inner, Some(0.5f32.sqrt()));
    assert!((own.inner.unwrap() - told.inter.unwrap()).abs() <= 1.0 / 512.0, "{own:?} {told:?}");
}

#[derive(Clone, Debug)]
enum Event {
    Terms(u64, Vec<u8>),
    Contact(u64, u64),
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let terms =
        (0u64..8, prop::collection::vec(0u8..10, 0..6)).prop_map(|(user, terms)| Event::Terms(user, terms));
    let contact = (0u64..8, 0u64..8).prop_map(|(user, contact)| Event::Contact(user, contact));
    prop::collection::vec(prop_oneof![terms, contact], 0..60)
}

proptest! {
    /// Ranks that were kept up are those made anew from the snapshot, to the last bit; and every user whose rank
    /// changed was named.
    #[test]
    fn kept_up_is_made_anew(events in events()) {
        let mut kept = profiles(&[1, 2, 3]);
        for event in events {
            let before: FxHashMap<UserId, Rank> = kept.ranks().collect();
            let mut moved = Vec::new();
            match event {
                Event::Terms(user, terms) => {
                    kept.add_terms(UserId(user), Source::Tags, terms.into_iter().map(term), &mut moved);
                }
                Event::Contact(user, contact) => kept.add_contact(UserId(user), UserId(contact), &mut moved),
            }
            for (user, rank) in kept.ranks() {
                prop_assert!(before.get(&user) == Some(&rank) || moved.contains(&user), "{user:?}");
            }
        }
        let bytes = postcard::to_stdvec(&kept).unwrap();
        let mut anew = profiles(&[1, 2, 3]);
        anew.restore(postcard::from_bytes(&bytes).unwrap());
        prop_assert_eq!(kept.ranks().collect::<Vec<_>>(), anew.ranks().collect::<Vec<_>>());
        prop_assert_eq!(kept.expected(), anew.expected());
        prop_assert_eq!(postcard::to_stdvec(&anew).unwrap(), bytes);
    }
}
