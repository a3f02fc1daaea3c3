//! Round trips: one process asks, another one answers.

use std::io::ErrorKind;
use std::net::UdpSocket;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::{Asked, send};

/// How long the answering process waits for the first question, and for the next one.
const PATIENCE: (Duration, Duration) = (Duration::from_secs(10), Duration::from_secs(2));
/// An answer that takes longer does not count.
const LATEST: Duration = Duration::from_secs(1);
/// Time between two questions.
const INTERVAL: Duration = Duration::from_millis(5);

/// Opens the socket that receives questions.
pub fn listen(port: u16) -> Result<UdpSocket> {
    UdpSocket::bind(("0.0.0.0", port)).with_context(|| format!("cannot listen on port {port}"))
}

/// Sends every question back, until no more arrive.
pub fn answer(socket: &UdpSocket) -> Result<()> {
    let mut buffer = [0; 64];
    socket.set_read_timeout(Some(PATIENCE.0))?;
    loop {
        match socket.recv_from(&mut buffer) {
            Ok((length, from)) => {
                socket.send_to(&buffer[..length], from)?;
                socket.set_read_timeout(Some(PATIENCE.1))?;
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                return Ok(());
            }
            Err(error) => return Err(error).context("cannot answer"),
        }
    }
}

/// Sends `times` questions.
pub fn ask(to: &str, port: u16, times: u32) -> Result<Asked> {
    let to = send::resolve(to, port)?;
    let socket = UdpSocket::bind("0.0.0.0:0").context("cannot open a UDP socket")?;
    socket.connect(to).with_context(|| format!("cannot send to {to}"))?;
    socket.set_read_timeout(Some(LATEST))?;
    let _ = nix::sys::prctl::set_timerslack(1);
    let mut trips = Vec::new();
    for question in 0..times {
        let asked = Instant::now();
        socket.send(&question.to_be_bytes()).context("cannot ask")?;
        if is_answered(&socket, question)? {
            trips.push(u64::try_from(asked.elapsed().as_nanos()).unwrap_or(u64::MAX));
        }
        thread::sleep(INTERVAL);
    }
    trips.sort_unstable();
    match trips.get(trips.len() / 2) {
        Some(p50_ns) => Ok(Asked { answered: trips.len() as u64, p50_ns: *p50_ns }),
        None => bail!("{to} does not answer"),
    }
}

/// Waits for the answer to a question. Answers to earlier questions come too late.
fn is_answered(socket: &UdpSocket, question: u32) -> Result<bool> {
    let mut answer = [0; 64];
    loop {
        match socket.recv(&mut answer) {
            Ok(4) if answer[..4] == question.to_be_bytes() => return Ok(true),
            Ok(_) => {}
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                return Ok(false);
            }
            Err(error) => return Err(error).context("cannot hear the answer"),
        }
    }
}
