//! A growing file can be read after each flush, even after one that failed.

use std::fs::File;
use std::io::{Read, Seek};

use netloom_columnar::{Cell, Column, GrowingParquet, Kind, Stored, Table};
use nix::fcntl::{FcntlArg, SealFlag, fcntl};
use nix::sys::memfd::{MFdFlags, memfd_create};

const COLUMNS: &[Column<'static>] = &[("number", Kind::Number), ("name", Kind::MaybeName)];

fn add(table: &mut GrowingParquet, numbers: std::ops::Range<u64>) {
    for number in numbers {
        let name = number.to_string();
        let name = if number % 3 == 0 { Cell::Nothing } else { Cell::Name(&name) };
        table.row(&[Cell::Number(number), name]).unwrap();
    }
}

/// The rows of the file as another program would read them.
fn read(mut file: &File) -> Vec<(u64, Option<String>)> {
    let mut bytes = Vec::new();
    file.rewind().unwrap();
    file.read_to_end(&mut bytes).unwrap();
    let mut rows = Vec::new();
    Stored::open(bytes::Bytes::from(bytes))
        .unwrap()
        .rows(&["number", "name"], |cells| {
            let Cell::Number(number) = cells[0] else { panic!("{cells:?}") };
            let name = match cells[1] {
                Cell::Name(name) => Some(name.to_string()),
                _ => None,
            };
            rows.push((number, name));
        })
        .unwrap();
    rows
}

fn expected(count: u64) -> Vec<(u64, Option<String>)> {
    (0..count).map(|n| (n, (n % 3 != 0).then(|| n.to_string()))).collect()
}

#[test]
fn it_can_be_read_after_each_flush() {
    let file = File::from(memfd_create("table", MFdFlags::empty()).unwrap());
    let mut table = Box::new(GrowingParquet::new(file.try_clone().unwrap(), "t", COLUMNS).unwrap());
    assert_eq!(read(&file), []);
    add(&mut table, 0..10);
    assert_eq!(read(&file), [], "rows are gathered");
    table.flush().unwrap();
    assert_eq!(read(&file), expected(10));
    add(&mut table, 10..60_000);
    table.flush().unwrap();
    assert_eq!(read(&file), expected(60_000));
    table.flush().unwrap();
    add(&mut table, 60_000..60_001);
    table.finish().unwrap();
    assert_eq!(read(&file), expected(60_001));
}

#[test]
fn a_file_that_cannot_grow_stays_as_it_was() {
    let file = File::from(memfd_create("table", MFdFlags::MFD_ALLOW_SEALING).unwrap());
    let mut table = GrowingParquet::new(file.try_clone().unwrap(), "t", COLUMNS).unwrap();
    add(&mut table, 0..1000);
    table.flush().unwrap();
    // Like a full disk: existing bytes may be overwritten, but none may be added.
    fcntl(&file, FcntlArg::F_ADD_SEALS(SealFlag::F_SEAL_GROW)).unwrap();
    add(&mut table, 1000..20_000);
    table.flush().unwrap_err();
    assert_eq!(read(&file), expected(1000));
    assert!(table.pending() > 0);
    table.flush().unwrap_err();
    assert_eq!(read(&file), expected(1000));
}
