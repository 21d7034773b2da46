//! Projects in temporary folders: indexes made by hand, a small mirror, simulated sites.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use osprey_engine::{Control, CrawlOptions, LearnOptions, Project, Report};
use osprey_index::{Document, DocumentKind, Index, Picture, WriterOptions};
use osprey_vision::{Codebook, Picture as Pixels, Worker};

/// What tries to be more than text.
pub(crate) const EVIL: &str = "\"><script>boom()</script><img src=x onerror=boom()>&'</title></textarea>";

/// Pages of the mirror that means harm.
const EVIL_PAGES: usize = 12;

/// A simulated site that no test crawls to its end.
pub(crate) const ENDLESS: &str = "[crawl]\nscope = \"domain\"\n[source]\nkind = \"world\"\nname = \"photo\"\nsize = 1000000\n\
                                  [vision]\npictures = \"none\"\n";

/// A folder that goes away with the test.
pub(crate) struct Folder(tempfile::TempDir);

/// A picture of a colour, with stripes.
pub(crate) fn picture(colour: [u8; 3]) -> Pixels {
    Pixels::from_fn(96, 96, move |x, _| if x % 16 < 4 { [20, 20, 20] } else { colour })
}

impl Folder {
    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// A project with this `osprey.toml`.
    pub(crate) fn project(toml: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("osprey.toml"), toml).unwrap();
        Self(folder)
    }

    /// The small mirror that ships with Osprey.
    pub(crate) fn harbour() -> Self {
        let mirror = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/harbour");
        Self::project(&replay("http://harbour.example/", &mirror))
    }

    /// No project: an index of so many documents, of which the first is evil through and through.
    pub(crate) fn pictures(documents: usize) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        folder.index(documents, |number| format!("http://photos.example/{number}?a=1&b=%22"));
        folder
    }

    /// A project that was crawled, learned and indexed, with evil wherever something from the Web is shown.
    pub(crate) fn evil() -> Self {
        let folder = Self::project("");
        let mirror = folder.path().join("mirror");
        std::fs::create_dir(&mirror).unwrap();
        let text = EVIL.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
        let page = |name: &str, body: &str| {
            let html = format!("<!doctype html><title>{text}</title><body>{body}");
            std::fs::write(mirror.join(name), html).unwrap();
        };
        let mut list = String::new();
        for number in 0..EVIL_PAGES {
            write!(list, "<p class=\"{text}\"><a href=\"{number}.html\">{text}</a></p>").unwrap();
            page(
                &format!("{number}.html"),
                &format!("<h1>{text}</h1><p>Number {number}<p><a href=\"./\">{text}</a>"),
            );
        }
        page("index.html", &list);
        let tags = serde_json::to_string(&[EVIL]).unwrap();
        let toml = format!("{}[topic]\ntags = {tags}\n", replay("http://photos.example/", &mirror));
        std::fs::write(folder.path().join("osprey.toml"), toml).unwrap();
        folder.crawl();
        folder.learn(&LearnOptions { crawled: true, ..LearnOptions::default() });
        let sitemap = folder.path().join("data/model/sitemap.toml");
        let mut edited: toml::Table = std::fs::read_to_string(&sitemap).unwrap().parse().unwrap();
        let kind = edited["type"][0].as_table_mut().unwrap();
        kind.insert("name".to_owned(), EVIL.into());
        kind.insert("examples".to_owned(), vec![EVIL].into());
        std::fs::write(&sitemap, edited.to_string()).unwrap();
        folder.index(3, |number| format!("http://photos.example/{number}.html"));
        folder
    }

    /// Opens the project.
    pub(crate) fn open(&self) -> Project {
        Project::open(self.path()).unwrap()
    }

    /// Crawls to the end.
    pub(crate) fn crawl(&self) -> Report {
        self.open().crawl(&CrawlOptions::default(), control(&AtomicBool::new(false))).unwrap()
    }

    /// Learns the site.
    pub(crate) fn learn(&self, options: &LearnOptions) {
        self.open().learn(options, control(&AtomicBool::new(false))).unwrap();
    }

    fn index(&self, documents: usize, url: impl Fn(usize) -> String) {
        let codebook = Codebook::embedded();
        let index = Index::open(&self.path().join("data/index"), Arc::clone(&codebook)).unwrap();
        let mut writer = index.writer(&WriterOptions::default()).unwrap();
        let mut worker = Worker::new(codebook);
        let words = [[200, 30, 40], [30, 60, 200]].map(|colour| worker.look(&picture(colour)));
        for number in 0..documents {
            let is_evil = number == 0;
            let text = |text: String| if is_evil { EVIL.to_owned() } else { text };
            let thumbnail = format!("00/{number:032x}.jpg");
            let file = self.path().join("data/images").join(&thumbnail);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, &words[number % 2].thumbnail).unwrap();
            writer
                .put(&Document {
                    url: url(number),
                    kind: DocumentKind::Record,
                    title: format!("harbour {}", text(format!("number {number}"))),
                    tags: vec![text("boat".to_owned()), "sea side".to_owned()],
                    uploader: text(format!("user {}", number % 3)),
                    site: text("photos.example".to_owned()),
                    description: text("A boat in the harbour".to_owned()),
                    text: "A boat in the harbour at night".to_owned(),
                    picture: Some(Picture {
                        url: format!("http://photos.example/{number}.jpg"),
                        thumbnail,
                        words: words[number % 2].clone(),
                    }),
                    ..Document::default()
                })
                .unwrap();
        }
        writer.commit(None).unwrap();
    }
}

/// Configuration of a crawl of a mirror.
fn replay(base: &str, mirror: &Path) -> String {
    let mirror = mirror.to_str().unwrap();
    format!(
        "[crawl]\nseeds = [\"{base}\"]\n[source]\nkind = \"replay\"\npath = \"{mirror}\"\nbase = \"{base}\"\n"
    )
}

/// A control without observers.
pub(crate) fn control(stop: &AtomicBool) -> Control<'_> {
    Control { stop, observer: &() }
}
