//! Rules on the sample page of Zhang 2008 (code 1), its special cases, and pages of any kind.

use proptest::prelude::*;

use super::testing::{page, page_at};
use super::*;

/// Code 1 of Zhang 2008, with the missing bracket of one tag added.
const SAMPLE: &str = "<html><head><title>Red &amp; green on Flickr</title></head><body><div>
    <h1>Red &amp; green</h1>
    <div>Uploaded on <a>January 17, 2007</a><br />by<a><b>manganite</b></a></div>
    <div>This photo also belongs to:
      <div><h3><a>germany (Set)</a></h3></div><div><h3><a>flowers (Set)</a></h3></div>
      <div><h3><a>Utata (Pool)</a></h3></div><div><h3><a>The World ... (Pool)</a></h3></div>
      <div><h3><a>Kris Kros ... (Pool)</a></h3></div></div>
    <div><h4>Tags</h4><div><div><a>europe</a></div><div><a>germany</a></div><div><a>nrw</a></div>
      <div><a>herten</a></div></div></div></div></body></html>";

/// The rules that a person would write for it.
fn flickr() -> Rules {
    let belongs = "<a><h3><div><div><div><body><html>";
    let mut sets = FieldRule::new(Field::Sets, belongs);
    sets.contains = Some("(Set)".to_owned());
    let mut groups = FieldRule::new(Field::Groups, belongs);
    groups.contains = Some("(Pool)".to_owned());
    let rules = vec![
        FieldRule::new(Field::Title, "<h1><div><body><html>"),
        FieldRule::new(Field::Uploader, "<b><a>..."),
        FieldRule::new(Field::Date, "<a><div><div><body><html>"),
        sets,
        groups,
        FieldRule::new(Field::Tags, "<a><div><div><div><div><body><html>"),
    ];
    Rules { rules, ..Rules::default() }
}

fn check_sample(record: &Record) {
    assert_eq!(record.title.as_deref(), Some("Red & green"));
    assert_eq!(record.uploader.as_deref(), Some("manganite"));
    assert_eq!(record.sets, ["germany", "flowers"]);
    assert_eq!(record.groups, ["Utata", "The World ...", "Kris Kros ..."]);
    assert_eq!(record.tags, ["europe", "germany", "nrw", "herten"]);
    assert_eq!(record.date.as_deref(), Some("January 17, 2007"));
}

#[test]
fn the_sample_page_by_rules() {
    check_sample(&apply(&page(SAMPLE), &flickr()));
}

#[test]
fn the_sample_page_by_proposed_rules() {
    let other = "<title>Blue boat on Flickr</title><body><div><h1>Blue boat</h1>
        <div>Uploaded on <a>March 3, 2008</a><br>by<a><b>ann</b></a></div>
        <div>This photo also belongs to:<div><h3><a>sea (Set)</a></h3></div><div><h3><a>Ships (Pool)</a></h3></div></div>
        <div><h4>Tags</h4><div><div><a>water</a></div><div><a>hull</a></div></div></div></div>";
    let third = other
        .replace("Blue boat", "Old tree")
        .replace("ann", "bob")
        .replace("water", "oak")
        .replace("3,", "5,");
    let pages = [page(SAMPLE), page(other), page(&third)];
    let proposals = propose(&pages, RecordKind::Detail, &|_, _| None);
    check_sample(&apply(&pages[0], &proposals.rules()));
    let toml = proposals.to_toml();
    assert!(toml.contains("[[extract.rule]]\non = \"detail\"\nfield = \"title\""), "{toml}");
    // a single page: labels and brackets are enough
    let alone = propose(&pages[..1], RecordKind::Detail, &|_, _| None);
    check_sample(&apply(&pages[0], &alone.rules()));
}

#[test]
fn missing_optional_data_gives_no_value() {
    let record = apply(&page("<title>x</title><div><h1>Only a title</h1></div>"), &flickr());
    assert_eq!(record.title.as_deref(), Some("Only a title"));
    assert!(record.uploader.is_none() && record.tags.is_empty() && record.sets.is_empty());
    assert!(apply(&page(""), &flickr()).is_empty());
}

