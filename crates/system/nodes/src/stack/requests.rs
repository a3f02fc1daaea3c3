//! Requests to the kernel's routing socket, from the types of a plan. They are pure:
//! `netlink-packet-route` encodes them, and `netlink` sends them.

use std::fs::File;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::fd::{AsRawFd, RawFd};

use netlink_packet_route::address::{
    AddressAttribute, AddressHeaderFlags, AddressMessage, AddressScope,
};
use netlink_packet_route::link::{
    AfSpecInet6, AfSpecUnspec, In6AddrGenMode, InfoData, InfoKind, InfoVeth, LinkAttribute,
    LinkFlags, LinkInfo, LinkMessage, State,
};
use netlink_packet_route::neighbour::{NeighbourAttribute, NeighbourMessage, NeighbourState};
use netlink_packet_route::route::{
    RouteAddress, RouteAttribute, RouteFlags, RouteHeader, RouteMessage, RouteNextHopFlags,
    RouteProtocol, RouteScope, RouteType, RouteVia,
};
use netlink_packet_route::{AddressFamily, RouteNetlinkMessage};
use netloom_plan::{InterfacePlan, NeighbourPlan, RoutePlan};
use netloom_scenario::{Endpoint, IpPrefix, Ipv6Prefix, MacAddress};

use crate::stack::netlink::Request;

/// Moves a device of the calling thread's namespace to another one.
pub(crate) fn move_to(index: u32, name: &str, namespace: &File) -> Request {
    move_as(index, name, name, namespace)
}

/// Moves a device that is down to another namespace, where it has the name `there`.
pub(crate) fn move_as(index: u32, name: &str, there: &str, namespace: &File) -> Request {
    let mut message = LinkMessage::default();
    message.header.index = index;
    message.attributes =
        vec![LinkAttribute::IfName(there.into()), LinkAttribute::NetNsFd(namespace.as_raw_fd())];
    let words = format!("move {name} to another namespace");
    Request::new(RouteNetlinkMessage::SetLink(message), move || words.clone())
}

/// Creates a pair of kernel devices (veth): `interface` here, and its peer in the network namespace
/// of the descriptor `peer_namespace`.
pub(crate) fn veth_pair(interface: &Endpoint, peer: &Endpoint, peer_namespace: RawFd) -> Request {
    let mut far = LinkMessage::default();
    far.attributes =
        vec![LinkAttribute::IfName(peer.interface.clone()), LinkAttribute::NetNsFd(peer_namespace)];
    let mut message = LinkMessage::default();
    message.attributes = vec![
        LinkAttribute::IfName(interface.interface.clone()),
        LinkAttribute::LinkInfo(vec![
            LinkInfo::Kind(InfoKind::Veth),
            LinkInfo::Data(InfoData::Veth(InfoVeth::Peer(far))),
        ]),
    ];
    let (interface, peer) = (interface.clone(), peer.clone());
    Request::new(RouteNetlinkMessage::NewLink(message), move || {
        format!("make the veth pair of {interface} and {peer}")
    })
}

/// Sets MAC address and MTU, which affect the link-local address only if they are set before the
/// interface is up. Also sets the operational state to up: the kernel detects it only when the
/// carrier changes, and does not know it before.
pub(crate) fn properties(index: u32, interface: &InterfacePlan) -> Request {
    let mut message = LinkMessage::default();
    message.header.index = index;
    message.attributes = vec![
        LinkAttribute::Address(interface.mac.0.to_vec()),
        LinkAttribute::Mtu(interface.mtu),
        LinkAttribute::TxQueueLen(1000),
        // No effect if the kernel has detected the state already.
        LinkAttribute::OperState(State::Up),
    ];
    let (name, mac, mtu) = (interface.name.clone(), interface.mac, interface.mtu);
    Request::new(RouteNetlinkMessage::SetLink(message), move || {
        format!("set MAC address {mac} and MTU {mtu} of {name}")
    })
}

/// Enables or disables the kernel's automatic link-local addresses from MAC addresses.
pub(crate) fn automatic_link_local(index: u32, name: &str, on: bool) -> Request {
    let mode = if on { In6AddrGenMode::Eui64 } else { In6AddrGenMode::None };
    let mut message = LinkMessage::default();
    message.header.index = index;
    let inet6 = AfSpecUnspec::Inet6(vec![AfSpecInet6::AddrGenMode(mode)]);
    message.attributes.push(LinkAttribute::AfSpecUnspec(vec![inet6]));
    let name = name.to_owned();
    Request::new(RouteNetlinkMessage::SetLink(message), move || {
        format!("set how {name} gets its link-local address")
    })
}

