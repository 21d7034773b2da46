//! Recognises the type of a page by its path strings, learned from examples (Zhang & Nasraoui 2009, figure 5).
//!
//! There are two methods: that of the paper, by whole characteristic sets ([`PageTypes::classify_by_whole_sets`]), and
//! the usual one, by separating sets ([`PageTypes::classify`]). Whole sets learned from a handful of examples contain
//! what happens to be on all of them, such as a tag cloud that another page lacks; the one or two path strings of a
//! separating set require less. The result can be stored and read by people: it contains path strings as text.

use osprey_page::Page;
use serde::{Deserialize, Serialize};

use super::characteristic::{KnownPath, PathStrings, Tolerance, characteristic, designs, each_key, schema};
use super::separate::separate;

/// How pages of one type, or of one of its designs, are recognised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeRule {
    /// The type's name.
    pub name: String,
    /// The smallest set of path strings that separates it from the others.
    pub separating: Vec<KnownPath>,
    /// All path strings that its examples share.
    pub characteristic: Vec<KnownPath>,
    /// Types that have everything that its examples share, so that it cannot be separated from them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub confused_with: Vec<String>,
}

/// A classifier of the pages of one site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageTypes {
    /// One rule for each design of each type, in the order of the examples.
    pub types: Vec<TypeRule>,
}

impl PageTypes {
    /// Learns from example pages by the name of their type; each name should occur once. A type without pages is
    /// skipped, and where pages share nothing that is not on all pages of the site, no page fits the rule.
    pub fn learn<N: AsRef<str>>(examples: &[(N, Vec<PathStrings>)], tolerance: &Tolerance) -> Self {
        let pages: Vec<&[PathStrings]> = examples.iter().map(|(_, pages)| pages.as_slice()).collect();
        let names: Vec<&str> = examples.iter().map(|(name, _)| name.as_ref()).collect();
        let names = names.as_slice();
        let schema = schema(pages.iter().copied().flatten(), tolerance);
        let learn = |(own, (_, examples)): (usize, &(N, Vec<PathStrings>))| {
            let designs = designs(examples, &schema);
            let rule = |design: Vec<usize>| {
                let examples: Vec<&PathStrings> =
                    design.iter().filter_map(|place| examples.get(*place)).collect();
                rule_of(names, own, characteristic(&examples, &schema, tolerance), &pages, tolerance)
            };
            designs.into_iter().map(rule).collect::<Vec<_>>()
        };
        Self { types: examples.iter().enumerate().flat_map(learn).collect() }
    }

    /// The type of a page: the one whose separating set is on it; of several, the one with the most characteristic path
    /// strings on it.
    pub fn classify(&self, page: &Page) -> Option<&str> {
        let keys = Keys::of(page);
        let fit = self.types.iter().filter(|rule| keys.has_all(&rule.separating));
        largest(fit.map(|rule| (keys.count(&rule.characteristic), rule)))
    }

    /// The type of a page by the method of Zhang & Nasraoui 2009: the one whose whole characteristic set is on it; of
    /// several, the one with the largest set.
    pub fn classify_by_whole_sets(&self, page: &Page) -> Option<&str> {
        let keys = Keys::of(page);
        let fit = self.types.iter().filter(|rule| keys.has_all(&rule.characteristic));
        largest(fit.map(|rule| (rule.characteristic.len(), rule)))
    }
}

fn rule_of(
    names: &[&str],
    own: usize,
    characteristic: Vec<KnownPath>,
    pages: &[&[PathStrings]],
    tolerance: &Tolerance,
) -> TypeRule {
    let found = separate(&characteristic, own, pages, tolerance);
    let name = |place: usize| names.get(place).map(|name| (*name).to_owned());
    TypeRule {
        name: name(own).unwrap_or_default(),
        separating: found.chosen.iter().filter_map(|place| characteristic.get(*place)).cloned().collect(),
        confused_with: found.confused_with.into_iter().filter_map(name).collect(),
        characteristic,
    }
}

