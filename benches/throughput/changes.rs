//! Batches of changes to a thousand pipes while 1 Gbit/s of TCP crosses one of the links that they
//! change.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use netloom_fabric::{LinkId, PipeId};
use netloom_link::{Direction, PipeChange};

use crate::cpu::Usage;
use crate::idle::silent_link;
use crate::lab::two_hosts;
use crate::tcp::goodput;
use crate::wire::{change, link, start};

const PIPES: usize = 1000;
/// A bandwidth-delay product that TCP fills easily, and a queue that it cannot overflow.
const LINK: &str = r#"{"rate":"1Gbit/s","delay":"1ms","queue":{"limit":"64MiB"}}"#;

/// Changes a second, and what became of the flow.
pub fn run(span: Duration) {
    println!("\nchanges in batches of {PIPES}, while a TCP flow crosses a link that they change");
    let (hosts, taps) = two_hosts();
    let mut links = vec![link(0, taps, LINK)];
    links.extend((1..PIPES / 2).map(silent_link));
    let dataplane = start(links, 1);
    let calm = goodput(&hosts, span);
    let retransmitted = || hosts[0].counter("Tcp", "RetransSegs");
    let (stop, before, lost) = (AtomicBool::new(false), Usage::of_workers(), retransmitted());
    let batches = [batch("1ms"), batch("1200us")];
    let (rate, busy, longest) = thread::scope(|scope| {
        let changer = scope.spawn(|| {
            let (began, mut changes, mut longest) = (Instant::now(), 0usize, Duration::ZERO);
            while !stop.load(Ordering::Relaxed) {
                let start = Instant::now();
                let batch = &batches[changes / PIPES % 2];
                dataplane.change(batch).expect("the changes apply");
                longest = longest.max(start.elapsed());
                changes += batch.len();
            }
            (changes as f64 / began.elapsed().as_secs_f64(), longest)
        });
        let busy = goodput(&hosts, span);
        stop.store(true, Ordering::Relaxed);
        let (rate, longest) = changer.join().expect("the changer ends");
        (rate, busy, longest)
    });
    let usage = Usage::of_workers().in_words(&before);
    let dropped = dataplane.pipes().expect("pipes").swap_remove(0).statistics.dropped.total();
    println!(
        "  {rate:9.0} changes/s, as fast as they go; goal 100000; longest batch {longest:.0?}"
    );
    println!("  {busy:9.1} Mbit/s of goodput meanwhile, {calm:.1} without changes");
    let again = retransmitted() - lost;
    println!("  {:9} frames dropped by the pipe; {again} segments sent again", dropped.frames);
    println!("        worker: {usage}");
}

/// One change of delay for each pipe.
fn batch(delay: &str) -> Vec<(PipeId, PipeChange)> {
    let change = change(&format!(r#"{{"delay":"{delay}"}}"#));
    let id = |index: usize| PipeId {
        link: LinkId(index as u32 / 2),
        direction: Direction::BOTH[index % 2],
    };
    (0..PIPES).map(|index| (id(index), change.clone())).collect()
}
