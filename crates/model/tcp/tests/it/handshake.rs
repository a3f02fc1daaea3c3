//! Opening and closing connections.

use netloom_tcp::{Config, Flags, State};

use crate::common::network::Network;
use crate::common::{at_ms, ms};

#[test]
fn a_connection_opens_carries_data_both_ways_and_closes() {
    let mut network = Network::symmetric(Config::default(), 10_000_000, ms(10), 100_000);
    network.connect();
    assert!(network.now >= at_ms(30) && network.now < at_ms(31), "{}", network.now);
    network.hosts[0].to_write = 1_000_000;
    network.hosts[1].to_write = 300_000;
    network.hosts[0].close = true;
    network.hosts[1].close = true;
    network.settle(0);
    network.settle(1);
    network.run(at_ms(5_000));
    assert_eq!(network.hosts[1].received, 1_000_000);
    assert_eq!(network.hosts[0].received, 300_000);
    let states = [0, 1].map(|host: usize| network.hosts[host].endpoint.state());
    assert!(states.contains(&State::TimeWait), "{states:?}");
    network.run(at_ms(100_000));
    for host in &network.hosts {
        assert_eq!(host.endpoint.state(), State::Closed);
        assert_eq!(host.endpoint.next_deadline(), None);
    }
}

#[test]
fn segments_have_their_exact_length() {
    let mut network = Network::symmetric(Config::default(), 10_000_000, ms(10), 100_000);
    network.connect();
    network.send(5_000);
    network.run(at_ms(1_000));
    let lengths: Vec<(u32, u32)> = network.hosts[0]
        .sent
        .iter()
        .map(|(_, packet)| (packet.segment.header_len(), packet.segment.len))
        .collect();
    assert_eq!(lengths, [(40, 0), (32, 0), (32, 1448), (32, 1448), (32, 1448), (32, 656)]);
    let (_, answer) = network.hosts[1].sent[0];
    assert_eq!(answer.segment.flags, Flags::SYN | Flags::ACK);
    assert_eq!(answer.segment.header_len(), 40);
    assert_eq!(answer.segment.window, 65_160);
    assert_eq!(network.hosts[0].sent[0].1.segment.window, 64_240);
}
