//! Carries operations out, and undoes them. Links are taken out of the data plane and put in while
//! the live network is locked, so that nobody observes it in between. Everything else is done while
//! others use the network. Views and programs of nodes follow (`software`).

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow};
use netloom_api::change::LinkChange;
use netloom_dataplane::{Incoming, NotPutIn, Unwired, Watch};
use netloom_fabric::{LinkId, SegmentId};
use netloom_medium::{MediumChange, MediumConfig};
use netloom_plan::change::{Change, Changes, Existence, Operation};
use netloom_scenario::{Endpoint, Link};

use super::software::Software;
use crate::deployment::{Deployment, is_cut};
use crate::interfaces;
use crate::live::{Held, Live, LiveNetwork, Real, gone};
use crate::monitoring::{SharedMonitor, limits};
use crate::wiring::{Loose, Nodes, open};

/// Reported when a change is refused before anything is done, so that all stays as it is.
pub const UNCHANGED: &str = "nothing has changed";

/// The operations of one change of scenario, under way.
pub struct ApplyTransaction<'e> {
    network: &'e LiveNetwork,
    monitor: &'e SharedMonitor,
    old: Arc<Deployment>,
    new: Arc<Deployment>,
    /// The exclusive lock of the live network, while it is taken.
    held: Option<Held<'e>>,
    /// Devices that belong to no link.
    devices: Loose,
    /// Links of the old network that were taken out.
    out: HashMap<String, Unwired>,
    /// Views and programs of nodes.
    software: Software,
}

impl<'e> ApplyTransaction<'e> {
    /// Makes the steps from `old`, which is in force, to `new`.
    pub fn new(
        network: &'e LiveNetwork,
        monitor: &'e SharedMonitor,
        old: Arc<Deployment>,
        new: Arc<Deployment>,
        software: Software,
    ) -> Self {
        let (devices, out) = (Loose::new(), HashMap::new());
        Self { network, monitor, old, new, held: None, devices, out, software }
    }

    /// Carries out all changes, or leaves everything as it was.
    pub fn carry_out(mut self, changes: Changes) -> Result<()> {
        self.live(|live| Ok(live.network.prepare(&self.new.mine.plan)?))?;
        let mut done: Vec<Operation> = vec![];
        for group in grouped(changes.operations) {
            // Programs that start must find the new network in force.
            if matches!(group[..], [Operation::Start(_)]) {
                self.finish();
            }
            if let Err(error) = self.perform(&group) {
                return Err(self.take_back(done, error));
            }
            done.extend(group);
        }
        self.finish();
        Ok(())
    }

    /// Applies what changes without a step, such as settings that only a run uses.
    fn finish(&mut self) {
        self.put_in_force(&Arc::clone(&self.new));
    }

    /// Puts a deployment in force, if it is not, and releases the network.
    fn put_in_force(&mut self, deployment: &Arc<Deployment>) {
        if !Arc::ptr_eq(&self.network.deployment(), deployment) {
            let held = self.held.take().unwrap_or_else(|| self.network.hold());
            self.network.put_in_force(&held, Arc::clone(deployment));
        }
    }

    /// Undoes the operations in `done`, the last first. Returns the error to report.
    fn take_back(&mut self, done: Vec<Operation>, failed: anyhow::Error) -> anyhow::Error {
        let mut problems = vec![];
        let unchanged = match self.software.turn_back() {
            None => UNCHANGED.into(),
            Some(but) => format!("{UNCHANGED}, but {but}"),
        };
        for operation in done.into_iter().rev() {
            let undone = match operation {
                Operation::PutIn => self.undo_put_in(),
                Operation::TakeOut(_) => self.undo_take_out(),
                other => other.inverse().map_or(Ok(()), |inverse| self.perform(&[inverse])),
            };
            problems.extend(undone.err().map(|error| netloom_api::in_words(error.as_ref())));
        }
        self.put_in_force(&Arc::clone(&self.old));
        self.held = None;
        // Interfaces that were made anew are others, though the network is the same.
        self.network.notify_rewired();
        let started = self.software.start_as_before();
        problems.extend(started.err().map(|error| netloom_api::in_words(error.as_ref())));
        match problems.is_empty() {
            true => failed.context(unchanged),
            false => anyhow!(
                "{}; and not everything could be taken back: {}; `netloom destroy` the experiment",
                netloom_api::in_words(failed.as_ref()),
                problems.join("; ")
            ),
        }
    }

    /// Carries out operations that belong together: changes of links, at one instant, or a single
    /// other operation.
    fn perform(&mut self, group: &[Operation]) -> Result<()> {
        match group {
            [Operation::TakeOut(names)] => self.take_out(names),
            [Operation::PutIn] => self.put_in(),
            [Operation::Link { .. }, ..] => self.change_links(group),
            [Operation::Medium { medium, change }] => self.change_medium(medium, &change.to),
            [Operation::Start(nodes)] => self.software.start(nodes),
            group => group.iter().try_for_each(|operation| self.in_nodes(operation)),
        }
    }

