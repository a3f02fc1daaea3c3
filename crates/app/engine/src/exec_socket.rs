//! `exec.sock`: commands in nodes whose standard streams are descriptors of their clients.
//! [`netloom_api::exec`] defines the protocol.

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use netloom_api::exec::{ExecControl, ExecNotice, ExecRequest};
use netloom_nodes::{Control, Doorway, Stdio};
use netloom_scenario::Kernel;
use serde::de::DeserializeOwned;
use tokio::io::unix::AsyncFd;
use tokio::time::sleep;

use crate::http::exec::{Session, failed, start};
use crate::live::LiveNetwork;

/// Pause after a connection that could not be accepted.
const PAUSE: Duration = Duration::from_millis(100);

/// Opens the socket. Only its owner may connect.
pub fn listen(socket: &Path) -> Result<Doorway> {
    Doorway::open(socket).with_context(|| format!("cannot listen on {}", socket.display()))
}

/// Serves clients for ever.
pub async fn serve(doorway: Doorway, network: Arc<LiveNetwork>) -> io::Result<()> {
    #[expect(deprecated, reason = "it owns its descriptor, which stays open and the same")]
    let doorway = AsyncFd::new(doorway)?;
    loop {
        let mut ready = doorway.readable().await?;
        match ready.try_io(|doorway| doorway.get_ref().accept()) {
            Ok(Ok(control)) => {
                let network = network.clone();
                tokio::spawn(async move {
                    // A client that is gone needs no answer.
                    let _ = converse(&network, Client::new(control)?).await;
                    io::Result::Ok(())
                });
            }
            // There is no descriptor left, or the client has gone.
            Ok(Err(_)) => sleep(PAUSE).await,
            Err(_would_block) => {}
        }
    }
}

/// One client, which has one command.
struct Client(AsyncFd<Control>);

impl Client {
    #[expect(deprecated, reason = "it owns its descriptor, which stays open and the same")]
    fn new(control: Control) -> io::Result<Self> {
        AsyncFd::new(control).map(Self)
    }

    /// Receives a message. Returns `None` when the client has gone.
    async fn receive<M: DeserializeOwned>(&self) -> io::Result<Option<(M, Vec<OwnedFd>)>> {
        loop {
            let mut ready = self.0.readable().await?;
            if let Ok(received) = ready.try_io(|control| control.get_ref().try_receive()) {
                return received;
            }
        }
    }

    async fn notify(&self, notice: &ExecNotice) -> io::Result<()> {
        loop {
            let mut ready = self.0.writable().await?;
            let none: [OwnedFd; 0] = [];
            if let Ok(sent) = ready.try_io(|control| control.get_ref().try_send(notice, &none)) {
                return sent;
            }
        }
    }
}

/// Runs the command of a client.
async fn converse(network: &LiveNetwork, client: Client) -> io::Result<()> {
    let (request, streams) = match client.receive::<ExecRequest>().await {
        Ok(Some(received)) => received,
        Ok(None) => return Ok(()),
        Err(error) => {
            let words = format!("the first message is not an ExecRequest: {error}");
            return client.notify(&failed(words, 125)).await;
        }
    };
    if has_own_kernel(network, &request.node) {
        return client.notify(&ExecNotice::OwnKernel {}).await;
    }
    if request.terminal.is_some() {
        let words = "terminals are at the WebSocket, `GET /v1/exec`, only".to_owned();
        return client.notify(&failed(words, 125)).await;
    }
    let stdio = match stdio(streams) {
        Ok(stdio) => stdio,
        Err(error) => return client.notify(&failed(error.to_string(), 125)).await,
    };
    let mut early = Vec::new();
    // A node may be slow, or stopped. If the client goes away, do not wait for the node.
    let started = tokio::select! {
        started = start(network, request, stdio) => started,
        () = until_gone(&client, &mut early) => return Ok(()),
    };
    match started {
        Ok(session) => follow(network, &client, session, early).await,
        Err(refused) => client.notify(&refused).await,
    }
}

fn has_own_kernel(network: &LiveNetwork, node: &str) -> bool {
    let deployment = network.deployment();
    deployment.mine.scenario.node(node).is_some_and(|node| node.kernel == Kernel::Own)
}

/// Returns the standard streams of a command. Those that the client has not sent are `/dev/null`.
fn stdio(streams: Vec<OwnedFd>) -> io::Result<Stdio> {
    let mut streams = streams.into_iter();
    let mut next = || match streams.next() {
        Some(stream) => Ok(stream),
        None => std::fs::File::options().read(true).write(true).open("/dev/null").map(Into::into),
    };
    let (stdin, stdout, stderr) = (next()?, next()?, next()?);
    match streams.next() {
        None => Ok(Stdio::Files { stdin, stdout, stderr }),
        Some(_) => Err(io::Error::other("a command has three standard streams, and no more")),
    }
}

/// Returns when the client has gone. Keeps its messages until then.
async fn until_gone(client: &Client, early: &mut Vec<ExecControl>) {
    while let Ok(Some((control, _))) = client.receive().await {
        early.push(control);
    }
}

/// Passes signals on until the command has ended. Ends a command whose client is gone.
async fn follow(
    network: &LiveNetwork,
    client: &Client,
    mut session: Session,
    early: Vec<ExecControl>,
) -> io::Result<()> {
    let followed = until_ended(network, client, &mut session, early).await;
    if followed.is_err() {
        session.kill(network).await;
    }
    followed
}

/// Passes signals on until the command has ended.
///
/// # Errors
/// The client is gone, or has asked for what is not possible here.
async fn until_ended(
    network: &LiveNetwork,
    client: &Client,
    session: &mut Session,
    early: Vec<ExecControl>,
) -> io::Result<()> {
    let pid = session.pid();
    let machine_pid = network.machine_pid(session.node(), pid);
    client.notify(&ExecNotice::Started { pid, machine_pid }).await?;
    for control in early {
        obey(network, client, session, control).await?;
    }
    loop {
        let received = tokio::select! {
            ended = session.ended() => return client.notify(&ended).await,
            received = client.receive::<ExecControl>() => received?,
        };
        let (control, _) = received.ok_or(io::ErrorKind::BrokenPipe)?;
        obey(network, client, session, control).await?;
    }
}

async fn obey(
    network: &LiveNetwork,
    client: &Client,
    session: &Session,
    control: ExecControl,
) -> io::Result<()> {
    match control {
        ExecControl::Signal(number) => {
            network.signal(session.node(), session.pid(), number);
            client.notify(&ExecNotice::Signalled { number }).await
        }
        ExecControl::Resize(_) | ExecControl::Close(_) => {
            Err(io::Error::other("the client has the streams itself"))
        }
    }
}
