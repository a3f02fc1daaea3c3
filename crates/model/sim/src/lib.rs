//! A packet-level simulator: a network of hosts, routers, switches and links in virtual time.
//!
//! A [`Simulation`] has one or more [`Cell`]s, state machines that are advanced to a time and tell
//! each other what comes; what was counted and logged is read from them. Links are the pipes of
//! the link model, and switched networks those of the fabric, so that a simulated link does what
//! an emulated one does, to the draw.
//!
//! | module | what lives there |
//! |---|---|
//! | `network` | a network as it is described: [`Network`] |
//! | `build` | from that to a simulation: what the event core drives, and what a fabric |
//! | `simulation`, `schedule` | all cells: [`Simulation`], and which is run how far: [`Schedule`] |
//! | `sample` | what is read of them for results: [`PipeSample`], [`FlowSample`] |
//! | `binary` | what processes exchange, as bytes: [`Binary`] |
//! | `cell`, `own` | the simulation of a part: [`Cell`], and what it has |
//! | `partition`, `graph` | what is in which cell, and in which process: [`Division`] |
//! | `crossing` | frames between cells |
//! | `queue` | what is due next, and in which order |
//! | `packet` | packets as plain values: [`Packet`] |
//! | `neighbours` | what neighbours of real nodes answer who asks for Ethernet addresses |
//! | `raw`, `border` | packets with bytes, of real nodes that are joined to the network |
//! | `foreign` | connections of real nodes with simulated hosts |
//! | `ethernet`, `island` | packets in frames, and switched networks |
//! | `capture`, `bytes` | what captures show of frames, and the bytes of headers |
//! | `path` | the way of packets through the network: [`Hop`] |
//! | `twins` | packets that stand for those of real programs: [`Sent`] |
//! | `sockets` | TCP connections that stand for those of real programs: [`SocketEvent`] |
//! | `meter` | what pipes do to twins, and what is ordered of pipes from outside |
//! | `address` | addresses by number: [`AddressBook`] |
//! | `node`, `route` | nodes, their interfaces and ways |
//! | `forwarding` | routers, path MTUs, fragments, error messages |
//! | `host`, `tcp` | echo, UDP, connections |
//! | `application` | who writes, reads, asks and serves |
//! | `flow`, `sending` | traffic, and what is counted of it: [`FlowSpec`], [`FlowTotals`] |
//! | `workload` | when traffic over TCP begins connections |
//!
//! Not here: clocks, threads, processes, files; scenarios and how addresses and routes follow from
//! them (`netloom-plan`); models of traffic (`netloom-traffic`).

mod address;
mod application;
mod binary;
mod border;
mod build;
mod bytes;
mod capture;
mod cell;
mod crossing;
mod ethernet;
mod flow;
mod foreign;
mod forwarding;
mod graph;
mod host;
mod island;
mod meter;
mod neighbours;
mod network;
mod node;
mod own;
mod packet;
mod partition;
mod path;
mod queue;
mod raw;
mod route;
mod sample;
mod schedule;
mod sending;
mod simulation;
mod sockets;
mod tcp;
mod twins;
mod workload;

pub use address::{AddressBook, AddressId};
pub use binary::{Binary, DecodeError, Input, VERSION};
pub use border::{Exits, Leaving};
pub use cell::{Cell, EndlessLoop, Work};
pub use crossing::{Announcement, Misdirected};
pub use ethernet::{EthernetFrame, FrameMemory};
pub use flow::{Arrival, Arrivals, Delays, FlowKind, FlowSpec, FlowTotals, TcpFlow, TcpWork};
pub use meter::Metered;
pub use neighbours::{Neighbour, frame_of, packet_of};
pub use network::{
    Change, Interface, InterfaceId, Link, MediumAlteration, Network, Node, NodeChange, Route,
    RouteChange, RouteChanged, RouteError, RouteSource, Tap,
};
pub use node::NodeCounts;
pub use packet::{Body, Error, ErrorKind, Flags, Fragment, Packet, Stamp, TcpHeader, Twin};
pub use partition::Division;
pub use path::{Hop, NoPath};
pub use raw::{Origin, RawBody, Refused};
pub use sample::{
    FlowSample, MOST_WATCHED, MediumSample, PipeSample, Standing, StationSample, TcpTotals,
};
pub use schedule::{Schedule, Step};
pub use simulation::Simulation;
pub use sockets::{RealSegment, SocketAction, SocketEnds, SocketEvent, SocketTotals};
pub use tcp::FlowInfo;
pub use twins::Sent;

pub use netloom_tcp::{Algorithm, Flags as TcpFlags};
