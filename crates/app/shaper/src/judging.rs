//! Judges claims as runs are judged: each has a monitor of its own, which begins with it. Not here:
//! the rules (`netloom-monitor`), and when a claim is not shaped at all (`shaping`).

use std::collections::BTreeMap;
use std::sync::Arc;

use netloom_dataplane::{AnomalyKind, Clock, Limits, Watch};
use netloom_fabric::{LinkId, PipeId};
use netloom_link::Direction;
use netloom_monitor::{
    Concern, Criteria, DropCause, Judgement, Monitor, Observation, PIPES_LOOKED, Party, SignalKind,
    Subject, Trust, Verdict,
};
use netloom_probes::{Probes, ProcRoots};
use netloom_selector::{Network, Taps};
use netloom_units::{Duration, Time};

use crate::within::within;
use netloom_evidence::{cause, number, observed};

/// Lateness that a claim's frames may have.
const NEEDED: Duration = Duration::from_millis(1);

/// Limits of the watch. Late frames are counted by pipe, so none is reported individually: the
/// reports of an overloaded claim would displace the losses of others.
pub const LIMITS: Limits = Limits {
    tolerance: Duration::from_secs(3600),
    needed: NEEDED,
    pause: Duration::from_millis(10),
};

/// Name of the data plane in lists of probes.
const NAME: &str = "data plane";

/// Judges all claims.
pub struct Judging {
    clock: Clock,
    watch: Option<Watch>,
    probes: Probes,
    claims: BTreeMap<LinkId, ClaimMonitor>,
    /// Time up to which the frames of all pipes were counted.
    counted: Time,
}

/// The monitor of a claim. Its times count from the claim's beginning.
struct ClaimMonitor {
    began: Time,
    monitor: Monitor,
    taps: ClaimTaps,
    /// Number of frames that the TAPs have dropped, as far as it was observed.
    dropped: u64,
    /// Whether one of the TAPs is gone.
    lacks_tap: bool,
}

/// The TAPs of a claim.
pub struct ClaimTaps {
    /// Their names.
    pub names: [String; 2],
    /// Their network namespace, if it is not this process's.
    pub network: Option<Arc<Network>>,
}

/// The judgement on the frames of a claim since it began.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The judgement.
    pub judgement: Judgement,
    /// The reasons, the gravest first.
    pub why: Vec<String>,
    /// Number of frames that were lost outside the model.
    pub unmodelled_drops: u64,
    /// Lateness that 99 of 100 frames of the worse pipe did not exceed. `None` without frames.
    pub late: Option<Duration>,
    /// An upper bound of `late`, which includes frames that were read late.
    pub at_most: Option<Duration>,
}

impl Judged {
    /// Makes the judgement on frames of which nothing is known.
    pub fn unobserved() -> Self {
        let why = vec!["nobody has observed its frames".into()];
        Self { judgement: Judgement::Suspect, why, unmodelled_drops: 0, late: None, at_most: None }
    }
}

impl Judging {
    /// Starts without claims.
    pub fn new(clock: Clock) -> Self {
        let probes = Probes::of_a_host(&ProcRoots::of_this_machine(Vec::new()));
        Self { clock, watch: None, probes, claims: BTreeMap::new(), counted: clock.now() }
    }

    /// Judges a claim from now on.
    pub fn begin(&mut self, link: LinkId, name: &str, taps: ClaimTaps) {
        let began = self.clock.now();
        let trust = Trust { delay: NEEDED, ..Trust::default() };
        let criteria = Criteria::default().resolved(&trust);
        let monitor = Monitor::new(criteria, trust, Time::ZERO);
        let mut claim = ClaimMonitor { began, monitor, taps, dropped: 0, lacks_tap: false };
        for direction in Direction::BOTH {
            let what = Subject::Pipe(number(PipeId { link, direction }));
            let word = match direction {
                Direction::Forward => "out",
                Direction::Reverse => "in",
            };
            claim.observe(began, &Observation::Named { what, name: format!("{name} {word}") });
        }
        for signal in [SignalKind::Lateness, SignalKind::UnmodelledDrop] {
            let (probe, cannot_see, partial) = (NAME.into(), Vec::new(), false);
            claim.observe(began, &Observation::Watched { signal, probe, cannot_see, partial });
        }
        self.claims.insert(link, claim);
    }

    /// Judges a claim no longer.
    pub fn end(&mut self, link: LinkId) {
        self.claims.remove(&link);
    }

    /// Replaces the watch over all links. What the previous one has counted is not lost.
    pub fn replace(&mut self, watch: Option<Watch>) {
        let previous = std::mem::replace(&mut self.watch, watch);
        let now = self.clock.now();
        if let Some(mut previous) = previous {
            self.read(&mut previous, now);
            self.count(&mut previous, now);
        }
    }

