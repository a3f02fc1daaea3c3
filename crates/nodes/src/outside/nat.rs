//! Address translation by nf_tables: one table for each experiment, of both IPv4 and IPv6, with a chain for each end of
//! a link. Bytes are made here, as `linux/netfilter/nf_tables.h` has them; the kernel takes all of them or none.

use std::io;

use netlink_sys::protocols::NETLINK_NETFILTER;
use netlink_sys::{Socket, SocketAddr};
use netloom_plan::OutsidePlan;
use netloom_scenario::IpPrefix;

use super::found;

const SUBSYSTEM: u16 = 10;
const BATCH_BEGIN: u16 = 0x10;
const BATCH_END: u16 = 0x11;
const NEW_TABLE: u16 = SUBSYSTEM << 8;
const DELETE_TABLE: u16 = SUBSYSTEM << 8 | 2;
const NEW_CHAIN: u16 = SUBSYSTEM << 8 | 3;
const DELETE_CHAIN: u16 = SUBSYSTEM << 8 | 5;
const NEW_RULE: u16 = SUBSYSTEM << 8 | 6;
const DELETE_RULE: u16 = SUBSYSTEM << 8 | 8;
const REQUEST: u16 = 1;
const ACK: u16 = 4;
const CREATE: u16 = 0x400;
const APPEND: u16 = 0x800;
/// The families of tables, and of packets.
const INET: u8 = 1;
const IPV4: u8 = 2;
const IPV6: u8 = 10;
/// After routing, where sources are translated.
const HOOK: u32 = 4;
const PRIORITY: u32 = 100;
const NESTED: u16 = 0x8000;

/// Has the machine send what comes from the subnets of a `nat` end as its own, unless it stays there.
pub(super) fn translate(experiment: &str, end: &OutsidePlan) -> io::Result<()> {
    let (table, chain) = (text(&table(experiment)), text(&end.device));
    let hook = [attribute(1, &HOOK.to_be_bytes()), attribute(2, &PRIORITY.to_be_bytes())].concat();
    let hooked =
        [attribute(1, &table), attribute(3, &chain), nested(4, &hook), attribute(7, &text("nat"))];
    let mut batch =
        vec![(NEW_TABLE, CREATE, attribute(1, &table)), (NEW_CHAIN, CREATE, hooked.concat())];
    for subnet in &end.addresses {
        let expressions = nested(4, &rule(*subnet, &end.device));
        let body = [attribute(1, &table), attribute(2, &chain), expressions].concat();
        batch.push((NEW_RULE, CREATE | APPEND, body));
    }
    send(&batch)
}

/// Takes that back for one device; fine if there is nothing.
pub(super) fn translate_no_more(experiment: &str, device: &str) -> io::Result<()> {
    let (table, chain) = (text(&table(experiment)), text(device));
    let rules = [attribute(1, &table), attribute(2, &chain)].concat();
    let itself = [attribute(1, &table), attribute(3, &chain)].concat();
    found(send(&[(DELETE_RULE, 0, rules), (DELETE_CHAIN, 0, itself)]))
}

/// Takes the experiment's table away; fine if there is none.
pub(super) fn remove(experiment: &str) -> io::Result<()> {
    found(send(&[(DELETE_TABLE, 0, attribute(1, &text(&table(experiment))))]))
}

fn table(experiment: &str) -> String {
    format!("netloom-{experiment}")
}

/// `ip saddr SUBNET oifname != DEVICE masquerade`, or `ip6 saddr`
fn rule(subnet: IpPrefix, device: &str) -> Vec<u8> {
    // Where the source address is in the header, and the network's.
    let (family, offset, network, length) = match subnet.network() {
        IpPrefix::V4(prefix) => (IPV4, 12, prefix.address.octets().to_vec(), prefix.length),
        IpPrefix::V6(prefix) => (IPV6, 8, prefix.address.octets().to_vec(), prefix.length),
    };
    let bytes = network.len();
    let bits_of = |byte: usize| usize::from(length).saturating_sub(8 * byte).min(8);
    let mask: Vec<u8> = (0..bytes).map(|byte| !(0xff_u16 >> bits_of(byte)) as u8).collect();
    let width = bytes as u32;
    let number = |kind: u16, value: u32| attribute(kind, &value.to_be_bytes());
    let value = |kind: u16, bytes: &[u8]| nested(kind, &attribute(1, bytes));
    let mut name = [0; 16];
    name.iter_mut().zip(device.bytes().take(15)).for_each(|(to, from)| *to = from);
    // Into register 1: the family, then bytes of the network header from the source address on.
    let of_family = [number(1, 1), number(2, 15)].concat();
    let same_family = [number(1, 1), number(2, 0), value(3, &[family])].concat();
    let source = [number(1, 1), number(2, 1), number(3, offset), number(4, width)].concat();
    let masked =
        [number(1, 1), number(2, 1), number(3, width), value(4, &mask), value(5, &vec![0; bytes])]
            .concat();
    let equal = [number(1, 1), number(2, 0), value(3, &network)].concat();
    let leaves_by = [number(1, 1), number(2, 7)].concat();
    let differs = [number(1, 1), number(2, 1), value(3, &name)].concat();
    let all = [
        expression("meta", &of_family),
        expression("cmp", &same_family),
        expression("payload", &source),
        expression("bitwise", &masked),
        expression("cmp", &equal),
        expression("meta", &leaves_by),
        expression("cmp", &differs),
        expression("masq", &[]),
    ];
    all.concat()
}

