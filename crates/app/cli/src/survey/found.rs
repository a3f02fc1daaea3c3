//! What a survey has found, and what follows from it for a run.

use std::collections::BTreeMap;

use anyhow::Result;
use netloom_gauge::ways::Way;
use netloom_placement::{Bounds, Machines};
use netloom_scenario::Scenario;
use netloom_units::Duration;
use serde::Serialize;

use super::differences::differences;
use super::{Report, Ways};
use crate::finding::{Check, State};
use crate::{exit, programs};

/// How exactly clocks must be known, if no shortest delay between machines allows for more.
const TOLERANCE: Duration = Duration::from_micros(100);
/// The MTU of Ethernet.
const ETHERNET: u16 = 1500;

/// What was found of machines and of the ways between them.
pub struct Survey {
    names: Vec<String>,
    reports: Vec<Result<Box<Report>, String>>,
    /// What the first one of a pair has found of the way to the other one.
    ways: BTreeMap<(usize, usize), Way>,
    guard: Duration,
    wanted_mtu: Option<u16>,
}

/// A finding about a machine, or about the way from it to another one.
#[derive(Debug, Serialize)]
pub struct Finding {
    /// The machine. Absent: all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// The other machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    #[serde(flatten)]
    pub check: Check,
}

impl Finding {
    pub fn of_all(check: Check) -> Self {
        Self { machine: None, to: None, check }
    }

    /// Returns it as one line.
    pub fn in_words(&self) -> String {
        let Check { what, found, .. } = &self.check;
        match (&self.machine, &self.to) {
            (Some(from), Some(to)) => format!("{from} to {to}: {what}: {found}"),
            (Some(machine), None) => format!("{machine}: {what}: {found}"),
            (None, _) => format!("{what}: {found}"),
        }
    }
}

impl Survey {
    pub(super) fn new(machines: &Machines, found: Vec<Result<(Box<Report>, Ways)>>) -> Self {
        let names: Vec<String> = machines.list.iter().map(|one| one.name.clone()).collect();
        let (mut reports, mut ways) = (Vec::new(), BTreeMap::new());
        for (from, found) in found.into_iter().enumerate() {
            reports.push(match found {
                Err(error) => Err(format!("{error:#}")),
                Ok((report, to)) => {
                    ways.extend(to.into_iter().filter_map(|(name, way)| {
                        Some(((from, names.iter().position(|one| *one == name)?), way))
                    }));
                    Ok(report)
                }
            });
        }
        let tunnel = &machines.tunnel;
        Self { names, reports, ways, guard: tunnel.guard, wanted_mtu: tunnel.mtu }
    }

    /// Returns what was found of each machine and of each pair.
    pub fn findings(&self) -> Vec<Finding> {
        let mut all = Vec::new();
        for (name, report) in self.names.iter().zip(&self.reports) {
            let of = |check| Finding { machine: Some(name.clone()), to: None, check };
            match report {
                Err(why) => all.push(of(Check::new("start", State::Problem, why))),
                Ok(report) => all.extend(report.checks.iter().cloned().map(of)),
            }
        }
        for ((from, to), way) in &self.ways {
            // Of one that could not be asked, that is known already.
            let (Some(back), Ok(there)) = (self.ways.get(&(*to, *from)), &self.reports[*to]) else {
                continue;
            };
            let of = |check| Finding {
                machine: Some(self.names[*from].clone()),
                to: Some(self.names[*to].clone()),
                check,
            };
            let comes = back.is_heard.then_some(()).ok_or(there.door);
            all.extend(self.pair((*from, *to), way, comes).into_iter().map(of));
        }
        all
    }

