//! Written tables can be read, and damage causes an error, never a panic.

use netloom_columnar::{Cell, Column, Kind, Parquet, Stored, Table, TableError};
use proptest::prelude::*;
use proptest::sample::Index;

const COLUMNS: &[Column<'static>] = &[
    ("number", Kind::Number),
    ("maybe_number", Kind::MaybeNumber),
    ("name", Kind::Name),
    ("maybe_name", Kind::MaybeName),
];

/// A row with each kind of cell.
type Row = (u64, Option<u64>, String, Option<String>);

fn write(rows: &[Row]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut table = Box::new(Parquet::new(&mut file, "table", COLUMNS).unwrap());
    for (number, maybe_number, name, maybe_name) in rows {
        let cells = [
            Cell::Number(*number),
            (*maybe_number).into(),
            Cell::Name(name),
            maybe_name.as_deref().into(),
        ];
        table.row(&cells).unwrap();
    }
    table.finish().unwrap();
    file
}

fn number(cell: Cell<'_>) -> Option<u64> {
    match cell {
        Cell::Number(number) => Some(number),
        Cell::Signed(_) | Cell::Real(_) | Cell::Name(_) | Cell::Nothing => None,
    }
}

fn name(cell: Cell<'_>) -> Option<String> {
    match cell {
        Cell::Name(name) => Some(name.into()),
        Cell::Number(_) | Cell::Signed(_) | Cell::Real(_) | Cell::Nothing => None,
    }
}

/// The rows of a file, as far as it can be read, and the error.
fn read(file: Vec<u8>) -> (Vec<Row>, Result<(), TableError>) {
    let mut rows = Vec::new();
    let read = Stored::open(bytes::Bytes::from(file)).and_then(|table| {
        let names: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
        table.rows(&names, |cells| {
            rows.push((
                number(cells[0]).unwrap_or(u64::MAX),
                number(cells[1]),
                name(cells[2]).unwrap_or_default(),
                name(cells[3]),
            ));
        })
    });
    (rows, read)
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let number = || 0..=i64::MAX as u64;
    let row = (number(), prop::option::of(number()), ".{0,8}", prop::option::of(".{0,8}"));
    prop::collection::vec(row, 0..40)
}

proptest! {
    #[test]
    fn written_rows_are_read(rows in rows()) {
        let (again, result) = read(write(&rows));
        prop_assert!(result.is_ok(), "{:?}", result);
        prop_assert_eq!(again, rows);
    }

    /// A file that is cut anywhere and has any bytes changed gives some result, and no panic.
    #[test]
    fn damage_causes_no_panic(
        rows in rows(),
        cut in any::<Index>(),
        changes in prop::collection::vec((any::<Index>(), any::<u8>()), 0..4),
    ) {
        let whole = write(&rows);
        let mut file = whole.clone();
        for (at, byte) in changes {
            let at = at.index(file.len());
            file[at] = byte;
        }
        // A changed file that can still be read has passed.
        let _ = read(file);
        let (_, result) = read(whole[..cut.index(whole.len())].to_vec());
        prop_assert!(result.is_err(), "a part of a file was taken for the whole");
    }
}

#[test]
fn more_rows_than_a_batch_or_a_row_group_holds() {
    let row = |n: u64| (n, n.is_multiple_of(3).then_some(n), n.to_string(), None);
    let rows: Vec<Row> = (0..60_000).map(row).collect();
    let (again, result) = read(write(&rows));
    result.unwrap();
    assert!(again == rows);
}

#[test]
fn a_missing_column_is_named() {
    let table = Stored::open(bytes::Bytes::from(write(&[]))).unwrap();
    assert_eq!(table.names(), ["number", "maybe_number", "name", "maybe_name"]);
    let error = table.rows(&["number", "delay"], |_| {}).unwrap_err();
    assert_eq!(error.to_string(), "there is no column `delay`");
}
