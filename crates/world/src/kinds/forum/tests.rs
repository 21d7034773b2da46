//! The forum: opaque URLs, designs, shares of what users made.

use super::super::checks;
use crate::world::walk::{walk, world};
use crate::{Kind, Nastiness};

#[test]
fn every_design_occurs() {
    checks::every_design_is_met(Kind::Forum);
}

#[test]
fn any_url_is_answered() {
    checks::any_url_is_answered(Kind::Forum);
}

#[test]
fn what_users_made_is_a_minority() {
    checks::users_are_a_minority(Kind::Forum, 500);
}

#[test]
fn numbers_of_posts_lead_into_their_thread() {
    let world = world(Kind::Forum, 1, 800, Nastiness::default());
    let posts = walk(&world, 400);
    let posts: Vec<_> = posts.iter().filter(|(page, _)| page.path().starts_with("/post/")).collect();
    assert!(!posts.is_empty());
    for (page, truth) in posts {
        let thread = truth.duplicate_of.as_deref().unwrap();
        let thread = osprey_model::CanonicalUrl::from_stored(thread).unwrap();
        assert_eq!(world.truth(&thread).unwrap().template, "thread", "{page}");
    }
}
