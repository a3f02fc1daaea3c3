//! Answers of a real node's neighbours to requests for their Ethernet addresses, by ARP (RFC 826)
//! and neighbour discovery (RFC 4861). Simulated nodes find each other's addresses without these
//! protocols.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::headers::icmp;

/// An interface that answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbour {
    /// Ethernet address of the neighbour.
    pub mac: [u8; 6],
    /// Addresses of the neighbour.
    pub addresses: Vec<IpAddr>,
    /// Whether its node forwards packets.
    pub forwards: bool,
}

const ARP: u16 = 0x0806;
const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86dd;
const ICMPV6: u8 = 58;
/// Message types of neighbour discovery.
const SOLICITATION: u8 = 135;
const ADVERTISEMENT: u8 = 136;
/// Flags of an advertisement: the sender is a router; it was solicited; it replaces what is cached.
const ROUTER: u8 = 0x80;
const SOLICITED: u8 = 0x40;
const OVERRIDE: u8 = 0x20;

/// Returns the destination Ethernet address of an untagged frame, and the IP packet in it.
pub fn packet_of(frame: &[u8]) -> Option<([u8; 6], &[u8])> {
    let is_ip = matches!(ether_type(frame)?, IPV4 | IPV6);
    is_ip.then_some(())?;
    Some((*frame.first_chunk()?, &frame[14..]))
}

/// Returns a frame with an IP packet, from one Ethernet address to another.
pub fn frame_of(from: [u8; 6], to: [u8; 6], packet: &[u8]) -> Vec<u8> {
    let is_v6 = packet.first().is_some_and(|first| first >> 4 == 6);
    let ether_type = if is_v6 { IPV6 } else { IPV4 };
    [&to[..], &from, &ether_type.to_be_bytes(), packet].concat()
}

fn ether_type(frame: &[u8]) -> Option<u16> {
    Some(u16::from_be_bytes(*frame.get(12..)?.first_chunk()?))
}

impl Neighbour {
    /// Returns the frame with which the interface answers, if `frame` asks for its Ethernet
    /// address.
    pub fn answer(&self, frame: &[u8]) -> Option<Vec<u8>> {
        match ether_type(frame)? {
            ARP => self.answer_arp(frame),
            IPV6 => self.answer_solicitation(frame),
            _ => None,
        }
    }

    fn answer_arp(&self, frame: &[u8]) -> Option<Vec<u8>> {
        let request: &[u8; 28] = frame.get(14..)?.first_chunk()?;
        // The header of a request for Ethernet and IPv4.
        if request[..8] != [0, 1, 8, 0, 6, 4, 0, 1] {
            return None;
        }
        let asked: [u8; 4] = *request[24..].first_chunk()?;
        self.addresses.contains(&IpAddr::V4(Ipv4Addr::from(asked))).then_some(())?;
        let (sender, asker) = (&request[8..14], &request[8..18]);
        let header = [sender, &self.mac, &ARP.to_be_bytes()].concat();
        let reply = [&[0, 1, 8, 0, 6, 4, 0, 2], &self.mac[..], &asked, asker].concat();
        Some([header, reply].concat())
    }

    fn answer_solicitation(&self, frame: &[u8]) -> Option<Vec<u8>> {
        let packet = &frame[14..];
        let message = packet.get(40..)?;
        if packet[6] != ICMPV6 || packet[7] != 255 || *message.first()? != SOLICITATION {
            return None;
        }
        let target: [u8; 16] = *message.get(8..)?.first_chunk()?;
        let address = Ipv6Addr::from(target);
        self.addresses.contains(&IpAddr::V6(address)).then_some(())?;
        let asker = Ipv6Addr::from(*packet.get(8..)?.first_chunk::<16>()?);
        // An asker without an address checks whether another node has the one that it wants. The
        // answer goes to all nodes.
        let everybody = Ipv6Addr::new(0xff02, 0, 0, 0, 0, 0, 0, 1);
        let (to, solicited) = match asker.is_unspecified() {
            true => (everybody, 0),
            false => (asker, SOLICITED),
        };
        let router = if self.forwards { ROUTER } else { 0 };
        let option = [&[2, 1], &self.mac[..]].concat();
        let ends = [address, to].map(IpAddr::V6);
        let flags = [router | solicited | OVERRIDE, 0, 0, 0];
        let body = icmp([ADVERTISEMENT, 0], flags, ends, &[&target[..], &option].concat());
        let mut reply = vec![0x60, 0, 0, 0];
        reply.extend((body.len() as u16).to_be_bytes());
        reply.extend([ICMPV6, 255]);
        reply.extend(target);
        reply.extend(to.octets());
        reply.extend(body);
        Some(frame_of(self.mac, *frame.get(6..)?.first_chunk()?, &reply))
    }
}

#[cfg(test)]
mod tests {
    use etherparse::{SlicedPacket, TransportSlice};

    use super::*;

    fn router() -> Neighbour {
        Neighbour {
            mac: [2, 0, 0, 0, 0, 9],
            addresses: ["10.0.0.2", "fe80::9"].map(|text| text.parse().unwrap()).to_vec(),
            forwards: true,
        }
    }

    fn request(to: [u8; 4]) -> Vec<u8> {
        let (own, all) = ([2, 0, 0, 0, 0, 1], [0xff; 6]);
        let arp = [&[0, 1, 8, 0, 6, 4, 0, 1], &own[..], &[10, 0, 0, 1], &[0; 6], &to].concat();
        [&all[..], &own, &ARP.to_be_bytes(), &arp].concat()
    }

    #[test]
    fn who_asks_by_arp_is_answered_if_it_is_for_the_neighbour() {
        let reply = router().answer(&request([10, 0, 0, 2])).unwrap();
        assert_eq!(reply[..12], [2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 9]);
        let answer = [0, 2, 2, 0, 0, 0, 0, 9, 10, 0, 0, 2, 2, 0, 0, 0, 0, 1, 10, 0, 0, 1];
        assert_eq!(reply[20..], answer);
        assert_eq!(router().answer(&request([10, 0, 0, 3])), None);
        assert_eq!(router().answer(&request([10, 0, 0, 2])[..40]), None);
    }

    #[test]
    fn who_solicits_is_advertised_to() {
        let (from, to) = ("fe80::1", "ff02::1:ff00:9");
        let [from, to] = [from, to].map(|text| text.parse::<Ipv6Addr>().unwrap());
        let target = "fe80::9".parse::<Ipv6Addr>().unwrap().octets();
        let body = icmp([SOLICITATION, 0], [0; 4], [from, to].map(IpAddr::V6), &target);
        let mut packet = vec![0x60, 0, 0, 0, 0, body.len() as u8, ICMPV6, 255];
        packet.extend(from.octets());
        packet.extend(to.octets());
        packet.extend(body);
        let frame = frame_of([2, 0, 0, 0, 0, 1], [0x33, 0x33, 0xff, 0, 0, 9], &packet);
        let reply = router().answer(&frame).unwrap();
        let sliced = SlicedPacket::from_ethernet(&reply).unwrap();
        let Some(TransportSlice::Icmpv6(icmp)) = &sliced.transport else { panic!("{sliced:?}") };
        assert!(icmp.is_checksum_valid(target, from.octets()));
        assert_eq!((icmp.type_u8(), icmp.bytes5to8()), (ADVERTISEMENT, [0xe0, 0, 0, 0]));
        assert_eq!(icmp.payload(), [&target[..], &[2, 1, 2, 0, 0, 0, 0, 9]].concat());
        // A frame that ends too early is not a question.
        assert!((0..frame.len()).all(|end| router().answer(&frame[..end]).is_none()));
    }
}
