//! Counts datagrams, flow by flow, with the kernel's time of each arrival.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, IoSliceMut};
use std::net::UdpSocket;
use std::os::fd::AsRawFd;
use std::time::Duration;

use anyhow::{Context, Result};
use nix::errno::Errno;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg, setsockopt, sockopt};
use nix::sys::time::{TimeSpec, TimeValLike};

use super::clock::Clock;
use super::so_far::SoFar;
use super::stop::Stop;
use super::tally::Tally;
use super::wire::{LAST, Stamp, headers};
use super::{Receive, ReceivedReport};

/// How long it waits for a datagram before it checks whether it has to end.
const PATIENCE: Duration = Duration::from_millis(100);
/// Size of the socket's buffer, in bytes. A receiver that the machine does not wake for some ms
/// must not lose what the network delivered.
const BUFFER: usize = 8 << 20;

/// Counts datagrams until the end is requested and nothing arrives any more.
pub fn receive(
    order: &Receive,
    clock: &Clock,
    stop: &Stop,
    ready: impl FnOnce(),
) -> Result<ReceivedReport> {
    let Receive { port, ip, .. } = *order;
    let listen = || format!("cannot listen on UDP port {port}");
    let socket = UdpSocket::bind((ip.any(), port)).with_context(listen)?;
    // Only root may exceed the machine's limit. A smaller buffer is better than none.
    let _ = setsockopt(&socket, sockopt::RcvBufForce, &BUFFER)
        .or_else(|_| setsockopt(&socket, sockopt::RcvBuf, &BUFFER));
    setsockopt(&socket, sockopt::ReceiveTimestampns, &true).context("no times of arrivals")?;
    socket.set_read_timeout(Some(PATIENCE)).with_context(listen)?;
    ready();
    let mut flows: BTreeMap<u16, Tally> = BTreeMap::new();
    let mut buffer = vec![0; 1 << 16];
    let mut control = nix::cmsg_space!(TimeSpec);
    let (mut ended, mut asked) = (BTreeSet::new(), None);
    loop {
        if stop.is_overdue(&mut asked, clock) {
            break;
        }
        stop.answer(|| {
            SoFar::received(flows.iter().map(|(flow, tally)| (*flow, tally.intervals())))
        });
        match datagram(&socket, &mut buffer, &mut control) {
            Ok((length, real)) => {
                let Some(stamp) = Stamp::read(&buffer[..length]) else { continue };
                if stamp.number == LAST {
                    ended.insert(stamp.flow);
                    continue;
                }
                let at = real.map_or_else(|| clock.now(), |real| clock.at_real(real));
                let tally = flows.entry(stamp.flow).or_insert_with(Tally::new);
                let bytes = length as u64 + u64::from(headers(ip));
                let delay = at.saturating_sub(stamp.at);
                tally.arrived(stamp.number, clock.interval(stamp.at), bytes, delay);
            }
            // Nothing has come for a while, and nothing is under way: neither a flow that has
            // begun, nor one of which nothing has arrived yet.
            Err(Errno::EAGAIN)
                if flows.keys().all(|flow| ended.contains(flow))
                    && stop.has_been_for(clock.round_trip(), &mut asked, clock) =>
            {
                break;
            }
            Err(Errno::EAGAIN | Errno::EINTR) => {}
            Err(error) => return Err(io::Error::from(error)).context("cannot receive"),
        }
    }
    let mut report = ReceivedReport::default();
    for (flow, tally) in flows {
        let (intervals, delays) = tally.into_parts();
        report.flows.insert(flow, intervals);
        report.delays.insert(flow, delays);
    }
    Ok(report)
}

/// The next datagram: its length, and its arrival by the machine's calendar clock, in ns.
fn datagram(
    socket: &UdpSocket,
    buffer: &mut [u8],
    control: &mut [u8],
) -> nix::Result<(usize, Option<u64>)> {
    let mut slices = [IoSliceMut::new(buffer)];
    let message = recvmsg::<()>(socket.as_raw_fd(), &mut slices, Some(control), MsgFlags::empty())?;
    let stamp = message.cmsgs()?.find_map(|control| match control {
        ControlMessageOwned::ScmTimestampns(time) => u64::try_from(time.num_nanoseconds()).ok(),
        _ => None,
    });
    Ok((message.bytes, stamp))
}
