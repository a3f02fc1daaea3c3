//! The links of a data plane, and the options of its run. Not here: anything that runs.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use netloom_fabric::{LinkEnd, LinkId};
use netloom_link::PipeConfig;
use netloom_ports::FrameDevice;
use netloom_units::Dilation;

use crate::peer_id::PeerId;
use crate::peers::Tunnels;
use crate::{DataplaneError, Heartbeat, Scheduling};

/// All links of an experiment on this machine. A switch exists where links end at it.
#[derive(Debug, Default)]
pub struct Wiring {
    /// The links, with distinct identities.
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
    /// The two ends that it joins.
    pub ends: [End; 2],
    /// Its pipes: the first carries from the first end to the second, the other one back.
    pub pipes: [PipeConfig; 2],
    /// MTUs of the interfaces at its ends. `None`: frames of any length are taken there.
    pub mtus: [Option<u32>; 2],
    /// The machine that has its other end, if one end is [away](LinkEnd::Away).
    pub peer: Option<PeerId>,
}

/// An end of a link, with the devices of its interfaces.
pub type End = LinkEnd<Box<dyn FrameDevice>>;

/// The options of a data plane.
#[derive(Debug, Clone)]
pub struct Options {
    /// Seed of the pipes' random streams.
    pub seed: u64,
    /// Number of worker threads. The default is one less than the cores that this process may use,
    /// but at least one, plus one that helps out while the others are overloaded
    /// ([`Dataplane::rebalance`](crate::Dataplane::rebalance)). There are never more than there are
    /// independent parts of the network, and the additional one exists only for eight links or
    /// more.
    pub workers: Option<usize>,
    /// CPUs on which only workers run, each worker on the next CPU, by default at most one each. If
    /// there are none, workers run wherever this process may. The caller keeps other threads off
    /// these CPUs.
    pub dedicated_cpus: Vec<usize>,
    /// The experiment's zero of time.
    pub origin: Instant,
    /// How much slower the experiment's time passes than the machine's.
    pub dilation: Dilation,
    /// Most memory that frames in the data plane may take, in bytes. Frames beyond it are lost, and
    /// counted as unmodelled. The default is a quarter of what this process can have: of the
    /// machine's available memory, or of what its control groups leave, whichever is less.
    pub frame_memory: Option<usize>,
    /// Most frames (a super-frame counts as one) that wait for the reader of a capture. The capture
    /// misses further frames, and counts them. The default is 1024.
    pub capture_backlog: usize,
    /// Scheduling class of the workers, if the machine permits it.
    pub scheduling: Scheduling,
    /// Function that every worker calls to show that it lives. By default there is none.
    pub heartbeat: Option<Heartbeat>,
    /// How links to other machines get there. By default, there are none.
    pub tunnels: Option<Tunnels>,
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
            tunnels: None,
        }
    }
}

impl Wiring {
    /// Checks that the identities of links are distinct, that every switch is of the same kind at
    /// all its ports, that links to other machines can get there, and that every pipe has its
    /// values.
    pub(crate) fn validate(&self, tunnels: Option<&Tunnels>) -> Result<(), DataplaneError> {
        let mut kinds = BTreeMap::new();
        let mut known = BTreeSet::new();
        for link in &self.links {
            if !known.insert(link.id) {
                return Err(DataplaneError::KnownLink { link: link.name.clone(), id: link.id });
            }
            if let Some(problem) = link.problem_away(tunnels) {
                return Err(DataplaneError::Away { link: link.name.clone(), problem });
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

impl LinkWiring {
    /// Returns why the link cannot lead to the machine that it names, or to none, as it does.
    fn problem_away(&self, tunnels: Option<&Tunnels>) -> Option<&'static str> {
        let away = self.ends.iter().filter(|end| matches!(end, End::Away { .. })).count();
        match (away, self.peer, tunnels) {
            (0, None, _) => None,
            (0, Some(_), _) => Some("it names a machine, and both of its ends are here"),
            (2, ..) => Some("neither of its ends is here"),
            (_, None, _) => Some("it does not name the machine that has its other end"),
            (_, Some(_), None) => Some("the data plane has no tunnels"),
            (_, Some(peer), Some(tunnels)) => {
                let is_known = tunnels.peers.contains(&peer);
                (!is_known).then_some("the machine that it names is none of the tunnels' peers")
            }
        }
    }
}

/// Whether a port of a segment is at an end of a link, here or on another machine.
pub(crate) fn is_segment(end: &End) -> bool {
    matches!(end, End::Segment(_) | End::Away { is_segment: true })
}