    /// Observes everything since the last call.
    pub fn look(&mut self) {
        let now = self.clock.now();
        self.look_at_frames(now, now.since(self.counted) >= PIPES_LOOKED);
        let machine = self.clock.machine_time(now);
        if self.probes.next_poll() <= machine {
            let claims = &mut self.claims;
            self.probes.poll(machine, &mut |seen| tell_all(claims, now, &seen));
        }
        tell_all(&mut self.claims, now, &Observation::Looked);
        self.claims.values_mut().for_each(ClaimMonitor::forget_signals);
    }

    /// Returns the links of claims of which a TAP is gone: whoever has the rights can remove it.
    pub fn without_tap(&self) -> Vec<LinkId> {
        let lacking = self.claims.iter().filter(|(_, claim)| claim.lacks_tap);
        lacking.map(|(link, _)| *link).collect()
    }

    /// Returns the judgements on all claims so far.
    pub fn judge(&mut self) -> BTreeMap<LinkId, Judged> {
        let now = self.clock.now();
        self.look_at_frames(now, true);
        self.claims.iter().map(|(link, claim)| (*link, claim.judge(now))).collect()
    }

    fn look_at_frames(&mut self, now: Time, counts: bool) {
        let Some(mut watch) = self.watch.take() else { return };
        self.read(&mut watch, now);
        if counts {
            self.count(&mut watch, now);
            self.count_dropped(now);
        }
        self.watch = Some(watch);
    }

    /// Reads losses and pauses.
    fn read(&mut self, watch: &mut Watch, now: Time) {
        let claims = &mut self.claims;
        let common = watch.look(now, false, |anomaly| match anomaly.what {
            AnomalyKind::Late { .. } => {}
            AnomalyKind::Lost { pipe, loss, frames } => {
                let (cause, party) = (cause(loss), Party::Engine);
                let lost = Observation::Drops { cause, party, frames };
                if let Some(claim) = claims.get_mut(&pipe.link) {
                    claim.observe(anomaly.at, &lost);
                }
            }
            AnomalyKind::Pause { lasted } => {
                tell_all(claims, anomaly.at, &Observation::Pause { lasted })
            }
        });
        for (loss, frames) in common.lost {
            // There were too many to say whose they were.
            let (cause, party) = (cause(loss), Party::Unattributed);
            tell_all(&mut self.claims, now, &Observation::Drops { cause, party, frames });
        }
    }

    /// Counts how late the frames of each pipe were.
    fn count(&mut self, watch: &mut Watch, now: Time) {
        let since = std::mem::replace(&mut self.counted, now);
        for seen in watch.lateness() {
            if let Some(claim) = self.claims.get_mut(&seen.pipe.link) {
                let over = now.since(since.max(claim.began));
                claim.observe(now, &observed(seen, over, NEEDED));
            }
        }
    }

    /// Counts the frames that TAPs have dropped because the engine did not read them in time.
    fn count_dropped(&mut self, now: Time) {
        let mut tables = BTreeMap::new();
        for claim in self.claims.values_mut() {
            let network = claim.taps.network.as_ref();
            let table = tables.entry(network.map(|network| network.id()));
            let dropped = match table.or_insert_with(|| within(network, || Ok(Taps::dropped()?))) {
                Ok(dropped) => dropped,
                Err(error) => {
                    let (signal, probe) = (SignalKind::UnmodelledDrop, NAME.into());
                    let why = format!("cannot read what the TAPs have dropped: {error:#}");
                    claim.observe(now, &Observation::Unwatched { signal, probe, why });
                    continue;
                }
            };
            claim.lacks_tap = claim.taps.names.iter().any(|tap| !dropped.contains_key(tap));
            let sum: u64 = claim.taps.names.iter().filter_map(|tap| dropped.get(tap)).sum();
            let frames = sum.saturating_sub(std::mem::replace(&mut claim.dropped, sum));
            if frames > 0 {
                let (cause, party) = (DropCause::NotReadInTime, Party::Engine);
                claim.observe(now, &Observation::Drops { cause, party, frames });
            }
        }
    }
}

fn tell_all(claims: &mut BTreeMap<LinkId, ClaimMonitor>, at: Time, seen: &Observation) {
    claims.values_mut().for_each(|claim| claim.observe(at, seen));
}

impl ClaimMonitor {
    /// Takes an observation, unless it was made before the claim began.
    fn observe(&mut self, at: Time, seen: &Observation) {
        if at >= self.began {
            self.monitor.observe(self.own(at), seen);
        }
    }

    /// Returns the time since the claim began.
    fn own(&self, at: Time) -> Time {
        Time::ZERO + at.since(self.began)
    }

    /// Drops signals: a claim is judged by the monitor's records alone.
    fn forget_signals(&mut self) {
        while self.monitor.poll_signal().is_some() {}
    }

