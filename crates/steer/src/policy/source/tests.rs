//! Equation 12 by hand, an order of visits, and explanations.

use osprey_model::GroupFactor;
use osprey_structure::{Navigation, Reading};
use osprey_text::PageWords;

use super::super::scripted::{Scripted, page};
use super::*;
use crate::{FreshLinks, Judgement, Op, PolicyKind, Subject};

const THREADS: Cluster = Some(0);
const LISTS: Cluster = Some(1);

/// Threads are worth 0.8 * 0.5, lists 0.2 * 1. Links of Apath 7 on lists led to threads 3 times and outside all
/// clusters once; nothing else is known.
fn source() -> Source {
    let learned = Scripted::forum().learned();
    let mut model = learned.model().clone();
    model.navigation = Navigation::default();
    (0..3).for_each(|_| model.navigation.led(KIND_7, THREADS));
    model.navigation.led(KIND_7, None);
    let clusters = model.clusters.len();
    let site = Arc::new(Site::new(model, learned.sitemap().clone(), &Default::default()).unwrap());
    let with_first = |first: [f64; 2]| first.into_iter().chain(vec![0.0; clusters - 2]).collect();
    let aim = Goal::UserCreated { with_balance: true };
    Source::new(aim, &site, with_first([0.8, 0.2]), with_first([0.5, 1.0]), 20)
}

const KIND_7: LinkKind = LinkKind { from: LISTS, apath: 7, xpath: 70 };

#[test]
fn equation_12_by_hand() {
    let check = |pages: u64, threads: u64, kind: LinkKind, expect: f64| {
        let mut source = source();
        (source.pages, source.of_cluster[0]) = (pages, threads);
        let (number, _) = source.kinds.number(kind);
        let score = source.score(source.kinds.get(number).unwrap());
        assert!((score - expect).abs() < 1e-9, "{score} {expect}");
    };
    // 3/4 * 0.4, and 1/4 * 0 for pages outside all clusters
    check(0, 0, KIND_7, 0.3);
    // 3 of 4 visits were threads: Balance is 1/4
    check(4, 3, KIND_7, 0.075);
    // an Apath that nobody has followed: what its XPath, then its cluster, then the site is known for
    check(0, 0, LinkKind { apath: 8, ..KIND_7 }, 0.3);
    check(0, 0, LinkKind { apath: 8, xpath: 80, ..KIND_7 }, 0.3);
    check(0, 0, LinkKind { from: THREADS, apath: 8, xpath: 80 }, 0.3);
}

/// Tells of a page of a cluster, found in `group`; gives groups and numbers of what was placed, and factors.
fn told(
    source: &mut Source,
    body: &str,
    cluster: Cluster,
    group: GroupId,
) -> (Vec<GroupId>, Vec<(GroupId, f32)>) {
    let (page, words, why) = (page("/list/0", body), PageWords::default(), std::collections::BTreeMap::new());
    let reading = Reading { cluster, ..Reading::default() };
    let mut placing = Placing::default();
    let visit = Visit {
        id: osprey_model::LinkId(0),
        group,
        depth: 0,
        page: &page,
        page_words: &words,
        reading: Some(&reading),
        judgement: Judgement::default(),
        why: &why,
        fresh: &FreshLinks::unknown(),
    };
    source.on_page(&visit, &mut placing);
    let (mut groups, mut factors) = (Vec::new(), Vec::new());
    for (op, _) in placing.ops() {
        match op {
            Op::Add { group, .. } => groups.push(*group),
            Op::Factor(group, GroupFactor::Times(factor)) => factors.push((*group, factor.get())),
            other => panic!("unexpected {other:?}"),
        }
    }
    (groups, factors)
}

#[test]
fn a_kind_is_a_group_and_moves_as_one() {
    let mut source = source();
    let many = "<li><a href=/t>t</a></li>".repeat(200);
    let body = format!("<ul>{many}</ul><p><a href=/u>u</a>");
    let (groups, factors) = told(&mut source, &body, LISTS, GroupId::ALL);
    assert_eq!(groups.len(), 201);
    assert!(groups[..200].iter().all(|group| *group == groups[0]) && groups[200] != groups[0]);
    // each new group has a factor before its links, whatever their number: nothing is known, so it is the site's
    assert_eq!(factors.len(), 4, "{factors:?}");
    assert!((factors[1].1 - 0.3).abs() < 1e-6, "{factors:?}");
    // a page that was found by the first kind is a list: half of its links lead to lists, whose Balance is 0 as all
    // pages are; the other half is what was known before, 3/4 * 0.4 and 1/4 * 0
    let (_, factors) = told(&mut source, "", LISTS, groups[0]);
    assert!(
        factors.len() == 1 && factors[0].0 == groups[0] && (factors[0].1 - 0.15).abs() < 1e-6,
        "{factors:?}"
    );
    // a page of the start was a thread: threads have Balance 2/3 and lists 1/3, which moves both kinds
    let (_, factors) = told(&mut source, "", THREADS, GroupId::ALL);
    let moved: Vec<f32> = factors.iter().map(|(_, factor)| *factor).collect();
    let expect = [0.5 * 0.75 * 0.4 * 2.0 / 3.0 + 0.5 * 0.2 / 3.0, 0.75 * 0.4 * 2.0 / 3.0];
    assert!(moved.len() == 2 && moved.iter().zip(expect).all(|(a, b)| (a - b).abs() < 1e-6), "{moved:?}");
}

