//! The crawl of a person who knows the site, topics by the tags that pages carry, and what a variant gives.

use std::path::Path;

use crate::small::{run, run_in};

/// Two lists of tags, three items, a page of a person, and a page past the list.
fn tagged_site(folder: &Path) {
    let site = folder.join("data/site/www.small.example");
    for place in ["tags", "item", "user"] {
        std::fs::create_dir_all(site.join(place)).unwrap();
    }
    let links = |to: &[&str]| to.iter().map(|to| format!("<a href={to}>{to}</a> ")).collect::<String>();
    let write = |path: &str, text: &str, tags: &[&str], to: &[&str]| {
        let tags: String =
            tags.iter().map(|tag| format!("<a rel=tag href=/tags/{tag}.html>{tag}</a> ")).collect();
        std::fs::write(site.join(path), format!("<title>{text}</title><p>{text} {tags}{}", links(to)))
            .unwrap();
    };
    write("index.html", "home", &[], &["/user/1.html", "/tags/birds.html", "/tags/islands.html"]);
    write("tags/birds.html", "birds", &[], &["/", "/item/1.html", "/item/2.html", "/user/1.html"]);
    write("tags/islands.html", "islands", &[], &["/item/3.html"]);
    write("item/1.html", "a gull", &["birds"], &["/user/1.html"]);
    write("item/2.html", "a tern", &["birds", "islands"], &["/"]);
    // it speaks of the other tag and does not carry it
    write("item/3.html", "a rock", &["islands"], &["/tags/birds.html"]);
    write("user/1.html", "someone", &[], &["/"]);
    let truth = r#"{"start": "http://www.small.example/", "rules": [{"pattern": "/item/", "type": "detail"},
        {"pattern": "/user/", "type": "profile"}, {"pattern": ".", "type": "list"}]}"#;
    std::fs::write(folder.join("data/truth.json"), truth).unwrap();
    let corpora = folder.join("lab/corpora");
    std::fs::create_dir_all(&corpora).unwrap();
    let corpus = "about = \"small\"\npath = \"site\"\ntruth = \"truth.json\"\n\
        [tags]\npages = '/item/'\npattern = '/tags/(\\w+)\\.html$'\n\
        [expert]\nstart = [\"http://www.small.example/tags/{list}.html\"]\nallow = ['/tags/{list}\\.html$', '/item/']\n\
        [expert.lists]\nbirds = \"birds\"\n";
    std::fs::write(corpora.join("tagged-site.toml"), corpus).unwrap();
    let entry = |topic: &str| {
        format!("[[corpus]]\nname = \"{topic}\"\nrecording = \"tagged-site\"\ntopic = \"{topic}\"\n")
    };
    let experiment = format!(
        "about = \"Small.\"\npolicies = [\"breadth-first\", \"expert\"]\nwanted = {{ page_type = \"detail\", on_topic = true }}\n\
        scale.small = {{ budget = 6 }}\n{}{}",
        entry("birds"),
        entry("islands")
    );
    std::fs::create_dir_all(folder.join("lab/experiments")).unwrap();
    std::fs::write(folder.join("lab/experiments/tagged.toml"), experiment).unwrap();
}

#[test]
fn an_expert_fetches_the_list_and_its_items_alone() {
    let folder = tempfile::tempdir().unwrap();
    tagged_site(folder.path());
    let run = run_in(folder.path(), "tagged").unwrap();
    let figure = |cell: usize, name: &str| run.cells[cell].findings.figures.get(name).copied();
    // birds, breadth-first: home, someone, both lists, the gull and the tern: two of two with six visits
    assert_eq!((figure(0, "corpus_pages"), figure(0, "corpus_wanted")), (Some(7.0), Some(2.0)));
    assert_eq!((figure(0, "visited"), figure(0, "found")), (Some(6.0), Some(2.0)));
    assert_eq!((figure(0, "ceiling"), figure(0, "harvest_over_ceiling")), (Some(2.0 / 6.0), Some(1.0)));
    assert_eq!(figure(0, "recall_at_wanted"), Some(0.0), "home and someone");
    assert_eq!(figure(0, "recall_area"), Some(3.0 / 12.0), "after the fifth visit one, after the sixth both");
    // the expert: the list, the gull, the tern; the tern also has a tag whose list is not of the topic
    assert_eq!((figure(1, "visited"), figure(1, "found")), (Some(3.0), Some(2.0)));
    assert_eq!(figure(1, "corpus_pages"), Some(7.0), "what there is does not depend on where one looks");
    assert_eq!((figure(1, "harvest_over_ceiling"), figure(1, "recall_at_wanted")), (Some(1.0), Some(0.5)));
    // a quarter of seven pages, rounded up
    assert_eq!(figure(1, "recall_at_quarter"), Some(0.5));
    // islands have no list: two pages carry the tag, and there is no expert
    assert_eq!(figure(2, "corpus_wanted"), Some(2.0));
    assert!(run.cells[3].findings.figures.is_empty(), "{:?}", run.cells[3].findings);
}

#[test]
fn worlds_have_experts_and_examples_count_for_nobody() {
    let text = r#"
        about = "x"
        policies = ["breadth-first", "expert"]
        judge = { kind = "want" }
        words = 2
        wanted = { page_type = "detail", on_topic = true }
        scale.small = { pages = 400, budget = 60, random_seeds = 1, examples = 2, sample_pages = 60 }
        [[corpus]]
        world = "video"
        [[corpus]]
        name = "many hosts"
        world = "portal"
        wanted = { on_topic = true }
        [[variant]]
        name = "two examples"
        policy = { kind = "breadth-first" }
        with = { examples = 2, learn = true }
    "#;
    let out = tempfile::tempdir().unwrap();
    let run = run(text, out.path(), None);
    let figure = |corpus: &str, variant: &str, name: &str| {
        let mut cells = run.cells.iter().filter(|cell| cell.corpus == corpus && cell.variant == variant);
        cells.next().and_then(|cell| cell.findings.figures.get(name).copied())
    };
    let over = |variant: &str| figure("video", variant, "harvest_over_ceiling").unwrap();
    assert!(over("expert") > over("breadth-first"), "{} {}", over("expert"), over("breadth-first"));
    assert_eq!(figure("many hosts", "expert", "visited"), None);
    assert_eq!(figure("many hosts", "breadth-first", "visited"), Some(60.0));
    // without the variant that is given examples there would be two more to find
    let wanted = figure("video", "two examples", "corpus_wanted");
    assert_eq!(figure("video", "breadth-first", "corpus_wanted"), wanted);
    let bare = text.split("[[variant]]").next().unwrap();
    let bare = self::run(bare, &out.path().join("bare"), None);
    assert_eq!(bare.cells[0].findings.figures["corpus_wanted"], wanted.unwrap() + 2.0);
}
