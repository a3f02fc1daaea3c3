//! Thresholds from a measure of this machine, where the scenario sets none, and their sources. Not
//! here: how the machine is measured (`netloom calibrate`).

use netloom_api::launch::Calibration;
use netloom_monitor::{Criteria, Observation, SignalKind, Traffic};
use netloom_units::{Dilation, Rate};

/// The sources of the thresholds that the scenario of an experiment did not set.
#[derive(Debug)]
pub struct Thresholds {
    internal: Option<String>,
    external: Option<String>,
}

impl Thresholds {
    /// Fills in the values of `calibration` that the criteria leave open, for a scenario of this
    /// `dilation`.
    pub fn set(criteria: &mut Criteria, calibration: &Calibration, dilation: Dilation) -> Self {
        let external = criteria.net_external.rate.is_none().then(|| {
            "not tested: no traffic was sent through uplinks to measure them; \
             `monitor.criteria.net_external.rate` of the scenario sets a threshold"
                .to_string()
        });
        let internal = internal(&mut criteria.net_internal, calibration, dilation);
        Self { internal, external }
    }

    /// Reports the sources of thresholds that the scenario did not set.
    pub fn report(&self, sink: &mut dyn FnMut(Observation)) {
        let sources =
            [(SignalKind::NetInternal, &self.internal), (SignalKind::NetExternal, &self.external)];
        for (signal, from) in sources {
            if let Some(from) = from.clone() {
                sink(Observation::Threshold { signal, from });
            }
        }
    }
}

/// Sets the measured rate, if possible. Returns the source of the threshold, unless the scenario
/// sets it.
fn internal(
    traffic: &mut Traffic,
    calibration: &Calibration,
    dilation: Dilation,
) -> Option<String> {
    let window = dilation.to_machine(traffic.window);
    match calibration {
        _ if traffic.rate.is_some() => None,
        Calibration::Missing { why } => Some(format!("not tested: {why}")),
        // A burst that is harmless in a long window may exceed what was measured in a shorter one.
        Calibration::Measured { source, .. } if window < Calibration::WINDOW => Some(format!(
            "not tested: {source} is for windows of {} and longer",
            Calibration::WINDOW
        )),
        Calibration::Measured { net_internal, source, .. } => {
            traffic.rate = Some(in_experiment(*net_internal, dilation));
            Some(format!("from {source}"))
        }
    }
}

/// Converts a rate of the machine into one of an experiment of this dilation.
fn in_experiment(rate: Rate, dilation: Dilation) -> Rate {
    let bits = u128::from(rate.bits_per_second()) * u128::from(dilation.millionths()) / 1_000_000;
    // A rate that cannot be expressed is no limit.
    u64::try_from(bits).ok().and_then(Rate::from_bits_per_second).unwrap_or(rate)
}

#[cfg(test)]
mod tests {
    use netloom_units::Duration;

    use super::*;

    fn rate(bits: u64) -> Rate {
        Rate::from_bits_per_second(bits).expect("a rate")
    }

    fn measured() -> Calibration {
        let source = "the calibration of today".to_string();
        Calibration::Measured { net_internal: rate(7_000_000), crossing: None, source }
    }

    /// Returns the rate of `net_internal`, and the report of its source.
    fn internal_of(
        mut criteria: Criteria,
        calibration: &Calibration,
    ) -> (Option<Rate>, Vec<String>) {
        let thresholds = Thresholds::set(&mut criteria, calibration, Dilation::NONE);
        let mut said = Vec::new();
        thresholds.report(&mut |observation| match observation {
            Observation::Threshold { signal: SignalKind::NetInternal, from } => said.push(from),
            Observation::Threshold { .. } => {}
            other => panic!("{other:?}"),
        });
        (criteria.net_internal.rate, said)
    }

    #[test]
    fn what_was_measured_is_the_threshold_where_the_scenario_sets_none() {
        let said = vec!["from the calibration of today".to_string()];
        assert_eq!(internal_of(Criteria::default(), &measured()), (Some(rate(7_000_000)), said));
        let mut own = Criteria::default();
        own.net_internal.rate = Some(rate(5));
        assert_eq!(internal_of(own, &measured()), (Some(rate(5)), vec![]));
    }

    #[test]
    fn what_the_machine_can_bear_is_more_in_a_slow_experiment() {
        for (dilation, bits) in [("10", 70_000_000), ("0.5", 3_500_000)] {
            let mut criteria = Criteria::default();
            criteria.net_internal.window = Duration::from_millis(100);
            Thresholds::set(&mut criteria, &measured(), dilation.parse().unwrap());
            assert_eq!(criteria.net_internal.rate, Some(rate(bits)));
        }
    }

    #[test]
    fn without_a_measure_nothing_is_tested() {
        let missing = Calibration::Missing { why: "no calibration".into() };
        let said = vec!["not tested: no calibration".to_string()];
        assert_eq!(internal_of(Criteria::default(), &missing), (None, said));
        let mut short = Criteria::default();
        short.net_internal.window = Duration::from_millis(1);
        let (rate, said) = internal_of(short, &measured());
        assert_eq!(rate, None);
        assert!(said[0].contains("windows of 10ms and longer"), "{said:?}");
    }

    #[test]
    fn that_uplinks_were_not_measured_is_reported() {
        let mut said = Vec::new();
        let mut criteria = Criteria::default();
        Thresholds::set(&mut criteria, &measured(), Dilation::NONE)
            .report(&mut |observation| said.push(observation));
        assert!(matches!(said[1], Observation::Threshold { signal: SignalKind::NetExternal, .. }));
        let mut criteria = Criteria::default();
        criteria.net_external.rate = Some(rate(5));
        said.clear();
        Thresholds::set(&mut criteria, &measured(), Dilation::NONE)
            .report(&mut |observation| said.push(observation));
        assert_eq!(said.len(), 1);
    }
}