    fn in_nodes(&mut self, operation: &Operation) -> Result<()> {
        if let Operation::Interface { node, interface: Existence::Removed(interface) } = operation {
            let end = Endpoint { node: node.clone(), interface: interface.name.clone() };
            self.live(|live| live.overflow.forget(&live.network, &[end]))?;
        }
        if let Operation::Node(Existence::Removed(node)) = operation {
            let end = |(node, interface): &(String, String)| Endpoint {
                node: node.clone(),
                interface: interface.clone(),
            };
            let here = self.devices.keys().filter(|(of, _)| *of == node.name);
            let ends: Vec<Endpoint> = here.map(end).collect();
            self.live(|live| live.overflow.forget(&live.network, &ends))?;
            // An open device would keep its namespace alive.
            self.devices.retain(|(of, _), _| *of != node.name);
        }
        self.before_nodes(operation)?;
        let device = self.live(|live| Ok(live.network.carry_out(operation)?))?;
        if let Operation::Interface { node, interface: Existence::Removed(interface) } = operation {
            // Only now: if the interface cannot be removed, its link needs the device back.
            self.devices.remove(&(node.clone(), interface.name.clone()));
        }
        if let Operation::Outside(Existence::Removed(outside)) = operation {
            self.devices.remove(&(outside.end.node.clone(), outside.end.interface.clone()));
            self.live(|live| {
                live.lost_outside.forget(&outside.end);
                Ok(())
            })?;
        }
        if let Some(device) = device {
            let (node, interface) = (device.node.clone(), device.interface.clone());
            let (device, losses) = open(device)?;
            self.devices.insert((node.clone(), interface.clone()), device);
            if let Some(losses) = losses {
                let end = Endpoint { node, interface };
                self.live(|live| {
                    live.lost_outside.watch(end, losses);
                    Ok(())
                })?;
            }
        }
        Ok(())
    }

    /// Adds or removes a node's view together with the node.
    fn before_nodes(&mut self, operation: &Operation) -> Result<()> {
        let Operation::Node(existence) = operation else { return Ok(()) };
        let (network, software) = (self.network, &mut self.software);
        let mut note = |live: &Live| {
            match existence {
                Existence::Made(node) => software.making(live, &node.name),
                Existence::Removed(node) => software.removing(live, &node.name),
            }
            Ok(())
        };
        match &self.held {
            Some(held) => note(held.as_ref().ok_or_else(gone)?),
            None => network.with(note),
        }
    }

    fn change_links(&mut self, group: &[Operation]) -> Result<()> {
        let changes = group.iter().filter_map(|operation| match operation {
            Operation::Link { link, direction, change: Change { to, .. } } => Some(LinkChange {
                link: link.clone(),
                direction: *direction,
                change: (**to).clone(),
            }),
            _ => None,
        });
        let changes: Vec<LinkChange> = changes.collect();
        let deployment = self.network.deployment();
        let change =
            |live: &Live| netloom_course::change(&Real { live, deployment: &deployment }, &changes);
        self.live(change).map(drop)
    }

    fn change_medium(&mut self, medium: &str, config: &MediumConfig) -> Result<()> {
        let id = self.new.number(medium).map(SegmentId);
        let id = id.with_context(|| format!("there is no medium `{medium}`"))?;
        let change =
            MediumChange { config: Some(Box::new(config.clone())), ..MediumChange::default() };
        self.live(|live| Ok(live.dataplane.change_medium(id, change)?)).map(drop)
    }

    fn take_out(&mut self, names: &[String]) -> Result<()> {
        let old = Arc::clone(&self.old);
        let taken: Vec<&Link> =
            names.iter().filter_map(|name| old.mine.scenario.link(name)).collect();
        let named = |link: &&Link| Ok((old.modelled(&link.name)?, link.name.clone()));
        let named = taken.iter().map(named).collect::<Result<Vec<_>>>()?;
        self.hold()?;
        let unwired = self.live_mut()?.dataplane.take_out(&named)?;
        let nodes = Nodes::of(&old);
        for (link, (unwired, ends)) in taken.into_iter().zip(unwired) {
            nodes.unwire(link, ends, &mut self.devices);
            self.out.insert(link.name.clone(), unwired);
        }
        Ok(())
    }

    fn put_in(&mut self) -> Result<()> {
        let new = Arc::clone(&self.new);
        let nodes = Nodes::of(&new);
        let come: Vec<_> = new.modelled_links().filter(|(_, link)| self.has_come(link)).collect();
        let mut links = Vec::with_capacity(come.len());
        for (id, link) in come {
            links.push(Incoming::New(Box::new(nodes.wire(id, link, &mut self.devices)?)));
        }
        self.hold()?;
        let limits = new.mine.scenario.monitor.enabled.then(|| limits(&new));
        match self.live_mut()?.dataplane.put_in(links, limits) {
            Ok(watch) => {
                if let Some(watch) = watch {
                    self.watch(watch, &new);
                }
                let released = self.release(&new).and_then(|()| self.pace(&new));
                if released.is_err() {
                    // The first error is the one to report. Without the links, the rest can be
                    // undone.
                    let _ = self.undo_put_in();
                }
                released
            }
            Err(refused) => {
                let NotPutIn { error, links } = *refused;
                let wanted: HashMap<LinkId, &Link> = new.modelled_links().collect();
                for incoming in links {
                    if let Incoming::Back(unwired, ends) = incoming
                        && let Some(link) = wanted.get(&unwired.id())
                    {
                        nodes.unwire(link, ends, &mut self.devices);
                    }
                }
                Err(error).context("the data plane did not take the links")
            }
        }
    }

