//! TCP connections that send as much as the path takes.

use std::io::{self, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;

use anyhow::{Context, Result};
use netloom_link::Stream;
use netloom_traffic::{BulkConfig, Receivers};

use super::Send;
use super::clock::Clock;
use super::connection::{self, is_impatience};
use super::counts::{Counts, Watched};
use super::stop::Stop;

/// Length of one write, in bytes.
const PIECE: usize = 64 << 10;

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
        let mut watched = sent.watch();
        write(&mut stream, bytes, end, (clock, stop), &mut watched)
            .with_context(|| format!("cannot send to {to}"))?;
        // What the socket holds still follows. A receiver would not wait longer for it.
        let until = clock.now().saturating_add(clock.drain());
        // If the receiver is gone, what is missing is seen there.
        let _ = watched.end(&mut stream, || stop.is_asked() || clock.now() >= until);
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
    stream: &mut TcpStream,
    bytes: u64,
    end: u64,
    (clock, stop): (&Clock, &Stop),
    watched: &mut Watched<'_>,
) -> io::Result<bool> {
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
                watched.wrote(stream, written as u64, clock);
            }
            Err(error) if is_impatience(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}
