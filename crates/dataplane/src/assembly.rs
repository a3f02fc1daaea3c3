//! Putting a data plane together: links onto workers, pipes and devices into their fabrics,
//! threads started. Not here: what runs afterwards.

use std::collections::BTreeMap;
use std::io;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;

use netloom_link::{Pipe, PortVlans, Stream, Vid};
use netloom_ports::FrameDevice;
use nix::unistd::{SysconfVar, sysconf};

use crate::fabric::{Ends, Fabric, Lane, Place, Port};
use crate::handle::{Control, WorkerHandle};
use crate::partition;
use crate::shift::Shift;
use crate::switch::Switch;
use crate::vlan::{Interfaces, Tagged, VlanSwitch};
use crate::waiter::Waiter;
use crate::wakeup::WakeupProbe;
use crate::worker::Worker;
use crate::{
    Clock, Dataplane, DataplaneError, End, LinkWiring, Options, PipeId, Scheduling, Wiring,
};

/// The parts of one worker, while they are being put together.
struct Draft {
    lanes: Vec<Lane>,
    ports: Vec<Port>,
    switches: Vec<Switch>,
    vlan_switches: Vec<VlanSwitch>,
    interfaces: Vec<Interfaces>,
    /// Where the wiring's switches are in `switches` or `vlan_switches`.
    switch_index: BTreeMap<usize, usize>,
    waiter: Waiter,
}

/// Where the end of a link is: the link, the end, and the lane that begins there.
#[derive(Clone, Copy)]
struct LinkEnd {
    lane: usize,
    link: usize,
    end: usize,
}

/// How the workers are to run.
struct Plan {
    clock: Clock,
    seed: u64,
    frame_memory: usize,
    may_spin: bool,
    scheduling: Scheduling,
}

pub(crate) fn assemble(wiring: Wiring, options: &Options) -> Result<Dataplane, DataplaneError> {
    wiring.validate()?;
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let wanted = options.workers.unwrap_or(cores - 1).max(1);
    let switches_of = |link: &LinkWiring| link.ends.each_ref().map(End::switch);
    let ends: Vec<_> = wiring.links.iter().map(switches_of).collect();
    let assignment = partition::assign(&ends, wiring.switches, wanted);
    let workers = partition::used(&assignment);
    let plan = Plan {
        clock: Clock::since(options.origin),
        seed: options.seed,
        frame_memory: options.frame_memory.unwrap_or_else(default_frame_memory) / workers,
        may_spin: cores > workers,
        scheduling: options.scheduling,
    };
    let mut drafts = (0..workers).map(|_| Draft::new()).collect::<Result<Vec<_>, _>>()?;
    let mut control = Control::default();
    let mut locations = Vec::with_capacity(assignment.len());
    for (index, (link, worker)) in wiring.links.into_iter().zip(assignment).enumerate() {
        control.states.push(link.pipes.each_ref().map(|pipe| pipe.state));
        control.carriers.push(
            link.ends
                .each_ref()
                .map(|end| end.devices().into_iter().filter_map(FrameDevice::carrier).collect()),
        );
        locations.push((worker, drafts[worker].lanes.len()));
        drafts[worker].add(index, link, &plan)?;
    }
    let workers = drafts.into_iter().enumerate().map(|(index, draft)| draft.start(index, &plan));
    Ok(Dataplane {
        clock: plan.clock,
        workers: workers.collect::<Result<_, _>>()?,
        locations,
        control: Mutex::new(control),
        scheduling: plan.scheduling,
        probe: WakeupProbe::start(plan.clock)?,
        alive: Arc::new(()),
    })
}

/// A quarter of the machine's memory, in bytes.
fn default_frame_memory() -> usize {
    let known = |variable| sysconf(variable).ok().flatten().and_then(|v| usize::try_from(v).ok());
    match (known(SysconfVar::_PHYS_PAGES), known(SysconfVar::PAGE_SIZE)) {
        (Some(pages), Some(size)) => pages.saturating_mul(size) / 4,
        _ => 1 << 30,
    }
}

impl Draft {
    fn new() -> Result<Self, DataplaneError> {
        Ok(Self {
            lanes: Vec::new(),
            ports: Vec::new(),
            switches: Vec::new(),
            vlan_switches: Vec::new(),
            interfaces: Vec::new(),
            switch_index: BTreeMap::new(),
            waiter: Waiter::new().map_err(DataplaneError::system("create an event queue"))?,
        })
    }