/// Returns the link-local address of a MAC address (RFC 4291, appendix A).
pub(crate) fn link_local(mac: MacAddress) -> IpPrefix {
    let [a, b, c, d, e, f] = mac.0;
    let interface = u64::from_be_bytes([a ^ 2, b, c, 0xff, 0xfe, d, e, f]);
    let address = Ipv6Addr::from_bits((0xfe80 << 112) | u128::from(interface));
    IpPrefix::V6(Ipv6Prefix { address, length: 64 })
}

/// Brings an interface up.
pub(crate) fn up(index: u32, name: &str) -> Request {
    let mut message = LinkMessage::default();
    message.header.index = index;
    message.header.flags = LinkFlags::Up;
    message.header.change_mask = LinkFlags::Up;
    let name = name.to_owned();
    Request::new(RouteNetlinkMessage::SetLink(message), move || format!("bring up {name}"))
}

/// Prevents the kernel from sending super-frames through a device.
pub(crate) fn single_frames(index: u32, name: &str) -> Request {
    let mut message = LinkMessage::default();
    message.header.index = index;
    message.attributes = vec![LinkAttribute::GsoMaxSegs(1)];
    let name = name.to_owned();
    let what = move || format!("keep super-frames from {name}");
    Request::new(RouteNetlinkMessage::SetLink(message), what)
}

/// Makes a neighbour known for good. It is forgotten when the interface goes down.
pub(crate) fn neighbour(index: u32, neighbour: &NeighbourPlan) -> Request {
    let mut message = NeighbourMessage::default();
    message.header.family = match neighbour.address {
        IpAddr::V4(_) => AddressFamily::Inet,
        IpAddr::V6(_) => AddressFamily::Inet6,
    };
    message.header.ifindex = index;
    message.header.state = NeighbourState::Permanent;
    message.attributes = vec![
        NeighbourAttribute::Destination(neighbour.address.into()),
        NeighbourAttribute::LinkLayerAddress(neighbour.mac.0.to_vec()),
    ];
    let NeighbourPlan { interface, address, mac } = neighbour.clone();
    Request::new(RouteNetlinkMessage::NewNeighbour(message), move || {
        format!("make {address} known at {interface} as {mac}")
    })
}

/// Prevents an interface from resolving addresses, and from answering others that resolve them.
pub(crate) fn no_neighbours(index: u32, name: &str) -> Request {
    let mut message = LinkMessage::default();
    message.header.index = index;
    message.header.flags = LinkFlags::Noarp;
    message.header.change_mask = LinkFlags::Noarp;
    let name = name.to_owned();
    let what = move || format!("keep {name} from resolving addresses");
    Request::new(RouteNetlinkMessage::SetLink(message), what)
}

/// Deletes an interface's neighbours. The kernel deletes them for both families when an interface
/// stops resolving addresses, which is enabled again afterwards.
pub(crate) fn forget_neighbours(index: u32, name: &str) -> Vec<Request> {
    let resolves = |resolves: bool| {
        let mut message = LinkMessage::default();
        message.header.index = index;
        message.header.flags = if resolves { LinkFlags::empty() } else { LinkFlags::Noarp };
        message.header.change_mask = LinkFlags::Noarp;
        let name = name.to_owned();
        Request::new(RouteNetlinkMessage::SetLink(message), move || {
            format!("make {name} forget its neighbours")
        })
    };
    vec![resolves(false), resolves(true)]
}

/// Adds an address. An IPv6 address is usable immediately.
pub(crate) fn address(index: u32, name: &str, prefix: IpPrefix) -> Request {
    let mut message = AddressMessage::default();
    let (ip, length) = parts(prefix);
    message.header.family = family(ip);
    message.header.prefix_len = length;
    message.header.index = index;
    message.header.scope = scope(ip);
    message.attributes = vec![AddressAttribute::Local(ip), AddressAttribute::Address(ip)];
    match prefix {
        IpPrefix::V4(prefix) if length < 31 => {
            let host_bits = u32::MAX >> length;
            let broadcast = (prefix.address.to_bits() | host_bits).into();
            message.attributes.push(AddressAttribute::Broadcast(broadcast));
        }
        IpPrefix::V4(_) => {}
        IpPrefix::V6(_) => {
            message.header.flags = AddressHeaderFlags::Nodad;
        }
    }
    let name = name.to_owned();
    Request::new(RouteNetlinkMessage::NewAddress(message), move || {
        format!("add address {prefix} to {name}")
    })
}

