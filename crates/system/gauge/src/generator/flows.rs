//! Opens a TCP connection for each transfer or burst, at its time, regardless of others. A transfer
//! is complete when the receiver has all of it.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::Result;
use netloom_link::Stream;
use netloom_traffic::{Extent, Receivers, Transfer};

use super::bulk::write;
use super::clock::Clock;
use super::connection;
use super::counts::Counts;
use super::send::LATE;
use super::stop::Stop;
use super::{Send, Sent};

/// Largest number of simultaneous transfers, each of which is a thread and a socket. The next
/// transfer waits, and is late.
const MOST: usize = 1000;
/// How often to check whether a transfer has ended, in ns.
const LOOK: u64 = 1_000_000;

/// Sends all transfers that begin before the time `end`. Their times count from `base`.
pub fn send(
    order: &Send,
    to: &[SocketAddr],
    (base, end): (u64, u64),
    (clock, stop): (&Clock, &Stop),
    sent: &Counts,
) -> Result<()> {
    let active = &AtomicUsize::new(0);
    let count = |due: u64, change: &dyn Fn(&mut Sent)| sent.at(clock.interval(due), change);
    let count = &count;
    let stream = Stream::new(order.seed, &order.stream);
    let receivers = Receivers::new(&stream, to.len());
    let transfers = order.model.transfers(&stream)?;
    thread::scope(|scope| {
        for (number, Transfer { at, extent }) in (0..).zip(transfers) {
            let due = base.saturating_add(at.as_nanos());
            let to = to[receivers.of(number)];
            let (bytes, until) = match extent {
                Extent::Bytes(size) => (size.bytes(), u64::MAX),
                Extent::Lasts(lasts) => (u64::MAX, due.saturating_add(lasts.as_nanos()).min(end)),
            };
            if due >= end || !stop.unless_before(due, clock) {
                break;
            }
            while active.load(Ordering::Relaxed) >= MOST && !stop.is_asked() {
                clock.sleep_until(clock.now() + LOOK);
            }
            let is_late = clock.now().saturating_sub(due) > LATE;
            count(due, &|sent| {
                sent.flows += 1;
                sent.late += u64::from(is_late);
            });
            active.fetch_add(1, Ordering::Relaxed);
            scope.spawn(move || {
                match transfer(order, to, (bytes, until), (clock, stop), sent) {
                    Ok(true) => {
                        let time = clock.now().saturating_sub(due);
                        count(due, &|sent| {
                            sent.completed += 1;
                            sent.completion_sum += time;
                            sent.completion_most = sent.completion_most.max(time);
                        });
                    }
                    // The end came first.
                    Ok(false) => {}
                    Err(error) => eprintln!("a transfer broke: {error:#}"),
                }
                active.fetch_sub(1, Ordering::Relaxed);
            });
        }
    });
    // The entry lasts until its end, even if it is silent.
    if order.time.is_some() {
        stop.unless_before(end, clock);
    }
    Ok(())
}

/// Makes one transfer. Returns whether the receiver has all of it.
fn transfer(
    order: &Send,
    to: SocketAddr,
    (bytes, until): (u64, u64),
    (clock, stop): (&Clock, &Stop),
    sent: &Counts,
) -> Result<bool> {
    let Some(mut stream) = connection::open(order, to, stop)? else { return Ok(false) };
    let mut watched = sent.watch();
    let whole = write(&mut stream, bytes, until, (clock, stop), &mut watched)?;
    if !whole && stop.is_asked() {
        return Ok(false);
    }
    Ok(watched.end(&mut stream, || stop.is_asked())?)
}
