//! `osprey extract FILE-OR-URL`: the record of one page, which rule gave each field, and which rules gave nothing and why.
//!
//! The rules are those of `--rule`, those of a project for the page's type, or, without either, proposals from the page
//! and others of its kind (`--like`).

use std::io::{self, Write};

use anyhow::Context;
use osprey_engine::{OnePage, Project};
use osprey_model::{CanonicalUrl, UrlRules};
use osprey_page::{Input, Page, PageRules, read_page};
use osprey_structure::extract::{
    Extractor, Field, FieldRule, PathPattern, RecordKind, RuleReport, Rules, propose,
};
use serde_json::json;

use crate::cli::{Extract, UsageError};
use crate::output::Output;
use crate::session::Session;

pub(super) fn run(args: &Extract, output: &Output) -> anyhow::Result<()> {
    let project = args.project.as_ref().map(Project::open).transpose()?;
    let page = page(args, output)?;
    let rules = given(args)?;
    let (extractor, origin) = if !rules.is_empty() {
        (Extractor::new(Rules { rules, ..Rules::default() }), "given".to_owned())
    } else if let Some(project) = &project {
        let site = project
            .site()?
            .ok_or_else(|| UsageError("the project has no learned site: run `osprey learn`".to_owned()))?;
        let reading = site.read(&page);
        let extractor = reading.cluster.and_then(|cluster| site.extractor(cluster));
        let extractor = extractor.with_context(|| {
            format!("{}: a page of type {}, which has no rules", page.url(), reading.page_type)
        })?;
        (extractor.clone(), format!("of the project, for pages of type {}", reading.page_type))
    } else {
        (proposed(args, &page)?, "proposed".to_owned())
    };
    let record = extractor.apply(&page);
    let reports = extractor.explain(&page);
    let value = || {
        let rules: Vec<_> = reports.iter().map(|report| json!({
            "field": report.rule.field, "path": report.rule.path, "label": report.rule.label, "values": report.values,
            "why": report.miss.as_ref().map(ToString::to_string),
        })).collect();
        json!({ "record": record, "rules_are": origin, "rules": rules })
    };
    output.long_result(value, |out| {
        writeln!(out, "rules     {}, {origin}", extractor.rules().rules.len())?;
        write_fields(out, &reports)?;
        if args.explain {
            write_misses(out, &reports)?;
        }
        Ok(())
    })
}

fn page(args: &Extract, output: &Output) -> anyhow::Result<Page> {
    if args.source.starts_with("http://") || args.source.starts_with("https://") {
        let project = args.project.as_ref().map(Project::open).transpose()?;
        let fetcher = OnePage::new(project, args.allow_private)?;
        let session = Session::new(output)?;
        let response = fetcher.fetch(&args.source, session.control())?;
        return Ok(read_page(&response, fetcher.rules()));
    }
    read_file(&args.source, args)
}

fn read_file(path: &str, args: &Extract) -> anyhow::Result<Page> {
    let body = std::fs::read(path).with_context(|| path.to_owned())?;
    let url = CanonicalUrl::parse(&args.url, &UrlRules::default())
        .map_err(|problem| UsageError(format!("--url `{}`: {problem}", args.url)))?;
    let input = Input { url: &url, content_type: args.content_type.as_deref(), body: &body };
    Ok(Page::parse(&input, &PageRules::default()))
}

/// The rules of `--rule FIELD=PATH`.
fn given(args: &Extract) -> Result<Vec<FieldRule>, UsageError> {
    let rule = |text: &String| {
        let wrong = |problem: String| UsageError(format!("--rule `{text}`: {problem}"));
        let (field, path) = text
            .split_once('=')
            .ok_or_else(|| wrong("expected FIELD=PATH, such as `title=<h1>...`".to_owned()))?;
        let field: Field = field
            .trim()
            .parse()
            .map_err(|error: osprey_structure::extract::FieldError| wrong(error.to_string()))?;
        let path = PathPattern::try_from(path.trim().to_owned()).map_err(|error| wrong(error.to_string()))?;
        Ok(FieldRule { path, ..FieldRule::new(field, "") })
    };
    args.rule.iter().map(rule).collect()
}

fn proposed(args: &Extract, page: &Page) -> anyhow::Result<Extractor> {
    let mut pages = vec![page.clone()];
    for path in &args.like {
        pages.push(read_file(&path.display().to_string(), args)?);
    }
    Ok(Extractor::new(propose(&pages, RecordKind::Detail, &|_, _| None).rules()))
}

fn write_fields(out: &mut dyn Write, reports: &[RuleReport<'_>]) -> io::Result<()> {
    for report in reports.iter().filter(|report| !report.values.is_empty()) {
        writeln!(out, "\n{}", report.rule.field)?;
        for value in &report.values {
            let line: String = value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            writeln!(out, "  {line}")?;
        }
        let label = report.rule.label.as_ref().map(|label| format!(" after `{label}`")).unwrap_or_default();
        writeln!(out, "    by {}{label}", report.rule.path)?;
    }
    Ok(())
}

fn write_misses(out: &mut dyn Write, reports: &[RuleReport<'_>]) -> io::Result<()> {
    for report in reports {
        if let Some(miss) = &report.miss {
            writeln!(out, "\n{}  nothing: {miss}\n    by {}", report.rule.field, report.rule.path)?;
        }
    }
    Ok(())
}
