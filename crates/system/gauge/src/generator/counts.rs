//! Counts what a sender sends over TCP, and what the kernel tells of its connections.

use std::collections::BTreeMap;
use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::{Mutex, MutexGuard, PoisonError};

use netloom_api::flow::TcpStatus;
use netloom_ports::{TcpInfo, tcp_info};

use super::Sent;
use super::clock::Clock;
use super::connection;

/// Traffic that was sent, by interval; several connections count together.
#[derive(Debug, Default)]
pub struct Counts {
    intervals: Mutex<BTreeMap<u64, Sent>>,
    connections: Mutex<Connections>,
}

#[derive(Debug, Default)]
struct Connections {
    begun: u32,
    open: BTreeMap<u32, TcpInfo>,
    /// Sums of those that have ended.
    ended: TcpInfo,
    /// The last one that has ended.
    last: TcpInfo,
}

impl Connections {
    /// Sums, with those that have ended, but windows and rates of those that are open, and times
    /// of the first of them.
    fn status(&self) -> TcpStatus {
        let first = self.open.values().next().unwrap_or(&self.last);
        let sum = |of: fn(&TcpInfo) -> u64| self.open.values().map(of).sum::<u64>();
        TcpStatus {
            connections: self.begun,
            cwnd: if self.open.is_empty() { self.last.cwnd } else { sum(|info| info.cwnd) },
            ssthresh: first.ssthresh,
            in_flight: sum(|info| info.in_flight),
            srtt_ns: first.srtt_us * 1000,
            rttvar_ns: first.rttvar_us * 1000,
            rto_ns: first.rto_us * 1000,
            min_rtt_ns: first.min_rtt_us * 1000,
            delivery_rate: sum(|info| info.delivery_rate),
            acked_bytes: self.ended.acked_bytes + sum(|info| info.acked_bytes),
            retransmitted: self.ended.retransmitted + sum(|info| info.retransmitted),
            lost: None,
            marked: self.ended.marked + sum(|info| info.marked),
        }
    }
}

impl Counts {
    /// Changes the counts of an interval.
    pub fn at(&self, interval: u64, change: impl FnOnce(&mut Sent)) {
        change(self.intervals().entry(interval).or_default());
    }

    /// Watches a connection from now on.
    pub fn watch(&self) -> Watched<'_> {
        let mut connections = self.connections();
        connections.begun += 1;
        let number = connections.begun;
        Watched { counts: self, number, interval: None }
    }

    /// The counts so far by interval.
    pub fn intervals(&self) -> MutexGuard<'_, BTreeMap<u64, Sent>> {
        self.intervals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The counts by interval, and the state of the connections if there were any.
    pub fn into_parts(self) -> (BTreeMap<u64, Sent>, Option<TcpStatus>) {
        let connections = self.connections.into_inner().unwrap_or_else(PoisonError::into_inner);
        let intervals = self.intervals.into_inner().unwrap_or_else(PoisonError::into_inner);
        (intervals, (connections.begun > 0).then(|| connections.status()))
    }

    fn connections(&self) -> MutexGuard<'_, Connections> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection whose state is noted in each interval.
#[derive(Debug)]
pub struct Watched<'c> {
    counts: &'c Counts,
    number: u32,
    /// The last interval in which its state was noted.
    interval: Option<u64>,
}

impl Watched<'_> {
    /// Counts bytes that were written now, and notes the state of the connection if it was not
    /// noted in this interval.
    pub fn wrote(&mut self, stream: &TcpStream, bytes: u64, clock: &Clock) {
        let now = clock.interval(clock.now());
        let tcp = (self.interval.replace(now) != Some(now)).then(|| self.note(stream)).flatten();
        self.counts.at(now, |sent| {
            sent.bytes += bytes;
            sent.tcp = tcp.or(sent.tcp);
        });
    }

    /// Notes the state of the connection.
    fn note(&self, stream: &TcpStream) -> Option<TcpStatus> {
        let info = tcp_info(stream).ok()?;
        let mut connections = self.counts.connections();
        connections.open.insert(self.number, info);
        Some(connections.status())
    }

    /// Ends the connection: says that nothing more comes, and waits until the receiver has
    /// everything, or until the wait `is_over`. Returns whether the receiver has everything.
    pub fn end(self, stream: &mut TcpStream, is_over: impl Fn() -> bool) -> io::Result<bool> {
        stream.shutdown(Shutdown::Write)?;
        let whole = connection::closed(stream, is_over);
        self.note(stream);
        whole
    }
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        let mut connections = self.counts.connections();
        let Some(info) = connections.open.remove(&self.number) else { return };
        connections.last = info;
        let ended = &mut connections.ended;
        ended.acked_bytes += info.acked_bytes;
        ended.retransmitted += info.retransmitted;
        ended.marked += info.marked;
    }
}
