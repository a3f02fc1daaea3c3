//! Transmissions on a shared medium as frames of IEEE 802.11 behind a radiotap header, as packet
//! sniffers write them. Sources: radiotap.org; IEEE 802.11-2016, 9.2 and 9.3.

use netloom_medium::{Kind, MediumConfig, Receiver, SentRecord, Sniffed, StationId};

use super::SniffedFrame;
use super::addresses::addresses;
use crate::Frame;

/// Fields that are present: time, flags, rate, channel.
const PRESENT: u32 = 0b1111;
/// Length of the radiotap header.
const LENGTH: u16 = 22;
/// Flag: the FCS is behind the frame.
const HAS_FCS: u8 = 0x10;
/// Flag: the FCS is wrong.
const BAD_FCS: u8 = 0x40;
/// Rates, in bit/s, that do not use OFDM.
const DSSS: [u64; 4] = [1_000_000, 2_000_000, 5_500_000, 11_000_000];
/// Types and subtypes of frames: the first byte of their frame control field.
const DATA: u8 = 0x08;
const BEACON: u8 = 0x80;
const RTS: u8 = 0xb4;
const CTS: u8 = 0xc4;
const ACK: u8 = 0xd4;
/// Flags in the second byte: to and from the distribution system (an access point), and retry.
const TO_DS: u8 = 0x01;
const FROM_DS: u8 = 0x02;
const RETRY: u8 = 0x08;
/// Capability bit ESS, which access points set in beacons.
const ESS: u16 = 1;
/// BSSID of an IBSS: stations without an access point.
const IBSS: [u8; 6] = [0x02, 0, 0, 0, 0, 0];
/// LLC and SNAP before the protocol's number.
const SNAP: [u8; 6] = [0xaa, 0xaa, 0x03, 0, 0, 0];

/// Names and addresses on a medium, as they appear in frames.
pub(super) struct Directory<'a> {
    /// Name of the medium.
    pub name: &'a str,
    /// Configuration of the medium.
    pub config: &'a MediumConfig,
    /// Returns the address of a station.
    pub address: &'a dyn Fn(StationId) -> [u8; 6],
    /// Returns whether a station is an access point.
    pub is_access_point: &'a dyn Fn(StationId) -> bool,
}

/// Converts a transmission for a sniffer.
pub(super) fn encapsulate<F: Frame>(
    sniffed: &Sniffed<F>,
    directory: &Directory<'_>,
) -> SniffedFrame {
    let Sniffed { at, sent, nav, frame, is_damaged } = sniffed;
    let mut header = radiotap(at.as_nanos() / 1000, sent, directory.config, *is_damaged);
    let mac_at = header.len();
    let is_data = matches!(sent.kind, Kind::Data | Kind::Jam);
    let mut control = match sent.kind {
        Kind::Data | Kind::Jam if frame.is_some() => [DATA, 0],
        Kind::Data | Kind::Jam => [BEACON, 0],
        Kind::Rts => [RTS, 0],
        Kind::Cts => [CTS, 0],
        Kind::Ack => [ACK, 0],
    };
    if is_data && sent.attempt > 1 {
        control[1] |= RETRY;
    }
    let duration = u16::try_from(nav.as_nanos().div_ceil(1000)).unwrap_or(u16::MAX).min(0x7fff);
    let place = header.len();
    header.extend(control);
    header.extend(duration.to_le_bytes());
    let me = (directory.address)(sent.station);
    // Repetitions of a frame carry the same number.
    let number = ((sent.frame.unwrap_or(sent.number) as u16 & 0x0fff) << 4).to_le_bytes();
    match frame {
        Some(frame) if is_data => {
            let (source, destination) = addresses(frame.start());
            let (flag, addresses) = ways(sent, directory, source.bytes(), destination.bytes());
            header[place + 1] |= flag;
            header.extend(addresses.as_flattened());
            header.extend(number);
            header.extend(SNAP);
        }
        _ if is_data => {
            header.extend([[0xff; 6], me, me].as_flattened());
            header.extend(number);
            header.extend(beacon(at.as_nanos() / 1000, directory));
        }
        _ => {
            header.extend(match sent.to {
                Receiver::Station(id) => (directory.address)(id),
                Receiver::All => [0xff; 6],
                Receiver::Nobody => [0; 6],
            });
            if sent.kind == Kind::Rts {
                header.extend(me);
            }
        }
    }
    SniffedFrame { at: *at, header, mac_at, is_damaged: *is_damaged }
}

/// Returns the flags of the direction, to an access point or from one, and the three addresses.
fn ways(
    sent: &SentRecord,
    directory: &Directory<'_>,
    source: [u8; 6],
    destination: [u8; 6],
) -> (u8, [[u8; 6]; 3]) {
    let me = (directory.address)(sent.station);
    match sent.to {
        _ if (directory.is_access_point)(sent.station) => (FROM_DS, [destination, me, source]),
        Receiver::Station(to) if (directory.is_access_point)(to) => {
            (TO_DS, [(directory.address)(to), source, destination])
        }
        _ => (0, [destination, source, IBSS]),
    }
}

/// Returns the body of a beacon, up to the name of the network.
fn beacon(micros: u64, directory: &Directory<'_>) -> Vec<u8> {
    let mut body = Vec::from(micros.to_le_bytes());
    let interval = directory.config.beacons.map_or(0, |every| every.as_nanos() / 1_024_000);
    body.extend(u16::try_from(interval).unwrap_or(u16::MAX).to_le_bytes());
    body.extend(ESS.to_le_bytes());
    let name = &directory.name.as_bytes()[..directory.name.len().min(32)];
    body.extend([0, name.len() as u8]);
    body.extend(name);
    body
}

fn radiotap(micros: u64, sent: &SentRecord, config: &MediumConfig, is_damaged: bool) -> Vec<u8> {
    let mut header = vec![0, 0];
    header.extend(LENGTH.to_le_bytes());
    header.extend(PRESENT.to_le_bytes());
    header.extend(micros.to_le_bytes());
    header.push(HAS_FCS | if is_damaged { BAD_FCS } else { 0 });
    let rate = sent.rate.bits_per_second();
    header.push(u8::try_from(rate / 500_000).unwrap_or(u8::MAX));
    let megahertz = config.radio.frequency.hertz() / 1_000_000;
    header.extend(u16::try_from(megahertz).unwrap_or(u16::MAX).to_le_bytes());
    let modulation: u16 = if DSSS.contains(&rate) { 0x0020 } else { 0x0040 };
    let band: u16 = if megahertz < 4000 { 0x0080 } else { 0x0100 };
    header.extend((modulation | band).to_le_bytes());
    header
}
