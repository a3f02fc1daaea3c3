//! A packet-level simulator: a network of hosts, routers, switches and links in virtual time.
//!
//! A [`Simulation`] has one or more [`Cell`]s: state machines that are advanced to a time and
//! announce to each other the frames that will arrive. Counts and logs are read from them. Links
//! are the pipes of the link model, and switched networks are those of the fabric. A simulated link
//! therefore does exactly what an emulated one does, down to each random draw.
//!
//! | module | contents |
//! |---|---|
//! | `network` | the description of a network: [`Network`] |
//! | `build` | makes a simulation of it: which links the event core drives, and which a fabric |
//! | `simulation`, `schedule` | all cells: [`Simulation`]; which one is run how far: [`Schedule`] |
//! | `sample` | samples for results: [`PipeSample`], [`FlowSample`] |
//! | `binary` | the encoding of what processes exchange: [`Binary`] |
//! | `cell`, `own` | the simulation of a part of the network: [`Cell`], and what it holds |
//! | `partition`, `graph` | divides the network into cells and processes: [`Division`] |
//! | `crossing` | frames between cells |
//! | `queue` | the event queue: what is due next |
//! | `packet` | packets as plain values: [`Packet`] |
//! | `neighbours` | answers to real nodes that ask for Ethernet addresses |
//! | `raw`, `border` | packets with bytes, and the real nodes that send and receive them |
//! | `foreign` | connections of real nodes with simulated hosts |
//! | `ethernet`, `island` | packets in frames, and switched networks |
//! | `capture`, `bytes` | what captures show of frames, and the bytes of headers |
//! | `path` | the path of packets through the network: [`Hop`] |
//! | `twins` | packets that stand for those of real programs: [`Sent`] |
//! | `sockets` | TCP connections that stand for those of real programs: [`SocketEvent`] |
//! | `meter` | meters what pipes do to twins, and steers pipes from outside |
//! | `address` | addresses by number: [`AddressBook`] |
//! | `node`, `route` | nodes, their interfaces and routes |
//! | `forwarding` | routers, path MTUs, fragments, error messages |
//! | `host`, `tcp` | echo, UDP, connections |
//! | `application` | applications that write, read, ask and serve |
//! | `flow`, `sending` | traffic, and its counts: [`FlowSpec`], [`FlowTotals`] |
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
pub use crossing::Announcement;
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

pub use netloom_fabric::Misdirected;
pub use netloom_tcp::{Algorithm, Flags as TcpFlags};