    /// Adds link number `index`: two lanes, and what they join.
    fn add(&mut self, index: usize, link: LinkWiring, plan: &Plan) -> Result<(), DataplaneError> {
        let LinkWiring { name, ends, pipes } = link;
        let first = self.lanes.len();
        let mut places = Vec::with_capacity(2);
        for (end, what) in ends.into_iter().enumerate() {
            let at = LinkEnd { lane: first + end, link: index, end };
            let place = self.add_end(what, at);
            let failed = |source| DataplaneError::Watch { link: name.clone(), end, source };
            places.push(place.map_err(failed)?);
        }
        for (direction, config) in pipes.into_iter().enumerate() {
            let word = ["forward", "reverse"][direction];
            let stream = Stream::new(plan.seed, &format!("{name}/{word}"));
            self.lanes.push(Lane {
                id: PipeId { link: index, direction },
                pipe: Pipe::new(config, stream, plan.clock.now()),
                source: places[direction],
                target: places[1 - direction],
                entry: Vec::new(),
                exit: Vec::new(),
                shift: Shift::default(),
            });
        }
        Ok(())
    }

    fn add_end(&mut self, end: End, at: LinkEnd) -> io::Result<Place> {
        Ok(match end {
            End::Switch(switch) => self.add_switch_port(switch, at.lane),
            End::VlanPort { switch, vlans } => self.add_vlan_port(switch, vlans, at.lane),
            End::Device(device) => Place::Device(self.add_device(device, None, at)?),
            End::Interfaces { untagged, vlans } => {
                let untagged = self.add_device(untagged, None, at)?;
                let vlans = vlans.into_iter().map(|(vlan, device)| {
                    Ok((vlan.number(), self.add_device(device, Some(vlan), at)?))
                });
                let vlans = vlans.collect::<io::Result<_>>()?;
                self.interfaces.push(Interfaces { untagged, vlans });
                Place::Tagged(Tagged::Interfaces(self.interfaces.len() - 1))
            }
        })
    }

    /// Adds the next port of the wiring's switch `switch`, with `lane` leading out of it.
    fn add_switch_port(&mut self, switch: usize, lane: usize) -> Place {
        let switches = &mut self.switches;
        let switch = *self.switch_index.entry(switch).or_insert_with(|| {
            switches.push(Switch::default());
            switches.len() - 1
        });
        Place::Switch { switch, port: switches[switch].add_port(lane) }
    }

    /// The same for a switch that knows VLANs.
    fn add_vlan_port(&mut self, switch: usize, vlans: PortVlans, lane: usize) -> Place {
        let switches = &mut self.vlan_switches;
        let switch = *self.switch_index.entry(switch).or_insert_with(|| {
            switches.push(VlanSwitch::default());
            switches.len() - 1
        });
        Place::Tagged(Tagged::Port { switch, port: switches[switch].add_port(vlans, lane) })
    }

    /// Adds a device, whose frames enter the lane with the tag of `vlan`; its port.
    fn add_device(
        &mut self,
        device: Box<dyn FrameDevice>,
        vlan: Option<Vid>,
        at: LinkEnd,
    ) -> io::Result<usize> {
        let port = self.ports.len();
        if let Some(fd) = device.fd() {
            self.waiter.watch(fd, port)?;
        }
        let LinkEnd { lane, link, end } = at;
        self.ports.push(Port { device, lane, vlan, link, end, alive: true });
        Ok(port)
    }

    /// Starts worker number `index`.
    fn start(self, index: usize, plan: &Plan) -> Result<WorkerHandle, DataplaneError> {
        let (sender, commands) = channel();
        let waker = self.waiter.waker();
        let ends = Ends {
            ports: self.ports,
            interfaces: self.interfaces,
            switches: self.switches,
            vlan_switches: self.vlan_switches,
        };
        let fabric = Fabric::new(plan.clock, plan.frame_memory, self.lanes, ends);
        let (may_spin, scheduling) = (plan.may_spin, plan.scheduling);
        let worker = Worker::new(fabric, self.waiter, commands, plan.clock, may_spin, scheduling);
        let thread = thread::Builder::new()
            .name(format!("netloom-data-{index}"))
            .spawn(move || worker.run())
            .map_err(DataplaneError::system("start a worker"))?;
        Ok(WorkerHandle { commands: sender, waker, thread: Some(thread) })
    }
}
