//! Rows in the formats that other tools read. A table names its columns once; JSON keeps nested values, CSV and Parquet
//! get them as JSON text.

use std::io::{self, Write};

use serde_json::Value;

use super::ExportFormat;
use super::parquet::ParquetSink;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Int,
    Float,
    Bool,
}

/// Columns by name, in order.
pub(super) type Table = [(&'static str, Kind)];

/// A text for the flat formats: strings as they are, nested values as JSON, null as nothing.
pub(super) fn flat(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Where rows go.
pub(super) struct Sink<'a> {
    table: &'a Table,
    rows: u64,
    out: Out<'a>,
}

enum Out<'a> {
    Jsonl(Box<dyn Write + Send + 'a>),
    Csv(Box<csv::Writer<Box<dyn Write + Send + 'a>>>),
    Parquet(Box<ParquetSink<Box<dyn Write + Send + 'a>>>),
}

impl<'a> Sink<'a> {
    pub(super) fn new(
        format: ExportFormat,
        table: &'a Table,
        out: Box<dyn Write + Send + 'a>,
    ) -> io::Result<Self> {
        let out = match format {
            ExportFormat::Jsonl => Out::Jsonl(out),
            ExportFormat::Csv => {
                let mut writer = csv::Writer::from_writer(out);
                writer.write_record(table.iter().map(|(name, _)| name))?;
                Out::Csv(Box::new(writer))
            }
            ExportFormat::Parquet => Out::Parquet(Box::new(ParquetSink::new(table, out)?)),
        };
        Ok(Self { table, rows: 0, out })
    }

    /// Writes a JSON object.
    pub(super) fn row(&mut self, row: &Value) -> io::Result<()> {
        self.rows += 1;
        match &mut self.out {
            Out::Jsonl(out) => {
                serde_json::to_writer(&mut *out, row)?;
                out.write_all(b"\n")?;
            }
            Out::Csv(out) => out.write_record(self.table.iter().map(|(name, _)| flat(&row[*name])))?,
            Out::Parquet(out) => out.row(self.table, row)?,
        }
        Ok(())
    }

    /// Ends the file; how many rows it has.
    pub(super) fn finish(self) -> io::Result<u64> {
        match self.out {
            Out::Jsonl(mut out) => out.flush()?,
            Out::Csv(mut out) => out.flush()?,
            Out::Parquet(out) => out.finish(self.table)?,
        }
        Ok(self.rows)
    }
}
