//! Links: the load, the rate and the queue of both directions, and drops.

use std::collections::HashMap;

use netloom_api::state::{LinkStatus, PipeStatus};
use netloom_link::LinkState;
use netloom_units::readable::{bit_rate, count};

use super::super::grid::{Cell, Column, Grid, Key, Row, Tone};
use super::super::sample::Recent;
use super::parts::{Seen, bar, figure, name, number};

const COLUMNS: &[Column] = &[
    name("link", 0),
    bar("load →", 0),
    figure("rate →", 0),
    bar("load ←", 0),
    figure("rate ←", 0),
    bar("queue", 1),
    figure("queued", 2),
    figure("dropped", 0),
    figure("in all", 3),
    name("ends", 4),
    name("properties →", 5),
];

/// Returns the table. The queue is the fuller of both directions.
pub fn grid(seen: Seen<'_>) -> Grid {
    let before = seen.before.iter().flat_map(|sample| &sample.view.links);
    let before: HashMap<&str, &LinkStatus> =
        before.map(|link| (link.name.as_str(), link)).collect();
    let links = seen.now.iter().flat_map(|sample| &sample.view.links);
    // Statistics of a window are recent by themselves.
    let is_window = seen.now.is_some_and(|sample| sample.view.window.is_some());
    let rows = links.map(|link| {
        let before = before.get(link.name.as_str()).filter(|_| !is_window);
        row(before.copied(), link)
    });
    let orders = &["load", "rate", "queue", "drops", "name"];
    Grid { columns: COLUMNS, orders, rows: rows.collect() }
}

fn row(before: Option<&LinkStatus>, link: &LinkStatus) -> Row {
    let forward = Recent::of(before.map(|link| &link.forward), &link.forward);
    let reverse = Recent::of(before.map(|link| &link.reverse), &link.reverse);
    let most = |of: fn(&Recent) -> Option<f64>| {
        [of(&forward), of(&reverse)].into_iter().flatten().reduce(f64::max)
    };
    let sum = |a: Option<u64>, b: Option<u64>| match (a, b) {
        (None, None) => None,
        _ => Some(a.unwrap_or_default() + b.unwrap_or_default()),
    };
    let dropped = sum(forward.dropped, reverse.dropped);
    let all = sum(link.forward.dropped_frames(), link.reverse.dropped_frames());
    let queued = most(|of| of.queue);
    let rate = most(|of| of.rate);
    let lost = dropped.filter(|dropped| *dropped > 0).map_or(Tone::Plain, |_| Tone::Warned);
    let [a, b] = &link.endpoints;
    let properties = match link.forward.modelled() {
        Some(pipe) => pipe.config.in_words().join(", "),
        None => "direct".into(),
    };
    let cells = vec![
        named(link),
        Cell::bar(forward.load),
        Cell::figure(forward.rate, bit_rate),
        Cell::bar(reverse.load),
        Cell::figure(reverse.rate, bit_rate),
        Cell::bar(most(|of| of.fill)),
        Cell::figure(queued, |frames| format!("{frames:.1}")),
        Cell::figure(dropped, count).in_tone(lost),
        Cell::figure(all, count),
        Cell::text(&format!("{a} – {b}")),
        Cell::text(&properties),
    ];
    // Of links without a line, and of equally busy ones, the faster first.
    let load = most(|of| of.load).unwrap_or_default() + rate.unwrap_or_default() / 1e18;
    let keys = vec![
        Key::Number(load),
        number(rate),
        number(most(|of| of.fill).or(queued.map(|frames| frames / 1e9))),
        number(dropped.map(|dropped| dropped as f64)),
        Key::Text(link.name.clone()),
    ];
    Row { cells, keys }
}

/// Returns the name of a link, and whether it is down.
fn named(link: &LinkStatus) -> Cell {
    let is_down = |pipe: &PipeStatus| {
        pipe.modelled().is_some_and(|pipe| pipe.config.state == LinkState::Down)
    };
    match (is_down(&link.forward), is_down(&link.reverse)) {
        (false, false) => Cell::text(&link.name),
        (true, true) => Cell::text(&format!("down: {}", link.name)).in_tone(Tone::Warned),
        (true, false) => Cell::text(&format!("down →: {}", link.name)).in_tone(Tone::Warned),
        (false, true) => Cell::text(&format!("down ←: {}", link.name)).in_tone(Tone::Warned),
    }
}
