//! Contention over time: one lane for each contended signal, with its letter.

use maud::{Markup, html};

use super::frame::{FOOT, LEFT, PLOT, TimeAxis, WIDTH, px};
use super::marks::{Joined, joined};
use crate::contended::{Band, Row};

/// Height of a lane with its text.
const LANE: f64 = 30.0;

/// Height of the bars in a lane.
const BAR: f64 = 11.0;

/// Draws the times to be left out, if there are any, and the contentions in these rows, which have
/// letters.
pub fn lanes(left_out: &[Band], rows: &[&Row<'_>], time: &TimeAxis) -> Markup {
    let mut lanes = Vec::new();
    if !left_out.is_empty() {
        lanes.push((None, "to be left out".into(), joined(time, left_out.iter().copied())));
    }
    lanes.extend(rows.iter().map(|row| {
        let name = format!("{} on {}", row.report.signal, row.report.on);
        (row.letter, name, joined(time, row.bands()))
    }));
    let bottom = lanes.len() as f64 * LANE;
    html! {
        svg class="chart" viewBox={ "0 0 " (px(WIDTH)) " " (px(bottom + FOOT)) } role="img"
            aria-label="contention over time" {
            @for (index, (letter, name, bands)) in lanes.iter().enumerate() {
                (lane(*letter, name, bands, index as f64 * LANE))
            }
            (time.draw(bottom))
        }
    }
}

fn lane(letter: Option<char>, name: &str, bands: &[Joined], top: f64) -> Markup {
    let bar = top + LANE - BAR - 3.0;
    html! {
        g class="lane" {
            text class="letter" x=(px(LEFT - 14.0)) y=(px(bar + BAR - 1.0)) {
                @if let Some(letter) = letter { (letter) }
            }
            text class="title" x=(px(LEFT)) y=(px(bar - 4.0)) { (name) }
            line class="grid" x1=(px(LEFT)) x2=(px(LEFT + PLOT))
                y1=(px(bar + BAR)) y2=(px(bar + BAR)) {}
            @for (_, grade, [left, right]) in bands {
                rect class={ "band " (grade.class()) } x=(px(LEFT + left)) y=(px(bar))
                    width=(px(right - left)) height=(px(BAR)) {}
            }
        }
    }
}
