//! Shared media: positions of nodes, airtime of stations, hidden stations, and delivery by
//! distance.

use maud::{Markup, html};
use netloom_units::Time;
use netloom_units::readable::count;

use super::{more, table};
use crate::chart::px;
use crate::radio::{Radio, StationTotals};

/// Width of drawings.
const WIDTH: f64 = 720.0;
/// Height of the drawing of deliveries, and largest height of the map.
const HEIGHT: f64 = 260.0;
/// Width of the margin for text.
const MARGIN: f64 = 36.0;
/// Largest number of stations and of pairs that are listed.
const LISTED: usize = 60;

/// Returns the section about shared media, if there are any.
pub fn radio(radio: &Radio, ended: Time) -> Markup {
    html! {
        @if !radio.is_empty() {
            section {
                h2 { "Shared media" }
                (map(radio))
                @for medium in radio.media() { (of_medium(radio, medium, ended)) }
            }
        }
    }
}

fn of_medium(radio: &Radio, medium: &str, ended: Time) -> Markup {
    let headings = [
        "station",
        "airtime",
        "data",
        "RTS",
        "CTS",
        "ACK",
        "jam",
        "attempts",
        "retries",
        "failed",
        "collisions heard",
    ];
    let stations: Vec<_> = radio.stations(medium).collect();
    let most = stations.iter().map(|(_, totals)| share(totals, ended)).fold(0.0, f64::max);
    let rows = html! {
        @for (node, totals) in stations.iter().take(LISTED) { (row(node, totals, ended, most)) }
    };
    let hidden = radio.hidden(medium);
    html! {
        h3 { "Medium " (medium) }
        (table(&headings, &rows))
        p class="note" {
            "Airtime is what a station sent, as a share of the run. The bar stacks data, RTS, CTS, \
             ACK and jams in this order; that of the station which sent longest is full."
        }
        (more(stations.len().saturating_sub(LISTED), "stations", "radio.parquet"))
        (hidden_pairs(&hidden))
        (deliveries(radio, medium))
    }
}

fn share(totals: &StationTotals, ended: Time) -> f64 {
    totals.airtime.iter().sum::<u64>() as f64 / ended.as_nanos().max(1) as f64
}

fn row(node: &str, totals: &StationTotals, ended: Time, most: f64) -> Markup {
    let of_run = |time: u64| time as f64 / ended.as_nanos().max(1) as f64;
    let retries = match totals.attempts {
        0 => "–".to_owned(),
        attempts => format!(
            "{} ({:.1} %)",
            count(totals.retries),
            100.0 * totals.retries as f64 / attempts as f64
        ),
    };
    html! {
        tr {
            td { (node) }
            td class="word" { (stack(totals, ended, most)) " " (percent(share(totals, ended))) }
            @for time in totals.airtime { td class="number" { (percent(of_run(time))) } }
            td class="number" { (count(totals.attempts)) }
            td class="number" { (retries) }
            td class="number" { (count(totals.failed)) }
            td class="number" { (count(totals.collisions)) }
        }
    }
}

/// Draws airtime by kind as adjacent bars.
fn stack(totals: &StationTotals, ended: Time, most: f64) -> Markup {
    const LENGTH: f64 = 90.0;
    let scale = LENGTH / (ended.as_nanos().max(1) as f64 * most.max(1e-9));
    let mut from = 0.0;
    let parts = totals.airtime.iter().map(|time| {
        let length = *time as f64 * scale;
        from += length;
        (from - length, length)
    });
    let parts: Vec<(f64, f64)> = parts.collect();
    html! {
        svg class="bar stack" width="92" height="12" viewBox="0 0 92 12" aria-hidden="true" {
            rect class="whole" x="0.5" y="0.5" width="91" height="11" {}
            @for (place, (x, length)) in parts.into_iter().enumerate() {
                @if length > 0.0 {
                    @let kind = format!("kind-{place}");
                    rect class=(kind) x=(px(1.0 + x)) y="1" width=(px(length)) height="10" {}
                }
            }
        }
    }
}

fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}

fn hidden_pairs(pairs: &[(&str, &str, usize)]) -> Markup {
    html! {
        @if pairs.is_empty() {
            p { "At the end no two stations that reach a third were hidden from each other." }
        } @else {
            p {
                "Hidden from each other at the end, while both reached a third: "
                @for (place, (a, b, thirds)) in pairs.iter().take(LISTED).enumerate() {
                    @if place > 0 { ", " }
                    (a) " and " (b) " (" (thirds) ")"
                }
                "; in brackets, how many they both reached."
            }
            (more(pairs.len().saturating_sub(LISTED), "pairs", "neighbours.parquet"))
        }
    }
}

