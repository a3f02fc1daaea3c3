//! Sizes that all charts have in common, and the place of a time.

use maud::{Markup, html};
use netloom_units::Time;

use super::axis::{Axis, TIMES};

/// Width of a chart. Units are those of the SVG, about a pixel on a screen.
pub const WIDTH: f64 = 720.0;

/// Where the plot begins; left of it are the values of the ticks.
pub const LEFT: f64 = 52.0;

/// Width of the plot.
pub const PLOT: f64 = WIDTH - LEFT - 14.0;

/// Height of what stands above a plot: letters of bands and numbers of events.
pub const HEAD: f64 = 26.0;

/// Height of what stands below it: times.
pub const FOOT: f64 = 33.0;

/// The time of a run from left to right.
pub struct TimeAxis {
    end: f64,
    axis: Axis,
}

impl TimeAxis {
    /// An axis up to the end of the run.
    pub fn new(end: Time) -> Self {
        // A run that ended in the moment it began has an axis all the same.
        let end = end.as_nanos().max(1) as f64;
        Self { end, axis: Axis::new(end, TIMES, 10) }
    }

    /// The place of a time, from 0 to [`PLOT`].
    pub fn x(&self, time: Time) -> f64 {
        (time.as_nanos() as f64 / self.end).min(1.0) * PLOT
    }

    /// The axis below a plot that ends at `y`, with the unit at its end.
    pub fn draw(&self, y: f64) -> Markup {
        let place = |time: f64| LEFT + time / self.end * PLOT;
        // The last tick may be behind the end.
        let ticks = self.axis.ticks().filter(|(time, _)| *time <= self.end);
        html! {
            g class="axis" {
                line x1=(px(LEFT)) x2=(px(LEFT + PLOT)) y1=(px(y)) y2=(px(y)) {}
                @for (time, text) in ticks {
                    line x1=(px(place(time))) x2=(px(place(time))) y1=(px(y)) y2=(px(y + 4.0)) {}
                    text class="middle" x=(px(place(time))) y=(px(y + 15.0)) { (text) }
                }
                text class="end" x=(px(LEFT + PLOT)) y=(px(y + 28.0)) {
                    "time since the network was ready, " (self.axis.unit)
                }
            }
        }
    }
}

/// A length as SVG has it.
pub fn px(length: f64) -> String {
    let text = format!("{length:.1}");
    text.strip_suffix(".0").map_or(text.clone(), Into::into)
}
