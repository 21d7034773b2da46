//! The page types of a site as a short list that a person can edit.
//!
//! The learned model does not change; the sitemap says how to use it. A person can rename a type, change its label,
//! merge two types (`same_as`), and mark a type as wanted or unwanted. The other entries are information for that
//! decision.

use osprey_model::PageType;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::navigation::Cluster;

/// The version of the file that this build writes and reads.
pub(crate) const SITEMAP_VERSION: u32 = 1;

/// One kind of page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SitemapEntry {
    /// The number of the cluster, which everything else refers to.
    pub cluster: u32,
    /// What people call it.
    pub name: String,
    /// What it was called when it was found; rules may use either.
    pub found_as: String,
    /// What it is.
    pub label: PageType,
    /// Whether crawls should fetch such pages: yes, no, or not specified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wanted: Option<bool>,
    /// The cluster that this one is in truth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_as: Option<u32>,
    /// Pages in the sample.
    #[serde(default)]
    pub pages: usize,
    /// Links that lead here, estimated over the sample.
    #[serde(default)]
    pub links_in: u64,
    /// Links that its pages have, to anywhere on the site.
    #[serde(default)]
    pub links_out: u64,
    /// Why it has its label.
    #[serde(default)]
    pub evidence: String,
    /// Some of its pages.
    #[serde(default)]
    pub examples: Vec<String>,
}

/// The kinds of page of a site.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sitemap {
    /// `SITEMAP_VERSION`.
    pub version: u32,
    /// Which model it belongs to.
    pub model: String,
    /// The kinds, by number of pages.
    #[serde(default, rename = "type")]
    pub types: Vec<SitemapEntry>,
}

/// A sitemap that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SitemapError {
    /// Written by another version.
    #[error("`version`: this build reads {SITEMAP_VERSION}, the file has {0}; run `osprey learn` again")]
    Version(u32),
    /// It belongs to another model.
    #[error(
        "`model`: `{found}` is not the model that lies beside it (`{expected}`); run `osprey learn` again"
    )]
    Model {
        /// In the sitemap.
        found: String,
        /// Of the model.
        expected: String,
    },
    /// A number that is there twice.
    #[error("type `{0}`: duplicate cluster {1}")]
    Twice(String, u32),
    /// A reference to a cluster that is not there.
    #[error("type `{0}`: `same_as = {1}`: unknown cluster")]
    NoSuch(String, u32),
    /// References in a ring.
    #[error("type `{0}`: `same_as` leads back to itself")]
    Ring(String),
    /// A rule for a kind that is not there.
    #[error("`[extract]`: unknown page type `{0}`; expected one of {1}")]
    Rule(String, String),
    /// A name that two different kinds have.
    #[error("type `{0}`: two kinds have this name; to make them one, use `same_as`")]
    Name(String),
}

impl SitemapEntry {
    /// Whether it goes by a name.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.found_as == name
    }
}

impl Sitemap {
    /// Checks what a person may have edited.
    pub fn check(&self, model: &str) -> Result<(), SitemapError> {
        if self.version != SITEMAP_VERSION {
            return Err(SitemapError::Version(self.version));
        }
        if self.model != model {
            return Err(SitemapError::Model { found: self.model.clone(), expected: model.to_owned() });
        }
        for (place, entry) in self.types.iter().enumerate() {
            let before = || self.types.iter().take(place);
            if before().any(|other| other.cluster == entry.cluster) {
                return Err(SitemapError::Twice(entry.name.clone(), entry.cluster));
            }
            if let Some(same) = entry.same_as.filter(|same| self.entry(*same).is_none()) {
                return Err(SitemapError::NoSuch(entry.name.clone(), same));
            }
            let root = self.root(entry.cluster).ok_or_else(|| SitemapError::Ring(entry.name.clone()))?;
            if before().any(|other| other.name == entry.name && self.root(other.cluster) != Some(root)) {
                return Err(SitemapError::Name(entry.name.clone()));
            }
        }
        Ok(())
    }

    /// The entry of a cluster.
    pub fn entry(&self, cluster: u32) -> Option<&SitemapEntry> {
        self.types.iter().find(|entry| entry.cluster == cluster)
    }

    /// The cluster that a cluster is joined to in the end; `None` for a cycle.
    fn root(&self, cluster: u32) -> Option<u32> {
        let mut at = cluster;
        for _ in 0..=self.types.len() {
            match self.entry(at).and_then(|entry| entry.same_as) {
                Some(next) => at = next,
                None => return Some(at),
            }
        }
        None
    }

    /// The same for a cluster or none; a cycle is left as it is.
    pub fn joined(&self, cluster: Cluster) -> Cluster {
        cluster.map(|cluster| self.root(cluster).unwrap_or(cluster))
    }

