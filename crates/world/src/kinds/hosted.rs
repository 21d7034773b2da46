//! From a plan of places to a site: URLs to places and back, truths, the order of answers. A kind only says what it is
//! made of.
//!
//! A URL is a page's if reading it and writing it again gives the same URL: `?page=1` and `?page=007` are not pages,
//! so that no page has two names besides the ones that are made on purpose. Made here: `?sort=`, another order of the
//! same list, and the house rules that every footer links to. Pictures are drawn for any name under `/media/`.

use osprey_model::CanonicalUrl;

use crate::nasty::Setting;
use crate::site::{Answer, Ask, Site, Truth, WorldTopic};
use osprey_model::PageType;

use super::ground::Ground;
use super::sheet::Sheet;

/// What lists can be sorted by.
pub(super) const SORTS: [&str; 3] = ["date", "rating", "name"];

/// The house rules: path and title.
pub(super) const RULES: [(&str, &str); 8] = [
    ("/about", "About us"),
    ("/about/terms", "Terms of use"),
    ("/about/privacy", "Privacy policy"),
    ("/about/contact", "Contact"),
    ("/about/jobs", "Jobs"),
    ("/about/press", "Press room"),
    ("/about/help", "Help and frequent questions"),
    ("/about/advertise", "Advertise with us"),
];

/// A path with its query, as asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'a> {
    pub(crate) whole: &'a str,
    pub(crate) path: &'a str,
    query: &'a str,
}

impl<'a> Asked<'a> {
    fn new(path_and_query: &'a str) -> Self {
        let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
        Self { whole: path_and_query, path, query }
    }

    /// The value of a query parameter.
    pub(crate) fn param(&self, name: &str) -> Option<&'a str> {
        self.query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
    }

    /// The number of a list's page: 1 if none is given.
    pub(crate) fn page(&self, name: &str) -> Option<u64> {
        self.param(name).map_or(Some(1), |text| text.parse().ok())
    }
}

/// What stands where on a site, and for whom it was made.
pub(crate) trait Plan: Sized + Send + Sync {
    /// One page.
    type Place: Copy + PartialEq;

    /// The plan for a setting.
    fn new(setting: Setting) -> Self;

    /// What the site stands on.
    fn ground(&self) -> &Ground;

    /// The place of a URL's path and query; checked by [`Plan::path`], so it may be generous.
    fn read(&self, asked: Asked<'_>) -> Option<Self::Place>;

    /// Appends the path and query of a place.
    fn path(&self, place: Self::Place, out: &mut String);

    /// Whether a place that can be written down is there.
    fn exists(&self, place: Self::Place) -> bool;

    /// What is true of a place that is there.
    fn truth(&self, place: Self::Place) -> Truth;

    /// What its page is drawn from: a name and a number that the pages of one list share.
    fn grain(&self, place: Self::Place) -> (&'static str, u64);

    /// Every place that counts.
    fn places(&self) -> Box<dyn Iterator<Item = Self::Place> + '_>;

    /// The start page.
    fn home(&self) -> Self::Place;

    /// The site's name and its navigation.
    fn menu(&self) -> (&'static str, Vec<(Self::Place, String)>);

    /// Writes the page between [`Sheet::begin`] and [`Sheet::end`], both included.
    fn write(&self, place: Self::Place, sheet: &mut Sheet<'_, Self>);

    /// Writes what stands beside the page.
    fn aside(&self, place: Self::Place, sheet: &mut Sheet<'_, Self>);

    /// A path like those of the site's pages where nothing stands.
    fn gone(&self, draw: u64) -> String;

    /// The paths that robots may not see.
    fn disallowed(&self) -> &'static [&'static str];
}

/// What a URL of a site names.
#[derive(Clone, Copy)]
enum Named<'a, Place> {
    Place(Place),
    Sorted(Place, &'a str),
    Rule(usize),
}

/// A plan as a site.
pub(crate) struct Hosted<P> {
    plan: P,
}

impl<P: Plan> Hosted<P> {
    pub(crate) fn new(setting: Setting) -> Self {
        Self { plan: P::new(setting) }
    }

    pub(crate) fn plan(&self) -> &P {
        &self.plan
    }

    fn named<'a>(&self, url: &'a CanonicalUrl) -> Option<Named<'a, P::Place>> {
        if !self.is_host(url) {
            return None;
        }
        let asked = url.path_and_query();
        if let Some(rule) = RULES.iter().position(|(path, _)| *path == asked) {
            return Some(Named::Rule(rule));
        }
        if let Some((clean, sort)) =
            asked.rsplit_once(['?', '&']).filter(|(_, last)| last.starts_with("sort="))
        {
            let is_known = SORTS.iter().any(|name| sort.strip_prefix("sort=") == Some(name));
            let place = self.place(clean).filter(|_| is_known)?;
            return (self.plan.truth(place).page_type == PageType::List)
                .then_some(Named::Sorted(place, clean));
        }
        self.place(asked).map(Named::Place)
    }

    fn place(&self, path_and_query: &str) -> Option<P::Place> {
        let place = self.plan.read(Asked::new(path_and_query)).filter(|place| self.plan.exists(*place))?;
        let mut clean = String::with_capacity(path_and_query.len());
        self.plan.path(place, &mut clean);
        (clean == path_and_query).then_some(place)
    }

    /// The name of the file under `/media/` at a URL.
    fn medium<'a>(&self, url: &'a CanonicalUrl) -> Option<&'a str> {
        let name = url.path_and_query().strip_prefix("/media/").filter(|_| self.is_host(url))?;
        [".css", ".js", ".jpg"].iter().any(|ending| name.ends_with(ending)).then_some(name)
    }

