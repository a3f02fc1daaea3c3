//! Losses and their repair.

use netloom_tcp::{Config, RecoveryState};

use crate::common::network::{Fate, Network, data_of};
use crate::common::{at_ms, ms};

#[test]
fn a_single_loss_is_repaired_in_a_round_trip() {
    let mut network = Network::symmetric(Config::default(), 0, ms(50), 0);
    network.connect();
    network.lines[0].plan = Box::new(|number, _| if number == 4 { Fate::Drop } else { Fate::Pass });
    network.send(100 * 1448);
    network.run(at_ms(3_000));
    assert_eq!(network.hosts[1].received, 144_800);
    let data = data_of(&network, 0);
    let times: Vec<_> =
        data.iter().filter(|(_, seq, _)| *seq == 4 * 1448).map(|(at, ..)| *at).collect();
    assert_eq!(times.len(), 2);
    let gap = times[1].since(times[0]);
    assert!(gap >= ms(100) && gap < ms(102), "{gap}");
    let info = network.hosts[0].endpoint.info();
    assert_eq!((info.retransmitted, info.lost, info.backoff), (1, 1, 0));
    assert_eq!(info.recovery, RecoveryState::Open);
}
