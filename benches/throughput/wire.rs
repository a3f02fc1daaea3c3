//! Ways that frames take: a raw veth pair, or a link of the data plane.

use netloom_dataplane::{Dataplane, End, LinkWiring, Options, Wiring};
use netloom_fabric::LinkId;
use netloom_link::{PipeChange, PipeConfig};
use netloom_ports::Tap;

use crate::lab::netlink::veth_pair;
use crate::lab::{Namespace, two_hosts};

/// Hosts 1 and 2 joined by a veth pair.
pub fn raw() -> [Namespace; 2] {
    let namespaces = [(); 2].map(|()| Namespace::new().expect("a namespace"));
    veth_pair(&namespaces[0], &namespaces[1]).expect("a veth pair");
    namespaces[0].configure(1).expect("an address");
    namespaces[1].configure(2).expect("an address");
    namespaces
}

/// Hosts 1 and 2 joined by a link.
pub fn linked(text: &str) -> ([Namespace; 2], Dataplane) {
    let (mut hosts, dataplane) = linked_on(1, 1, text);
    (hosts.pop().expect("one pair of hosts"), dataplane)
}

/// `links` pairs of hosts joined by a link each, on `workers` workers.
pub fn linked_on(links: usize, workers: usize, text: &str) -> (Vec<[Namespace; 2]>, Dataplane) {
    let (mut hosts, mut wired) = (Vec::new(), Vec::new());
    for index in 0..links {
        let (namespaces, taps) = two_hosts();
        hosts.push(namespaces);
        wired.push(link(index, taps, text));
    }
    (hosts, start(wired, workers))
}

/// A link between two TAPs.
pub fn link(index: usize, taps: [Tap; 2], text: &str) -> LinkWiring {
    LinkWiring {
        id: LinkId(index as u32),
        name: format!("l{index}"),
        ends: taps.map(|tap| End::Port(Box::new(tap))),
        pipes: [config(text), config(text)],
        mtus: [None; 2],
        peer: None,
    }
}

/// A data plane of `links` on `workers` workers.
pub fn start(links: Vec<LinkWiring>, workers: usize) -> Dataplane {
    let options = Options { workers: Some(workers), ..Options::default() };
    Dataplane::start(Wiring { links }, options).expect("a data plane")
}

/// A change written as JSON.
pub fn change(text: &str) -> PipeChange {
    serde_json::from_str(text).expect("a valid change")
}

/// The default configuration, changed.
pub fn config(text: &str) -> PipeConfig {
    let mut config = PipeConfig::default();
    change(text).apply_to(&mut config);
    config
}

/// Frames that all pipes have delivered.
pub fn delivered(dataplane: &Dataplane) -> u64 {
    let pipes = dataplane.pipes().expect("pipes");
    pipes.iter().map(|pipe| pipe.statistics.delivered.frames).sum()
}
