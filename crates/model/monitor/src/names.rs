//! Parties and resources by number and by name. Inside the monitor they are numbers; reports have
//! names.

use std::collections::BTreeMap;

use crate::observation::Subject;
use crate::party::{Party, Who};
use crate::signal::{Buffer, DropCause, Pressure, Resource};

/// A resource that is contended, by number; [`Resource`] is its counterpart by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
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
            Party::Unattributed => Who::Unattributed,
        }
    }

    pub fn resource(&self, place: Place) -> Resource {
        match place {
            Place::Frames => Resource::Frames,
            Place::SingleFrame => Resource::SingleFrame,
            Place::Engine => Resource::Engine,
            Place::Losses(cause) => Resource::Losses { cause },
            Place::Buffer(of, party) => Resource::Buffer { of, who: self.who(party) },
            Place::Cpu(cpu) => Resource::Cpu { cpu },
            Place::RunQueue(party) => Resource::RunQueue { who: self.who(party) },
            Place::Internal => Resource::Internal,
            Place::Uplink(uplink) => Resource::Uplink { name: self.of(Subject::Uplink(uplink)) },
            Place::Swap => Resource::Swap,
            Place::Faults => Resource::Faults,
            Place::Disk(disk) => Resource::Disk { name: self.of(Subject::Disk(disk)) },
            Place::Pressure(of, party) => Resource::Pressure { of, who: self.who(party) },
            Place::Events => Resource::Events,
            Place::MissedEvents => Resource::MissedEvents,
            Place::Periods => Resource::Periods,
            Place::LostPeriods => Resource::LostPeriods,
            Place::FlowDelay => Resource::FlowDelay,
            Place::FlowThroughput => Resource::FlowThroughput,
            Place::Metric(metric, party) => {
                Resource::Metric { name: self.of(Subject::Metric(metric)), who: self.who(party) }
            }
        }
    }
}
