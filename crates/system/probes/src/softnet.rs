//! Frames that the kernel lost because the backlog of a CPU was full, from
//! `/proc/net/softnet_stat`. Counted for the whole machine, so they may not have been the
//! experiment's.

use netloom_monitor::{DropCause, Observation, Party, SignalKind};
use netloom_units::{Duration, Time};

use crate::fields::{Counter, lines, words};
use crate::places::ProcRoots;
use crate::polled_file::Foundation;
use crate::probe::{Probe, Sink};

const PERIOD: Duration = Duration::from_millis(100);

pub struct Softnet {
    stat: Foundation,
    dropped: Counter,
}

impl Softnet {
    pub fn new(places: &ProcRoots) -> Self {
        let path = places.proc.join("net/softnet_stat");
        let signals = &[SignalKind::UnmodelledDrop];
        let stat = Foundation::of_a_part("/proc/net/softnet_stat", &path, signals);
        Self { stat, dropped: Counter::default() }
    }
}

impl Probe for Softnet {
    fn period(&self) -> Duration {
        PERIOD
    }

    fn start(&mut self, sink: Sink<'_>) {
        self.stat.start(sink, &["frames lost in the kernel are counted for the whole machine"]);
    }

    fn poll(&mut self, at: Time, sink: Sink<'_>) {
        let Some((text, _)) = self.stat.read(at, sink) else { return };
        // The second column of each CPU's line, in hexadecimal; it wraps at 32 bits.
        let dropped = |line| {
            let word = str::from_utf8(words(line).nth(1)?).ok()?;
            u64::from_str_radix(word, 16).ok()
        };
        let sum = lines(text).filter_map(dropped).sum();
        let frames = self.dropped.grew(sum).unwrap_or(0);
        if frames > 0 {
            let (cause, party) = (DropCause::SoftnetBacklog, Party::Unattributed);
            sink(Observation::Drops { cause, party, frames });
        }
    }
}
