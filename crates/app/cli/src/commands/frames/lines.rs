//! Rows of a table as lines on standard output: for people, or one JSON object each.

use std::io::{BufWriter, Write};

use netloom_columnar::{Cell, Column, Table, TableError};
use netloom_units::Time;
use serde_json::{Map, Value};

use crate::args::Format;
use crate::output::Data;

/// Prints rows.
pub struct Lines {
    format: Format,
    columns: &'static [Column<'static>],
    out: BufWriter<Data>,
}

impl Lines {
    /// Makes lines for rows with these columns.
    pub fn new(format: Format, columns: &'static [Column<'static>]) -> Self {
        Self { format, columns, out: BufWriter::new(Data { may_be_lost: false }) }
    }
}

impl Table for Lines {
    fn row(&mut self, cells: &[Cell<'_>]) -> Result<(), TableError> {
        let named = self.columns.iter().map(|(name, _)| *name).zip(cells);
        let named = named.filter(|(_, cell)| **cell != Cell::Nothing);
        let line = match self.format {
            Format::Table => {
                named.map(|(name, cell)| in_words(name, cell)).collect::<Vec<_>>().join(" ")
            }
            Format::Json => {
                let fields = named.map(|(name, cell)| (name.to_owned(), value(cell)));
                Value::Object(fields.collect::<Map<_, _>>()).to_string()
            }
        };
        Ok(writeln!(self.out, "{line}")?)
    }

    fn finish(mut self: Box<Self>) -> Result<(), TableError> {
        Ok(self.out.flush()?)
    }
}

fn in_words(name: &str, cell: &Cell<'_>) -> String {
    match (name, cell) {
        ("time_ns", Cell::Signed(time)) => {
            Time::from_signed_nanos(*time).to_string().trim_end_matches('s').to_owned()
        }
        ("event", Cell::Name(event)) => (*event).to_owned(),
        (name, Cell::Number(number)) => format!("{name}={number}"),
        (name, Cell::Signed(number)) => format!("{name}={number}"),
        (name, Cell::Real(number)) => format!("{name}={number}"),
        (name, Cell::Name(text)) => format!("{name}={text}"),
        (_, Cell::Nothing) => String::new(),
    }
}

fn value(cell: &Cell<'_>) -> Value {
    match cell {
        Cell::Number(number) => (*number).into(),
        Cell::Signed(number) => (*number).into(),
        Cell::Real(number) => (*number).into(),
        Cell::Name(text) => (*text).into(),
        Cell::Nothing => Value::Null,
    }
}
