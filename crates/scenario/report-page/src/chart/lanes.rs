//! Contention over time: one lane for each contended signal, with its letter.

use maud::{Markup, html};

use super::frame::{FOOT, LEFT, PLOT, TimeAxis, WIDTH, px};
use super::marks::joined;
use crate::contended::Row;

/// Height of a lane with its text.
const LANE: f64 = 30.0;

/// Height of the bars in a lane.
const BAR: f64 = 11.0;

/// Draws the contentions in these rows, which have letters.
pub fn lanes(rows: &[&Row<'_>], time: &TimeAxis) -> Markup {
    let bottom = rows.len() as f64 * LANE;
    html! {
        svg class="chart" viewBox={ "0 0 " (px(WIDTH)) " " (px(bottom + FOOT)) } role="img"
            aria-label="contention over time" {
            @for (index, row) in rows.iter().enumerate() {
                (lane(row, time, index as f64 * LANE))
            }
            (time.draw(bottom))
        }
    }
}

fn lane(row: &Row<'_>, time: &TimeAxis, top: f64) -> Markup {
    let name = format!("{} on {}", row.report.signal, row.report.on);
    let bar = top + LANE - BAR - 3.0;
    html! {
        g class="lane" {
            text class="letter" x=(px(LEFT - 14.0)) y=(px(bar + BAR - 1.0)) {
                @if let Some(letter) = row.letter { (letter) }
            }
            text class="title" x=(px(LEFT)) y=(px(bar - 4.0)) { (name) }
            line class="grid" x1=(px(LEFT)) x2=(px(LEFT + PLOT))
                y1=(px(bar + BAR)) y2=(px(bar + BAR)) {}
            @for (_, grade, [left, right]) in joined(time, row.bands()) {
                rect class={ "band " (grade.class()) } x=(px(LEFT + left)) y=(px(bar))
                    width=(px(right - left)) height=(px(BAR)) {}
            }
        }
    }
}
