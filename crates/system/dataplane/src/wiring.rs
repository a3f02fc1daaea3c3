//! What is joined to what, and how to run it. Not here: anything that runs.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use netloom_fabric::{LinkEnd, LinkId};
use netloom_link::PipeConfig;
use netloom_ports::FrameDevice;
use netloom_units::Dilation;

use crate::{DataplaneError, Heartbeat, Scheduling};

/// All links of an experiment on this machine. Switches are where links end at them.
#[derive(Debug, Default)]
pub struct Wiring {
    /// The links, of different identities.
    pub links: Vec<LinkWiring>,
}

/// One link.
#[derive(Debug)]
pub struct LinkWiring {
    /// The link's identity, which it keeps.
    pub id: LinkId,
    /// The link's name. Its pipes' random streams are called `<name>/forward` and
    /// `<name>/reverse`.
    pub name: String,
    /// What it joins.
    pub ends: [End; 2],
    /// Its pipes: the first carries from the first end to the second, the other one back.
    pub pipes: [PipeConfig; 2],
}

/// What a link ends at, with the devices of its interfaces.
pub type End = LinkEnd<Box<dyn FrameDevice>>;

/// How to run a data plane.
#[derive(Debug, Clone)]
pub struct Options {
    /// Seed of the pipes' random streams.
    pub seed: u64,
    /// Worker threads; by default one less than the cores this process may use, but at least one, and one more
    /// that helps out while the others cannot bear their links ([`Dataplane::relieve`](crate::Dataplane::relieve)).
    /// There are never more than there are independent parts of the network, and the one that helps out is there for
    /// eight links or more only.
    pub workers: Option<usize>,
    /// CPUs on which nothing runs but workers, one after the other, at most one each by default. Without any, workers
    /// run wherever this process may. Whoever names them keeps others away.
    pub dedicated_cpus: Vec<usize>,
    /// The experiment's zero of time.
    pub origin: Instant,
    /// How much slower the experiment's time passes than the machine's.
    pub dilation: Dilation,
    /// Most memory that frames in the data plane may take, in bytes; what would be above is lost
    /// and counted as unmodelled. By default a quarter of what this process can have: of the machine's
    /// available memory, or of what its control groups leave, whichever is less.
    pub frame_memory: Option<usize>,
    /// Most frames (a super-frame counts as one) that wait for the reader of a capture. The capture
    /// misses what comes beyond, and counts it. By default 1024.
    pub capture_backlog: usize,
    /// How urgent the workers are to be to the machine, where it permits that.
    pub scheduling: Scheduling,
    /// What every worker calls to show that it lives; by default nothing.
    pub heartbeat: Option<Heartbeat>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            seed: 0,
            workers: None,
            dedicated_cpus: Vec::new(),
            origin: Instant::now(),
            dilation: Dilation::NONE,
            frame_memory: None,
            capture_backlog: 1024,
            scheduling: Scheduling::RealTime,
            heartbeat: None,
        }
    }
}

impl Wiring {
    /// Checks that links differ in their identities, that every switch is of the same kind at all
    /// its ports, and that every pipe has its values.
    pub(crate) fn validate(&self) -> Result<(), DataplaneError> {
        let mut kinds = BTreeMap::new();
        let mut known = BTreeSet::new();
        for link in &self.links {
            if !known.insert(link.id) {
                return Err(DataplaneError::KnownLink { link: link.name.clone(), id: link.id });
            }
            if let Some(unread) = link.pipes.iter().find_map(PipeConfig::unread_file) {
                return Err(DataplaneError::unread(link.id, unread));
            }
            for port in link.ends.iter().filter_map(End::segment_port) {
                let (link, switch) = (link.name.clone(), port.segment());
                if *kinds.entry(switch).or_insert(port.kind()) != port.kind() {
                    return Err(DataplaneError::MixedSwitch { link, switch });
                }
            }
        }
        Ok(())
    }
}
