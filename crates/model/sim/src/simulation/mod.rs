//! The cells of a network, or those of one process, run one after the other. Not here: threads and
//! processes (`netloom-simulate`), and what happens in a cell (`cell`).
//!
//! | module | contents |
//! |---|---|
//! | `schedule` | which cell is run how far: [`Schedule`] |
//! | `sample` | samples for results: [`PipeSample`], [`FlowSample`] |
//! | `paths` | the path of packets through all cells |
//! | `symbiosis` | twins, and meters of what pipes do to them |

mod paths;
mod sample;
mod schedule;
mod symbiosis;

use std::ops::Range;

use netloom_fabric::PipeId;
use netloom_link::{CapturedFrame, FrameEvent, PipeStatistics};
use netloom_units::{Duration, Time};

use crate::cell::{Cell, EndlessLoop, Work};
use crate::flow::FlowTotals;
use crate::hosts::NodeCounts;
use crate::plant::in_order;
use crate::traffic::FlowInfo;

pub use sample::{FlowSample, PipeSample, Standing, TcpTotals};
pub use schedule::{Schedule, Step};

/// A network divided into cells, or one process's part of it. Results do not depend on the
/// division.
#[derive(Debug)]
pub struct Simulation {
    /// The cells of this process. Their numbers among all cells are consecutive.
    pub cells: Vec<Cell>,
    /// Number of the first of them.
    pub(crate) first: usize,
    /// For each of all cells, the cells that it sends to, and the shortest time that frames take to
    /// each.
    pub hearers: Vec<Vec<(u32, Duration)>>,
    /// Numbers of the cells of each process.
    pub regions: Vec<Range<usize>>,
    /// The cell of each pipe, by link and direction.
    pub(crate) homes: Vec<u32>,
}

impl Simulation {
    /// Processes all events up to and including `until`. All cells must be in this process.
    ///
    /// # Errors
    /// If frames go round in circles without time passing.
    pub fn advance(&mut self, until: Time) -> Result<(), EndlessLoop> {
        let mut schedule = self.schedule(until);
        while let Step::Run { cell, horizon } = schedule.pick(0) {
            self.cells[cell].advance(horizon)?;
            // Taken out while other cells receive them: no cell announces anything to itself.
            let mut announced = std::mem::take(self.cells[cell].net.plant.announcements());
            for announcement in announced.drain(..) {
                schedule.announced(announcement.cell as usize, announcement.release);
                self.cells[announcement.cell as usize].announce(announcement);
            }
            *self.cells[cell].net.plant.announcements() = announced;
            schedule.finish(cell, self.cells[cell].next_event());
        }
        self.reach(until)
    }

    /// Advances the time of all cells to `until`, up to which everything has happened.
    ///
    /// # Errors
    /// If frames go round in circles without time passing.
    pub fn reach(&mut self, until: Time) -> Result<(), EndlessLoop> {
        self.cells.iter_mut().try_for_each(|cell| cell.advance(until))
    }

    /// Returns a schedule that takes all cells of this process to `until`. It numbers them by their
    /// places here.
    pub fn schedule(&mut self, until: Time) -> Schedule {
        let region = self.region();
        let here = |(to, least): &(u32, Duration)| {
            let place = (*to as usize).checked_sub(region.start)?;
            (place < region.len()).then_some((place as u32, *least))
        };
        let hearers = self.hearers[region.clone()].iter();
        let hearers = hearers.map(|of| of.iter().filter_map(here).collect()).collect();
        Schedule::new(self.next_events(), hearers, until)
    }

    /// Returns the time of the next event of each cell of this process.
    pub fn next_events(&mut self) -> Vec<Option<Time>> {
        self.cells.iter_mut().map(Cell::next_event).collect()
    }

    /// Numbers of the cells of this process.
    pub fn region(&self) -> Range<usize> {
        self.first..self.first + self.cells.len()
    }

