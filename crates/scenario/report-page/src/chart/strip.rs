//! Panels of curves above each other over one time axis, with the marks drawn through all of them.
//! Values are means over steps, so curves are steps, and every axis begins at 0.

use std::borrow::Cow;

use maud::{Markup, html};

use super::axis::{Axis, Units};
use super::frame::{FOOT, HEAD, LEFT, PLOT, TimeAxis, WIDTH, px};
use crate::curves::Step;

/// Height of a plot.
const HEIGHT: f64 = 58.0;

/// Height of the words above it.
const TITLE: f64 = 18.0;

/// Ticks of a panel above its zero.
const TICKS: u32 = 3;

/// Curves that share a unit.
pub struct Panel {
    /// What they are of.
    pub title: Cow<'static, str>,
    /// Their units.
    pub units: Units,
    /// With no value above this there is nothing to see.
    pub nothing: f64,
    /// The curves.
    pub lines: Vec<Line>,
}

/// A curve.
pub struct Line {
    /// Its name beside others; empty if it is the only one.
    pub name: Cow<'static, str>,
    /// Its class in the style sheet, which gives colour and dashes.
    pub class: &'static str,
    /// Its values.
    pub steps: Vec<Step>,
}

impl Panel {
    /// The highest value.
    pub fn most(&self) -> f64 {
        let values = self.lines.iter().flat_map(|line| &line.steps).map(|step| step.mean);
        values.fold(0.0, f64::max)
    }
}

/// The chart of these panels, none of which is empty; `label` says what it is to those who do not
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

/// A panel whose plot begins at `top`.
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

/// What the panel shows, and which line is what.
fn title(panel: &Panel, unit: &str, y: f64) -> Markup {
    let words = match unit {
        "" => panel.title.to_string(),
        unit => format!("{}, {unit}", panel.title),
    };
    // Letters are no wider than this, whatever the font.
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

/// Steps as a path; where there is no value there is a gap.
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
