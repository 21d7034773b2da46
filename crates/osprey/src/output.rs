//! Terminal output: results on standard output, notes on standard error, JSON as one document.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

use serde::Serialize;

use crate::cli::Global;

/// Where and how to print.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    /// Results as JSON.
    pub(crate) json: bool,
    quiet: bool,
    verbose: u8,
}

impl Output {
    pub(crate) fn new(global: &Global) -> Self {
        Self { json: global.json, quiet: global.quiet, verbose: global.verbose }
    }

    /// Prints a result: one JSON document, or text.
    pub(crate) fn result(&self, value: &impl Serialize, text: impl FnOnce() -> String) -> anyhow::Result<()> {
        let mut out = io::stdout().lock();
        if self.json {
            serde_json::to_writer(&mut out, value)?;
            writeln!(out)?;
        } else {
            let text = text();
            out.write_all(text.as_bytes())?;
            if !text.ends_with('\n') {
                writeln!(out)?;
            }
        }
        Ok(())
    }

    /// The same of a result that may be long: only what is asked for is made, and text is written as it is made.
    pub(crate) fn long_result(
        &self,
        value: impl FnOnce() -> serde_json::Value,
        text: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> anyhow::Result<()> {
        if self.json {
            return self.result(&value(), String::new);
        }
        let mut out = BufWriter::new(io::stdout().lock());
        text(&mut out)?;
        Ok(out.flush()?)
    }

    /// A text that is the result itself.
    pub(crate) fn text(&self, text: &str) -> anyhow::Result<()> {
        self.result(&serde_json::json!({ "text": text }), || text.to_owned())
    }

    /// Prints a note on standard error.
    pub(crate) fn say(&self, text: impl AsRef<str>) {
        if !self.quiet {
            let _ = writeln!(io::stderr().lock(), "{}", text.as_ref());
        }
    }

    /// Prints what is wrong on standard error, whatever was asked for.
    pub(crate) fn complain(&self, what: &dyn std::fmt::Display) {
        let _ = writeln!(io::stderr().lock(), "osprey: {what}");
    }

    /// Whether `--verbose` was given.
    pub(crate) fn is_verbose(&self) -> bool {
        self.verbose > 0
    }

    /// Whether to show progress: standard error is a terminal.
    pub(crate) fn shows_progress(&self) -> bool {
        !self.quiet && io::stderr().is_terminal()
    }

    /// Prints an error with all its causes on one line.
    pub(crate) fn error(&self, error: &anyhow::Error) {
        let mut text = String::new();
        for cause in error.chain().map(ToString::to_string) {
            // transparent errors repeat their source
            if !text.ends_with(&cause) {
                if !text.is_empty() {
                    text.push_str(": ");
                }
                text.push_str(&cause);
            }
        }
        if self.json {
            print_json_error(&text);
        }
        let _ = writeln!(io::stderr().lock(), "osprey: {text}");
    }
}

/// The one JSON document of a failed command.
pub(crate) fn print_json_error(text: &str) {
    let _ = writeln!(io::stdout().lock(), "{}", serde_json::json!({ "error": text }));
}

/// Writes a file whole or not at all, durably: see [`osprey_files`].
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    Ok(osprey_files::write_durably(path, bytes)?)
}

/// Whether the reader of the output went away: `osprey export ... | head` is not a failure.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<io::Error>().map(io::Error::kind);
        let json = || cause.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind);
        io.or_else(json) == Some(io::ErrorKind::BrokenPipe)
    })
}
