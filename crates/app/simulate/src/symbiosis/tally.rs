//! Records how closely small pipes followed the network over all periods, for the summary of a run.

use netloom_api::simulation::{FollowingPipe, SymbiosisSummary};
use netloom_units::Duration;

use super::{Applied, Differs, Flows, Metadata, Order, Reports, Shrunk};

/// The sums over all periods so far.
pub struct Tally {
    summary: SymbiosisSummary,
    took: Duration,
    sums: Vec<Sums>,
    flows: Flows,
}

#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    time: f64,
    backlog: Duration,
    real_backlog: Duration,
    difference: Duration,
}

impl Tally {
    /// Returns a tally before the first period.
    pub fn new(shrunk: &Shrunk) -> Self {
        let pipes = shrunk.pipes.iter().map(|pipe| {
            let names = pipe.chain.iter().map(|place| shrunk.pruned[*place].name.clone());
            let (pipe, stands_for) = (pipe.name.clone(), names.collect());
            FollowingPipe { pipe, stands_for, ..FollowingPipe::default() }
        });
        let (period, pipes) = (shrunk.period, pipes.collect());
        Self {
            summary: SymbiosisSummary { period, pipes, ..SymbiosisSummary::default() },
            took: Duration::ZERO,
            sums: vec![Sums::default(); shrunk.pipes.len()],
            flows: Flows::new(shrunk),
        }
    }

    /// Adds a period: the actions of real programs, the network's behaviour, and the orders that
    /// followed. Returns how flows now differ from their twins.
    pub fn add(
        &mut self,
        (metadata, reports): (&Metadata, &Reports),
        orders: &[Order],
        applied: &Applied,
    ) -> Vec<Differs> {
        let Self { summary, took, sums, flows } = self;
        let half = Duration::from_nanos(summary.period.as_nanos() / 2);
        summary.periods += 1;
        summary.late += u64::from(applied.took > half);
        summary.missed += u64::from(applied.took > summary.period);
        summary.computed_most = summary.computed_most.max(applied.took);
        *took += applied.took;
        let all = summary.pipes.iter_mut().zip(sums).zip(orders).zip(&applied.pipes);
        for (((pipe, sums), order), real) in all {
            let backlog = order.calibration.backlog;
            sums.time += order.calibration.time;
            sums.backlog += backlog;
            sums.real_backlog += real.backlog;
            sums.difference += backlog.max(real.backlog).saturating_sub(backlog.min(real.backlog));
            let twins = [order.offered, order.lost, order.left].map(u64::from);
            let real = [real.offered, real.lost, real.left];
            for one in 0..3 {
                pipe.twins[one] += twins[one];
                pipe.real[one] += real[one];
            }
        }
        flows.add(metadata, reports)
    }

    /// Returns the summary so far.
    pub fn summary(&self) -> SymbiosisSummary {
        let mut summary = self.summary.clone();
        let periods = summary.periods.max(1);
        let mean = |sum: Duration| Duration::from_nanos(sum.as_nanos() / periods);
        summary.computed_mean = mean(self.took);
        summary.flows = self.flows.summary();
        for (pipe, sums) in summary.pipes.iter_mut().zip(&self.sums) {
            pipe.time_mean = Duration::from_nanos((sums.time * 1e9 / periods as f64) as u64);
            pipe.backlog_mean = mean(sums.backlog);
            pipe.real_backlog_mean = mean(sums.real_backlog);
            pipe.backlog_difference_mean = mean(sums.difference);
        }
        summary
    }
}