#[test]
fn a_failure_is_a_page_of_no_cluster() {
    let mut source = source();
    let (groups, _) = told(&mut source, "<p><a href=/u>u</a>", LISTS, GroupId::ALL);
    let (url, mut placing) = (super::super::scripted::url("/u"), Placing::default());
    let cause = crate::Cause::Status(404);
    let failure = |group| Failure { id: osprey_model::LinkId(0), url: &url, group, depth: 1, cause };
    source.on_failure(&failure(Some(groups[0])), &mut placing);
    source.on_failure(&failure(None), &mut placing);
    let (id, why) = (osprey_model::LinkId(0), std::collections::BTreeMap::new());
    let repeat = Repeat { id, url: &url, to: None, group: groups[0], depth: 1, why: &why };
    source.on_repeat(&repeat, &mut placing);
    let ops: Vec<Op> = placing.ops().map(|(op, _)| op.clone()).collect();
    // what was known before is 0.3 and counts as one outcome: half of it is left, then a third
    let factors: Vec<f32> = ops
        .iter()
        .map(|op| match op {
            Op::Factor(group, GroupFactor::Times(factor)) if *group == groups[0] => factor.get(),
            other => panic!("unexpected {other:?}"),
        })
        .collect();
    assert!(
        factors.len() == 2 && (factors[0] - 0.15).abs() < 1e-6 && (factors[1] - 0.1).abs() < 1e-6,
        "{factors:?}"
    );
}

#[test]
fn threads_and_users_are_visited_and_rules_last() {
    let forum = Scripted::forum();
    let known = forum.known(&[]);
    let mut policy = Source::user_created(&UccRules::default(), &known).unwrap();
    let visits = forum.visits(&mut policy, known.site.as_ref().unwrap(), 100);
    assert_eq!(visits.len(), 37, "all pages, once");
    let rules: Vec<usize> = (0..37).filter(|at| visits[*at].starts_with("/rules")).collect();
    assert_eq!(rules, [32, 33, 34, 35, 36], "{visits:?}");
}

#[test]
fn a_target_is_followed_by_its_hubs() {
    let forum = Scripted::forum();
    let known = forum.known(&["/user/3"]);
    let mut policy = Source::target(&TargetRules::default(), &known).unwrap();
    let visits = forum.visits(&mut policy, known.site.as_ref().unwrap(), 10);
    // a thread is a hub of users, a list leads to neither, and a user is a target
    let expect = [
        "/",
        "/list/0",
        "/thread/0",
        "/user/0",
        "/thread/1",
        "/user/1",
        "/thread/2",
        "/user/2",
        "/thread/3",
        "/user/3",
    ];
    assert_eq!(visits, expect);
}