/// The first of the largest.
fn largest<'a>(rules: impl Iterator<Item = (usize, &'a TypeRule)>) -> Option<&'a str> {
    let larger = |best: Option<(usize, &'a TypeRule)>, next: (usize, &'a TypeRule)| match best {
        Some(best) if best.0 >= next.0 => Some(best),
        _ => Some(next),
    };
    rules.fold(None, larger).map(|(_, rule)| rule.name.as_str())
}

/// Keys of the path strings of a page, sorted.
struct Keys(Vec<u64>);

impl Keys {
    fn of(page: &Page) -> Self {
        let mut keys = Vec::new();
        page.path_strings().for_each(|path| each_key(page.path_string(path.id), |key| keys.push(key)));
        keys.sort_unstable();
        Self(keys)
    }

    fn has(&self, path: &KnownPath) -> bool {
        self.0.binary_search(&path.key).is_ok()
    }

    /// Whether all of the path strings are present; `false` for an empty set.
    fn has_all(&self, paths: &[KnownPath]) -> bool {
        !paths.is_empty() && paths.iter().all(|path| self.has(path))
    }

    fn count(&self, paths: &[KnownPath]) -> usize {
        paths.iter().filter(|path| self.has(path)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::super::characteristic::tests::page;
    use super::*;

    const FOOT: &str = "<p class=foot>Terms of Use</p>";

    fn list(cards: &[(&str, &str)]) -> String {
        let card = |(title, by): &(&str, &str)| {
            format!(
                "<div class=card><a href=/{title}><img src=/{title}.jpg></a><span class=by><a href=/~{by}>{by}</a></span></div>"
            )
        };
        format!("<h1>Explore</h1>{}{FOOT}", cards.iter().map(card).collect::<String>())
    }

    fn detail(title: &str, by: &str, tags: &[&str]) -> String {
        let tags: String = tags.iter().map(|tag| format!("<li><a href=/tag/{tag}>{tag}</a>")).collect();
        format!("<h1>{title}</h1><p class=owner><a href=/~{by}>{by}</a></p><ul class=tags>{tags}</ul>{FOOT}")
    }

    fn profile(name: &str, sets: &[&str]) -> String {
        let sets: String = sets.iter().map(|set| format!("<dd>{set}")).collect();
        format!("<h1>{name}</h1><p>About {name}</p><dl class=sets>{sets}</dl>{FOOT}")
    }

    fn photo_site() -> PageTypes {
        let examples = |bodies: &[String]| bodies.iter().map(|body| PathStrings::of(&page(body))).collect();
        PageTypes::learn(
            &[
                (
                    "list",
                    examples(&[list(&[("a", "ann"), ("b", "bob")]), list(&[("c", "cem"), ("d", "bob")])]),
                ),
                (
                    "detail",
                    examples(&[detail("Canna", "ann", &["flower", "lily"]), detail("Dog", "bob", &["pet"])]),
                ),
                ("profile", examples(&[profile("ann", &["2009", "cats"]), profile("bob", &["dogs"])])),
            ],
            &Tolerance::STRICT,
        )
    }

    fn texts(paths: &[KnownPath]) -> Vec<&str> {
        let mut texts: Vec<&str> = paths.iter().map(|path| path.text.as_str()).collect();
        texts.sort_unstable();
        texts
    }

    /// By hand: `Terms of Use` is on all pages and is schema; the heading is on all pages too, but its value differs,
    /// so it is characteristic of each type and separates none.
    #[test]
    fn the_sets_of_a_small_photo_site() {
        let types = photo_site();
        let check = |place: usize, whole: &[&str], separating: &[&str]| {
            let rule: &TypeRule = &types.types[place];
            assert_eq!(texts(&rule.characteristic), whole, "{}", rule.name);
            assert_eq!(texts(&rule.separating), separating, "{}", rule.name);
            assert!(rule.confused_with.is_empty());
        };
        let heading = "<h1><body><html>";
        let by = "<a><span-class/by><div-class/card><body><html>";
        check(0, &[by, heading], &[by]);
        let (owner, tag) = ("<a><p-class/owner><body><html>", "<a><li><ul-class/tags><body><html>");
        check(1, &[tag, owner, heading], &[owner]);
        let (set, about) = ("<dd><dl-class/sets><body><html>", "<p><body><html>");
        check(2, &[set, heading, about], &[about]);
    }

    #[test]
    fn new_pages_are_recognised_by_their_path_strings() {
        let types = photo_site();
        let check = |body: &str, separating: Option<&str>, whole: Option<&str>| {
            let page = page(body);
            assert_eq!(types.classify(&page), separating, "{body}");
            assert_eq!(types.classify_by_whole_sets(&page), whole, "{body}");
        };
        check(&list(&[("x", "eve")]), Some("list"), Some("list"));
        check(&detail("Egg", "eve", &["food"]), Some("detail"), Some("detail"));
        // no tags: the whole set requires too much
        check(&detail("Egg", "eve", &[]), Some("detail"), None);
        check(&profile("eve", &["all"]), Some("profile"), Some("profile"));
        check(&format!("<h1>Login</h1>{FOOT}"), None, None);
        check("", None, None);
    }

    #[test]
    fn of_several_the_larger_set_wins() {
        let examples = |body: &str| vec![PathStrings::of(&page(body))];
        let (small, large) = ("<p><i>q</i>", "<p><i>r</i><b>s</b>");
        let types =
            PageTypes::learn(&[("small", examples(small)), ("large", examples(large))], &Tolerance::STRICT);
        assert_eq!(types.types[0].confused_with, ["large"]);
        assert_eq!(types.types[1].confused_with, [""; 0]);
        let check =
            |body: &str, expect: &str| assert_eq!(types.classify(&page(body)), Some(expect), "{body}");
        check("<p><i>1</i>", "small");
        check("<p><i>1</i><b>2</b>", "large");
    }

    #[test]
    fn a_type_without_characteristics_fits_no_page() {
        let examples =
            |bodies: &[&str]| bodies.iter().map(|body| PathStrings::of(&page(body))).collect::<Vec<_>>();
        let types = PageTypes::learn(
            &[("none", Vec::new()), ("empty", examples(&["", ""])), ("one", examples(&["<p>c"]))],
            &Tolerance::STRICT,
        );
        let check =
            |body: &str, expect: Option<&str>| assert_eq!(types.classify(&page(body)), expect, "{body}");
        check("<p>x", Some("one"));
        check("<b>x</b>", None);
    }

    #[test]
    fn each_design_has_its_own_rule() {
        let examples =
            |bodies: &[&str]| bodies.iter().map(|body| PathStrings::of(&page(body))).collect::<Vec<_>>();
        let types = PageTypes::learn(
            &[
                ("detail", examples(&["<p>new<b>x</b>", "<table><td>old</table>"])),
                ("list", examples(&["<ul><li>y</ul>"])),
            ],
            &Tolerance::STRICT,
        );
        let names: Vec<&str> = types.types.iter().map(|rule| rule.name.as_str()).collect();
        assert_eq!(names, ["detail", "detail", "list"]);
        let check =
            |body: &str, expect: &str| assert_eq!(types.classify(&page(body)), Some(expect), "{body}");
        check("<p>1<b>2</b>", "detail");
        check("<table><td>1</table>", "detail");
        check("<ul><li>1</ul>", "list");
    }

    #[test]
    fn what_is_stored_is_what_was_learned() {
        let types = photo_site();
        let json = serde_json::to_string(&types).expect("JSON");
        assert!(json.contains("<a><span-class/by><div-class/card><body><html>"));
        assert_eq!(serde_json::from_str::<PageTypes>(&json).expect("read"), types);
    }
}
