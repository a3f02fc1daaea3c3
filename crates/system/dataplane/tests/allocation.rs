//! In the steady state, neither a pipe nor the frame pool allocates memory for a frame.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use common::config;
use netloom_dataplane::PipeFrame;
use netloom_link::{Discipline, Dscp, Ecn, FrameInfo, Header, Pipe, Stream};
use netloom_ports::Pool;
use netloom_units::Time;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, which counts allocations of each thread.
struct Counting;

// SAFETY: everything is passed to the system's allocator unchanged; the counter does not allocate,
// because it is constant-initialized and has no destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Sends frames through a pipe that queues, delays, loses and drops, in buffers of a pool.
fn carry(pipe: &mut Pipe<PipeFrame>, pool: &mut Pool, numbers: std::ops::Range<u64>) {
    for number in numbers {
        let now = Time::from_nanos(number * 11_000);
        let frame = pool.frame(1514).expect("memory is ample");
        if let Err(rejected) = pipe.offer(now, FrameInfo::single(1514), PipeFrame(frame)) {
            pool.recycle(rejected.frame.0);
        }
        while let Some(delivery) = pipe.poll(now) {
            pool.recycle(delivery.frame.0);
        }
        while let Some(dropped) = pipe.poll_dropped() {
            pool.recycle(dropped.frame.0);
        }
    }
}

#[test]
fn the_steady_state_allocates_nothing() {
    let text = r#"{"rate":"1Gbit/s","delay":"5ms","loss":"1%","queue":{"limit":"300packets"}}"#;
    let mut pipe = Pipe::new(config(text), Stream::new(1, "l/forward"), Time::ZERO);
    let mut pool = Pool::new(1 << 24);
    carry(&mut pipe, &mut pool, 0..20_000);
    let before = ALLOCATIONS.with(Cell::get);
    carry(&mut pipe, &mut pool, 20_000..60_000);
    assert_eq!(ALLOCATIONS.with(Cell::get), before);
    let statistics = pipe.statistics(Time::ZERO);
    assert!(statistics.dropped.queue_full.frames > 0 && statistics.dropped.loss.frames > 0);
}

/// A frame of one of sixteen flows, half of them with ECN.
#[derive(Debug)]
struct OfFlow(u16);

impl netloom_link::Frame for OfFlow {
    fn header(&self) -> Option<Header> {
        Some(Header {
            source: "10.0.0.1".parse().expect("an address"),
            destination: "10.0.0.2".parse().expect("an address"),
            protocol: 17,
            source_port: self.0,
            destination_port: 9,
            dscp: (self.0 % 64) as u8,
            ecn: if self.0.is_multiple_of(2) { Ecn::Capable0 } else { Ecn::NotCapable },
        })
    }
    fn mark_congestion(&mut self) {}
    fn remark(&mut self, _: Dscp) {}
    fn flip_bits(&mut self, _bits: &[u64]) {}
    fn duplicate(&self) -> Self {
        Self(self.0)
    }
}

/// Once queue disciplines have grown to what the traffic needs, none of them allocates, whatever it
/// drops and marks. The statistics allocate for each completed second of the first minute, at most
/// twice: for the second, and for the list of seconds.
#[test]
fn no_queue_discipline_allocates_for_a_frame() {
    for (name, _) in Discipline::ALL {
        let text = format!(
            r#"{{"rate":"1Gbit/s","queue":{{"discipline":"{name}","limit":"300packets"}}}}"#
        );
        let mut pipe = Pipe::new(config(&text), Stream::new(1, "l/forward"), Time::ZERO);
        let mut carry = |numbers: std::ops::Range<u64>| {
            for number in numbers {
                let now = Time::from_nanos(number * 11_000);
                let _ = pipe.offer(now, FrameInfo::single(1514), OfFlow((number % 16) as u16));
                while pipe.poll(now).is_some() {}
                while pipe.poll_dropped().is_some() {}
            }
            ALLOCATIONS.with(Cell::get)
        };
        let before = carry(0..200_000);
        // Two seconds end between 2.2 s and 4.4 s.
        let allocated = carry(200_000..400_000) - before;
        assert!(allocated <= 2 * 2, "{name}: {allocated} allocations");
        let statistics = pipe.statistics(Time::ZERO);
        assert!(statistics.dropped.total().frames > 10_000, "{name}: it had to drop");
    }
}
