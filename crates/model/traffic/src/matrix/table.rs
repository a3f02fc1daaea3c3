//! Demand matrices as tables of cells, separated by commas, semicolons or tabs: a demand in each
//! row, or a sender in each row and a receiver in each column.

use netloom_units::{DataError, quoted};

use super::found::Found;

/// Words that may head the first two columns of rows.
const HEADINGS: [[&str; 2]; 3] = [["from", "to"], ["source", "target"], ["source", "destination"]];

/// Adds the demands of a table.
pub(super) fn parse(text: &str, found: &mut Found) -> Result<(), DataError> {
    let separator = separator(text);
    let cells = |line: &'_ str| -> Vec<String> {
        let cell = |cell: &str| {
            let cell = cell.trim();
            let inside = cell.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
            inside.unwrap_or(cell).trim().to_owned()
        };
        line.split(separator).map(cell).collect()
    };
    let mut rows = rows(text).map(|(number, line)| (number, cells(line))).peekable();
    match rows.peek() {
        Some((_, first)) if first.len() == 3 && !first[0].is_empty() => in_rows(rows, found),
        Some(_) => square(rows, found),
        None => Ok(()),
    }
}

/// Returns the lines that are not empty, with their numbers, from 1 on. `#` begins a comment.
/// Spaces stay, since a tab at an end is a separator.
fn rows(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let content = |line: &'_ str| line.find('#').unwrap_or(line.len());
    let all =
        text.lines().enumerate().map(move |(index, line)| (index + 1, &line[..content(line)]));
    all.filter(|(_, line)| !line.trim().is_empty())
}

/// Returns the first of the separators that the first line has.
fn separator(text: &str) -> char {
    let first = rows(text).next().map_or("", |(_, line)| line);
    [';', '\t', ','].into_iter().find(|one| first.contains(*one)).unwrap_or(',')
}

/// Adds the demands of rows `from,to,rate`. The first may be a heading.
fn in_rows(
    rows: impl Iterator<Item = (usize, Vec<String>)>,
    found: &mut Found,
) -> Result<(), DataError> {
    for (place, (line, cells)) in rows.enumerate() {
        let [from, to, amount] = &cells[..] else {
            let message = format!("it has {} cells, not 3; write `from,to,rate`", cells.len());
            return Err(DataError::at(line, message));
        };
        let heads = [from.to_lowercase(), to.to_lowercase()];
        if place == 0 && HEADINGS.iter().any(|one| *one == heads) && amount.parse::<f64>().is_err()
        {
            continue;
        }
        found.add(line, [from, to], amount)?;
    }
    Ok(())
}

/// Adds the demands of a table whose first row names receivers, and whose other rows each name a
/// sender and its demands. An empty cell, or `-`, is no demand.
fn square(
    mut rows: impl Iterator<Item = (usize, Vec<String>)>,
    found: &mut Found,
) -> Result<(), DataError> {
    let Some((line, heads)) = rows.next() else { return Ok(()) };
    let [corner, receivers @ ..] = &heads[..] else { return Ok(()) };
    if receivers.is_empty() || !corner.is_empty() {
        let message = format!(
            "it begins with {}; write rows `from,to,rate`, or a square table with an empty first \
             cell and the receivers' names beside it",
            quoted(corner)
        );
        return Err(DataError::at(line, message));
    }
    for (line, cells) in rows {
        let [from, amounts @ ..] = &cells[..] else { continue };
        if amounts.len() != receivers.len() {
            let (has, wants) = (amounts.len(), receivers.len());
            let message = format!("it has {has} rates; write {wants}, one for each receiver");
            return Err(DataError::at(line, message));
        }
        for (to, amount) in receivers.iter().zip(amounts) {
            if !matches!(amount.as_str(), "" | "-") {
                found.add(line, [from, to], amount)?;
            }
        }
    }
    Ok(())
}
