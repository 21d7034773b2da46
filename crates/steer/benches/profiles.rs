//! What profiles and OPIC books cost when they are many: a snapshot, and one more page.
//!
//! A user here is one of a photo site: 20 tags, 10 words of sets and groups, 15 contacts.

#![allow(missing_docs, reason = "criterion's macros write undocumented functions")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use osprey_steer::baselines::{Opic, Origin, PageKey};
use osprey_steer::profiles::{ProfileRules, Profiles, Source, UserId};
use osprey_text::{Term, Vector};

const USERS: [u64; 2] = [10_000, 100_000];
const PAGES: [u64; 2] = [100_000, 1_000_000];

/// A number that looks like chance.
fn draw(seed: u64) -> u64 {
    let z = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb)
}

fn word(seed: u64) -> Term {
    Term::of(&format!("w{}", draw(seed) % 5000))
}

fn add_user(profiles: &mut Profiles, user: u64, users: u64, moved: &mut Vec<UserId>) {
    let id = UserId(draw(user + 1));
    profiles.add_terms(id, Source::Tags, (0..20).map(|n| word(user * 100 + n)), moved);
    profiles.add_terms(id, Source::Sets, (20..30).map(|n| word(user * 100 + n)), moved);
    for n in 0..15 {
        let contact = draw(user * 40 + n) % users;
        profiles.add_contact(id, UserId(draw(contact + 1)), moved);
    }
}

fn profiles(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("profiles");
    group.sample_size(10);
    for users in USERS {
        let topic = Vector::of((0..12).map(|n| (word(n), 1.0)));
        let mut profiles = Profiles::new(&topic, ProfileRules::default());
        let mut moved = Vec::new();
        (0..users).for_each(|user| add_user(&mut profiles, user, users, &mut moved));
        let bytes = postcard::to_stdvec(&profiles).unwrap_or_default();
        eprintln!("{users} users: {} bytes in a snapshot", bytes.len());
        group.bench_function(format!("snapshot/{users}"), |bencher| {
            bencher.iter(|| black_box(postcard::to_stdvec(&profiles)).map(|bytes| bytes.len()));
        });
        let mut user = 0;
        group.bench_function(format!("a profile page/{users}"), |bencher| {
            bencher.iter(|| {
                moved.clear();
                user += 1;
                add_user(&mut profiles, user % users, users, &mut moved);
                moved.len()
            });
        });
    }
}

fn opic(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("opic");
    group.sample_size(10);
    for pages in PAGES {
        let (mut opic, mut cash) = (Opic::default(), Vec::new());
        let links = |page: u64| -> Vec<PageKey> {
            (0..40).map(|n| PageKey(draw(draw(page * 40 + n) % pages))).collect()
        };
        let mut page = 0;
        while (opic.len() as u64) < pages * 9 / 10 {
            opic.fetched(PageKey(draw(page)), Origin::Start, &links(page), &mut cash);
            page += 1;
        }
        let bytes = postcard::to_stdvec(&opic).unwrap_or_default();
        eprintln!("{} pages: {} bytes in a snapshot", opic.len(), bytes.len());
        group.bench_function(format!("snapshot/{pages}"), |bencher| {
            bencher.iter(|| black_box(postcard::to_stdvec(&opic)).map(|bytes| bytes.len()));
        });
        group.bench_function(format!("a page of 40 links/{pages}"), |bencher| {
            bencher.iter(|| {
                page += 1;
                opic.fetched(PageKey(draw(page)), Origin::Start, &links(page), &mut cash);
                cash.len()
            });
        });
    }
}

criterion_group!(benches, profiles, opic);
criterion_main!(benches);
