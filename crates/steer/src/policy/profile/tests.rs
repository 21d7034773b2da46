//! The policy on small sites whose order of visits is written out.
//!
//! Paths tell what a page is: `/d/` a thing, `/u/` a person, `/l/` a list; `/x/` fails.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use osprey_model::{CanonicalUrl, GroupFactor, LinkId, UrlRules};
use osprey_page::{Input, PageRules};
use osprey_structure::Site;
use osprey_structure::extract::RecordKind;
use osprey_structure::site::{ExtractRules, SitemapEntry};
use osprey_structure::{Learner, LinkKind, Reading, Recipe};
use osprey_text::PageWords;

use super::waiting::things_of;
use super::*;
use crate::policy::scripted::check_parts;
use crate::{Cause, FreshLinks, Judgement, Op};

fn url(path: &str) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("http://a.example{path}"), &UrlRules::default()).unwrap()
}

fn page_at(path: &str, body: &str) -> Page {
    let url = url(path);
    Page::parse(&Input { url: &url, content_type: None, body: body.as_bytes() }, &PageRules::default())
}

fn cluster_of(path: &str) -> Cluster {
    ["/d/", "/u/", "/l/"].iter().position(|start| path.starts_with(start)).map(|at| at as u32)
}

type Cluster = osprey_structure::Cluster;
const TYPES: [PageType; 3] = [PageType::Detail, PageType::Profile, PageType::List];

/// A person's page says tags and contacts, a thing's page says tags; the rest of a body is links in cards.
fn record(path: &str, tags: &[&str], by: Option<&str>) -> Record {
    let kind = if path.starts_with("/u/") { RecordKind::Profile } else { RecordKind::Detail };
    let mut record = Record::new(url(path).as_str(), kind);
    record.tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
    record.uploader_url = by.map(|by| url(by).to_string());
    record
}

/// Pages by path: their bodies, tags, and who made them.
type Pages = &'static [(&'static str, &'static str, &'static [&'static str], Option<&'static str>)];

/// A site that was learned from these pages: where links lead is known by kind.
fn site(pages: Pages) -> Arc<Site> {
    let mut model = Learner::default().finish(&Recipe::Osprey);
    for (path, body, ..) in pages {
        let page = page_at(path, body);
        for link in page.links() {
            let kind = LinkKind::of(cluster_of(path), &page, link);
            model.navigation.met(kind, 1);
            model.navigation.led(kind, cluster_of(link.url.path()));
        }
    }
    let mut sitemap = model.sitemap();
    sitemap.types = (0..)
        .zip(TYPES)
        .map(|(cluster, label)| SitemapEntry {
            cluster,
            name: label.to_string(),
            found_as: label.to_string(),
            label,
            wanted: None,
            same_as: None,
            pages: 1,
            links_in: 0,
            links_out: 0,
            evidence: String::new(),
            examples: Vec::new(),
        })
        .collect();
    Arc::new(Site::new(model, sitemap, &ExtractRules::default()).unwrap())
}

fn policy(others: Others, rules: &UploaderRules, pages: Pages) -> Uploaders {
    let subject = Subject { tags: vec!["rose".to_owned(), "tulip".to_owned()], ..Subject::default() };
    let known = Known { site: Some(site(pages)), ..Known::default() };
    Uploaders::new(rules, others, &subject, &known).unwrap()
}

/// The parts a link was placed with.
type Why = BTreeMap<String, f32>;

/// A frontier in the smallest form: links with group, score and place; factors by group.
struct Crawl<'a> {
    policy: &'a mut Uploaders,
    pages: Pages,
    waiting: BTreeMap<String, (GroupId, f32, usize, Why)>,
    factors: HashMap<GroupId, GroupFactor>,
    seen: BTreeSet<String>,
    placed: usize,
}

impl<'a> Crawl<'a> {
    fn new(policy: &'a mut Uploaders, pages: Pages) -> Self {
        let start = pages[0].0.to_owned();
        let waiting = BTreeMap::from([(start, (GroupId::ALL, 1.0, 0, Why::new()))]);
        Self { policy, pages, waiting, factors: HashMap::new(), seen: BTreeSet::new(), placed: 0 }
    }

