//! Cost of pipes that carry nothing.

use std::fs;
use std::io;
use std::os::fd::BorrowedFd;
use std::thread;
use std::time::Duration;

use netloom_dataplane::{End, LinkWiring};
use netloom_fabric::LinkId;
use netloom_ports::{Carrier, Frame, FrameBuffer, FrameDevice, SendError};

use crate::cpu::Usage;
use crate::wire::{config, start};

/// Half as many links.
const PIPES: usize = 50_000;
const PIPE: &str = r#"{"rate":"10Gbit/s","delay":"10ms"}"#;

/// An interface at which nothing ever happens, and which takes no memory.
#[derive(Debug)]
struct Silent;

impl FrameDevice for Silent {
    fn fd(&self) -> Option<BorrowedFd<'_>> {
        None
    }
    fn receive(&mut self, _: &mut FrameBuffer) -> io::Result<bool> {
        Ok(false)
    }
    fn send(&mut self, _: &Frame) -> Result<(), SendError> {
        Ok(())
    }
    fn carrier(&self) -> Option<Box<dyn Carrier>> {
        None
    }
}

/// A link between two silent interfaces.
pub fn silent_link(index: usize) -> LinkWiring {
    LinkWiring {
        id: LinkId(index as u32),
        name: format!("idle{index}"),
        ends: [(); 2].map(|()| End::Port(Box::new(Silent))),
        pipes: [config(PIPE), config(PIPE)],
        mtus: [None; 2],
        peer: None,
    }
}

/// Memory and worker CPU time of 50,000 pipes.
pub fn run(span: Duration) {
    println!("\n{PIPES} idle pipes on one worker");
    let before = resident();
    let dataplane = start((0..PIPES / 2).map(silent_link).collect(), 1);
    let bytes = resident().saturating_sub(before) / PIPES as u64;
    println!("  {bytes:6} bytes of memory a pipe, devices aside");
    thread::sleep(Duration::from_millis(100));
    let before = Usage::of_workers();
    thread::sleep(span);
    let used = Usage::of_workers().since(&before);
    println!("  {:6} ns of worker CPU time in {} s", used.as_nanos(), span.as_secs());
    drop(dataplane);
}

/// Bytes of this process's memory that are not mapped files.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}
