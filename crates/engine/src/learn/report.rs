//! The report of `osprey learn`: a table, a picture, one JSON document.

use std::collections::BTreeMap;

use osprey_archive::Damage;
use osprey_charts::{Cell, Edge, GraphPlot, Node, Table, table_to_text};
use osprey_model::PageType;
use osprey_structure::extract::{FieldRule, Proposals};
use osprey_structure::site::SitemapEntry;
use osprey_structure::types::PageTypes;
use osprey_structure::{SiteModel, Sitemap};
use serde::Serialize;

use osprey_structure::site::RuleProposer;

use crate::layout::Layout;
use crate::site_files::SiteFiles;
use crate::words::{counted, damage_line};

/// Arrows with a smaller share of a type's links are not drawn.
const TYPICAL: f64 = 0.05;

/// One arrow of the sitemap.
#[derive(Debug, Serialize)]
struct Arrow {
    from: u32,
    to: u32,
    /// Estimated over the sample: Xu et al. 2018, equation 6.
    links: f64,
}

/// What became of the proposed rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RulesPlace {
    /// There is nothing to propose.
    None,
    /// They are in `osprey.toml`.
    Written,
    /// Those in `osprey.toml` were edited and stay.
    Edited,
    /// `osprey.toml` has rules of its own.
    Own,
    /// Beside the model, where a project without an `osprey.toml` has them.
    Proposals,
}

/// A proposed rule.
#[derive(Debug, Serialize)]
struct Proposal<'a> {
    #[serde(flatten)]
    rule: &'a FieldRule,
    coverage: f64,
    evidence: &'a str,
}

/// What `learn --json` ends with.
#[derive(Debug, Serialize)]
pub struct LearnReport<'a> {
    pages: usize,
    in_vain: u64,
    outliers: usize,
    variant: osprey_structure::Recipe,
    model: &'a str,
    types: &'a [SitemapEntry],
    adjacency: Vec<Arrow>,
    /// The path strings that tell a type from the others, by its name.
    marks: BTreeMap<&'a str, Vec<&'a str>>,
    proposals: Vec<Proposal<'a>>,
    rules: RulesPlace,
    notes: &'a [String],
    #[serde(flatten)]
    damage: &'a Damage,
}

impl<'a> LearnReport<'a> {
    pub(super) fn new(
        model: &'a SiteModel,
        sitemap: &'a Sitemap,
        look: &'a RuleProposer,
        in_vain: u64,
        rules: RulesPlace,
        damage: &'a Damage,
    ) -> Self {
        let arrows = model.navigation.adjacency().into_iter();
        let adjacency = arrows.filter_map(|((from, to), links)| Some(Arrow { from: from?, to: to?, links }));
        Self {
            pages: model.sample.len(),
            in_vain,
            outliers: model.outliers(),
            variant: model.recipe,
            model: &model.id,
            types: &sitemap.types,
            adjacency: adjacency.collect(),
            marks: marks(&look.page_types),
            proposals: look.proposals.iter().flat_map(|(_, proposals)| listed(proposals)).collect(),
            rules,
            notes: &model.notes,
            damage,
        }
    }

    /// The sitemap as SVG.
    pub(super) fn picture(&self, title: &str) -> String {
        let node = |entry: &SitemapEntry| Node {
            name: entry.name.clone(),
            kind: entry.label.to_string(),
            size: entry.pages as f64,
        };
        let place = |cluster: u32| self.types.iter().position(|entry| entry.cluster == cluster);
        // every page of a site links to a little of everything: what is rarely would hide what is typical
        let all = |from: u32| -> f64 {
            self.adjacency.iter().filter(|arrow| arrow.from == from).map(|arrow| arrow.links).sum()
        };
        let typical = self.adjacency.iter().filter(|arrow| arrow.links >= TYPICAL * all(arrow.from));
        let edges = typical.filter_map(|arrow| {
            Some(Edge { from: place(arrow.from)?, to: place(arrow.to)?, weight: arrow.links })
        });
        let plot = GraphPlot {
            title: format!("{title}: page types of {}", counted(self.pages as u64, "sampled page")),
            nodes: self.types.iter().map(node).collect(),
            edges: edges.collect(),
        };
        plot.to_svg()
    }

