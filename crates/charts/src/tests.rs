//! Complete reports and drawings: well-formed, the same each time, safe against hostile labels and broken numbers.

use proptest::prelude::*;
use quick_xml::Reader;
use quick_xml::events::Event;

use super::*;

/// Counts the elements of an SVG file or of a page's body, and fails on anything that is not well-formed XML.
fn elements(markup: &str) -> usize {
    let body = markup.find("<body").and_then(|from| markup.get(from..)?.strip_suffix("</html>\n"));
    let mut reader = Reader::from_str(body.unwrap_or(markup));
    reader.config_mut().check_end_names = true;
    let (mut depth, mut count) = (0_usize, 0);
    loop {
        match reader.read_event() {
            Ok(Event::Start(start)) => {
                assert!(start.attributes().all(|attribute| attribute.is_ok()));
                depth += 1;
                count += 1;
            }
            Ok(Event::End(_)) => depth -= 1,
            Ok(Event::Eof) => break,
            Ok(_) => {}
            Err(error) => panic!("at {}: {error}", reader.error_position()),
        }
    }
    assert_eq!(depth, 0, "elements left open");
    count
}

/// A report with one of everything, all labels and numbers from outside.
fn report_with(label: &str, values: &[f64]) -> Report {
    let name = || label.to_owned();
    let at = |place: usize| values.get(place % values.len().max(1)).copied().unwrap_or(f64::NAN);
    let estimate = |place: usize| Estimate { mean: at(place), half: Some(at(place + 1)) };
    let mut blocks = vec![
        Block::Table(Table::new(name(), [name(), name()]).row([name().into(), at(0).into()])),
        Block::note(name()),
    ];
    for axis in [Axis::linear(name()), Axis::log(name())] {
        let series = Series::new(name(), (0..4).map(|place| CurvePoint::new(at(place), estimate(place + 1))));
        let series = vec![series; 12];
        blocks.push(Block::Curves(CurvePlot { title: name(), x: axis.clone(), y: axis.clone(), series }));
        let group = BarGroup { name: name(), bars: vec![Bar::new(name(), Some(estimate(0))); 2] };
        blocks.push(Block::Bars(BarPlot { title: name(), axis, groups: vec![group] }));
    }
    let section = Section { title: name(), text: format!("{label}\n\n{label}"), blocks };
    Report { title: name(), about: vec![name()], facts: vec![(name(), name())], sections: vec![section; 3] }
}

/// A graph of the same kind.
fn graph_with(label: &str, values: &[f64]) -> GraphPlot {
    let at = |place: usize| values.get(place % values.len().max(1)).copied().unwrap_or(f64::NAN);
    let node = |place| Node { name: label.to_owned(), kind: label.to_owned(), size: at(place) };
    GraphPlot {
        title: label.to_owned(),
        nodes: (0..3).map(node).collect(),
        edges: (0..4).map(|place| Edge { from: place, to: place / 2, weight: at(place) }).collect(),
    }
}

#[test]
fn a_page_is_well_formed_and_loads_nothing() {
    let page = to_html(&report_with("best-first", &[1.0, 2.0, 3.0]));
    assert!(elements(&page) > 300);
    for forbidden in ["<script", "<link", "<img", "http://", "https://", "url(", "@import", " style="] {
        assert!(!page.contains(forbidden), "`{forbidden}`");
    }
}

#[test]
fn hostile_labels_stay_text() {
    let both =
        |label: &str| [to_html(&report_with(label, &[1.0, 2.0])), graph_with(label, &[1.0, 2.0]).to_svg()];
    let check = |label: &str| {
        for (got, plain) in both(label).iter().zip(both("plain")) {
            assert_eq!(elements(got), elements(&plain), "`{label}`");
            assert!(!got.contains("<script") && !got.contains(['\u{0}', '\u{1b}', '\u{202e}']), "`{label}`");
        }
    };
    check("<script>alert(1)</script>");
    check("</title></svg><b>");
    check("\"><i x='");
    check("]]> <!-- & &#0; --");
    check("a\u{0}b\u{8}\u{1b}[31m\u{ffff}\u{202e}");
}

#[test]
fn broken_numbers_do_not_show() {
    let check = |values: &[f64]| {
        for markup in [to_html(&report_with("a", values)), graph_with("a", values).to_svg()] {
            elements(&markup);
            let is_broken = ["NaN", "inf\"", "inf "].iter().any(|word| markup.contains(word));
            assert!(!is_broken, "{values:?}");
        }
    };
    check(&[f64::NAN]);
    check(&[f64::INFINITY, f64::NEG_INFINITY]);
    check(&[f64::MAX, f64::MIN, 0.0]);
    check(&[f64::MIN_POSITIVE, 1e-320, 0.0]);
    check(&[]);
}

#[test]
fn an_empty_report_is_a_page() {
    assert!(elements(&to_html(&Report::default())) > 3);
    let blocks = vec![
        Block::Table(Table::default()),
        Block::Curves(CurvePlot::default()),
        Block::Bars(BarPlot::default()),
        Block::note(""),
    ];
    let sections = vec![Section { blocks, ..Section::default() }];
    let page = to_html(&Report { sections, ..Report::default() });
    elements(&page);
    assert_eq!(page.matches("no data").count(), 4, "two plots, each for a wide and a narrow screen");
    assert!(GraphPlot::default().to_svg().contains("no data"));
}

#[test]
fn what_is_not_finite_is_null_in_json() {
    let report = report_with("a", &[f64::NAN, f64::INFINITY]);
    let json = serde_json::to_value(&report).expect("plain data");
    let block = &json["sections"][0]["blocks"][2];
    assert_eq!((&block["kind"], &block["x"]["scale"]), (&"curves".into(), &"linear".into()));
    let point = serde_json::json!({"x": null, "mean": null, "half": null});
    assert_eq!(block["series"][0]["points"][0], point);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_report_is_well_formed(label in any::<String>(), bits in prop::collection::vec(any::<u64>(), 0..6)) {
        let values: Vec<f64> = bits.into_iter().map(f64::from_bits).collect();
        let report = report_with(&label, &values);
        let page = to_html(&report);
        elements(&page);
        elements(&graph_with(&label, &values).to_svg());
        prop_assert_eq!(page, to_html(&report), "the same each time");
    }
}