    fn priority(&self, group: GroupId, own: f32) -> Option<f32> {
        match self.factors.get(&group).copied().unwrap_or(GroupFactor::times(1.0)) {
            GroupFactor::Times(factor) => Some(factor.get() * own),
            GroupFactor::Parked => None,
        }
    }

    /// The best that waits, the oldest of equals.
    fn next(&mut self) -> Option<(String, GroupId, Why)> {
        let ready = self.waiting.iter().filter_map(|(path, (group, own, at, _))| {
            Some((self.priority(*group, *own)?, *at, path.clone(), *group))
        });
        let (.., path, group) = ready.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))?;
        let (.., why) = self.waiting.remove(&path)?;
        self.seen.insert(path.clone());
        Some((path, group, why))
    }

    fn carry_out(&mut self, placing: &Placing, page: Option<&Page>) {
        let factors = placing.ops().filter_map(|(op, _)| match op {
            Op::Factor(group, factor) => Some((*group, *factor)),
            _ => None,
        });
        self.factors.extend(factors);
        for (op, parts) in placing.ops() {
            match op {
                Op::Factor(..) => {}
                Op::Add { link, group, own, .. } => {
                    let path = page.unwrap().links()[*link as usize].url.path_and_query().to_owned();
                    if self.seen.contains(&path) {
                        continue;
                    }
                    self.placed += 1;
                    if let Some(priority) = self.priority(*group, own.get()) {
                        check_parts(&path, parts, priority);
                    }
                    let why: Why = parts.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
                    let worth = |group, own| self.priority(group, own).unwrap_or(-1.0);
                    let known = self.waiting.get(&path).map(|(group, own, ..)| worth(*group, *own));
                    if known.is_none_or(|known| worth(*group, own.get()) > known) {
                        self.waiting.insert(path, (*group, own.get(), self.placed, why));
                    }
                }
                other => panic!("unexpected {other:?}"),
            }
        }
    }

    /// Visits until nothing can be fetched; the order of the visits.
    fn run(&mut self) -> Vec<String> {
        let order = std::iter::from_fn(|| self.visit()).collect();
        assert!(self.waiting.is_empty(), "still parked: {:?}", self.waiting);
        order
    }

    /// Visits the best link that waits.
    fn visit(&mut self) -> Option<String> {
        let (path, group, why) = self.next()?;
        let mut placing = Placing::default();
        {
            if let Some((_, body, tags, by)) = self.pages.iter().find(|(at, ..)| *at == path) {
                let page = page_at(&path, body);
                let cluster = cluster_of(&path);
                let page_type = cluster.map_or(PageType::Other, |cluster| TYPES[cluster as usize]);
                let record = (!tags.is_empty()).then(|| record(&path, tags, *by));
                let reading = Reading { cluster, page_type, wanted: None, record };
                let words = PageWords::default();
                let visit = Visit {
                    id: LinkId(0),
                    group,
                    depth: 0,
                    page: &page,
                    page_words: &words,
                    reading: Some(&reading),
                    judgement: Judgement::default(),
                    why: &why,
                    fresh: &FreshLinks::unknown(),
                };
                self.policy.on_page(&visit, &mut placing);
                self.carry_out(&placing, Some(&page));
            } else {
                let (url, cause) = (url(&path), Cause::Status(404));
                let failure = Failure { id: LinkId(0), url: &url, group: Some(group), depth: 0, cause };
                self.policy.on_failure(&failure, &mut placing);
                self.carry_out(&placing, None);
            }
        }
        Some(path)
    }
}

/// The rules of the paper: people first.
fn as_printed() -> UploaderRules {
    UploaderRules { people: PeopleRule::First, ..UploaderRules::default() }
}

fn check(others: Others, pages: Pages, expect: &str) {
    let mut policy = policy(others, &as_printed(), pages);
    let order = Crawl::new(&mut policy, pages).run();
    assert_eq!(order.join(" "), expect);
}

