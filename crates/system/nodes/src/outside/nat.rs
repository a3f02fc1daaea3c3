//! Address translation by nf_tables: one table for each experiment, of both IPv4 and IPv6, with a
//! chain for each end of a link and one that bounds what the machine forwards. Bytes are made here,
//! as `linux/netfilter/nf_tables.h` has them; the kernel takes all of them or none.

use std::io;

use netlink_sys::protocols::NETLINK_NETFILTER;
use netlink_sys::{Socket, SocketAddr};
use netloom_plan::OutsidePlan;
use netloom_scenario::IpPrefix;

use crate::error::found;

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
const EXCLUSIVE: u16 = 0x200;
const CREATE: u16 = 0x400;
const APPEND: u16 = 0x800;
/// The families of tables, and of packets.
const INET: u8 = 1;
const IPV4: u8 = 2;
const IPV6: u8 = 10;
/// After routing, where sources are translated.
const AFTER_ROUTING: u32 = 4;
const SOURCE_PRIORITY: u32 = 100;
/// Where packets come to the machine itself.
const TO_MACHINE: u32 = 1;
/// Where packets are forwarded, among filters.
const FORWARDING: u32 = 2;
const FILTER_PRIORITY: u32 = 0;
/// The names of the chains there; ends are called like devices, of which none has such a name.
const FORWARD: &str = "forward-of-machine";
const HEARD: &str = "heard-by-machine";
/// States of connections.
const INVALID: u32 = 0b001;
const ESTABLISHED_OR_RELATED: u32 = 0b110;
/// Properties of packets.
const INPUT_NAME: u32 = 6;
const OUTPUT_NAME: u32 = 7;
const FAMILY: u32 = 15;
const INPUT_GROUP: u32 = 21;
const OUTPUT_GROUP: u32 = 22;
/// Ways to compare.
const EQUAL: u32 = 0;
const DIFFERENT: u32 = 1;
/// Verdicts.
const DROP: u32 = 0;
const ACCEPT: u32 = 1;
const NESTED: u16 = 0x8000;

/// The group of the devices behind which addresses are translated, of all experiments ("NL" as a
/// number). The chains of one experiment let those of another pass.
pub(super) const GROUP: u32 = 0x4e4c;

/// Has the machine send what comes from the subnets of a `nat` end as its own, unless it stays
/// there. `mark` is the experiment's: a table of its name without it is somebody else's.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`] for such a table; it is left alone.
pub(super) fn translate(experiment: &str, mark: &str, end: &OutsidePlan) -> io::Result<()> {
    open(experiment, mark)?;
    let (table, chain) = (text(&table(experiment)), text(&end.device));
    let mut batch = vec![new_chain(&table, &chain, "nat", AFTER_ROUTING, SOURCE_PRIORITY)];
    for subnet in &end.addresses {
        batch.push(new_rule(&table, &chain, &translation(*subnet, &end.device)));
    }
    send(&batch)
}

/// Bounds what the machine forwards while the experiment has it forward. From devices behind which
/// addresses are translated, everything may leave; to them, only answers may go; and nothing else
/// may be forwarded that would not be without the experiment: IPv4 from the devices `v4`, and any
/// IPv6 if `v6`.
pub(super) fn bound(experiment: &str, mark: &str, v4: &[String], v6: bool) -> io::Result<()> {
    let (table, chain) = (text(&table(experiment)), text(FORWARD));
    let in_group = |key| [meta(key), compare(EQUAL, &GROUP.to_ne_bytes())].concat();
    let mut rules = vec![
        [in_group(INPUT_GROUP), verdict(ACCEPT)].concat(),
        [in_group(OUTPUT_GROUP), is_answer(), verdict(ACCEPT)].concat(),
        [in_group(OUTPUT_GROUP), verdict(DROP)].concat(),
    ];
    let of_family = |family| [meta(FAMILY), compare(EQUAL, &[family])].concat();
    for device in v4 {
        let from = [meta(INPUT_NAME), compare(EQUAL, &padded(device))].concat();
        rules.push([of_family(IPV4), from, verdict(DROP)].concat());
    }
    if v6 {
        rules.push([of_family(IPV6), verdict(DROP)].concat());
    }
    // All in one step, in the place of what was there before.
    let all = [attribute(1, &table), attribute(2, &chain)].concat();
    let mut batch = vec![
        ours(&table, mark),
        new_chain(&table, &chain, "filter", FORWARDING, FILTER_PRIORITY),
        (DELETE_RULE, 0, all),
    ];
    batch.extend(rules.iter().map(|rule| new_rule(&table, &chain, rule)));
    send(&batch)
}

/// Has the calling thread's network hear nothing that belongs to no connection. `pasta` may send
/// segments without any flag (version 2023-03-09 does, for a first segment with data that comes
/// right behind the handshake), which are no part of a translated connection for the kernel: it
/// would reset that.
pub(super) fn hear_no_strangers(experiment: &str, mark: &str) -> io::Result<()> {
    let (table, chain) = (text(&table(experiment)), text(HEARD));
    send(&[
        ours(&table, mark),
        new_chain(&table, &chain, "filter", TO_MACHINE, FILTER_PRIORITY),
        new_rule(&table, &chain, &[is_in_state(INVALID), verdict(DROP)].concat()),
    ])
}

/// Takes the translation of one device back; fine if there is nothing.
pub(super) fn translate_no_more(experiment: &str, mark: &str, device: &str) -> io::Result<()> {
    let (table, chain) = (text(&table(experiment)), text(device));
    let rules = [attribute(1, &table), attribute(2, &chain)].concat();
    let itself = [attribute(1, &table), attribute(3, &chain)].concat();
    found(send(&[ours(&table, mark), (DELETE_RULE, 0, rules), (DELETE_CHAIN, 0, itself)]))
}

