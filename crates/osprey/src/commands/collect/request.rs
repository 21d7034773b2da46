//! From the command line to a project: which arguments are URLs and which are words, where the project is, and what its
//! file says.

use std::path::{Path, PathBuf};

use anyhow::bail;
use osprey_engine::{InitOptions, Project};
use osprey_model::{CanonicalUrl, ScopeKind, UrlRules};

use crate::cli::{Collect, UsageError};

/// Pages, where neither pages nor time were given.
const BUDGET: u64 = 2000;
/// Characters of a folder's name.
const NAME: usize = 80;
/// What a usage error shows.
const EXAMPLE: &str = "osprey collect https://example.org/ \"red cars\"";
/// Endings of files that are pictures.
const PICTURES: [&str; 6] = ["jpg", "jpeg", "png", "gif", "webp", "bmp"];

/// What was asked for.
#[derive(Debug)]
pub(super) struct Request {
    /// The project's folder.
    pub(super) dir: PathBuf,
    /// Whether the user named it.
    is_named: bool,
    pub(super) options: InitOptions,
}

impl Request {
    pub(super) fn of(args: &Collect) -> anyhow::Result<Self> {
        let (mut seeds, mut words) = (Vec::new(), Vec::new());
        for text in
            args.asked.iter().map(|text| text.trim()).filter(|text| text.contains(char::is_alphanumeric))
        {
            match start_url(text)? {
                Some(url) => seeds.push(url),
                None => words.push(text.to_owned()),
            }
        }
        if seeds.is_empty() {
            let said = match words.first() {
                Some(word) => format!("`{word}` is no URL: "),
                None => String::new(),
            };
            bail!(UsageError(format!("{said}give a start URL, and what you want there: {EXAMPLE}")));
        }
        let likes = args.like.iter().map(|text| like(text)).collect::<anyhow::Result<Vec<_>>>()?;
        if words.is_empty() && likes.is_empty() {
            bail!(UsageError(format!(
                "say what you want, in words or by an example: osprey collect {} \"red cars\", or --like URL",
                args.asked.join(" ")
            )));
        }
        let name = folder_name(&seeds, &words, &likes);
        let text = |urls: &[CanonicalUrl]| urls.iter().map(ToString::to_string).collect();
        let options = InitOptions {
            seeds: text(&seeds),
            scope: scope(&seeds),
            budget: args.budget.or_else(|| args.time.is_none().then_some(BUDGET)),
            time: args.time.map(|time| time.0),
            words,
            pages: args.pages.into(),
            examples: text(&likes),
            replay: args.replay.clone(),
            base: args.base.clone(),
            contact: args.contact.clone(),
            allow_private: args.allow_private,
            ..InitOptions::default()
        };
        let is_named = args.dir.is_some();
        let dir = args.dir.clone().unwrap_or_else(|| PathBuf::from(name));
        Ok(Self { dir, is_named, options })
    }

    /// The folder, as a note shows it.
    pub(super) fn shown_dir(&self) -> String {
        let dir = self.dir.display();
        if self.dir.is_absolute() || self.dir.starts_with(".") || self.dir.starts_with("..") {
            format!("{dir}/")
        } else {
            format!("./{dir}/")
        }
    }

    /// Whether the project that is there is the one that is asked for: an error if it is of another site, or of another want
    /// in a folder that the user named. In a folder that was found by its name the user has edited the file, which counts.
    pub(super) fn check(&self, project: &Project) -> anyhow::Result<Option<String>> {
        let (file, options) = (project.layout().config(), &self.options);
        let place = file.display();
        if project.seeds() != options.seeds {
            bail!(UsageError(format!(
                "{place}: begins at {}, not at {}; give another folder with --dir",
                project.seeds().join(", "),
                options.seeds.join(", ")
            )));
        }
        match (project.wants_as(options), self.is_named) {
            (true, _) => Ok(None),
            (false, false) => Ok(Some(format!("note: {place} was edited, and what it says counts"))),
            (false, true) => bail!(UsageError(format!(
                "{place}: is for {}; change `[topic]` there and go on with `osprey crawl {}`, or give another folder \
                 with --dir",
                project.want_in_words(),
                self.dir.display()
            ))),
        }
    }
}

fn parse(text: &str) -> Option<CanonicalUrl> {
    CanonicalUrl::parse(text, &UrlRules::default()).ok()
}

/// The start URL that an argument is; `None` if it is words.
fn start_url(text: &str) -> anyhow::Result<Option<CanonicalUrl>> {
    if let Some((scheme, rest)) = text.split_once("://") {
        let url = parse(text);
        if url.is_none() && !rest.contains(char::is_whitespace) {
            bail!(UsageError(format!(
                "`{text}`: not a URL that can be fetched; expected http://... or https://..."
            )));
        }
        return Ok(url.filter(|_| ["http", "https"].contains(&scheme.to_ascii_lowercase().as_str())));
    }
    // `example.org`, `example.org/forum`, `127.0.0.1:8000`; not `node.js`, which is no name of the Web
    let host = text.split(['/', '?', '#']).next().unwrap_or(text);
    if !host.contains('.') || text.contains(char::is_whitespace) || text.contains('@') {
        return Ok(None);
    }
    let is_address = host.split(':').next().is_some_and(|host| host.parse::<std::net::Ipv4Addr>().is_ok());
    Ok(parse(&format!("https://{text}")).filter(|url| is_address || url.has_public_suffix()))
}

