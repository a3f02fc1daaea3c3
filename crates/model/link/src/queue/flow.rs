//! Assignment of packets to flows by a hash of the 5-tuple. Not here: the queues of flows.

use std::net::IpAddr;

use crate::{Header, Stream};
use netloom_units::mix;

/// A hash of addresses, protocol and ports. It differs from pipe to pipe, so flows that share a
/// bucket in one pipe do not share one in the next.
#[derive(Debug, Clone, Copy)]
pub(super) struct FlowHash {
    perturbation: u64,
}

impl FlowHash {
    pub fn new(stream: &Stream) -> Self {
        Self { perturbation: stream.fork("flow hash").uniform().to_bits() }
    }

    /// Returns the bucket of a packet's flow, below `buckets`. All frames that are not IP are one
    /// flow.
    #[inline]
    pub fn bucket(self, header: Option<&Header>, buckets: usize) -> usize {
        let hash = header.map_or(0, |header| {
            let ports = u64::from(header.source_port) << 16 | u64::from(header.destination_port);
            let rest = u64::from(header.protocol) << 32 | ports;
            let hash = mix(self.perturbation ^ rest);
            absorb(absorb(hash, header.source), header.destination)
        });
        // The high bits choose the bucket: its index is hash / 2⁶⁴ · buckets.
        ((u128::from(hash) * buckets as u128) >> 64) as usize
    }
}

#[inline]
fn absorb(hash: u64, address: IpAddr) -> u64 {
    match address {
        IpAddr::V4(address) => mix(hash ^ u64::from(address.to_bits())),
        IpAddr::V6(address) => {
            let bits = address.to_bits();
            mix(mix(hash ^ (bits >> 64) as u64) ^ bits as u64)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ecn;

    fn header(source_port: u16) -> Header {
        Header {
            source: "10.0.0.1".parse().unwrap(),
            destination: "10.0.0.2".parse().unwrap(),
            protocol: 6,
            source_port,
            destination_port: 80,
            dscp: 0,
            ecn: Ecn::NotCapable,
        }
    }

    /// 64,000 flows in 64 buckets: χ² with 63 degrees of freedom stays below its 99 % quantile, 92.
    #[test]
    fn flows_spread_evenly() {
        let hash = FlowHash::new(&Stream::new(3, "p"));
        let mut counts = [0u32; 64];
        for port in 0..64_000 {
            counts[hash.bucket(Some(&header(port)), 64)] += 1;
        }
        let chi: f64 = counts.iter().map(|n| (f64::from(*n) - 1000.0).powi(2) / 1000.0).sum();
        assert!(chi < 92.0, "{chi}");
    }

    #[test]
    fn a_flow_is_its_five_tuple() {
        let hash = FlowHash::new(&Stream::new(3, "p"));
        let bucket = |header: Header| hash.bucket(Some(&header), 1 << 40);
        let same = Header { dscp: 46, ecn: Ecn::Capable0, ..header(1) };
        assert_eq!(bucket(header(1)), bucket(same));
        let other = [
            Header { protocol: 17, ..header(1) },
            Header { destination_port: 81, ..header(1) },
            Header { source: "10.0.0.3".parse().unwrap(), ..header(1) },
            Header { destination: "fd00::1".parse().unwrap(), ..header(1) },
            header(2),
        ];
        assert!(other.into_iter().all(|other| bucket(other) != bucket(header(1))));
    }

    #[test]
    fn buckets_differ_from_pipe_to_pipe() {
        let buckets = |seed| {
            let hash = FlowHash::new(&Stream::new(seed, "p"));
            (0..8).map(|port| hash.bucket(Some(&header(port)), 1024)).collect::<Vec<_>>()
        };
        assert_eq!(buckets(1), buckets(1));
        assert_ne!(buckets(1), buckets(2));
    }
}
