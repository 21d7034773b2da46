//! `osprey page FILE-OR-URL`: what Osprey reads from a page.
//!
//! Paths are as long as the page is deep, and a page may have one for each element: all of them are longer than the page
//! by its depth. So lists and paths are cut, and say so; `--all` prints everything.

use std::collections::BTreeMap;
use std::io::{self, Write};

use anyhow::Context;
use osprey_engine::{OnePage, Project, link_json};
use osprey_model::{CanonicalUrl, UrlRules};
use osprey_page::{Input, Link, Page, PageRules, read_page};
use osprey_structure::drp::{DrpFeatures, Model, Verdict, feature_pairs};
use osprey_structure::extract::{Schema, data};
use serde_json::{Value, json};

use crate::cli::{self, UsageError};
use crate::output::Output;
use crate::session::Session;

pub(super) fn run(args: &cli::Page, output: &Output) -> anyhow::Result<()> {
    if args.source.starts_with("http://") || args.source.starts_with("https://") {
        return fetched(args, output);
    }
    let body = std::fs::read(&args.source).with_context(|| args.source.clone())?;
    let url = CanonicalUrl::parse(&args.url, &UrlRules::default())
        .map_err(|problem| UsageError(format!("--url `{}`: {problem}", args.url)))?;
    let input = Input { url: &url, content_type: args.content_type.as_deref(), body: &body };
    let page = Page::parse(&input, &PageRules::default());
    let view = PageView::of(&page, args)?;
    output.long_result(|| view.whole(), |out| view.write(out))
}

/// A page of the Web, asked for as a crawl would: by robots rules and guards.
fn fetched(args: &cli::Page, output: &Output) -> anyhow::Result<()> {
    let project = args.project.as_ref().map(Project::open).transpose()?;
    let fetcher = OnePage::new(project, args.allow_private)?;
    let session = Session::new(output)?;
    let response = fetcher.fetch(&args.source, session.control())?;
    let page = read_page(&response, fetcher.rules());
    let view = PageView::of(&page, args)?;
    let (status, bytes) = (response.status, response.body.len());
    let media = response.effective_media_type().map(|media| media.essence);
    let value = || {
        let mut value = view.whole();
        if let Value::Object(fields) = &mut value {
            fields.insert("status".to_owned(), json!(status));
            fields.insert("media_type".to_owned(), json!(media));
            fields.insert("bytes".to_owned(), json!(bytes));
            fields.insert("truncated".to_owned(), json!(response.truncated));
        }
        value
    };
    output.long_result(value, |out| {
        let media = media.as_deref().unwrap_or("no media type");
        writeln!(out, "answer    {status} {media}, {bytes} bytes")?;
        view.write(out)
    })
}

/// How much is printed.
#[derive(Clone, Copy)]
struct PrintLimits {
    /// Entries of a list.
    entries: usize,
    /// Characters of a path.
    path: usize,
}

impl PrintLimits {
    const SHORT: Self = Self { entries: 1000, path: 300 };
    const ALL: Self = Self { entries: usize::MAX, path: usize::MAX };

    fn of(args: &cli::Page) -> Self {
        if args.all { Self::ALL } else { Self::SHORT }
    }

    /// A path, its middle left out if it is too long: where it begins and ends says the most.
    fn path(self, path: impl Into<String>) -> String {
        let path: String = path.into();
        let count = path.chars().count();
        if count <= self.path {
            return path;
        }
        let half = self.path / 2;
        let begin: String = path.chars().take(half).collect();
        let end: String = path.chars().skip(count - half).collect();
        format!("{begin}...{end}")
    }

    /// The lists that are cut: their names, and how long they are.
    fn cut(self, page: &Page) -> Vec<(&'static str, usize)> {
        let lists = [
            ("text_blocks", page.text_blocks().count()),
            ("links", page.links().len()),
            ("images", page.images().len()),
            ("psnv", page.psnv().len()),
            ("xpaths", page.xpaths().count()),
        ];
        lists.into_iter().filter(|(_, length)| *length > self.entries).collect()
    }
}

/// A page, and what it is compared with.
struct PageView<'a> {
    page: &'a Page,
    limits: PrintLimits,
    /// What it shares with pages of its kind, if some were given.
    schema: Option<Schema>,
}

impl<'a> PageView<'a> {
    fn of(page: &'a Page, args: &cli::Page) -> anyhow::Result<Self> {
        let mut pages = vec![];
        for path in &args.like {
            let body = std::fs::read(path).with_context(|| path.display().to_string())?;
            let input = Input { url: page.url(), content_type: args.content_type.as_deref(), body: &body };
            pages.push(Page::parse(&input, &PageRules::default()));
        }
        let schema = (!pages.is_empty()).then(|| Schema::of(pages.iter().chain([page]), 1.0));
        Ok(Self { page, limits: PrintLimits::of(args), schema })
    }

    /// Values without template text; none if nothing is known to be template text.
    fn data(&self) -> Vec<(String, &'a str)> {
        let Self { page, limits, schema } = self;
        let pairs = schema.iter().flat_map(|schema| data(page, schema)).take(limits.entries);
        pairs.map(|pair| (limits.path(page.path_string(pair.path)), page.psnv_value(pair))).collect()
    }

