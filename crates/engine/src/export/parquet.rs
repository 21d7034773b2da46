//! Parquet by its column writer: flat columns, all optional, a row group for every so many rows, so that an export of
//! any size needs bounded memory.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::{Compression, ConvertedType, Repetition, Type as Physical};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use serde_json::Value;

use super::table::{Kind, Table, flat};

/// Rows, or bytes, of a row group, whichever is reached first.
const GROUP_ROWS: usize = 20_000;
const GROUP_BYTES: usize = 64 << 20;

/// Gathers rows and writes them as row groups.
pub(super) struct ParquetSink<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    rows: Vec<Vec<Value>>,
    bytes: usize,
}

impl<W: Write + Send> ParquetSink<W> {
    pub(super) fn new(table: &Table, out: W) -> io::Result<Self> {
        let fields = table.iter().map(|(name, kind)| field(name, *kind)).collect::<Result<Vec<_>, _>>()?;
        let schema = Arc::new(Type::group_type_builder("osprey").with_fields(fields).build()?);
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let writer = SerializedFileWriter::new(out, schema, Arc::new(properties))?;
        Ok(Self { writer, rows: Vec::new(), bytes: 0 })
    }

    pub(super) fn row(&mut self, table: &Table, row: &Value) -> io::Result<()> {
        let cells: Vec<Value> = table.iter().map(|(name, _)| row[*name].clone()).collect();
        self.bytes += cells.iter().map(|cell| cell.as_str().map_or(16, str::len)).sum::<usize>();
        self.rows.push(cells);
        if self.rows.len() >= GROUP_ROWS || self.bytes >= GROUP_BYTES {
            self.write_group(table)
        } else {
            Ok(())
        }
    }

    pub(super) fn finish(mut self, table: &Table) -> io::Result<()> {
        if !self.rows.is_empty() {
            self.write_group(table)?;
        }
        self.writer.close()?;
        Ok(())
    }

    fn write_group(&mut self, table: &Table) -> io::Result<()> {
        let mut group = self.writer.next_row_group()?;
        for (at, _) in table.iter().enumerate() {
            let Some(mut column) = group.next_column()? else { break };
            let cells: Vec<&Value> = self.rows.iter().filter_map(|row| row.get(at)).collect();
            let levels: Vec<i16> = cells.iter().map(|cell| i16::from(!cell.is_null())).collect();
            let present = cells.iter().filter(|cell| !cell.is_null());
            match column.untyped() {
                ColumnWriter::ByteArrayColumnWriter(writer) => {
                    let values: Vec<ByteArray> = present.map(|cell| flat(cell).into_bytes().into()).collect();
                    writer.write_batch(&values, Some(&levels), None)?;
                }
                ColumnWriter::Int64ColumnWriter(writer) => {
                    let values: Vec<i64> = present.map(|cell| cell.as_i64().unwrap_or(i64::MAX)).collect();
                    writer.write_batch(&values, Some(&levels), None)?;
                }
                ColumnWriter::DoubleColumnWriter(writer) => {
                    let values: Vec<f64> = present.map(|cell| cell.as_f64().unwrap_or(f64::NAN)).collect();
                    writer.write_batch(&values, Some(&levels), None)?;
                }
                ColumnWriter::BoolColumnWriter(writer) => {
                    let values: Vec<bool> = present.map(|cell| cell.as_bool().unwrap_or(false)).collect();
                    writer.write_batch(&values, Some(&levels), None)?;
                }
                _ => {}
            }
            column.close()?;
        }
        group.close()?;
        self.rows.clear();
        self.bytes = 0;
        Ok(())
    }
}

fn field(name: &str, kind: Kind) -> Result<Arc<Type>, parquet::errors::ParquetError> {
    let (physical, converted) = match kind {
        Kind::Text => (Physical::BYTE_ARRAY, ConvertedType::UTF8),
        Kind::Int => (Physical::INT64, ConvertedType::NONE),
        Kind::Float => (Physical::DOUBLE, ConvertedType::NONE),
        Kind::Bool => (Physical::BOOLEAN, ConvertedType::NONE),
    };
    let builder = Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
    builder.with_converted_type(converted).build().map(Arc::new)
}
