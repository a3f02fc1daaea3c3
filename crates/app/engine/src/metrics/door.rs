//! Limits the connections to the socket for metrics: their number for each node and in total, and
//! the time that a connection may be silent. A refused client is disconnected at once. Not here:
//! the reports.

use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::serve::Listener;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{UnixListener, UnixStream};
use tokio::time::{Instant, Sleep, sleep};

use crate::descriptors::{self, Held, Share};

/// Most connections of a node at once.
pub const MOST_OF_A_NODE: usize = 64;
/// Longest silence of a connection.
const IDLE: Duration = Duration::from_secs(60);
/// Time between two tries to accept when the machine has no room for another connection.
const PAUSE: Duration = Duration::from_millis(100);

/// Returns the node of a process, by its process id.
pub type NodeOf = dyn Fn(i32) -> Option<u32> + Send + Sync;

/// Accepts connections.
pub struct Door {
    listener: UnixListener,
    share: Share,
    node_of: Box<NodeOf>,
    guests: Guests,
}

/// The number of connections of each node. `None` stands for processes in no node.
type Guests = Arc<Mutex<HashMap<Option<u32>, usize>>>;

/// The peer of a connection: a process in this node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reporter(pub Option<u32>);

impl Door {
    pub fn new(listener: UnixListener, share: Share, node_of: Box<NodeOf>) -> Self {
        Self { listener, share, node_of, guests: Guests::default() }
    }

    /// Accepts a connection of `node`, unless the node has its maximum.
    fn admit(&self, stream: UnixStream, node: Option<u32>) -> Option<Connection> {
        let place = ConnectionSlot::take(&self.guests, node)?;
        let held = descriptors::take(&self.share, 1)?;
        Some(Connection { stream, idle: Box::pin(sleep(IDLE)), limit: IDLE, _held: (place, held) })
    }
}

impl Listener for Door {
    type Io = Connection;
    type Addr = Reporter;

    async fn accept(&mut self) -> (Connection, Reporter) {
        loop {
            let Ok((stream, _)) = self.listener.accept().await else {
                tokio::time::sleep(PAUSE).await;
                continue;
            };
            let process = stream.peer_cred().ok().and_then(|peer| peer.pid());
            let node = process.and_then(|process| (self.node_of)(process));
            match self.admit(stream, node) {
                Some(connection) => return (connection, Reporter(node)),
                // A client that connects in a loop must not keep others out.
                None => tokio::task::yield_now().await,
            }
        }
    }

    fn local_addr(&self) -> io::Result<Reporter> {
        Ok(Reporter(None))
    }
}

/// One of the connections that a node may have, until it is dropped.
pub struct ConnectionSlot {
    guests: Guests,
    node: Option<u32>,
}

impl ConnectionSlot {
    fn take(guests: &Guests, node: Option<u32>) -> Option<Self> {
        let mut count = guests.lock().unwrap_or_else(PoisonError::into_inner);
        let count = count.entry(node).or_default();
        if *count >= MOST_OF_A_NODE {
            return None;
        }
        *count += 1;
        Some(Self { guests: Arc::clone(guests), node })
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut guests = self.guests.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = guests.get_mut(&self.node) {
            *count -= 1;
            if *count == 0 {
                guests.remove(&self.node);
            }
        }
    }
}

/// A connection that ends when no bytes move for too long.
pub struct Connection<S = UnixStream, H = (ConnectionSlot, Held)> {
    stream: S,
    idle: Pin<Box<Sleep>>,
    limit: Duration,
    _held: H,
}

impl<S, H> Connection<S, H> {
    /// Calls `poll`, which moves bytes, until the connection has been silent for too long.
    fn within_limit<T>(
        &mut self,
        context: &mut Context<'_>,
        poll: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if poll.is_ready() {
            self.idle.as_mut().reset(Instant::now() + self.limit);
            return poll;
        }
        ready!(self.idle.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin, H: Unpin> AsyncRead for Connection<S, H> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let poll = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.within_limit(context, poll)
    }
}

impl<S: AsyncWrite + Unpin, H: Unpin> AsyncWrite for Connection<S, H> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.within_limit(context, poll)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[test]
    fn a_node_has_so_many_places_and_takes_no_other_nodes() {
        let guests = Guests::default();
        let mut places: Vec<_> =
            std::iter::from_fn(|| ConnectionSlot::take(&guests, Some(1))).collect();
        assert_eq!(places.len(), MOST_OF_A_NODE);
        assert!(
            ConnectionSlot::take(&guests, Some(2)).is_some()
                && ConnectionSlot::take(&guests, None).is_some()
        );
        places.pop();
        places.extend(ConnectionSlot::take(&guests, Some(1)));
        assert_eq!(places.len(), MOST_OF_A_NODE);
        drop(places);
        assert!(guests.lock().unwrap().is_empty());
    }

    #[tokio::test]
    async fn who_is_silent_too_long_is_disconnected_and_who_talks_is_not() {
        let limit = Duration::from_millis(100);
        let (ours, mut theirs) = tokio::io::duplex(64);
        let mut ours = Connection { stream: ours, idle: Box::pin(sleep(limit)), limit, _held: () };
        let mut byte = [0];
        // Bytes that have arrived count, however late they are read.
        for _ in 0..3 {
            theirs.write_all(&[1]).await.unwrap();
            tokio::time::sleep(limit).await;
            ours.read_exact(&mut byte).await.unwrap();
        }
        let last = Instant::now();
        assert_eq!(ours.read(&mut byte).await.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert!(last.elapsed() >= limit);
    }
}
