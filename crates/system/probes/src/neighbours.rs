//! Frames that the kernel lost because its table of neighbours was full, from
//! `/proc/net/stat/arp_cache` and `ndisc_cache`. All network namespaces of a machine share the two
//! tables (`gc_thresh3`, 1024 by default), so a large network can fill them. The kernel silently
//! drops frames to neighbours that get no entry. Counted for the whole machine.

use netloom_monitor::{DropCause, Observation, Party, SignalKind};
use netloom_units::{Duration, Time};

use crate::fields::{Counter, lines, words};
use crate::places::ProcRoots;
use crate::polled_file::Foundation;
use crate::probe::{Probe, Sink};

const PERIOD: Duration = Duration::from_millis(500);
const FULL: &[u8] = b"table_fulls";

/// Probe of the table of one address family.
pub struct Neighbours {
    stat: Foundation,
    full: Counter,
}

impl Neighbours {
    /// Probe of IPv4's table.
    pub fn of_ipv4(places: &ProcRoots) -> Self {
        Self::of(places, "/proc/net/stat/arp_cache", "net/stat/arp_cache")
    }

    /// Probe of IPv6's table.
    pub fn of_ipv6(places: &ProcRoots) -> Self {
        Self::of(places, "/proc/net/stat/ndisc_cache", "net/stat/ndisc_cache")
    }

    fn of(places: &ProcRoots, name: &'static str, file: &str) -> Self {
        let signals = &[SignalKind::UnmodelledDrop];
        let stat = Foundation::of_a_part(name, &places.proc.join(file), signals);
        Self { stat, full: Counter::default() }
    }
}

impl Probe for Neighbours {
    fn period(&self) -> Duration {
        PERIOD
    }

    fn start(&mut self, sink: Sink<'_>) {
        self.stat.start(sink, &["full tables of neighbours are counted for the whole machine"]);
    }

    fn poll(&mut self, at: Time, sink: Sink<'_>) {
        let Some((text, _)) = self.stat.read(at, sink) else { return };
        let frames = refused(text).and_then(|sum| self.full.grew(sum)).unwrap_or(0);
        if frames > 0 {
            let (cause, party) = (DropCause::NeighbourTable, Party::Unattributed);
            sink(Observation::Drops { cause, party, frames });
        }
    }
}

/// Sum of the column over all CPUs. Its numbers are hexadecimal and have 32 bits.
fn refused(text: &[u8]) -> Option<u64> {
    let mut lines = lines(text);
    let column = words(lines.next()?).position(|word| word == FULL)?;
    let number =
        |line| u64::from_str_radix(str::from_utf8(words(line).nth(column)?).ok()?, 16).ok();
    Some(lines.filter_map(number).sum())
}
