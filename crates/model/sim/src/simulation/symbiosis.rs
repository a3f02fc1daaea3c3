//! Symbiotic runs: twins of what real programs send, and meters of what pipes do to them. Not here:
//! what follows from the reports (`netloom-symbiosis`).

use std::collections::BTreeMap;
use std::net::IpAddr;

use netloom_fabric::PipeId;
use netloom_symbiosis::Received;

use super::Simulation;
use crate::cell::Cell;
use crate::plant::Metered;
use crate::traffic::{Sent, SocketEvent, SocketTotals, TwinQueue};

impl Simulation {
    /// Queues `packets` for a flow of twins, to be sent at their times. Times must not decrease,
    /// and none may be in the past.
    pub fn bring_twins(&mut self, flow: u32, packets: impl IntoIterator<Item = Sent>) {
        self.queue_twins(flow, |queue| queue.packets.extend(packets));
    }

    /// Queues the actions of a real host on its connections, for a flow of twins. Their times must
    /// not decrease, and none may be in the past.
    pub fn bring_sockets(&mut self, flow: u32, events: impl IntoIterator<Item = SocketEvent>) {
        self.queue_twins(flow, |queue| queue.sockets.extend(events));
    }

    fn queue_twins(&mut self, flow: u32, add: impl FnOnce(&mut TwinQueue)) {
        if let Some(cell) = self.cells.iter_mut().find(|cell| cell.traffic.sends(flow)) {
            cell.traffic.queue_twins(&mut cell.net, flow, add);
        }
    }

    /// Takes the twins that have arrived at nodes since the last call, by source and destination.
    pub fn take_received_twins(&mut self) -> BTreeMap<[IpAddr; 2], Received> {
        let mut all: BTreeMap<_, Received> = BTreeMap::new();
        for cell in &mut self.cells {
            for (ends, received) in cell.traffic.take_received() {
                let book = cell.net.hosts.book();
                *all.entry(ends.map(|end| book.address(end))).or_default() += received;
            }
        }
        all
    }

    /// Returns the bytes that twins of connections have written and read, by the flow of their host
    /// and their number.
    pub fn socket_totals(&self) -> impl Iterator<Item = ((u32, u32), SocketTotals)> {
        self.cells.iter().flat_map(|cell| cell.traffic.socket_totals())
    }

    /// Begins to meter `pipes`, which the event core must drive. Counts what they do to twins and,
    /// if `others`, records which other frames arrive.
    pub fn meter(&mut self, pipes: impl IntoIterator<Item = PipeId>, others: bool) {
        for pipe in pipes {
            self.home(pipe).net.plant.meter(pipe, others);
        }
    }

    /// Samples the backlogs of metered pipes. Call it at times that divide a period evenly.
    pub fn sample_meters(&mut self) {
        for cell in &mut self.cells {
            let now = cell.now();
            cell.net.plant.sample_meters(now);
        }
    }

    /// Returns what a metered pipe did since the last call, or `None` if it is not metered. `full`
    /// is the length of a full frame in bytes.
    pub fn metered(&mut self, pipe: PipeId, full: u32) -> Option<Metered> {
        let cell = self.home(pipe);
        let now = cell.now();
        cell.net.plant.metered(now, pipe, full)
    }

    fn home(&mut self, pipe: PipeId) -> &mut Cell {
        &mut self.cells[self.homes[pipe.index()] as usize]
    }
}
