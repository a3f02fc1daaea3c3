//! Names are looked up over the link, by the machine's own resolver.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::common::eventually;
use crate::machine::inside;
use crate::{Place, WORLD, said};

/// A resolver that answers every question for an address by 192.0.2.7, and others by none; over
/// UDP and TCP.
const RESOLVER: &str = r"
import socket, struct, threading
def answer(q):
    end = q.index(b'\0', 12) + 5
    kind = struct.unpack('>H', q[end - 4:end - 2])[0]
    a = b'\xc0\x0c\0\x01\0\x01\0\0\0\x3c\0\x04\xc0\0\x02\x07' if kind == 1 else b''
    return q[:2] + b'\x81\x80\0\x01' + struct.pack('>H', bool(a)) + b'\0\0\0\0' + q[12:end] + a
def tcp():
    s = socket.create_server(('198.51.100.2', 53))
    while True:
        c, _ = s.accept()
        n = struct.unpack('>H', c.recv(2))[0]
        a = answer(c.recv(n))
        c.sendall(struct.pack('>H', len(a)) + a); c.close()
threading.Thread(target=tcp, daemon=True).start()
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(('198.51.100.2', 53))
while True:
    q, who = s.recvfrom(4096)
    s.sendto(answer(q), who)
";

struct Resolver(Child);

impl Resolver {
    fn start(place: &Place) -> Self {
        let mut command = inside(&place.machine.world, &["python3", "-c", RESOLVER]);
        let resolver = Self(command.stdin(Stdio::null()).spawn().unwrap());
        let listening = || place.machine.in_world("ss -tuln").matches(":53 ").count() == 2;
        eventually("the resolver answers", listening);
        resolver
    }
}

impl Drop for Resolver {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn names_are_looked_up_over_the_link() {
    let Some(place) = Place::new("names_are_looked_up_over_the_link") else { return };
    let _resolver = Resolver::start(&place);
    let folder = &place.folder;
    // The first one of the machine's resolvers is not there.
    let file = folder.join("resolv.conf");
    let resolvers = format!("nameserver 127.0.0.9\nnameserver {WORLD}\noptions timeout:30\n");
    std::fs::write(&file, resolvers).unwrap();
    let mount = format!("mount --bind {} /etc/resolv.conf && exec \"$@\"", file.display());
    let behind = ["unshare", "-m", "--propagation", "slave", "sh", "-c", &mount, "sh"];
    let shell = |arguments: &[&str]| place.command_as(&behind, arguments).output().unwrap();
    let began = Instant::now();
    let output = shell(&["--delay", "100ms", "--", "getent", "ahostsv4", "host.netloom.test"]);
    assert!(said(&output).starts_with("192.0.2.7 "), "{}", said(&output));
    assert!(began.elapsed() >= Duration::from_millis(200));
    let dig = |more: &str| {
        let line = format!("dig +time=30 {more} @$NETLOOM_GATEWAY host.netloom.test +short");
        said(&shell(&["--", "sh", "-c", &line]))
    };
    assert_eq!(dig(""), "192.0.2.7\n");
    assert_eq!(dig("+tcp"), "192.0.2.7\n");
    let offline = shell(&["--offline", "--", "getent", "ahostsv4", "host.netloom.test"]);
    assert!(!offline.status.success(), "{}", said(&offline));
    place.is_as_before();
}
