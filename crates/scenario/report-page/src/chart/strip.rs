//! Panels of curves above each other over one time axis, with the marks drawn through all of them.
//! Values are means over intervals, so curves consist of steps, and every axis begins at 0.

use std::borrow::Cow;

use maud::{Markup, html};

use super::axis::{Axis, Units};
use super::frame::{FOOT, HEAD, LEFT, PLOT, TimeAxis, WIDTH, px};
use crate::curves::Step;

/// Height of a plot.
const HEIGHT: f64 = 58.0;

/// Height of the text above it.
const TITLE: f64 = 18.0;

/// Number of ticks of a panel above zero.
const TICKS: u32 = 3;

/// Curves that share a unit.
pub struct Panel {
    /// Title of the panel.
    pub title: Cow<'static, str>,
    /// Units of the values.
    pub units: Units,
    /// The panel is left out if no value is above this one.
    pub nothing: f64,
    /// The curves.
    pub lines: Vec<Line>,
}

/// A curve.
pub struct Line {
    /// Name of the curve; empty if it is the only one.
    pub name: Cow<'static, str>,
    /// Class in the style sheet, with colour and dashes.
    pub class: &'static str,
    /// Values of the curve.
    pub steps: Vec<Step>,
}

impl Panel {
    /// Returns the highest value.
    pub fn most(&self) -> f64 {
        let values = self.lines.iter().flat_map(|line| &line.steps).map(|step| step.mean);
        values.fold(0.0, f64::max)
    }
}

/// Draws these panels, none of which is empty. `label` describes the chart for people who cannot
/// see it.
pub fn strip(panels: &[Panel], time: &TimeAxis, label: &str) -> Markup {
    let bottom = HEAD + panels.len() as f64 * (TITLE + HEIGHT);
    html! {
        svg class="chart" viewBox={ "0 0 " (px(WIDTH)) " " (px(bottom + FOOT)) } role="img"
            aria-label=(label) {
            svg x=(px(LEFT)) y=(px(HEAD)) width=(px(PLOT)) height=(px(bottom - HEAD)) {
                use href="#marks" {}
            }
            use href="#heads" x=(px(LEFT)) {}
            @for (index, panel) in panels.iter().enumerate() {
                (draw(panel, time, HEAD + index as f64 * (TITLE + HEIGHT) + TITLE))
            }
            (time.draw(bottom))
        }
    }
}

/// Draws a panel whose plot begins at `top`.
fn draw(panel: &Panel, time: &TimeAxis, top: f64) -> Markup {
    let axis = Axis::new(panel.most(), panel.units, TICKS);
    let y = |value: f64| top + HEIGHT * (1.0 - value / axis.top());
    html! {
        g class="panel" {
            @for (value, text) in axis.ticks() {
                line class="grid" x1=(px(LEFT)) x2=(px(LEFT + PLOT))
                    y1=(px(y(value))) y2=(px(y(value))) {}
                text class="end" x=(px(LEFT - 5.0)) y=(px(y(value) + 3.5)) { (text) }
            }
            (title(panel, axis.unit, top - 5.0))
            @for line in &panel.lines {
                path class={ "curve " (line.class) } d=(path(&line.steps, time, y)) {}
            }
        }
    }
}

/// Draws the title of the panel and the key of its curves.
fn title(panel: &Panel, unit: &str, y: f64) -> Markup {
    let words = match unit {
        "" => panel.title.to_string(),
        unit => format!("{}, {unit}", panel.title),
    };
    // Letters are no wider than this in any font.
    let width = |text: &str| text.chars().count() as f64 * 6.6;
    let mut x = LEFT + width(&words) + 14.0;
    let mut keys = Vec::new();
    for line in panel.lines.iter().filter(|line| !line.name.is_empty()) {
        keys.push((x, line));
        x += 30.0 + width(&line.name) + 12.0;
    }
    html! {
        text class="title" x=(px(LEFT)) y=(px(y)) { (words) }
        @for (x, line) in keys {
            path class={ "curve " (line.class) } d={ "M" (px(x)) " " (px(y - 3.5)) "h24" } {}
            text x=(px(x + 29.0)) y=(px(y)) { (line.name) }
        }
    }
}

/// Formats steps as a path, with a gap where there is no value.
fn path(steps: &[Step], time: &TimeAxis, y: impl Fn(f64) -> f64) -> String {
    let mut path = String::new();
    let mut steps = steps.iter().peekable();
    let mut before = None;
    while let Some(step) = steps.next() {
        let at = px(y(step.mean));
        let mut to = step.to;
        while let Some(next) = steps.next_if(|next| next.from == to && px(y(next.mean)) == at) {
            to = next.to;
        }
        if before == Some(step.from) {
            path += &format!("V{at}");
        } else {
            path += &format!("M{} {at}", px(LEFT + time.x(step.from)));
        }
        path += &format!("H{}", px(LEFT + time.x(to)));
        before = Some(to);
    }
    path
}