/// Removes an address.
pub(crate) fn no_address(index: u32, name: &str, prefix: IpPrefix) -> Request {
    let mut message = AddressMessage::default();
    let (ip, length) = parts(prefix);
    message.header.family = family(ip);
    message.header.prefix_len = length;
    message.header.index = index;
    message.attributes = vec![AddressAttribute::Local(ip), AddressAttribute::Address(ip)];
    let name = name.to_owned();
    Request::new(RouteNetlinkMessage::DelAddress(message), move || {
        format!("take address {prefix} from {name}")
    })
}

/// Removes a device. Of a pair, removes both.
pub(crate) fn no_device(index: u32, name: &str) -> Request {
    let mut message = LinkMessage::default();
    message.header.index = index;
    let name = name.to_owned();
    Request::new(RouteNetlinkMessage::DelLink(message), move || format!("remove {name}"))
}

/// Removes a route that has all properties that [`route`] sets.
pub(crate) fn no_route(plan: &RoutePlan, interface: Option<u32>) -> Request {
    let added = route(plan, interface);
    let message = match added.message {
        RouteNetlinkMessage::NewRoute(route) => RouteNetlinkMessage::DelRoute(route),
        other => other,
    };
    let plan = plan.clone();
    Request::new(message, move || describe("take away", &plan))
}

/// Removes the first of the routes to a destination, whatever its other properties.
pub(crate) fn no_route_to(prefix: IpPrefix) -> Request {
    let (to, length) = parts(prefix);
    let mut message = RouteMessage::default();
    message.header.address_family = family(to);
    message.header.destination_prefix_length = length;
    message.header.table = RouteHeader::RT_TABLE_MAIN;
    message.header.scope = RouteScope::NoWhere;
    message.attributes.push(RouteAttribute::Destination(RouteAddress::from(to)));
    let what = move || format!("take away the route to {prefix}");
    Request::new(RouteNetlinkMessage::DelRoute(message), what)
}

/// Adds a route that the kernel has described, replacing another one with the same destination and
/// metric.
pub(crate) fn route_again(route: &RouteMessage) -> Request {
    let mut message = route.clone();
    // Remove what the kernel reports of a route but does not accept: its state, and the next hop
    // object whose content is in the message too.
    message.header.flags &= RouteFlags::Onlink;
    message.attributes.retain(|attribute| {
        !matches!(attribute, RouteAttribute::CacheInfo(_) | RouteAttribute::NhId(_))
    });
    for attribute in &mut message.attributes {
        if let RouteAttribute::MultiPath(hops) = attribute {
            hops.iter_mut().for_each(|hop| hop.flags &= RouteNextHopFlags::Onlink);
        }
    }
    let what = match destination(route) {
        Some(to) => format!("bring back the route to {to}"),
        None => "bring back a route".to_owned(),
    };
    Request::new(RouteNetlinkMessage::NewRoute(message), move || what.clone())
}

/// Returns the destination of a route that the kernel has described, or `None` if it is no IP
/// network.
pub(crate) fn destination(route: &RouteMessage) -> Option<IpPrefix> {
    let length = route.header.destination_prefix_length;
    let found = route.attributes.iter().find_map(|attribute| match attribute {
        RouteAttribute::Destination(RouteAddress::Inet(address)) => Some(IpAddr::V4(*address)),
        RouteAttribute::Destination(RouteAddress::Inet6(address)) => Some(IpAddr::V6(*address)),
        _ => None,
    });
    // The kernel omits the destination of default routes.
    let default = || match route.header.address_family {
        AddressFamily::Inet => Some(IpAddr::V4(Ipv4Addr::UNSPECIFIED)),
        AddressFamily::Inet6 => Some(IpAddr::V6(Ipv6Addr::UNSPECIFIED)),
        _ => None,
    };
    IpPrefix::new(found.or_else(default)?, length)
}

