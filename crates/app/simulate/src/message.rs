//! Messages between the processes of a simulated run, over a stream of bytes. Not here: the
//! exchange of these messages (`processes`, `worker`), and the encoding of packets and samples
//! (`netloom_sim::Binary`).
//!
//! A message is its length (four bytes, the least significant first), followed by that many bytes:
//! one that gives the kind of message, and then its fields. The first process begins, with
//! [`Begin`]. From then on it sends [`Order`]s to another process, which sends an [`Answer`] to
//! each. A process that computes is therefore never sent anything, and no two processes wait for
//! each other.

use std::io::{self, Read, Write};

use anyhow::{Context, Result, bail};
use netloom_sim::{
    Announcement, Binary, DecodeError, FlowSample, Input, PipeSample, Standing, VERSION,
};
use netloom_units::Time;

use crate::threads::{Progress, Round};

/// Largest length of a message. A higher number is not a valid length.
const MOST_BYTES: u32 = 1 << 30;

/// The first message to a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Begin {
    /// Largest number of cells that the network is divided into.
    pub cells: u32,
    /// Number of processes.
    pub processes: u32,
    /// Number of this process among them.
    pub process: u32,
    /// Number of threads on which it runs its cells.
    pub threads: u32,
    /// The scenario, as JSON.
    pub scenario: String,
}

/// An order to a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// Advance the process's cells as far as possible, at most to this time. Answer:
    /// [`Answer::Ran`].
    Run(Time, Round),
    /// Advance the time of all cells to this. Answer: [`Answer::Stands`].
    Reach(Time),
    /// Take a sample of pipes. Answer: [`Answer::Pipes`].
    SamplePipes,
    /// Take a sample of flows. Answer: [`Answer::Flows`].
    SampleFlows,
}

/// The answer of a process.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// The process has made its part of the network.
    Ready(Ready),
    /// The progress of its cells in a round.
    Ran(Progress),
    /// The cells of the process have reached the ordered time.
    Stands(Standing),
    /// The sample of its pipes.
    Pipes(Box<PipeSample>),
    /// The sample of its flows.
    Flows(FlowSample),
    /// The process cannot go on, for this reason.
    Failed(String),
}

/// A process's part of a network before the simulation begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ready {
    /// Number of cells of all processes. Each process must have the same number.
    pub cells: u32,
    /// Number of pipes of all processes.
    pub pipes: u32,
    /// Time of the first event of each of its cells.
    pub next: Vec<Option<Time>>,
    /// Progress of the process.
    pub standing: Standing,
}

impl Begin {
    /// Sends the message.
    pub fn send(&self, to: &mut dyn Write) -> io::Result<()> {
        let Self { cells, processes, process, threads, scenario } = self;
        let mut out = Vec::new();
        VERSION.encode(&mut out);
        [cells, processes, process, threads].iter().for_each(|number| number.encode(&mut out));
        scenario.encode(&mut out);
        send_bytes(&out, to)
    }

    /// Receives the message.
    ///
    /// # Errors
    /// If no message arrives, or it is of another version.
    pub fn receive(from: &mut dyn Read) -> Result<Self> {
        let bytes = receive_bytes(from)?;
        let mut input = Input::new(&bytes);
        let version = u16::decode(&mut input)?;
        if version != VERSION {
            bail!("version {version} of the protocol is spoken here, and {VERSION} understood");
        }
        let mut number = || u32::decode(&mut input);
        let [cells, processes, process, threads] = [number()?, number()?, number()?, number()?];
        Ok(Self { cells, processes, process, threads, scenario: input.only()? })
    }
}

/// Sends a message.
pub fn send(message: &impl Binary, to: &mut dyn Write) -> io::Result<()> {
    let mut bytes = Vec::new();
    message.encode(&mut bytes);
    send_bytes(&bytes, to)
}

/// Receives a message.
///
/// # Errors
/// If no message arrives, or it is malformed.
pub fn receive<T: Binary>(from: &mut dyn Read) -> Result<T> {
    let bytes = receive_bytes(from)?;
    Input::new(&bytes).only().context("a message is malformed")
}

fn send_bytes(bytes: &[u8], to: &mut dyn Write) -> io::Result<()> {
    let length = u32::try_from(bytes.len()).ok().filter(|length| *length <= MOST_BYTES);
    let length = length.ok_or_else(|| io::Error::other("a message would be longer than 1 GiB"))?;
    // The message is written in one piece, so that its receiver wakes up once.
    to.write_all(&[&length.to_le_bytes(), bytes].concat())?;
    to.flush()
}

fn receive_bytes(from: &mut dyn Read) -> Result<Vec<u8>> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    if length > MOST_BYTES {
        bail!("a message says that it has {length} bytes");
    }
    let mut bytes = Vec::new();
    // Memory is reserved for the bytes that arrive, whatever the length that precedes them.
    from.take(length.into()).read_to_end(&mut bytes)?;
    if bytes.len() < length as usize {
        bail!("a message ends too early");
    }
    Ok(bytes)
}

