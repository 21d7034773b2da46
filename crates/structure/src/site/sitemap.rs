//! The kinds of page of a site as a person sees them: a short list that may be edited.
//!
//! What was learned stays as it is; the sitemap says what to make of it. A person may rename a kind, give it another
//! label, say that two are one (`same_as`), and mark it as wanted or unwanted; the rest is there to decide by.

use osprey_model::PageType;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::navigation::Cluster;

/// The version of the file that this build writes and reads.
pub const SITEMAP_VERSION: u32 = 1;

/// One kind of page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SitemapEntry {
    /// The number of the cluster; what everything else refers to.
    pub cluster: u32,
    /// What people call it.
    pub name: String,
    /// What it was called when it was found; rules may use either.
    pub found_as: String,
    /// What it is.
    pub label: PageType,
    /// Whether crawls are to bring such pages: yes, no, or nothing said.
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
    /// [`SITEMAP_VERSION`].
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
    #[error("type `{0}`: cluster {1} is there twice")]
    Twice(String, u32),
    /// A reference to a cluster that is not there.
    #[error("type `{0}`: `same_as = {1}`: there is no such cluster")]
    NoSuch(String, u32),
    /// References in a ring.
    #[error("type `{0}`: `same_as` leads back to itself")]
    Ring(String),
    /// A rule for a kind that is not there.
    #[error("`[extract]`: there is no page type `{0}`; there are {1}")]
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

    /// The cluster that a cluster is in truth; `None` if that leads in a ring.
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

    /// The same for a cluster or none; what leads in a ring stays.
    pub fn joined(&self, cluster: Cluster) -> Cluster {
        cluster.map(|cluster| self.root(cluster).unwrap_or(cluster))
    }

    /// Takes over what a person said about an older sitemap. `shared` gives for a new cluster the old one that most of
    /// its pages were in.
    pub fn take_over(&mut self, old: &Self, shared: impl Fn(u32) -> Option<u32>) {
        let mut taken = Vec::new();
        for entry in &mut self.types {
            let Some(was) = shared(entry.cluster).and_then(|cluster| old.entry(cluster)) else { continue };
            // a kind that fell apart keeps its mark in all parts, its name in the largest
            entry.wanted = was.wanted;
            if !taken.contains(&was.cluster) {
                taken.push(was.cluster);
                entry.name.clone_from(&was.name);
                entry.label = was.label;
            }
        }
        let names: Vec<String> = self.types.iter().map(|entry| entry.name.clone()).collect();
        for (place, entry) in self.types.iter_mut().enumerate() {
            if names.iter().take(place).any(|name| *name == entry.name) {
                entry.name = format!("{}-{}", entry.name, entry.cluster);
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
        check(vec![entry(0, "a", None), entry(0, "b", None)], Some("type `b`: cluster 0 is there twice"));
        check(vec![entry(0, "a", Some(7))], Some("type `a`: `same_as = 7`: there is no such cluster"));
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
    fn a_new_sitemap_takes_over_what_was_said() {
        let mut old = sitemap(vec![entry(0, "thread", None), entry(1, "tag", None)]);
        old.types[0].wanted = Some(true);
        old.types[1].label = PageType::Other;
        // 0 fell apart into 0 and 2, 1 is there as before, 3 is new and happens to be called the same
        let mut new = sitemap(vec![
            entry(0, "x", None),
            entry(1, "y", None),
            entry(2, "z", None),
            entry(3, "tag", None),
        ]);
        new.take_over(&old, |cluster| [Some(0), Some(1), Some(0), None][cluster as usize]);
        let names: Vec<&str> = new.types.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["thread", "tag", "z", "tag-3"]);
        assert_eq!(
            new.types.iter().map(|entry| entry.wanted).collect::<Vec<_>>(),
            [Some(true), None, Some(true), None]
        );
        assert_eq!(new.types[1].label, PageType::Other);
    }
}
