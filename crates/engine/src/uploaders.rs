//! The uploaders of what was crawled, with their ranks: what `export --what uploaders`, `osprey topic DIR uploaders` and
//! the topic's page show.

use osprey_archive::Damage;
use osprey_steer::{UploaderStanding, uploaders};

use crate::captures::Captures;
use crate::error::{Error, Result};
use crate::project::Project;

/// Who uploaded what was crawled.
#[derive(Debug)]
pub struct Uploaders {
    /// The best first.
    pub ranked: Vec<UploaderStanding>,
    /// What of the crawl could not be read, and so does not count.
    pub damage: Damage,
}

impl Project {
    /// Uploaders by rank, from the records of the crawl and of the crawls for tags. Reads all records.
    pub fn uploaders(&self) -> Result<Uploaders> {
        let Some(site) = self.site()? else {
            let dir = self.layout().dir().display();
            return Err(Error::Usage(format!(
                "uploaders are read from pages of a learned site; run `osprey learn {dir}` first"
            )));
        };
        let (mut records, mut damage) = (self.stage_one(&site)?, Damage::default());
        if Captures::exist(self.layout().data()) {
            let captures = Captures::open(self.layout().data(), &self.resolved.settings)?;
            captures.records(&site, |_, record| records.push(record))?;
            damage = captures.damage();
        }
        let ranked = uploaders(self.resolved.subject(), self.resolved.profile_rules(), records);
        Ok(Uploaders { ranked, damage })
    }
}
