//! Parquet without compression: pandas, Polars, DuckDB and Spark read it. Numbers are signed 64-bit
//! integers or, if they need not be whole, 64-bit floating point; names UTF-8.

use std::io::Write;
use std::sync::Arc;

use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use crate::{Cell, Column, Kind, Table, TableError, fits};

/// Number of rows that are gathered before they are written as a row group.
const GROUP: usize = 50_000;

/// A table as Parquet.
pub struct Parquet<W: Write + Send> {
    pub(crate) writer: SerializedFileWriter<W>,
    columns: Vec<Gathered>,
    rows: usize,
}

/// Cells of one column that have not been written.
struct Gathered {
    name: String,
    kind: Kind,
    numbers: Vec<i64>,
    reals: Vec<f64>,
    names: Vec<ByteArray>,
    /// Whether each row has a cell (1) or not (0); unused if all rows have one.
    there: Vec<i16>,
}

impl<W: Write + Send> Parquet<W> {
    /// A table `name` with these columns that writes to `out`.
    ///
    /// # Errors
    /// Fails if the beginning of the file cannot be written, or a name is not valid.
    pub fn new(out: W, name: &str, columns: &[Column<'_>]) -> Result<Self, TableError> {
        let columns: Vec<_> = columns.iter().map(Gathered::new).collect();
        let declared: String = columns.iter().map(Gathered::declaration).collect();
        let schema = Arc::new(parse_message_type(&format!("message {name} {{ {declared} }}"))?);
        let properties = Arc::new(WriterProperties::builder().build());
        let writer = SerializedFileWriter::new(out, schema, properties)?;
        Ok(Self { writer, columns, rows: 0 })
    }

    /// Writes the gathered rows as a row group.
    pub(crate) fn flush(&mut self) -> Result<(), TableError> {
        if self.rows > 0 {
            let mut group = self.writer.next_row_group()?;
            self.columns.iter_mut().try_for_each(|column| column.write(&mut group))?;
            group.close()?;
            self.rows = 0;
        }
        Ok(())
    }
}

impl<W: Write + Send> Table for Parquet<W> {
    fn row(&mut self, cells: &[Cell<'_>]) -> Result<(), TableError> {
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            column.push(cell)?;
        }
        self.rows += 1;
        if self.rows < GROUP { Ok(()) } else { self.flush() }
    }

    fn finish(mut self: Box<Self>) -> Result<(), TableError> {
        self.flush()?;
        self.writer.close()?;
        Ok(())
    }
}

impl Gathered {
    fn new((name, kind): &Column<'_>) -> Self {
        let (name, kind) = (name.to_string(), *kind);
        let (numbers, reals, names, there) = Default::default();
        Self { name, kind, numbers, reals, names, there }
    }

    fn declaration(&self) -> String {
        let name = &self.name;
        match self.kind {
            Kind::Number => format!("required int64 {name};"),
            Kind::MaybeNumber => format!("optional int64 {name};"),
            Kind::Real => format!("required double {name};"),
            Kind::MaybeReal => format!("optional double {name};"),
            Kind::Name => format!("required binary {name} (UTF8);"),
            Kind::MaybeName => format!("optional binary {name} (UTF8);"),
        }
    }

    fn push(&mut self, cell: &Cell<'_>) -> Result<(), TableError> {
        if !fits(self.kind, cell) {
            return Err(TableError::Mismatch { column: self.name.clone() });
        }
        match *cell {
            Cell::Number(number) => self.numbers.push(
                i64::try_from(number)
                    .map_err(|_| TableError::TooLarge { column: self.name.clone(), number })?,
            ),
            Cell::Signed(number) => self.numbers.push(number),
            Cell::Real(number) => self.reals.push(number),
            Cell::Name(name) => self.names.push(ByteArray::from(name)),
            Cell::Nothing => {}
        }
        self.there.push(i16::from(*cell != Cell::Nothing));
        Ok(())
    }

    fn write<W: Write + Send>(
        &mut self,
        group: &mut SerializedRowGroupWriter<'_, W>,
    ) -> Result<(), TableError> {
        let there = &self.there;
        match self.kind {
            Kind::Number => write::<Int64Type, W>(group, &mut self.numbers, None)?,
            Kind::MaybeNumber => write::<Int64Type, W>(group, &mut self.numbers, Some(there))?,
            Kind::Real => write::<DoubleType, W>(group, &mut self.reals, None)?,
            Kind::MaybeReal => write::<DoubleType, W>(group, &mut self.reals, Some(there))?,
            Kind::Name => write::<ByteArrayType, W>(group, &mut self.names, None)?,
            Kind::MaybeName => write::<ByteArrayType, W>(group, &mut self.names, Some(there))?,
        }
        self.there.clear();
        Ok(())
    }
}

/// Writes the next column of a row group, and empties it.
fn write<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &mut Vec<T::T>,
    there: Option<&[i16]>,
) -> Result<(), TableError> {
    // The schema was made from the same columns.
    let mut column = group.next_column()?.expect("a column of the schema");
    column.typed::<T>().write_batch(values, there, None)?;
    column.close()?;
    values.clear();
    Ok(())
}
