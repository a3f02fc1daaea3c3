//! The report of a sweep: a plot for each metric, with intervals as bars, and a table.

use maud::{Markup, html};

use crate::chart::{Axis, DELAYS, PLAIN, RATES, Units, px};
use crate::page::{document, legal};
use crate::section::{CLASSES, table};

/// Width of a plot with its labels, and its left edge and width without.
const WIDTH: f64 = 720.0;
const LEFT: f64 = 60.0;
const PLOT: f64 = WIDTH - LEFT - 24.0;

/// Top and height of a plot, and height of the labels below.
const TOP: f64 = 20.0;
const HEIGHT: f64 = 220.0;
const FOOT: f64 = 36.0;

/// Ratio of values across from which on their axis is logarithmic.
const LOGARITHMIC: f64 = 20.0;

/// What the report of a sweep shows.
#[derive(Debug, Clone, Default)]
pub struct SweepPage {
    /// Name of the sweep.
    pub name: String,
    /// Name of the parameter that is across.
    pub across: String,
    /// Its values, in words.
    pub places: Vec<String>,
    /// Its values, if they are numbers.
    pub numbers: Option<Vec<f64>>,
    /// Confidence of the intervals.
    pub level: f64,
    /// A plot for each metric.
    pub plots: Vec<SweepPlot>,
    /// Headings of the table.
    pub headings: Vec<String>,
    /// Rows of the table.
    pub rows: Vec<Vec<String>>,
}

/// A plot of a metric.
#[derive(Debug, Clone, Default)]
pub struct SweepPlot {
    /// The metric.
    pub metric: String,
    /// Its unit: `bit/s`, `ns`, another, or none.
    pub unit: String,
    /// A line for each combination of the other parameters.
    pub lines: Vec<SweepLine>,
}

/// A line of a plot.
#[derive(Debug, Clone, Default)]
pub struct SweepLine {
    /// The values of the other parameters.
    pub name: String,
    /// Its points.
    pub points: Vec<SweepPoint>,
}

/// A point of a line.
#[derive(Debug, Clone, Copy, Default)]
pub struct SweepPoint {
    /// Number of the value that is across.
    pub place: usize,
    /// The mean.
    pub mean: f64,
    /// Half of its interval, if it has one.
    pub half: Option<f64>,
}

/// Returns the report of a sweep as HTML text.
pub fn sweep_page(page: &SweepPage) -> String {
    let headings: Vec<&str> = page.headings.iter().map(String::as_str).collect();
    let rows = html! {
        @for row in &page.rows { tr { @for cell in row { td class="number" { (cell) } } } }
    };
    let level = (page.level * 1e6).round() / 1e4;
    let body = html! {
        main {
            h1 { (page.name) }
            p class="note" {
                "Means over seeds. Bars are " (level) " % confidence intervals, to which the \
                 machine's part is added: the greatest error of a run, which more runs do not \
                 lessen. Runs whose verdict is invalid enter no mean."
            }
            @for plot in &page.plots { (plotted(page, plot)) }
            section id="points" {
                h2 { "Points" }
                (table(&headings, &rows))
            }
        }
    };
    legal(&document(&format!("Sweep {}", page.name), &body).into_string())
}

/// Draws a metric: as many lines in a figure as there are kinds of lines.
fn plotted(page: &SweepPage, plot: &SweepPlot) -> Markup {
    html! {
        section {
            h2 { (plot.metric) }
            @if plot.lines.is_empty() { p { "No run has a value." } }
            @for lines in plot.lines.chunks(CLASSES.len()) {
                figure {
                    (figure(page, plot, lines))
                    figcaption {
                        (plot.metric) " by " (page.across)
                        @if page.numbers.is_none() { " (in the order of the sweep's file)" }
                    }
                }
            }
        }
    }
}

