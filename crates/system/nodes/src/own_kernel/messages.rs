//! What the agent of a user-mode kernel, stand-ins and the engine say to each other, over TCP at a
//! device that only they have. A connection has one question, or one process.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddrV4, TcpStream};
use std::path::PathBuf;
use std::time::Duration;

use netloom_scenario::{IpPrefix, Ipv4Prefix};
use serde::{Deserialize, Serialize};

/// The device in the namespace that leads to the agent.
pub(crate) const DEVICE: &str = "netloom-kernel";
const NAMESPACE_SIDE: Ipv4Addr = Ipv4Addr::new(169, 254, 254, 1);
const AGENT_SIDE: Ipv4Addr = Ipv4Addr::new(169, 254, 254, 2);
const PORT: u16 = 1;
/// How long a connection may take to come about.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longest message. Outputs come in pieces that are far shorter.
const LONGEST: usize = 16 << 20;

/// The addresses of both sides of the device.
pub(super) fn addresses() -> [IpPrefix; 2] {
    let prefix = |address| IpPrefix::V4(Ipv4Prefix { address, length: 30 });
    [prefix(NAMESPACE_SIDE), prefix(AGENT_SIDE)]
}

/// Where the agent listens.
pub(super) fn agent() -> SocketAddrV4 {
    SocketAddrV4::new(AGENT_SIDE, PORT)
}

/// A connection with the agent; to be called in the node's namespace.
pub(super) fn connect() -> io::Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&agent().into(), PATIENCE)?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// A message.
#[derive(Debug, Serialize, Deserialize, PartialEq, Eq)]
pub(super) enum Message {
    /// Is the node as it should be? Answered by `Ready` or `Failed`.
    State,
    /// It is.
    Ready,
    /// It is not.
    Failed {
        /// What was attempted, and why it failed.
        why: String,
    },
    /// At which ports do TCP sockets listen? Answered by `Ports`.
    ListeningPorts,
    /// At these.
    Ports(Vec<u16>),
    /// What does the clock show? Answered by `Time`; may be asked again then.
    Clock,
    /// `CLOCK_MONOTONIC` of the kernel.
    Time {
        /// In ns.
        nanos: u64,
    },
    /// Run a process. Answered by `NotStarted`, or by `Output`, `Errors` and `Ended`.
    Run(Run),
    /// To the process: a signal to its group.
    Signal(i32),
    /// To the process: its terminal has another size.
    Size {
        /// In characters.
        rows: u16,
        /// In characters.
        columns: u16,
    },
    /// The process takes more input; without that, none is sent, so that signals do not wait
    /// behind input that nobody reads.
    InputWanted,
    /// To the process: there is no more input.
    InputEnds,
    /// The process could not be started.
    NotStarted {
        /// Why not.
        errno: i32,
    },
    /// It has ended.
    Ended(crate::ExitStatus),
    /// To the process: its input.
    #[serde(skip)]
    Input(Vec<u8>),
    /// Its output.
    #[serde(skip)]
    Output(Vec<u8>),
    /// Its other output.
    #[serde(skip)]
    Errors(Vec<u8>),
}

/// A process to run.
#[derive(Debug, Serialize, Deserialize, PartialEq, Eq)]
pub(super) struct Run {
    pub argv: Vec<String>,
    /// The whole environment.
    pub env: Vec<(String, String)>,
    pub directory: PathBuf,
    /// Rows and columns of a terminal, if it is to have one.
    pub terminal: Option<(u16, u16)>,
}

/// What follows the length of a message.
const WORDS: u8 = 0;
const INPUT: u8 = 1;
const OUTPUT: u8 = 2;
const ERRORS: u8 = 3;

/// Sends a message.
pub(super) fn send(mut to: impl Write, message: &Message) -> io::Result<()> {
    let words;
    let (kind, bytes) = match message {
        Message::Input(bytes) => (INPUT, bytes),
        Message::Output(bytes) => (OUTPUT, bytes),
        Message::Errors(bytes) => (ERRORS, bytes),
        message => {
            words = serde_json::to_vec(message)?;
            (WORDS, &words)
        }
    };
    let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
    let mut whole = Vec::with_capacity(bytes.len() + 5);
    whole.extend(length.to_le_bytes());
    whole.push(kind);
    whole.extend(bytes);
    to.write_all(&whole)
}

/// Waits for a message; `None` when the other side is gone.
pub(super) fn receive(mut from: impl Read) -> io::Result<Option<Message>> {
    let mut head = [0; 5];
    match from.read_exact(&mut head) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let length = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
    if length > LONGEST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut bytes = vec![0; length];
    from.read_exact(&mut bytes)?;
    Ok(Some(match head[4] {
        INPUT => Message::Input(bytes),
        OUTPUT => Message::Output(bytes),
        ERRORS => Message::Errors(bytes),
        _ => serde_json::from_slice(&bytes)?,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_arrive_as_they_were_sent() {
        let run = Run {
            argv: vec!["ip".into(), "link".into()],
            env: vec![("A".into(), "b c".into())],
            directory: "/tmp".into(),
            terminal: Some((24, 80)),
        };
        let messages = [
            Message::State,
            Message::Run(run),
            Message::Input(vec![0, 1, 255]),
            Message::Output(vec![]),
            Message::Errors(b"no such file".to_vec()),
            Message::Ended(crate::ExitStatus::Signal(9)),
        ];
        let mut wire = vec![];
        messages.iter().for_each(|message| send(&mut wire, message).unwrap());
        let mut wire = wire.as_slice();
        for message in messages {
            assert_eq!(receive(&mut wire).unwrap(), Some(message));
        }
        assert_eq!(receive(&mut wire).unwrap(), None);
    }

    #[test]
    fn what_is_cut_off_or_endless_is_an_error() {
        let mut wire = vec![];
        send(&mut wire, &Message::Output(b"words".to_vec())).unwrap();
        assert!(receive(&wire[..wire.len() - 1]).is_err());
        assert!(receive(&[255; 5][..]).is_err());
    }
}
