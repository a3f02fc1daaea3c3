//! Reasons why criteria cannot be tested, in words.

use netloom_units::Duration;

use crate::criteria::Criteria;

impl Criteria {
    /// Problems of these criteria, a sentence each; empty if there are none.
    pub fn problems(&self) -> Vec<String> {
        let lengths = [
            ("lateness.window", self.lateness.window),
            ("run_queue.window", self.run_queue.window),
            ("cpu.longest", self.cpu.longest),
            ("net_internal.window", self.net_internal.window),
            ("net_external.window", self.net_external.window),
            ("memory_in.window", self.memory_in.window),
            ("memory_out.window", self.memory_out.window),
            ("faults.window", self.faults.window),
            ("disk.longest", self.disk.longest),
            ("steal.window", self.steal.window),
            ("pressure.window", self.pressure.window),
        ];
        let limits = [
            ("memory_in.limit", self.memory_in.limit),
            ("memory_out.limit", self.memory_out.limit),
            ("faults.limit", self.faults.limit),
        ];
        let lengths = lengths.into_iter().filter(|(_, length)| *length == Duration::ZERO);
        let lengths = lengths.map(|(key, _)| format!("`{key}` must be longer than 0"));
        let limits = limits.into_iter().filter(|(_, limit)| *limit == 0);
        let limits = limits.map(|(key, _)| {
            format!("`{key}` must be at least 1: contention holds from that many pages on")
        });
        let metrics = self.application.iter().filter(|(_, highest)| highest.is_nan());
        let metrics = metrics.map(|(name, _)| format!("`application.{name}` must be a number"));
        lengths.chain(limits).chain(metrics).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_can_be_tested_and_empty_windows_cannot() {
        let mut criteria = Criteria::default();
        assert_eq!(criteria.problems(), Vec::<String>::new());
        criteria.disk.longest = Duration::ZERO;
        criteria.memory_in.limit = 0;
        criteria.application.insert("jitter".into(), f64::NAN);
        assert_eq!(criteria.problems().len(), 3);
    }
}
