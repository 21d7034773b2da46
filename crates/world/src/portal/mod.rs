//! A Web of many hosts in English and Chinese, ordered by a taxonomy (Chen et al. 2009).
//!
//! General portals, sites of one branch or one topic, forums and companies: their paths follow the taxonomy in English
//! words, abbreviations, pinyin, initials, or not at all; their pages are UTF-8 or GBK, declared in the header, only in
//! `<meta>`, wrongly, or nowhere. Links go down, sideways, across, out and up, and tend to keep their topic. The hosts
//! are `{name}-{number}.portal.{domain}`; some portals have a host for each branch.

mod address;
mod hosts;
mod page;
#[cfg(test)]
mod tests;
mod views;
mod writer;

use osprey_model::CanonicalUrl;

use crate::campus::world_topic;
use crate::nasty::Setting;
use crate::site::Site;
use crate::text::topics;
use crate::{Answer, Ask, Truth, WorldTopic};

use hosts::{Hosts, leaves};
use page::{Kind, Page};
use writer::PortalWriter;

/// Where a user would start: two general portals and four sites of a branch, half of them in each language.
const SEEDS: u32 = 6;

/// The world `portal`.
pub(crate) struct Portal {
    setting: Setting,
    hosts: Hosts,
}

impl Portal {
    pub(crate) fn new(setting: Setting) -> Self {
        let hosts = Hosts::new(setting.dice, setting.pages);
        Self { setting, hosts }
    }
}

impl Site for Portal {
    fn seeds(&self) -> Vec<String> {
        let home = |id: u32| address::url(&self.setting, &self.hosts.host(id), Page::home(id));
        (0..SEEDS.min(self.hosts.count)).map(home).collect()
    }

    fn answer(&self, ask: &Ask<'_>) -> Option<Answer> {
        let (host, page) = address::find(&self.setting, &self.hosts, ask.url)?;
        let out = PortalWriter::at(self, &host, page);
        let title = out.heading();
        Some(out.finish(&title, |out| match page.kind {
            Kind::Home => out.home(),
            Kind::Info => out.info(),
            Kind::Friends => out.friend_links(20),
            Kind::Section => out.section(),
            Kind::Channel => out.channel(),
            Kind::Item => out.item(),
            Kind::User => out.user(),
        }))
    }

    fn truth(&self, url: &CanonicalUrl) -> Option<Truth> {
        address::find(&self.setting, &self.hosts, url).map(|(host, page)| host.truth(page))
    }

    fn pages(&self) -> Box<dyn Iterator<Item = String> + '_> {
        Box::new((0..self.hosts.count).flat_map(|id| {
            let host = self.hosts.host(id);
            let pages = host.pages().into_iter();
            pages.map(|page| address::url(&self.setting, &host, page)).collect::<Vec<_>>()
        }))
    }

    fn topics(&self) -> Vec<WorldTopic> {
        let words = leaves().iter().filter_map(|leaf| topics().get(usize::from(leaf.topic.0)));
        words.map(world_topic).collect()
    }

    fn robots_txt(&self, host: &str) -> Option<String> {
        match self.setting.dice.of("robots").of(host).below(3) {
            0 => None,
            1 => Some("User-agent: *\nAllow: /\n".to_owned()),
            _ => {
                Some("User-agent: *\nDisallow: /login\nDisallow: /calendar/\nDisallow: /admin/\n".to_owned())
            }
        }
    }
}
