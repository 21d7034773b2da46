//! `osprey.toml` in two typed stages: `written` is the shape of the file, `resolve` turns it into checked [`Settings`].
//! Nothing downstream parses again. An unknown key is an error with a suggestion; `renamed` accepts old names.
//!
//! [`Settings`]: osprey_crawl::Settings

mod edit;
mod fetch;
#[cfg(test)]
mod reference;
mod renamed;
mod resolve;
pub(crate) mod written;

use std::path::Path;

use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::layout::Layout;
pub use written::ServerSection;

pub(crate) use edit::set_list;
pub(crate) use resolve::{Resolved, stored_policy};
pub(crate) use written::Config;

/// A configuration that cannot be used. Exit status 2.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// There is no project in the folder.
    #[error("{path}: not found; create a project with `osprey init {dir} --seed URL`")]
    Missing {
        /// The file.
        path: String,
        /// Its folder.
        dir: String,
    },
    /// Not readable.
    #[error("{path}: cannot be read: {cause}")]
    Unreadable {
        /// The file.
        path: String,
        /// Why.
        cause: std::io::Error,
    },
    /// A syntax or type error, with its line.
    #[error("{path}:{line}: {message}")]
    Wrong {
        /// The file.
        path: String,
        /// From 1.
        line: usize,
        /// What is wrong there.
        message: String,
    },
    /// A value that reads well but cannot be used.
    #[error("{path}: `{key}`: {message}")]
    Value {
        /// The file.
        path: String,
        /// Its key.
        key: &'static str,
        /// What is wrong with it.
        message: String,
    },
}

/// The `[server]` section of the project in `dir`; defaults if there is no file.
pub fn server_section(dir: &Path) -> crate::Result<ServerSection> {
    let path = Layout::of(dir).config();
    Ok(if path.exists() { load(&path)?.server } else { ServerSection::default() })
}

/// Reads and types `path`.
pub(crate) fn load(path: &Path) -> Result<Config, ConfigError> {
    let text = std::fs::read_to_string(path).map_err(|cause| match cause.kind() {
        std::io::ErrorKind::NotFound => ConfigError::Missing {
            path: path.display().to_string(),
            dir: path.parent().unwrap_or(Path::new(".")).display().to_string(),
        },
        _ => ConfigError::Unreadable { path: path.display().to_string(), cause },
    })?;
    typed(&text, path)
}

/// Types the text of an `osprey.toml`, which may use the names of earlier versions.
pub(crate) fn typed(text: &str, path: &Path) -> Result<Config, ConfigError> {
    let (text, notes) = renamed::with_current_names(text);
    let mut config: Config = parse(&text, path)?;
    config.old_names = notes;
    Ok(config)
}

/// Types the text of a TOML file that a person writes.
pub fn parse<T: DeserializeOwned>(text: &str, path: &Path) -> Result<T, ConfigError> {
    toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start.min(text.len()));
        let line = text.get(..at).map_or(1, |before| before.matches('\n').count() + 1);
        ConfigError::Wrong {
            path: path.display().to_string(),
            line,
            message: with_suggestion(error.message()),
        }
    })
}

/// Turns serde's "unknown field `x`, expected one of `a`, `b`" into a question about the nearest name.
fn with_suggestion(message: &str) -> String {
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let (Some((given, known)), true) = (quoted.split_first(), message.starts_with("unknown ")) else {
        return message.replace('\n', " ");
    };
    let what = if message.starts_with("unknown variant") { "value" } else { "key" };
    let nearest = known
        .iter()
        .map(|name| (strsim::damerau_levenshtein(given, name), name))
        .filter(|(distance, name)| *distance <= (name.len() / 2).max(2))
        .min();
    match nearest {
        Some((_, name)) => format!("unknown {what} `{given}`; did you mean `{name}`?"),
        None => format!("unknown {what} `{given}`; expected one of {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        let error = parse::<Config>(text, Path::new("osprey.toml")).expect_err(text).to_string();
        assert_eq!(error, expect);
    }

    #[test]
    fn mistakes_name_the_place_and_the_likely_key() {
        check(
            "[crawl]\nseeds = []\nbudget_page = 5\n",
            "osprey.toml:3: unknown key `budget_page`; did you mean `budget_pages`?",
        );
        check("[crawll]\n", "osprey.toml:1: unknown key `crawll`; did you mean `crawl`?");
        check("[crawl]\nscope = \"hosts\"\n", "osprey.toml:2: unknown value `hosts`; did you mean `host`?");
        check(
            "[crawl]\nbudget_pages = \"many\"\n",
            "osprey.toml:2: invalid type: string \"many\", expected u64",
        );
        check("[crawl\n", "osprey.toml:1: unclosed table, expected `]`");
    }

    #[test]
    fn policies_and_judges_are_checked_too() {
        let error = parse::<Config>("[policy]\nkind = \"breadth-frist\"\n", Path::new("osprey.toml"))
            .unwrap_err()
            .to_string();
        assert!(error.contains("did you mean `breadth-first`?"), "{error}");
        let error = parse::<Config>("[judge]\nkind = \"tags\"\nthreshhold = 1\n", Path::new("osprey.toml"))
            .unwrap_err()
            .to_string();
        assert!(error.contains("did you mean `threshold`?"), "{error}");
    }

    #[test]
    fn the_contract_of_the_specification_loads() {
        let text = r#"
            [crawl]
            seeds = ["https://example.org/"]
            scope = "host"
            allow = ["^https://"]
            deny = ["logout"]
            keep = ["/archive/"]
            budget_pages = 5000
            budget_bytes = 1000000
            budget_seconds = 60
            max_depth = 7
            host_budget_pages = 100
            random_seed = 1
            [source]
            kind = "http"
            [fetch]
            user_agent = "osprey/0.1 (+mailto:you@example.org)"
            concurrency = 64
            host_concurrency = 1
            host_delay_ms = 1000
            obey_robots = true
            allow_private = false
            [topic]
            tags = ["flower"]
            [policy]
            kind = "best-first"
            [judge]
            kind = "tags"
            [vision]
            [server]
        "#;
        let config: Config = parse(text, Path::new("osprey.toml")).unwrap();
        assert_eq!(config.crawl.budget_pages, Some(5000));
        assert_eq!(config.topic.tags, ["flower"]);
    }

    #[test]
    fn old_names_work_and_are_noted() {
        let (old, path) = (
            "[crawl]\nseed = 5\n[source]\nseed = 6\n[structure]\nvariant = \"seed\"\n",
            Path::new("osprey.toml"),
        );
        let config = typed(old, path).unwrap();
        assert_eq!((config.crawl.random_seed, config.source.random_seed), (5, Some(6)));
        assert_eq!(config.structure.clustering, written::ClusteringName::Dbscan2018);
        assert_eq!(config.old_names.len(), 4, "{:?}", config.old_names);
        let wrong = typed("[crawl]\nseed = 5\n\nbudget_page = 1\n", path).unwrap_err().to_string();
        assert_eq!(wrong, "osprey.toml:4: unknown key `budget_page`; did you mean `budget_pages`?");
    }
}
