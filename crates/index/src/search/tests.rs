//! Searches over small indexes: what matches, in which order, and why.

use osprey_model::PageType;
use osprey_vision::{Bag, Codebook, Dominant, Placed, Words};
use tempfile::TempDir;

use super::*;
use crate::document::{Document, DocumentKind, Picture};
use crate::query::{Colour, Day};
use crate::writer::WriterOptions;

/// An index of documents, committed in two halves so that there are several segments.
fn index(documents: &[Document]) -> (TempDir, Searcher) {
    let folder = tempfile::tempdir().unwrap();
    let index = Index::open(folder.path(), Codebook::embedded()).unwrap();
    let mut writer = index.writer(&WriterOptions { threads: 1, ..WriterOptions::default() }).unwrap();
    let (one, two) = documents.split_at(documents.len() / 2);
    for half in [one, two] {
        half.iter().for_each(|document| writer.put(document).unwrap());
        writer.commit(None).unwrap();
    }
    let searcher = index.searcher().unwrap();
    (folder, searcher)
}

fn document(name: &str, title: &str, tags: &[&str]) -> Document {
    Document {
        url: format!("http://photos.example/{name}"),
        title: title.to_owned(),
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        site: "photos.example".to_owned(),
        ..Document::default()
    }
}

fn names(results: &Results) -> Vec<&str> {
    results.hits.iter().map(|hit| hit.url.rsplit('/').next().unwrap()).collect()
}

fn search(searcher: &Searcher, query: &str) -> Results {
    let results =
        searcher.search(&Request { query: Query::parse(query).unwrap(), ..Request::default() }).unwrap();
    for hit in &results.hits {
        let sum: f32 = hit.parts.iter().map(|part| part.score).sum();
        assert!((sum - hit.score).abs() < 1e-5, "{query}: {hit:?}");
    }
    results
}

/// Checks the names of the documents that a query finds, in any order.
fn check(searcher: &Searcher, query: &str, expect: &[&str]) {
    let results = search(searcher, query);
    let mut found = names(&results);
    found.sort_unstable();
    assert_eq!(found, expect, "{query}");
    assert_eq!(results.total, expect.len() as u64, "{query}");
}

/// Checks the names of the documents that a query finds, best first.
fn check_order(searcher: &Searcher, query: &str, expect: &[&str]) {
    assert_eq!(names(&search(searcher, query)), expect, "{query}");
}

fn gardens() -> Vec<Document> {
    vec![
        Document {
            comments: 10,
            date: Day::parse("2024-05-17"),
            ..document("a", "Red roses", &["garden", "flower"])
        },
        Document {
            description: "A rose in New York".to_owned(),
            uploader: "U-EET".to_owned(),
            date: Day::parse("2023-12-31"),
            ..document("b", "Window", &["city", "York"])
        },
        Document {
            page_type: PageType::Detail,
            kind: DocumentKind::Record,
            ..document("c", "Hot dog", &["food", "red"])
        },
        Document { site: "other.org".to_owned(), ..document("d", "Dogs and roses", &["new", "dog"]) },
        Document {
            text: "café 玫瑰 花园".to_owned(),
            similarity: Some(0.5),
            ..document("e", "", &["garden"])
        },
    ]
}

#[test]
fn words_fields_and_groups() {
    let (_folder, searcher) = index(&gardens());
    check(&searcher, "", &["a", "b", "c", "d", "e"]);
    check(&searcher, "rose", &["a", "b", "d"]);
    check(&searcher, "ROSES -dog", &["a", "b"]);
    check(&searcher, "-dog", &["a", "b", "e"]);
    check(&searcher, "rose dog", &["d"]);
    check(&searcher, "window OR food", &["b", "c"]);
    check(&searcher, "(rose OR food) red", &["a", "c"]);
    check(&searcher, "\"new york\"", &["b"]);
    check(&searcher, "\"york new\"", &[]);
    check(&searcher, "title:rose", &["a", "d"]);
    check(&searcher, "tag:red", &["c"]);
    check(&searcher, "by:\"u eet\"", &["b"]);
    check(&searcher, "by:U-EET rose", &["b"]);
    check(&searcher, "cafe", &["e"]);
    check(&searcher, "玫瑰", &["e"]);
    check(&searcher, "the rose", &["a", "b", "d"]);
    check(&searcher, "site:example", &["a", "b", "c", "e"]);
    check(&searcher, "site:other.org", &["d"]);
    check(&searcher, "type:detail", &["c"]);
    check(&searcher, "kind:record", &["c"]);
    check(&searcher, "comments:>5", &["a"]);
    check(&searcher, "comments:..5", &["b", "c", "d", "e"]);
    check(&searcher, "similarity:0.5", &["e"]);
    check(&searcher, "date:2024..", &["a"]);
    check(&searcher, "date:2023", &["b"]);
    check(&searcher, "date:<2023-12-31", &[]);
    check(&searcher, "octopus", &[]);
    assert_eq!(search(&searcher, "the").ignored, ["the"]);
}

