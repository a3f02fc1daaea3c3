//! What is on a shared medium as frames of IEEE 802.11 behind a radiotap header, as packet sniffers
//! write them. Sources: radiotap.org; IEEE 802.11-2016, 9.2 and 9.3.

use netloom_medium::{Kind, MediumConfig, Receiver, SentRecord, Sniffed};

use super::Heard;
use crate::Frame;

/// What is present: time, flags, rate, channel.
const PRESENT: u32 = 0b1111;
/// Length of the radiotap header.
const LENGTH: u16 = 22;
/// The FCS is behind the frame.
const HAS_FCS: u8 = 0x10;
/// The FCS is wrong.
const BAD_FCS: u8 = 0x40;
/// Rates in Mbit/s that are not sent by OFDM.
const DSSS: [u64; 4] = [1_000_000, 2_000_000, 5_500_000, 11_000_000];
/// The network of stations without an access point.
const NETWORK: [u8; 6] = [0x02, 0, 0, 0, 0, 0];
/// LLC and SNAP before the protocol's number.
const SNAP: [u8; 6] = [0xaa, 0xaa, 0x03, 0, 0, 0];

/// A transmission. `address` gives those of stations.
pub(super) fn heard<F: Frame>(
    sniffed: &Sniffed<F>,
    config: &MediumConfig,
    address: &impl Fn(netloom_medium::StationId) -> [u8; 6],
) -> Heard {
    let Sniffed { at, sent, nav, frame, is_damaged } = sniffed;
    let mut header = radiotap(at.as_nanos() / 1000, sent, config, *is_damaged);
    let mac_at = header.len();
    let duration = u16::try_from(nav.as_nanos().div_ceil(1000)).unwrap_or(u16::MAX).min(0x7fff);
    let to = match sent.to {
        Receiver::Station(id) => address(id),
        Receiver::All => [0xff; 6],
        Receiver::Nobody => [0; 6],
    };
    // Type and subtype; the rest of the frame control field says that it is a repetition.
    let (control, is_data) = match sent.kind {
        Kind::Data | Kind::Jam => (0x08, true),
        Kind::Rts => (0xb4, false),
        Kind::Cts => (0xc4, false),
        Kind::Ack => (0xd4, false),
    };
    let retry = if is_data && sent.attempt > 1 { 0x08 } else { 0 };
    header.extend([control, retry]);
    header.extend(duration.to_le_bytes());
    match frame {
        Some(frame) if is_data => {
            let (source, destination) = super::addresses(frame.start());
            header.extend(destination.bytes());
            header.extend(source.bytes());
            header.extend(NETWORK);
            let number = sent.frame.unwrap_or_default() as u16 & 0x0fff;
            header.extend((number << 4).to_le_bytes());
            header.extend(SNAP);
        }
        _ => {
            header.extend(to);
            if matches!(sent.kind, Kind::Rts | Kind::Data | Kind::Jam) {
                header.extend(address(sent.station));
            }
        }
    }
    Heard { at: *at, header, mac_at, is_damaged: *is_damaged }
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
