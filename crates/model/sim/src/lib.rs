//! A packet-level simulator: a network of hosts, routers, switches and links in virtual time.
//!
//! A [`Simulation`] has one or more [`Cell`]s: state machines that are advanced to a time and
//! announce to each other the frames that will arrive. Counts and logs are read from them. Links
//! are the pipes of the link model, and switched networks are those of the fabric. A simulated link
//! therefore does exactly what an emulated one does, down to each random draw.
//!
//! | module | contents |
//! |---|---|
//! | `build` | makes a simulation of it, divided into cells and processes: [`Division`] |
//! | `binary` | the encoding of what processes exchange: [`Binary`] |
//! | `simulation` | all cells: [`Simulation`]; which one is run how far; samples for results |
//! | `cell` | the simulation of a part of the network: [`Cell`] |
//! | `traffic` | flows, connections, applications, twins of those of real programs: [`Sent`] |
//! | `hosts` | nodes: routes, forwarding, error messages, real nodes: [`Leaving`] |
//! | `plant` | links: pipes, switched networks, captures, meters, frames to other cells |
//! | `flow` | descriptions of traffic, and its counts: [`FlowSpec`], [`FlowTotals`] |
//! | `bytes` | packets as bytes: captures, and packets of real nodes |
//! | `packet`, `address` | packets as plain values: [`Packet`]; addresses by number |
//! | `network` | the description of a network: [`Network`] |
//! | `queue`, `own` | the event queue: what is due next; what a cell holds |
//!
//! A module uses those below it. A cell has a network (`hosts::Net`: nodes over links) and the
//! traffic over it; each owner changes its own state, and returns what is for the one above.
//!
//! Not here: clocks, threads, processes, files; scenarios and how addresses and routes follow from
//! them (`netloom-plan`); models of traffic (`netloom-traffic`).

mod address;
mod binary;
mod build;
mod bytes;
mod cell;
mod flow;
mod hosts;
mod network;
mod own;
mod packet;
mod plant;
mod queue;
mod simulation;
mod traffic;

pub use address::{AddressBook, AddressId};
pub use binary::{Binary, DecodeError, Input, VERSION};
pub use build::Division;
pub use bytes::{Neighbour, Refused, frame_of, packet_of};
pub use cell::{Cell, EndlessLoop, Work};
pub use flow::{Arrival, Arrivals, FlowKind, FlowSpec, FlowTotals, TcpFlow, TcpWork};
pub use hosts::{Hop, Leaving, NoPath, NodeCounts};
pub use network::{
    Change, Interface, InterfaceId, Link, MediumAlteration, Network, Node, NodeChange, Route,
    RouteChange, RouteChanged, RouteError, RouteSource, Tap,
};
pub use packet::{
    Body, Error, ErrorKind, Flags, Fragment, Origin, Packet, RawBody, Stamp, TcpHeader, Twin,
};
pub use plant::{
    Announcement, EthernetFrame, Exits, FrameMemory, MOST_WATCHED, MediumSample, Metered,
    StationSample,
};
pub use simulation::{FlowSample, PipeSample, Schedule, Simulation, Standing, Step, TcpTotals};
pub use traffic::{
    FlowInfo, RealSegment, Sent, SocketAction, SocketEnds, SocketEvent, SocketTotals,
};

pub use netloom_fabric::Misdirected;
pub use netloom_tcp::{Algorithm, Flags as TcpFlags};