#[test]
fn updates_replace_and_deletes_remove() {
    let folder = tempfile::tempdir().unwrap();
    let index = Index::open(folder.path(), Codebook::embedded()).unwrap();
    let mut writer = index.writer(&WriterOptions::default()).unwrap();
    writer.put(&document("a", "rose", &[])).unwrap();
    writer.put(&document("a", "tulip", &[])).unwrap();
    writer.put(&document("b", "rose", &[])).unwrap();
    writer.commit(Some("visit 2")).unwrap();
    assert_eq!(index.checkpoint().unwrap().as_deref(), Some("visit 2"));
    let before = index.searcher().unwrap();
    check(&before, "rose", &["b"]);
    check(&before, "tulip", &["a"]);
    writer.put(&document("b", "daisy", &[])).unwrap();
    writer.delete("http://photos.example/a");
    check(&index.searcher().unwrap(), "rose", &["b"]);
    writer.commit(None).unwrap();
    check(&before, "rose", &["b"]);
    let after = index.searcher().unwrap();
    check(&after, "rose OR tulip OR daisy", &["b"]);
    assert_eq!(after.len(), 1);
    assert!(matches!(after.words("http://photos.example/a"), Err(IndexError::NotIndexed(_))));
    let url = "x".repeat(10_000);
    assert!(matches!(writer.put(&Document { url, ..Document::default() }), Err(IndexError::Url(10_000))));
}

/// One title, three documents: all numbers of the formula can be computed by hand.
#[test]
fn bm25f_by_hand() {
    let (_folder, searcher) = index(&[
        document("a", "rose", &[]),
        document("b", "rose garden", &[]),
        document("c", "garden", &["rose"]),
    ]);
    let results = search(&searcher, "rose");
    assert_eq!(names(&results), ["a", "b", "c"]);
    // the title's mean length is 4/3; a: 2 / (0.25 + 0.75 / (4/3)) = 2.4615; the weight of the only word is 1
    let score = |frequency: f32| frequency / (1.2 + frequency);
    let expect = [score(2.0 / (0.25 + 0.75 * 0.75)), score(2.0 / (0.25 + 0.75 * 1.5)), score(1.0)];
    for (hit, expect) in results.hits.iter().zip(expect) {
        assert!((hit.score - expect).abs() < 1e-4, "{} is not {expect}", hit.score);
    }
}