#[test]
fn a_rule_cuts_its_value_out() {
    let check = |html: &str, change: &dyn Fn(&mut FieldRule), expect: Option<&str>| {
        let mut rule = FieldRule::new(Field::Title, "<p><body><html>");
        change(&mut rule);
        let rules = Rules { rules: vec![rule], ..Rules::default() };
        assert_eq!(apply(&page(html), &rules).title.as_deref(), expect, "{html}");
    };
    check("<p>Red boat Review", &|rule| rule.strip = vec!["Review".to_owned()], Some("Red boat"));
    check("<p>Review<p>Red", &|rule| rule.strip = vec!["Review".to_owned()], Some("Red"));
    check("<p>Asked 3 days ago by Ann", &|rule| rule.after = Some("by".to_owned()), Some("Ann"));
    check("<p>Reviewers Inn", &|rule| rule.strip = vec!["Review".to_owned()], Some("Reviewers Inn"));
    check("<p>nothing here", &|rule| rule.after = Some("by".to_owned()), None);
    check(
        "<p>by Ann on Monday",
        &|rule| (rule.after, rule.before) = (Some("by".to_owned()), Some("on".to_owned())),
        Some("Ann"),
    );
    check("<i>Name:</i><p>Ann", &|rule| rule.label = Some("name".to_owned()), Some("Ann"));
    check("<p>Name: Ann", &|rule| rule.label = Some("Name".to_owned()), Some("Ann"));
    check("<i>Age:</i><p>Ann", &|rule| rule.label = Some("name".to_owned()), None);
    check(
        "<p><a href=/x>Ann</a>",
        &|rule| (rule.path, rule.take) = (PathPattern::new("<a>..."), Take::Href),
        Some("http://a.example/x"),
    );
    check("<p><b>Red</b> boat", &|rule| rule.take = Take::Block, Some("Red boat"));
    check("<p>,", &|_| {}, None);
}

#[test]
fn counts_dates_and_pictures() {
    let page = page("<div><p>(6 posts)<p>(5 voices)<p>on Tue, 10/02/2015</div><p><img src=a.jpg></p>");
    let at = "<p><div><body><html>";
    let mut images = FieldRule::new(Field::Images, "<p><body><html>");
    images.take = Take::Image;
    let rules = vec![
        FieldRule::new(Field::Count("posts".to_owned()), at),
        FieldRule::new(Field::Count("voices".to_owned()), at),
        FieldRule::new(Field::Date, at),
        images,
    ];
    let record = apply(&page, &Rules { rules, ..Rules::default() });
    assert_eq!(
        record.counts.into_iter().collect::<Vec<_>>(),
        [("posts".to_owned(), 6), ("voices".to_owned(), 5)]
    );
    assert_eq!(record.date.as_deref(), Some("10/02/2015"));
    assert_eq!(record.images, ["http://a.example/p/a.jpg"]);
}

#[test]
fn threads_have_comments() {
    let post = |name: &str, text: &str| {
        format!(
            "<div class=post><a class=author href=/u/{name}>{name}</a><p>{text}</p><i>1 May 2010</i></div>"
        )
    };
    let thread = |title: &str, posts: &[(&str, &str)]| {
        let posts: String = posts.iter().map(|(name, text)| post(name, text)).collect();
        page_at(
            &format!("http://a.example/t/{title}"),
            &format!("<title>{title} - Forum</title><h1>{title}</h1>{posts}"),
        )
    };
    let long = "a text that is long enough to be something that somebody said";
    let pages = [
        thread(
            "Masts",
            &[("ann", "How tall are the masts of ships like these?"), ("bob", long), ("cyd", "Tall.")],
        ),
        thread(
            "Hulls",
            &[
                ("bob", "What are hulls like these made of, and why?"),
                ("eve", "It depends on what you want to do with it."),
            ],
        ),
        thread(
            "Sails",
            &[
                ("cyd", "Which cloth is best for sails in this weather?"),
                ("ann", "Take whatever the others in the harbour have taken."),
            ],
        ),
    ];
    let proposals = propose(&pages, RecordKind::Detail, &|_, _| None);
    let record = apply(&pages[0], &proposals.rules());
    assert_eq!(record.uploader.as_deref(), Some("ann"));
    assert_eq!(record.uploader_url.as_deref(), Some("http://a.example/u/ann"));
    assert_eq!(record.description.as_deref(), Some("How tall are the masts of ships like these?"));
    let said: Vec<(Option<&str>, &str)> =
        record.comments.iter().map(|comment| (comment.author.as_deref(), comment.text.as_str())).collect();
    assert_eq!(said, [(Some("bob"), long), (Some("cyd"), "Tall.")]);
}

#[test]
fn replies_do_not_cut_a_comment_in_two() {
    let reply = |number: usize| format!("<div class=c><p>reply {number}</p></div>");
    let replies: String = (0..9).map(reply).collect();
    let page = page(&format!("<div class=c><p>the beginning</p>{replies}<p>and the end</p></div>"));
    let rules = vec![FieldRule::new(Field::Comment, "<div-class/c>...")];
    let record = apply(&page, &Rules { rules, ..Rules::default() });
    let texts: Vec<&str> = record.comments.iter().map(|comment| comment.text.as_str()).collect();
    assert_eq!((texts.len(), texts.first()), (10, Some(&"the beginning and the end")), "{texts:?}");
}

