//! Sites with a second name for their pages that redirects to the first: numbers of posts, short names of questions.

use osprey_model::CanonicalUrl;

use super::super::hosted::{Hosted, Plan};
use crate::nasty::Setting;
use crate::site::{Answer, Ask, Site, Truth, WorldTopic};

/// A plan with shortcuts.
pub(crate) trait Shortcuts: Plan {
    /// The status of the redirect.
    const STATUS: u16;

    /// The place that a shortcut's path leads to; `None` if the path is not exactly a shortcut's.
    fn shortcut(&self, path_and_query: &str) -> Option<Self::Place>;
}

/// A plan with shortcuts as a site.
pub(crate) struct Shortened<P>(Hosted<P>);

impl<P: Shortcuts> Shortened<P> {
    pub(crate) fn new(setting: Setting) -> Self {
        Self(Hosted::new(setting))
    }

    /// Where a shortcut leads to.
    fn target(&self, url: &CanonicalUrl) -> Option<String> {
        let plan = self.0.plan();
        let is_here = url.origin() == plan.ground().origin;
        let place = plan.shortcut(url.path_and_query()).filter(|_| is_here)?;
        let mut target = plan.ground().origin.clone();
        plan.path(place, &mut target);
        Some(target)
    }
}

impl<P: Shortcuts> Site for Shortened<P> {
    fn seeds(&self) -> Vec<String> {
        self.0.seeds()
    }

    fn answer(&self, ask: &Ask<'_>) -> Option<Answer> {
        match self.target(ask.url) {
            Some(target) => Some(Answer::redirect(P::STATUS, &target)),
            None => self.0.answer(ask),
        }
    }

    fn truth(&self, url: &CanonicalUrl) -> Option<Truth> {
        match self.target(url) {
            Some(target) => {
                let (template, waste) = ("redirect".into(), Some("redirect".into()));
                Some(Truth { template, waste, duplicate_of: Some(target), ..Truth::default() })
            }
            None => self.0.truth(url),
        }
    }

    fn pages(&self) -> Box<dyn Iterator<Item = String> + '_> {
        self.0.pages()
    }

    fn topics(&self) -> Vec<WorldTopic> {
        self.0.topics()
    }

    fn robots_txt(&self, host: &str) -> Option<String> {
        self.0.robots_txt(host)
    }
}
