//! Accepts TCP connections and counts what they bring.

use std::collections::BTreeMap;
use std::io;
use std::io::Read;
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::sync::{Mutex, PoisonError};
use std::thread;

use anyhow::{Context, Result};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::clock::Clock;
use super::connection::{self, MAGIC, PATIENCE, is_impatience};
use super::so_far::SoFar;
use super::stop::Stop;
use super::tally::Flows;
use super::{Receive, ReceivedReport, http};

/// Counts traffic to the order's port until the end is requested.
pub fn receive(
    order: &Receive,
    clock: &Clock,
    stop: &Stop,
    ready: impl FnOnce(),
) -> Result<ReceivedReport> {
    let port = order.port;
    let listen = || format!("cannot listen on TCP port {port}");
    let listener = TcpListener::bind((order.ip.any(), port)).with_context(listen)?;
    listener.set_nonblocking(true).with_context(listen)?;
    // Accepted connections inherit what the listener has. With the listener's control, the kernel
    // also decides on ECN, before there is a connection.
    let control = order.congestion_control.as_deref();
    match order.serves {
        true => connection::adjust(&listener, order.ip, control, order.dscp)?,
        false => connection::receive_for(&listener, order.ip, control)?,
    }
    ready();
    let take = if order.serves { serve } else { count };
    let flows = Mutex::new(BTreeMap::new());
    thread::scope(|scope| -> Result<()> {
        loop {
            stop.answer(|| {
                let flows = flows.lock().unwrap_or_else(PoisonError::into_inner);
                SoFar::received(flows.iter().map(|(flow, of)| (*flow, of)))
            });
            match listener.accept() {
                Ok((stream, _)) => _ = scope.spawn(|| take(stream, clock, stop, &flows)),
                // All connections that came before the end have been accepted.
                Err(error) if is_impatience(&error) && stop.is_asked() => return Ok(()),
                Err(error) if is_impatience(&error) => wait(&listener),
                // The peer has gone again, or descriptors are scarce. Other connections may come.
                Err(error) => eprintln!("cannot take a connection: {error}"),
            }
        }
    })?;
    let flows = flows.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(ReceivedReport { flows, ..ReceivedReport::default() })
}

/// Waits for a connection, for a short time.
fn wait(listener: &TcpListener) {
    let mut descriptors = [PollFd::new(listener.as_fd(), PollFlags::POLLIN)];
    // A wait that a signal interrupts is only shorter.
    let _ = poll(&mut descriptors, PollTimeout::from(50u8));
}

/// Counts the bytes of one connection. If it breaks, the bytes that came still count.
fn count(stream: TcpStream, clock: &Clock, stop: &Stop, flows: &Flows) {
    if let Err(error) = counted(stream, clock, stop, flows) {
        eprintln!("a connection broke: {error}");
    }
}

/// Serves the requests of a client.
fn serve(stream: TcpStream, clock: &Clock, stop: &Stop, flows: &Flows) {
    if let Err(error) = http::serve(stream, clock, stop, flows) {
        eprintln!("a connection broke: {error}");
    }
}

fn counted(mut stream: TcpStream, clock: &Clock, stop: &Stop, flows: &Flows) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut asked = None;
    // Reads the next bytes. Returns none at the end, even if data still arrives.
    let mut read = |buffer: &mut [u8]| {
        while !stop.is_overdue(&mut asked, clock) {
            match stream.read(buffer) {
                Err(error) if is_impatience(&error) => {}
                read => return read,
            }
        }
        Ok(0)
    };
    let mut head = [0; MAGIC.len() + 2];
    let mut filled = 0;
    while filled < head.len() {
        match read(&mut head[filled..])? {
            0 => return Ok(()),
            length => filled += length,
        }
    }
    let Some(&[high, low]) = head.strip_prefix(&MAGIC) else {
        return Err(io::Error::other("it is not from a sender of this run"));
    };
    let flow = u16::from_be_bytes([high, low]);
    let mut buffer = vec![0; 256 << 10];
    loop {
        let length = read(&mut buffer)?;
        if length == 0 {
            return Ok(());
        }
        let mut flows = flows.lock().unwrap_or_else(PoisonError::into_inner);
        let intervals = flows.entry(flow).or_default();
        intervals.entry(clock.interval(clock.now())).or_default().bytes += length as u64;
    }
}
