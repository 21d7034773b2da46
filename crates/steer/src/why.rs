//! Combines the parts of a score in the same way for every policy: `score = (sum of the parts that add) x (product of
//! the parts that multiply)`. If no part adds, the sum is 1.
//!
//! A part is a name and a number. Parts can be stored with millions of links, exported and shown without knowing the
//! policy. Most parts add. This module names the few that multiply, and those that a policy only stores with a link to
//! read them back when the link has been fetched.
//!
//! Parts are recorded when a link is placed. If the score belongs to a group, it changes later and the parts do not;
//! the current score is shown beside them as `own` and `factor`.

/// Parts that multiply.
const MULTIPLIES: [&str; 7] = [
    "given",    // genre, svm: what the page it was found on, or one beside it, gave its links
    "lot",      // genre, svm: who goes first among equals
    "own_list", // profile: a list of an uploader is worth a part of the uploader's things
    "pays",     // profile: what links of its kind pay, of what the ranks of their uploaders promise
    "last",     // profile: things of an uploader below the threshold come last
    "samples",  // sample: kinds with many samples come later
    "later",    // sample: links that were not drawn come after all that were
];

/// Parts that travel with a link and say nothing of its score; `own` and `factor` are the score itself.
const CARRIED: [&str; 11] = [
    "own",
    "factor",
    "steps",      // fcmrps, shark-search: steps before a page has to be relevant again
    "inherited",  // shark-search: what its children inherit
    "parent",     // genre, svm: the score of the page it was found on
    "site_depth", // genre, svm: steps since its site was entered
    "mapped",     // genre, svm: it stands in a sitemap
    "said",       // adaptive: where the words stand; 0 nowhere, 1 around, 2 in its row, 3 in the link
    "kind",       // source-ucc, source-target: the number of its kind of link
    "step",       // tpm: the step of the list it is
    "vertex",     // irobot: the vertex it leads to
];

/// The score that parts make.
pub(crate) fn made_of<'a>(parts: impl IntoIterator<Item = (&'a str, f32)>) -> f32 {
    let (mut sum, mut product) = (None, 1.0);
    for (name, value) in parts {
        if MULTIPLIES.contains(&name) {
            product *= value;
        } else if !CARRIED.contains(&name) {
            sum = Some(sum.unwrap_or(0.0) + value);
        }
    }
    sum.unwrap_or(1.0) * product
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_products_by_hand() {
        let check = |parts: &[(&str, f32)], expect: f32| {
            let made = made_of(parts.iter().copied());
            assert!((made - expect).abs() < 1e-6, "{parts:?}: {made}");
        };
        check(&[], 1.0);
        check(&[("page", 0.2), ("anchor", 0.3), ("steps", 2.0)], 0.5);
        check(&[("inner", 0.2), ("inter", 0.3), ("own_list", 0.5)], 0.25);
        check(&[("given", 0.4), ("lot", 0.5), ("parent", 0.9)], 0.2);
        check(&[("cash", 0.0), ("own", 0.7)], 0.0);
    }
}