/// Draws the positions of nodes.
fn map(radio: &Radio) -> Markup {
    let tracks = radio.tracks();
    let points = tracks.values().flat_map(|track| track.points.iter().chain([&track.last]));
    let bounds = points.fold(None, |bounds: Option<[f64; 4]>, (x, y)| {
        let [west, south, east, north] = bounds.unwrap_or([*x, *y, *x, *y]);
        Some([west.min(*x), south.min(*y), east.max(*x), north.max(*y)])
    });
    let Some([west, south, east, north]) = bounds else { return html! {} };
    let (wide, high) = ((east - west).max(1.0), (north - south).max(1.0));
    let scale = ((WIDTH - 2.0 * MARGIN) / wide).min((HEIGHT * 2.0 - 2.0 * MARGIN) / high);
    let height = high * scale + 2.0 * MARGIN;
    let place =
        |(x, y): &(f64, f64)| (MARGIN + (x - west) * scale, height - MARGIN - (y - south) * scale);
    let line = |points: &[(f64, f64)]| {
        let points = points.iter().map(place).map(|(x, y)| format!("{},{}", px(x), px(y)));
        points.collect::<Vec<_>>().join(" ")
    };
    let size = format!("0 0 {WIDTH} {}", px(height));
    html! {
        figure {
            svg class="chart map" viewBox=(size) role="img" aria-label="Where nodes were" {
                @for track in tracks.values().filter(|track| track.points.len() > 1) {
                    polyline class="curve track" points=(line(&track.points)) {}
                }
                @for (node, track) in tracks {
                    @let (x, y) = place(&track.last);
                    circle class="place" cx=(px(x)) cy=(px(y)) r="4" {}
                    (name(node, (x, y)))
                }
            }
            figcaption {
                "Where nodes on shared media were at the end, and the ways that they took; north \
                 is up. The farthest southwest is "
                (format!("({west:.1}, {south:.1}) m, the farthest northeast "))
                (format!("({east:.1}, {north:.1}) m."))
            }
        }
    }
}

/// Draws a node's name beside its position, on the side with room.
fn name(node: &str, (x, y): (f64, f64)) -> Markup {
    html! {
        @if x > WIDTH * 0.7 {
            text class="end" x=(px(x - 6.0)) y=(px(y - 6.0)) { (node) }
        } @else {
            text x=(px(x + 6.0)) y=(px(y - 6.0)) { (node) }
        }
    }
}

/// Draws the probability of delivery by distance, if there is more than one distance.
fn deliveries(radio: &Radio, medium: &str) -> Markup {
    let points = radio.deliveries(medium).map(|of| of.by_distance()).unwrap_or_default();
    let [_, .., (farthest, _)] = points[..] else { return html! {} };
    let x = |distance: f64| MARGIN + (WIDTH - 2.0 * MARGIN) * distance / farthest.max(1.0);
    let y = |delivery: f64| HEIGHT - MARGIN - (HEIGHT - 2.0 * MARGIN) * delivery;
    let line = points.iter().map(|(at, mean)| format!("{},{}", px(x(*at)), px(y(*mean))));
    let line = line.collect::<Vec<_>>().join(" ");
    let size = format!("0 0 {WIDTH} {HEIGHT}");
    html! {
        figure {
            svg class="chart" viewBox=(size) role="img" aria-label="Delivery against distance" {
                @for share in [0.0, 0.5, 1.0] {
                    @let (height, label) = (y(share), format!("{:.0} %", share * 100.0));
                    @let (left, right) = (px(MARGIN), px(WIDTH - MARGIN));
                    line class="grid" x1=(left) x2=(right) y1=(px(height)) y2=(px(height)) {}
                    text class="end" x=(px(MARGIN - 4.0)) y=(px(height + 4.0)) { (label) }
                }
                @for part in 0..=4 {
                    @let distance = farthest * f64::from(part) / 4.0;
                    @let label = format!("{distance:.0} m");
                    @let below = px(HEIGHT - MARGIN + 16.0);
                    text class="middle" x=(px(x(distance))) y=(below) { (label) }
                }
                polyline class="curve delivered" points=(line) {}
                @for (at, mean) in &points {
                    circle class="place" cx=(px(x(*at))) cy=(px(y(*mean))) r="2.5" {}
                }
            }
            figcaption {
                "Delivery against distance on " (medium) ": how likely a frame with a packet of \
                 1500 bytes arrived, by power and noise, without fading and what others sent; \
                 means over all pairs within reach and all samples."
            }
        }
    }
}
