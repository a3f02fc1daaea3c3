//! Bands of contention and ticks of events, drawn once. Each chart uses them by reference, cut to its own
//! height. A band is hatched by how grave it is, and has its letter above it.

use maud::{Markup, html};
use netloom_units::Time;

use super::frame::{HEAD, PLOT, TimeAxis, px};
use crate::contended::{Band, Grade};

/// Bands and ticks are so high; a chart shows what it needs of them.
const HEIGHT: f64 = 2000.0;

/// A band is so wide at least, so that the shortest contention is seen.
const NARROWEST: f64 = 2.0;

/// A letter or number needs so much room.
const ROOM: f64 = 11.0;

/// A band in the plot: its letter, how grave it is, and its left and right edge.
pub(super) type Joined = (char, Grade, [f64; 2]);

/// Defines `#marks` (from the plot's left upper corner downwards) and `#heads` (what stands above it).
pub fn marks<'a>(
    time: &TimeAxis,
    bands: impl Iterator<Item = Band>,
    events: impl Iterator<Item = &'a Time>,
) -> Markup {
    let bands = joined(time, bands);
    let events: Vec<f64> = events.map(|at| time.x(*at)).collect();
    html! {
        svg class="definitions" width="0" height="0" aria-hidden="true" {
            defs {
                @for grade in Grade::ALL { (hatching(grade)) }
                g id="marks" {
                    @for (_, grade, [left, right]) in &bands {
                        rect class={ "band " (grade.class()) } x=(px(*left)) y="0"
                            width=(px(right - left)) height=(px(HEIGHT)) {}
                    }
                    @for x in &events {
                        line class="event" x1=(px(*x)) x2=(px(*x)) y1="0" y2=(px(HEIGHT)) {}
                    }
                }
                g id="heads" {
                    @for (x, letters) in letters(&bands) {
                        text class="letter" x=(px(x)) y="10" { (letters) }
                    }
                    @for (x, number) in numbers(&events) {
                        text class="number" x=(px(x)) y=(px(HEAD - 4.0)) { (number) }
                    }
                }
            }
        }
    }
}

/// Bands that touch or are too near to be told apart become one; grave ones lie above the others.
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

/// The letters of bands above their middle; where there is no room between them, as one word.
fn letters(bands: &[Joined]) -> Vec<(f64, String)> {
    let mut heads: Vec<(f64, char)> = bands
        .iter()
        .map(|(letter, _, [left, right])| (f64::midpoint(*left, *right), *letter))
        .collect();
    heads.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut words: Vec<(f64, String)> = Vec::new();
    for (x, letter) in heads {
        match words.last_mut() {
            Some((last, word)) if x < *last + ROOM * word.len() as f64 => {
                if !word.contains(letter) {
                    let place = word.find(|other| other > letter).unwrap_or(word.len());
                    word.insert(place, letter);
                }
            }
            _ => words.push((x, letter.into())),
        }
    }
    words
}

/// The numbers of events for which there is room behind the one before.
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

/// The pattern of a grade: dots, stripes, stripes both ways.
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
