//! The places of pipes and interfaces in a plant: who drives a pipe, and what an interface leads
//! to. All cells share them.

use netloom_fabric::{LinkId, PipeId, PortId};
use netloom_link::Direction;

use crate::network::InterfaceId;

/// The location of a pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PipeLocation {
    Wire(u32),
    Island(u32),
}

/// The thing that an interface leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// A pipe between two nodes.
    Pipe(u32),
    /// A port of a switched network.
    Island { island: u32, port: PortId },
    /// No link.
    Nothing,
}

/// The locations of all pipes and ports.
#[derive(Debug, Default)]
pub(crate) struct PipeLocations {
    /// Locations of the pipes of each link.
    links: Vec<[PipeLocation; 2]>,
    names: Vec<String>,
    ports: Vec<InterfaceId>,
}

impl PipeLocations {
    /// Returns the locations of no pipes, and the interfaces of ports.
    pub fn new(ports: Vec<InterfaceId>) -> Self {
        Self { ports, ..Self::default() }
    }

    /// Adds the next link.
    pub fn add(&mut self, name: String, pipes: [PipeLocation; 2]) {
        self.names.push(name);
        self.links.push(pipes);
    }

    /// Returns the location of a pipe.
    pub fn of(&self, PipeId { link, direction }: PipeId) -> PipeLocation {
        self.links[link.index()][direction.index()]
    }

    /// Returns the interface that a port belongs to.
    pub fn port(&self, port: PortId) -> Option<InterfaceId> {
        self.ports.get(port.index()).copied()
    }

    /// Returns the name of a link.
    pub fn link(&self, link: LinkId) -> &str {
        &self.names[link.index()]
    }
}

/// Returns both pipes of a link, forward first.
pub(crate) fn pipes_of(link: LinkId) -> [PipeId; 2] {
    Direction::BOTH.map(|direction| PipeId { link, direction })
}
