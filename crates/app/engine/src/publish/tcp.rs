//! Published TCP ports.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use netloom_link::Direction;
use netloom_scenario::Protocol;
use nix::sys::socket::setsockopt;
use nix::sys::socket::sockopt::{KeepAlive, TcpKeepCount, TcpKeepIdle, TcpKeepInterval};
use tokio::io::AsyncWriteExt;
use tokio::net::tcp::{ReadHalf, WriteHalf};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::JoinSet;

use super::target::Target;
use crate::tally::waits::{Arrivals, Oldest, Waits, Way, waiting};

/// Time between two tries to accept when the machine has no room for another connection.
const PAUSE: Duration = Duration::from_millis(100);

/// Most bytes that are passed on at a time. Each connection has room for so many twice.
const PIECE: usize = 8 << 10;
/// Number of the engine's open files that a connection takes.
const FILES: u32 = 2;
/// Parameters of keepalive. The silent loss of a client or of a node's program is detected after
/// some two minutes.
const PROBES: u32 = 4;
const PROBE_AFTER_S: u32 = 60;
const PROBE_EVERY_S: u32 = 15;

/// Passes connections on, as many at once as the port's share of open files allows; others are
/// refused. A connection that the node refuses is closed.
pub async fn serve(listener: Arc<TcpListener>, target: Target) {
    let mut connections = JoinSet::new();
    let (mut arrivals, way) = (Arrivals::at_listener(&listener), target.way(Direction::Forward));
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((client, _)) => {
                    let came = arrivals.oldest();
                    count(came, &target.network.published, &way);
                    let from_client = Arrivals::at(&client, came);
                    arrivals.clear();
                    let Some(held) = target.hold(FILES) else {
                        refuse(&client);
                        continue;
                    };
                    let target = target.clone();
                    // The two ends of a connection notice its failure by themselves.
                    connections.spawn(async move {
                        let _ = pass_on(client, from_client, &target).await;
                        drop(held);
                    });
                }
                Err(_) => tokio::time::sleep(PAUSE).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn pass_on(mut client: TcpStream, from_client: Arrivals, target: &Target) -> io::Result<()> {
    let mut server = match connect(target).await {
        Ok(server) => server,
        Err(error) => {
            refuse(&client);
            return Err(error);
        }
    };
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    [&client, &server].into_iter().try_for_each(probe)?;
    let from_server = Arrivals::at(&server, None);
    let ((client_in, client_out), (server_in, server_out)) = (client.split(), server.split());
    let counted = |direction| (&target.network.published, target.way(direction));
    tokio::try_join!(
        carry(client_in, server_out, from_client, counted(Direction::Forward)),
        carry(server_in, client_out, from_server, counted(Direction::Reverse)),
    )
    .map(drop)
}

/// Passes data on until there are no more, and counts how long they waited to be read.
async fn carry(
    from: ReadHalf<'_>,
    mut to: WriteHalf<'_>,
    mut arrivals: Arrivals,
    (waits, way): (&Waits, Way),
) -> io::Result<()> {
    let mut buffer = vec![0; PIECE];
    loop {
        from.readable().await?;
        let mut oldest = arrivals.oldest();
        // The end of the data is read, too.
        let mut left = waiting(from.as_ref())?.max(1);
        while left > 0 {
            let data = match from.try_read(&mut buffer[..left.min(PIECE)]) {
                Ok(0) => return to.shutdown().await,
                Ok(length) => &buffer[..length],
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            };
            count(oldest, waits, &way);
            to.write_all(data).await?;
            left -= data.len();
            arrivals.passed_on();
            oldest = oldest.map(Oldest::anew);
        }
        if waiting(from.as_ref())? == 0 {
            arrivals.clear();
        }
    }
}

/// Counts data or a connection, if it is known when they came.
fn count(oldest: Option<Oldest>, waits: &Waits, way: &Way) {
    if let Some((late, uncertainty)) = oldest.map(|oldest| oldest.waited()) {
        waits.count(way, late, uncertainty);
    }
}

/// Closes a connection as if the machine had refused it: with a reset, not an orderly end.
fn refuse(client: &TcpStream) {
    // If this fails, the client gets an orderly end.
    let _ = client.set_zero_linger();
}

/// Makes the kernel probe whether the other side is still there when nothing comes from it.
fn probe(stream: &TcpStream) -> io::Result<()> {
    setsockopt(stream, KeepAlive, &true)?;
    setsockopt(stream, TcpKeepIdle, &PROBE_AFTER_S)?;
    setsockopt(stream, TcpKeepInterval, &PROBE_EVERY_S)?;
    Ok(setsockopt(stream, TcpKeepCount, &PROBES)?)
}

async fn connect(target: &Target) -> io::Result<TcpStream> {
    let mut refused = io::Error::from(io::ErrorKind::NotConnected);
    for address in target.addresses() {
        let socket = match target.socket(Protocol::Tcp, address).await {
            Ok(socket) => TcpSocket::from_std_stream(socket.into()),
            Err(error) => {
                refused = error;
                continue;
            }
        };
        match socket.connect(address).await {
            Ok(stream) => return Ok(stream),
            Err(error) => refused = error,
        }
    }
    Err(refused)
}
