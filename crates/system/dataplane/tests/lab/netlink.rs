//! Requests to the kernel's routing socket: create a veth pair, delete an interface, add a
//! neighbour.
#![allow(dead_code)]

use std::io;
use std::net::Ipv4Addr;
use std::os::fd::{AsRawFd, OwnedFd};

use nix::sys::socket::{
    AddressFamily, MsgFlags, NetlinkAddr, SockFlag, SockProtocol, SockType, recv, sendto, socket,
};

use super::{INTERFACE, Namespace};

const IFLA_IFNAME: u16 = 3;
const IFLA_LINKINFO: u16 = 18;
const IFLA_INFO_KIND: u16 = 1;
const IFLA_INFO_DATA: u16 = 2;
const IFLA_NET_NS_FD: u16 = 28;
const VETH_INFO_PEER: u16 = 1;

/// Joins two namespaces by a veth pair. Both ends have the name of every interface here.
pub fn veth_pair(one: &Namespace, other: &Namespace) -> io::Result<()> {
    let name = [INTERFACE.as_bytes(), &[0]].concat();
    let peer = [
        vec![0; 16],
        attribute(IFLA_IFNAME, &name),
        attribute(IFLA_NET_NS_FD, &other.fd().to_ne_bytes()),
    ];
    let data = attribute(IFLA_INFO_DATA, &attribute(VETH_INFO_PEER, &peer.concat()));
    let info = [attribute(IFLA_INFO_KIND, b"veth"), data].concat();
    let flags = libc::NLM_F_CREATE | libc::NLM_F_EXCL;
    let body = [vec![0; 16], attribute(IFLA_IFNAME, &name), attribute(IFLA_LINKINFO, &info)];
    one.run(|| request(libc::RTM_NEWLINK, flags, &body.concat()))
}

/// Deletes the interface of the namespace.
pub fn delete_interface(namespace: &Namespace) -> io::Result<()> {
    let name = [INTERFACE.as_bytes(), &[0]].concat();
    let body = [vec![0; 16], attribute(IFLA_IFNAME, &name)].concat();
    namespace.run(|| request(libc::RTM_DELLINK, 0, &body))
}

/// Adds the owner of `address` to the neighbours of this thread's namespace.
pub fn add_neighbour(address: Ipv4Addr, mac: [u8; 6]) -> io::Result<()> {
    let index = nix::net::if_::if_nametoindex(INTERFACE)?;
    let mut body = vec![libc::AF_INET as u8, 0, 0, 0];
    body.extend(index.to_ne_bytes());
    body.extend(libc::NUD_PERMANENT.to_ne_bytes());
    body.extend([0, 0]);
    body.extend(attribute(libc::NDA_DST, &address.octets()));
    body.extend(attribute(libc::NDA_LLADDR, &mac));
    request(libc::RTM_NEWNEIGH, libc::NLM_F_CREATE | libc::NLM_F_REPLACE, &body)
}

fn attribute(kind: u16, value: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend((4 + value.len() as u16).to_ne_bytes());
    bytes.extend(kind.to_ne_bytes());
    bytes.extend(value);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

/// Sends a request and reads its acknowledgement.
fn request(kind: u16, flags: i32, body: &[u8]) -> io::Result<()> {
    let socket: OwnedFd = socket(
        AddressFamily::Netlink,
        SockType::Raw,
        SockFlag::SOCK_CLOEXEC,
        SockProtocol::NetlinkRoute,
    )?;
    let mut message = Vec::new();
    message.extend((16 + body.len() as u32).to_ne_bytes());
    message.extend(kind.to_ne_bytes());
    message.extend(((libc::NLM_F_REQUEST | libc::NLM_F_ACK | flags) as u16).to_ne_bytes());
    message.extend([1, 0, 0, 0, 0, 0, 0, 0]);
    message.extend(body);
    sendto(socket.as_raw_fd(), &message, &NetlinkAddr::new(0, 0), MsgFlags::empty())?;
    let mut reply = [0; 4096];
    let length = recv(socket.as_raw_fd(), &mut reply, MsgFlags::empty())?;
    match reply[..length].get(16..20) {
        Some(&[a, b, c, d]) => match i32::from_ne_bytes([a, b, c, d]) {
            0 => Ok(()),
            error => Err(io::Error::from_raw_os_error(-error)),
        },
        _ => Err(io::Error::other("the kernel's answer is too short")),
    }
}
