//! In the steady state nothing is allocated for a frame: neither by a pipe nor by the frame pool.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use common::config;
use netloom_dataplane::Carried;
use netloom_link::{FrameInfo, Pipe, Stream};
use netloom_ports::Pool;
use netloom_units::Time;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, counting for each thread.
struct Counting;

// SAFETY: everything is passed on to the system's allocator unchanged; the counter does not
// allocate, because it is constant-initialized and has no destructor.
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

/// Frames through a pipe that queues, delays, loses and drops, in buffers of a pool.
fn carry(pipe: &mut Pipe<Carried>, pool: &mut Pool, numbers: std::ops::Range<u64>) {
    for number in numbers {
        let now = Time::from_nanos(number * 11_000);
        let frame = pool.frame(1514).expect("memory is ample");
        if let Err(rejected) = pipe.offer(now, FrameInfo::single(1514), Carried(frame)) {
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