    fn file(&self, name: &str) -> Answer {
        if name.ends_with(".css") {
            return Answer::new(200, "text/css", "body { margin: 0 }\n");
        }
        if name.ends_with(".js") {
            return Answer::new(200, "text/javascript", "\"use strict\";\n");
        }
        let (ground, dice) = (self.plan.ground(), self.plan.ground().setting.dice.of("media").of(name));
        let topic = ground.topic_id(dice.of("topic").below(ground.topic_count()) as usize);
        Answer::new(200, "image/jpeg", crate::picture::jpeg(topic, dice, 120, 90))
    }

    fn is_host(&self, url: &CanonicalUrl) -> bool {
        url.origin() == self.plan.ground().origin
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.plan.ground().origin)
    }
}

impl<P: Plan> Site for Hosted<P> {
    fn seeds(&self) -> Vec<String> {
        let mut path = String::new();
        self.plan.path(self.plan.home(), &mut path);
        vec![self.url(&path)]
    }

    fn answer(&self, ask: &Ask<'_>) -> Option<Answer> {
        if let Some(name) = self.medium(ask.url) {
            return Some(self.file(name));
        }
        let page = match self.named(ask.url)? {
            Named::Place(place) => Sheet::of_place(&self.plan, place, false),
            Named::Sorted(place, _) => Sheet::of_place(&self.plan, place, true),
            Named::Rule(rule) => Sheet::of_rule(&self.plan, rule),
        };
        Some(page)
    }

    fn truth(&self, url: &CanonicalUrl) -> Option<Truth> {
        let Some(named) = self.named(url) else {
            return self.medium(url).map(|_| Truth { template: "medium".into(), ..Truth::default() });
        };
        Some(match named {
            Named::Place(place) => self.plan.truth(place),
            Named::Sorted(place, clean) => {
                Truth { duplicate_of: Some(self.url(clean)), ..self.plan.truth(place) }
            }
            Named::Rule(_) => Truth { template: "rules".into(), ..Truth::default() },
        })
    }

    fn pages(&self) -> Box<dyn Iterator<Item = String> + '_> {
        let rules = RULES.iter().map(|(path, _)| self.url(path));
        let places = self.plan.places().map(|place| {
            let mut url = self.plan.ground().origin.clone();
            self.plan.path(place, &mut url);
            url
        });
        Box::new(places.chain(rules))
    }

    fn topics(&self) -> Vec<WorldTopic> {
        self.plan.ground().world_topics()
    }

    fn robots_txt(&self, host: &str) -> Option<String> {
        let ours = self.plan.ground().origin.strip_prefix("http://") == Some(host);
        ours.then(|| {
            let mut text = String::from("User-agent: *\n");
            for path in self.plan.disallowed() {
                text.push_str("Disallow: ");
                text.push_str(path);
                text.push('\n');
            }
            text.push_str("Sitemap: ");
            text.push_str(&self.url("/sitemap.xml\n"));
            text
        })
    }
}
