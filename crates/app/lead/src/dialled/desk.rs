//! The lead's side: machines dial it, and wait for what they are to start. Relays ask it for a
//! stream to one of them.

use std::collections::HashMap;
use std::net::{self as blocking, IpAddr, SocketAddr};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr as LocalAddress, UnixListener as Blocking};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use nix::unistd::geteuid;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::line::{Orders, PATIENCE, RELAY, watch};
use super::pins::{Identity, Known};

type Stream = TlsStream<TcpStream>;

/// Where machines dial. It closes when it is dropped, and with it all streams.
pub struct Desk {
    /// What machines are told.
    pub orders: Orders,
    /// Its name for relays.
    name: String,
    known: Known,
    waiting: Waiting,
    /// A thread of its own: others wait for files of machines, which come this way.
    runtime: Option<Runtime>,
}

/// The streams of machines that wait, by the machines' names.
#[derive(Clone, Default)]
struct Waiting(Arc<Mutex<HashMap<String, Queue>>>);

/// Streams of one machine.
#[derive(Clone)]
struct Queue {
    put: UnboundedSender<Stream>,
    take: Arc<tokio::sync::Mutex<UnboundedReceiver<Stream>>>,
}

impl Waiting {
    fn of(&self, machine: &str) -> Option<Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(machine).cloned()
    }

    fn add(&self, machine: &str) {
        let (put, take) = unbounded_channel();
        let queue = Queue { put, take: Arc::new(take.into()) };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(machine.into(), queue);
    }
}

impl Desk {
    /// Opens one at this address of ours. `name` is a word that nobody else has.
    pub fn open(address: IpAddr, name: String) -> Result<Self> {
        let identity = Identity::new()?;
        let fingerprint = identity.fingerprint();
        let (known, waiting) = (Known::default(), Waiting::default());
        let acceptor = TlsAcceptor::from(Arc::new(identity.server(known.clone())?));
        let machines = blocking::TcpListener::bind((address, 0));
        let machines = machines.with_context(|| format!("cannot listen at {address}"))?;
        machines.set_nonblocking(true)?;
        let lead = machines.local_addr()?;
        let relays = Blocking::bind_addr(&LocalAddress::from_abstract_name(&name)?)?;
        relays.set_nonblocking(true)?;
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let inside = runtime.enter();
        let (machines, relays) =
            (TcpListener::from_std(machines)?, UnixListener::from_std(relays)?);
        drop(inside);
        runtime.spawn(take_in(machines, acceptor, known.clone(), waiting.clone()));
        runtime.spawn(serve(relays, waiting.clone()));
        let orders = Orders { lead, fingerprint };
        Ok(Self { orders, name, known, waiting, runtime: Some(runtime) })
    }

    /// Takes in a machine that has the key of this certificate.
    pub fn expect(&self, machine: &str, fingerprint: String) {
        self.waiting.add(machine);
        self.known.add(fingerprint, machine.to_owned());
    }

    /// Returns the command that leads to the machine whose name stands for `{address}`.
    pub fn command(&self) -> Result<String> {
        let binary = std::env::current_exe().context("cannot find the netloom binary")?;
        let binary = binary.to_str().context("the path of the netloom binary is no text")?;
        let binary = binary.replace('\'', r"'\''");
        Ok(format!("exec '{binary}' {RELAY} {} {{address}}", self.name))
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Takes in machines that dial.
async fn take_in(machines: TcpListener, acceptor: TlsAcceptor, known: Known, waiting: Waiting) {
    let mut arriving = JoinSet::new();
    loop {
        tokio::select! {
            dialled = machines.accept() => {
                let Ok((stream, _)) = dialled else { continue };
                let (acceptor, known, waiting) = (acceptor.clone(), known.clone(), waiting.clone());
                arriving.spawn(async move {
                    // One that is not known has heard so by TLS.
                    let _ = timeout(PATIENCE, admit(stream, acceptor, known, waiting)).await;
                });
            }
            Some(_) = arriving.join_next() => {}
        }
    }
}

async fn admit(
    stream: TcpStream,
    acceptor: TlsAcceptor,
    known: Known,
    waiting: Waiting,
) -> Result<()> {
    watch(&stream)?;
    let mut stream = acceptor.accept(stream).await?;
    let certificates = stream.get_ref().1.peer_certificates();
    let certificate = certificates.and_then(<[_]>::first).context("it has no certificate")?;
    let machine = known.name(certificate).context("nobody knows it")?;
    // It is in.
    stream.write_all(b"+").await?;
    stream.flush().await?;
    let queue = waiting.of(&machine).context("nobody waits for it")?;
    queue.put.send(stream).ok().context("nobody waits for it any more")
}

/// Gives streams to relays.
async fn serve(relays: UnixListener, waiting: Waiting) {
    let mut joined = JoinSet::new();
    loop {
        tokio::select! {
            relay = relays.accept() => {
                let Ok((relay, _)) = relay else { continue };
                let waiting = waiting.clone();
                joined.spawn(async move {
                    let mut relay = BufReader::new(relay);
                    if let Err(error) = join(&mut relay, waiting).await {
                        let _ = relay.write_all(format!("{error:#}\n").as_bytes()).await;
                    }
                });
            }
            Some(_) = joined.join_next() => {}
        }
    }
}

/// Joins a relay to a stream of the machine that it names.
async fn join(relay: &mut BufReader<UnixStream>, waiting: Waiting) -> Result<()> {
    let user = relay.get_ref().peer_cred().context("nothing says who it is")?.uid();
    if user != geteuid().as_raw() {
        bail!("this lead serves its own user only");
    }
    let mut line = String::new();
    relay.read_line(&mut line).await?;
    let mut words: Vec<String> = serde_json::from_str(&line).context("that is no request")?;
    if words.is_empty() {
        bail!("there is no name of a machine");
    }
    let machine = words.remove(0);
    let queue = waiting.of(&machine).with_context(|| format!("there is no `{machine}`"))?;
    let next = async { queue.take.lock().await.recv().await };
    let mut stream = timeout(PATIENCE, next)
        .await
        .ok()
        .flatten()
        .context("NetLoom was started there, and has not dialled this machine within 30 s")?;
    let mut request = serde_json::to_string(&words)?;
    request.push('\n');
    stream.write_all(request.as_bytes()).await.context("the machine is gone")?;
    stream.flush().await.context("the machine is gone")?;
    // An end without a word is an end, too.
    let _ = copy_bidirectional(relay, &mut stream).await;
    Ok(())
}

/// Returns the address to listen at for one that Ray says.
pub fn here(text: &str) -> Result<IpAddr> {
    let at: Option<SocketAddr> = text.parse().ok();
    let at = at.map(|at| at.ip()).or_else(|| text.parse().ok());
    at.with_context(|| format!("`{text}` is no address of this machine in the Ray cluster"))
}
