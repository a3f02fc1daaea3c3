//! Traffic of the experiment's uplinks, and frames that they lose on the way out, from
//! `/proc/net/dev`.

use netloom_monitor::{DropCause, Observation, Party, Route, SignalKind, Subject};
use netloom_units::{Duration, Size, Time};

use crate::fields::{Counter, lines, number, words};
use crate::places::ProcRoots;
use crate::polled_file::Foundation;
use crate::probe::{Probe, Sink};

const PERIOD: Duration = Duration::from_millis(100);

pub struct Uplinks {
    dev: Foundation,
    uplinks: Vec<Uplink>,
}

struct Uplink {
    name: String,
    sent: Counter,
    dropped: Counter,
}

impl Uplinks {
    pub fn new(places: &ProcRoots) -> Self {
        let signals = &[SignalKind::NetExternal];
        let uplink = |name: &String| Uplink {
            name: name.clone(),
            sent: Counter::default(),
            dropped: Counter::default(),
        };
        Self {
            dev: Foundation::open("/proc/net/dev", &places.proc.join("net/dev"), signals),
            uplinks: places.uplinks.iter().map(uplink).collect(),
        }
    }
}

impl Probe for Uplinks {
    fn period(&self) -> Duration {
        PERIOD
    }

    fn start(&mut self, sink: Sink<'_>) {
        for (number, uplink) in (0..).zip(&self.uplinks) {
            let (what, name) = (Subject::Uplink(number), uplink.name.clone());
            sink(Observation::Named { what, name });
        }
        let blind = "bytes are counted every 100 ms and for a whole device: bursts within that \
                     time, and whose frames they are, are not seen";
        self.dev.start(sink, &[blind]);
    }

    fn poll(&mut self, at: Time, sink: Sink<'_>) {
        if self.uplinks.is_empty() {
            return;
        }
        let Some((text, over)) = self.dev.read(at, sink) else { return };
        for line in lines(text) {
            let Some((name, sent, dropped)) = device(line) else { continue };
            let known = (0..).zip(&mut self.uplinks).find(|(_, u)| u.name.as_bytes() == name);
            let Some((number, uplink)) = known else { continue };
            let (sent, frames) = (uplink.sent.grew(sent), uplink.dropped.grew(dropped));
            let (Some(over), Some(sent), Some(frames)) = (over, sent, frames) else { continue };
            let (route, party) = (Route::Uplink(number), Party::Unattributed);
            sink(Observation::Forwarded { route, party, size: Size::from_bytes(sent), over });
            if frames > 0 {
                let cause = DropCause::MachineDevice;
                sink(Observation::Drops { cause, party: Party::Engine, frames });
            }
        }
    }
}

/// Name, bytes sent, and frames dropped on the way out (`drop` and `fifo`) of a line of
/// `/proc/net/dev`.
fn device(line: &[u8]) -> Option<(&[u8], u64, u64)> {
    let colon = line.iter().position(|byte| *byte == b':')?;
    let name = line[..colon].trim_ascii();
    let mut columns = words(&line[colon + 1..]).skip(8).map_while(number);
    let (bytes, _packets, _errors) = (columns.next()?, columns.next()?, columns.next()?);
    Some((name, bytes, columns.next()? + columns.next()?))
}
