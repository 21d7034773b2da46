//! Records that cannot be read. All are counted, each once; those with the lowest positions are named.

use std::collections::BTreeMap;
use std::fmt;

use rustc_hash::FxHashSet;
use serde::Serialize;

/// Maximum number of named records; the others are only counted.
const NAMED: usize = 100;
/// Maximum number of records that are remembered in order to count each once; further ones count each time they are
/// met.
const REMEMBERED: usize = 1 << 20;

/// A record that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DamagedRecord {
    /// The name of the WARC file.
    pub file: String,
    /// The record's first byte in the file.
    pub offset: u64,
    /// The URL it belongs to, if known.
    pub url: Option<String>,
    /// What is wrong with it.
    pub what: String,
}

impl fmt::Display for DamagedRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.file, self.offset)?;
        if let Some(url) = &self.url {
            write!(f, " ({url:.200})")?;
        }
        write!(f, ": {}", self.what)
    }
}

/// The unreadable records that were met in an archive.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Damage {
    /// How many.
    #[serde(rename = "damaged_count")]
    pub count: u64,
    /// The first of them, by position.
    #[serde(rename = "damaged")]
    pub records: Vec<DamagedRecord>,
    /// How many records could be read.
    #[serde(skip)]
    pub intact: u64,
    /// How often a requested response could not be read.
    #[serde(skip)]
    pub failed: u64,
}

impl Damage {
    /// Whether responses were requested and none could be read.
    pub fn is_total(&self) -> bool {
        self.failed > 0 && self.intact == 0
    }

    /// One line with the count and the first names; `None` if nothing is damaged.
    pub fn summary(&self) -> Option<String> {
        const SHOWN: usize = 3;
        let (subject, verb) = match self.count {
            0 => return None,
            1 => ("1 record".to_owned(), "is"),
            count => (format!("{count} records"), "are"),
        };
        let named: Vec<String> = self.records.iter().take(SHOWN).map(ToString::to_string).collect();
        let more = if self.count > named.len() as u64 { "; ..." } else { "" };
        Some(format!("{subject} of the archive {verb} damaged and skipped: {}{more}", named.join("; ")))
    }
}

/// Collects damage as it is found.
#[derive(Debug, Default)]
pub(crate) struct DamageLog {
    count: u64,
    places: FxHashSet<(u32, u64)>,
    named: BTreeMap<(u32, u64), DamagedRecord>,
    pub(crate) intact: u64,
    pub(crate) failed: u64,
}

impl DamageLog {
    /// Notes a record in file `number`, unless it was noted before.
    pub(crate) fn note(&mut self, number: u32, record: DamagedRecord) {
        let place = (number, record.offset);
        if self.places.contains(&place) {
            if let Some(known) = self.named.get_mut(&place).filter(|known| known.url.is_none()) {
                known.url = record.url;
            }
            return;
        }
        if self.places.len() < REMEMBERED {
            self.places.insert(place);
        }
        self.count += 1;
        self.named.insert(place, record);
        if self.named.len() > NAMED {
            self.named.pop_last();
        }
    }

    pub(crate) fn damage(&self) -> Damage {
        let records = self.named.values().cloned().collect();
        Damage { count: self.count, records, intact: self.intact, failed: self.failed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(offset: u64, url: Option<&str>) -> DamagedRecord {
        let (file, what) = ("a-00000.warc.gz".to_owned(), "torn".to_owned());
        DamagedRecord { file, offset, url: url.map(str::to_owned), what }
    }

    #[test]
    fn each_record_counts_once_and_the_first_are_named() {
        let mut log = DamageLog::default();
        assert_eq!(log.damage().summary(), None);
        for offset in (0..1000).rev() {
            log.note(0, record(offset, None));
        }
        log.note(0, record(2, Some("http://a.example/")));
        let damage = log.damage();
        assert_eq!((damage.count, damage.records.len()), (1000, NAMED));
        let summary = damage.summary().unwrap();
        assert_eq!(
            summary,
            "1000 records of the archive are damaged and skipped: a-00000.warc.gz at 0: torn; a-00000.warc.gz at 1: torn; \
             a-00000.warc.gz at 2 (http://a.example/): torn; ..."
        );
        let json = serde_json::to_value(&damage).unwrap();
        assert_eq!((&json["damaged_count"], &json["damaged"][0]["offset"]), (&1000.into(), &0.into()));
    }
}
