//! Which changes of a pipe its background traffic allows.

use netloom_course::check_backgrounds;
use netloom_fabric::{LinkId, PipeId};
use netloom_link::{Direction, PipeChange, PipeConfig};

fn change(text: &str) -> PipeChange {
    netloom_scenario::properties(text, &mut |_: &str| {
        Err(netloom_scenario::Unreadable::because("no files here"))
    })
    .unwrap()
}

/// Whether a pipe of 10 Mbit/s with this background may be changed so.
fn may(background: &str, changed: &str) -> bool {
    let mut config = PipeConfig::default();
    change(&format!("rate: 10Mbit/s\nbackground: [{background}]")).apply_to(&mut config);
    let pipe = PipeId { link: LinkId(0), direction: Direction::Forward };
    check_backgrounds(&[(pipe, change(changed))], |_| Ok(config.clone())).is_ok()
}

#[test]
fn frames_go_on_when_the_rate_alone_changes() {
    let frames = "{ cbr: { load: 50% }, size: 1000B }";
    assert!(may(frames, "rate: 1Mbit/s"));
    assert!(may(frames, "rate: unlimited"));
    assert!(may(frames, "background: [{ cbr: { load: 20% }, size: 1000B }]"));
    // A new background is held against what the pipe becomes.
    assert!(!may(frames, "rate: unlimited\nbackground: [{ cbr: { load: 20% }, size: 1000B }]"));
}

#[test]
fn a_fluid_needs_a_rate() {
    let fluid = "{ cbr: { load: 50% }, size: 1000B, as: fluid }";
    assert!(may(fluid, "rate: 1Mbit/s"));
    assert!(!may(fluid, "rate: unlimited"));
    assert!(may(fluid, "rate: unlimited\nbackground: none"));
    assert!(may(fluid, "delay: 5ms"));
}
