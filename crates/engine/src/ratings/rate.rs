//! Rating pages of a project, and what a crawl learns from it.

use osprey_crawl::{SystemClock, VisitRow};
use osprey_model::{CanonicalUrl, Clock};
use osprey_steer::Example;
use std::sync::Arc;

use super::{PageToRate, Rating, Ratings, RatingsFile};
use crate::captures::Captures;
use crate::error::{Error, Result};
use crate::project::Project;
use crate::words::counted;

/// Ratings that a judge or a policy is given: the latest.
const MOST: usize = 1000;

impl Project {
    /// The ratings of the project.
    pub fn ratings(&self) -> Result<Ratings> {
        self.ratings_file().read()
    }

    fn ratings_file(&self) -> RatingsFile {
        RatingsFile::at(self.layout().ratings())
    }

    /// Calls pages that were fetched good or bad: all of them, or on an error none. A URL that redirects stands for the
    /// page that it leads to. What is kept, in the order of `urls`.
    pub fn rate(&self, urls: &[String], good: bool) -> Result<Vec<Rating>> {
        let urls = self.fetched(urls)?;
        let at = SystemClock::default().now();
        self.ratings_file().put(&urls, Some(good), at)?;
        Ok(urls.into_iter().map(|url| Rating { url, good, at }).collect())
    }

    /// Takes ratings back: all of them, or on an error none. The URLs as they were kept.
    pub fn unrate(&self, urls: &[String]) -> Result<Vec<String>> {
        let ratings = self.ratings()?;
        let kept = |url: &String| {
            let canonical = self.canonical(url).map(|url| url.to_string());
            let forms = std::iter::once(url.clone()).chain(canonical.ok());
            let known = forms.into_iter().find(|form| ratings.get(form).is_some());
            known.ok_or_else(|| {
                Error::NotFound(format!("`{url}`: not rated, so there is nothing to take back"))
            })
        };
        let urls = urls.iter().map(kept).collect::<Result<Vec<_>>>()?;
        self.ratings_file().put(&urls, None, SystemClock::default().now())?;
        Ok(urls)
    }

    /// Rates one of the pages of [`Project::pages_to_rate`], or takes its rating back.
    pub fn rate_shown(&self, page: &PageToRate, good: Option<bool>) -> Result<()> {
        self.ratings_file().put(std::slice::from_ref(&page.url), good, SystemClock::default().now())
    }

    /// A URL as this project writes it.
    pub(crate) fn canonical(&self, url: &str) -> Result<CanonicalUrl> {
        let rules = &self.resolved.settings.page_rules.url;
        CanonicalUrl::parse(url, rules).map_err(|problem| Error::url(url, problem))
    }

    /// The pages that these URLs lead to.
    fn fetched(&self, urls: &[String]) -> Result<Vec<String>> {
        let mut asked = urls.iter().map(|url| self.canonical(url)).collect::<Result<Vec<_>>>()?;
        let captures = Captures::open(self.layout().data(), &self.resolved.settings)?;
        let visits = captures.visits_of(&asked)?;
        let mut is_redirected = false;
        for url in &mut asked {
            if let Some(to) = check_visit(url.as_str(), visits.get(url.as_str()))? {
                (*url, is_redirected) = (to, true);
            }
        }
        if is_redirected {
            let visits = captures.visits_of(&asked)?;
            for url in &asked {
                check_visit(url.as_str(), visits.get(url.as_str()))?;
            }
        }
        Ok(asked.into_iter().map(|url| url.to_string()).collect())
    }