#[test]
fn equation_21_of_zhang_2008_by_hand() {
    let documents = [
        Document { comments: 3, similarity: Some(0.5), ..document("a", "rose", &[]) },
        Document { comments: 1, similarity: Some(1.0), ..document("b", "rose rose garden wall", &[]) },
        Document { comments: 2, ..document("c", "garden", &["rose"]) },
        document("d", "dog", &[]),
    ];
    let (_folder, searcher) = index(&documents);
    let request =
        Request { query: Query::parse("rose").unwrap(), ranking: Ranking::Classic, ..Request::default() };
    let results = searcher.search(&request).unwrap();
    // title: df 2, idf ln(1 + 4/3); tag: df 1, idf ln(1 + 4/2); queryNorm 1/sqrt(idf_title^2 + idf_tag^2)
    let (title, tag) = ((1.0f32 + 4.0 / 3.0).ln(), 3.0f32.ln());
    let norm = 1.0 / (title * title + tag * tag).sqrt();
    // comments: mean 6/4, so (n + 1) / 2.5; profiles: mean 0.75 for c
    let a = norm * title * title * 2.0 * (4.0 / 2.5) * 0.5;
    let b = norm * 2.0f32.sqrt() * title * title * 2.0 / 2.0 * (2.0 / 2.5) * 1.0;
    let c = norm * tag * tag * (3.0 / 2.5) * 0.75;
    let mut expect = [("a", a), ("b", b), ("c", c)];
    expect.sort_by(|a, b| b.1.total_cmp(&a.1));
    assert_eq!(names(&results), expect.map(|(name, _)| name));
    for (hit, (name, score)) in results.hits.iter().zip(expect) {
        assert!((hit.score - score).abs() < 1e-4, "{name}: {} is not {score}", hit.score);
        assert!((hit.parts.iter().map(|part| part.score).sum::<f32>() - hit.score).abs() < 1e-6);
    }
}

fn bag(words: &[(u8, f32)]) -> Bag {
    let mut amounts = [0.0; 256];
    words.iter().for_each(|(word, share)| amounts[usize::from(*word)] += *share);
    Bag::new(&amounts)
}

/// A picture given by the colour of each region: each region has one word only, and the whole is their mean.
fn picture(regions: [u8; 9], texture: u8) -> Words {
    let whole: Vec<(u8, f32)> = regions.iter().map(|word| (*word, 1.0)).collect();
    let placed = Placed { whole: bag(&whole), regions: regions.map(|word| bag(&[(word, 1.0)])) };
    Words {
        codebook: Codebook::embedded().id(),
        size: (300, 300),
        colours: placed,
        textures: Placed { whole: bag(&[(texture, 3.0), (texture + 1, 1.0)]), ..Placed::default() },
        tiles: [60, 20, 10],
        dominant: vec![Dominant { name: "red".to_owned(), colour: [200, 0, 0], per_cent: 80 }],
        ..Words::default()
    }
}

fn pictured(name: &str, words: Words) -> Document {
    let url = format!("http://photos.example/{name}.jpg");
    let picture = Picture { url, thumbnail: format!("thumbs/{name}.jpg"), words };
    Document { picture: Some(picture), ..document(name, "picture", &[]) }
}

#[test]
fn colours_textures_and_places() {
    let all = |word| [word; 9];
    let (_folder, searcher) = index(&[
        pictured("all", picture(all(10), 40)),
        pictured("middle", picture([20, 20, 20, 20, 10, 20, 20, 20, 20], 40)),
        pictured("corner", picture([10, 20, 20, 20, 20, 20, 20, 20, 20], 60)),
        pictured("none", picture(all(20), 60)),
        document("text", "no picture", &[]),
    ]);
    let find = |query: &str| {
        let query = Query::parse(query).unwrap();
        let request = Request { query, expand: false, ..Request::default() };
        let results = searcher.search(&request).unwrap();
        results
            .hits
            .iter()
            .map(|hit| (hit.url.rsplit('/').next().unwrap().to_owned(), hit.score))
            .collect::<Vec<_>>()
    };
    let check = |query: &str, expect: &[(&str, f32)]| {
        let found = find(query);
        assert_eq!(found.len(), expect.len(), "{query}: {found:?}");
        for ((name, score), (expected, value)) in found.iter().zip(expect) {
            assert_eq!(name, expected, "{query}: {found:?}");
            assert!((score - value).abs() < 0.02, "{query}: {score} is not {value}");
        }
    };
    // wanted: half of the picture; the boosts of the nine regions add up to 1 + 4/2 + 4/3 = 13/3
    let (middle, corner) = ((2.0 * 3.0 / 13.0f32).sqrt(), (2.0 / 13.0f32).sqrt());
    check("color:10", &[("all", 1.0), ("middle", middle), ("corner", corner)]);
    check("color:10@center", &[("all", 1.0), ("middle", 1.0)]);
    check("color:10@top-left", &[("all", 1.0), ("corner", 1.0)]);
    check("color:10@r9 -color:20", &[("all", 1.0)]);
    check("color:20 -color:10", &[("none", 1.0)]);
    // three quarters of the tiles have the texture, half of them are wanted
    check("texture:40 color:10@center", &[("all", 1.0), ("middle", 1.0)]);
    check("texture:61 color:10", &[("corner", 0.5 * (2.0 / 13.0f32 * 1.5).sqrt() + 0.5 * 0.75)]);
    check("picture color:10@top-left texture:60", &[("corner", 2.0 * 0.5 + text_of(&searcher))]);
    assert!(matches!(
        searcher.search(&Request { query: Query::parse("color:200").unwrap(), ..Request::default() }),
        Err(IndexError::Clause { .. })
    ));
}

