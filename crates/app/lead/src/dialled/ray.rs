//! The nodes of a Ray cluster as machines: Ray reserves them and starts [`dial`](super::dial) on
//! each. Once the machines have dialled, nothing depends on Ray.

use anyhow::{Context, Result, anyhow, bail};
use netloom_placement::{Machines, MemberMachine};

use super::desk::{Desk, here};
use super::helper::{Helper, Parting, Request, Said, Started, Wanted};
use super::line::{Answer, DIAL};
use crate::placed::binary;

/// Machines of a Ray cluster that are reserved for us.
pub struct Cluster {
    helper: Helper,
    _desk: Desk,
}

impl Cluster {
    /// Reserves machines of the cluster that a list names, and starts NetLoom on each. `word` is
    /// one that nobody else has. The list then says how each is reached.
    ///
    /// # Errors
    /// If the cluster cannot be reached, or has no such machines.
    pub async fn reserve(
        machines: &mut Machines,
        word: u64,
        note: impl Fn(&str),
    ) -> Result<Option<Self>> {
        let Some(ray) = machines.ray.clone() else { return Ok(None) };
        let (mut helper, at, nodes) = Helper::connected(&ray, &note).await?;
        let desk = Desk::open(here(&at)?, format!("netloom-{word:016x}"))?;
        if machines.list.is_empty() {
            let fit = nodes.iter().filter(|node| node.cpus >= f64::from(ray.cpus)).count();
            machines.list = Machines::alike(fit.max(1)).list;
        }
        let orders = serde_json::to_string(&desk.orders)?;
        let machines_wanted = machines.list.iter().map(|machine| Wanted {
            name: &machine.name,
            address: machine.address.as_deref(),
            command: format!("{} {DIAL}", binary(machine)),
        });
        let start = Request::Start { machines: machines_wanted.collect(), cpus: ray.cpus, orders };
        helper.ask(&start).await?;
        let Said::Started(started) = helper.answer(&note).await? else {
            return Err(helper.unexpected());
        };
        for (machine, started) in machines.list.iter_mut().zip(started) {
            reach(machine, &started, &desk)?;
        }
        machines.start = Some(desk.command()?);
        Ok(Some(Self { helper, _desk: desk }))
    }

    /// Gives the machines back. Returns what the user should know of that.
    pub async fn release(self) -> Option<String> {
        match self.helper.release().await {
            Parting::InOrder => None,
            Parting::Silent => {
                Some("Ray does not answer any more: it gives the machines back by itself".into())
            }
            Parting::Gone => Some(
                "Ray went away during the run, which does not need it then; it may have given the \
                 machines to others"
                    .into(),
            ),
        }
    }
}

/// Writes into the list how a machine is reached.
fn reach(machine: &mut MemberMachine, started: &Started, desk: &Desk) -> Result<()> {
    let name = &machine.name;
    if started.name != *name {
        bail!(
            "Ray's side speaks of `{}` where `{name}` was its turn: this is a defect",
            started.name
        );
    }
    let answer: Answer = serde_json::from_str(&started.said).map_err(|_| {
        let said = started.said.escape_debug();
        anyhow!(
            "machine `{name}` ({}): that is no NetLoom of this version; it says: {said}",
            started.address
        )
    })?;
    desk.expect(name, answer.fingerprint);
    let address = started.address.parse();
    let address = address.with_context(|| format!("`{}` is no IP address", started.address))?;
    machine.frames.get_or_insert(address);
    machine.address = Some(name.clone());
    Ok(())
}
