//! The labelled pages that the built-in trees were trained on: their features, not the pages.
//!
//! With this table a tree can be trained again without the recordings, and trained without one site to test it on that
//! site. The table is `lab/training/detail-pages.tsv`; `cargo run --release -p osprey-structure --example train_drp`
//! creates it and describes its content.

use super::features::DrpFeatures;

/// A page of a known site that is a detail page, or not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LabelledPage<'a> {
    /// The recording or the kind of simulated world, and its host where there are several: `swde-16/www.imdb.com`,
    /// `simulated/photo`.
    pub site: &'a str,
    /// Whether it is a detail page.
    pub detail: bool,
    /// Its features.
    pub features: DrpFeatures,
}

impl<'a> LabelledPage<'a> {
    /// Reads a table, site by site.
    pub fn read_table(text: &'a str) -> Vec<Self> {
        text.lines().filter(|line| !line.starts_with('#')).filter_map(Self::read).collect()
    }

    /// Whether it is of a simulated site.
    pub fn is_simulated(&self) -> bool {
        self.site.starts_with("simulated/")
    }

    /// Its line in the table.
    pub fn line(&self) -> String {
        let mut line = format!("{}\t{}", self.site, u8::from(self.detail));
        for value in self.features.all() {
            // four digits are more than a tree needs
            let text = format!("{value:.4}");
            line.push('\t');
            line.push_str(text.trim_end_matches('0').trim_end_matches('.'));
        }
        line
    }

    /// Reads a line of the table; `None` if it is invalid.
    pub fn read(line: &'a str) -> Option<Self> {
        let mut fields = line.split('\t');
        let (site, detail) = (fields.next()?, fields.next()? == "1");
        let values: Vec<f64> = fields.map(str::parse).collect::<Result<_, _>>().ok()?;
        Some(Self { site, detail, features: DrpFeatures::from_all(values.try_into().ok()?) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = include_str!("../../../../lab/training/detail-pages.tsv");

    #[test]
    fn every_line_can_be_read_and_written_back() {
        let written: Vec<&str> = TABLE.lines().filter(|line| !line.starts_with('#')).collect();
        let read: Vec<String> = LabelledPage::read_table(TABLE).iter().map(LabelledPage::line).collect();
        assert_eq!(read, written);
        assert!(read.len() > 1000);
    }

    #[test]
    fn invalid_lines_are_left_out() {
        let check = |line: &'static str, expect: bool| {
            assert_eq!(LabelledPage::read(line).is_some(), expect, "{line:?}");
        };
        check("a\t1\t0\t0\t0\t0\t0\t0\t0\t0", true);
        check("a\t1\t0\t0\t0\t0\t0\t0\t0", false);
        check("a\t1\t0\t0\t0\t0\t0\t0\t0\tx", false);
        check("", false);
    }
}
