//! A name forwarder for the command of `netloom shell`, at the machine's side of its link. It asks
//! the resolvers of the machine. Queries and answers cross the link as they would on the way to a
//! resolver of the network behind it. The forwarder reads only the ids of messages, and stores
//! nothing.
//!
//! | module | contents |
//! |---|---|
//! | `upstream` | the resolvers of the machine |

mod upstream;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::runtime::Handle;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::descriptors::{Share, take};
use upstream::{LONGEST, PORT};

/// Longest life of a TCP connection.
const LIFETIME: Duration = Duration::from_secs(120);
/// Pause after the kernel has refused something.
const PAUSE: Duration = Duration::from_millis(100);

/// A running forwarder, until it is dropped.
pub struct Forwarder {
    _tasks: JoinSet<()>,
}

impl Forwarder {
    /// Starts to answer at port 53 of `address`. The machine's resolvers are asked from the network
    /// of the runtime `machine`. Each query and connection takes its part of `share`.
    ///
    /// Returns `None` if another program of the machine has the port at all addresses, and so gets
    /// the queries already.
    ///
    /// # Errors
    /// If the port cannot be bound for another reason.
    pub async fn start(address: Ipv4Addr, machine: Handle, share: Share) -> Result<Option<Self>> {
        let at = SocketAddr::from((address, PORT));
        let sockets = async { Ok((UdpSocket::bind(at).await?, TcpListener::bind(at).await?)) };
        let (udp, tcp) = match sockets.await {
            Err(error) if is_taken(&error) => return Ok(None),
            sockets => sockets.with_context(|| format!("cannot answer questions at {at}"))?,
        };
        let mut tasks = JoinSet::new();
        tasks.spawn(datagrams(Arc::new(udp), machine.clone(), share.clone()));
        tasks.spawn(connections(tcp, machine, share));
        Ok(Some(Self { _tasks: tasks }))
    }
}

fn is_taken(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::AddrInUse
}

async fn datagrams(socket: Arc<UdpSocket>, machine: Handle, share: Share) {
    let mut buffer = vec![0; LONGEST];
    let mut questions = JoinSet::new();
    loop {
        tokio::select! {
            received = socket.recv_from(&mut buffer) => match received {
                Ok((length, client)) => {
                    // A query beyond the share is lost, as it would be in a full queue.
                    let Some(held) = take(&share, 1) else { continue };
                    let asked = machine.spawn(upstream::ask(buffer[..length].to_vec()));
                    let socket = Arc::clone(&socket);
                    questions.spawn(async move {
                        if let Ok(Some(answer)) = asked.await {
                            // A client that has gone needs no answer.
                            let _ = socket.send_to(&answer, client).await;
                        }
                        drop(held);
                    });
                }
                Err(_) => sleep(PAUSE).await,
            },
            Some(_) = questions.join_next() => {}
        }
    }
}

async fn connections(listener: TcpListener, machine: Handle, share: Share) {
    let mut open = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((client, _)) => {
                    let Some(held) = take(&share, 2) else { continue };
                    let machine = machine.clone();
                    open.spawn(async move {
                        let _ = timeout(LIFETIME, relay(client, &machine)).await;
                        drop(held);
                    });
                }
                Err(_) => sleep(PAUSE).await,
            },
            Some(_) = open.join_next() => {}
        }
    }
}

/// Joins a client with the first resolver that accepts the connection.
async fn relay(mut client: TcpStream, machine: &Handle) {
    if let Ok(Some(mut resolver)) = machine.spawn(upstream::connect()).await {
        // Either may close at any time.
        let _ = copy_bidirectional(&mut client, &mut resolver).await;
    }
}