/// Returns the metric of a route that the kernel has described.
pub(crate) fn metric(route: &RouteMessage) -> u32 {
    let mut attributes = route.attributes.iter();
    let found = attributes.find_map(|attribute| match attribute {
        RouteAttribute::Priority(metric) => Some(*metric),
        _ => None,
    });
    found.unwrap_or(0)
}

/// Returns the next hop in these attributes of a route that the kernel has described, and the index
/// of the interface that it uses. If there are several, the first.
pub(crate) fn next_hop(attributes: &[RouteAttribute]) -> (Option<IpAddr>, Option<u32>) {
    let (mut via, mut interface) = (None, None);
    for attribute in attributes {
        match attribute {
            RouteAttribute::MultiPath(hops) => {
                let first = hops.first().map(|hop| (&hop.attributes, hop.interface_index));
                return first.map_or((None, None), |(all, index)| (next_hop(all).0, Some(index)));
            }
            RouteAttribute::Gateway(RouteAddress::Inet(address))
            | RouteAttribute::Via(RouteVia::Inet(address)) => via = Some((*address).into()),
            RouteAttribute::Gateway(RouteAddress::Inet6(address))
            | RouteAttribute::Via(RouteVia::Inet6(address)) => via = Some((*address).into()),
            RouteAttribute::Oif(index) => interface = Some(*index),
            _ => {}
        }
    }
    (via, interface)
}

/// Adds a route. `interface` is the index of the interface that the plan names, if it names one.
pub(crate) fn route(plan: &RoutePlan, interface: Option<u32>) -> Request {
    let (to, length) = parts(plan.to);
    let mut message = RouteMessage::default();
    message.header.address_family = family(to);
    message.header.destination_prefix_length = length;
    message.header.table = RouteHeader::RT_TABLE_MAIN;
    message.header.protocol = RouteProtocol::Static;
    message.header.kind = RouteType::Unicast;
    let on_link = plan.via.is_none() && to.is_ipv4();
    message.header.scope = if on_link { RouteScope::Link } else { RouteScope::Universe };
    message.attributes.push(RouteAttribute::Destination(RouteAddress::from(to)));
    message.attributes.extend(plan.via.map(|via| match via {
        IpAddr::V6(via) if to.is_ipv4() => RouteAttribute::Via(RouteVia::Inet6(via)),
        via => RouteAttribute::Gateway(RouteAddress::from(via)),
    }));
    message.attributes.extend(interface.map(RouteAttribute::Oif));
    message.attributes.extend(plan.metric.map(RouteAttribute::Priority));
    let plan = plan.clone();
    Request::new(RouteNetlinkMessage::NewRoute(message), move || describe("add", &plan))
}

fn describe(what: &str, route: &RoutePlan) -> String {
    let via = route.via.map_or(String::new(), |via| format!(" via {via}"));
    let interface = route.interface.as_ref().map_or(String::new(), |name| format!(" on {name}"));
    format!("{what} route to {}{via}{interface}", route.to)
}

fn parts(prefix: IpPrefix) -> (IpAddr, u8) {
    match prefix {
        IpPrefix::V4(prefix) => (prefix.address.into(), prefix.length),
        IpPrefix::V6(prefix) => (prefix.address.into(), prefix.length),
    }
}

/// The kernel determines the scope of IPv6 addresses itself.
fn scope(ip: IpAddr) -> AddressScope {
    if ip.is_loopback() { AddressScope::Host } else { AddressScope::Universe }
}

fn family(ip: IpAddr) -> AddressFamily {
    if ip.is_ipv4() { AddressFamily::Inet } else { AddressFamily::Inet6 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_local_addresses_are_eui_64() {
        let mac = "02:00:5e:10:00:ff".parse().unwrap();
        assert_eq!(link_local(mac).to_string(), "fe80::5eff:fe10:ff/64");
    }

    #[test]
    fn requests_are_named_for_people() {
        let plan = RoutePlan {
            to: "10.0.0.0/24".parse().unwrap(),
            via: Some("fe80::1".parse().unwrap()),
            interface: Some("eth1".into()),
            metric: None,
        };
        assert_eq!((route(&plan, Some(2)).what)(), "add route to 10.0.0.0/24 via fe80::1 on eth1");
        let prefix = "10.0.0.1/24".parse().unwrap();
        assert_eq!((address(2, "eth1", prefix).what)(), "add address 10.0.0.1/24 to eth1");
    }
}
