//! TCP connections that send as much as the path takes.

use std::collections::BTreeMap;
use std::io::Write;
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::thread;

use anyhow::{Context, Result};
use netloom_link::Stream;
use netloom_traffic::{BulkConfig, Receivers};

use super::clock::Clock;
use super::connection::{self, is_impatience};
use super::stop::Stop;
use super::{Send, Sent};

/// Length of one write, in bytes.
const PIECE: usize = 64 << 10;

/// Sent traffic by interval; several connections count together.
pub type Counts = Mutex<BTreeMap<u64, Sent>>;

/// Sends over all connections, until they have sent everything, or until the time `end`.
pub fn send(
    order: &Send,
    config: &BulkConfig,
    to: &[SocketAddr],
    end: u64,
    (clock, stop): (&Clock, &Stop),
    sent: &Counts,
) -> Result<()> {
    let bytes = config.bytes.map_or(u64::MAX, |bytes| bytes.bytes());
    let receivers = Receivers::new(&Stream::new(order.seed, &order.stream), to.len());
    let connection = |number: u32| -> Result<()> {
        let to = to[receivers.of(number.into())];
        let Some(mut stream) = connection::open(order, to, stop)? else { return Ok(()) };
        write(&mut stream, bytes, end, (clock, stop), sent)
            .with_context(|| format!("cannot send to {to}"))?;
        // Closing sends the contents of the socket's buffer.
        Ok(())
    };
    thread::scope(|scope| {
        let connection = &connection;
        let all = (0..config.connections).map(|number| scope.spawn(move || connection(number)));
        let connections: Vec<_> = all.collect();
        // A thread that panics has printed why.
        connections.into_iter().try_for_each(|thread| thread.join().expect("no panic"))
    })
}

/// Writes `bytes` bytes, unless the end comes first. Returns whether all of them were written.
pub fn write(
    stream: &mut impl Write,
    bytes: u64,
    end: u64,
    (clock, stop): (&Clock, &Stop),
    sent: &Counts,
) -> std::io::Result<bool> {
    let piece = [0; PIECE];
    let mut left = bytes;
    while left > 0 {
        if stop.is_asked() || clock.now() >= end {
            return Ok(false);
        }
        let most = PIECE.min(usize::try_from(left).unwrap_or(PIECE));
        match stream.write(&piece[..most]) {
            Ok(written) => {
                left -= written as u64;
                let mut sent = sent.lock().unwrap_or_else(PoisonError::into_inner);
                sent.entry(clock.interval(clock.now())).or_default().bytes += written as u64;
            }
            Err(error) if is_impatience(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}
