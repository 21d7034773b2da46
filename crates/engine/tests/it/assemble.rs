//! A project that a program puts together does what the same project does whose configuration is a file.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use osprey_crawl::Settings;
use osprey_engine::{
    AnySource, Control, CrawlOptions, Event, IndexOptions, LearnOptions, Observer, Parts, Project, Query,
    Request, RulesPlace, Sampling, SourceKind, StructureOptions,
};
use osprey_model::{CanonicalUrl, Scope, ScopeKind, UrlRules};
use osprey_steer::{JudgeKind, Plan, PolicyKind, Subject};
use osprey_structure::Recipe;
use osprey_structure::site::{ClassifyBy, ExtractRules};
use osprey_world::{Kind, Options, World};

const FILE: &str = r#"
    [source]
    kind = "world"
    name = "photo"
    random_seed = 7
    size = 600
    [crawl]
    scope = "domain"
    budget_pages = 120
    random_seed = 3
    [fetch]
    sitemaps = false
    [vision]
    pictures = "none"
    [structure]
    sample_pages = 80
"#;

#[derive(Default)]
struct Visits(Mutex<Vec<String>>);

impl Observer for Visits {
    fn event(&self, event: &Event<'_>) {
        if let Event::Visit(visit) = event {
            self.0.lock().unwrap().push(visit.url.clone());
        }
    }
}

fn assembled(dir: &Path) -> Project {
    let world =
        World::new(Kind::Photo, &Options { random_seed: 7, pages: 600, ..Options::default() }).unwrap();
    let parse = |url: &String| CanonicalUrl::parse(url, &UrlRules::default()).unwrap();
    let seeds: Vec<CanonicalUrl> = world.seeds().iter().map(parse).collect();
    let scope = Scope::new(ScopeKind::Domain, &seeds, &[], &[]).unwrap();
    let mut settings = Settings::recorded(seeds, scope);
    settings.budget.pages = Some(120);
    settings.obey_nofollow = false;
    let structure = StructureOptions {
        requests_per_page: 3,
        variant: Recipe::Osprey,
        sampling: Sampling::Apath,
        classify: ClassifyBy::Clusters,
        sample_pages: 80,
        examples: Vec::new(),
    };
    let parts = Parts {
        settings,
        source: SourceKind::Custom(AnySource::new(world)),
        plan: Plan { policy: PolicyKind::BreadthFirst {}, subject: Subject::default() },
        judge: JudgeKind::None {},
        structure,
        extract: ExtractRules::default(),
        random_seed: 3,
    };
    Project::assemble(dir, parts)
}

/// What came of a project: where the rules went, visits, page types, records, documents.
type Outcome = (RulesPlace, Vec<String>, Vec<String>, Vec<String>, Vec<(String, String)>);

fn outcome(project: &Project) -> Outcome {
    let (stop, visits) = (AtomicBool::new(false), Visits::default());
    let control = Control { stop: &stop, observer: &() };
    let learned = project.learn(&LearnOptions::default(), control).unwrap();
    // as its file says after learning
    let again = Project::open(project.layout().dir()).ok();
    let project = again.as_ref().unwrap_or(project);
    project.crawl(&CrawlOptions::default(), Control { stop: &stop, observer: &visits }).unwrap();
    project.index(&IndexOptions::default(), control).unwrap();
    let mut records = Vec::new();
    project.records(|record| records.push(format!("{record:?}"))).unwrap();
    let request = Request { query: Query::parse("").unwrap(), limit: 500, ..Request::default() };
    let hits = project.search(&request).unwrap().hits;
    let hits = hits.into_iter().map(|hit| (hit.url, hit.tags.join(","))).collect();
    let types = project.sitemap().unwrap().unwrap().types;
    let types = types.iter().map(|entry| format!("{} {:?}", entry.name, entry.label)).collect();
    (learned.rules_place(), visits.0.into_inner().unwrap(), types, records, hits)
}

#[test]
fn a_project_of_parts_is_the_project_of_the_file() {
    let (with_file, without) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::write(with_file.path().join("osprey.toml"), FILE).unwrap();
    let (place, visits, types, records, hits) = outcome(&Project::open(with_file.path()).unwrap());
    let own = outcome(&assembled(without.path()));
    assert_eq!((place, own.0), (RulesPlace::Written, RulesPlace::Proposals));
    assert_eq!(visits.len(), 120);
    assert_eq!(visits, own.1);
    assert_eq!(types, own.2);
    assert!(!records.is_empty());
    assert_eq!(records, own.3);
    assert!(hits.iter().any(|(_, tags)| !tags.is_empty()));
    assert_eq!(hits, own.4);
    assert!(!without.path().join("osprey.toml").exists());
    // what was learned stays with the folder
    assert!(assembled(without.path()).is_learned().unwrap());
}