/// The score of `picture` where it is the title of four of five documents.
fn text_of(searcher: &Searcher) -> f32 {
    let results = search(searcher, "title:picture");
    results.hits.iter().find(|hit| hit.url.ends_with("corner")).unwrap().score
}

/// Parts with a larger weight come first, in both rankings, and a word's weight counts beside a colour.
#[test]
fn weights_move_the_order() {
    let (_folder, searcher) = index(&[document("rose", "rose", &[]), document("tulip", "tulip", &[])]);
    for ranking in [Ranking::Osprey, Ranking::Classic] {
        let best = |query: &str| {
            let request = Request { query: Query::parse(query).unwrap(), ranking, ..Request::default() };
            let results = searcher.search(&request).unwrap();
            (names(&results)[0].to_owned(), results.hits[0].score / results.hits[1].score)
        };
        let (name, ratio) = best("rose OR tulip^3");
        assert_eq!((name.as_str(), (ratio - 3.0).abs() < 1e-3), ("tulip", true), "{ranking:?} {ratio}");
        let (name, ratio) = best("rose^4 OR tulip^2");
        assert_eq!((name.as_str(), (ratio - 2.0).abs() < 1e-3), ("rose", true), "{ranking:?} {ratio}");
    }
    let score = |query: &str| search(&searcher, query).hits[0].score;
    assert!((score("rose^2") / score("rose") - 2.0).abs() < 1e-3);
}

/// A word in a tag or a title comes before a picture that only has much of the colour, whose shades and ten fields do
/// not add up; of equal words, the one with more of the colour comes first.
#[test]
fn colours_do_not_drown_words_in_ranking_classic() {
    let blue = Colour::Named("blue");
    let palette = Palette::new(&Codebook::embedded());
    let shades = palette.colour(&Codebook::embedded(), blue, true).unwrap();
    assert!(shades.len() > 4, "{shades:?}");
    let (blue, other) = (shades[0].0, (0..=127).find(|word| shades.iter().all(|(s, _)| s != word)).unwrap());
    let tagged = |name: &str, words: Words| Document {
        tags: vec!["beach".to_owned(), "sand".to_owned()],
        ..pictured(name, words)
    };
    let some = std::array::from_fn(|place| if place == 4 { blue } else { other });
    let shaded = std::array::from_fn(|place| shades[place % shades.len()].0);
    let (_folder, searcher) = index(&[
        tagged("word", picture([other; 9], 40)),
        tagged("both", picture(some, 40)),
        pictured("blue", picture([blue; 9], 40)),
        pictured("blue2", picture([blue; 9], 40)),
        pictured("shades", picture(shaded, 40)),
        pictured("neither", picture([other; 9], 40)),
        document("text", "something else", &[]),
    ]);
    let query = Query::parse("beach OR color:blue").unwrap();
    let request = Request { query, ranking: Ranking::Classic, ..Request::default() };
    let results = searcher.search(&request).unwrap();
    let found = names(&results);
    assert_eq!(found[..2], ["both", "word"], "{found:?}");
    assert_eq!(results.total, 5);
}

