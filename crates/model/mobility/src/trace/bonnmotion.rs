//! The format of BonnMotion: one line for each node, `t x y t x y …` or `t x y z …`, in seconds and
//! metres. Nodes are numbered by their lines, from 0.

use netloom_units::{DataError, lines};

use super::{Fix, Movements, Traces, fixes, text};
use crate::Point;

/// Whether a text looks like BonnMotion's format: it has only numbers and blanks.
pub(super) fn seems(text: &str) -> bool {
    lines(text).next().is_some_and(|(_, line)| {
        let mut numbers = line.split_whitespace();
        numbers.clone().count() >= 3 && numbers.all(|number| number.parse::<f64>().is_ok())
    })
}

pub(super) fn read(text: &str) -> Result<Traces, DataError> {
    let mut rows = Vec::new();
    for (number, line) in lines(text) {
        let row = line.split_whitespace().map(text::number).collect::<Result<Vec<_>, _>>();
        rows.push((number, row.map_err(|message| DataError::at(number, message))?));
    }
    let is_flat = rows.iter().all(|(_, row)| goes_forward(row, 3));
    let is_deep = rows.iter().all(|(_, row)| goes_forward(row, 4));
    let each = if is_flat || !is_deep { 3 } else { 4 };
    let mut traces = Traces::default();
    for (node, (number, row)) in rows.iter().enumerate() {
        let fault = |message: String| DataError::at(*number, message);
        if !goes_forward(row, each) {
            return Err(fault(format!(
                "{} numbers are no `t x y …` or `t x y z …` with times that go forward",
                row.len()
            )));
        }
        for fix in row.chunks_exact(each) {
            let at = text::seconds(fix[0]).map_err(fault)?;
            let point = Point::new(fix[1], fix[2], fix.get(3).copied().unwrap_or(0.0));
            traces.push(&node.to_string(), Fix { at, point, on: true });
        }
    }
    Ok(traces)
}

/// Whether a line consists of fixes of `each` numbers in order of time.
fn goes_forward(row: &[f64], each: usize) -> bool {
    let times: Vec<f64> = row.iter().copied().step_by(each).collect();
    row.len().is_multiple_of(each) && times.windows(2).all(|pair| pair[0] <= pair[1])
}

pub(super) fn write(movements: &Movements<'_>) -> Result<String, String> {
    let nodes: Vec<_> =
        movements.nodes.iter().map(|(name, path)| (name, fixes(path, movements.until))).collect();
    let is_flat = nodes.iter().all(|(_, fixes)| fixes.iter().all(|fix| fix.point.z == 0.0));
    let mut text = String::new();
    for (name, fixes) in nodes {
        if fixes.iter().any(|fix| !fix.on) {
            return Err(format!(
                "BonnMotion has no way to say that {name} is absent at times; CSV has"
            ));
        }
        let words: Vec<_> = fixes
            .iter()
            .map(|Fix { at, point: Point { x, y, z }, .. }| match is_flat {
                true => format!("{} {x} {y}", text::written(*at)),
                false => format!("{} {x} {y} {z}", text::written(*at)),
            })
            .collect();
        text += &words.join(" ");
        text.push('\n');
    }
    Ok(text)
}