#[test]
fn structured_data_wins_where_it_is_believed() {
    let html =
        "<title>Red boat</title><meta property=og:title content='Red boat'><meta name=author content=Ann>
        <h1>Red boat</h1><b>Bob</b>";
    let mut rules = Rules {
        rules: vec![
            FieldRule::new(Field::Title, "<h1><body><html>"),
            FieldRule::new(Field::Uploader, "<b><body><html>"),
        ],
        ..Rules::default()
    };
    assert_eq!(apply(&page(html), &rules).uploader.as_deref(), Some("Bob"));
    rules.structured.insert(Trust::Uploader);
    let record = apply(&page(html), &rules);
    assert_eq!((record.title.as_deref(), record.uploader.as_deref()), (Some("Red boat"), Some("Ann")));
}

#[test]
fn a_site_wide_title_is_not_believed() {
    let html = |number: usize| {
        page(&format!(
            "<title>Photo {number}x - Site</title><meta property=og:title content='The Site'><h1>Photo {number}x</h1>"
        ))
    };
    let pages: Vec<_> = (0..6).map(html).collect();
    let proposals = propose(&pages, RecordKind::Detail, &|_, _| None);
    assert!(!proposals.structured.contains(&Trust::Title));
    assert_eq!(apply(&pages[2], &proposals.rules()).title.as_deref(), Some("Photo 2x"));
}

#[test]
fn proposals_can_be_read_again() {
    let html = |number: usize| {
        page(&format!("<title>Boat {number}</title><h1 class='a><'>Boat {number}</h1><p>by Ann"))
    };
    let pages: Vec<_> = (0..4).map(html).collect();
    let rules = propose(&pages, RecordKind::Detail, &|_, _| None).rules();
    let text = serde_json::to_string(&rules).expect("JSON");
    assert_eq!(serde_json::from_str::<Rules>(&text).expect("rules"), rules);
}

#[test]
fn rules_are_written_and_read() {
    let text = serde_json::to_string(&flickr()).expect("JSON");
    assert_eq!(serde_json::from_str::<Rules>(&text).expect("rules"), flickr());
    let wrong = serde_json::from_str::<FieldRule>(r#"{"field":"titel","path":"<p>"}"#);
    assert!(wrong.expect_err("no such field").to_string().contains("field `titel`: expected one of title"));
    assert!(serde_json::from_str::<FieldRule>(r#"{"field":"title","path":"<p>","pth":""}"#).is_err());
    let check = |key: &str, value: &str, expect: Option<&str>| {
        let rule = format!(r#"{{"field":"title","path":"<p>","{key}":"{value}"}}"#);
        let error = serde_json::from_str::<FieldRule>(&rule).err().map(|error| error.to_string());
        let is_expected =
            expect.is_none_or(|words| error.as_deref().is_some_and(|error| error.starts_with(words)));
        assert!(is_expected && error.is_some() == expect.is_some(), "{rule}: {error:?}");
    };
    for key in ["label", "contains", "after", "before"] {
        check(key, "by", None);
        for empty in ["", "  "] {
            check(key, empty, Some(&format!("key `{key}`: expected a text that is not empty")));
        }
    }
    let all = [
        FieldRule { on: Some("photo".to_owned()), ..FieldRule::new(Field::Title, "<p>") },
        FieldRule::new(Field::Tags, "<b>"),
    ];
    assert_eq!(Rules::select(RecordKind::Detail, &all, |name| name == "video").rules.len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_page_gives_some_record(html in "(<(a|b|p|h1|li|dt|dd|td|div)( class=(author|tags|x1))?>|</(a|p|div|td|li)>|[a-zé标签:, ]{1,6}|by |Tags: |[0-9]{1,4}){0,60}") {
        let pages = [page(&html), page(&format!("{html}<p>more")), page(SAMPLE)];
        for kind in [RecordKind::Detail, RecordKind::Profile] {
            let proposals = propose(&pages, kind, &|_, _| Some(Leads::Profile));
            for page in &pages {
                let record = apply(page, &proposals.rules());
                prop_assert_eq!(record.kind, kind);
                let text = serde_json::to_string(&proposals.rules()).expect("JSON");
                prop_assert_eq!(serde_json::from_str::<Rules>(&text).expect("rules"), proposals.rules());
                apply(page, &flickr());
            }
        }
    }
}
