//! Congestion controls against theory.

use netloom_tcp::{Algorithm, Config};
use netloom_units::{Duration, Time};

use crate::common::ms;
use crate::common::network::{Line, Network};

/// 10 Mbit/s, 64 ms one way, 66 kB: the paper's path (Erazo 2013, §3.2.1).
pub fn long_path(algorithm: Algorithm) -> Network {
    let config = Config { congestion_control: algorithm, ..Config::default() };
    let lines = [Line::new(10_000_000, ms(64), 66_000), Line::new(0, ms(64), 0)];
    let mut network = Network::new(config, lines);
    network.hosts[0].keep = false;
    network.hosts[1].keep = false;
    network
}

/// The window every 10 ms.
pub fn windows(network: &mut Network, seconds: u64) -> Vec<(f64, u32)> {
    network.send(u64::MAX / 4);
    let mut windows = Vec::new();
    for step in 0..seconds * 100 {
        network.run(Time::ZERO + Duration::from_millis(10 * step));
        windows.push((step as f64 / 100.0, network.hosts[0].endpoint.info().cwnd));
    }
    windows
}

#[test]
#[ignore]
fn show() {
    for algorithm in Algorithm::ALL {
        let mut network = long_path(*algorithm);
        let windows = windows(&mut network, 120);
        println!("{algorithm}: {} bytes, {:?}", network.hosts[1].received, network.hosts[0].endpoint.info());
        for (at, cwnd) in windows.iter().step_by(100) {
            print!("{at:.0}:{cwnd} ");
        }
        println!();
    }
}
