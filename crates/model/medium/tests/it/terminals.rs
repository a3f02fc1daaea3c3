//! Hidden and exposed terminals, and chains of relays.

use netloom_medium::Phy;
use netloom_medium::arm::{Flow, Trial};

use crate::support::{IS_QUICK, close, config, effort, mean, medium, saturated, throughput};

/// Returns the Mbit/s of `senders` to the one station that each of them hears.
fn hidden(phy: Phy, rate: &str, senders: u32, rts: bool, bytes: u32) -> f64 {
    let (seeds, seconds) = effort(4, 15);
    mean(seeds, |seed| {
        // The senders are around the receiver, 346 m or more from each other.
        let around = (0..senders).map(|sender| {
            let angle = std::f64::consts::TAU * f64::from(sender) / f64::from(senders);
            (200.0 * angle.cos(), 200.0 * angle.sin())
        });
        let places: Vec<_> = around.chain([(0.0, 0.0)]).collect();
        let medium = medium(config(phy, rate, rts), &places, seed);
        let flows: Vec<Flow> = (0..senders).map(|from| saturated(from, senders, bytes)).collect();
        throughput(&mut Trial::new(medium, flows), seconds)
    })
}

/// Returns the Mbit/s of B → A and C → D. The senders hear each other if they are `joined`.
fn exposed(rts: bool, joined: bool) -> f64 {
    let (seeds, seconds) = effort(4, 15);
    mean(seeds, |seed| {
        let far = if joined { 0.0 } else { 1000.0 };
        let places = [(0.0, 0.0), (200.0, 0.0), (400.0 + far, 0.0), (600.0 + far, 0.0)];
        let medium = medium(config(Phy::B, "11Mbit/s", rts), &places, seed);
        throughput(
            &mut Trial::new(medium, vec![saturated(1, 0, 1500), saturated(2, 3, 1500)]),
            seconds,
        )
    })
}

#[test]
fn hidden_terminals_lose_what_requests_save() {
    let measured = |phy, rate, senders, rts, bytes, expected, share| {
        let what = format!("{senders} hidden, {phy} {rate} {bytes} B, RTS {rts}");
        let measured = hidden(phy, rate, senders, rts, bytes);
        close(&what, measured, expected, share);
        measured
    };
    let none = measured(Phy::B, "11Mbit/s", 2, false, 1500, 3.86, 0.02);
    let rts = measured(Phy::B, "11Mbit/s", 2, true, 1500, 4.53, 0.02);
    if IS_QUICK {
        return;
    }
    assert!((1.1..1.25).contains(&(rts / none)), "{}", rts / none);
    // 6.50 Mbit/s is the throughput within range of each other.
    assert!((none / 6.50 - 0.59).abs() <= 0.03, "{}", none / 6.50);
    let none = measured(Phy::B, "11Mbit/s", 2, false, 512, 2.66, 0.02);
    let rts = measured(Phy::B, "11Mbit/s", 2, true, 512, 2.13, 0.02);
    assert!(rts / none < 0.9);
    let none = measured(Phy::B, "2Mbit/s", 2, false, 1500, 0.269, 0.08);
    let rts = measured(Phy::B, "2Mbit/s", 2, true, 1500, 1.556, 0.02);
    assert!((5.2..6.4).contains(&(rts / none)), "{}", rts / none);
    measured(Phy::A, "6Mbit/s", 2, false, 1500, 0.864, 0.05);
    measured(Phy::A, "6Mbit/s", 2, true, 1500, 4.958, 0.02);
    measured(Phy::B, "2Mbit/s", 3, false, 1500, 0.063, 0.2);
    measured(Phy::B, "2Mbit/s", 3, true, 1500, 1.513, 0.02);
    measured(Phy::B, "11Mbit/s", 3, false, 1500, 2.52, 0.03);
    measured(Phy::B, "11Mbit/s", 3, true, 1500, 4.23, 0.02);
    measured(Phy::A, "54Mbit/s", 3, false, 1500, 16.5, 0.03);
    measured(Phy::A, "54Mbit/s", 3, true, 1500, 23.0, 0.02);
}

#[test]
fn exposed_terminals_wait_for_each_other() {
    let line = exposed(false, true);
    let apart = exposed(false, false);
    close("exposed", line, 6.95, 0.02);
    close("exposed with RTS", exposed(true, true), 5.33, 0.02);
    close("apart", apart, 12.44, 0.01);
    assert!((line / apart - 0.56).abs() <= if IS_QUICK { 0.06 } else { 0.02 }, "{}", line / apart);
}
