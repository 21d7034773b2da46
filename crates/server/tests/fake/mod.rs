//! A project that is not one: an index with a few documents, and answers that are written down.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use osprey_index::{Document, Index, Kind, Picture, WriterOptions};
use osprey_server::{
    CrawlView, Doing, ExpansionView, Order, Origin, Project, Shelf, SiteTypeView, SitemapView, TagView,
    TermsView, TopicView, Trouble, VisitView,
};
use osprey_vision::{Codebook, Picture as Pixels, Worker, jpeg};

/// What tries to be more than text.
pub(crate) const EVIL: &str = "\"><script>boom()</script><img src=x onerror=boom()>&'</title></textarea>";

pub(crate) struct Fake {
    pub(crate) folder: tempfile::TempDir,
    shelf: Shelf,
    pub(crate) orders: Mutex<Vec<Order>>,
    pub(crate) wishes: Mutex<Vec<(u32, Option<bool>)>>,
    pub(crate) topics: Mutex<Vec<TopicView>>,
}

/// A picture of a colour, with stripes.
pub(crate) fn picture(colour: [u8; 3]) -> Pixels {
    Pixels::from_fn(96, 96, move |x, _| if x % 16 < 4 { [20, 20, 20] } else { colour })
}

impl Fake {
    /// With so many documents, of which the first is evil through and through.
    pub(crate) fn new(documents: usize) -> Arc<Self> {
        let folder = tempfile::tempdir().unwrap();
        let codebook = Codebook::embedded();
        let index = Index::open(&folder.path().join("index"), Arc::clone(&codebook)).unwrap();
        let mut writer = index.writer(&WriterOptions::default()).unwrap();
        let mut worker = Worker::new(Arc::clone(&codebook));
        let words: Vec<_> =
            [[200, 30, 40], [30, 60, 200]].map(|colour| worker.look(&picture(colour))).into_iter().collect();
        for number in 0..documents {
            let is_evil = number == 0;
            let text = |text: String| if is_evil { EVIL.to_owned() } else { text };
            writer
                .put(&Document {
                    url: format!("http://photos.example/{number}?a=1&b=%22"),
                    kind: Kind::Record,
                    title: format!("harbour {}", text(format!("number {number}"))),
                    tags: vec![text("boat".to_owned()), "sea side".to_owned()],
                    uploader: text(format!("user {}", number % 3)),
                    site: text("photos.example".to_owned()),
                    description: text("A boat in the harbour".to_owned()),
                    text: "A boat in the harbour at night".to_owned(),
                    picture: Some(Picture {
                        url: format!("http://photos.example/{number}.jpg"),
                        thumbnail: format!("00/{number:032x}.jpg"),
                        words: words[number % 2].clone(),
                    }),
                    ..Document::default()
                })
                .unwrap();
        }
        writer.commit(None).unwrap();
        let shelf = Shelf { searcher: Arc::new(index.searcher().unwrap()), codebook };
        let (orders, wishes, topics) = (Mutex::default(), Mutex::default(), Mutex::default());
        Arc::new(Self { folder, shelf, orders, wishes, topics })
    }
}

impl Project for Fake {
    fn name(&self) -> &str {
        "fake"
    }

    fn shelf(&self) -> Result<Option<Shelf>, Trouble> {
        Ok(Some(self.shelf.clone()))
    }

    fn thumbnail(&self, path: &str) -> Option<PathBuf> {
        Some(self.folder.path().join(path.replace('/', "-")))
    }

    fn picture(&self, _: &str) -> Result<Option<Vec<u8>>, Trouble> {
        Ok(Some(jpeg(&picture([200, 30, 40]))))
    }

    fn origin(&self, url: &str) -> Result<Option<Origin>, Trouble> {
        let why = [(EVIL.to_owned(), 0.5)].into();
        let visit = VisitView {
            n: 7,
            url: url.to_owned(),
            title: Some(EVIL.to_owned()),
            why,
            ..VisitView::default()
        };
        Ok(Some(Origin {
            visit,
            parent: Some(EVIL.to_owned()),
            apath: Some(EVIL.to_owned()),
            ..Origin::default()
        }))
    }

    fn crawl(&self) -> CrawlView {
        let visit =
            VisitView { n: 3, url: EVIL.to_owned(), title: Some(EVIL.to_owned()), ..VisitView::default() };
        CrawlView {
            doing: Doing::Rests,
            message: Some(EVIL.to_owned()),
            policies: vec!["profile".to_owned()],
            curve: vec![(0, 0), (10, 4)],
            errors: [(EVIL.to_owned(), 2)].into(),
            recent: vec![visit],
            ..CrawlView::default()
        }
    }

    fn order(&self, order: &Order) -> Result<(), Trouble> {
        self.orders.lock().unwrap().push(order.clone());
        Ok(())
    }

    fn sitemap(&self) -> Result<Option<SitemapView>, Trouble> {
        let kind = SiteTypeView {
            number: 4,
            name: EVIL.to_owned(),
            examples: vec![EVIL.to_owned()],
            ..SiteTypeView::default()
        };
        Ok(Some(SitemapView {
            types: vec![kind],
            links: Vec::new(),
            svg: "<svg xmlns=\"http://www.w3.org/2000/svg\"/>".to_owned(),
        }))
    }

    fn sitemap_drawing(&self) -> Result<Option<String>, Trouble> {
        Ok(Some("<svg xmlns=\"http://www.w3.org/2000/svg\"/>".to_owned()))
    }

    fn want(&self, page_type: u32, wanted: Option<bool>) -> Result<(), Trouble> {
        self.wishes.lock().unwrap().push((page_type, wanted));
        Ok(())
    }

    fn topic(&self) -> Result<TopicView, Trouble> {
        Ok(TopicView { tags: vec![EVIL.to_owned()], ..TopicView::default() })
    }

    fn expand(&self, tags: &[String]) -> Result<ExpansionView, Trouble> {
        let tags = tags.iter().map(|tag| TagView { tag: tag.clone(), votes: 3, ..TagView::default() });
        Ok(ExpansionView { pages: 9, tags: tags.collect(), ..ExpansionView::default() })
    }

    fn terms(&self, _: &[String], _: &[String]) -> Result<TermsView, Trouble> {
        Err(Trouble::Busy(EVIL.to_owned()))
    }

    fn set_topic(&self, topic: &TopicView) -> Result<(), Trouble> {
        self.topics.lock().unwrap().push(topic.clone());
        Ok(())
    }
}
