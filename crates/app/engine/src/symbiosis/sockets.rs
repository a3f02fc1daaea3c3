//! The thread that queries kernels how much programs of real hosts have written into their TCP
//! sockets and read from them. Not here: what follows from that (`simulated::connections`).

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::{self, JoinHandle};

use anyhow::{Context, Result};
use netloom_nodes::{Network, TcpSockets};
use netloom_scenario::TwinMethod;
use netloom_simulate::symbiosis::Shrunk;
use netloom_units::Duration;

use crate::simulated::Simulated;

/// Number of queries in a period.
const IN_A_PERIOD: u64 = 20;

/// The thread, which ends when this is dropped.
pub struct SocketWatch {
    thread: Option<JoinHandle<Result<()>>>,
    /// Dropped to end it.
    stop: Option<mpsc::Sender<()>>,
}

impl SocketWatch {
    /// Starts queries, if connections have twins: every twentieth of a period of the experiment.
    /// `machine` is the length of a period in the machine's time.
    pub fn start(
        shrunk: &Shrunk,
        network: &Network,
        simulated: &Arc<Simulated>,
        machine: impl Fn(Duration) -> Duration,
    ) -> Result<Option<Self>> {
        if shrunk.twins != TwinMethod::Connections {
            return Ok(None);
        }
        let mut hosts = Vec::new();
        for (host, place) in shrunk.hosts.iter().zip(0..) {
            // A kernel of the node's own is not queried; its sockets are known only by their
            // segments.
            if let Some(sockets) = network.inside(&host.name)?.tcp_sockets()? {
                let default = sockets.default_algorithm().to_owned();
                simulated.note_algorithm(place, default)?;
                hosts.push((place, sockets));
            }
        }
        let interval = machine(Duration::from_nanos(shrunk.period.as_nanos() / IN_A_PERIOD));
        let (stop, stopped) = mpsc::channel();
        let simulated = Arc::clone(simulated);
        let thread = thread::Builder::new().name("sockets".into());
        let thread = thread.spawn(move || watch(&hosts, &simulated, interval, &stopped));
        let thread = thread.context("cannot start the thread that watches sockets")?;
        Ok(Some(Self { thread: Some(thread), stop: Some(stop) }))
    }

    /// Ends the thread. Returns its error, if any.
    pub fn finish(mut self) -> Result<()> {
        drop(self.stop.take());
        let ended = self.thread.take().map(JoinHandle::join);
        ended.unwrap_or(Ok(Ok(()))).unwrap_or_else(|_| anyhow::bail!("its thread has panicked"))
    }
}

fn watch(
    hosts: &[(u32, TcpSockets)],
    simulated: &Simulated,
    interval: Duration,
    stopped: &Receiver<()>,
) -> Result<()> {
    while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(interval.into()) {
        for (host, sockets) in hosts {
            let all = sockets.read().context("the kernel does not say which sockets there are")?;
            if !all.is_empty() {
                simulated.note_sockets(*host, all)?;
            }
        }
    }
    Ok(())
}
