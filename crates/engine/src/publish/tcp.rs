//! Published TCP ports.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use netloom_scenario::Protocol;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::JoinSet;

use super::Target;

/// Between two tries to accept, when the machine has no room for another connection.
const PAUSE: Duration = Duration::from_millis(100);

/// Passes every connection on. One that the node refuses is closed.
pub async fn serve(listener: Arc<TcpListener>, target: Target) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((client, _)) => {
                    let target = target.clone();
                    // What becomes of a connection, its two ends see for themselves.
                    connections.spawn(async move { drop(pass_on(client, &target).await) });
                }
                Err(_) => tokio::time::sleep(PAUSE).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn pass_on(mut client: TcpStream, target: &Target) -> io::Result<()> {
    let mut server = match connect(target).await {
        Ok(server) => server,
        Err(error) => {
            // As if the machine had refused: a reset, not an end.
            client.set_zero_linger()?;
            return Err(error);
        }
    };
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    tokio::io::copy_bidirectional(&mut client, &mut server).await.map(drop)
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
