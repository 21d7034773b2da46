//! The site of questions: designs and shares of what users made.

use super::super::checks;
use crate::Kind;

#[test]
fn every_design_occurs() {
    checks::every_design_is_met(Kind::Qa);
}

#[test]
fn any_url_is_answered() {
    checks::any_url_is_answered(Kind::Qa);
}

#[test]
fn what_users_made_is_a_minority() {
    checks::users_are_a_minority(Kind::Qa, 500);
}
