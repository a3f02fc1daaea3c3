//! How long tasks of nodes waited for a CPU, from their wake-up or their preemption until they ran: the
//! histograms of the scheduler's program.

use aya::maps::{Array, MapData};
use netloom_monitor::{Observation, Party, SignalKind};
use netloom_units::{Duration, Time};

use super::load::Why;
use super::looking::Look;
use crate::probe::{Sink, budgeted};

const NAME: &str = "eBPF on sched_wakeup";
const SIGNAL: SignalKind = SignalKind::RunQueue;
const PERIOD: Duration = Duration::from_millis(100);
/// Waits below 2^14 ns are all in the first bucket; from there on an octave has 16.
const FIRST_OCTAVE: u32 = 14;
const BUCKETS: usize = 1 + 16 * 23;

type Counts = [u64; BUCKETS];

pub struct Waits {
    map: Array<MapData, Counts>,
    nodes: Vec<Node>,
}

struct Node {
    index: u32,
    last: Box<Counts>,
}

impl Waits {
    pub fn new(map: Array<MapData, Counts>, nodes: impl Iterator<Item = u32>) -> Self {
        let node = |index| Node { index, last: Box::new([0; BUCKETS]) };
        Self { map, nodes: nodes.map(node).collect() }
    }
}

impl Look for Waits {
    const NAME: &'static str = NAME;
    const SIGNAL: SignalKind = SIGNAL;
    const CANNOT_SEE: &'static str =
        "a wait is seen when it ends, and told in steps of a sixteenth, rounded up";

    fn period(&self) -> Duration {
        // Reading a node's costs half of what reading a file does.
        budgeted(PERIOD, self.nodes.len() / 2)
    }

    fn look(&mut self, _at: Time, sink: Sink<'_>) -> Result<(), Why> {
        for Node { index, last } in &mut self.nodes {
            let counts = self.map.get(index, 0)?;
            for (bucket, (now, before)) in (0..).zip(counts.iter().zip(last.iter())) {
                let (party, times) = (Party::Node(*index), now.saturating_sub(*before));
                if times > 0 {
                    sink(Observation::RunQueue { party, delay: upper_edge(bucket), times });
                }
            }
            **last = counts;
        }
        Ok(())
    }
}

/// The longest wait of a bucket; the last one's is the least of those that are longer than all.
fn upper_edge(bucket: u32) -> Duration {
    let Some(above) = bucket.checked_sub(1) else {
        return Duration::from_nanos((1 << FIRST_OCTAVE) - 1);
    };
    let (octave, step) = (FIRST_OCTAVE + above / 16, above % 16);
    Duration::from_nanos((u64::from(16 + step + 1) << (octave - 4)) - 1)
}
