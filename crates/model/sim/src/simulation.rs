//! All cells of a network, run one after the other. Not here: threads (`netloom-simulate`), and
//! what happens in a cell.

use netloom_fabric::PipeId;
use netloom_link::{CapturedFrame, FrameEvent, PipeConfig, PipeStatistics};
use netloom_units::{Duration, Time};

use crate::capture::in_order;
use crate::cell::{Cell, EndlessLoop, Work};
use crate::flow::FlowCounts;
use crate::network::{RouteChanged, RouteError};
use crate::node::NodeCounts;
use crate::schedule::{Schedule, Step};
use crate::tcp::FlowInfo;

/// A network divided into cells. What happens in it does not depend on how many there are.
#[derive(Debug)]
pub struct Simulation {
    /// Its cells.
    pub cells: Vec<Cell>,
    /// For each cell, those that it sends to, and how long frames need to there at least.
    pub hearers: Vec<Vec<(u32, Duration)>>,
    /// The cell of each pipe, by link and direction.
    pub(crate) homes: Vec<u32>,
}

impl Simulation {
    /// Lets everything happen up to and including `until`.
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
        self.cells.iter_mut().try_for_each(|cell| cell.advance(until))
    }

    /// In which order cells are to be run to get all of them to `until`.
    pub fn schedule(&mut self, until: Time) -> Schedule {
        let next = self.cells.iter_mut().map(Cell::next_event);
        Schedule::new(next, self.hearers.clone(), until)
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

    /// What a pipe runs on, and what it has counted up to now.
    ///
    /// # Panics
    /// If the network has no such link.
    pub fn statistics(&mut self, pipe: PipeId) -> (PipeConfig, PipeStatistics) {
        let home = self.homes[pipe.index()] as usize;
        self.cells[home].statistics(pipe).expect("a pipe is in its home")
    }

    /// What was counted of a flow at its ends: once for each cell that has one.
    pub fn counts(&self, flow: u32) -> impl Iterator<Item = &FlowCounts> {
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
        self.cells.iter().map(Cell::work).fold(Work::default(), |all, work| Work {
            events: all.events + work.events,
            packet_hops: all.packet_hops + work.packet_hops,
        })
    }

    /// What captures have seen since this was last called, by time, each with the number of its
    /// capture. Complete up to now if the statistics of all pipes were read now.
    pub fn take_captured(&mut self) -> Vec<(u32, CapturedFrame)> {
        let mut all: Vec<_> = self.cells.iter_mut().flat_map(Cell::take_captured).collect();
        in_order(&mut all);
        let Some(book) = self.cells.first().map(|cell| &cell.book) else { return Vec::new() };
        all.into_iter().map(|one| (one.capture, one.shown(book))).collect()
    }

    /// Flows that were to begin while their node had failed, and never did.
    pub fn not_begun(&self) -> Vec<u32> {
        let mut all: Vec<u32> = self.cells.iter().flat_map(Cell::not_begun).collect();
        all.sort_unstable();
        all
    }

    /// What became of the route that a change of the timeline, by its place, is about; nothing if
    /// it is about none, or has not happened yet.
    pub fn route_changed(&self, change: usize) -> Option<&Result<RouteChanged, RouteError>> {
        self.cells.iter().find_map(|cell| cell.routes.get(&change))
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
