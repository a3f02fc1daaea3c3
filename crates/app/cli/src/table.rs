//! Tables for users. `netloom_units::readable` formats their numbers.

use comfy_table::{Table, presets};

/// Makes a table with these headings, without lines, as wide as its contents.
pub fn table(headings: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(headings.to_vec());
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table
}