impl Binary for Round {
    fn encode(&self, out: &mut Vec<u8>) {
        self.bounds.encode(out);
        self.announcements.encode(out);
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        let bounds = Binary::decode(input)?;
        Ok(Self { bounds, announcements: Vec::<Announcement>::decode(input)? })
    }
}

impl Binary for Progress {
    fn encode(&self, out: &mut Vec<u8>) {
        self.next.encode(out);
        self.announcements.encode(out);
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        let next = Binary::decode(input)?;
        Ok(Self { next, announcements: Vec::<Announcement>::decode(input)? })
    }
}

impl Binary for Ready {
    fn encode(&self, out: &mut Vec<u8>) {
        self.cells.encode(out);
        self.pipes.encode(out);
        self.next.encode(out);
        self.standing.encode(out);
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        let [cells, pipes] = [Binary::decode(input)?, Binary::decode(input)?];
        Ok(Self { cells, pipes, next: Binary::decode(input)?, standing: Binary::decode(input)? })
    }
}

impl Binary for Order {
    fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Run(until, round) => {
                out.push(0);
                until.encode(out);
                round.encode(out);
            }
            Self::Reach(until) => {
                out.push(1);
                until.encode(out);
            }
            Self::SamplePipes => out.push(2),
            Self::SampleFlows => out.push(3),
        }
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        Ok(match u8::decode(input)? {
            0 => Self::Run(Binary::decode(input)?, Binary::decode(input)?),
            1 => Self::Reach(Binary::decode(input)?),
            2 => Self::SamplePipes,
            3 => Self::SampleFlows,
            _ => return Err(DecodeError::Value("order")),
        })
    }
}

impl Binary for Answer {
    fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Ready(ready) => {
                out.push(0);
                ready.encode(out);
            }
            Self::Ran(progress) => {
                out.push(1);
                progress.encode(out);
            }
            Self::Stands(standing) => {
                out.push(2);
                standing.encode(out);
            }
            Self::Pipes(sample) => {
                out.push(3);
                sample.encode(out);
            }
            Self::Flows(sample) => {
                out.push(4);
                sample.encode(out);
            }
            Self::Failed(why) => {
                out.push(5);
                why.encode(out);
            }
        }
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        Ok(match u8::decode(input)? {
            0 => Self::Ready(Binary::decode(input)?),
            1 => Self::Ran(Binary::decode(input)?),
            2 => Self::Stands(Binary::decode(input)?),
            3 => Self::Pipes(Binary::decode(input)?),
            4 => Self::Flows(Binary::decode(input)?),
            5 => Self::Failed(Binary::decode(input)?),
            _ => return Err(DecodeError::Value("answer")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_as_they_went_one_after_the_other() {
        let until = Time::from_nanos(5);
        let bounds = vec![Time::from_nanos(7), Time::from_nanos(u64::MAX)];
        let orders = [
            Order::Run(until, Round { bounds, announcements: vec![] }),
            Order::Reach(until),
            Order::SamplePipes,
            Order::SampleFlows,
        ];
        let mut line = Vec::new();
        orders.iter().for_each(|order| send(order, &mut line).unwrap());
        let mut input = &line[..];
        for order in &orders {
            assert_eq!(&receive::<Order>(&mut input).unwrap(), order);
        }
        assert!(receive::<Order>(&mut input).is_err(), "nothing is left");

        let next = vec![None, Some(until)];
        let standing = Standing { done_at: Some(until), ..Standing::default() };
        let answers = [
            Answer::Ready(Ready { cells: 3, pipes: 8, next: next.clone(), standing }),
            Answer::Ran(Progress { next, announcements: vec![] }),
            Answer::Stands(Standing::default()),
            Answer::Pipes(Box::default()),
            Answer::Flows(FlowSample::default()),
            Answer::Failed("no".into()),
        ];
        for answer in answers {
            let mut line = Vec::new();
            send(&answer, &mut line).unwrap();
            assert_eq!(receive::<Answer>(&mut &line[..]).unwrap(), answer);
        }
    }

    #[test]
    fn what_is_no_message_is_refused() {
        let refused = |bytes: &[u8]| format!("{:#}", receive::<Order>(&mut &*bytes).unwrap_err());
        assert_eq!(refused(&[1, 0, 0, 0, 9]), "a message is malformed: there is no such order");
        let long = "a message is malformed: it goes on where it should end";
        assert_eq!(refused(&[2, 0, 0, 0, 2, 2]), long);
        assert_eq!(refused(&[2, 0, 0, 0, 1]), "a message ends too early");
        assert_eq!(refused(&[255; 8]), "a message says that it has 4294967295 bytes");
    }

    #[test]
    fn another_version_is_refused_before_anything_else_is_read() {
        let begin = Begin { cells: 8, processes: 2, process: 1, threads: 1, scenario: "{}".into() };
        let mut line = Vec::new();
        begin.send(&mut line).unwrap();
        assert_eq!(Begin::receive(&mut &line[..]).unwrap(), begin);
        line[4] = 99;
        let error = Begin::receive(&mut &line[..]).unwrap_err().to_string();
        assert!(error.starts_with("version 99 of the protocol"), "{error}");
    }
}