/// Takes the experiment's table away; fine if there is none, or one that is not the experiment's.
pub(super) fn remove(experiment: &str, mark: &str) -> io::Result<()> {
    let table = text(&table(experiment));
    // The kernel takes both or none.
    let owner = (DELETE_CHAIN, 0, owner(&table, mark));
    found(send(&[owner, (DELETE_TABLE, 0, attribute(1, &table))]))
}

/// Makes the experiment's table, if it is not there, with a chain without rules that says whose it
/// is.
fn open(experiment: &str, mark: &str) -> io::Result<()> {
    let name = text(&table(experiment));
    let (table, owner) = (attribute(1, &name), owner(&name, mark));
    let made = send(&[(NEW_TABLE, CREATE | EXCLUSIVE, table), (NEW_CHAIN, CREATE, owner)]);
    match made {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => send(&[ours(&name, mark)])
            .map_err(|_| {
                let why = "there is a table of that name already, which this experiment has not \
                           made; choose another name for it, or delete the table";
                io::Error::new(error.kind(), format!("netloom-{experiment}: {why}"))
            }),
        made => made,
    }
}

fn table(experiment: &str) -> String {
    format!("netloom-{experiment}")
}

/// The chain that says whose a table is.
fn owner(table: &[u8], mark: &str) -> Vec<u8> {
    [attribute(1, table), attribute(3, &text(&format!("of-{mark}")))].concat()
}

/// Is refused with what is sent with it if the table is not the experiment's; else it takes no rule
/// of none away.
fn ours(table: &[u8], mark: &str) -> Message {
    let chain = attribute(2, &text(&format!("of-{mark}")));
    (DELETE_RULE, 0, [attribute(1, table), chain].concat())
}

type Message = (u16, u16, Vec<u8>);

fn new_chain(table: &[u8], chain: &[u8], kind: &str, hook: u32, priority: u32) -> Message {
    let hook = [attribute(1, &hook.to_be_bytes()), attribute(2, &priority.to_be_bytes())].concat();
    let kind = attribute(7, &text(kind));
    let body = [attribute(1, table), attribute(3, chain), nested(4, &hook), kind].concat();
    (NEW_CHAIN, CREATE, body)
}

fn new_rule(table: &[u8], chain: &[u8], expressions: &[u8]) -> Message {
    let body = [attribute(1, table), attribute(2, chain), nested(4, expressions)].concat();
    (NEW_RULE, CREATE | APPEND, body)
}

/// `ip saddr SUBNET oifname != DEVICE masquerade`, or `ip6 saddr`
fn translation(subnet: IpPrefix, device: &str) -> Vec<u8> {
    // Where the source address is in the header, and the network's.
    let (family, offset, network, length) = match subnet.network() {
        IpPrefix::V4(prefix) => (IPV4, 12, prefix.address.octets().to_vec(), prefix.length),
        IpPrefix::V6(prefix) => (IPV6, 8, prefix.address.octets().to_vec(), prefix.length),
    };
    let bytes = network.len();
    let bits_of = |byte: usize| usize::from(length).saturating_sub(8 * byte).min(8);
    let mask: Vec<u8> = (0..bytes).map(|byte| !(0xff_u16 >> bits_of(byte)) as u8).collect();
    // Bytes of the network header from the source address on.
    let source = [number(1, 1), number(2, 1), number(3, offset), number(4, bytes as u32)].concat();
    let all = [
        meta(FAMILY),
        compare(EQUAL, &[family]),
        expression("payload", &source),
        masked(&mask),
        compare(EQUAL, &network),
        meta(OUTPUT_NAME),
        compare(DIFFERENT, &padded(device)),
        expression("masq", &[]),
    ];
    all.concat()
}

/// `ct state established,related`
fn is_answer() -> Vec<u8> {
    is_in_state(ESTABLISHED_OR_RELATED)
}

/// `ct state`, one of those
fn is_in_state(states: u32) -> Vec<u8> {
    let state = [number(1, 1), number(2, 0)].concat();
    let masked = masked(&states.to_ne_bytes());
    [expression("ct", &state), masked, compare(DIFFERENT, &[0; 4])].concat()
}

/// A property of the packet into register 1.
fn meta(key: u32) -> Vec<u8> {
    expression("meta", &[number(1, 1), number(2, key)].concat())
}

/// Goes on only if register 1 compares so.
fn compare(how: u32, with: &[u8]) -> Vec<u8> {
    expression("cmp", &[number(1, 1), number(2, how), value(3, with)].concat())
}

/// Leaves the bits of `mask` in register 1.
fn masked(mask: &[u8]) -> Vec<u8> {
    let length = number(3, mask.len() as u32);
    let xor = value(5, &vec![0; mask.len()]);
    expression("bitwise", &[number(1, 1), number(2, 1), length, value(4, mask), xor].concat())
}

fn verdict(code: u32) -> Vec<u8> {
    let data = nested(2, &nested(2, &number(1, code)));
    expression("immediate", &[number(1, 0), data].concat())
}

/// The name of a device as the kernel compares it.
fn padded(device: &str) -> [u8; 16] {
    let mut name = [0; 16];
    name.iter_mut().zip(device.bytes().take(15)).for_each(|(to, from)| *to = from);
    name
}

fn number(kind: u16, value: u32) -> Vec<u8> {
    attribute(kind, &value.to_be_bytes())
}

fn value(kind: u16, bytes: &[u8]) -> Vec<u8> {
    nested(kind, &attribute(1, bytes))
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
fn send(messages: &[Message]) -> io::Result<()> {
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