    /// Current time in the network.
    pub fn now(&self) -> Time {
        self.cells.iter().map(Cell::now).min().unwrap_or(Time::ZERO)
    }

    /// Returns the time at which a run that ends by itself may end: a second after the last packet
    /// of all foreground traffic was sent, and after the last change. `None` while some of that
    /// traffic remains to be sent.
    pub fn done_at(&self) -> Option<Time> {
        self.cells.iter().try_fold(Time::ZERO, |over, cell| Some(over.max(cell.done_at()?)))
    }

    /// Number of pipes, in all processes.
    pub fn pipes(&self) -> usize {
        self.homes.len()
    }

    /// Number of flows, in all processes; 0 in a process without cells.
    pub fn flows(&self) -> u32 {
        // There are fewer flows than `u32` can number.
        self.cells.first().map_or(0, |cell| cell.traffic.flows() as u32)
    }

    /// Returns what a pipe has counted up to now. `None` if another process has the pipe.
    ///
    /// # Panics
    /// If the network has no such link.
    pub fn statistics(&mut self, pipe: PipeId) -> Option<PipeStatistics> {
        let home = (self.homes[pipe.index()] as usize).checked_sub(self.first)?;
        let cell = self.cells.get_mut(home)?;
        Some(cell.statistics(pipe, None).expect("a pipe is in its home"))
    }

    /// Returns the counts of a flow at its ends, once for each cell that has one.
    pub fn counts(&self, flow: u32) -> impl Iterator<Item = FlowTotals> {
        self.cells.iter().filter_map(move |cell| cell.counts(flow))
    }

    /// Returns TCP_INFO of the connections of each flow, at the ends that send, in the order of
    /// flows and nodes. The counts of connections that have ended come last.
    pub fn connections(&self) -> Vec<FlowInfo> {
        let mut all: Vec<_> = self.cells.iter().flat_map(Cell::connections).collect();
        // The sort is stable: connections of one node stay in order.
        all.sort_by_key(|one| (one.flow, one.node));
        all
    }

    /// Returns the time at which all of a flow had been delivered, if the flow has an end and has
    /// reached it.
    pub fn delivered_at(&self, flow: u32) -> Option<Time> {
        self.cells.iter().find_map(|cell| cell.delivered_at(flow))
    }

    /// Returns the packets that all nodes together did not pass on.
    pub fn node_counts(&self) -> NodeCounts {
        let mut all = NodeCounts::default();
        self.cells.iter().for_each(|cell| all += cell.node_counts());
        all
    }

    /// Returns the work done so far.
    pub fn work(&self) -> Work {
        self.cells.iter().map(Cell::work).sum()
    }

    /// Returns the frames captured since the last call, by time, each with the number of its
    /// capture. They are complete up to now if the statistics of all pipes were read now.
    pub fn take_captured(&mut self) -> Vec<(u32, CapturedFrame)> {
        let all = self.cells.iter_mut().flat_map(Cell::take_captured);
        let all: Vec<_> = all.collect();
        let Some(book) = self.cells.first().map(|cell| cell.net.hosts.book()) else {
            return Vec::new();
        };
        let mut shown: Vec<_> = all.iter().map(|one| (one.capture, one.shown(book))).collect();
        in_order(&mut shown);
        shown
    }

    /// Returns the flows that were due to begin while their node had failed, and never began.
    pub fn not_begun(&self) -> Vec<u32> {
        let mut all: Vec<u32> = self.cells.iter().flat_map(Cell::not_begun).collect();
        all.sort_unstable();
        all
    }

    /// Returns the events of frames on logged links since the last call, by time and then by pipe.
    /// They are complete up to now if the statistics of all pipes were read now.
    pub fn take_log(&mut self) -> Vec<(PipeId, FrameEvent)> {
        let mut all: Vec<_> = self.cells.iter_mut().flat_map(Cell::take_log).collect();
        // The sort is stable: simultaneous events of one pipe stay in order.
        all.sort_by_key(|(pipe, event)| (event.at, *pipe));
        all
    }
}