    /// Takes over a person's edits of an older sitemap. `found` gives the label that an old cluster was found with,
    /// `shared` for a new cluster the old one that contained most of its pages. Returns, as text, what could not be
    /// taken over.
    pub fn take_over(
        &mut self,
        old: &Self,
        found: impl Fn(u32) -> Option<PageType>,
        shared: impl Fn(u32) -> Option<u32>,
    ) -> Vec<String> {
        // if a kind was split, its first and largest part is the heir
        let heir = |cluster: u32| {
            let parts = self.types.iter().map(|entry| entry.cluster);
            parts.into_iter().find(|part| shared(*part) == Some(cluster))
        };
        let heirs: Vec<(u32, Option<u32>)> =
            old.types.iter().map(|entry| (entry.cluster, heir(entry.cluster))).collect();
        let heir = |cluster: u32| heirs.iter().find(|(old, _)| *old == cluster).and_then(|(_, heir)| *heir);
        let mut lost = Vec::new();
        for was in &old.types {
            let edited_name = was.name != was.found_as;
            let edited_label = found(was.cluster) != Some(was.label);
            if heir(was.cluster).is_none()
                && (edited_name || edited_label || was.wanted.is_some() || was.same_as.is_some())
            {
                lost.push(format!("type `{}` was not found again; your changes to it are lost", was.name));
            }
            for entry in self.types.iter_mut().filter(|entry| shared(entry.cluster) == Some(was.cluster)) {
                entry.wanted = was.wanted;
                if edited_label {
                    entry.label = was.label;
                }
                let root = was.same_as.and_then(|_| old.root(was.cluster)).and_then(heir);
                entry.same_as = root.filter(|root| *root != entry.cluster);
                if edited_name && heir(was.cluster) == Some(entry.cluster) {
                    entry.name.clone_from(&was.name);
                }
            }
        }
        self.part_names();
        lost
    }

    /// Gives later kinds with a name that is taken another one.
    fn part_names(&mut self) {
        for place in 0..self.types.len() {
            let is_taken = |name: &str| self.types.iter().take(place).any(|entry| entry.name == name);
            let Some(name) = self.types.get(place).map(|entry| entry.name.clone()) else { continue };
            let numbered = (2..).map(|number| format!("{name}-{number}"));
            let free = std::iter::once(name.clone()).chain(numbered).find(|name| !is_taken(name));
            if let (Some(entry), Some(free)) = (self.types.get_mut(place), free) {
                entry.name = free;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(cluster: u32, name: &str, same_as: Option<u32>) -> SitemapEntry {
        SitemapEntry {
            cluster,
            name: name.to_owned(),
            found_as: format!("list-{cluster}"),
            label: PageType::List,
            wanted: None,
            same_as,
            pages: 10,
            links_in: 0,
            links_out: 0,
            evidence: String::new(),
            examples: Vec::new(),
        }
    }

    fn sitemap(types: Vec<SitemapEntry>) -> Sitemap {
        Sitemap { version: SITEMAP_VERSION, model: "m".to_owned(), types }
    }

    #[test]
    fn what_a_person_wrote_is_checked() {
        let check = |types: Vec<SitemapEntry>, expect: Option<&str>| {
            let got = sitemap(types).check("m").err().map(|error| error.to_string());
            assert_eq!(got.as_deref(), expect);
        };
        check(vec![entry(0, "thread", None), entry(1, "thread", Some(0))], None);
        check(vec![entry(0, "a", None), entry(0, "b", None)], Some("type `b`: duplicate cluster 0"));
        check(vec![entry(0, "a", Some(7))], Some("type `a`: `same_as = 7`: unknown cluster"));
        check(
            vec![entry(0, "a", Some(1)), entry(1, "b", Some(0))],
            Some("type `a`: `same_as` leads back to itself"),
        );
        check(
            vec![entry(0, "a", None), entry(1, "a", None)],
            Some("type `a`: two kinds have this name; to make them one, use `same_as`"),
        );
        assert_eq!(
            sitemap(vec![]).check("other"),
            Err(SitemapError::Model { found: "m".to_owned(), expected: "other".to_owned() })
        );
    }

    #[test]
    fn joins_are_followed() {
        let map = sitemap(vec![entry(0, "a", None), entry(1, "b", Some(0)), entry(2, "c", Some(1))]);
        assert_eq!([map.joined(Some(2)), map.joined(Some(0)), map.joined(None)], [Some(0), Some(0), None]);
    }

    #[test]
    fn a_new_sitemap_takes_over_edits() {
        let named = |cluster: u32, name: &str, found_as: &str| SitemapEntry {
            found_as: found_as.to_owned(),
            ..entry(cluster, name, None)
        };
        let mut old = sitemap(vec![
            named(0, "thread", "list"),
            named(1, "list-2", "list-2"),
            named(2, "list-3", "list-3"),
            named(3, "gone", "list-4"),
        ]);
        old.types[0].wanted = Some(true);
        old.types[1].label = PageType::Other;
        old.types[2].same_as = Some(1);
        // 0 was split into 0 and 2; 1 and 2 are now 4 and 1; 3 is gone; 5 is new
        let mut new = sitemap((0..6).filter(|n| *n != 3).map(|n| named(n, "detail", "detail")).collect());
        let shared = |cluster: u32| [Some(0), Some(2), Some(0), None, Some(1), None][cluster as usize];
        let lost = new.take_over(&old, |_| Some(PageType::List), shared);
        let names: Vec<&str> = new.types.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["thread", "detail", "detail-2", "detail-3", "detail-4"]);
        let wanted: Vec<Option<bool>> = new.types.iter().map(|entry| entry.wanted).collect();
        assert_eq!(wanted, [Some(true), None, Some(true), None, None]);
        // a label that a person gave stays, one that was found does not
        let labels: Vec<PageType> = new.types.iter().map(|entry| entry.label).collect();
        assert_eq!(labels[3], PageType::Other);
        assert_eq!(
            new.types.iter().map(|entry| entry.same_as).collect::<Vec<_>>(),
            [None, Some(4), None, None, None]
        );
        assert_eq!(lost, ["type `gone` was not found again; your changes to it are lost"]);
        assert_eq!(new.check("m"), Ok(()));
    }

    #[test]
    fn names_that_are_taken_are_numbered() {
        let mut map = sitemap(vec![entry(0, "tag-2", None), entry(1, "tag", None), entry(3, "tag", None)]);
        map.part_names();
        assert_eq!(map.types[2].name, "tag-3");
    }
}