#[test]
fn minus_tests_the_amount() {
    let little = Words {
        colours: Placed {
            whole: bag(&[(10, 0.03), (20, 0.97)]),
            regions: std::array::from_fn(|_| bag(&[(10, 0.03), (20, 0.97)])),
        },
        ..picture([20; 9], 40)
    };
    let (_folder, searcher) = index(&[pictured("little", little), pictured("much", picture([10; 9], 40))]);
    let find = |query: &str, ranking| {
        let query = Query::parse(query).unwrap();
        let request = Request { query, ranking, expand: false, ..Request::default() };
        let mut found: Vec<String> =
            names(&searcher.search(&request).unwrap()).iter().map(|name| (*name).to_owned()).collect();
        found.sort();
        found
    };
    // a thirtieth of the picture has the colour, which does not exclude it
    assert_eq!(find("color:10", Ranking::Osprey), ["little", "much"]);
    assert_eq!(find("-color:10", Ranking::Osprey), ["little"]);
}

#[test]
fn pictures_like_a_picture() {
    let regions = |words: [u8; 9]| words;
    let documents = [
        pictured("same", picture(regions([1, 1, 1, 2, 2, 2, 3, 3, 3]), 40)),
        pictured("near", picture(regions([1, 1, 1, 2, 2, 2, 4, 4, 4]), 40)),
        pictured("far", picture(regions([90; 9]), 100)),
        Document { tags: vec!["sea".to_owned()], ..pictured("sea", picture(regions([1; 9]), 40)) },
        document("text", "no picture", &[]),
    ];
    let (_folder, searcher) = index(&documents);
    let example = picture(regions([1, 1, 1, 2, 2, 2, 3, 3, 3]), 40);
    for like_mode in [LikeMode::Words, LikeMode::Every] {
        let request = Request { like: Some(Like::Picture(&example)), like_mode, ..Request::default() };
        let results = searcher.search(&request).unwrap();
        assert_eq!(names(&results)[..3], ["same", "near", "sea"], "{like_mode:?}");
        let best = &results.hits[0];
        assert!((best.score - 1.0).abs() < 0.02 && best.parts[0].name == "like", "{best:?}");
        let with_query = Request { query: Query::parse("tag:sea").unwrap(), ..request };
        let results = searcher.search(&with_query).unwrap();
        assert_eq!(names(&results), ["sea"]);
        assert_eq!(results.hits[0].parts.len(), 2);
    }
    let other = Words { codebook: 1, ..example.clone() };
    let request = Request { like: Some(Like::Picture(&other)), ..Request::default() };
    assert!(matches!(searcher.search(&request), Err(IndexError::Codebook { .. })));
    let request =
        Request { like: Some(Like::Picture(&example)), ranking: Ranking::Classic, ..Request::default() };
    let mut found = names(&searcher.search(&request).unwrap()).len();
    assert_eq!(found, 3);
    let request = Request { like: Some(Like::Document("http://photos.example/same")), ..Request::default() };
    let results = searcher.search(&request).unwrap();
    found = names(&results).iter().filter(|name| **name == "same").count();
    assert_eq!((found, names(&results)[0]), (0, "near"));
}

#[test]
fn more_like_a_text() {
    let documents = [
        Document {
            description: "Tulips and windmills by a canal".to_owned(),
            ..document("a", "Holland", &["tulip"])
        },
        document("b", "Windmill", &["tulip", "canal"]),
        document("c", "Canal", &["city"]),
        document("d", "Dog", &["city"]),
    ];
    let (_folder, searcher) = index(&documents);
    let request = Request { like: Some(Like::Document("http://photos.example/a")), ..Request::default() };
    assert_eq!(names(&searcher.search(&request).unwrap()), ["b", "c"]);
}

#[test]
fn pages_neither_overlap_nor_skip() {
    let documents: Vec<Document> =
        (0..57).map(|number| document(&format!("{number:02}"), "tulip", &[])).collect();
    let (_folder, searcher) = index(&documents);
    let mut seen = Vec::new();
    for offset in (0..60).step_by(10) {
        let request =
            Request { query: Query::parse("tulip").unwrap(), offset, limit: 10, ..Request::default() };
        let results = searcher.search(&request).unwrap();
        assert_eq!(results.total, 57);
        assert!(results.hits.iter().enumerate().all(|(place, hit)| hit.rank == offset + place + 1));
        seen.extend(names(&results).into_iter().map(str::to_owned));
    }
    assert_eq!(seen.len(), 57);
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 57);
    let request = Request { offset: MAX_DEPTH, ..Request::default() };
    let error = searcher.search(&request).unwrap_err();
    assert_eq!(
        error.to_string(),
        "results `10000` and further: expected at most 10000 results from the first"
    );
}

