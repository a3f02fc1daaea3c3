//! Causes from outside that end an experiment: its client, signals, the loss of its state
//! directory.

use std::collections::HashSet;
use std::io::{self, BufRead};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use netloom_api::event::EndReason;
use netloom_api::launch::STAY;
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
/// Other lines are orders of the lead of several machines.
pub fn lease(end: &End, orders: Option<OrdersIn>) {
    let end = end.clone();
    std::thread::spawn(move || {
        let mut line = Vec::new();
        while io::stdin().lock().read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
            if line == STAY {
                return;
            }
            if let Some(orders) = &orders
                && let Ok(order) = serde_json::from_slice(&line)
            {
                // Nobody takes them once the run is over.
                let _ = orders.send(order);
            }
            line.clear();
        }
        end.ask(EndReason::ClientGone);
    });
}