/// Cards: a thing and its uploader.
const CARDS: &str = "<ul><li><a href=/d/1><img src=/1></a> <i><a href=/u/bob>bob</a></i>\
                     <li><a href=/d/2><img src=/2></a> <i><a href=/u/ann>ann</a></i>\
                     <li><a href=/d/3><img src=/3></a> <i><a href=/u/ann>ann</a></i></ul>";

const GARDEN: Pages = &[
    ("/l/start", CARDS, &[], None),
    ("/u/ann", "<p>Ann</p>", &["rose", "tulip"], None),
    ("/u/bob", "<p>Bob</p>", &["car", "rose", "bus", "truck"], None),
    ("/d/1", "", &["car"], Some("/u/bob")),
    ("/d/2", "", &["rose"], Some("/u/ann")),
    ("/d/3", "", &["tulip"], Some("/u/ann")),
];

/// Profiles first, in the order they were met; then Ann's things (rank 0.5), then Bob's (0.5 / (2 sqrt 2)).
#[test]
fn people_then_their_things_by_rank() {
    check(Others::ByYield, GARDEN, "/l/start /u/bob /u/ann /d/2 /d/3 /d/1");
    // beside OPIC, people have what is expected of them, 0.1: less than Bob's thing once he is known
    check(Others::ByCash, GARDEN, "/l/start /u/bob /d/1 /u/ann /d/2 /d/3");
}

/// Nobody's page can be had: what is parked is let go, and waits with what is expected.
#[test]
fn a_profile_that_fails_lets_go() {
    const PAGES: Pages = &[
        ("/l/start", CARDS, &[], None),
        ("/d/1", "", &[], None),
        ("/d/2", "", &[], None),
        ("/d/3", "", &[], None),
    ];
    check(Others::ByYield, PAGES, "/l/start /u/bob /u/ann /d/1 /d/2 /d/3");
}

/// Bob's profile may not be asked for, so his thing does not wait for it, though its own link may be followed; Ann's
/// may, though those to her things may not: they wait for her.
#[test]
fn nofollow_of_a_profile_is_not_that_of_a_thing() {
    const PAGES: Pages = &[
        (
            "/l/start",
            "<ul><li><a href=/d/1><img src=/1></a> <i><a rel=nofollow href=/u/bob>bob</a></i>\
             <li><a rel=nofollow href=/d/2><img src=/2></a> <i><a href=/u/ann>ann</a></i>\
             <li><a rel=nofollow href=/d/3><img src=/3></a> <i><a href=/u/ann>ann</a></i></ul>",
            &[],
            None,
        ),
        ("/u/ann", "<p>Ann</p>", &["rose", "tulip"], None),
    ];
    let mut policy = policy(Others::ByYield, &as_printed(), PAGES);
    let mut crawl = Crawl::new(&mut policy, PAGES);
    crawl.visit();
    let factor = |crawl: &Crawl<'_>, path: &str| crawl.factors[&things_of(user_at(&url(path)))];
    assert_eq!(factor(&crawl, "/u/bob"), GroupFactor::times(0.1));
    assert_eq!(factor(&crawl, "/u/ann"), GroupFactor::Parked);
}

/// What a thing's page says in structured data, with a relative address, is the same user's as the links'.
#[test]
fn an_uploader_with_a_relative_address() {
    let mut policy = policy(Others::ByYield, &as_printed(), GARDEN);
    let page = page_at("/d/2", "");
    let mut record = record("/d/2", &["rose"], None);
    record.uploader_url = Some("../u/ann".to_owned());
    let reading =
        Reading { cluster: Some(0), page_type: PageType::Detail, wanted: None, record: Some(record) };
    let (words, why) = (PageWords::default(), Why::new());
    let visit = Visit {
        id: LinkId(0),
        group: GroupId::ALL,
        depth: 0,
        page: &page,
        page_words: &words,
        reading: Some(&reading),
        judgement: Judgement::default(),
        why: &why,
        fresh: &FreshLinks::unknown(),
    };
    policy.on_page(&visit, &mut Placing::default());
    assert!(policy.state.profiles.rank(user_at(&url("/u/ann"))).is_some());
}

