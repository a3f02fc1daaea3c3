//! Reads a Parquet table that [`Parquet`](crate::Parquet) wrote, or another one with the same kinds
//! of columns. Not here: CSV, which we never read.

use std::panic::{AssertUnwindSafe, catch_unwind};

use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::file::reader::{ChunkReader, FileReader, RowGroupReader, SerializedFileReader};

use crate::{Cell, TableError};

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
}

enum ColumnSource {
    Numbers(ColumnReaderImpl<parquet::data_type::Int64Type>),
    Names(ColumnReaderImpl<parquet::data_type::ByteArrayType>),
}

#[derive(Default)]
struct Decoded {
    numbers: Vec<i64>,
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
        let index = |name: &&str| {
            let found = self.names.iter().position(|own| own == name);
            found.ok_or_else(|| TableError::NoColumn { column: name.to_string() })
        };
        let indices = columns.iter().map(index).collect::<Result<Vec<_>, _>>()?;
        guarded(|| {
            (0..self.reader.num_row_groups()).try_for_each(|group| {
                group_rows(&*self.reader.get_row_group(group)?, columns, &indices, &mut row)
            })
        })
    }
}

/// Catches panics of the Parquet library, which checks most but not all of the data: a damaged file
/// can make it panic, which is then printed on standard error as well. The reader is not used after
/// a panic.
fn guarded<T>(read: impl FnOnce() -> Result<T, TableError>) -> Result<T, TableError> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or(Err(TableError::Damaged))
}

fn group_rows(
    group: &dyn RowGroupReader,
    columns: &[&str],
    indices: &[usize],
    row: &mut impl FnMut(&[Cell<'_>]),
) -> Result<(), TableError> {
    let open = |(name, index): (&&str, &usize)| Wanted::open(group, name, *index);
    let mut wanted = columns.iter().zip(indices).map(open).collect::<Result<Vec<_>, _>>()?;
    let mut left = usize::try_from(group.metadata().num_rows()).map_err(|_| TableError::Damaged)?;
    while left > 0 {
        let batch = left.min(BATCH);
        wanted.iter_mut().try_for_each(|column| column.decode(batch))?;
        let mut cells = wanted.iter().map(Cells::new).collect::<Vec<_>>();
        for _ in 0..batch {
            let next = cells.iter_mut().map(Cells::next).collect::<Result<Vec<_>, _>>()?;
            row(&next);
        }
        left -= batch;
    }
    Ok(())
}

impl Wanted {
    fn open(group: &dyn RowGroupReader, name: &str, index: usize) -> Result<Self, TableError> {
        let source = match group.get_column_reader(index)? {
            ColumnReader::Int64ColumnReader(reader) => ColumnSource::Numbers(reader),
            ColumnReader::ByteArrayColumnReader(reader) => ColumnSource::Names(reader),
            _ => return Err(TableError::Mismatch { column: name.into() }),
        };
        Ok(Self { name: name.into(), source, decoded: Decoded::default() })
    }

    fn decode(&mut self, rows: usize) -> Result<(), TableError> {
        let Decoded { numbers, names, there } = &mut self.decoded;
        there.clear();
        let read = match &mut self.source {
            ColumnSource::Numbers(reader) => decode(reader, rows, there, numbers)?,
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

/// The decoded cells of a column, one after another.
struct Cells<'a> {
    column: &'a Wanted,
    row: usize,
    value: usize,
}

impl<'a> Cells<'a> {
    fn new(column: &'a Wanted) -> Self {
        Self { column, row: 0, value: 0 }
    }

    fn next(&mut self) -> Result<Cell<'a>, TableError> {
        let Decoded { numbers, names, there } = &self.column.decoded;
        let absent = there.get(self.row) == Some(&0);
        self.row += 1;
        if absent {
            return Ok(Cell::Nothing);
        }
        let index = self.value;
        self.value += 1;
        let cell = match self.column.source {
            ColumnSource::Numbers(_) => {
                numbers.get(index).map(|n| u64::try_from(*n).map_or(Cell::Signed(*n), Cell::Number))
            }
            ColumnSource::Names(_) => {
                names.get(index).and_then(|n| n.as_utf8().ok()).map(Cell::Name)
            }
        };
        cell.ok_or_else(|| TableError::BadCell { column: self.column.name.clone() })
    }
}
