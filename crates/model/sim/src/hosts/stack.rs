//! The state of a node as a host: ports, connections, path MTUs, and packets that lack fragments.
//! Not here: connections themselves (`traffic`).

use std::collections::BTreeMap;

use crate::AddressId;
use crate::packet::{Body, Error, Fragment, Packet};

/// First source port of flows (Linux's `ip_local_port_range`).
pub(crate) const FIRST_PORT: u32 = 32_768;
/// Number of these source ports.
pub(crate) const PORTS: u32 = 28_232;

/// The least MTU of IPv6. A path MTU is never set below it.
const LEAST_MTU: u32 = 1280;

/// The other end of a connection: its address and port, and the own port.
pub(crate) type Peer = (AddressId, u16, u16);

/// The state of a node as a host.
#[derive(Debug, Default)]
pub(crate) struct Stack {
    /// UDP ports that flows receive on.
    ports: Vec<u16>,
    /// Path MTUs that error messages have reported, by destination.
    path_mtus: BTreeMap<AddressId, u32>,
    /// Packets that lack fragments.
    parts: BTreeMap<(AddressId, AddressId, u16), Parts>,
    /// TCP connections, by the other end.
    connections: BTreeMap<Peer, u32>,
    /// Flows whose connections other nodes open: by the node's own port and the node that opens.
    listeners: BTreeMap<u16, BTreeMap<u32, u32>>,
    /// Number of connections that the node has opened. Source ports are taken in turn.
    begun: u32,
    /// Identification of the last packet that was sent in fragments.
    ident: u16,
}

/// The fragments of a packet that have arrived.
#[derive(Debug, Default)]
struct Parts {
    /// Offset and length of the data of each fragment.
    pieces: Vec<(u32, u32)>,
    /// Bytes of data of the whole packet, once the last fragment has arrived.
    whole: Option<u32>,
    /// The data of each fragment of a real node's packet, by offset.
    bytes: BTreeMap<u32, Vec<u8>>,
}

impl Stack {
    /// Opens a UDP port that flows receive on.
    pub fn open_port(&mut self, port: u16) {
        if !self.has_port(port) {
            self.ports.push(port);
        }
    }

    /// Whether a flow receives on a UDP port.
    pub fn has_port(&self, port: u16) -> bool {
        self.ports.contains(&port)
    }

    /// Lets a node open connections of a flow to a port.
    pub fn listen(&mut self, port: u16, opener: u32, flow: u32) {
        self.listeners.entry(port).or_default().insert(opener, flow);
    }

    /// Returns the flow whose connections one of the `openers` opens to a port.
    pub fn listener(&self, port: u16, mut openers: impl Iterator<Item = u32>) -> Option<u32> {
        let listeners = self.listeners.get(&port)?;
        openers.find_map(|opener| listeners.get(&opener).copied())
    }

    /// Returns the first flow whose connections are opened to a port.
    pub fn first_listener(&self, port: u16) -> Option<u32> {
        self.listeners.get(&port)?.values().next().copied()
    }

    /// Returns the number of the connection with `peer`.
    pub fn connection(&self, peer: &Peer) -> Option<u32> {
        self.connections.get(peer).copied()
    }

    /// Adds a connection with `peer`, in place of an earlier one.
    pub fn connect(&mut self, peer: Peer, number: u32) {
        self.connections.insert(peer, number);
    }

    /// Removes a connection with `peer`, unless another one has taken its place.
    pub fn disconnect(&mut self, peer: &Peer, number: u32) {
        if self.connection(peer) == Some(number) {
            self.connections.remove(peer);
        }
    }

    /// Closes all ports, and forgets fragments.
    pub fn close(&mut self) {
        self.ports.clear();
        self.listeners.clear();
        self.parts.clear();
    }

    /// Returns a source port that no connection to that address and port uses.
    pub fn free_port(&mut self, to: AddressId, port: u16) -> Option<u16> {
        let all = (0..PORTS).map(|more| self.begun.wrapping_add(more));
        let port_of = |number: u32| (FIRST_PORT + number % PORTS) as u16;
        let is_free = |number: &u32| !self.connections.contains_key(&(to, port, port_of(*number)));
        let number = all.into_iter().find(is_free)?;
        self.begun = number.wrapping_add(1);
        Some(port_of(number))
    }

    /// Returns the MTU of the path to a destination whose first link has the MTU `mtu`.
    pub fn path_mtu(&self, to: AddressId, mtu: u32) -> u32 {
        self.path_mtus.get(&to).map_or(mtu, |known| mtu.min(*known))
    }

    /// Learns from an error message that a packet was too long. The node sends shorter ones from
    /// now on.
    pub fn learn_path_mtu(&mut self, error: &Error, v6: bool) {
        let mtu = if v6 { error.mtu.max(LEAST_MTU) } else { error.mtu };
        let known = self.path_mtus.entry(error.destination).or_insert(mtu);
        *known = mtu.min(*known);
    }

    /// Returns an identification for the fragments of a packet.
    pub fn next_ident(&mut self) -> u16 {
        self.ident = self.ident.wrapping_add(1);
        self.ident
    }

    /// Returns the packet, once all its fragments have arrived. Fragments of twins are not
    /// reassembled: each counts by itself, as the fragments of real packets do.
    #[inline]
    pub fn whole(&mut self, packet: Packet) -> Option<Packet> {
        let is_piece = packet.fragment.is_part() && !matches!(packet.body, Body::Twin(_));
        if is_piece { self.put_together(packet) } else { Some(packet) }
    }

    #[cold]
    fn put_together(&mut self, packet: Packet) -> Option<Packet> {
        let Fragment { ident, .. } = packet.fragment;
        let key = (packet.source, packet.destination, ident);
        let (header, offset) = (packet.header_bytes(), packet.fragment.offset());
        let data = packet.bytes - header;
        let Parts { pieces, whole, bytes } = self.parts.entry(key).or_default();
        if !pieces.contains(&(offset, data)) {
            pieces.push((offset, data));
            if let Body::Raw(raw) = &packet.body {
                bytes.insert(offset, packet.carried(raw).to_vec());
            }
        }
        if !packet.fragment.more() {
            *whole = Some(offset + data);
        }
        let come: u32 = pieces.iter().map(|(_, length)| length).sum();
        let whole = whole.filter(|whole| *whole == come)?;
        let bytes = std::mem::take(bytes);
        self.parts.remove(&key);
        let header = if packet.is_v6() { 40 } else { 20 };
        let body = match packet.body {
            Body::Raw(raw) => {
                let all: Vec<u8> = bytes.into_values().flatten().collect();
                Body::Raw(Box::new(raw.with(&all)))
            }
            body => body,
        };
        Some(Packet { bytes: header + whole, fragment: Fragment::default(), body, ..packet })
    }
}