/// On a site whose links nothing is known of, cards are found by their structure; after some pages of a kind of list,
/// by where they were found, with the same result, also by a policy that was stored and taken up.
#[test]
fn the_first_pages_of_a_kind_show_where_cards_are() {
    let mut before = policy(Others::ByYield, &as_printed(), &[]);
    let card = |n: usize| {
        format!("<li><a href=/d/{n}><img src=/{n}></a> by <b class=owner><a href=/u/p{n}>p{n}</a></b>")
    };
    let list = |first: usize| {
        page_at("/l/1", &format!("<ul>{}</ul>", (first..first + 5).map(card).collect::<String>()))
    };
    let uploaders = |policy: &mut Uploaders, first: usize| {
        policy.leads.sight(Some(2), PageType::List, &list(first), &mut policy.sighted);
        policy.sighted.uploaders.clone()
    };
    let expect = |first: usize| -> Vec<Option<UserId>> {
        (first..first + 5).flat_map(|n| [Some(user_at(&url(&format!("/u/p{n}")))), None]).collect()
    };
    for first in 0..20 {
        assert_eq!(uploaders(&mut before, first), expect(first), "{first}");
    }
    let mut after = policy(Others::ByYield, &as_printed(), &[]);
    after.restore(&before.snapshot()).unwrap();
    assert_eq!((uploaders(&mut after, 50), &after.leads.cards), (expect(50), &before.leads.cards));
}

/// Contacts that know each other, and one who knows himself.
#[test]
fn contacts_that_loop() {
    const PAGES: Pages = &[
        (
            "/u/ann",
            "<a href=/u/bob>bob</a><a href=/u/ann>me</a><p><a href=/d/1><img src=/1></a>",
            &["rose"],
            None,
        ),
        (
            "/u/bob",
            "<a href=/u/ann>ann</a><a href=/u/bob>me</a><p><a href=/d/2><img src=/2></a>",
            &["car"],
            None,
        ),
        ("/d/1", "", &["rose"], None),
        ("/d/2", "", &["car"], None),
    ];
    // Ann: 0.5 / sqrt 2 by her tag, for nothing is known of Bob, who is worth half of that, as one whom she names
    check(Others::ByYield, PAGES, "/u/ann /d/1 /u/bob /d/2");
}

/// Uploaders who are never asked for: patience ends.
#[test]
fn patience_ends() {
    let rules = UploaderRules { patience: 2, ..as_printed() };
    let mut policy = policy(Others::ByYield, &rules, GARDEN);
    let (user, mut placing) = (UserId(7), Placing::default());
    policy.state.waiting.meet(user);
    policy.place_thing(0, user, 1.0, &mut placing);
    assert!(placing.ops().any(|(op, _)| *op == Op::Factor(things_of(user), GroupFactor::Parked)));
    let released = |policy: &mut Uploaders| {
        let mut placing = Placing::default();
        policy.tick(&mut placing);
        placing.ops().any(|(op, _)| *op == Op::Factor(things_of(user), GroupFactor::times(0.1)))
    };
    assert_eq!((released(&mut policy), released(&mut policy), released(&mut policy)), (false, true, false));
}

/// A profile that is never fetched and never fails: what is parked is let go when nothing else is left.
#[test]
fn blocked_things_are_released() {
    let mut policy = policy(Others::ByYield, &as_printed(), GARDEN);
    let user = UserId(7);
    policy.state.waiting.meet(user);
    policy.place_thing(0, user, 1.0, &mut Placing::default());
    let released = |policy: &mut Uploaders| {
        let mut placing = Placing::default();
        policy.on_blocked(&mut placing);
        placing.ops().map(|(op, _)| op.clone()).collect::<Vec<Op>>()
    };
    assert_eq!(released(&mut policy), [Op::Factor(things_of(user), GroupFactor::times(0.1))]);
    assert_eq!(released(&mut policy), []);
}