    /// The name of a type, and of the one that it is in truth.
    fn called(&self, entry: &SitemapEntry) -> String {
        let same = entry.same_as.and_then(|same| self.types.iter().find(|other| other.cluster == same));
        same.map_or_else(|| entry.name.clone(), |same| format!("{} (= {})", entry.name, same.name))
    }

    fn rules_text(&self, files: &SiteFiles) -> String {
        if self.proposals.is_empty() {
            let is_read = |entry: &&SitemapEntry| matches!(entry.label, PageType::Detail | PageType::Profile);
            let why = match self.types.iter().filter(is_read).count() {
                0 => "no type is labelled detail or profile",
                _ => "nothing that differs from page to page was found on detail and profile pages",
            };
            let kept = match self.rules {
                RulesPlace::Edited | RulesPlace::Own => "; the rules in osprey.toml are unchanged",
                RulesPlace::None | RulesPlace::Written | RulesPlace::Proposals => "",
            };
            return format!("no extraction rules proposed: {why}{kept}\n");
        }
        let mut table = Table::new("", ["on", "field", "found on", "path"]);
        for proposal in &self.proposals {
            table.rows.push(vec![
                Cell::from(proposal.rule.on.as_deref().unwrap_or_default()),
                Cell::from(proposal.rule.field.to_string().as_str()),
                Cell::from(format!("{:.0} %", 100.0 * proposal.coverage).as_str()),
                Cell::from(proposal.rule.path.as_str()),
            ]);
        }
        let proposals = files.proposals_file();
        let place = match self.rules {
            RulesPlace::None | RulesPlace::Written => {
                "extraction rules, written to osprey.toml with the reason for each".to_owned()
            }
            RulesPlace::Edited => format!(
                "extraction rules; those in osprey.toml were edited and stay as they are (`--replace-rules` replaces them), \
                 these are in {}",
                proposals.display()
            ),
            RulesPlace::Proposals => format!("extraction rules, written to {}", proposals.display()),
            RulesPlace::Own => format!(
                "extraction rules; osprey.toml already has `[extract]` and is unchanged, so these are in {}",
                proposals.display()
            ),
        };
        format!("{place}:\n\n{}\n", table_to_text(&table))
    }

    /// For people: a table, and where the rest is.
    pub fn text(&self, layout: &Layout) -> String {
        let files = &SiteFiles::of(layout);
        let mut table =
            Table::new("", ["type", "label", "wanted", "pages", "links in", "links out", "example"]);
        for entry in self.types {
            let wanted = match entry.wanted {
                Some(true) => "yes",
                Some(false) => "no",
                None => "",
            };
            table.rows.push(vec![
                Cell::from(self.called(entry).as_str()),
                Cell::from(entry.label.name()),
                Cell::from(wanted),
                Cell::Number(entry.pages as f64),
                Cell::Number(entry.links_in as f64),
                Cell::Number(entry.links_out as f64),
                Cell::from(entry.examples.first().map(String::as_str).unwrap_or_default()),
            ]);
        }
        let mut text = format!(
            "{} sampled: {}, {} of no type\n\n{}\n",
            counted(self.pages as u64, "page"),
            counted(self.types.len() as u64, "type"),
            counted(self.outliers as u64, "page"),
            table_to_text(&table)
        );
        text.push_str(&self.rules_text(files));
        for note in self.notes {
            text.push_str(&format!("note: {note}\n"));
        }
        if let Some(line) = damage_line(self.damage, layout.dir()) {
            text.push_str(&format!("{line}\n"));
        }
        text.push_str(&format!(
            "picture: {}\nedit names, labels and wanted types in {}; the next crawl uses them\n",
            files.picture_file().display(),
            files.sitemap_file().display()
        ));
        text
    }
}

fn listed(proposals: &Proposals) -> impl Iterator<Item = Proposal<'_>> {
    proposals.proposed.iter().map(|proposed| Proposal {
        rule: &proposed.rule,
        coverage: proposed.coverage,
        evidence: &proposed.evidence,
    })
}

fn marks(types: &PageTypes) -> BTreeMap<&str, Vec<&str>> {
    let mut marks: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for rule in &types.types {
        let paths = rule.separating.iter().map(|path| path.text.as_str());
        marks.entry(&rule.name).or_default().extend(paths);
    }
    marks
}
