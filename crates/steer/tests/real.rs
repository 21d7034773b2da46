//! The topic machinery on real pages, found through `OSPREY_DATA`: languages, the shipped taxonomy, and course pages of
//! universities told by genre terms and by a support vector machine.

use std::io::Read;
use std::path::PathBuf;

use flate2::read::GzDecoder;
use osprey_archive::{Replay, ReplayOptions};
use osprey_model::{CanonicalUrl, Exchange, UrlRules};
use osprey_page::{Input, Page, PageRules};
use osprey_steer::baselines::{Svm, SvmRules};
use osprey_steer::genre::{GenreScorer, HowMany, Ranking, TermTable, generate};
use osprey_steer::taxonomy::{Aim, Taxonomy};
use osprey_text::{Counts, Language, Reader, Vector, Words, detect};

fn data(path: &str) -> Option<PathBuf> {
    let found = std::env::var_os("OSPREY_DATA")
        .map(|data| PathBuf::from(data).join(path))
        .filter(|path| path.exists());
    if found.is_none() {
        eprintln!("left out: {path} (OSPREY_DATA is not set)");
    }
    found
}

fn unpack(path: PathBuf) -> Vec<u8> {
    let mut bytes = Vec::new();
    GzDecoder::new(std::fs::File::open(path).expect("known data"))
        .read_to_end(&mut bytes)
        .expect("known data");
    bytes
}

/// The files of a tar archive: just enough of a reader for one known to be good.
fn untar(mut tar: &[u8]) -> Vec<(String, &[u8])> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_matches(['\0', ' ']).to_owned();
    let mut files = Vec::new();
    while tar.len() >= 512 && tar[0] != 0 {
        let size = usize::from_str_radix(&text(&tar[124..136]), 8).expect("known data");
        if tar[156] == b'0' {
            files.push((text(&tar[..100]), &tar[512..512 + size]));
        }
        tar = &tar[512 + size.next_multiple_of(512)..];
    }
    files
}

fn page(url: &str, content_type: Option<&str>, body: &[u8]) -> Option<Page> {
    let url = CanonicalUrl::parse(url, &UrlRules::default()).ok()?;
    Some(Page::parse(&Input { url: &url, content_type, body }, &PageRules::default()))
}

#[test]
fn chinese_news_is_chinese() {
    let Some(path) = data("chinese-news/pages.tar.gz") else { return };
    let tar = unpack(path);
    let (mut pages, mut wrong) = (0, Vec::new());
    for (name, body) in untar(&tar).into_iter().filter(|(name, _)| name.contains("htm")) {
        let Some(page) = page("http://a.example/", None, body) else { continue };
        pages += 1;
        if detect(page.text(), None) != Language::Chinese {
            wrong.push(name);
        }
    }
    eprintln!("{} of {pages} Chinese pages are not taken for Chinese: {wrong:?}", wrong.len());
    assert!(pages > 50 && wrong.len() * 20 <= pages);
}

/// The upper topics of our taxonomy against the words of pages that editors filed: which one is nearest (equation 9)?
#[test]
fn the_shipped_taxonomy_speaks_of_its_topics() {
    let Some(path) = data("taxonomy/dmoz-sites.jl.gz") else { return };
    let taxonomy = Taxonomy::shipped();
    let tops: Vec<_> = taxonomy.nodes().filter(|node| taxonomy.parent(*node).is_none()).collect();
    let name =
        |hierarchy: &str| hierarchy.split('.').next().unwrap_or_default().replace("kids and teens", "kids");
    let aims: Vec<Aim> = tops.iter().map(|node| Aim::of_node(taxonomy, *node)).collect();
    let mut reader = Reader::new();
    let (mut right, mut pages) = (0, 0);
    for line in String::from_utf8_lossy(&unpack(path)).lines() {
        let entry: serde_json::Value = serde_json::from_str(line).expect("known data");
        let words: Vec<&str> =
            entry["words"].as_array().expect("known data").iter().filter_map(|word| word.as_str()).collect();
        let top = name(entry["hierarchy"].as_str().expect("known data"));
        if words.len() < 50 || top == "regional" {
            continue;
        }
        let counts = Counts::of(&mut reader, &words.join(" "), Language::English);
        let scores = aims
            .iter()
            .map(|aim| aim.description(Language::English).cosine(&mut reader, Language::English, &counts));
        let best = scores.zip(&tops).max_by(|(a, _), (b, _)| a.total_cmp(b)).expect("known data").1;
        pages += 1;
        right += usize::from(taxonomy.topic(*best).name == top);
    }
    eprintln!("{right} of {pages} pages are nearest to their own of {} upper topics", tops.len());
    assert!(right * 5 > pages * 2, "{right} of {pages}");
}

struct Example {
    university: String,
    course: bool,
    url: String,
    text: String,
    vector: Vector,
}