    /// Returns what is to be said of the way from one machine to another one. `comes` has the
    /// address at which nothing comes.
    fn pair(
        &self,
        (from, to): (usize, usize),
        way: &Way,
        comes: Result<(), std::net::SocketAddr>,
    ) -> Vec<Check> {
        if let Err(door) = comes {
            return vec![Check::new(
                "UDP",
                State::Problem,
                format!(
                    "nothing comes there at {door}: have firewalls between them let UDP pass, \
                     packets of 1280 bytes too; `tunnel: {{ports: FIRST-LAST}}` says by which \
                     ports. Only one of the two may be behind NAT"
                ),
            )];
        }
        // If nothing comes back, that is the trouble of the other direction.
        let Some(round_trip) = way.round_trip else { return Vec::new() };
        let mut all = vec![self.mtu_check(way)];
        if way.clock_steps > 0 {
            all.push(Check::new(
                "clock",
                State::Problem,
                "one of the two clocks jumps: end what sets it (a program that steps it, a virtual \
                 machine that is moved), and try again",
            ));
        }
        if let Some(bound) = way.clock_bound {
            let known = format!("known to {bound}");
            all.push(match bound > TOLERANCE {
                false => Check::new("clock", State::Ok, known),
                true => Check::new(
                    "clock",
                    State::Note,
                    format!(
                        "{known}, half of the way there and back: runs need 100us, or a hundredth \
                         of the shortest delay between the two"
                    ),
                ),
            });
        }
        let bound = self.bound(from, to).map_or_else(String::new, |bound| {
            format!("; links with a delay of {bound} or more may be cut")
        });
        all.push(Check::new("delay", State::Ok, format!("{round_trip} there and back{bound}")));
        all
    }

    fn mtu_check(&self, way: &Way) -> Check {
        let Some(mtu) = way.mtu else {
            return Check::new("MTU", State::Note, "no size of packets was tried long enough");
        };
        match self.wanted_mtu {
            Some(wanted) if wanted > mtu && wanted <= ETHERNET => Check::new(
                "MTU",
                State::Problem,
                format!(
                    "packets of {wanted} bytes do not come through, those of {mtu} do: write \
                     `tunnel: {{mtu: {mtu}}}`, or `auto`"
                ),
            ),
            None if mtu < ETHERNET => {
                let found = format!("packets up to {mtu} bytes come through");
                Check::new("MTU", State::Note, found)
            }
            _ => Check::new("MTU", State::Ok, format!("packets up to {mtu} bytes come through")),
        }
    }

    /// Returns the longest time that frames need from one machine to another one: that of 99.9 % of
    /// the probes, but no less than half a round trip, and the error of the clock.
    fn bound(&self, from: usize, to: usize) -> Option<Duration> {
        let (there, back) = (self.ways.get(&(from, to))?, self.ways.get(&(to, from))?);
        let seen = [there.delays.map(|[there, _]| there), back.delays.map(|[_, back]| back)];
        let half = Duration::from_nanos(there.round_trip?.as_nanos() / 2);
        let longest = seen.into_iter().flatten().max()?.max(half);
        Some(longest + there.clock_bound.max(back.clock_bound)? + self.guard)
    }

    /// Returns the bounds between all machines, for placing.
    ///
    /// # Errors
    /// Names the pair of which there is none.
    pub fn bounds(&self) -> Result<Bounds> {
        let mut bounds = Bounds::uniform(self.names.len(), Duration::ZERO);
        for (from, to) in bounds.pairs() {
            let bound = self.bound(from, to).ok_or_else(|| {
                let (from, to) = (&self.names[from], &self.names[to]);
                exit::usage(format!("the way from `{from}` to `{to}` could not be measured"))
            })?;
            bounds.set(from, to, bound);
        }
        Ok(bounds)
    }

    /// Returns the largest packet that comes through between all machines.
    pub fn mtu(&self) -> Option<u16> {
        self.ways.values().filter_map(|way| way.mtu).min()
    }

    /// Returns in what machines differ.
    pub fn differences(&self) -> Vec<Check> {
        let reports = self.names.iter().zip(&self.reports);
        let reports: Vec<(&str, &Report)> = reports
            .filter_map(|(name, report)| Some((&**name, &**report.as_ref().ok()?)))
            .collect();
        differences(&reports)
    }