#[test]
fn facets_clusters_highlights_and_spelling() {
    let mut documents = gardens();
    documents.push(pictured("p", picture([1; 9], 40)));
    let (_folder, searcher) = index(&documents);
    let query = Query::parse("rose OR garden OR picture").unwrap();
    let request = Request { query, facets: 3, clusters: 3, highlights: true, ..Request::default() };
    let results = searcher.search(&request).unwrap();
    let first = |values: &[FacetValue]| values.first().map(|value| (value.value.clone(), value.count));
    assert_eq!(first(&results.facets.tags), Some(("garden".to_owned(), 2)));
    assert_eq!(first(&results.facets.sites), Some(("photos.example".to_owned(), 4)));
    assert_eq!(first(&results.facets.uploaders), Some(("U-EET".to_owned(), 1)));
    assert_eq!(first(&results.facets.colours), Some(("red".to_owned(), 1)));
    assert!(!results.facets.is_estimate);
    let roses = results.hits.iter().find(|hit| hit.url.ends_with("/a")).unwrap();
    let title = &roses.highlights[0];
    assert_eq!(
        (title.field, title.marks.len(), title.text.get(title.marks[0].clone())),
        ("title", 1, Some("roses"))
    );
    let picture = results.hits.iter().find(|hit| hit.url.ends_with("/p")).unwrap();
    assert_eq!(picture.thumbnail.as_deref(), Some("thumbs/p.jpg"));
    assert_eq!(picture.colours[0].name, "red");

    let results = search(&searcher, "gardn -dog");
    assert_eq!(results.suggestion.unwrap().query, "garden -dog");
    assert_eq!(search(&searcher, "orses").suggestion.unwrap().query, "roses");
    assert_eq!(search(&searcher, "xyzzy").suggestion, None);
    assert_eq!(search(&searcher, "rose").suggestion, None);
}

#[test]
fn an_empty_index_finds_nothing() {
    let (_folder, searcher) = index(&[]);
    assert!(searcher.is_empty());
    for query in ["", "rose", "-rose", "color:red", "date:2024", "site:a.example"] {
        check(&searcher, query, &[]);
    }
    let example = picture([1; 9], 40);
    let request =
        Request { like: Some(Like::Picture(&example)), facets: 5, clusters: 5, ..Request::default() };
    assert_eq!(searcher.search(&request).unwrap().total, 0);
}

#[test]
fn a_title_counts_more_than_a_tag_and_a_rare_word_more_than_a_common_one() {
    let (_folder, searcher) = index(&[
        document("title", "rose", &["x"]),
        document("tag", "y", &["rose"]),
        document("common", "garden", &["z"]),
        document("common2", "garden", &["w"]),
    ]);
    check_order(&searcher, "rose", &["title", "tag"]);
    assert_eq!(names(&search(&searcher, "rose OR garden"))[0], "title");
}

