//! Fragments and echoes, which carry no port or no user: what one user sends decides nothing about
//! the packets of another one.

use std::process::{Command, Stdio};

use crate::common::{eventually, takes_root, text};
use crate::host::{ALICE, BOB, HERE, Host, PYTHON, Running, THERE, WHY};

const HERE_V6: &str = "2001:db8::1";
const THERE_V6: &str = "2001:db8::2";

/// Sends IP packets that it makes itself: `first:PORT`, `last:PORT`, or both as `all:PORT`, which
/// are the fragments of a datagram to a port, always with the same identifier.
const SEND: &str = "
import ipaddress, socket, struct, sys
source, destination, words = sys.argv[1], sys.argv[2], sys.argv[3:]
a, b = (ipaddress.ip_address(one).packed for one in (source, destination))
six = ':' in source
def checksum(data):
    total = sum(struct.unpack(f'>{len(data) // 2}H', data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff or 0xffff
def datagram(port):
    data, length = b'x' * 1000, 1008
    udp = struct.pack('>HHHH', 5000, port, length, 0)
    six_end, four_end = struct.pack('>IHBB', length, 0, 0, 17), struct.pack('>BBH', 0, 17, length)
    pseudo = a + b + (six_end if six else four_end)
    return struct.pack('>HHHH', 5000, port, length, checksum(pseudo + udp + data)) + data
def packet(offset, more, part):
    if six:
        fragment = struct.pack('>BBHI', 17, 0, offset | more, 0x4c4f4f4d)
        return struct.pack('>IHBB', 6 << 28, 8 + len(part), 44, 64) + a + b + fragment + part
    place = more << 13 | offset // 8
    head = struct.pack('>BBHHHBBH', 0x45, 0, 20 + len(part), 0x4c4f, place, 64, 17, 0)
    return head + a + b + part
family = socket.AF_INET6 if six else socket.AF_INET
out = socket.socket(family, socket.SOCK_RAW, socket.IPPROTO_RAW)
for word in words:
    kind, port = word.split(':')
    whole = datagram(int(port))
    if kind in ('first', 'all'):
        out.sendto(packet(0, 1, whole[:800]), (destination, 0))
    if kind in ('last', 'all'):
        out.sendto(packet(800, 0, whole[800:]), (destination, 0))
";

/// Prints the length of every datagram that comes to a port, of IPv4 or IPv6.
const RECEIVE: &str = "
import socket, sys
one = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
one.bind(('::', int(sys.argv[1])))
print('ready', flush=True)
while True:
    print(len(one.recv(65535)), flush=True)
";

/// Sends echo requests with an identifier, by a socket of any user (`user`) or a raw one of root.
/// Prints how many were answered.
const PING: &str = "
import socket, struct, sys, time
kind, number, count, destination, patience = sys.argv[1:]
number, count, patience = int(number), int(count), float(patience)
six = ':' in destination
family = socket.AF_INET6 if six else socket.AF_INET
protocol = socket.IPPROTO_ICMPV6 if six else socket.IPPROTO_ICMP
one = socket.socket(family, socket.SOCK_DGRAM if kind == 'user' else socket.SOCK_RAW, protocol)
if kind == 'user':
    one.bind(('::' if six else '0.0.0.0', number))
def checksum(data):
    total = sum(struct.unpack(f'>{len(data) // 2}H', data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff
answered = 0
for sequence in range(count):
    head = lambda sum: struct.pack('>BBHHH', 128 if six else 8, 0, sum, number, sequence)
    request = head(0) + b'12345678'
    request = (head(0) if six else head(checksum(request))) + b'12345678'
    one.sendto(request, (destination, 0))
    until = time.monotonic() + patience
    while (left := until - time.monotonic()) > 0:
        one.settimeout(left)
        try:
            data = one.recv(2000)
        except TimeoutError:
            break
        data = data[20:] if kind == 'raw' and not six else data
        if (data[0], *struct.unpack('>HH', data[4:8])) == (129 if six else 0, number, sequence):
            answered += 1
            break
print(answered)
";

/// A command of a user who may send packets of any kind.
fn with_raw_sockets(host: &Host, user: u32) -> Command {
    let mut command = host.command(0, None, "setpriv");
    command.arg(format!("--reuid={user}")).arg(format!("--regid={user}")).arg("--clear-groups");
    command.args(["--inh-caps=+net_raw", "--ambient-caps=+net_raw", PYTHON, "-c", SEND]);
    command
}

fn succeed(mut command: Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// Receives at a port, into a file of the host's directory.
fn receive(
    host: &Host,
    side: usize,
    user: Option<u32>,
    port: u16,
) -> (Running, impl Fn() -> String) {
    let file = host.directory.join(format!("received-{side}-{port}"));
    let mut command = host.command(side, user, PYTHON);
    command.args(["-c", RECEIVE, &port.to_string()]);
    let stdout = std::fs::File::create(&file).unwrap();
    let running = Running(command.stdout(stdout).stderr(Stdio::null()).spawn().unwrap());
    let read = move || std::fs::read_to_string(&file).unwrap();
    eventually("the receiver is ready", || read().starts_with("ready"));
    (running, read)
}

/// The frames that entered the pipes of Bob's only claim.
fn offered(host: &Host) -> [u64; 2] {
    let claims = host.claims();
    [0, 1].map(|pipe| claims[0]["pipes"][pipe]["offered"].as_u64().unwrap())
}

fn host_with_ipv6(what: &str) -> Host {
    let host = Host::new(what);
    for (side, address) in [(0, HERE_V6), (1, THERE_V6)] {
        host.ip(side, &format!("addr add {address}/64 dev eth0 nodad\n"));
    }
    host
}

#[test]
fn fragments_of_one_user_never_follow_those_of_another() {
    if !takes_root("fragments_of_one_user_never_follow_those_of_another", WHY) {
        return;
    }
    let host = host_with_ipv6("g");
    let (_there, at_there) = receive(&host, 1, None, 9000);
    let (_here, at_here) = receive(&host, 0, Some(ALICE), 9000);
    let _bobs = receive(&host, 0, Some(BOB), 9001);
    let pipes = "--both rate=10Mbit/s loss=100%";
    host.ok(Some(BOB), &format!("add mine --service udp/9001 {pipes}"));
    for (number, (here, there)) in [(HERE, THERE), (HERE_V6, THERE_V6)].into_iter().enumerate() {
        let send = |mut command: Command, from: &str, to: &str, words: &[&str]| {
            command.args([from, to]).args(words);
            succeed(command);
        };
        let count = number + 1;
        // Outwards: all of Bob's fragments go to his claim, and none of Alice's.
        send(with_raw_sockets(&host, BOB), here, there, &["all:9001", "first:9001"]);
        send(with_raw_sockets(&host, ALICE), here, there, &["all:9000"]);
        let lines = |text: &str| text.matches("1000").count();
        eventually("Alice's datagram arrives there", || lines(&at_there()) == count);
        eventually("Bob's fragments are counted", || offered(&host)[0] == 3 * count as u64);
        // Inwards: the other host sends a packet to Bob, of which no end comes, then one to Alice.
        let root = || {
            let mut command = host.command(1, None, PYTHON);
            command.args(["-c", SEND]);
            command
        };
        send(root(), there, here, &["all:9001", "first:9001", "all:9000"]);
        eventually("Alice's datagram arrives here", || lines(&at_here()) == count);
        eventually("Bob's fragments are counted", || offered(&host)[1] == 3 * count as u64);
        // A later fragment without a first one is nobody's.
        send(with_raw_sockets(&host, ALICE), here, there, &["last:9001"]);
        assert_eq!(offered(&host), [3 * count as u64; 2]);
    }
}

#[test]
fn answers_to_echoes_are_for_who_waits_for_them() {
    if !takes_root("answers_to_echoes_are_for_who_waits_for_them", WHY) {
        return;
    }
    let host = host_with_ipv6("o");
    let all = "echo 0 2147483647 > /proc/sys/net/ipv4/ping_group_range";
    assert!(host.command(0, None, "sh").args(["-c", all]).status().unwrap().success());
    let ping = |user: Option<u32>, kind: &str, words: [&str; 4]| {
        let mut command = host.command(0, user, PYTHON);
        command.args(["-c", PING, kind]).args(words).stdout(Stdio::piped());
        command
    };
    let answered = |user, kind, words| succeed(ping(user, kind, words)).trim().to_owned();
    let claim = "add all --prefix 192.0.2.0/24 --prefix 2001:db8::/64 --out rate=1Mbit/s";
    host.ok(Some(BOB), &format!("{claim} --in rate=1Mbit/s loss=100%"));
    for there in [THERE, THERE_V6] {
        let before = offered(&host);
        // Bob's answers are lost in his claim.
        assert_eq!(answered(Some(BOB), "user", ["4242", "3", there, "0.1"]), "0");
        let pings = [before[0] + 3, before[1] + 3];
        eventually("Bob's pings are counted", || offered(&host) == pings);
        // Whoever has the identifier afterwards has none of his.
        assert_eq!(answered(None, "raw", ["4242", "10", there, "10"]), "10");
        assert_eq!(answered(Some(ALICE), "user", ["4242", "10", there, "10"]), "10");
        // Nor does root while Bob goes on.
        let bobs = ping(Some(BOB), "user", ["4242", "100000", there, "0.001"]).spawn().unwrap();
        let _bobs = Running(bobs);
        eventually("Bob goes on", || offered(&host)[0] > pings[0] + 10);
        assert_eq!(answered(None, "raw", ["4242", "100", there, "10"]), "100");
    }
}