    /// Paces the interfaces of new links that wait for a full pipe.
    fn pace(&mut self, new: &Deployment) -> Result<()> {
        self.live(|live| live.paced.begin(&live.network, new, |link| self.has_come(link)))
    }

    fn undo_put_in(&mut self) -> Result<()> {
        let (old, new) = (Arc::clone(&self.old), Arc::clone(&self.new));
        let stays =
            |link: &&Link| old.links.contains_key(&link.name) && !self.out.contains_key(&link.name);
        let come: Vec<&Link> =
            new.mine.scenario.modelled_links().filter(|link| !stays(link)).collect();
        let named = |link: &&Link| Ok((new.modelled(&link.name)?, link.name.clone()));
        let named = come.iter().map(named).collect::<Result<Vec<_>>>()?;
        self.hold()?;
        let unwired = self.live_mut()?.dataplane.take_out(&named)?;
        let nodes = Nodes::of(&new);
        for (link, (_, ends)) in come.into_iter().zip(unwired) {
            nodes.unwire(link, ends, &mut self.devices);
        }
        Ok(())
    }

    fn undo_take_out(&mut self) -> Result<()> {
        let old = Arc::clone(&self.old);
        let nodes = Nodes::of(&old);
        let mut links = Vec::with_capacity(self.out.len());
        for link in old.mine.scenario.modelled_links() {
            if let Some(unwired) = self.out.remove(&link.name) {
                links.push(Incoming::Back(unwired, nodes.ends(link, &mut self.devices)?));
            }
        }
        self.hold()?;
        let limits = old.mine.scenario.monitor.enabled.then(|| limits(&old));
        let put_in = self.live_mut()?.dataplane.put_in(links, limits);
        let watch = put_in.map_err(|refused| refused.error)?;
        if let Some(watch) = watch {
            self.watch(watch, &old);
        }
        self.release(&old)
    }

    /// Locks the live network for this change alone.
    fn hold(&mut self) -> Result<()> {
        if self.held.is_none() {
            self.held = Some(self.network.hold());
        }
        self.live(|_| Ok(()))
    }

    /// Gives the monitor a new watch, for the data plane of `deployment`.
    fn watch(&self, watch: Watch, deployment: &Deployment) {
        self.monitor.replace_watch(watch, deployment, self.network.identities.node_names());
    }

    /// Releases the live network, with `deployment` in force.
    fn release(&mut self, deployment: &Arc<Deployment>) -> Result<()> {
        if let Some(held) = self.held.take() {
            self.network.put_in_force(&held, Arc::clone(deployment));
        }
        let come = deployment.mine.scenario.modelled_links().filter(|link| self.has_come(link));
        let (cut, whole): (Vec<&Link>, Vec<&Link>) = come.partition(|link| is_cut(link));
        let ends = |links: Vec<&Link>| -> Vec<Endpoint> {
            links.into_iter().flat_map(|link| deployment.interfaces_of(link)).collect()
        };
        let (without_carrier, with_carrier) = (ends(cut), ends(whole));
        self.live(|live| {
            let before = interfaces::states(&live.network, &without_carrier)?;
            live.overflow.lost(&before, &without_carrier);
            live.overflow.restored(&live.network, &with_carrier)
        })
    }

    /// Whether a link that is in force now is new, or was taken out and has other interfaces.
    fn has_come(&self, link: &Link) -> bool {
        !self.old.links.contains_key(&link.name) || self.out.contains_key(&link.name)
    }

    /// Calls `f` with the live network, whether or not this change has locked it.
    fn live<T>(&self, f: impl FnOnce(&Live) -> Result<T>) -> Result<T> {
        match &self.held {
            Some(held) => f(held.as_ref().ok_or_else(gone)?),
            None => self.network.with(f),
        }
    }

    fn live_mut(&mut self) -> Result<&mut Live> {
        self.held.as_mut().and_then(|held| held.as_mut()).ok_or_else(gone)
    }
}

/// Groups changes of links, since they apply at one instant. Every other operation is a group by
/// itself.
fn grouped(operations: Vec<Operation>) -> Vec<Vec<Operation>> {
    let mut groups: Vec<Vec<Operation>> = vec![];
    let is_link = |operation: &Operation| matches!(operation, Operation::Link { .. });
    for operation in operations {
        match groups.last_mut().filter(|last| is_link(&operation) && last.iter().all(is_link)) {
            Some(last) => last.push(operation),
            None => groups.push(vec![operation]),
        }
    }
    groups
}