/// The judge's verdict decides, and the match only orders equal ones; documents without a verdict come last.
#[test]
fn by_relevance_equals_are_ordered_by_their_match() {
    let judged = |name, title, relevance| Document { relevance, ..document(name, title, &[]) };
    let (_folder, searcher) = index(&[
        judged("low", "rose rose", 0.2),
        judged("long", "rose and many other words of a garden", 0.9),
        judged("none", "rose", f32::NAN),
        judged("short", "rose", 0.9),
        judged("other", "tulip", 1.0),
    ]);
    let found = |query: &str| {
        let query = Query::parse(query).unwrap();
        let request = Request { query, ranking: Ranking::Relevance, ..Request::default() };
        let results = searcher.search(&request).unwrap();
        assert!(results.hits.iter().all(|hit| (hit.parts[0].score - hit.score).abs() < 1e-6));
        names(&results).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(found("rose"), ["short", "long", "low", "none"]);
    assert_eq!(found("")[0], "other");
}

/// Good ones are raised and bad ones come last, on every page of results, with a part in the score; the matches stay
/// the same.
#[test]
fn ratings_move_results() {
    let titles = ["rose rose rose", "rose", "rose and other words", "rose garden", "tulip"];
    let names_of = ["a", "b", "c", "d", "e"];
    let all: Vec<Document> =
        names_of.iter().zip(titles).map(|(name, title)| document(name, title, &[])).collect();
    let (_folder, searcher) = index(&all);
    let url = |name: &str| format!("http://photos.example/{name}");
    let ask = |rated: &Rated, query: &str, ranking: Ranking, offset: usize, limit: usize| {
        let request = Request {
            query: Query::parse(query).unwrap(),
            ranking,
            offset,
            limit,
            rated: Some(rated),
            ..Request::default()
        };
        searcher.search(&request).unwrap()
    };
    let before = search(&searcher, "rose");
    let order = names(&before);
    let (first, last) = (url(order[0]), url(order[3]));
    let rated =
        searcher.rated([(first.as_str(), false), (last.as_str(), true), ("http://x/", true)]).unwrap();
    let found = ask(&rated, "rose", Ranking::Osprey, 0, 10);
    assert_eq!(names(&found), [order[3], order[1], order[2], order[0]]);
    assert_eq!(found.total, before.total);
    let good: Vec<Option<bool>> = found.hits.iter().map(|hit| hit.good).collect();
    assert_eq!(good, [Some(true), None, None, Some(false)]);
    let parts: Vec<usize> = found.hits.iter().map(|hit| hit.parts.len()).collect();
    assert_eq!(parts, [2, 1, 1, 2]);
    assert_eq!(found.hits[0].parts[1].name, "rating");
    let paged: Vec<Results> = (0..4).map(|at| ask(&rated, "rose", Ranking::Osprey, at, 1)).collect();
    assert_eq!(paged.iter().flat_map(names).collect::<Vec<_>>(), names(&found));
    // without a query, and by the judge's verdict; the paper's ranking does not change
    let everything = ask(&rated, "", Ranking::Relevance, 0, 10);
    assert_eq!((names(&everything)[0], names(&everything)[4]), (order[3], order[0]));
    let unrated = searcher.rated([]).unwrap();
    let classic = |rated: &Rated| names(&ask(rated, "rose", Ranking::Classic, 0, 10)).join(" ");
    assert_eq!(classic(&rated), classic(&unrated));
    // equal ratings have equal keys
    let again = searcher.rated([(last.as_str(), true), (first.as_str(), false)]).unwrap();
    assert_eq!(again.key(), rated.key());
    assert_ne!(searcher.rated([(last.as_str(), false)]).unwrap().key(), rated.key());
    assert_ne!(Rated::default().key(), rated.key());

    // all bad: all are still found
    let urls: Vec<String> = names_of.iter().map(|name| url(name)).collect();
    let bad = searcher.rated(urls.iter().map(|url| (url.as_str(), false))).unwrap();
    let found = ask(&bad, "rose", Ranking::Osprey, 0, 10);
    assert!(found.total == before.total && found.hits.iter().all(|hit| hit.good == Some(false)));
    let scores: Vec<f32> = found.hits.iter().map(|hit| hit.score).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
}

/// Scores of pictures are computed twice; a rating counts in both.
#[test]
fn ratings_move_pictures() {
    let pictures = (0..6).map(|n| Document {
        picture: Some(Picture {
            url: format!("http://photos.example/{n}.jpg"),
            thumbnail: String::new(),
            words: picture([1; 9], 40 + n),
        }),
        ..document(&n.to_string(), "x", &[])
    });
    let (_folder, searcher) = index(&pictures.collect::<Vec<_>>());
    let example = picture([1; 9], 40);
    let plain = Request { like: Some(Like::Picture(&example)), ..Request::default() };
    let before = searcher.search(&plain).unwrap();
    let best = before.hits[0].url.clone();
    let rated = searcher.rated([(best.as_str(), false)]).unwrap();
    let found = searcher.search(&Request { rated: Some(&rated), ..plain }).unwrap();
    assert_eq!((found.total, &found.hits.last().unwrap().url), (before.total, &best));
}