    /// Returns which programs are missing where the nodes are that need them.
    pub fn missing(&self, scenario: &Scenario, nodes: &BTreeMap<String, String>) -> Vec<Finding> {
        let mut all = Vec::new();
        for (name, report) in self.names.iter().zip(&self.reports) {
            let Ok(report) = report else { continue };
            let part = scenario.part(|node| nodes.get(node) == Some(name));
            let needed = programs::needed(&part).into_iter();
            let missing = needed.filter(|(program, _)| report.programs.get(program) == Some(&None));
            all.extend(missing.map(|(program, by)| Finding {
                machine: Some(name.clone()),
                to: None,
                check: Check::new(
                    format!("program {program}"),
                    State::Problem,
                    format!("missing ({by}): install it there, or correct its name"),
                ),
            }));
        }
        all
    }
}

/// Refuses a run if a finding does.
///
/// # Errors
/// With code 2. It has all that refuse it.
pub fn refuse(findings: &[Finding]) -> Result<()> {
    let is_problem = |finding: &&Finding| finding.check.state == State::Problem;
    let problems: Vec<String> = findings
        .iter()
        .filter(is_problem)
        .map(|finding| format!("\n  {}", finding.in_words()))
        .collect();
    match problems.is_empty() {
        true => Ok(()),
        false => Err(exit::usage(format!(
            "these machines cannot carry the run; nothing was made{}",
            problems.concat()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(mtu: u16) -> Way {
        let micros = Duration::from_micros;
        Way {
            is_heard: true,
            round_trip: Some(micros(200)),
            clock_bound: Some(micros(90)),
            clock_steps: 0,
            delays: Some([micros(50), micros(300)]),
            probes: [1000, 0],
            mtu: Some(mtu),
        }
    }

    fn survey(wanted_mtu: Option<u16>, ways: [Way; 2]) -> Survey {
        let guard = Duration::from_micros(100);
        let gone = || Err("it is gone".to_owned());
        Survey {
            names: vec!["m1".into(), "m2".into()],
            reports: vec![gone(), gone()],
            ways: [((0, 1), ways[0]), ((1, 0), ways[1])].into(),
            guard,
            wanted_mtu,
        }
    }

    #[test]
    fn a_bound_is_the_longest_time_that_either_has_seen_and_the_clock() {
        let survey = survey(None, [way(1500), way(1400)]);
        // What m2 has seen back from m1, the clock, and the guard.
        assert_eq!(survey.bound(0, 1), Some(Duration::from_micros(300 + 90 + 100)));
        assert_eq!(survey.mtu(), Some(1400));
        assert!(survey.bounds().is_ok());
    }

    #[test]
    fn silence_small_packets_and_steps_are_named() {
        let check = |wanted, way: Way, comes| {
            let all = survey(wanted, [way, way]).pair((0, 1), &way, comes);
            let bad = all.into_iter().find(|check| check.state == State::Problem);
            bad.map(|check| check.what)
        };
        assert_eq!(check(None, way(1400), Ok(())), None);
        assert_eq!(check(Some(1400), way(1400), Ok(())), None);
        assert_eq!(check(Some(1500), way(1400), Ok(())).as_deref(), Some("MTU"));
        let door = "10.0.0.2:7".parse().unwrap();
        assert_eq!(check(None, way(1400), Err(door)).as_deref(), Some("UDP"));
        let jumps = Way { clock_steps: 1, ..way(1500) };
        assert_eq!(check(None, jumps, Ok(())).as_deref(), Some("clock"));
    }

    #[test]
    fn a_machine_that_is_not_there_refuses_the_run() {
        let findings = survey(None, [way(1500), way(1500)]).findings();
        let error = refuse(&findings).unwrap_err().to_string();
        assert!(error.contains("\n  m1: start: it is gone\n  m2: start"), "{error}");
    }
}