fn webkb() -> Option<Vec<Example>> {
    let (path, labels) = (data("corpora/webkb.warc.gz")?, data("corpora/webkb.labels.json")?);
    let replay = Replay::open(&path, &ReplayOptions::default()).expect("known data");
    let labels: serde_json::Value =
        serde_json::from_slice(&std::fs::read(labels).expect("known data")).expect("known data");
    let mut reader = Reader::new();
    let mut examples = Vec::new();
    for (number, (url, label)) in labels.as_object().expect("known data").iter().enumerate() {
        let (university, class) =
            (label["university"].as_str().expect("known data"), label["class"].as_str().expect("known data"));
        let course = class == "course";
        // every third of the rest is enough, and three times as fast
        if university == "misc" || (!course && number % 3 != 0) {
            continue;
        }
        let canonical = CanonicalUrl::parse(url, &UrlRules::default()).expect("known data");
        let Exchange::Answered(response) = replay.get(&canonical) else { continue };
        let Some(page) = page(url, response.headers.get("content-type"), &response.body) else { continue };
        let text = page.text().to_owned();
        let vector = Vector::of_log_counts(&Counts::of(&mut reader, &text, Language::English));
        examples.push(Example { university: university.to_owned(), course, url: url.clone(), text, vector });
    }
    Some(examples)
}

/// The threshold with the best F1.
fn best_threshold(mut scored: Vec<(f32, bool)>) -> f32 {
    let wanted = scored.iter().filter(|(_, wanted)| *wanted).count() as f32;
    scored.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let (mut right, mut best) = (0.0, (0.0, 1.0));
    for (place, (score, wanted_page)) in scored.iter().enumerate() {
        right += f32::from(u8::from(*wanted_page));
        let f1 = 2.0 * right / (place as f32 + 1.0 + wanted);
        if f1 > best.0 {
            best = (f1, *score);
        }
    }
    best.1
}

fn f1_at(scored: &[(f32, bool)], threshold: f32) -> f32 {
    let found = scored.iter().filter(|(score, _)| *score >= threshold).count() as f32;
    let right = scored.iter().filter(|(score, wanted)| *wanted && *score >= threshold).count() as f32;
    let wanted = scored.iter().filter(|(_, wanted)| *wanted).count() as f32;
    2.0 * right / (found + wanted).max(1.0)
}

/// The genre terms of de Assis et al. 2009's table 2.
const SYLLABUS: [&str; 16] = [
    "syllabus",
    "course",
    "credits",
    "instructor",
    "prerequisites",
    "class hours",
    "objectives",
    "description",
    "outline",
    "topics",
    "tentative schedule",
    "grading",
    "exams",
    "materials",
    "required text",
    "textbooks",
];

/// F1 on the pages of a university when terms, machine and thresholds come from the three others.
#[test]
fn course_pages_of_a_university_never_seen() {
    let Some(examples) = webkb() else { return };
    let mut sums = [0.0; 4];
    for university in ["cornell", "texas", "washington", "wisconsin"] {
        let (unseen, known): (Vec<&Example>, Vec<&Example>) =
            examples.iter().partition(|example| example.university == university);
        let courses: Vec<&str> =
            known.iter().filter(|page| page.course).map(|page| page.text.as_str()).collect();
        let others = TermTable::of(known.iter().filter(|page| !page.course).map(|page| page.text.as_str()));
        let terms = |ranking| {
            let found = generate(&courses, &[], HowMany { genre: 20, content: 0 }, ranking);
            found.genre.into_iter().map(|term| term.text).collect::<Vec<_>>()
        };
        let printed: Vec<String> = SYLLABUS.iter().map(|term| (*term).to_owned()).collect();
        let sets = [printed, terms(Ranking::Frequency), terms(Ranking::Against(&others))];
        let mut found = Vec::new();
        for set in &sets {
            let scorer = GenreScorer::of_words(set, &[], &[]).expect("known data");
            let score = |page: &&Example| {
                let words = Words::of(&page.text, Some("en"));
                (scorer.score(&words, &page.url).total, page.course)
            };
            let threshold = best_threshold(known.iter().map(score).collect());
            found.push(f1_at(&unseen.iter().map(score).collect::<Vec<_>>(), threshold));
        }
        let side =
            |course| known.iter().filter(move |page| page.course == course).map(|page| page.vector.clone());
        let (wanted, unwanted): (Vec<_>, Vec<_>) = (side(true).collect(), side(false).collect());
        let svm = Svm::train(&wanted, &unwanted, &SvmRules::default()).expect("known data");
        found.push(f1_at(
            &unseen.iter().map(|page| (svm.decision(&page.vector), page.course)).collect::<Vec<_>>(),
            0.0,
        ));
        eprintln!(
            "{university}: F1 by the printed terms, frequency, against others, svm: {found:.3?}; {:?}",
            sets[2]
        );
        sums.iter_mut().zip(found).for_each(|(sum, f1)| *sum += f1 / 4.0);
    }
    eprintln!("mean: {sums:.3?}");
    let [_, frequency, against, svm] = sums;
    assert!(against > frequency && against > 0.5 && svm > 0.5, "{sums:?}");
}
