//! Sizes that all charts share, and the positions of times.

use maud::{Markup, html};
use netloom_units::Time;

use super::axis::{Axis, TIMES};

/// Width of a chart. Units are those of the SVG, about one pixel on a screen.
pub const WIDTH: f64 = 720.0;

/// Left edge of the plot. Left of it are the labels of the ticks.
pub const LEFT: f64 = 52.0;

/// Width of the plot.
pub const PLOT: f64 = WIDTH - LEFT - 14.0;

/// Height of the area above a plot, with numbers of events.
pub const HEAD: f64 = 16.0;

/// Height of the area below a plot, with times.
pub const FOOT: f64 = 33.0;

/// Axis of the run's time, from left to right.
pub struct TimeAxis {
    end: f64,
    axis: Axis,
}

impl TimeAxis {
    /// Creates an axis up to the end of the run.
    pub fn new(end: Time) -> Self {
        // A run may have ended at the moment when it began.
        let end = end.as_nanos().max(1) as f64;
        Self { end, axis: Axis::new(end, TIMES, 10) }
    }

    /// Returns the position of a time, from 0 to [`PLOT`].
    pub fn x(&self, time: Time) -> f64 {
        (time.as_nanos() as f64 / self.end).min(1.0) * PLOT
    }

    /// Draws the axis below a plot that ends at `y`, with the unit at its end.
    pub fn draw(&self, y: f64) -> Markup {
        let place = |time: f64| LEFT + time / self.end * PLOT;
        // The last tick may be after the end.
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

/// Formats a length for SVG.
pub fn px(length: f64) -> String {
    let text = format!("{length:.1}");
    text.strip_suffix(".0").map_or(text.clone(), Into::into)
}
