//! Files of lines of JSON: events, and metrics that applications reported.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufWriter, Write};

use anyhow::{Result, anyhow};
use netloom_api::event::{Event, What};
use netloom_api::metric::Metric;
use netloom_monitor::Alignment;
use netloom_units::Time;
use serde::de::DeserializeOwned;

use super::interleaved::Interleaved;
use super::merging::{Merging, buffered};
use crate::{EventFile, private_file};

const EVENTS: &str = "events.jsonl";
const METRICS: &str = "metrics.jsonl";

impl Merging<'_> {
    /// Merges events and metrics.
    pub fn lines(&mut self) {
        let events = self.open(EVENTS);
        let sources = events.into_iter().map(|(member, file)| {
            let clock = self.members[member].member.clock;
            let entries = parsed(file).map(move |event: Result<Event>| {
                let mut event = event?;
                event.time = clock.to_cluster(event.time);
                align(&mut event.what, &clock);
                Ok((Some(event.time), event))
            });
            (member, entries)
        });
        let mut entries = Interleaved::new(sources);
        let written = self.events(&mut entries);
        self.keep(EVENTS, written);
        self.failed(EVENTS, entries.into_failures());

        let metrics = self.open(METRICS);
        if metrics.is_empty() {
            return;
        }
        let sources = metrics.into_iter().map(|(member, file)| {
            let clock = self.members[member].member.clock;
            let entries = parsed(file).map(move |metric: Result<Metric>| {
                let mut metric = metric?;
                metric.time = clock.to_cluster(metric.time);
                Ok((Some(metric.time), metric))
            });
            (member, entries)
        });
        let mut entries = Interleaved::new(sources);
        let written = self.metrics(&mut entries);
        self.keep(METRICS, written);
        self.failed(METRICS, entries.into_failures());
    }

    fn failed(&mut self, file: &str, failures: Vec<(usize, anyhow::Error)>) {
        failures.into_iter().for_each(|(member, why)| self.fail(file, member, &why));
    }

    fn events(
        &self,
        entries: &mut dyn Iterator<Item = (usize, Option<Time>, Event)>,
    ) -> Result<()> {
        let mut out = EventFile::new(private_file(&self.results.path(EVENTS))?);
        let mut pairs = Pairs::default();
        for (member, _, Event { time, what, .. }) in entries {
            let Some(what) = pairs.once(member, what)? else { continue };
            out.record_of(Some(self.members[member].name().to_owned()), time, what);
        }
        Ok(out.finish()?)
    }

    fn metrics(
        &self,
        entries: &mut dyn Iterator<Item = (usize, Option<Time>, Metric)>,
    ) -> Result<()> {
        let mut out = BufWriter::new(private_file(&self.results.path(METRICS))?);
        for (_, _, metric) in entries {
            serde_json::to_writer(&mut out, &metric)?;
            out.write_all(b"\n")?;
        }
        Ok(out.flush()?)
    }
}

/// The lines of a file.
fn parsed<T: DeserializeOwned>(file: File) -> impl Iterator<Item = Result<T>> {
    (1..).zip(buffered(file).split(b'\n')).map(|(number, line)| {
        serde_json::from_slice(&line?).map_err(|error| anyhow!("line {number}: {error}"))
    })
}

/// Converts times within an event.
fn align(what: &mut What, clock: &Alignment) {
    match what {
        What::Associated { since, .. } | What::HandedOver { since, .. } => {
            *since = clock.to_cluster(*since);
        }
        What::Timeline { status } => {
            for time in [&mut status.planned, &mut status.happened].into_iter().flatten() {
                *time = clock.to_cluster(*time);
            }
        }
        What::Contention { signal } => signal.at = clock.to_cluster(signal.at),
        _ => {}
    }
}

/// Events that several machines record although they happen once.
#[derive(Default)]
struct Pairs {
    /// For each, the machine that recorded it first, and how often it did more than others.
    seen: HashMap<String, (usize, u64)>,
}

impl Pairs {
    /// The event, or what is left of it, unless another machine has recorded it.
    fn once(&mut self, member: usize, what: What) -> Result<Option<What>> {
        Ok(match what {
            What::Phase { .. } | What::RunEnded { .. } | What::Rerouted { .. } => {
                self.is_first(member, serde_json::to_string(&what)?).then_some(what)
            }
            What::Timeline { ref status } => {
                let key = format!("timeline {}", status.number);
                self.is_first(member, key).then_some(what)
            }
            What::Changed { by, changes } => {
                // Both ends of a link between machines change.
                let mut left = Vec::new();
                for change in changes {
                    if self.is_first(member, serde_json::to_string(&(by, &change))?) {
                        left.push(change);
                    }
                }
                (!left.is_empty()).then_some(What::Changed { by, changes: left })
            }
            other => Some(other),
        })
    }

    fn is_first(&mut self, member: usize, key: String) -> bool {
        let (first, ahead) = self.seen.entry(key).or_insert((member, 0));
        if *first == member || *ahead == 0 {
            (*first, *ahead) = (member, *ahead + 1);
            return true;
        }
        *ahead -= 1;
        false
    }
}
