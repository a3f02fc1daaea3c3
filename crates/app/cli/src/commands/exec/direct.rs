//! `netloom exec` over `exec.sock`: the command has the standard streams of this process. Signals
//! pass through here.

use std::io::{self, ErrorKind, IoSlice};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;

use anyhow::{Context, Result, bail};
use netloom_api::exec::{ExecControl, ExecNotice, ExecRequest};
use nix::errno::Errno;
use nix::sys::socket::{
    AddressFamily, ControlMessage, MsgFlags, SockFlag, SockType, UnixAddr, connect, recv, sendmsg,
    socket,
};
use serde::Serialize;
use tokio::io::unix::AsyncFd;
use tokio::signal::unix::SignalKind;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, sleep_until};

use super::relay::{PATIENCE, given_up, own_failure, signals};
use crate::client::Client;

/// Longest message of an engine.
const LONGEST: usize = 200 * 1024;

/// A connection to an engine that has one command of ours.
struct Connection(AsyncFd<OwnedFd>);

impl Connection {
    #[expect(deprecated, reason = "it owns its descriptor, which stays open and the same")]
    fn open(path: &Path) -> nix::Result<Self> {
        let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
        let fd = socket(AddressFamily::Unix, SockType::SeqPacket, flags, None)?;
        connect(fd.as_raw_fd(), &UnixAddr::new(path)?)?;
        AsyncFd::new(fd).map(Self).map_err(|_| Errno::EMFILE)
    }

    /// Sends a message with descriptors.
    fn send(&self, message: &impl Serialize, fds: &[i32]) -> Result<(), Errno> {
        // Messages are plain data, so they always have a JSON form.
        let bytes = serde_json::to_vec(message).unwrap_or_default();
        let rights = [ControlMessage::ScmRights(fds)];
        let rights = if fds.is_empty() { &[][..] } else { &rights[..] };
        let (slices, flags) = ([IoSlice::new(&bytes)], MsgFlags::MSG_NOSIGNAL);
        sendmsg::<()>(self.0.as_raw_fd(), &slices, rights, flags, None).map(drop)
    }

    /// Receives the next notice. Returns `None` if the engine is gone.
    async fn receive(&self) -> io::Result<Option<ExecNotice>> {
        let mut bytes = vec![0; LONGEST];
        loop {
            let mut ready = self.0.readable().await?;
            let received =
                ready.try_io(|fd| Ok(recv(fd.as_raw_fd(), &mut bytes, MsgFlags::empty())?));
            match received {
                Ok(Ok(0)) => return Ok(None),
                Ok(Ok(length)) => return Ok(Some(serde_json::from_slice(&bytes[..length])?)),
                Ok(Err(error)) if error.kind() == ErrorKind::ConnectionReset => return Ok(None),
                Ok(Err(error)) => return Err(error),
                Err(_would_block) => {}
            }
        }
    }
}

/// Runs a command. Returns its exit code, or `None` if the WebSocket has to carry it: its node has
/// a kernel of its own, or it is too long for a message.
pub async fn run(client: &Client, request: &ExecRequest) -> Result<Option<i32>> {
    let connection = match Connection::open(&client.exec_socket()) {
        Ok(connection) => connection,
        // The WebSocket's error says what is wrong with the engine.
        Err(_) => return Ok(None),
    };
    match connection.send(request, &[0, 1, 2]) {
        Ok(()) => {}
        Err(Errno::EMSGSIZE) => return Ok(None),
        Err(error) => return Err(error).context("the engine does not take a command"),
    }
    let mut signals = signals(false)?;
    let first = client.heard("a command", connection.receive());
    let first = tokio::select! {
        first = first => first??,
        Some(kind) = signals.recv() => {
            eprintln!("ended before the command had started");
            return Ok(Some(128 + kind.as_raw_value()));
        }
    };
    match first {
        Some(ExecNotice::OwnKernel {}) => Ok(None),
        Some(ExecNotice::Started { .. }) => follow(client, &connection, signals).await.map(Some),
        first => ended(client, first).map(Some),
    }
}

/// Passes signals on until the command has ended. Returns its exit code.
async fn follow(
    client: &Client,
    connection: &Connection,
    mut signals: UnboundedReceiver<SignalKind>,
) -> Result<i32> {
    // Whether a signal is not confirmed, and when the command is given up for that.
    let (mut is_unconfirmed, mut deadline) = (false, None::<Instant>);
    loop {
        let until = deadline.unwrap_or_else(Instant::now);
        tokio::select! {
            notice = connection.receive() => match notice? {
                Some(ExecNotice::Signalled { .. }) => (is_unconfirmed, deadline) = (false, None),
                notice => return ended(client, notice),
            },
            Some(kind) = signals.recv() => {
                // If the engine is gone, that is the next notice.
                let _ = connection.send(&ExecControl::Signal(kind.as_raw_value()), &[]);
                if is_unconfirmed {
                    deadline.get_or_insert(Instant::now() + PATIENCE);
                }
                is_unconfirmed = true;
            }
            () = sleep_until(until), if deadline.is_some() => return Ok(given_up(client)),
        }
    }
}

/// Returns the exit code of a command that has ended.
fn ended(client: &Client, notice: Option<ExecNotice>) -> Result<i32> {
    match notice {
        Some(ExecNotice::Exited { code }) => Ok(code),
        Some(ExecNotice::Failed { error, code }) => Err(own_failure(client, &error, code)),
        Some(notice) => bail!("the engine answers {notice:?} to a command"),
        None => bail!("the experiment `{}` ended while the command ran", client.experiment()),
    }
}
