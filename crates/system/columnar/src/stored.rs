//! Reads a Parquet table that [`Parquet`](crate::Parquet) wrote, or another one with the same kinds
//! of columns. Not here: CSV, which we never read.

use std::panic::{AssertUnwindSafe, catch_unwind};

use parquet::basic::Type;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::file::reader::{ChunkReader, FileReader, RowGroupReader, SerializedFileReader};

use crate::{Cell, Column, Kind, TableError};

/// Number of rows that are decoded at once.
const BATCH: usize = 8192;

/// A table that has been written.
pub struct Stored<R: ChunkReader> {
    reader: SerializedFileReader<R>,
    names: Vec<String>,
}

/// A column that is being read, and its decoded rows.
struct Wanted {
    name: String,
    source: ColumnSource,
    decoded: Decoded,
    /// The current one of the decoded rows.
    row: usize,
    /// The place of its value, if it has one.
    value: usize,
}

enum ColumnSource {
    Numbers(ColumnReaderImpl<parquet::data_type::Int64Type>),
    Reals(ColumnReaderImpl<parquet::data_type::DoubleType>),
    Names(ColumnReaderImpl<parquet::data_type::ByteArrayType>),
}

#[derive(Default)]
struct Decoded {
    numbers: Vec<i64>,
    reals: Vec<f64>,
    names: Vec<ByteArray>,
    /// Whether each row has a cell; empty if all rows have one.
    there: Vec<i16>,
}

impl<R: ChunkReader + 'static> Stored<R> {
    /// Opens a table.
    ///
    /// # Errors
    /// Fails if it is not a Parquet file, or was not written to its end.
    pub fn open(file: R) -> Result<Self, TableError> {
        let reader = guarded(|| Ok(SerializedFileReader::new(file)?))?;
        let columns = reader.metadata().file_metadata().schema_descr().columns();
        let names = columns.iter().map(|column| column.name().to_string()).collect();
        Ok(Self { reader, names })
    }

    /// The names of its columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Its columns, each with the kind of its cells.
    ///
    /// # Errors
    /// Fails if a column holds neither numbers nor names.
    pub fn columns(&self) -> Result<Vec<Column<'_>>, TableError> {
        let described = self.reader.metadata().file_metadata().schema_descr().columns().iter();
        let columns = self.names.iter().zip(described).map(|(name, column)| {
            let kind = match (column.physical_type(), column.max_def_level()) {
                (Type::INT64, 0) => Kind::Number,
                (Type::INT64, _) => Kind::MaybeNumber,
                (Type::DOUBLE, 0) => Kind::Real,
                (Type::DOUBLE, _) => Kind::MaybeReal,
                (Type::BYTE_ARRAY, 0) => Kind::Name,
                (Type::BYTE_ARRAY, _) => Kind::MaybeName,
                _ => return Err(TableError::Mismatch { column: name.clone() }),
            };
            Ok((name.as_str(), kind))
        });
        columns.collect()
    }

    /// Passes the cells of these columns, in this order, to `row` for every row.
    ///
    /// # Errors
    /// Fails if there is no such column, or if it is of another kind or damaged. Rows before the
    /// error have been passed.
    pub fn rows(
        &self,
        columns: &[&str],
        mut row: impl FnMut(&[Cell<'_>]),
    ) -> Result<(), TableError> {
        let mut cursor = self.cursor(columns)?;
        while cursor.advance()? {
            row(&cursor.cells()?);
        }
        Ok(())
    }

    /// The rows with the cells of these columns, in this order, one after another.
    ///
    /// # Errors
    /// Fails if there is no such column.
    pub fn cursor(&self, columns: &[&str]) -> Result<Cursor<'_, R>, TableError> {
        let index = |name: &&str| {
            let found = self.names.iter().position(|own| own == name);
            found.ok_or_else(|| TableError::NoColumn { column: name.to_string() })
        };
        let indices = columns.iter().map(index).collect::<Result<Vec<_>, _>>()?;
        let columns = Vec::new();
        Ok(Cursor { table: self, indices, columns, group: 0, undecoded: 0, left: 0 })
    }
}

/// A place in a table that is being read. It is before the first row at first.
pub struct Cursor<'t, R: ChunkReader> {
    table: &'t Stored<R>,
    /// Places of the columns in the table.
    indices: Vec<usize>,
    /// The columns of the current row group.
    columns: Vec<Wanted>,
    /// Number of the next row group.
    group: usize,
    /// Number of rows of the current group that are not decoded yet.
    undecoded: usize,
    /// Number of decoded rows from the current one on.
    left: usize,
}

