//! The network between machines, as it is: datagrams take their time, overtake each other, are
//! duplicated and lost.

use netloom_tunnel::{Header, Kind};
use netloom_units::{Duration, Stream, Time};

/// Lengths of full datagrams, of one pair of machines after the other.
#[derive(Debug, Clone)]
pub struct Lengths(pub Vec<usize>);

impl Lengths {
    pub fn all(segment: usize) -> Self {
        Self(vec![segment])
    }

    pub fn of(&self, from: usize, to: usize) -> usize {
        self.0[(3 * from + to) % self.0.len()]
    }
}

/// What happens to datagrams.
#[derive(Debug, Clone)]
pub struct Conditions {
    /// Seed of everything below.
    pub seed: u64,
    /// Least and greatest latency.
    pub latency: [Duration; 2],
    /// Probability that a datagram comes twice.
    pub duplicates: f64,
    /// Probability that a datagram is lost.
    pub loss: f64,
    /// Numbers of datagrams that are lost, among all that carry records.
    pub loses: Vec<u64>,
    pub lengths: Lengths,
}

impl Conditions {
    /// Datagrams take any time up to `slowest`, so that many overtake others.
    pub fn up_to(slowest: Duration, seed: u64) -> Self {
        Self { seed, latency: [Duration::ZERO, slowest], ..Self::constant(slowest) }
    }

    /// All datagrams take the same time.
    pub fn constant(latency: Duration) -> Self {
        let (loses, lengths) = (Vec::new(), Lengths::all(1400));
        Self { seed: 0, latency: [latency; 2], duplicates: 0.0, loss: 0.0, loses, lengths }
    }
}

/// The network between machines.
#[derive(Debug)]
pub struct Underlay {
    pub conditions: Conditions,
    random: Stream,
    /// Number of datagrams with records so far.
    sent: u64,
    /// Datagrams on their way, in the order in which they were sent.
    flying: Vec<Datagram>,
    /// Number of datagrams that came before one that was sent earlier.
    pub overtaken: u64,
}

#[derive(Debug)]
pub struct Datagram {
    pub arrives: Time,
    pub from: usize,
    pub to: usize,
    pub bytes: Vec<u8>,
}

impl Underlay {
    pub fn new(conditions: Conditions) -> Self {
        let random = Stream::new(conditions.seed, "underlay");
        Self { conditions, random, sent: 0, flying: Vec::new(), overtaken: 0 }
    }

    pub fn send(&mut self, now: Time, from: usize, to: usize, bytes: &[u8]) {
        let number = self.sent;
        let header = Header::decode(bytes).expect("it is a datagram");
        self.sent += u64::from(header.kind == Kind::Records);
        let copies = if self.random.chance(self.conditions.duplicates) { 2 } else { 1 };
        for _ in 0..copies {
            let Conditions { loses, loss, .. } = &self.conditions;
            let is_chosen = header.kind == Kind::Records && loses.contains(&number);
            if is_chosen || self.random.chance(*loss) {
                continue;
            }
            let [least, most] = self.conditions.latency.map(Duration::as_nanos);
            let latency = least + self.random.below(most - least + 1);
            let arrives = now + Duration::from_nanos(latency);
            self.flying.push(Datagram { arrives, from, to, bytes: bytes.to_vec() });
        }
    }

    pub fn next_arrival(&self) -> Option<Time> {
        self.flying.iter().map(|datagram| datagram.arrives).min()
    }

    /// Takes the datagrams that have arrived by `now`, in the order of arrival.
    pub fn arrived(&mut self, now: Time) -> Vec<Datagram> {
        let flying = std::mem::take(&mut self.flying).into_iter();
        let mut due = Vec::new();
        for datagram in flying {
            match datagram.arrives <= now {
                true => {
                    self.overtaken += u64::from(!self.flying.is_empty());
                    due.push(datagram);
                }
                false => self.flying.push(datagram),
            }
        }
        due.sort_by_key(|datagram| datagram.arrives);
        due
    }
}