fn expression(name: &str, data: &[u8]) -> Vec<u8> {
    nested(1, &[attribute(1, &text(name)), nested(2, data)].concat())
}

fn text(value: &str) -> Vec<u8> {
    [value.as_bytes(), &[0]].concat()
}

fn nested(kind: u16, inner: &[u8]) -> Vec<u8> {
    attribute(NESTED | kind, inner)
}

fn attribute(kind: u16, value: &[u8]) -> Vec<u8> {
    let length = 4 + value.len();
    let mut bytes = u16::try_from(length).unwrap_or(u16::MAX).to_ne_bytes().to_vec();
    bytes.extend(kind.to_ne_bytes());
    bytes.extend(value);
    bytes.resize(length.next_multiple_of(4), 0);
    bytes
}

fn message(
    kind: u16,
    flags: u16,
    sequence: u32,
    family: u8,
    resource: u16,
    body: &[u8],
) -> Vec<u8> {
    let mut bytes = (20 + body.len() as u32).to_ne_bytes().to_vec();
    bytes.extend(kind.to_ne_bytes());
    bytes.extend((REQUEST | flags).to_ne_bytes());
    bytes.extend(sequence.to_ne_bytes());
    bytes.extend([0; 4]);
    bytes.extend([family, 0]);
    bytes.extend(resource.to_be_bytes());
    bytes.extend(body);
    bytes
}

/// Sends messages as one change, and waits for the answer to each.
fn send(messages: &[(u16, u16, Vec<u8>)]) -> io::Result<()> {
    let mut socket = Socket::new(NETLINK_NETFILTER)?;
    socket.bind_auto()?;
    socket.connect(&SocketAddr::new(0, 0))?;
    let mut bytes = message(BATCH_BEGIN, 0, 0, 0, SUBSYSTEM, &[]);
    for (sequence, (kind, flags, body)) in (1..).zip(messages) {
        bytes.extend(message(*kind, flags | ACK, sequence, INET, 0, body));
    }
    let last = messages.len() as u32;
    bytes.extend(message(BATCH_END, 0, last + 1, 0, SUBSYSTEM, &[]));
    socket.send(&bytes, 0)?;
    let mut answered = 0;
    while answered < last {
        let (datagram, _) = socket.recv_from_full()?;
        answered += answers(&datagram)?;
    }
    Ok(())
}

/// How many messages were answered well; the error of the first that was not.
fn answers(mut rest: &[u8]) -> io::Result<u32> {
    const ERROR: u16 = 2;
    let mut count = 0;
    while rest.len() >= 20 {
        let word = |at: usize| [rest[at], rest[at + 1], rest[at + 2], rest[at + 3]];
        let length = u32::from_ne_bytes(word(0)) as usize;
        if u16::from_ne_bytes([rest[4], rest[5]]) == ERROR {
            match i32::from_ne_bytes(word(16)) {
                0 => count += 1,
                code => return Err(io::Error::from_raw_os_error(-code)),
            }
        }
        rest = rest.get(length.max(16).next_multiple_of(4)..).unwrap_or_default();
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_padded_and_answers_are_read() {
        assert_eq!(attribute(1, b"ab\0"), [7, 0, 1, 0, b'a', b'b', 0, 0]);
        let mut answer = vec![20, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0];
        answer.extend(0i32.to_ne_bytes());
        assert_eq!(answers(&answer).unwrap(), 1);
        let at = answer.len() - 4;
        answer[at..].copy_from_slice(&(-libc::EPERM).to_ne_bytes());
        assert_eq!(answers(&answer).unwrap_err().raw_os_error(), Some(libc::EPERM));
    }
}
