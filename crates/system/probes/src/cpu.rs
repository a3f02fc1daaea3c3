//! CPUs, from `/proc/stat`: whether they had an idle moment, and how much the hypervisor took.
//!
//! The kernel counts idle time in ticks of 10 ms, rounded down over all time: an interval without a
//! tick had less than 10 ms of idle time. A busy stretch consists of whole intervals. So a stretch
//! is detected if it is two intervals longer than the limit, and none is reported where there was
//! none.

use std::collections::BTreeMap;

use netloom_monitor::{Observation, SignalKind};
use netloom_units::{Duration, Time};

use crate::fields::{Counter, lines, number, words};
use crate::places::ProcRoots;
use crate::polled_file::Foundation;
use crate::probe::{Probe, Sink};

const NAME: &str = "/proc/stat";
const PERIOD: Duration = Duration::from_millis(50);
/// The window of steal is seconds long, so it need not be polled often.
const PERIOD_OF_STEAL: Duration = Duration::from_millis(500);
/// `USER_HZ` is 100 on every architecture that Linux has.
pub const TICK: Duration = Duration::from_millis(10);

pub struct Cpu {
    stat: Foundation,
    signals: &'static [SignalKind],
    cpus: BTreeMap<u32, Counters>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Counters {
    idle: Counter,
    steal: Counter,
}

impl Cpu {
    pub fn new(places: &ProcRoots) -> Self {
        Self::of(places, &[SignalKind::Cpu, SignalKind::Steal])
    }

    /// A probe of steal alone, for machines where a better probe watches busy CPUs.
    pub fn only_steal(places: &ProcRoots) -> Self {
        Self::of(places, &[SignalKind::Steal])
    }

    fn of(places: &ProcRoots, signals: &'static [SignalKind]) -> Self {
        let stat = Foundation::open(NAME, &places.proc.join("stat"), signals);
        Self { stat, signals, cpus: BTreeMap::new() }
    }
}

impl Probe for Cpu {
    fn period(&self) -> Duration {
        if self.signals.contains(&SignalKind::Cpu) { PERIOD } else { PERIOD_OF_STEAL }
    }

    fn start(&mut self, sink: Sink<'_>) {
        let blind = "looked at every 50 ms: a busy stretch is seen from 100 ms above the limit on; \
                     time is counted in ticks of 10 ms, so that less idle time than that is not \
                     seen";
        let blind = [blind].into_iter().filter(|_| self.signals.contains(&SignalKind::Cpu));
        self.stat.start(sink, &blind.collect::<Vec<_>>());
    }

    fn poll(&mut self, at: Time, sink: Sink<'_>) {
        let Some((text, over)) = self.stat.read(at, sink) else { return };
        for (cpu, idle, steal) in lines(text).filter_map(cpu_line) {
            let counters = self.cpus.entry(cpu).or_default();
            let grown = (counters.idle.grew(idle), counters.steal.grew(steal));
            let (Some(over), (Some(idle), Some(steal))) = (over, grown) else { continue };
            if self.signals.contains(&SignalKind::Cpu) {
                sink(Observation::CpuInterval { cpu, over, idle: ticks(idle) });
            }
            sink(Observation::Steal { cpu, stolen: ticks(steal), over });
        }
    }
}

pub fn ticks(count: u64) -> Duration {
    Duration::from_nanos(count.saturating_mul(TICK.as_nanos()))
}

/// CPU, idle and steal of a line of `/proc/stat`; `None` for the sum and for other lines. Waiting
/// for a disk (`iowait`) counts as idle.
fn cpu_line(line: &[u8]) -> Option<(u32, u64, u64)> {
    let mut words = words(line.strip_prefix(b"cpu")?);
    // The line of the sum has no number.
    let cpu = words.next().filter(|_| line.get(3) != Some(&b' ')).and_then(number)?;
    let mut columns = [0; 8];
    for column in &mut columns {
        *column = number(words.next()?)?;
    }
    let [_user, _nice, _system, idle, iowait, _irq, _softirq, steal] = columns;
    Some((u32::try_from(cpu).ok()?, idle + iowait, steal))
}
