//! Pauses of the application: the time of a pause is no time of congestion avoidance (RFC 9438
//! §5.8), whatever begins or ends the pause.

use netloom_tcp::{Algorithm, Buffer, Config};
use netloom_units::Duration;

use crate::common::ms;
use crate::common::network::{Fate, Line, Network};

/// Bytes of a response, which takes several round trips, and number of responses.
const RESPONSE: u64 = 1_000_000;
const RESPONSES: u64 = 4;

/// What ends a pause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wakes {
    /// The sender's own application.
    Itself,
    /// A request of the other end.
    Request,
}

/// Returns the sender's congestion window after each response. The path has a round trip of 50 ms
/// and no queue, and loses one packet of the first response.
fn windows(config: &Config, wakes: Wakes, pause: Duration) -> Vec<u32> {
    let lines = [Line::new(0, ms(25), 0), Line::new(0, ms(25), 0)];
    let mut network = Network::new(config.clone(), lines);
    network.connect();
    let sender = if wakes == Wakes::Request { 1 } else { 0 };
    let mut lost = false;
    network.lines[sender].plan = Box::new(move |number, _| {
        let drop = number == 400 && !lost;
        lost |= drop;
        if drop { Fate::Drop } else { Fate::Pass }
    });
    let mut windows = Vec::new();
    for response in 1..=RESPONSES {
        if wakes == Wakes::Request {
            network.send(100);
            let until = network.now + ms(1000);
            let asked = response * 100;
            network.run_while(until, |network| network.hosts[1].received < asked);
        }
        network.hosts[sender].to_write += RESPONSE;
        network.settle(sender);
        let until = network.now + Duration::from_secs(100);
        let acknowledged = response * RESPONSE;
        network.run_while(until, |network| {
            network.hosts[sender].endpoint.info().bytes_acked < acknowledged
        });
        windows.push(network.hosts[sender].endpoint.info().cwnd);
        network.run(network.now + pause);
    }
    windows
}

fn config(congestion_control: Algorithm, slow_start_after_idle: bool) -> Config {
    let wide = |buffer: Buffer| Buffer { max: 1 << 30, ..buffer };
    let known = Config::default();
    let (wmem, rmem) = (wide(known.wmem), wide(known.rmem));
    Config { congestion_control, slow_start_after_idle, wmem, rmem, ..known }
}

const PAUSES: [u64; 5] = [300, 1000, 3000, 30_000, 60_000];

/// Returns the windows for each pause of `pauses` ms. They are the same, whatever ends the pause.
fn of_pauses(config: &Config, pauses: &[u64]) -> Vec<Vec<u32>> {
    let both = pauses.iter().flat_map(|pause| {
        [Wakes::Itself, Wakes::Request].map(|wakes| windows(config, wakes, ms(*pause)))
    });
    both.collect()
}

/// The window grows as if there had been no pause, from 0.3 to 60 s: the pause ends with the first
/// payload after it, not with the request that asks for that, and it begins with the last payload
/// before it. The first response lasts for eight round trips, the others for three or four each,
/// near the plateau of the cubic function: a few packets each.
#[test]
fn cubic_grows_by_the_time_in_which_it_sends() {
    let all = of_pauses(&config(Algorithm::Cubic, false), &PAUSES);
    for windows in &all {
        assert_eq!(windows, &all[0]);
        for pair in windows.windows(2) {
            assert!(pair[0] < pair[1] && pair[1] <= pair[0] + 10, "{windows:?}");
        }
    }
}

/// The window is restarted after a pause (RFC 5681 §4.1). The time of the pause does not count then
/// either, so growth after a restart does not depend on it.
#[test]
fn cubic_grows_by_the_time_in_which_it_sends_after_restarts_too() {
    // From 3 s on, a restart halves the window down to the initial one.
    let all = of_pauses(&config(Algorithm::Cubic, true), &[3000, 30_000, 60_000]);
    for windows in &all {
        assert_eq!(windows, &all[0]);
        for pair in windows.windows(2) {
            assert!(pair[0] < pair[1] && pair[1] <= pair[0] + 20, "{windows:?}");
        }
    }
}

/// Pauses change nothing in any congestion control but H-TCP, which grows by the time since the
/// latest loss, whatever was sent in it (docs/tcp.md). Controls whose rounds or samples of the
/// round-trip time depend on who sends first may differ in that.
#[test]
fn only_h_tcp_grows_while_nothing_is_sent() {
    for algorithm in Algorithm::ALL {
        for wakes in [Wakes::Itself, Wakes::Request] {
            let config = config(*algorithm, false);
            let [short, long] = [300, 60_000].map(|pause| windows(&config, wakes, ms(pause)));
            if *algorithm == Algorithm::Htcp {
                assert!(long[1] > 2 * short[1], "{short:?} {long:?}");
            } else {
                assert_eq!(short, long, "{algorithm} {wakes:?}");
            }
        }
    }
}
