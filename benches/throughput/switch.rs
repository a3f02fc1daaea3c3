//! Cost of a switch: frames over a link, a plain switch, and switches that know VLANs, between
//! devices in memory, so that the engine's own work is not lost in the kernel's.

use std::time::Duration;

use netloom_dataplane::{Dataplane, End, LinkWiring, Options, Wiring};
use netloom_fabric::{LinkId, SegmentId, SwitchPort, TreeSettings};
use netloom_ports::memory::{self, MemoryPeer};
use netloom_spanning_tree::{BridgeId, Priority};

use crate::cpu::Usage;
use crate::wire::config;

/// Frames that are under way at once, and how often.
const BURST: usize = 512;
const BURSTS: usize = 100;
/// By turns, so that what else the machine does meets all alike.
const TURNS: usize = 15;

const PATIENCE: Duration = Duration::from_secs(60);

/// Two devices, and what is between them.
struct Arm {
    name: &'static str,
    /// The ports that they are linked to; without them they are linked to each other.
    ports: Option<[fn() -> End; 2]>,
    /// Whether the receiver's link carries tags.
    tagged: bool,
}

const ARMS: [Arm; 5] = [
    Arm { name: "link", ports: None, tagged: false },
    Arm { name: "plain switch", ports: Some([plain, plain]), tagged: false },
    Arm { name: "spanning tree", ports: Some([tree, tree]), tagged: false },
    Arm { name: "VLANs, untagged to untagged", ports: Some([access, access]), tagged: false },
    Arm { name: "VLANs, untagged to tagged", ports: Some([access, trunk]), tagged: true },
];

fn plain() -> End {
    End::switch(SegmentId(0))
}

fn tree() -> End {
    let bridge = Some(BridgeId::new(Priority::default(), [2, 0, 0, 0, 0, 1]).into());
    let port =
        SwitchPort { switch: SegmentId(0), vlans: None, bridge, tree: TreeSettings::default() };
    End::Segment(port.into())
}

fn access() -> End {
    port(r#"{"access":10}"#)
}

fn trunk() -> End {
    port(r#"{"trunk":{"allowed":10}}"#)
}

fn port(text: &str) -> End {
    End::vlan_port(SegmentId(0), serde_json::from_str(text).expect("a port"))
}

/// The least CPU time of the worker for a frame of 60 bytes: what else runs only adds to it.
pub fn run(_: Duration) {
    println!("\nswitches between devices in memory: the worker's CPU time for a 60-byte frame");
    let mut least = ARMS.map(|_| f64::INFINITY);
    for _ in 0..TURNS {
        for (arm, least) in ARMS.iter().zip(&mut least) {
            *least = least.min(cost(arm));
        }
    }
    for (arm, nanos) in ARMS.iter().zip(least) {
        println!("  {nanos:6.1} ns  {}", arm.name);
    }
}

fn cost(arm: &Arm) -> f64 {
    let (_dataplane, from, to) = wired(arm.ports);
    // The switch learns where the receiver is.
    let mut first = frame(1, 2);
    if arm.tagged {
        first.splice(12..12, [0x81, 0, 0, 10]);
    }
    assert!(to.send(&first) && from.receive(PATIENCE).is_some());
    let up = frame(2, 1);
    let before = Usage::of_workers();
    for _ in 0..BURSTS {
        for _ in 0..BURST {
            from.send(&up);
        }
        for _ in 0..BURST {
            to.receive(PATIENCE).expect("every frame");
        }
    }
    Usage::of_workers().since(&before).as_nanos() as f64 / (BURST * BURSTS) as f64
}

fn wired(ends: Option<[fn() -> End; 2]>) -> (Dataplane, MemoryPeer, MemoryPeer) {
    let [(a, from), (b, to)] = [(); 2].map(|()| memory::pair(2 * BURST).expect("a device"));
    let (a, b) = (End::Port(Box::new(a)), End::Port(Box::new(b)));
    let link = |id, ends| LinkWiring {
        id: LinkId(id),
        name: format!("l{id}"),
        ends,
        pipes: [config("{}"), config("{}")],
        mtus: [None; 2],
        peer: None,
    };
    let links = match ends {
        None => vec![link(0, [a, b])],
        Some([first, second]) => vec![link(0, [a, first()]), link(1, [second(), b])],
    };
    let options = Options { workers: Some(1), ..Options::default() };
    let dataplane = Dataplane::start(Wiring { links }, options);
    (dataplane.expect("a data plane"), from, to)
}

/// From one device to another, by the last bytes of their addresses.
fn frame(to: u8, from: u8) -> Vec<u8> {
    let mut frame = vec![2, 0, 0, 0, 0, to, 2, 0, 0, 0, 0, from, 0x88, 0xb5];
    frame.resize(60, 0);
    frame
}
