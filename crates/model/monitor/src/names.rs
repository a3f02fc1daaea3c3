//! Parties and resources by number and by name. Inside the monitor they are numbers; reports have
//! names.

use std::collections::BTreeMap;

use crate::observation::Subject;
use crate::party::{Party, Who};
use crate::signal::{Buffer, DropCause, Pressure, Resource};

/// A resource that is contended, by number; [`Resource`] is its counterpart by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ResourceId {
    Frames,
    SingleFrame,
    Engine,
    Losses(DropCause),
    Buffer(Buffer, Party),
    Cpu(u32),
    RunQueue(Party),
    Internal,
    Uplink(u32),
    Swap,
    Faults,
    Disk(u32),
    Pressure(Pressure, Party),
    Metric(u32, Party),
    Events,
    MissedEvents,
    Periods,
    LostPeriods,
    FlowDelay,
    FlowThroughput,
    Clock(u32),
    Pipe(u32),
    Changes,
}

/// The names that were reported.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names(BTreeMap<Subject, String>);

impl Names {
    pub fn set(&mut self, what: Subject, name: &str) {
        self.0.insert(what, name.into());
    }

    /// The name of a subject; its number if it has no name.
    pub fn of(&self, what: Subject) -> String {
        self.0.get(&what).cloned().unwrap_or_else(|| what.number().to_string())
    }

    pub fn who(&self, party: Party) -> Who {
        match party {
            Party::Node(node) => Who::Node { name: self.of(Subject::Node(node)) },
            Party::Process(pid) => {
                let name = self.0.get(&Subject::Process(pid)).cloned().unwrap_or_default();
                Who::Process { pid, name }
            }
            Party::Engine => Who::Engine,
            Party::Kernel => Who::Kernel,
            Party::Hypervisor => Who::Hypervisor,
            Party::Outside => Who::Outside,
            Party::Tunnel => Who::Tunnel,
            Party::Unattributed => Who::Unattributed,
        }
    }

    pub fn resource(&self, place: ResourceId) -> Resource {
        match place {
            ResourceId::Frames => Resource::Frames,
            ResourceId::SingleFrame => Resource::SingleFrame,
            ResourceId::Engine => Resource::Engine,
            ResourceId::Losses(cause) => Resource::Losses { cause },
            ResourceId::Buffer(of, party) => Resource::Buffer { of, who: self.who(party) },
            ResourceId::Cpu(cpu) => Resource::Cpu { cpu },
            ResourceId::RunQueue(party) => Resource::RunQueue { who: self.who(party) },
            ResourceId::Internal => Resource::Internal,
            ResourceId::Uplink(uplink) => {
                Resource::Uplink { name: self.of(Subject::Uplink(uplink)) }
            }
            ResourceId::Swap => Resource::Swap,
            ResourceId::Faults => Resource::Faults,
            ResourceId::Disk(disk) => Resource::Disk { name: self.of(Subject::Disk(disk)) },
            ResourceId::Pressure(of, party) => Resource::Pressure { of, who: self.who(party) },
            ResourceId::Events => Resource::Events,
            ResourceId::MissedEvents => Resource::MissedEvents,
            ResourceId::Periods => Resource::Periods,
            ResourceId::LostPeriods => Resource::LostPeriods,
            ResourceId::FlowDelay => Resource::FlowDelay,
            ResourceId::FlowThroughput => Resource::FlowThroughput,
            ResourceId::Clock(machine) => {
                Resource::Clock { machine: self.of(Subject::Machine(machine)) }
            }
            ResourceId::Pipe(pipe) => Resource::Pipe { name: self.of(Subject::Pipe(pipe)) },
            ResourceId::Changes => Resource::Changes,
            ResourceId::Metric(metric, party) => {
                Resource::Metric { name: self.of(Subject::Metric(metric)), who: self.who(party) }
            }
        }
    }
}