impl<R: ChunkReader + 'static> Cursor<'_, R> {
    /// Goes to the next row. Returns whether there is one.
    ///
    /// # Errors
    /// Fails if a column is of another kind or damaged.
    pub fn advance(&mut self) -> Result<bool, TableError> {
        if self.left > 1 {
            self.left -= 1;
            self.columns.iter_mut().for_each(Wanted::step);
            return Ok(true);
        }
        self.left = 0;
        while self.undecoded == 0 {
            if self.group == self.table.reader.num_row_groups() {
                return Ok(false);
            }
            guarded(|| self.open_group())?;
        }
        let batch = self.undecoded.min(BATCH);
        guarded(|| self.columns.iter_mut().try_for_each(|column| column.decode(batch)))?;
        self.undecoded -= batch;
        self.left = batch;
        Ok(true)
    }

    /// The cells of the current row.
    ///
    /// # Errors
    /// Fails if there is none, or a name is not UTF-8.
    pub fn cells(&self) -> Result<Vec<Cell<'_>>, TableError> {
        if self.left == 0 {
            return Err(TableError::Damaged);
        }
        self.columns.iter().map(Wanted::cell).collect()
    }

    fn open_group(&mut self) -> Result<(), TableError> {
        let group = self.table.reader.get_row_group(self.group)?;
        let rows = usize::try_from(group.metadata().num_rows());
        let open = |index: &usize| Wanted::open(&*group, &self.table.names[*index], *index);
        self.columns = self.indices.iter().map(open).collect::<Result<Vec<_>, _>>()?;
        self.undecoded = rows.map_err(|_| TableError::Damaged)?;
        self.group += 1;
        Ok(())
    }
}

/// Catches panics of the Parquet library, which checks most but not all of the data: a damaged file
/// can make it panic, which is then printed on standard error as well. The reader is not used after
/// a panic.
fn guarded<T>(read: impl FnOnce() -> Result<T, TableError>) -> Result<T, TableError> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or(Err(TableError::Damaged))
}

impl Wanted {
    fn open(group: &dyn RowGroupReader, name: &str, index: usize) -> Result<Self, TableError> {
        let source = match group.get_column_reader(index)? {
            ColumnReader::Int64ColumnReader(reader) => ColumnSource::Numbers(reader),
            ColumnReader::DoubleColumnReader(reader) => ColumnSource::Reals(reader),
            ColumnReader::ByteArrayColumnReader(reader) => ColumnSource::Names(reader),
            _ => return Err(TableError::Mismatch { column: name.into() }),
        };
        Ok(Self { name: name.into(), source, decoded: Decoded::default(), row: 0, value: 0 })
    }

    /// Goes to the next decoded row.
    fn step(&mut self) {
        self.value += usize::from(!self.is_absent());
        self.row += 1;
    }

    fn is_absent(&self) -> bool {
        self.decoded.there.get(self.row) == Some(&0)
    }

    fn cell(&self) -> Result<Cell<'_>, TableError> {
        if self.is_absent() {
            return Ok(Cell::Nothing);
        }
        let Decoded { numbers, reals, names, .. } = &self.decoded;
        let cell = match self.source {
            ColumnSource::Numbers(_) => {
                let number = numbers.get(self.value);
                number.map(|n| u64::try_from(*n).map_or(Cell::Signed(*n), Cell::Number))
            }
            ColumnSource::Reals(_) => reals.get(self.value).map(|number| Cell::Real(*number)),
            ColumnSource::Names(_) => {
                names.get(self.value).and_then(|name| name.as_utf8().ok()).map(Cell::Name)
            }
        };
        cell.ok_or_else(|| TableError::BadCell { column: self.name.clone() })
    }

    fn decode(&mut self, rows: usize) -> Result<(), TableError> {
        let Decoded { numbers, reals, names, there } = &mut self.decoded;
        there.clear();
        (self.row, self.value) = (0, 0);
        let read = match &mut self.source {
            ColumnSource::Numbers(reader) => decode(reader, rows, there, numbers)?,
            ColumnSource::Reals(reader) => decode(reader, rows, there, reals)?,
            ColumnSource::Names(reader) => decode(reader, rows, there, names)?,
        };
        if read == rows { Ok(()) } else { Err(TableError::Damaged) }
    }
}

/// Decodes this number of rows, or as many as there are.
fn decode<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
    there: &mut Vec<i16>,
    values: &mut Vec<T::T>,
) -> Result<usize, TableError> {
    values.clear();
    Ok(reader.read_records(rows, Some(there), None, values)?.0)
}
