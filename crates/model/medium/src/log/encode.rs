//! Encoding of events as bytes.
//!
//! All integers are varints (LEB128: seven bits a byte, least significant first, the high bit set
//! on all but the last byte). Times are differences from the previous event.

use netloom_units::Time;

use super::{
    AIR_LOG_VERSION, AirEvent, AirLogHeader, AirOccurrence, CHANGED, DROPPED, EARLY_VERSION, HEARD,
    JOINED, LEFT, MAGIC, OFFERED, REST, SENT, SentRecord,
};
use crate::{FrameLoss, Kind, Receiver};

/// Writes an air log: the header first, then events in order of time.
#[derive(Debug)]
pub struct AirLogWriter {
    at: Time,
}

impl AirLogWriter {
    /// Writes `header` to `out` and returns a writer.
    pub fn new(header: &AirLogHeader, out: &mut Vec<u8>) -> Self {
        let before_zero = Time::ZERO.since(header.start).as_nanos();
        out.extend_from_slice(MAGIC);
        out.push(if before_zero > 0 { EARLY_VERSION } else { AIR_LOG_VERSION });
        text(&header.medium, out);
        varint(header.seed, out);
        if before_zero > 0 {
            varint(before_zero, out);
        }
        Self { at: header.start.min(Time::ZERO) }
    }

    /// Writes `event` to `out`.
    pub fn write(&mut self, event: &AirEvent, out: &mut Vec<u8>) {
        let after = event.at.since(self.at).as_nanos();
        self.at = event.at;
        let mut begin = |kind: u8, rest: u8| {
            out.push(kind | rest << REST);
            varint(after, out);
        };
        match &event.what {
            AirOccurrence::Offered { station, to, bytes, refused } => {
                begin(OFFERED, loss_code(*refused));
                varint(station.0.into(), out);
                receiver(*to, out);
                varint((*bytes).into(), out);
            }
            AirOccurrence::Sent(record) => {
                begin(SENT, kind_code(record.kind));
                sent(record, out);
            }
            AirOccurrence::Heard { sender, number, station, loss } => {
                begin(HEARD, loss_code(*loss));
                varint(sender.0.into(), out);
                varint(*number, out);
                varint(station.0.into(), out);
            }
            AirOccurrence::Dropped { station, number, reason } => {
                begin(DROPPED, loss_code(Some(*reason)));
                varint(station.0.into(), out);
                varint(*number, out);
            }
            AirOccurrence::Changed(change) => {
                begin(CHANGED, 0);
                text(change, out);
            }
            AirOccurrence::Joined { station, config } => {
                begin(JOINED, 0);
                varint(station.0.into(), out);
                text(config, out);
            }
            AirOccurrence::Left { station } => {
                begin(LEFT, 0);
                varint(station.0.into(), out);
            }
        }
    }
}

fn sent(record: &SentRecord, out: &mut Vec<u8>) {
    varint(record.station.0.into(), out);
    receiver(record.to, out);
    varint(record.number, out);
    varint(record.frame.map_or(0, |frame| frame + 1), out);
    varint(record.bytes.into(), out);
    varint(record.rate.bits_per_second(), out);
    varint(record.airtime.as_nanos(), out);
    varint(record.attempt.into(), out);
    varint(record.window.into(), out);
    varint(record.slots.into(), out);
}

/// Returns 0 for no loss, or the index of the reason plus 1.
fn loss_code(loss: Option<FrameLoss>) -> u8 {
    loss.map_or(0, |loss| loss as u8 + 1)
}

fn kind_code(kind: Kind) -> u8 {
    kind as u8
}

/// Writes 0 for all, 1 for nobody, or a station's number plus 2.
fn receiver(to: Receiver, out: &mut Vec<u8>) {
    let code = match to {
        Receiver::All => 0,
        Receiver::Nobody => 1,
        Receiver::Station(station) => u64::from(station.0) + 2,
    };
    varint(code, out);
}

fn text(text: &str, out: &mut Vec<u8>) {
    varint(text.len() as u64, out);
    out.extend_from_slice(text.as_bytes());
}

fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
