//! Published UDP ports. Every client gets a socket of its own inside the node, so that answers find
//! their way back.

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use netloom_scenario::Protocol;
use tokio::net::UdpSocket;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::JoinSet;

use super::target::Target;

/// Longest silence of a client and of its answers before its socket is closed.
const IDLE: Duration = Duration::from_secs(60);
/// Most clients at once. Datagrams of others are lost.
const MOST: usize = 1024;
/// Most datagrams that wait for a client's socket to be opened. More are lost.
const WAITING: usize = 64;
/// Longest datagram, in bytes.
const LONGEST: usize = 65_535;

/// Passes every datagram on.
pub async fn serve(socket: Arc<UdpSocket>, target: Target) {
    let mut clients: HashMap<SocketAddr, Sender<Vec<u8>>> = HashMap::new();
    let mut tasks = JoinSet::new();
    let mut buffer = vec![0; LONGEST];
    loop {
        tokio::select! {
            received = socket.recv_from(&mut buffer) => {
                // An error belongs to an earlier answer, to a client that has gone.
                let Ok((length, from)) = received else { continue };
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
                    let _ = client.try_send(buffer[..length].to_vec());
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
    mut datagrams: Receiver<Vec<u8>>,
) -> io::Result<()> {
    let mut addresses = target.addresses().into_iter();
    let mut node = open(target, &mut addresses).await?;
    let mut buffer = vec![0; LONGEST];
    let mut last = Vec::new();
    loop {
        tokio::select! {
            datagram = datagrams.recv() => {
                let Some(datagram) = datagram else { return Ok(()) };
                let _ = node.send(&datagram).await;
                last = datagram;
            }
            received = node.recv(&mut buffer) => match received {
                Ok(length) => drop(machine.send_to(&buffer[..length], client).await),
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