/// A list of the topic before another; a user's own list in the user's group.
#[test]
fn lists_by_their_sort() {
    const PAGES: Pages = &[
        (
            "/u/ann",
            "<p><a href=/l/other>All</a><b><a href=/l/tag/roses>more</a></b><i><a href=/l/ann>My things</a></i>",
            &["rose"],
            None,
        ),
        ("/l/other", "", &[], None),
        ("/l/tag/roses", "", &[], None),
        ("/l/ann", "", &[], None),
    ];
    // lists of the topic are worth 1, others 0.5, Ann's own half her rank: 0.18
    check(Others::ByYield, PAGES, "/u/ann /l/tag/roses /l/other /l/ann");
}

/// Ann's page of tags and her page of contacts count to her profile: she says nothing herself.
#[test]
fn further_pages_of_a_user() {
    const PAGES: Pages = &[
        (
            "/u/ann",
            "<p><a href=/d/1><img src=/1></a> <b><a href=/l/ann/tags>Tags</a></b><i><a href=/l/ann/contacts>Contacts</a></i>",
            &[],
            None,
        ),
        (
            "/l/ann/tags",
            "<em><a href=/l/ann/tags/rose>rose</a></em> <em><a href=/l/other>car</a></em>",
            &[],
            None,
        ),
        ("/l/ann/contacts", "<s><a href=/u/bob>bob</a></s>", &[], None),
        ("/u/bob", "<p>Bob</p>", &["tulip"], None),
        ("/d/1", "", &[], None),
    ];
    let mut policy = policy(Others::ByYield, &UploaderRules::default(), PAGES);
    let mut crawl = Crawl::new(&mut policy, PAGES);
    while crawl.visit().is_some() {}
    let rank = policy.state.profiles.rank(user_at(&url("/u/ann"))).unwrap();
    // the words of her own page are `Tags`, `Contacts`, which stem to no word of the topic; `rose` is
    assert!(rank.inner.is_some_and(|inner| inner > 0.0), "{rank:?}");
    assert!(rank.inter.is_some_and(|inter| inter > 0.5), "{rank:?}");
}

/// Two of three ranks are above the cut when the best half is asked for; the last comes last.
#[test]
fn a_share_of_the_ranks() {
    let rules = UploaderRules { top_share: 0.5, ..as_printed() };
    let mut policy = policy(Others::ByYield, &rules, GARDEN);
    let mut placing = Placing::default();
    for number in 0..40u64 {
        let terms = (0..number).map(|word| Term::of(&word.to_string())).chain([Term::of("rose")]);
        policy.state.profiles.add_terms(
            UserId(number),
            crate::profiles::Source::Tags,
            terms,
            &mut Vec::new(),
        );
    }
    policy.measure_cut(&mut placing);
    let (best, worst) = (policy.worth(UserId(0)).unwrap(), policy.worth(UserId(39)).unwrap());
    assert!(best > 0.3 && worst < 0.001, "{best} {worst}");
    let above = (0..40).filter(|user| policy.worth(UserId(*user)).unwrap() > 0.01).count();
    assert_eq!(above, 20);
}

/// Half a crawl, stored and taken up, goes on as the whole one.
#[test]
fn state_survives() {
    let mut whole = policy(Others::ByCash, &UploaderRules::default(), GARDEN);
    Crawl::new(&mut whole, GARDEN).run();
    let mut again = policy(Others::ByCash, &UploaderRules::default(), GARDEN);
    again.restore(&whole.snapshot()).unwrap();
    assert_eq!(again.snapshot(), whole.snapshot());
    assert_eq!(again.worth(user_at(&url("/u/ann"))), whole.worth(user_at(&url("/u/ann"))));
    assert!(again.restore(&[1, 2, 3]).is_err());
}

