//! How queries parse, which are rejected and with which message, and that printed queries parse again.

use proptest::prelude::*;

use super::*;

fn check(text: &str, printed: &str) {
    let query = Query::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(query.to_string(), printed, "{text}");
    assert_eq!(Query::parse(printed).as_ref(), Ok(&query), "{text}: {printed}");
}

fn refuse(text: &str, expect: &str) {
    let error = Query::parse(text).expect_err(text);
    assert_eq!(error.to_string(), format!("query, {expect}"), "{text}");
}

#[test]
fn the_example_of_the_documentation() {
    let text = "rose red -dog \"new york\" tag:garden by:\"U-EET\" color:#c8102e color:red@center texture:47 shape:12 \
                site:example.org type:detail comments:>5 date:2024..";
    let printed = text.replace("\"U-EET\"", "U-EET");
    check(text, &printed);
    let query = Query::parse(text).unwrap();
    let clauses = query.clauses();
    assert_eq!(clauses.len(), 14);
    assert_eq!(clauses[2], (&Clause::Text { field: None, text: "dog".to_owned() }, false));
    assert_eq!(clauses[3], (&Clause::Text { field: None, text: "new york".to_owned() }, true));
    let center = Region::named("center");
    assert_eq!(clauses[7].0, &Clause::Colour { colour: Colour::Named("red"), region: center });
}

#[test]
fn groups_have_one_form() {
    check("", "");
    check("  \t ", "");
    check("a", "a");
    check("((a))", "a");
    check("(a b) c", "a b c");
    check("a AND b", "a b");
    check("a OR b c", "a OR b c");
    check("(a OR b) c", "(a OR b) c");
    check("a OR (b OR c)", "a OR b OR c");
    check("--a", "a");
    check("-(a b)", "-(a b)");
    check("-(a OR -b)c", "-(a OR -b) c");
    check("a(b)", "a b");
    check("Color:Dark_Red", "color:dark-red");
    check("colour:7@R5", "color:7@center");
    check("\"OR\" \"-x\" \"a:b\" \"\\\"\\\\\"", "\"OR\" \"-x\" \"a:b\" \"\\\"\\\\\"");
    check("rock'n'roll a@b.c #tag", "rock'n'roll a@b.c #tag");
    check("comments:>=5 size:..10 relevance:0.5..1", "comments:5.. size:..10 relevance:0.5..1");
    check("site:Example.ORG kind:page", "site:example.org kind:page");
    check("玫瑰 tag:红", "玫瑰 tag:红");
    check(
        "rose^2 (a OR b)^0.5 \"new york\"^3 color:red@center^1.5",
        "rose^2 (a OR b)^0.5 \"new york\"^3 color:red@center^1.5",
    );
    check("a^1 (b^2)^3 -c^2 (-d)^2", "a b^6 -c -d");
    check("(a^100)^100 (b c)^2 d", "a^100 (b c)^2 d");
    check("\"x^2\"", "\"x^2\"");
}

#[test]
fn refusals_point_and_say_what_was_expected() {
    let weight = "a weight from 0.01 to 100, such as `rose^2`; words with `^` go in quotes";
    refuse("rose^", &format!("character 6: expected {weight}, found the end"));
    refuse("rose^0 x", &format!("character 6: expected {weight}, found `0`"));
    refuse("rose^NaN", &format!("character 6: expected {weight}, found `NaN`"));
    refuse("^_^", "character 1: expected a word, a field, `-` or `(`, found `^`");
    refuse("(a", "character 3: expected `)`, found the end");
    refuse("a)", "character 2: expected a word or the end, found `)`");
    refuse("()", "character 2: expected a word, a field, `-` or `(`, found `)`");
    refuse("a OR", "character 5: expected a word, a field, `-` or `(`, found the end");
    refuse("OR a", "character 1: expected a word, a field, `-` or `(`, found `OR`");
    refuse("a - b", "character 4: expected a word right behind `-`, found ` `");
    refuse("\"a", "character 3: expected `\"` that ends the words in quotes, found the end");
    refuse("x \"\"", "character 3: expected words between the quotes, found `\"\"`");
    refuse("tag:", "character 5: expected a word, or words in quotes, found the end");
    refuse("tga:x", "character 1: expected a field (did you mean `tag:`?), found `tga:`");
    refuse(
        "comments:many",
        "character 10: expected a number or a range such as `5`, `>5`, `2..7` or `2..`, found `many`",
    );
    refuse("kind:", "character 6: expected `record` or `page`, found the end");
    refuse("a type:List", "character 8: expected `list`, `detail`, `profile` or `other`, found `List`");
    refuse("texture:300", "character 9: expected the number of a texture word, from 0 to 255, found `300`");
    refuse(
        "color:red@corner",
        "character 11: expected a region: `center`, `top`, `top-left`, ..., or `r1` to `r9`, found `corner`",
    );
    let error = Query::parse("http://a.example/").unwrap_err();
    assert!(error.expected.ends_with("words with a colon go in quotes"), "{error}");
    let error = Query::parse("rose color:blurple").unwrap_err();
    assert_eq!(error.pointer("rose color:blurple"), "rose color:blurple\n           ^");
}

