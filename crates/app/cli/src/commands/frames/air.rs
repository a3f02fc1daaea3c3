//! The rows of an air log.

use std::collections::BTreeMap;

use anyhow::Result;
use netloom_columnar::{Cell, Column, Kind, Table};
use netloom_medium::{
    AirEvent, AirLogReader, AirOccurrence, FrameLoss, Receiver, SentRecord, StationConfig,
    StationId,
};

/// The columns of events.
pub const COLUMNS: &[Column<'static>] = &[
    ("time_ns", Kind::Number),
    ("event", Kind::Name),
    ("station", Kind::MaybeName),
    ("kind", Kind::MaybeName),
    ("to", Kind::MaybeName),
    ("from", Kind::MaybeName),
    ("reason", Kind::MaybeName),
    ("number", Kind::MaybeNumber),
    ("frame", Kind::MaybeNumber),
    ("bytes", Kind::MaybeNumber),
    ("rate_bit_s", Kind::MaybeNumber),
    ("airtime_ns", Kind::MaybeNumber),
    ("attempt", Kind::MaybeNumber),
    ("window", Kind::MaybeNumber),
    ("slots", Kind::MaybeNumber),
    ("what", Kind::MaybeName),
];

/// Fills tables with the events of a log.
pub fn convert(log: &[u8], tables: &mut [Box<dyn Table>]) -> Result<()> {
    let mut names = Names::default();
    for event in AirLogReader::new(log)? {
        let event = event?;
        names.learn(&event);
        let texts = names.texts(&event);
        let row = row(&event, &texts);
        tables.iter_mut().try_for_each(|table| table.row(&row))?;
    }
    Ok(())
}

/// Returns an event as a line.
pub fn in_words(event: &AirEvent) -> String {
    let AirEvent { at, what } = event;
    format!("{} ns: {what:?}", at.signed_nanos())
}

/// The names of stations in the log, by number.
#[derive(Default)]
struct Names(BTreeMap<StationId, String>);

/// The names in an event.
#[derive(Default)]
struct Texts {
    station: Option<String>,
    to: Option<String>,
    from: Option<String>,
}

impl Names {
    fn learn(&mut self, event: &AirEvent) {
        if let AirOccurrence::Joined { station, config } = &event.what
            && let Ok(config) = StationConfig::from_json(config)
        {
            self.0.insert(*station, config.name);
        }
    }

    fn of(&self, id: StationId) -> String {
        self.0.get(&id).cloned().unwrap_or_else(|| format!("#{}", id.0))
    }

    fn receiver(&self, to: Receiver) -> String {
        match to {
            Receiver::All => "all".into(),
            Receiver::Nobody => "nobody".into(),
            Receiver::Station(id) => self.of(id),
        }
    }

    fn texts(&self, event: &AirEvent) -> Texts {
        let mut texts = Texts::default();
        let station = match &event.what {
            AirOccurrence::Offered { station, to, .. } => {
                texts.to = Some(self.receiver(*to));
                *station
            }
            AirOccurrence::Sent(sent) => {
                texts.to = Some(self.receiver(sent.to));
                sent.station
            }
            AirOccurrence::Heard { sender, station, .. } => {
                texts.from = Some(self.of(*sender));
                *station
            }
            AirOccurrence::Dropped { station, .. }
            | AirOccurrence::Joined { station, .. }
            | AirOccurrence::Left { station } => *station,
            AirOccurrence::Changed(_) => return texts,
        };
        texts.station = Some(self.of(station));
        texts
    }
}

fn row<'a>(event: &'a AirEvent, texts: &'a Texts) -> [Cell<'a>; 16] {
    let mut row = [Cell::Nothing; 16];
    let number = |number: u64| Cell::Number(number);
    let reason = |loss: Option<FrameLoss>| loss.map(FrameLoss::name).into();
    row[0] = Cell::Signed(event.at.signed_nanos());
    row[2] = texts.station.as_deref().into();
    row[4] = texts.to.as_deref().into();
    row[5] = texts.from.as_deref().into();
    row[1] = Cell::Name(match &event.what {
        AirOccurrence::Offered { bytes, refused, .. } => {
            (row[6], row[9]) = (reason(*refused), number((*bytes).into()));
            if refused.is_some() { "refused" } else { "offered" }
        }
        AirOccurrence::Sent(SentRecord {
            kind,
            number: of,
            frame,
            bytes,
            rate,
            airtime,
            attempt,
            window,
            slots,
            ..
        }) => {
            row[3] = Cell::Name(kind.name());
            (row[7], row[8]) = (number(*of), (*frame).into());
            row[9] = number((*bytes).into());
            row[10] = number(rate.bits_per_second());
            row[11] = number(airtime.as_nanos());
            for (place, value) in [(12, attempt), (13, window), (14, slots)] {
                row[place] = number((*value).into());
            }
            "sent"
        }
        AirOccurrence::Heard { number: of, loss, .. } => {
            (row[6], row[7]) = (reason(*loss), number(*of));
            if loss.is_some() { "missed" } else { "received" }
        }
        AirOccurrence::Dropped { number: of, reason: why, .. } => {
            (row[6], row[8]) = (reason(Some(*why)), number(*of));
            "dropped"
        }
        AirOccurrence::Changed(change) => {
            row[15] = Cell::Name(change);
            "changed"
        }
        AirOccurrence::Joined { config, .. } => {
            row[15] = Cell::Name(config);
            "joined"
        }
        AirOccurrence::Left { .. } => "left",
    });
    row
}