    fn judge(&self, now: Time) -> Judged {
        let verdict = self.monitor.verdict(self.own(now));
        let pipes = &verdict.bound.pipes;
        Judged {
            // Programs of this host are not the claim's.
            judgement: verdict.links,
            why: reasons(&verdict),
            unmodelled_drops: verdict.bound.losses.frames,
            late: pipes.iter().map(|pipe| pipe.late.p99).max(),
            at_most: pipes.iter().map(|pipe| pipe.at_most.p99).max(),
        }
    }
}

/// Returns the reasons, each with the name of its signal.
fn reasons(verdict: &Verdict) -> Vec<String> {
    let about_links = verdict.findings.iter().filter(|finding| finding.about == Concern::Links);
    let named = about_links.map(|finding| {
        let name = finding.signal.name().replace('_', " ");
        let why = &finding.why;
        if why.starts_with(&name) { why.clone() } else { format!("{name}: {why}") }
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use netloom_dataplane::{FrameCounts, PipeLateness};

    use super::*;

    const LINK: LinkId = LinkId(3);
    const PIPE: PipeId = PipeId { link: LINK, direction: Direction::Forward };

    fn judging() -> Judging {
        let mut judging = Judging::new(Clock::since(Instant::now()));
        let names = ["nls1.h", "nls1.w"].map(String::from);
        judging.begin(LINK, "alice/web", ClaimTaps { names, network: None });
        judging
    }

    /// A second in which the frames were this late, and may have been later.
    fn frames(claim: &mut ClaimMonitor, second: u64, late: (u64, u64), at_most: (u64, u64)) {
        let counts = |(punctual, beyond)| FrameCounts {
            by: vec![(Duration::from_micros(10), punctual), (Duration::from_millis(3), beyond)],
            beyond,
        };
        let seen = PipeLateness {
            pipe: PIPE,
            late: counts(late),
            at_most: counts(at_most),
            busy: Duration::ZERO,
            lost: Duration::ZERO,
        };
        let at = claim.began + Duration::from_secs(second);
        claim.observe(at, &observed(seen, Duration::from_secs(1), NEEDED));
    }

    fn judged(claim: &ClaimMonitor, seconds: u64) -> Judged {
        claim.judge(claim.began + Duration::from_secs(seconds))
    }

    #[test]
    fn frames_that_were_read_late_are_no_reason_for_trust() {
        let mut judging = judging();
        let claim = judging.claims.get_mut(&LINK).unwrap();
        frames(claim, 1, (1000, 0), (1000, 0));
        assert_eq!(judged(claim, 1).judgement, Judgement::Valid);
        // Handed over in time, but after they had waited unread.
        frames(claim, 2, (1000, 0), (900, 100));
        let found = judged(claim, 2);
        assert_eq!(found.judgement, Judgement::Suspect);
        assert!(found.why[0].starts_with("lateness: frames of alice/web out"), "{found:?}");
        assert_eq!(found.late, Some(Duration::from_micros(10)));
        assert_eq!(found.at_most, Some(Duration::from_millis(3)));
        frames(claim, 3, (500, 500), (500, 500));
        assert_eq!(judged(claim, 3).judgement, Judgement::Invalid);
    }

    #[test]
    fn a_loss_makes_it_invalid_and_one_of_nobodys_suspect() {
        let mut judging = judging();
        let claim = judging.claims.get_mut(&LINK).unwrap();
        let lost = |cause, party| Observation::Drops { cause, party, frames: 7 };
        let at = claim.began + Duration::from_secs(1);
        claim.observe(at, &lost(DropCause::SoftnetBacklog, Party::Unattributed));
        assert_eq!(judged(claim, 2).judgement, Judgement::Suspect);
        claim.observe(at, &lost(DropCause::NotReadInTime, Party::Engine));
        let found = judged(claim, 2);
        assert_eq!((found.judgement, found.unmodelled_drops), (Judgement::Invalid, 7));
        assert!(
            found.why[0].contains("unmodelled drop on not_read_in_time: 7 frames"),
            "{found:?}"
        );
    }

    #[test]
    fn what_was_before_the_claim_is_not_held_against_it() {
        let mut judging = judging();
        let claim = judging.claims.get_mut(&LINK).unwrap();
        claim.began += Duration::from_secs(10);
        let pause = Observation::Pause { lasted: Duration::from_secs(5) };
        claim.observe(claim.began - Duration::from_secs(1), &pause);
        assert_eq!(judged(claim, 1).judgement, Judgement::Valid);
        claim.observe(claim.began + Duration::from_secs(6), &pause);
        let found = judged(claim, 7);
        assert_eq!(found.judgement, Judgement::Invalid);
        assert!(found.why[0].contains("stood still for 5000 ms"), "{found:?}");
    }
}