/// A large cluster whose pages have one and a half links to targets each, and a small one whose pages have five or more:
/// by all links the large one is the better hub, as in Xu et al. 2018, by the page the small one.
#[test]
fn hubs_count_by_the_page_if_asked() {
    let forum = Scripted::forum();
    let mut known = forum.known(&["/user/3"]);
    let learned = Arc::clone(known.site.as_ref().unwrap());
    let targets = wanted_clusters("`source-target`", &learned, &known).unwrap();
    let pages = learned.pages_by_cluster();
    let mut others: Vec<usize> = (0..pages.len()).filter(|at| !targets[*at]).collect();
    others.sort_by_key(|at| pages[*at]);
    let (small, large) = (others[0], others[others.len() - 1]);
    let target = targets.iter().position(|is_target| *is_target).unwrap() as u32;
    let mut model = learned.model().clone();
    model.navigation = Navigation::default();
    let mut lead = |from: usize, links: usize| {
        let kind = LinkKind { from: Some(from as u32), apath: from as u64, xpath: from as u64 };
        model.navigation.met(kind, links as u64);
        model.navigation.led(kind, Some(target));
    };
    lead(large, pages[large] * 3 / 2);
    lead(small, pages[small] * 5);
    assert!(pages[large] * 3 / 2 > pages[small] * 5, "{pages:?}");
    known.site = Some(Arc::new(Site::new(model, learned.sitemap().clone(), &Default::default()).unwrap()));
    let info = |policy: &str| {
        let rules = match serde_json::from_str(policy).unwrap() {
            PolicyKind::SourceTarget(rules) => rules,
            other => panic!("{other:?}"),
        };
        let source = Source::target(&rules, &known).unwrap();
        (source.info[small], source.info[large])
    };
    let (by_small, by_large) = info(r#"{ "kind": "source-target" }"#);
    assert!(by_small < by_large, "{by_small} {by_large}");
    let (by_small, by_large) = info(r#"{ "kind": "source-target", "hubs": "per-page" }"#);
    assert!(by_small > by_large, "{by_small} {by_large}");
}

#[test]
fn an_explanation_adds_up() {
    let mut source = source();
    source.kinds.number(KIND_7);
    (source.pages, source.of_cluster[0]) = (4, 3);
    let parts = [("kind".to_owned(), 0.0)];
    let words = source.explain(&LinkFacts { own: 1.0, depth: 2, parts: &parts, ..LinkFacts::default() });
    let (thread, list) = (source.name_of(THREADS), source.name_of(LISTS));
    let expect = format!(
        "a link at `a new place` on {list}: of 4 links of this kind 75 % led to {thread} (score 0.1000 = info 0.800 x dsim \
         0.500 x balance 0.250), 25 % led to pages of no known type (score 0.0000); score 0.0750"
    );
    assert_eq!(words, expect);
    let seed = source.explain(&LinkFacts { own: 1.0, depth: 0, parts: &[], ..LinkFacts::default() });
    assert_eq!(seed, "found at depth 0, not through a link on a crawled page");
}

#[test]
fn state_survives() {
    let forum = Scripted::forum();
    let known = forum.known(&[]);
    let site = known.site.as_ref().unwrap();
    let new = || Source::user_created(&UccRules::default(), &known).unwrap();
    let mut policy = new();
    forum.visits(&mut policy, site, 20);
    let mut other = new();
    other.restore(&policy.snapshot()).unwrap();
    assert_eq!((other.snapshot(), &other.kinds), (policy.snapshot(), &policy.kinds));
    assert!(new().restore(&[0xff]).is_err());
    let state = postcard::to_stdvec(&(1_u64, vec![0_u64; 99], 1_u64, Vec::<Met>::new())).unwrap();
    assert!(new().restore(&state).unwrap_err().to_string().contains("it has 99 clusters, the site "));
}

#[test]
fn what_is_missing_is_said() {
    let check = |policy: serde_json::Value, known: &Known, expect: &str| {
        let kind: PolicyKind = serde_json::from_value(policy).unwrap();
        let error = kind.build(&Subject::default(), known).err().unwrap().to_string();
        assert!(error.starts_with(expect), "{error}");
    };
    let (nothing, forum) = (Known::default(), Scripted::forum());
    let json = |kind: &str| serde_json::json!({ "kind": kind });
    for policy in ["source-ucc", "source-target", "tpm", "irobot"] {
        let expect = format!("[policy.kind] `{policy}` needs a learned site: run `osprey learn DIR` first");
        check(json(policy), &nothing, &expect);
    }
    let known = forum.known(&[]);
    check(json("source-target"), &known, "[topic.examples] `source-target` needs to know what is wanted");
    check(json("tpm"), &known, "[topic.examples] `tpm` needs to know what is wanted");
    let odd = page("/odd", "<form><table><tr><td><select><option>x</select></table></form>");
    let example = crate::Example { page: Arc::new(odd), is_wanted: true };
    let known = Known { examples: vec![example], ..known };
    check(json("source-target"), &known, "[topic.examples] `http://a.example/odd` is like no type of page");
    check(serde_json::json!({ "kind": "source-ucc", "alpha": 2.0 }), &known, "[policy.alpha] `2`: expected");
    check(
        serde_json::json!({ "kind": "source-target", "memory": 0 }),
        &known,
        "[policy.memory] `0`: expected",
    );
    let off = serde_json::json!({ "kind": "source-ucc", "info": false, "dsim": false, "balance": false });
    check(off, &known, "[policy] `info`, `dsim` and `balance` are all off");
}

#[test]
fn a_type_that_is_marked_will_do() {
    let forum = Scripted::forum();
    let site = forum.learned();
    let cluster = site.read(&forum.page("/user/1")).cluster.unwrap();
    let mut sitemap = site.sitemap().clone();
    sitemap
        .types
        .iter_mut()
        .filter(|entry| entry.cluster == cluster)
        .for_each(|entry| entry.wanted = Some(true));
    let marked = Site::new(site.model().clone(), sitemap, &Default::default()).unwrap();
    let targets = wanted_clusters("`source-target`", &marked, &Known::default()).unwrap();
    assert_eq!(targets.iter().filter(|is| **is).count(), 1);
    assert!(targets[cluster as usize]);
}
