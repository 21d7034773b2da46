//! Terms weighed by the project's own pages, the best pages so far, and a change of terms that judges them again.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use osprey_engine::{CrawlOptions, ExportFormat, ExportWhat, Overrides, Project, TermChange};
use serde_json::Value;

use super::support::quiet;

fn campus(dir: &Path, topic: &str) -> Project {
    let text = format!(
        "[crawl]\nscope = \"domain\"\nbudget_pages = 150\n[source]\nkind = \"world\"\nname = \"campus\"\nsize = 1500\n\
         [topic]\ngenre_terms = [\"syllabus\", \"credits\", \"grading\"]\ncontent_terms = [\"database\", \"sql\"]\n{topic}\n\
         [judge]\nkind = \"genre\"\n[policy]\nkind = \"genre\"\n"
    );
    std::fs::create_dir_all(dir).unwrap();
    std::fs::write(dir.join("osprey.toml"), text).unwrap();
    Project::open(dir).unwrap()
}

fn best_rows(project: &Project, most: usize) -> Vec<Value> {
    let file = tempfile::NamedTempFile::new().unwrap();
    project.export_file(ExportWhat::Visits, ExportFormat::Jsonl, Some(most), file.path()).unwrap();
    let text = std::fs::read_to_string(file.path()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_best_pages_change_with_the_terms() {
    let folder = tempfile::tempdir().unwrap();
    let stop = AtomicBool::new(false);
    let project = campus(folder.path(), "");
    project.crawl(&CrawlOptions::default(), quiet(&stop)).unwrap();

    let rows = best_rows(&project, 10);
    let scores: Vec<f64> = rows.iter().map(|row| row["relevance"].as_f64().unwrap()).collect();
    assert!(scores.len() == 10 && scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    let wrong = project.export(ExportWhat::Links, ExportFormat::Jsonl, Some(3), Box::new(std::io::sink()));
    assert!(wrong.unwrap_err().to_string().contains("visits or pages"));

    let before = project.best_pages(10, 5, quiet(&stop)).unwrap();
    assert_eq!(before.pages.len(), 10);
    for (page, row) in before.pages.iter().zip(&rows) {
        assert_eq!(
            (page.url.as_str(), page.relevance_then),
            (row["url"].as_str().unwrap(), Some(page.relevance))
        );
    }
    assert_eq!(before.proposed.len(), 5);
    assert!(before.genre_terms.iter().any(|term| term.pages > 0), "{:?}", before.genre_terms);

    let accept = before.proposed[0].text.clone();
    let change = TermChange {
        accept_content: vec![accept.clone()],
        drop: vec!["credits".to_owned()],
        ..TermChange::default()
    };
    project.change_terms(&change).unwrap();
    let changed = Project::open(folder.path()).unwrap();
    let topic = changed.topic().unwrap();
    assert!(topic.content_terms.contains(&accept) && !topic.genre_terms.contains(&"credits".to_owned()));
    let after = changed.best_pages(10, 5, quiet(&stop)).unwrap();
    assert_eq!(after.judged, before.judged);
    assert!(after.pages.iter().any(|page| page.relevance_then != Some(page.relevance)), "{:?}", after.pages);
    assert!(after.proposed.iter().all(|proposal| proposal.text != accept));
    let error = changed.change_terms(&change).unwrap_err().to_string();
    assert!(error.starts_with("`credits`: not a term"), "{error}");
}

#[test]
fn idf_is_counted_once_on_pages_of_the_project() {
    let folder = tempfile::tempdir().unwrap();
    let stop = AtomicBool::new(false);
    let project = campus(folder.path(), "idf = true");
    let error = project.crawl(&CrawlOptions::default(), quiet(&stop)).unwrap_err().to_string();
    assert!(error.contains("`topic.idf`") && error.contains("osprey learn"), "{error}");

    let without = campus(folder.path(), "");
    without.crawl(&CrawlOptions::default(), quiet(&stop)).unwrap();
    campus(folder.path(), "idf = true");
    let overrides = Overrides { budget: Some(200), ..Overrides::default() };
    let project = Project::open_with(folder.path(), &overrides).unwrap();
    project.crawl(&CrawlOptions::default(), quiet(&stop)).unwrap();
    let stored = std::fs::read_to_string(folder.path().join("data/term-rarity.json")).unwrap();
    let counts: Value = serde_json::from_str(&stored).unwrap();
    assert!(counts["pages"].as_u64().unwrap() > 50, "{counts}");
    assert_eq!(counts["with"].as_object().unwrap().len(), 5);
    let overrides = Overrides { budget: Some(220), ..Overrides::default() };
    let project = Project::open_with(folder.path(), &overrides).unwrap();
    project.crawl(&CrawlOptions::default(), quiet(&stop)).unwrap();
    assert_eq!(std::fs::read_to_string(folder.path().join("data/term-rarity.json")).unwrap(), stored);
}
