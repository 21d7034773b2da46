//! `osprey page FILE-OR-URL`: what Osprey reads from a page.

use std::fmt::Write;

use anyhow::Context;
use osprey_engine::{OnePage, Project, link_json};
use osprey_model::{CanonicalUrl, UrlRules};
use osprey_page::{Input, Page, PageRules, read_page};
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
    output.result(&whole(&page), || text(&page))
}

/// A page of the Web, asked for as a crawl would: by robots rules and guards.
fn fetched(args: &cli::Page, output: &Output) -> anyhow::Result<()> {
    let project = args.project.as_ref().map(Project::open).transpose()?;
    let fetcher = OnePage::new(project, args.allow_private)?;
    let session = Session::new(output)?;
    let response = fetcher.fetch(&args.source, session.control())?;
    let page = read_page(&response, fetcher.rules());
    let mut value = whole(&page);
    if let Value::Object(fields) = &mut value {
        fields.insert("status".to_owned(), json!(response.status));
        fields.insert(
            "media_type".to_owned(),
            json!(response.effective_media_type().map(|media| media.essence)),
        );
        fields.insert("bytes".to_owned(), json!(response.body.len()));
        fields.insert("truncated".to_owned(), json!(response.truncated));
    }
    let media =
        response.effective_media_type().map_or_else(|| "no media type".to_owned(), |media| media.essence);
    let answer = format!("answer    {} {media}, {} bytes\n", response.status, response.body.len());
    output.result(&value, || answer + &text(&page))
}

/// The page as JSON.
fn whole(page: &Page) -> Value {
    json!({
        "url": page.url(),
        "base": page.base(),
        "charset": page.charset(),
        "title": page.title(),
        "lang": page.lang(),
        "canonical": page.canonical(),
        "robots": page.robots_meta(),
        "text_blocks": page.text_blocks().collect::<Vec<_>>(),
        "links": page.links().iter().map(|link| link_json(page, link)).collect::<Vec<_>>(),
        "images": page.images().iter().map(|image| json!({
            "src": image.src, "alt": page.alt(image), "width": image.width, "height": image.height,
        })).collect::<Vec<_>>(),
        "psnv": page.psnv().iter().map(|pair| json!([page.path_string(pair.path), page.psnv_value(pair)])).collect::<Vec<_>>(),
        "xpaths": page.xpaths().map(|leaf| json!({ "xpath": page.xpath(leaf.id), "count": leaf.count })).collect::<Vec<_>>(),
        "notes": page.notes().iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

fn text(page: &Page) -> String {
    let mut out = String::new();
    // writing to a String cannot fail
    let _ = writeln!(out, "title     {}", page.title());
    let _ = writeln!(out, "language  {}", page.lang().unwrap_or("-"));
    let _ = writeln!(out, "charset   {}", page.charset());
    let _ = writeln!(out, "base      {}", page.base());
    for note in page.notes() {
        let _ = writeln!(out, "note      {note}");
    }
    let _ = writeln!(out, "\ntext blocks");
    for block in page.text_blocks() {
        let _ = writeln!(out, "  {block}");
    }
    let _ = writeln!(out, "\nlinks");
    for link in page.links() {
        let image = if link.wraps_image { " [image]" } else { "" };
        let _ = writeln!(out, "  {} \"{}\"{image}", link.url, page.anchor(link));
        let _ = writeln!(out, "      context      {}", page.context(link).replace('\n', " / "));
        let _ = writeln!(out, "      apath        {}", page.apath(link.apath));
        let _ = writeln!(out, "      path string  {}", page.path_string(link.path_string));
    }
    let _ = writeln!(out, "\nimages");
    for image in page.images() {
        let _ = writeln!(out, "  {} \"{}\"", image.src, page.alt(image));
    }
    let _ = writeln!(out, "\npath string, value");
    for pair in page.psnv() {
        let _ = writeln!(out, "  {}  {}", page.path_string(pair.path), page.psnv_value(pair));
    }
    let _ = writeln!(out, "\nXPaths");
    for leaf in page.xpaths() {
        let _ = writeln!(out, "  {:>5} {}", leaf.count, page.xpath(leaf.id));
    }
    out
}