fn figure(page: &SweepPage, plot: &SweepPlot, lines: &[SweepLine]) -> Markup {
    let ends = plot.lines.iter().flat_map(|line| &line.points);
    let ends = ends.map(|point| (point.mean - point.half.unwrap_or(0.0), top_of(point)));
    let (least, most) = ends.fold((0.0_f64, 0.0_f64), |(a, b), (c, d)| (a.min(c), b.max(d)));
    if least < 0.0 && lines.iter().flat_map(|line| &line.points).any(|point| point.mean < 0.0) {
        return html! { p { "It has values below 0, which are in the table only." } };
    }
    let axis = Axis::new(if most > 0.0 { most } else { 1.0 }, units(&plot.unit), 5);
    let y = |value: f64| TOP + HEIGHT * (1.0 - (value / axis.top()).clamp(0.0, 1.0));
    let bottom = TOP + HEIGHT;
    html! {
        svg class="chart" viewBox={ "0 0 " (px(WIDTH)) " " (px(bottom + FOOT + names(lines))) }
            role="img" aria-label=(plot.metric) {
            g class="axis" {
                line x1=(px(LEFT)) x2=(px(LEFT + PLOT)) y1=(px(bottom)) y2=(px(bottom)) {}
                @for (value, text) in axis.ticks() {
                    line x1=(px(LEFT - 4.0)) x2=(px(LEFT)) y1=(px(y(value))) y2=(px(y(value))) {}
                    text class="end" x=(px(LEFT - 6.0)) y=(px(y(value) + 4.0)) { (text) }
                }
                text x=(px(LEFT)) y="12" { (axis.unit) @if axis.unit.is_empty() { (plot.unit) } }
                @for (place, text) in page.places.iter().enumerate() {
                    text class="middle" x=(px(x(page, place))) y=(px(bottom + 15.0)) { (text) }
                }
                text class="end" x=(px(LEFT + PLOT)) y=(px(bottom + 30.0)) { (page.across) }
            }
            @for ((row, line), class) in lines.iter().enumerate().zip(CLASSES) {
                (drawn(page, line, class, &y))
                @let below = bottom + FOOT + 14.0 * row as f64;
                line class={ "curve " (class) } x1=(px(LEFT)) x2=(px(LEFT + 30.0))
                    y1=(px(below)) y2=(px(below)) {}
                text x=(px(LEFT + 36.0)) y=(px(below + 4.0)) { (line.name) }
            }
        }
    }
}

/// Draws a line and its bars.
fn drawn(page: &SweepPage, line: &SweepLine, class: &str, y: &dyn Fn(f64) -> f64) -> Markup {
    let mut points = line.points.clone();
    points.sort_by(|a, b| x(page, a.place).total_cmp(&x(page, b.place)));
    let path =
        points.iter().map(|point| format!("{},{}", px(x(page, point.place)), px(y(point.mean))));
    let path: Vec<String> = path.collect();
    html! {
        polyline class={ "curve " (class) } points=(path.join(" ")) fill="none" {}
        @for point in &points {
            @let at = px(x(page, point.place));
            circle class={ "curve " (class) } cx=(at) cy=(px(y(point.mean))) r="2" {}
            @if let Some(half) = point.half {
                line class={ "curve " (class) } x1=(at) x2=(at)
                    y1=(px(y(point.mean - half))) y2=(px(y(point.mean + half))) {}
            }
        }
    }
}

fn top_of(point: &SweepPoint) -> f64 {
    point.mean + point.half.unwrap_or(0.0)
}

/// Returns the height of the names of lines.
fn names(lines: &[SweepLine]) -> f64 {
    14.0 * lines.len() as f64
}

/// Returns where a value is across: by its size, or by its place if it is no number.
fn x(page: &SweepPage, place: usize) -> f64 {
    let numbers = page.numbers.clone();
    let numbers = numbers.unwrap_or_else(|| (0..page.places.len()).map(|n| n as f64).collect());
    let ends = |numbers: &[f64]| {
        let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        (least, numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max))
    };
    let (least, most) = ends(&numbers);
    let scale = |value: f64| match least > 0.0 && most / least >= LOGARITHMIC {
        true => value.ln(),
        false => value,
    };
    let (from, to) = (scale(least), scale(most));
    let share = if to > from { (scale(numbers[place]) - from) / (to - from) } else { 0.5 };
    LEFT + 30.0 + share * (PLOT - 60.0)
}

fn units(unit: &str) -> Units {
    match unit {
        "bit/s" => RATES,
        "ns" => DELAYS,
        _ => PLAIN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(numbers: Option<Vec<f64>>) -> SweepPage {
        let point = |place, mean, half| SweepPoint { place, mean, half };
        let lines = ["control cubic", "control <bbr>"].map(|name| SweepLine {
            name: name.into(),
            points: vec![point(0, 4e6, Some(1e5)), point(1, 9e6, None)],
        });
        SweepPage {
            name: "fair".into(),
            across: "rate".into(),
            places: vec!["5Mbit/s".into(), "10Mbit/s".into()],
            numbers,
            level: 0.95,
            plots: vec![SweepPlot {
                metric: "goodput".into(),
                unit: "bit/s".into(),
                lines: lines.into(),
            }],
            headings: vec!["rate".into()],
            rows: vec![vec!["5Mbit/s".into()]],
        }
    }

    #[test]
    fn a_page_has_a_line_for_each_combination_and_a_bar_for_each_interval() {
        for numbers in [None, Some(vec![5e6, 1e7]), Some(vec![1.0, 1e3])] {
            let text = sweep_page(&page(numbers));
            assert_eq!(text.matches("<polyline").count(), 2);
            assert_eq!(text.matches("<circle").count(), 4);
            assert!(text.contains("control &lt;bbr&gt;") && !text.contains("<bbr>"), "{text}");
            assert!(text.contains("Mbit/s") && !text.contains("NaN"), "{text}");
        }
    }
}
