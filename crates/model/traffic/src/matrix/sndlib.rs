//! The section `DEMANDS` of a network in SNDlib's native format (Orlowski, Wessäly, Pióro and
//! Tomaszewski 2010, "SNDlib 1.0", Networks 55): lines like
//! `D1 ( Aachen Augsburg ) 1 2.00 UNLIMITED`.

use netloom_units::{DataError, lines};

use super::found::Found;

/// Whether a text is in the native format.
pub(super) fn is_native(text: &str) -> bool {
    text.trim_start().starts_with("?SNDlib native")
        || lines(text).any(|(_, line)| line.split_whitespace().eq(["DEMANDS", "("]))
}

/// Adds the demands of all `DEMANDS` sections.
pub(super) fn parse(text: &str, found: &mut Found) -> Result<(), DataError> {
    let mut is_inside = false;
    for (line, text) in lines(text) {
        let words: Vec<&str> = text.split_whitespace().collect();
        match &words[..] {
            ["DEMANDS", "("] => is_inside = true,
            [")"] => is_inside = false,
            _ if !is_inside => {}
            [_, "(", from, to, ")", "1", amount, ..] => found.add(line, [from, to], amount)?,
            [_, "(", _, _, ")", unit, _, ..] => {
                let message = format!("the routing unit is {unit}; only 1 is read");
                return Err(DataError::at(line, message));
            }
            _ => {
                let message = "it is no demand; write `D1 ( FROM TO ) 1 RATE UNLIMITED`";
                return Err(DataError::at(line, message));
            }
        }
    }
    Ok(())
}