/// A page that the user wants more of.
fn like(text: &str) -> anyhow::Result<CanonicalUrl> {
    let ending = Path::new(text).extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    let is_picture = ending.is_some_and(|ending| PICTURES.contains(&ending.as_str()));
    if is_picture || (!text.contains("://") && Path::new(text).is_file()) {
        bail!(UsageError(format!(
            "--like `{text}`: a picture cannot steer a crawl; collect by words or by a page (--like URL), then find pictures \
             like yours with `osprey search DIR --like IMAGE`, or drop it on the search page"
        )));
    }
    match start_url(text)? {
        Some(url) => Ok(url),
        None => bail!(UsageError(format!(
            "--like `{text}`: expected the URL of a page, http://... or https://..."
        ))),
    }
}

/// The whole domain where the user named the domain, since `example.org` is often but a redirect to `www.example.org`; else
/// the host.
fn scope(seeds: &[CanonicalUrl]) -> ScopeKind {
    let is_domain = |url: &CanonicalUrl| {
        let (host, domain) = (url.host(), url.registrable_domain());
        let is_name = host.contains('.') && host.parse::<std::net::Ipv4Addr>().is_err();
        is_name && host.strip_prefix("www.").unwrap_or(host) == domain
    };
    if seeds.iter().all(is_domain) { ScopeKind::Domain } else { ScopeKind::Host }
}

/// `example.org-red-cars`
fn folder_name(seeds: &[CanonicalUrl], words: &[String], likes: &[CanonicalUrl]) -> String {
    let hosts = seeds.iter().map(|url| url.authority());
    let mut parts: Vec<&str> = hosts.map(|host| host.strip_prefix("www.").unwrap_or(host)).collect();
    parts.dedup();
    parts.extend(words.iter().map(String::as_str));
    if words.is_empty() {
        parts.push("like");
        parts.extend(likes.iter().map(|url| url.path()));
    }
    let mut name = String::new();
    for part in parts {
        if !name.is_empty() {
            name.push('-');
        }
        for c in part.chars().flat_map(char::to_lowercase) {
            match c {
                c if c.is_alphanumeric() || c == '.' => name.push(c),
                _ if name.ends_with('-') => {}
                _ => name.push('-'),
            }
        }
    }
    let name: String = name.chars().take(NAME).collect();
    name.trim_matches(['-', '.']).to_owned()
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::{Cli, Command};

    fn request(args: &[&str]) -> Result<Request, String> {
        let all = [&["osprey", "collect"], args].concat();
        let Command::Collect(collect) = Cli::try_parse_from(all).unwrap().command else {
            panic!("not collect")
        };
        Request::of(&collect).map_err(|error| error.to_string())
    }

    #[test]
    fn urls_and_words_are_distinguished() {
        let check = |args: &[&str], seeds: &[&str], words: &[&str], dir: &str| {
            let request = request(args).unwrap();
            assert_eq!(
                (request.options.seeds, request.options.words),
                (texts(seeds), texts(words)),
                "{args:?}"
            );
            assert_eq!(request.dir, Path::new(dir), "{args:?}");
        };
        check(
            &["https://example.org/", "sailing"],
            &["https://example.org/"],
            &["sailing"],
            "example.org-sailing",
        );
        check(
            &["red cars", "www.Example.org/a", "http://b.example.org:81"],
            &["https://www.example.org/a", "http://b.example.org:81/"],
            &["red cars"],
            "example.org-b.example.org-81-red-cars",
        );
        check(
            &["127.0.0.1:8000", "node.js"],
            &["https://127.0.0.1:8000/"],
            &["node.js"],
            "127.0.0.1-8000-node.js",
        );
        check(
            &["example.org", "古典 音乐"],
            &["https://example.org/"],
            &["古典 音乐"],
            "example.org-古典-音乐",
        );
        check(
            &["example.org", "--like", "a.example.org/x/1"],
            &["https://example.org/"],
            &[],
            "example.org-like-x-1",
        );
        check(&["example.org", "a/../b", "--dir", "/d"], &["https://example.org/"], &["a/../b"], "/d");
        check(&["example.org", "../../b"], &["https://example.org/"], &["../../b"], "example.org-..-..-b");
    }

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn missing_arguments_are_reported_with_what_to_type() {
        let check = |args: &[&str], expect: &str| {
            let error = request(args).unwrap_err();
            assert!(error.contains(expect), "{args:?}: {error}");
        };
        check(&[], "give a start URL, and what you want there: osprey collect https://example.org/");
        check(&["sailing"], "`sailing` is no URL");
        check(&["example.org", "-", ""], "say what you want");
        check(&["example.org"], "say what you want, in words or by an example: osprey collect example.org");
        check(&["ftp://example.org/", "x"], "expected http://... or https://");
        check(&["example.org", "--like", "photo.jpg"], "osprey search DIR --like IMAGE");
        check(&["example.org", "--like", "sailing"], "expected the URL of a page");
    }

    #[test]
    fn a_domain_is_taken_whole_and_a_host_alone() {
        let check = |url: &str, expect: ScopeKind| assert_eq!(scope(&[parse(url).unwrap()]), expect, "{url}");
        check("https://example.org/", ScopeKind::Domain);
        check("https://www.example.co.uk/forum/", ScopeKind::Domain);
        check("https://forum.example.org/", ScopeKind::Host);
        check("http://127.0.0.1:8000/", ScopeKind::Host);
        check("http://localhost:8000/", ScopeKind::Host);
    }
}
