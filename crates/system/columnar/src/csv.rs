//! Comma-separated values (RFC 4180). The first line has the names of the columns. An empty cell is
//! an empty field.

use std::io::Write;

use crate::{Cell, Column, Kind, Table, TableError, fits};

/// A table as CSV.
#[derive(Debug)]
pub struct Csv<W> {
    out: W,
    columns: Vec<(String, Kind)>,
    line: String,
}

impl<W: Write> Csv<W> {
    /// A table with these columns that writes to `out`, which should be buffered.
    ///
    /// # Errors
    /// Fails if the first line cannot be written.
    pub fn new(mut out: W, columns: &[Column<'_>]) -> Result<Self, TableError> {
        let mut line = String::new();
        for (name, _) in columns {
            field(name, &mut line);
        }
        end(&mut line, &mut out)?;
        let columns = columns.iter().map(|(name, kind)| (name.to_string(), *kind)).collect();
        Ok(Self { out, columns, line })
    }
}

impl<W: Write> Table for Csv<W> {
    fn row(&mut self, cells: &[Cell<'_>]) -> Result<(), TableError> {
        for ((column, kind), cell) in self.columns.iter().zip(cells) {
            if !fits(*kind, cell) {
                return Err(TableError::Mismatch { column: column.clone() });
            }
            match cell {
                Cell::Number(number) => field(&number.to_string(), &mut self.line),
                Cell::Signed(number) => field(&number.to_string(), &mut self.line),
                Cell::Real(number) => field(&number.to_string(), &mut self.line),
                Cell::Name(name) => field(name, &mut self.line),
                Cell::Nothing => field("", &mut self.line),
            }
        }
        end(&mut self.line, &mut self.out)
    }

    fn finish(mut self: Box<Self>) -> Result<(), TableError> {
        Ok(self.out.flush()?)
    }
}

/// Adds a field and the comma after it.
fn field(text: &str, line: &mut String) {
    if text.contains([',', '"', '\n', '\r']) {
        line.push('"');
        line.push_str(&text.replace('"', "\"\""));
        line.push('"');
    } else {
        line.push_str(text);
    }
    line.push(',');
}

/// Writes the line without its last comma.
fn end(line: &mut String, out: &mut impl Write) -> Result<(), TableError> {
    line.pop();
    line.push('\n');
    out.write_all(line.as_bytes())?;
    line.clear();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        let mut out = Vec::new();
        let columns = [("n", Kind::MaybeNumber), ("a,b", Kind::Name)];
        let mut table = Box::new(Csv::new(&mut out, &columns).unwrap());
        table.row(&[Cell::Number(7), Cell::Name("plain")]).unwrap();
        table.row(&[Cell::Nothing, Cell::Name("say \"a,b\"")]).unwrap();
        let wrong = table.row(&[Cell::Nothing, Cell::Nothing]).unwrap_err();
        assert!(wrong.to_string().contains("`a,b`"), "{wrong}");
        table.finish().unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, "n,\"a,b\"\n7,plain\n,\"say \"\"a,b\"\"\"\n");
    }
}
