//! Times to be left out and ticks of events, which are drawn once. Each chart uses them by
//! reference, cut to its own height: a bar at its upper edge and dotted lines, so that curves stay
//! visible.

use maud::{Markup, html};
use netloom_units::Time;

use super::frame::{HEAD, PLOT, TimeAxis, px};
use crate::contended::{Band, Grade};

/// Height of ticks. A chart shows the part that it needs.
const HEIGHT: f64 = 2000.0;

/// Height of the bars of times to be left out.
const OUT: f64 = 5.0;

/// Smallest width of a band, so that the shortest contention is visible.
const NARROWEST: f64 = 2.0;

/// Width of a digit.
const ROOM: f64 = 11.0;

/// A band in the plot: its letter, its grade, and its left and right edge.
pub(super) type Joined = (Option<char>, Grade, [f64; 2]);

/// Defines `#marks` (from the plot's top left corner downwards) and `#heads` (the area above it).
pub fn marks<'a>(
    time: &TimeAxis,
    left_out: impl Iterator<Item = Band>,
    events: impl Iterator<Item = &'a Time>,
) -> Markup {
    let events: Vec<f64> = events.map(|at| time.x(*at)).collect();
    html! {
        svg class="definitions" width="0" height="0" aria-hidden="true" {
            defs {
                @for grade in Grade::ALL { (hatching(grade)) }
                g id="marks" {
                    @for (_, _, [left, right]) in joined(time, left_out) {
                        rect class="out" x=(px(left)) y="0" width=(px(right - left))
                            height=(px(OUT)) {}
                    }
                    @for x in &events {
                        line class="event" x1=(px(*x)) x2=(px(*x)) y1="0" y2=(px(HEIGHT)) {}
                    }
                }
                g id="heads" {
                    @for (x, number) in numbers(&events) {
                        text class="number" x=(px(x)) y=(px(HEAD - 4.0)) { (number) }
                    }
                }
            }
        }
    }
}

/// Merges bands that touch or are too close to be distinguished. More severe ones are drawn over
/// the others.
pub(super) fn joined(time: &TimeAxis, bands: impl Iterator<Item = Band>) -> Vec<Joined> {
    let mut joined: Vec<Joined> = Vec::new();
    for band in bands {
        let left = time.x(band.from).min(PLOT - NARROWEST);
        let right = time.x(band.to).max(left + NARROWEST);
        match joined.last_mut() {
            Some((letter, grade, last))
                if (*letter, *grade) == (band.letter, band.grade) && left <= last[1] + 1.0 =>
            {
                last[1] = last[1].max(right);
            }
            _ => joined.push((band.letter, band.grade, [left, right])),
        }
    }
    joined.sort_by_key(|(_, grade, _)| *grade);
    joined
}

/// Returns the numbers of events that fit after the previous one.
fn numbers(events: &[f64]) -> Vec<(f64, usize)> {
    let mut free = f64::NEG_INFINITY;
    let mut fits = |x: f64| {
        let fits = x >= free;
        if fits {
            free = x + 2.0 * ROOM;
        }
        fits
    };
    events.iter().copied().zip(1..).filter(|(x, _)| fits(*x)).collect()
}

/// Draws the pattern of a grade: dots, stripes, or stripes in both directions.
fn hatching(grade: Grade) -> Markup {
    let path = match grade {
        Grade::WarmUp => "M2 2h1.5",
        Grade::Suspect => "M0 6L6 0M-1 1L1 -1M5 7L7 5",
        Grade::Invalid => "M0 6L6 0M-1 1L1 -1M5 7L7 5M0 0L6 6M-1 5L1 7M5 -1L7 1",
    };
    html! {
        pattern id={ "hatching-" (grade.class()) } class={ "hatching " (grade.class()) }
            width="6" height="6" patternUnits="userSpaceOnUse" {
            rect width="6" height="6" {}
            path d=(path) {}
        }
    }
}
