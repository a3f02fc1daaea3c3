//! All cells of a network, or those of one process, run one after the other. Not here: threads and
//! processes (`netloom-simulate`), and what happens in a cell.

use std::ops::Range;

use netloom_fabric::PipeId;
use netloom_link::{CapturedFrame, FrameEvent, PipeStatistics};
use netloom_units::{Duration, Time};

use crate::capture::in_order;
use crate::cell::{Cell, EndlessLoop, Work};
use crate::flow::FlowTotals;
use crate::node::NodeCounts;
use crate::schedule::{Schedule, Step};
use crate::tcp::FlowInfo;

/// A network divided into cells, or what one of several processes has of it. What happens in it
/// does not depend on how it is divided.
#[derive(Debug)]
pub struct Simulation {
    /// The cells that are here. All cells have numbers; these are in a row.
    pub cells: Vec<Cell>,
    /// The number of the first of them.
    pub(crate) first: usize,
    /// For each of all cells, those that it sends to, and how long frames need to there at least.
    pub hearers: Vec<Vec<(u32, Duration)>>,
    /// The numbers of the cells of each process.
    pub regions: Vec<Range<usize>>,
    /// The cell of each pipe, by link and direction.
    pub(crate) homes: Vec<u32>,
}

impl Simulation {
    /// Lets everything happen up to and including `until`. All cells must be here.
    ///
    /// # Errors
    /// If frames go round in circles in no time.
    pub fn advance(&mut self, until: Time) -> Result<(), EndlessLoop> {
        let mut schedule = self.schedule(until);
        while let Step::Run { cell, horizon } = schedule.pick(0) {
            self.cells[cell].advance(horizon)?;
            // Kept apart while others are told: a cell announces nothing to itself.
            let mut announced = std::mem::take(&mut self.cells[cell].announcements);
            for announcement in announced.drain(..) {
                schedule.announced(announcement.cell as usize, announcement.release);
                self.cells[announcement.cell as usize].announce(announcement);
            }
            self.cells[cell].announcements = announced;
            schedule.finish(cell, self.cells[cell].next_event());
        }
        self.reach(until)
    }

    /// Has the time of all cells be `until`, up to which everything has happened.
    ///
    /// # Errors
    /// If frames go round in circles in no time.
    pub fn reach(&mut self, until: Time) -> Result<(), EndlessLoop> {
        self.cells.iter_mut().try_for_each(|cell| cell.advance(until))
    }

    /// In which order the cells that are here are to be run to get all of them to `until`, each at
    /// its place.
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

    /// When something happens next in each of the cells that are here.
    pub fn next_events(&mut self) -> Vec<Option<Time>> {
        self.cells.iter_mut().map(Cell::next_event).collect()
    }

    /// The numbers of the cells that are here.
    pub fn region(&self) -> Range<usize> {
        self.first..self.first + self.cells.len()
    }

    /// Time in the network.
    pub fn now(&self) -> Time {
        self.cells.iter().map(Cell::now).min().unwrap_or(Time::ZERO)
    }

    /// When the run is over that ends by itself: a second after the last packet of all traffic in
    /// the foreground was sent, and after the last change. `None` while some is yet to be sent.
    pub fn done_at(&self) -> Option<Time> {
        self.cells.iter().try_fold(Time::ZERO, |over, cell| Some(over.max(cell.done_at()?)))
    }

    /// How many pipes there are, in all processes.
    pub fn pipes(&self) -> usize {
        self.homes.len()
    }

    /// How many flows there are, in all processes; nothing where no cell is.
    pub fn flows(&self) -> u32 {
        // There are fewer than that.
        self.cells.first().map_or(0, |cell| cell.flows.len() as u32)
    }

    /// What a pipe has counted up to now; nothing if it is not here.
    ///
    /// # Panics
    /// If the network has no such link.
    pub fn statistics(&mut self, pipe: PipeId) -> Option<PipeStatistics> {
        let home = (self.homes[pipe.index()] as usize).checked_sub(self.first)?;
        let cell = self.cells.get_mut(home)?;
        Some(cell.statistics(pipe, None).expect("a pipe is in its home"))
    }

    /// What was counted of a flow at its ends: once for each cell that has one.
    pub fn counts(&self, flow: u32) -> impl Iterator<Item = FlowTotals> {
        self.cells.iter().filter_map(move |cell| cell.counts(flow))
    }

    /// What TCP_INFO shows of the connections of each flow, at the ends that send, in the order of
    /// flows and nodes; last what was counted of those that are over.
    pub fn connections(&self) -> Vec<FlowInfo> {
        let mut all: Vec<_> = self.cells.iter().flat_map(Cell::connections).collect();
        // Stable: connections of one node stay in their order.
        all.sort_by_key(|one| (one.flow, one.node));
        all
    }

    /// When all of a flow had been delivered, if it has an end and that was reached.
    pub fn delivered_at(&self, flow: u32) -> Option<Time> {
        self.cells.iter().find_map(|cell| cell.delivered_at(flow))
    }

    /// What all nodes together did not pass on.
    pub fn node_counts(&self) -> NodeCounts {
        let mut all = NodeCounts::default();
        self.cells.iter().for_each(|cell| all += cell.node_counts());
        all
    }

    /// What the simulation has done so far.
    pub fn work(&self) -> Work {
        self.cells.iter().map(Cell::work).sum()
    }

    /// What captures have seen since this was last called, by time, each with the number of its
    /// capture. Complete up to now if the statistics of all pipes were read now.
    pub fn take_captured(&mut self) -> Vec<(u32, CapturedFrame)> {
        let all = self.cells.iter_mut().flat_map(Cell::take_captured);
        let all: Vec<_> = all.collect();
        let Some(book) = self.cells.first().map(|cell| &cell.book) else { return Vec::new() };
        let mut shown: Vec<_> = all.iter().map(|one| (one.capture, one.shown(book))).collect();
        in_order(&mut shown);
        shown
    }

    /// Flows that were to begin while their node had failed, and never did.
    pub fn not_begun(&self) -> Vec<u32> {
        let mut all: Vec<u32> = self.cells.iter().flat_map(Cell::not_begun).collect();
        all.sort_unstable();
        all
    }

    /// What has happened to frames on logged links since this was last called, by time, and by pipe
    /// where that is equal. Complete up to now if the statistics of all pipes were read now.
    pub fn take_log(&mut self) -> Vec<(PipeId, FrameEvent)> {
        let mut all: Vec<_> = self.cells.iter_mut().flat_map(Cell::take_log).collect();
        // Stable: what happens in a pipe at one time stays in its order.
        all.sort_by_key(|(pipe, event)| (event.at, *pipe));
        all
    }
}
