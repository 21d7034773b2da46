//! The uploaders of what was crawled, with their ranks: what `export --what uploaders`, `osprey topic DIR uploaders` and
//! the topic's page show.

use osprey_steer::{UploaderStanding, uploaders};

use crate::captures::Captures;
use crate::error::{Error, Result};
use crate::project::Project;

impl Project {
    /// Uploaders by rank, from the records of the crawl and of the crawls for tags. Reads all records.
    pub fn uploaders(&self) -> Result<Vec<UploaderStanding>> {
        let Some(site) = self.site()? else {
            let dir = self.layout().dir().display();
            return Err(Error::Usage(format!(
                "uploaders are read from pages of a learned site; run `osprey learn {dir}` first"
            )));
        };
        let mut records = self.stage_one(&site)?;
        if Captures::exist(self.layout().data()) {
            Captures::open(self.layout().data(), &self.resolved.settings)?
                .records(&site, |_, record| records.push(record))?;
        }
        Ok(uploaders(self.resolved.subject(), self.resolved.profile_rules(), records))
    }
}
