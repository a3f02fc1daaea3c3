//! Published UDP ports. Every client gets a socket of its own inside the node, so that answers find
//! their way back.

use std::collections::HashMap;
use std::io::{self, IoSliceMut};
use std::net::SocketAddr;
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use netloom_link::Direction;
use netloom_scenario::Protocol;
use netloom_units as units;
use nix::cmsg_space;
use nix::sys::socket::sockopt::ReceiveTimestampns;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, SockaddrStorage, recvmsg, setsockopt};
use nix::sys::time::TimeSpec;
use tokio::io::Interest;
use tokio::net::UdpSocket;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::JoinSet;

use super::target::Target;
use crate::tally::waits::{Waits, Way};

/// Longest silence of a client and of its answers before its socket is closed.
const IDLE: Duration = Duration::from_secs(60);
/// Most clients at once. Datagrams of others are lost.
const MOST: usize = 1024;
/// Most datagrams that wait for a client's socket to be opened. More are lost.
const WAITING: usize = 64;
/// Longest datagram, in bytes.
const LONGEST: usize = 65_535;

/// A datagram on its way, and when it came, in time since 1970-01-01 UTC.
struct Datagram {
    data: Vec<u8>,
    at: Option<Duration>,
}

/// A datagram that was received.
struct Received {
    length: usize,
    from: Option<SocketAddr>,
    at: Option<Duration>,
}

/// Receives a datagram with its arrival, which the kernel stamps.
async fn receive(socket: &UdpSocket, buffer: &mut [u8]) -> io::Result<Received> {
    let mut receive = || {
        let (mut control, mut parts) = (cmsg_space!(TimeSpec), [IoSliceMut::new(buffer)]);
        let (number, flags) = (socket.as_raw_fd(), MsgFlags::MSG_DONTWAIT);
        let message = recvmsg::<SockaddrStorage>(number, &mut parts, Some(&mut control), flags)?;
        let from = message.address.and_then(|from| match from.as_sockaddr_in() {
            Some(from) => Some(SocketAddr::V4((*from).into())),
            None => from.as_sockaddr_in6().map(|from| SocketAddr::V6((*from).into())),
        });
        let at = message.cmsgs()?.find_map(|control| match control {
            ControlMessageOwned::ScmTimestampns(at) => Some(at.into()),
            _ => None,
        });
        Ok(Received { length: message.bytes, from, at })
    };
    // The refusal of an earlier datagram is an error.
    socket.async_io(Interest::READABLE | Interest::ERROR, &mut receive).await
}

/// Counts how long a datagram that came `at` a time has waited.
fn count(at: Option<Duration>, waits: &Waits, way: &Way) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    if let (Some(at), Ok(now)) = (at, now) {
        let late = u64::try_from(now.saturating_sub(at).as_nanos()).unwrap_or(u64::MAX);
        waits.count(way, units::Duration::from_nanos(late), units::Duration::ZERO);
    }
}

/// Passes every datagram on.
pub async fn serve(socket: Arc<UdpSocket>, target: Target) {
    // If the kernel refuses, nothing is known of arrivals.
    let _ = setsockopt(&*socket, ReceiveTimestampns, &true);
    let inward = target.way(Direction::Forward);
    let mut clients: HashMap<SocketAddr, Sender<Datagram>> = HashMap::new();
    let mut tasks = JoinSet::new();
    let mut buffer = vec![0; LONGEST];
    loop {
        tokio::select! {
            received = receive(&socket, &mut buffer) => {
                // An error belongs to an earlier answer, to a client that has gone.
                let Ok(Received { length, from: Some(from), at }) = received else { continue };
                if !clients.contains_key(&from)
                    && clients.len() < MOST
                    && let Some(held) = target.hold(1)
                {
                    let (sender, datagrams) = channel(WAITING);
                    clients.insert(from, sender);
                    let (socket, target) = (Arc::clone(&socket), target.clone());
                    tasks.spawn(async move {
                        let _ = converse(&socket, from, &target, datagrams).await;
                        drop(held);
                        from
                    });
                }
                if let Some(client) = clients.get(&from) {
                    let sent = client.try_send(Datagram { data: buffer[..length].to_vec(), at });
                    if sent.is_err() {
                        target.network.published.lose(&inward);
                    }
                }
            }
            Some(ended) = tasks.join_next() => {
                if let Ok(client) = ended {
                    clients.remove(&client);
                }
            }
        }
    }
}

/// Passes datagrams of one client on, and the answers back, until both are silent.
async fn converse(
    machine: &UdpSocket,
    client: SocketAddr,
    target: &Target,
    mut datagrams: Receiver<Datagram>,
) -> io::Result<()> {
    let waits = &target.network.published;
    let [inward, outward] = Direction::BOTH.map(|direction| target.way(direction));
    let mut addresses = target.addresses().into_iter();
    let mut node = open(target, &mut addresses).await?;
    let mut buffer = vec![0; LONGEST];
    let mut last = Vec::new();
    loop {
        tokio::select! {
            datagram = datagrams.recv() => {
                let Some(Datagram { data, at }) = datagram else { return Ok(()) };
                count(at, waits, &inward);
                let _ = node.send(&data).await;
                last = data;
            }
            received = receive(&node, &mut buffer) => match received {
                Ok(Received { length, at, .. }) => {
                    count(at, waits, &outward);
                    drop(machine.send_to(&buffer[..length], client).await);
                }
                // Nobody listens here; perhaps at the other address.
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                    match open(target, &mut addresses).await {
                        Ok(other) => {
                            node = other;
                            let _ = node.send(&last).await;
                        }
                        Err(_) => return Ok(()),
                    }
                }
                Err(error) => return Err(error),
            },
            () = tokio::time::sleep(IDLE) => return Ok(()),
        }
    }
}

/// Opens a socket inside the node, connected to the next address that accepts.
async fn open(
    target: &Target,
    addresses: &mut impl Iterator<Item = SocketAddr>,
) -> io::Result<UdpSocket> {
    let mut refused = io::Error::from(io::ErrorKind::ConnectionRefused);
    for address in addresses {
        let connected = async {
            let socket = std::net::UdpSocket::from(target.socket(Protocol::Udp, address).await?);
            let socket = UdpSocket::from_std(socket)?;
            let _ = setsockopt(&socket, ReceiveTimestampns, &true);
            socket.connect(address).await?;
            Ok(socket)
        };
        match connected.await {
            Ok(socket) => return Ok(socket),
            Err(error) => refused = error,
        }
    }
    Err(refused)
}