/// The parts of a thing's score are its uploader's rank.
#[test]
fn parts_add_up() {
    let mut policy = policy(Others::ByYield, &as_printed(), GARDEN);
    Crawl::new(&mut policy, GARDEN).run();
    let (ann, mut placing) = (user_at(&url("/u/ann")), Placing::default());
    policy.place_thing(0, ann, 1.0, &mut placing);
    let parts: f32 = placing.ops().flat_map(|(_, parts)| parts).map(|(_, value)| value).sum();
    assert_eq!(Some(parts), policy.state.profiles.rank(ann).map(|rank| rank.total));
    assert_eq!(Some(parts), policy.worth(ann));
}

/// Forty people on a list, none of whose profiles can be had, each with one thing that is wanted: after some that fail,
/// things no longer wait. By the paper's rule all forty are asked first.
#[test]
fn asking_in_vain_stops() {
    let cards: String = (0..40)
        .map(|n| format!("<li><a href=/d/{n}><img src=/{n}></a> <i><a href=/u/p{n}>p{n}</a></i>"))
        .collect();
    let mut pages: Vec<(&'static str, &'static str, &'static [&'static str], Option<&'static str>)> =
        vec![("/l/start", Box::leak(format!("<ul>{cards}</ul>").into_boxed_str()), &[], None)];
    for n in 0..40 {
        pages.push((Box::leak(format!("/d/{n}").into_boxed_str()), "", &["rose"], None));
    }
    let pages: Pages = pages.leak();
    let asked_first = |rules: &UploaderRules| {
        let mut policy = policy(Others::ByYield, rules, pages);
        let order = Crawl::new(&mut policy, pages).run();
        assert_eq!(order.len(), 81);
        order.iter().skip(1).take_while(|path| path.starts_with("/u/")).count()
    };
    assert_eq!(asked_first(&as_printed()), 40);
    // more is expected of people than by default, so that it is soon clear that asking pays less
    let asked = asked_first(&UploaderRules { prior: 0.3, ..UploaderRules::default() });
    assert!((2..40).contains(&asked), "{asked}");
}

/// People first, as long as that is guessed to pay; a state that was stored goes on as the whole one.
#[test]
fn a_price_at_first_and_after_a_restore() {
    let mut whole = policy(Others::ByYield, &UploaderRules::default(), GARDEN);
    let order = Crawl::new(&mut whole, GARDEN).run();
    assert_eq!(order.join(" "), "/l/start /u/bob /u/ann /d/2 /d/3 /d/1");
    let mut again = policy(Others::ByYield, &UploaderRules::default(), GARDEN);
    again.restore(&whole.snapshot()).unwrap();
    assert_eq!((again.snapshot(), &again.state.pays), (whole.snapshot(), &whole.state.pays));
    // a state of an older version ends before the pays
    let mut older = policy(Others::ByYield, &UploaderRules::default(), GARDEN);
    let pays = postcard::to_stdvec(&whole.state.pays.save()).unwrap().len();
    let snapshot = whole.snapshot();
    older.restore(&snapshot[..snapshot.len() - pays]).unwrap();
    assert_eq!(older.state.pays, Pays::default());
    assert_eq!(older.worth(user_at(&url("/u/ann"))), whole.worth(user_at(&url("/u/ann"))));
}

#[test]
fn what_is_missing_is_said() {
    let check = |rules: &UploaderRules, tags: &[&str], known: &Known, expect: &str| {
        let subject =
            Subject { tags: tags.iter().map(|tag| (*tag).to_owned()).collect(), ..Subject::default() };
        let unfit = Uploaders::new(rules, Others::ByYield, &subject, known).unwrap_err();
        assert!(unfit.to_string().contains(expect), "{unfit}");
    };
    let known = Known { site: Some(site(GARDEN)), ..Known::default() };
    let usual = UploaderRules::default();
    check(&usual, &["rose"], &Known::default(), "osprey learn");
    check(&usual, &[], &known, "`topic.tags`");
    check(&usual, &["the"], &known, "`topic.tags`");
    check(&UploaderRules { threshold: 2.0, ..usual.clone() }, &["rose"], &known, "[policy.threshold] `2`");
    check(
        &UploaderRules { inner: 0.0, inter: 0.0, ..usual },
        &["rose"],
        &known,
        "no uploader would have a rank",
    );
}
