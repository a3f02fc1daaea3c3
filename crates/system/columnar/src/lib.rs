//! Tables of numbers and names as files that other programs read: CSV and Parquet. Not here: their
//! contents.
//!
//! | module | contents |
//! |---|---|
//! | `csv` | rows of text: [`Csv`] |
//! | `columns` | columns: [`Parquet`] |
//! | `growing` | columns in a file that can be read while it grows: [`GrowingParquet`] |
//! | `stored` | reading columns: [`Stored`], [`Cursor`] |
//!
//! ```
//! use netloom_columnar::{Cell, Csv, Kind, Table};
//!
//! let mut text = Vec::new();
//! let columns = [("time_ns", Kind::Number), ("pipe", Kind::Name)];
//! let mut table = Box::new(Csv::new(&mut text, &columns)?);
//! table.row(&[Cell::Number(5), Cell::Name("a, or b")])?;
//! table.finish()?;
//! assert_eq!(String::from_utf8(text)?, "time_ns,pipe\n5,\"a, or b\"\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod columns;
mod csv;
mod growing;
mod stored;

use std::io;

pub use columns::Parquet;
pub use csv::Csv;
pub use growing::GrowingParquet;
pub use stored::{Cursor, Stored};

/// A column: its name, and the kind of its cells.
pub type Column<'a> = (&'a str, Kind);

/// The kind of the cells of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A number in every row.
    Number,
    /// A number, or nothing.
    MaybeNumber,
    /// A number that need not be whole in every row.
    Real,
    /// A number that need not be whole, or nothing.
    MaybeReal,
    /// A name or word in every row.
    Name,
    /// A name or word, or nothing.
    MaybeName,
}

/// One cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'a> {
    /// A number.
    Number(u64),
    /// A number that may be negative.
    Signed(i64),
    /// A number that need not be whole.
    Real(f64),
    /// A name or word.
    Name(&'a str),
    /// Nothing.
    Nothing,
}

impl From<Option<u64>> for Cell<'_> {
    fn from(number: Option<u64>) -> Self {
        number.map_or(Self::Nothing, Self::Number)
    }
}

impl From<Option<f64>> for Cell<'_> {
    fn from(number: Option<f64>) -> Self {
        number.map_or(Self::Nothing, Self::Real)
    }
}

impl<'a> From<Option<&'a str>> for Cell<'a> {
    fn from(name: Option<&'a str>) -> Self {
        name.map_or(Self::Nothing, Self::Name)
    }
}

/// The reason why a table could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The file could not be written.
    #[error("cannot write the table: {0}")]
    Io(#[from] io::Error),
    /// The Parquet library failed.
    #[error("the Parquet table: {0}")]
    Parquet(#[from] parquet::errors::ParquetError),
    /// A number above the largest one of the format.
    #[error("{number} in column `{column}` is above 2^63 - 1, the largest number of the format")]
    TooLarge {
        /// The column.
        column: String,
        /// The number.
        number: u64,
    },
    /// A cell does not match its column: a defect of the caller.
    #[error("column `{column}` cannot hold such a cell")]
    Mismatch {
        /// The column.
        column: String,
    },
    /// There is no such column in the table.
    #[error("there is no column `{column}`")]
    NoColumn {
        /// The column.
        column: String,
    },
    /// A cell that is neither a number nor UTF-8 text.
    #[error("a cell of column `{column}` is damaged")]
    BadCell {
        /// The column.
        column: String,
    },
    /// The file's own description of its contents is wrong.
    #[error("the Parquet table is damaged")]
    Damaged,
}

/// A table that is being written.
pub trait Table {
    /// Adds a row: a cell for each column.
    ///
    /// # Errors
    /// Fails if the row cannot be written, or does not match the columns.
    fn row(&mut self, cells: &[Cell<'_>]) -> Result<(), TableError>;

    /// Writes all remaining data. Without it the file may not be readable.
    ///
    /// # Errors
    /// Fails if the data cannot be written.
    fn finish(self: Box<Self>) -> Result<(), TableError>;
}

/// Whether a column of `kind` can hold `cell`.
fn fits(kind: Kind, cell: &Cell<'_>) -> bool {
    match cell {
        Cell::Number(_) | Cell::Signed(_) => {
            matches!(kind, Kind::Number | Kind::MaybeNumber)
        }
        Cell::Real(_) => matches!(kind, Kind::Real | Kind::MaybeReal),
        Cell::Name(_) => matches!(kind, Kind::Name | Kind::MaybeName),
        Cell::Nothing => matches!(kind, Kind::MaybeNumber | Kind::MaybeReal | Kind::MaybeName),
    }
}
