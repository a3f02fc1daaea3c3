//! Whether several emulated runs at a time disturb each other: the heaviest point alone and beside
//! others like it, by turns.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use futures_util::future::join_all;
use netloom_monitor::Judgement;
use netloom_scenario::Scenario;
use netloom_sweep::{Interval, P95};
use netloom_units::Rate;

use super::child::{self, Order, Place, name_of};
use super::printer::Printer;
use super::room::Room;
use super::setup::Setup;
use super::values::values;
use crate::results;

/// Number of turns.
const TURNS: u64 = 3;

/// What runs said: the worst verdict, and the values of each metric.
#[derive(Default)]
struct Said {
    worst: Judgement,
    values: Vec<Vec<f64>>,
}

/// Tests several emulated runs at a time, and makes them fewer until they do not disturb each
/// other.
pub async fn tested(
    room: &mut Room,
    setup: &Setup,
    folder: &Path,
    printer: &Printer,
) -> Result<()> {
    while room.is_to_be_tested() {
        let Some(why) = disturbance(room, setup, folder).await? else { return Ok(()) };
        room.halve();
        printer.note(&format!("{why}: {} at a time", room.jobs));
    }
    Ok(())
}

/// Returns why as many runs at a time as `room` says disturb each other, if they do.
///
/// # Errors
/// If a run fails.
async fn disturbance(room: &Room, setup: &Setup, folder: &Path) -> Result<Option<String>> {
    let jobs = room.jobs;
    let point = heaviest(setup);
    let metrics = setup.sweep.metrics.len();
    let [mut alone, mut beside] =
        [(); 2].map(|()| Said { worst: Judgement::Valid, values: vec![Vec::new(); metrics] });
    for turn in 1..=TURNS {
        add(&mut alone, once(room, setup, folder, point, turn, 0).await?);
        let all = (0..jobs).map(|slot| once(room, setup, folder, point, turn, slot));
        for said in join_all(all).await {
            add(&mut beside, said?);
        }
    }
    let tested = format!("tested {jobs} runs at a time");
    if beside.worst > alone.worst {
        return Ok(Some(format!(
            "{tested}: {} beside each other, {} alone",
            beside.worst, alone.worst
        )));
    }
    if beside.worst == Judgement::Invalid {
        return Ok(Some(format!("{tested}: even a run alone is invalid")));
    }
    let outside = setup.sweep.metrics.iter().zip(alone.values.iter().zip(&beside.values));
    let outside = outside.filter(|(_, (alone, beside))| is_outside(alone, beside));
    Ok(outside.map(|(metric, _)| metric).next().map(|metric| {
        format!("{tested}: the mean of `{}` is outside its interval alone", metric.name)
    }))
}

fn add(said: &mut Said, other: Said) {
    said.worst = said.worst.max(other.worst);
    for (values, more) in said.values.iter_mut().zip(other.values) {
        values.extend(more);
    }
}

/// Whether the mean of the runs beside each other is outside the interval of those alone.
fn is_outside(alone: &[f64], beside: &[f64]) -> bool {
    if alone.len() < 2 || beside.is_empty() {
        return false;
    }
    let interval = Interval::of(alone, P95);
    let mean = beside.iter().sum::<f64>() / beside.len() as f64;
    interval.half.is_some_and(|half| (mean - interval.mean).abs() > half)
}

/// Runs the point once, and forgets its results.
async fn once(
    room: &Room,
    setup: &Setup,
    folder: &Path,
    point: usize,
    seed: u64,
    slot: usize,
) -> Result<Said> {
    let name = format!("trial-{}-{seed}-{slot}.part", std::process::id());
    let part = Forgotten(folder.join("runs").join(name));
    let loaded = &setup.loaded[point];
    let place = Place {
        results: &part.0,
        simulate: false,
        cpus: room.cpus(slot),
        name: name_of(&loaded.scenario.name, slot),
    };
    let order = Order::of(loaded, seed, place);
    let output = child::start(&order).await?.wait_with_output().await?;
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr);
        return Err(anyhow!("the test of several runs at a time failed: {}", words.trim()));
    }
    let summary = results::summary(&part.0)?;
    let values = values(&part.0, &summary, &setup.sweep.metrics)?;
    let of = setup.sweep.metrics.iter().map(|metric| values.get(&metric.name)?.value);
    let worst = summary.verdict.map_or(Judgement::Invalid, |verdict| verdict.judgement);
    Ok(Said { worst, values: of.map(|value| value.into_iter().collect()).collect() })
}

/// Results that are removed when this is dropped.
struct Forgotten(PathBuf);

impl Drop for Forgotten {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns the point with the most to carry.
fn heaviest(setup: &Setup) -> usize {
    let points = 0..setup.points.len();
    points.max_by_key(|point| weight(&setup.loaded[*point].scenario)).unwrap_or(0)
}

/// Returns how much a scenario is to carry: the sum of rates, then the number of nodes and links.
pub fn weight(scenario: &Scenario) -> (u128, usize) {
    let pipes = scenario.links.iter().flat_map(|link| [&link.forward, &link.reverse]);
    let rates = pipes.filter_map(|pipe| pipe.rate.to_string().parse::<Rate>().ok());
    let rate: u128 = rates.map(|rate| u128::from(rate.bits_per_second())).sum();
    (rate, scenario.nodes.len() + scenario.links.len())
}
