//! Messages between the agent of a user-mode kernel, stand-ins and the engine, over TCP on a device
//! that only they use. Each connection is for one request, or for one process.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddrV4, TcpStream};
use std::path::PathBuf;
use std::time::Duration;

use netloom_scenario::{IpPrefix, Ipv4Prefix};
use serde::{Deserialize, Serialize};

const NAMESPACE_SIDE: Ipv4Addr = Ipv4Addr::new(169, 254, 254, 1);
const AGENT_SIDE: Ipv4Addr = Ipv4Addr::new(169, 254, 254, 2);
const PORT: u16 = 1;
/// Longest time for establishing a connection.
const PATIENCE: Duration = Duration::from_secs(10);
/// Largest message in bytes. Outputs are sent in pieces that are far shorter.
const LONGEST: usize = 16 << 20;

/// Returns the addresses of both ends of the device.
pub(super) fn addresses() -> [IpPrefix; 2] {
    let prefix = |address| IpPrefix::V4(Ipv4Prefix { address, length: 30 });
    [prefix(NAMESPACE_SIDE), prefix(AGENT_SIDE)]
}

/// Returns the address that the agent listens on.
pub(super) fn agent() -> SocketAddrV4 {
    SocketAddrV4::new(AGENT_SIDE, PORT)
}

/// Connects to the agent. Must be called in the node's namespace.
pub(super) fn connect() -> io::Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&agent().into(), PATIENCE)?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// A message.
#[derive(Debug, Serialize, Deserialize, PartialEq, Eq)]
pub(super) enum Message {
    /// Request: is the node configured? Answered by `Ready` or `Failed`.
    State,
    /// The node is configured.
    Ready,
    /// The node could not be configured.
    Failed {
        /// The step that failed, and the reason.
        why: String,
    },
    /// Request for the ports on which TCP sockets listen. Answered by `Ports`.
    ListeningPorts,
    /// The ports.
    Ports(Vec<u16>),
    /// Request for the node's interfaces. Answered by `Interface` for each, now and with every
    /// change.
    Interfaces,
    /// State of an interface. An MTU of 0 is unknown.
    Interface {
        /// Its name in the plan.
        name: String,
        /// Whether it is up.
        up: bool,
        /// In bytes.
        mtu: u32,
    },
    /// Request for the clock. Answered by `Time`, and may be repeated.
    Clock,
    /// Time of the kernel's `CLOCK_MONOTONIC`.
    Time {
        /// In ns.
        nanos: u64,
    },
    /// Request to run a process. Answered by `NotStarted`, or by `Output`, `Errors` and `Ended`.
    Run(Run),
    /// To the process: sends a signal to its group.
    Signal(i32),
    /// To the process: changes the size of its terminal.
    Size {
        /// Height in characters.
        rows: u16,
        /// Width in characters.
        columns: u16,
    },
    /// The process reads input. Without this message no input is sent, so that signals do not wait
    /// behind input that nobody reads.
    InputWanted,
    /// To the process: the input has ended.
    InputEnds,
    /// The process could not be started.
    NotStarted {
        /// Error number.
        errno: i32,
    },
    /// The process has ended.
    Ended(crate::ExitStatus),
    /// To the process: its input.
    #[serde(skip)]
    Input(Vec<u8>),
    /// Standard output of the process.
    #[serde(skip)]
    Output(Vec<u8>),
    /// Standard error of the process.
    #[serde(skip)]
    Errors(Vec<u8>),
}

/// A process to run.
#[derive(Debug, Serialize, Deserialize, PartialEq, Eq)]
pub(super) struct Run {
    pub argv: Vec<String>,
    /// Complete environment.
    pub env: Vec<(String, String)>,
    pub directory: PathBuf,
    /// Rows and columns of a terminal, if the process has one.
    pub terminal: Option<(u16, u16)>,
}

/// Kind of a message, in the byte after its length.
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

/// Waits for a message. Returns `None` if the other end is closed.
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
    fn incomplete_and_oversized_messages_are_errors() {
        let mut wire = vec![];
        send(&mut wire, &Message::Output(b"words".to_vec())).unwrap();
        assert!(receive(&wire[..wire.len() - 1]).is_err());
        assert!(receive(&[255; 5][..]).is_err());
    }
}
