//! Where the files of a project are: the one place that spells `data/...`.

use std::path::{Path, PathBuf};

/// The folder of a project.
#[derive(Clone, Debug)]
pub struct Layout {
    dir: PathBuf,
    data: PathBuf,
}

impl Layout {
    /// Of the project in `dir`.
    pub fn of(dir: &Path) -> Self {
        Self { dir: dir.to_owned(), data: dir.join("data") }
    }

    /// The folder itself.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// What the user wants.
    pub fn config(&self) -> PathBuf {
        self.dir.join("osprey.toml")
    }

    /// Pages that the user called good or bad.
    pub fn ratings(&self) -> PathBuf {
        self.dir.join("ratings.jsonl")
    }

    /// What Osprey knows and got.
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// The crawl's frontier.
    pub fn frontier(&self) -> PathBuf {
        self.data.join("frontier")
    }

    /// The crawl's WARC files.
    pub fn archive(&self) -> PathBuf {
        self.data.join("archive")
    }

    /// What was learned of the site.
    pub fn model(&self) -> PathBuf {
        self.data.join("model")
    }

    /// The codebook that was learnt from the project's own pictures.
    pub fn codebook(&self) -> PathBuf {
        self.model().join("codebook")
    }

    /// A codebook that takes the place of the other when everything is indexed with it.
    pub(crate) fn new_codebook(&self) -> PathBuf {
        self.model().join("codebook.new")
    }

    /// Thumbnails, and the words of pictures.
    pub fn images(&self) -> PathBuf {
        self.data.join("images")
    }

    /// The search index.
    pub fn index(&self) -> PathBuf {
        self.data.join("index")
    }

    /// A crawl of its own: the pages that the site is learned from.
    pub fn sample(&self) -> PathBuf {
        self.data.join("sample")
    }

    /// The sample before, until a new one stands.
    pub(crate) fn sample_before(&self) -> PathBuf {
        self.data.join("sample.old")
    }

    /// A crawl of its own: pages that the user named.
    pub fn example_pages(&self) -> PathBuf {
        self.data.join("given")
    }

    /// Crawls of their own, a folder each: pages whose tags are counted.
    pub fn tag_pages(&self) -> PathBuf {
        self.data.join("cotags")
    }

    /// The folders of those crawls; of older versions, which had one, that.
    pub fn tag_crawls(&self) -> Vec<PathBuf> {
        let folders = std::fs::read_dir(self.tag_pages()).into_iter().flatten();
        let folders = folders.filter_map(|entry| Some(entry.ok()?.path()));
        let mut crawls: Vec<PathBuf> =
            folders.chain([self.tag_pages()]).filter(|folder| folder.join("archive").exists()).collect();
        crawls.sort_unstable();
        crawls
    }

    /// What is usual on the site.
    pub(crate) fn background(&self) -> PathBuf {
        self.data.join("background.bin")
    }

    /// Crawls of their own, a folder each: policies that are compared, and the pages that were fetched for them.
    pub fn comparison(&self) -> PathBuf {
        self.data.join("compare")
    }

    /// How many pages have the terms of the topic.
    pub(crate) fn term_rarity(&self) -> PathBuf {
        self.data.join("term-rarity.json")
    }

    /// Cookies of earlier runs.
    pub fn cookies(&self) -> PathBuf {
        self.data.join("cookies.json")
    }
}