    /// The pages that were rated last, read from the archive; `note` is told of those that it has lost.
    pub(crate) fn rated_pages(&self, note: impl FnOnce(String)) -> Result<Arc<[Example]>> {
        let ratings = self.ratings()?;
        if ratings.is_empty() || !Captures::exist(self.layout().data()) {
            return Ok(Arc::default());
        }
        let latest = ratings.all().get(ratings.all().len().saturating_sub(MOST)..).unwrap_or_default();
        let urls: Vec<CanonicalUrl> =
            latest.iter().filter_map(|rating| CanonicalUrl::from_stored(&rating.url).ok()).collect();
        let captures = Captures::open(self.layout().data(), &self.resolved.settings)?;
        let visits = captures.visits_of(&urls)?;
        let page = |rating: &Rating| {
            let page = captures.page(visits.get(&rating.url)?)?;
            Some(Example { page: Arc::new(page), is_wanted: rating.good })
        };
        let pages: Arc<[Example]> = latest.iter().filter_map(page).collect();
        let lost = latest.len() - pages.len();
        if lost > 0 {
            let pages = counted(lost as u64, "rated page");
            note(format!("{pages} cannot be read from the archive: only the rest of the ratings counts"));
        }
        Ok(pages)
    }
}

/// Whether the visit of a URL brought a page that can be rated; where it redirects, to where.
pub(crate) fn check_visit(url: &str, visit: Option<&VisitRow>) -> Result<Option<CanonicalUrl>> {
    let Some(visit) = visit else {
        let why = "this project has never fetched it, so it cannot be rated; rate pages that it has fetched";
        return Err(Error::NotFound(format!("`{url}`: {why}")));
    };
    if visit.final_url != visit.url {
        let to = CanonicalUrl::from_stored(&visit.final_url);
        return to.map(Some).map_err(|problem| Error::url(&visit.final_url, problem));
    }
    let kind = || visit.media_type.as_deref().unwrap_or("something else");
    match visit.status {
        _ if visit.is_page => Ok(None),
        0 => Err(Error::Usage(format!("`{url}`: there was no answer, so there is no page to rate"))),
        status if visit.is_failure() => {
            Err(Error::Usage(format!("`{url}`: it failed with status {status}, so there is no page to rate")))
        }
        _ => Err(Error::Usage(format!("`{url}`: it is not an HTML page but {}: it cannot be rated", kind()))),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::{Control, CrawlOptions};

    /// What the archive has of rated pages is given to judges and policies; the latest ratings, and each page once.
    #[test]
    fn rated_pages_are_known() {
        let folder = tempfile::tempdir().unwrap();
        let mirror = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/harbour");
        let config = format!(
            "[crawl]\nseeds = [\"http://harbour.example/\"]\n[source]\nkind = \"replay\"\npath = \"{}\"\nbase = \"http://harbour.example/\"\n",
            mirror.display()
        );
        std::fs::write(folder.path().join("osprey.toml"), config).unwrap();
        let project = Project::open(folder.path()).unwrap();
        let stop = AtomicBool::new(false);
        project.crawl(&CrawlOptions::default(), Control { stop: &stop, observer: &() }).unwrap();
        let nothing = |note: String| panic!("{note}");
        assert!(project.rated_pages(nothing).unwrap().is_empty());

        let photo = |n: u32| format!("http://harbour.example/photos/{n}.html");
        project.rate(&[photo(101), photo(102)], true).unwrap();
        project.rate(&[photo(103), photo(101)], false).unwrap();
        let rated = project.rated_pages(nothing).unwrap();
        let found: Vec<(String, bool)> =
            rated.iter().map(|example| (example.page.url().to_string(), example.is_wanted)).collect();
        assert_eq!(found, [(photo(102), true), (photo(103), false), (photo(101), false)]);

        // pages that are not in the archive are noted, and the others count
        let gone = (0..3).map(|n| format!("http://gone.example/{n}")).collect::<Vec<_>>();
        project.ratings_file().put(&gone, Some(true), SystemClock::default().now()).unwrap();
        let mut said = String::new();
        assert_eq!(project.rated_pages(|note| said = note).unwrap().len(), 3);
        assert!(said.starts_with("3 rated pages cannot be read"), "{said}");
    }
}
