//! The report as a whole: well-formed, the same each time, unharmed by hostile labels and broken numbers.

use proptest::prelude::*;
use quick_xml::Reader;
use quick_xml::events::Event;

use super::*;

/// Parses a page as XML, counts its elements, and fails on anything that is not well-formed.
fn elements(page: &str) -> usize {
    let mut reader = Reader::from_str(page);
    reader.config_mut().check_end_names = true;
    let (mut depth, mut count) = (0_usize, 0);
    loop {
        match reader.read_event() {
            Ok(Event::Start(start)) => {
                assert!(start.attributes().all(|attribute| attribute.is_ok()));
                depth += 1;
                count += 1;
            }
            Ok(Event::Empty(empty)) => {
                assert!(empty.attributes().all(|attribute| attribute.is_ok()));
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
    let point = |place| CurvePoint {
        x: at(place),
        mean: at(place + 1),
        low: Some(at(place + 2)),
        high: Some(at(place)),
    };
    let axes = || [Axis::linear(name()), Axis::log(name()).reaching(at(0), at(1))];
    let mut blocks = vec![
        Block::Table(Table::new(name(), [name(), name()]).row([name().into(), at(0).into()])),
        Block::note(name()),
        Block::Graph(GraphPlot {
            title: name(),
            weight_title: name(),
            nodes: (0..3).map(|place| Node { name: name(), kind: name(), size: at(place) }).collect(),
            edges: (0..4).map(|place| Edge { from: place, to: place / 2, weight: at(place) }).collect(),
        }),
    ];
    for axis in axes() {
        let series = Series { name: name(), points: (0..4).map(point).collect() };
        blocks.push(Block::Curves(CurvePlot {
            title: name(),
            x: axis.clone(),
            y: axis.clone(),
            series: vec![series; 12],
        }));
        let bar = Bar { name: name(), mean: at(0), low: Some(at(1)), high: Some(at(2)) };
        let group = BarGroup { name: name(), bars: vec![bar; 2] };
        blocks.push(Block::Bars(BarPlot { title: name(), axis: axis.clone(), groups: vec![group] }));
        let dots = (0..3).map(|place| Dot { x: at(place), y: at(place + 1), label: Some(name()) }).collect();
        let series = vec![ScatterSeries { name: name(), dots }];
        blocks.push(Block::Scatter(ScatterPlot { title: name(), x: axis.clone(), y: axis, series }));
    }
    let section = Section { title: name(), text: format!("{label}\n\n{label}"), blocks };
    Report { title: name(), about: vec![name()], facts: vec![(name(), name())], sections: vec![section; 3] }
}

#[test]
fn a_page_is_well_formed_and_asks_for_nothing() {
    let page = to_html(&report_with("best-first", &[1.0, 2.0, 3.0]));
    assert!(elements(&page) > 300);
    for forbidden in ["<script", "<link", "<img", "http://", "https://", "url(", "@import"] {
        assert!(!page.contains(forbidden), "`{forbidden}`");
    }
}

#[test]
fn hostile_labels_stay_text() {
    let check = |label: &str| {
        let page = to_html(&report_with(label, &[1.0, 2.0]));
        assert_eq!(elements(&page), elements(&to_html(&report_with("plain", &[1.0, 2.0]))), "`{label}`");
        assert!(!page.contains("<script"), "`{label}`");
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
        let page = to_html(&report_with("a", values));
        elements(&page);
        assert!(!page.contains("NaN") && !page.contains("inf\"") && !page.contains("inf "), "{values:?}");
    };
    check(&[f64::NAN]);
    check(&[f64::INFINITY, f64::NEG_INFINITY]);
    check(&[f64::MAX, f64::MIN, 0.0]);
    check(&[f64::MIN_POSITIVE, 1e-320, 0.0]);
    check(&[]);
}

#[test]
fn an_empty_report_is_a_page() {
    assert!(elements(&to_html(&Report::default())) > 5);
    let blocks = vec![
        Block::Table(Table::default()),
        Block::Curves(CurvePlot::default()),
        Block::Bars(BarPlot::default()),
        Block::Scatter(ScatterPlot::default()),
        Block::Graph(GraphPlot::default()),
        Block::note(""),
    ];
    let page =
        to_html(&Report { sections: vec![Section { blocks, ..Section::default() }], ..Report::default() });
    elements(&page);
    assert_eq!(page.matches("no data").count(), 7, "three plots twice, and the graph");
}

#[test]
fn json_goes_there_and_back() {
    for values in [&[0.1, 2.5e-7, 1e6][..], &[f64::NAN, 1.0, f64::INFINITY]] {
        let report = report_with("篮球 & more", values);
        let json = serde_json::to_string(&report).expect("plain data");
        let back: Report = serde_json::from_str(&json).expect("what was written");
        assert!(to_html(&back) == to_html(&report), "{values:?}");
        assert_eq!(report_to_text(&back), report_to_text(&report));
    }
}

#[test]
fn a_report_can_be_written_by_hand() {
    let json = r#"{"title": "t", "sections": [{"title": "s", "blocks": [
        {"kind": "note", "text": "n"},
        {"kind": "curves", "title": "c", "x": {"title": "pages", "scale": "log"}, "y": {"title": "harvest"},
         "series": [{"name": "a", "points": [{"x": 1, "mean": 0.5}, {"x": 10, "mean": null}]}]}]}]}"#;
    let report: Report = serde_json::from_str(json).expect("a report");
    assert!(to_html(&report).contains("harvest"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_report_is_well_formed(label in any::<String>(), bits in prop::collection::vec(any::<u64>(), 0..6)) {
        let values: Vec<f64> = bits.into_iter().map(f64::from_bits).collect();
        let report = report_with(&label, &values);
        let page = to_html(&report);
        elements(&page);
        prop_assert_eq!(page, to_html(&report), "the same each time");
    }
}
