//! Causes from outside that end an experiment: its client, signals, the loss of its state
//! directory.

use std::collections::HashSet;
use std::io::{self, BufRead};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use netloom_api::event::EndReason;
use netloom_api::launch::STAY;
use netloom_api::member::LEASE;
use netloom_host::StateLock;
use netloom_nodes::Layout;
use netloom_nodes::shell::Gateway;
use tokio::task::JoinHandle;

use crate::end::End;
use crate::experiment::Experiment;
use crate::member::OrdersIn;

/// Period of checks of names.
const PERIOD: Duration = Duration::from_secs(1);

/// Ends the experiment when its state directory is gone, since no command could find it any more.
/// Warns when the names of nodes' namespaces are gone.
pub fn names(claim: Arc<StateLock>, experiment: &Experiment) -> JoinHandle<()> {
    let (network, events) = (experiment.network.clone(), experiment.state.events.clone());
    let (layout, end) = (experiment.setting.layout.clone(), experiment.end.clone());
    tokio::spawn(async move {
        let mut known = HashSet::new();
        while claim.is_in_force() {
            let unnamed = || network.with(|live| Ok(live.network.unnamed()));
            for node in tokio::task::block_in_place(unnamed).unwrap_or_default() {
                if known.insert(node.clone()) {
                    events.warn(unnamed_in_words(&layout, &node));
                }
            }
            tokio::time::sleep(PERIOD).await;
        }
        end.ask(EndReason::StateGone);
    })
}

fn unnamed_in_words(layout: &Layout, node: &str) -> String {
    let path = layout.namespace(node);
    format!(
        "the name of {node}'s network namespace, {}, has gone (`ip netns del`?): the node goes on, \
         but `ip netns exec` does not find it",
        path.display()
    )
}

/// Warns when a shell is no longer joined to the machine's network.
pub fn gateway(gateway: Option<Gateway>, experiment: &Experiment) -> JoinHandle<()> {
    let events = experiment.state.events.clone();
    tokio::spawn(async move {
        let Some(mut gateway) = gateway else { return };
        while gateway.is_alive() {
            tokio::time::sleep(PERIOD).await;
        }
        events.warn(
            "`pasta`, which joins the shell to the machine's network, has ended: the command \
             reaches nothing beyond the link any more"
                .into(),
        );
    })
}

/// Turns termination signals into an orderly end.
pub fn signals(end: &End) -> Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    for kind in
        [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup(), SignalKind::quit()]
    {
        let mut signals = signal(kind).context("cannot watch for signals")?;
        let end = end.clone();
        tokio::spawn(async move {
            if signals.recv().await.is_some() {
                end.ask(EndReason::Interrupted);
            }
        });
    }
    Ok(())
}

/// Ends the experiment if standard input closes before the client has released the engine: the
/// client that started it is gone.
///
/// Other lines are orders of the lead of several machines, which says each second that it is there.
pub fn lease(end: &End, orders: Option<OrdersIn>) {
    let lead = orders.map(|orders| Arc::new(Lead::behind(orders)));
    if let Some(lead) = lead.clone() {
        let end = end.clone();
        std::thread::spawn(move || lead.await_silence(&end));
    }
    let end = end.clone();
    std::thread::spawn(move || {
        let mut line = Vec::new();
        while io::stdin().lock().read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
            if line == STAY {
                return;
            }
            if let Some(lead) = &lead {
                lead.hear(&line);
            }
            line.clear();
        }
        if let Some(lead) = lead {
            lead.is_gone();
        }
        end.ask(EndReason::ClientGone);
    });
}

/// The lead of several machines, as this one hears it.
struct Lead {
    /// `None` if it is gone: so whoever waits for an order does not wait any more.
    orders: Mutex<Option<OrdersIn>>,
    /// Number of lines that have come.
    lines: AtomicU64,
}

impl Lead {
    fn behind(orders: OrdersIn) -> Self {
        Self { orders: Mutex::new(Some(orders)), lines: AtomicU64::new(0) }
    }

    fn hear(&self, line: &[u8]) {
        self.lines.fetch_add(1, Ordering::Relaxed);
        let orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(orders) = &*orders
            && let Ok(order) = serde_json::from_slice(line)
        {
            // Nobody takes them once the run is over.
            let _ = orders.send(order);
        }
    }

    /// Forgets it. Returns whether it was there.
    fn is_gone(&self) -> bool {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner).take().is_some()
    }

    /// Ends the experiment when nothing has come for the length of a lease. What counts are looks
    /// without a line between them: a machine that stood still itself has looked only once.
    fn await_silence(&self, end: &End) {
        let (mut before, mut silent) = (0, Duration::ZERO);
        while silent < LEASE {
            std::thread::sleep(PERIOD);
            let lines = self.lines.load(Ordering::Relaxed);
            silent = if lines == before { silent + PERIOD } else { Duration::ZERO };
            before = lines;
        }
        if self.is_gone() {
            end.ask(EndReason::ClientGone);
        }
    }
}
