//! The ways to a peer and back, in a survey: how long datagrams take, and how long they may be.
//! Not here: when probes are sent.

use netloom_clock::{Exchange, Line};
use netloom_tunnel::{Burst, Message, Path, Receiver, Sender};
use netloom_units::Duration;

use super::{CLOCK_PATH, Cipher, Tunnels};
use crate::DataplaneError;
use crate::peer_id::PeerId;

/// What is learnt of the ways to one peer and back.
#[derive(Debug)]
pub(super) struct Ways {
    /// Time between two probes, in ns.
    pub period: u64,
    exchanges: Vec<Exchange>,
    /// In ascending order.
    lengths: Vec<Length>,
    next: usize,
}

/// A length of datagrams. Each has a path of its own.
#[derive(Debug)]
struct Length {
    bytes: usize,
    path: Path,
    sender: Sender<Cipher>,
    receiver: Receiver<Cipher>,
    came: bool,
}

/// What is known of the ways to a peer and back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct WaysStatus {
    /// Time that 99.9 % of the datagrams took there, and back.
    pub delays: Option<[Duration; 2]>,
    /// Longest datagram that came there, in bytes.
    pub longest: Option<usize>,
}

impl Ways {
    pub fn new(
        tunnels: &Tunnels,
        peer: PeerId,
        lengths: &[usize],
        period: u64,
    ) -> Result<Self, DataplaneError> {
        let session = tunnels.session_with(peer);
        let lengths = (0..).zip(lengths).map(|(place, bytes)| {
            let path = Path { session, number: CLOCK_PATH - 1 - place };
            let [to, from] = tunnels.ciphers(peer);
            let sender = Sender::new(path, *bytes, to)?;
            Ok(Length {
                bytes: *bytes,
                path,
                sender,
                receiver: Receiver::new(path, from, []),
                came: false,
            })
        });
        let lengths = lengths.collect::<Result<_, DataplaneError>>()?;
        Ok(Self { period, exchanges: Vec::new(), lengths, next: 0 })
    }

    /// Returns the next probe of a length that is longer than what came, and the length's place.
    pub fn probe(&mut self, sent: i64) -> Option<(usize, Burst<'_>)> {
        let first = self.lengths.iter().rposition(|length| length.came).map_or(0, |at| at + 1);
        let place =
            if (first..self.lengths.len()).contains(&self.next) { self.next } else { first };
        self.next = place + 1;
        let length = self.lengths.get_mut(place)?;
        Some((place, length.sender.message(&Message::Probe { sent })))
    }

    /// Returns what opens the datagrams of a path.
    pub fn receiver(&mut self, path: Path) -> Option<&mut Receiver<Cipher>> {
        let length = self.lengths.iter_mut().find(|length| length.path == path);
        length.map(|length| &mut length.receiver)
    }

    /// Takes note that a probe was answered, of the length in this place or of none.
    pub fn answered(&mut self, length: Option<usize>, exchange: Exchange) {
        match length {
            Some(place) => self.lengths[place].came = true,
            None => self.exchanges.push(exchange),
        }
    }

    /// Returns what is known so far, by what is known of the peer's clock.
    pub fn status(&self, line: Option<Line>) -> WaysStatus {
        let longest = self.lengths.iter().rev().find(|length| length.came);
        WaysStatus {
            delays: line.and_then(|line| self.delays(line)),
            longest: longest.map(|length| length.bytes),
        }
    }

    fn delays(&self, line: Line) -> Option<[Duration; 2]> {
        let of = |delay: fn(&Exchange, i64) -> i64| {
            let delays = self.exchanges.iter();
            let mut delays: Vec<i64> =
                delays.map(|one| delay(one, line.offset(one.t4).middle)).collect();
            delays.sort_unstable();
            let rank = (delays.len() * 999).div_ceil(1000);
            let delay = *delays.get(rank.checked_sub(1)?)?;
            Some(Duration::from_nanos(u64::try_from(delay).unwrap_or(0)))
        };
        let there = of(|one, offset| one.t2 - (one.t1 + offset))?;
        let back = of(|one, offset| one.t4 + offset - one.t3)?;
        Some([there, back])
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::*;

    fn ways() -> Ways {
        let tunnels = Tunnels {
            me: PeerId(0),
            peers: vec![PeerId(1)],
            session: 1,
            bind: IpAddr::V4(Ipv4Addr::LOCALHOST),
            ports: 0..=0,
            datagram: 1252,
            secret: None,
        };
        Ways::new(&tunnels, PeerId(1), &[1252, 1472, 8972], 1_000_000).unwrap()
    }

    #[test]
    fn lengths_are_tried_in_turn_until_one_comes_and_then_longer_ones() {
        let mut ways = ways();
        let exchange = Exchange { t1: 0, t2: 0, t3: 0, t4: 0 };
        let next = |ways: &mut Ways| ways.probe(0).map(|(place, probe)| (place, probe.bytes.len()));
        assert_eq!(next(&mut ways), Some((0, 1252)));
        assert_eq!(next(&mut ways), Some((1, 1472)));
        ways.answered(Some(1), exchange);
        assert_eq!(next(&mut ways), Some((2, 8972)));
        assert_eq!(next(&mut ways), Some((2, 8972)));
        assert_eq!(ways.status(None).longest, Some(1472));
        ways.answered(Some(2), exchange);
        assert_eq!(next(&mut ways), None);
    }

    #[test]
    fn delays_are_those_of_each_direction() {
        let mut ways = ways();
        let line = Line { at: 0, offset: 1_000_000, bound: 0, rate: 0.0, growth: 0.0 };
        assert_eq!(ways.status(Some(line)).delays, None);
        for number in 0..1000 {
            // One of a thousand takes longer, and is left out.
            let there = if number == 500 { 9_000 } else { 100 };
            let (t1, theirs) = (number * 10_000, number * 10_000 + 1_000_000);
            let (t2, t3) = (theirs + there, theirs + there + 50);
            let t4 = t3 - 1_000_000 + 300;
            ways.answered(None, Exchange { t1, t2, t3, t4 });
        }
        let delays = [100, 300].map(Duration::from_nanos);
        assert_eq!(ways.status(Some(line)).delays, Some(delays));
    }
}
