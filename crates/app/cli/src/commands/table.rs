//! `netloom table`: the rows of a Parquet file.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};
use netloom_columnar::{Cell, Csv, Stored, Table as _};
use serde_json::{Map, Value};

use crate::args::{Format, Table};
use crate::output::Data;
use crate::{exit, table};

/// Prints a table.
pub fn table(args: &Table) -> Result<i32> {
    let shown = args.file.display();
    let open = || -> Result<Stored<File>> { Ok(Stored::open(File::open(&args.file)?)?) };
    let stored = open().with_context(|| format!("cannot use {shown}"))?;
    let only = filters(&args.only, stored.names(), &args.file)?;
    let context = || format!("cannot read {shown}");
    match (args.csv, args.format) {
        (true, _) => print_csv(&stored, &only).with_context(context)?,
        (false, Format::Json) => print_json(&stored, &only).with_context(context)?,
        (false, Format::Table) => print_table(&stored, &only).with_context(context)?,
    }
    Ok(exit::SUCCESS)
}

/// A column's number, and the text that its cells are to have.
type Filter = (usize, String);

fn filters(words: &[String], names: &[String], file: &Path) -> Result<Vec<Filter>> {
    let filter = |word: &String| {
        let (name, value) = word
            .split_once('=')
            .ok_or_else(|| exit::usage(format!("`{word}` selects nothing: write COLUMN=VALUE")))?;
        let found = names.iter().position(|own| own == name);
        let column = found.ok_or_else(|| {
            let (file, all) = (file.display(), names.join("`, `"));
            exit::usage(format!("{file} has no column `{name}`: there are `{all}`"))
        })?;
        Ok((column, value.to_owned()))
    };
    words.iter().map(filter).collect()
}

/// Passes each row that the filters let through to `row`, until it fails.
fn rows(
    stored: &Stored<File>,
    only: &[Filter],
    mut row: impl FnMut(&[Cell<'_>]) -> Result<()>,
) -> Result<()> {
    let names: Vec<&str> = stored.names().iter().map(String::as_str).collect();
    let mut cursor = stored.cursor(&names)?;
    while cursor.advance()? {
        let cells = cursor.cells()?;
        if only.iter().all(|(column, value)| in_words(&cells[*column]) == *value) {
            row(&cells)?;
        }
    }
    Ok(())
}

fn in_words(cell: &Cell<'_>) -> String {
    match cell {
        Cell::Number(number) => number.to_string(),
        Cell::Signed(number) => number.to_string(),
        Cell::Real(number) => number.to_string(),
        Cell::Name(name) => (*name).into(),
        Cell::Nothing => String::new(),
    }
}

fn print_csv(stored: &Stored<File>, only: &[Filter]) -> Result<()> {
    let out = BufWriter::new(Data { may_be_lost: true });
    let mut csv = Box::new(Csv::new(out, &stored.columns()?)?);
    rows(stored, only, |cells| Ok(csv.row(cells)?))?;
    Ok(csv.finish()?)
}

fn print_json(stored: &Stored<File>, only: &[Filter]) -> Result<()> {
    let mut out = BufWriter::new(Data { may_be_lost: true });
    rows(stored, only, |cells| {
        let value = |cell: &Cell<'_>| match cell {
            Cell::Number(number) => Value::from(*number),
            Cell::Signed(number) => Value::from(*number),
            Cell::Real(number) => Value::from(*number),
            Cell::Name(name) => Value::from(*name),
            Cell::Nothing => Value::Null,
        };
        let entries = stored.names().iter().cloned().zip(cells.iter().map(value));
        serde_json::to_writer(&mut out, &entries.collect::<Map<String, Value>>())?;
        Ok(out.write_all(b"\n")?)
    })?;
    Ok(out.flush()?)
}

fn print_table(stored: &Stored<File>, only: &[Filter]) -> Result<()> {
    let names: Vec<&str> = stored.names().iter().map(String::as_str).collect();
    let mut shown = table::table(&names);
    rows(stored, only, |cells| {
        shown.add_row(cells.iter().map(in_words));
        Ok(())
    })?;
    println!("{shown}");
    Ok(())
}