#[test]
fn queries_are_bounded() {
    let check = |text: String, expect: &str| {
        let error = Query::parse(&text).unwrap_err();
        assert!(error.to_string().contains(expect), "{error}");
        assert!(error.to_string().len() < 200, "{error}");
    };
    check("x".repeat(1 << 20), "at most 65536 bytes, found 1048576 bytes");
    check("x ".repeat(5000), "at most 1024 conditions");
    check("(".repeat(5000), "at most 64 parentheses");
    check("-".repeat(5000), "at most 64 parentheses");
    let longest = "y".repeat(MAX_BYTES);
    assert_eq!(Query::parse(&longest), Ok(Query::text(None, longest.clone())));
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zé玫0-9]{1,8}",
        Just("OR".to_owned()),
        Just("-x".to_owned()),
        "[ -~]{1,12}".prop_filter("words", |text| !text.trim().is_empty()),
    ]
}

fn clause() -> impl Strategy<Value = Clause> {
    let region = prop_oneof![Just(None), (0usize..9).prop_map(Region::new)];
    let colour = prop_oneof![
        any::<u8>().prop_map(Colour::Word),
        any::<[u8; 3]>().prop_map(Colour::Rgb),
        (0..osprey_vision::colour::NAMES.len())
            .prop_map(|i| Colour::Named(osprey_vision::colour::NAMES[i].0)),
    ];
    let field = prop_oneof![Just(None), prop::sample::select(&TextField::ALL[..]).prop_map(Some)];
    let number = (0u32..100_000).prop_map(|number| f64::from(number) / 8.0);
    let range = (number.clone(), number, 0..6).prop_map(|(low, high, kind)| match kind {
        0 => Range::Exactly(low),
        1 => Range::Above(low),
        2 => Range::AtLeast(low),
        3 => Range::Below(low),
        4 => Range::AtMost(low),
        _ => Range::Between(low, high),
    });
    let date = "[12][0-9]{3}(-(0[1-9]|1[0-2])(-[012][1-8])?)?".prop_map(|text| Date::parse(&text).unwrap());
    prop_oneof![
        4 => (field, word()).prop_map(|(field, text)| Clause::Text { field, text }),
        2 => (colour, region.clone()).prop_map(|(colour, region)| Clause::Colour { colour, region }),
        1 => (any::<u8>(), region.clone()).prop_map(|(word, region)| Clause::Texture { word, region }),
        1 => (any::<u8>(), region).prop_map(|(word, region)| Clause::Shape { word, region }),
        1 => "[a-z0-9][a-z0-9.-]{0,12}".prop_map(Clause::Site),
        1 => prop::sample::select(&osprey_model::PageType::ALL[..]).prop_map(Clause::Type),
        1 => prop::sample::select(&DocumentKind::ALL[..]).prop_map(Clause::Kind),
        1 => (prop::sample::select(&NumberField::ALL[..]), range)
            .prop_map(|(field, range)| Clause::Number { field, range }),
        1 => date.prop_map(|date| Clause::Date(Range::AtLeast(date))),
    ]
}

fn query() -> impl Strategy<Value = Query> {
    clause().prop_map(Query::Clause).prop_recursive(5, 40, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..5).prop_map(Query::and),
            prop::collection::vec(inner.clone(), 1..5).prop_map(Query::or),
            inner.clone().prop_map(Query::not),
            (inner, 1u16..10_000)
                .prop_map(|(inner, weight)| Query::weighted(inner, f32::from(weight) / 100.0)),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn a_printed_query_reads_as_itself(query in query()) {
        let text = query.to_string();
        prop_assert_eq!(Query::parse(&text), Ok(query), "{}", text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn any_text_is_a_query_or_a_refusal(
        text in prop_oneof![any::<String>(), "([a-z\"():@#.0-9><=^-]|OR |color:|texture:|date:|comments:|  ){0,40}"],
    ) {
        match Query::parse(&text) {
            Ok(query) => prop_assert_eq!(Query::parse(&query.to_string()), Ok(query)),
            Err(error) => {
                prop_assert!(text.is_char_boundary(error.position) && !error.pointer(&text).is_empty());
            }
        }
    }
}
