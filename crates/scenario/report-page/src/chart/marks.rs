//! Bands of contention and ticks of events, which are drawn once. Each chart uses them by
//! reference, cut to its own height. Simultaneous contentions share one pale band in the colour of
//! the most severe one, so that curves stay visible. Their letters are above the band.

use maud::{Markup, html};
use netloom_units::Time;

use super::frame::{HEAD, PLOT, TimeAxis, px};
use crate::contended::{Band, Grade};

/// Height of bands and ticks. A chart shows the part that it needs.
const HEIGHT: f64 = 2000.0;

/// Smallest width of a band, so that the shortest contention is visible.
const NARROWEST: f64 = 2.0;

/// Width of a letter or number.
const ROOM: f64 = 11.0;

/// A band in the plot: its letter, its grade, and its left and right edge.
pub(super) type Joined = (char, Grade, [f64; 2]);

/// Defines `#marks` (from the plot's top left corner downwards) and `#heads` (the area above it).
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
                    @for (grade, [left, right]) in shades(&bands) {
                        rect class={ "shade " (grade.class()) } x=(px(left)) y="0"
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

/// Splits the bands into consecutive pieces from left to right, each with the most severe grade
/// there.
fn shades(bands: &[Joined]) -> Vec<(Grade, [f64; 2])> {
    let mut edges: Vec<f64> = bands.iter().flat_map(|(_, _, edges)| *edges).collect();
    edges.sort_by(f64::total_cmp);
    edges.dedup();
    let mut shades: Vec<(Grade, [f64; 2])> = Vec::new();
    for piece in edges.windows(2) {
        let [left, right] = [piece[0], piece[1]];
        let over = bands.iter().filter(|(_, _, edges)| edges[0] <= left && right <= edges[1]);
        let Some(gravest) = over.map(|(_, grade, _)| *grade).max() else { continue };
        match shades.last_mut() {
            Some((grade, last)) if *grade == gravest && last[1] >= left => last[1] = right,
            _ => shades.push((gravest, [left, right])),
        }
    }
    shades
}

/// Returns the letters of bands at their middle. Letters without room between them become one word.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_of_one_time_share_one_shade() {
        use Grade::{Invalid, Suspect};
        let bands = [
            ('A', Suspect, [0.0, 10.0]),
            ('B', Suspect, [5.0, 20.0]),
            ('C', Invalid, [8.0, 12.0]),
            ('D', Suspect, [30.0, 32.0]),
            ('E', Suspect, [30.0, 32.0]),
        ];
        assert_eq!(
            shades(&bands),
            [
                (Suspect, [0.0, 8.0]),
                (Invalid, [8.0, 12.0]),
                (Suspect, [12.0, 20.0]),
                (Suspect, [30.0, 32.0]),
            ]
        );
        assert!(shades(&[]).is_empty());
    }
}
