//! Logs of crawls, fetches and the server. Off by default.
//!
//! `OSPREY_LOG` selects what is logged (`info`, `osprey::fetch=debug,warn`), `--log FILE` sets the file; either
//! switches logging on. Targets: `osprey::crawl`, `osprey::fetch`, `osprey::index`, `osprey::server`, `osprey::access`.
//! Logs never go to standard output, and a log line on standard error never tears a progress bar.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::sync::Mutex;

use anyhow::Context;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

use crate::cli::{Global, UsageError};
use crate::progress;

/// What is logged.
const VARIABLE: &str = "OSPREY_LOG";

/// Starts logging, if the user wants it.
pub(crate) fn start(global: &Global) -> anyhow::Result<()> {
    let wanted = std::env::var(VARIABLE).ok().filter(|wanted| !wanted.is_empty());
    if wanted.is_none() && global.log.is_none() {
        return Ok(());
    }
    let wanted = wanted.as_deref().unwrap_or("info");
    let filter = EnvFilter::try_new(wanted).map_err(|error| {
        UsageError(format!("{VARIABLE}=`{wanted}`: {error}; try `info` or `osprey::fetch=debug`"))
    })?;
    let writer = match &global.log {
        Some(path) => {
            let file = OpenOptions::new().create(true).append(true).open(path);
            LogWriter::File(Mutex::new(file.with_context(|| format!("--log {}", path.display()))?))
        }
        None => LogWriter::Terminal,
    };
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).with_writer(writer);
    if global.log_json {
        builder.json().flatten_event(true).init()
    } else {
        builder.init()
    }
    Ok(())
}

/// Where lines go.
enum LogWriter {
    File(Mutex<File>),
    /// Standard error, around the progress bar that may be there.
    Terminal,
}

impl<'a> MakeWriter<'a> for LogWriter {
    type Writer = Line<'a>;

    fn make_writer(&'a self) -> Line<'a> {
        Line(self)
    }
}

/// One line on its way: the subscriber writes it whole.
struct Line<'a>(&'a LogWriter);

impl Write for Line<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0 {
            LogWriter::File(file) => {
                let mut file = file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                file.write_all(bytes)?;
            }
            LogWriter::Terminal => progress::around_the_bar(|| io::stderr().lock().write_all(bytes))?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