    fn whole(&self) -> Value {
        let mut value = whole(self.page, self.limits);
        if let Value::Object(fields) = &mut value {
            let pairs = feature_pairs(self.page).into_iter().take(self.limits.entries);
            let pairs: Vec<[&str; 2]> = pairs.map(|pair| [pair.label, pair.feature]).collect();
            fields.insert("feature_pairs".to_owned(), json!(pairs));
            let features = DrpFeatures::of(self.page);
            let verdict = |model: &Model| {
                let names = model.features().names().iter().copied();
                let values: BTreeMap<&str, f64> = names.zip(features.values(model.features())).collect();
                let Verdict { detail, confidence } = model.judge(&features);
                json!({ "is_detail": detail, "confidence": confidence, "features": values })
            };
            let verdicts =
                json!({ "osprey": verdict(Model::osprey()), "zhang-2008": verdict(Model::zhang_2008()) });
            fields.insert("detail_record".to_owned(), verdicts);
            if self.schema.is_some() {
                fields.insert("data".to_owned(), json!(self.data()));
            }
        }
        value
    }

    /// As text; what `--all` prints may be a thousand times the page, so nothing of it is kept.
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        write_page(out, self.page, self.limits)?;
        writeln!(out, "\nlabel, value")?;
        for pair in feature_pairs(self.page).into_iter().take(self.limits.entries) {
            writeln!(out, "  {}  {}", pair.label, pair.feature)?;
        }
        if let Some(schema) = &self.schema {
            writeln!(out, "\ndata: values that not all {} pages share", schema.pages())?;
            for (path, value) in self.data() {
                writeln!(out, "  {path}  {value}")?;
            }
        }
        let verdict = Model::osprey().is_detail(self.page);
        let answer = if verdict.detail { "yes" } else { "no" };
        writeln!(out, "\ndetail page  {answer}, {:.0} % sure", verdict.confidence * 100.0)
    }
}

/// The page as JSON.
fn whole(page: &Page, limits: PrintLimits) -> Value {
    let PrintLimits { entries, .. } = limits;
    let link = |link: &Link| {
        let mut fields = link_json(page, link);
        for name in ["apath", "path_string"] {
            if let Some(Value::String(path)) = fields.get_mut(name) {
                *path = limits.path(std::mem::take(path));
            }
        }
        fields
    };
    json!({
        "url": page.url(),
        "base": page.base(),
        "charset": page.charset(),
        "title": page.title(),
        "lang": page.lang(),
        "canonical": page.canonical(),
        "robots": page.robots_meta(),
        "text_blocks": page.text_blocks().take(entries).collect::<Vec<_>>(),
        "links": page.links().iter().take(entries).map(link).collect::<Vec<_>>(),
        "images": page.images().iter().take(entries).map(|image| json!({
            "src": image.src, "alt": page.alt(image), "width": image.width, "height": image.height,
        })).collect::<Vec<_>>(),
        "psnv": page.psnv().iter().take(entries).map(|pair| {
            json!([limits.path(page.path_string(pair.path)), page.psnv_value(pair)])
        }).collect::<Vec<_>>(),
        "xpaths": page.xpaths().take(entries).map(|leaf| {
            json!({ "xpath": limits.path(page.xpath(leaf.id)), "count": leaf.count })
        }).collect::<Vec<_>>(),
        "cut": limits.cut(page).into_iter().collect::<BTreeMap<_, _>>(),
        "notes": page.notes().iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

fn write_page(out: &mut dyn Write, page: &Page, limits: PrintLimits) -> io::Result<()> {
    let PrintLimits { entries, .. } = limits;
    writeln!(out, "title     {}", page.title())?;
    writeln!(out, "language  {}", page.lang().unwrap_or("-"))?;
    writeln!(out, "charset   {}", page.charset())?;
    writeln!(out, "base      {}", page.base())?;
    for note in page.notes() {
        writeln!(out, "note      {note}")?;
    }
    writeln!(out, "\ntext blocks")?;
    for block in page.text_blocks().take(entries) {
        writeln!(out, "  {block}")?;
    }
    writeln!(out, "\nlinks")?;
    for link in page.links().iter().take(entries) {
        let image = if link.wraps_image { " [image]" } else { "" };
        writeln!(out, "  {} \"{}\"{image}", link.url, page.anchor(link))?;
        writeln!(out, "      context      {}", page.context(link).replace('\n', " / "))?;
        writeln!(out, "      apath        {}", limits.path(page.apath(link.apath)))?;
        writeln!(out, "      path string  {}", limits.path(page.path_string(link.path_string)))?;
    }
    writeln!(out, "\nimages")?;
    for image in page.images().iter().take(entries) {
        writeln!(out, "  {} \"{}\"", image.src, page.alt(image))?;
    }
    writeln!(out, "\npath string, value")?;
    for pair in page.psnv().iter().take(entries) {
        writeln!(out, "  {}  {}", limits.path(page.path_string(pair.path)), page.psnv_value(pair))?;
    }
    writeln!(out, "\nXPaths")?;
    for leaf in page.xpaths().take(entries) {
        writeln!(out, "  {:>5} {}", leaf.count, limits.path(page.xpath(leaf.id)))?;
    }
    for (list, length) in limits.cut(page) {
        writeln!(out, "\nthe first {entries} of {length} {list} are shown; `--all` shows all")?;
    }
    Ok(())
}
