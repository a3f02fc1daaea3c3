//! Expansion of a timeline: every event of the file as often as it repeats, the changes that revert
//! it, and failures at the times that the seed determines.

use std::collections::HashMap;

use netloom_link::{PipeChange, PipeConfig, Stream};
use netloom_traffic::DurationDistribution;
use netloom_units::Duration;

use crate::spec::{
    Direction, Fails, NodeState, Recurs, Scenario, Start, TimelineAction, TimelineEvent, When,
};

/// One change at one time.
#[derive(Debug, Clone, PartialEq)]
pub struct Happening {
    /// Time of the change.
    pub at: Start,
    /// The change.
    pub action: TimelineAction,
    /// Which of a pair of happenings it is, for changes whose reversal only the executor can
    /// compute.
    pub lasting: Option<Lasting>,
}

/// Position in a pair. A change that lasts for a time is a pair of happenings with the same action
/// and a number that no other pair has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lasting {
    /// Makes the change.
    Begins(u32),
    /// Reverts the change.
    Ends(u32),
}

/// One occurrence of an event.
struct Occurrence {
    at: Duration,
    /// Index of the event in the timeline.
    number: usize,
    lasts: Option<Duration>,
}

impl Happening {
    fn once(at: Start, action: TimelineAction) -> Self {
        Self { at, action, lasting: None }
    }

    /// Whether it reverts an earlier happening.
    pub fn takes_back(&self) -> bool {
        matches!(self.lasting, Some(Lasting::Ends(_)))
    }
}

impl Scenario {
    /// Expands the timeline. The happenings are in the order of its events; all that follow from
    /// one event are consecutive and ordered by time.
    pub fn happenings(&self) -> Vec<Happening> {
        let mut found: Vec<Vec<Happening>> = vec![Vec::new(); self.timeline.len()];
        let mut occurrences = Vec::new();
        for (number, event) in self.timeline.iter().enumerate() {
            match &event.at {
                Start::At(at) => occurrences.extend(self.occurrences(number, event, *at)),
                after @ Start::After { .. } => {
                    found[number].push(Happening::once(after.clone(), event.action.clone()));
                }
            }
        }
        // The sort is stable: events at the same time stay in order.
        occurrences.sort_by_key(|one| one.at);
        let mut network = Network::new(self);
        let mut coming_back: Vec<(Duration, usize, Back)> = Vec::new();
        let mut pairs = 0..;
        for one in occurrences {
            while let Some(next) = earliest(&coming_back, one.at) {
                let (at, number, back) = coming_back.remove(next);
                found[number].extend(network.restore(at, back));
            }
            let action = &self.timeline[one.number].action;
            let pipes = network.apply(action);
            let is_pair = one.lasts.is_some() && action.has_own_end();
            let pair = is_pair.then(|| pairs.next()).flatten();
            let begins = Happening::once(Start::At(one.at), action.clone());
            found[one.number].push(Happening { lasting: pair.map(Lasting::Begins), ..begins });
            if let Some(lasts) = one.lasts {
                let pair = pair.map(|pair| (action.clone(), Lasting::Ends(pair)));
                coming_back.push((one.at + lasts, one.number, Back { pipes, pair }));
            }
        }
        while let Some(next) = earliest(&coming_back, Duration::from_nanos(u64::MAX)) {
            let (at, number, back) = coming_back.remove(next);
            found[number].extend(network.restore(at, back));
        }
        found.into_iter().flatten().collect()
    }

    /// Returns all occurrences of an event whose first one is due at `at`.
    fn occurrences(&self, number: usize, event: &TimelineEvent, at: Duration) -> Vec<Occurrence> {
        let end = |until: Option<Duration>| {
            let ends = until.into_iter().chain(self.duration).min();
            ends.unwrap_or(Duration::from_nanos(u64::MAX))
        };
        match &event.when {
            None => vec![Occurrence { at, number, lasts: None }],
            Some(When::Lasts(lasts)) => vec![Occurrence { at, number, lasts: Some(*lasts) }],
            Some(When::Recurs(Recurs { every, times, until, lasts })) => {
                let times = times.unwrap_or(u64::MAX);
                let all = (0..times)
                    .map(|time| at + Duration::from_nanos(every.as_nanos().saturating_mul(time)));
                all.take_while(|at| *at < end(*until))
                    .map(|at| Occurrence { at, number, lasts: *lasts })
                    .collect()
            }
            Some(When::Fails(fails)) => {
                let stream = Stream::new(self.seed, &format!("timeline/{number}"));
                let failures = failures(fails, at, end(fails.until), &stream);
                let one = |(at, lasts)| Occurrence { at, number, lasts: Some(lasts) };
                failures.into_iter().map(one).collect()
            }
        }
    }
}

/// Returns the failures between `from` and `end`: the time and the duration of each.
fn failures(
    fails: &Fails,
    from: Duration,
    end: Duration,
    stream: &Stream,
) -> Vec<(Duration, Duration)> {
    // The loader has checked that these distributions need no file.
    let law = |of: &DurationDistribution| of.law().ok();
    let (Some(after), Some(length)) = (law(&fails.after), law(&fails.lasts)) else {
        return Vec::new();
    };
    let (mut gaps, mut lengths) = (stream.fork("after"), stream.fork("for"));
    let (mut all, mut now) = (Vec::new(), from);
    loop {
        let at = now + after.duration(&mut gaps);
        if at >= end {
            return all;
        }
        let lasts = length.duration(&mut lengths);
        all.push((at, lasts));
        now = at + lasts;
    }
}

/// Returns the index of the first reversal that is due up to and including a time.
fn earliest(all: &[(Duration, usize, Back)], until: Duration) -> Option<usize> {
    let due = all.iter().enumerate().filter(|(_, (at, ..))| *at <= until);
    due.min_by_key(|(_, (at, number, _))| (*at, *number)).map(|(place, _)| place)
}

/// The reversal of a change.
struct Back {
    pipes: Vec<Before>,
    /// Second happening of a pair.
    pair: Option<(TimelineAction, Lasting)>,
}

/// The change that restores a pipe.
struct Before {
    link: usize,
    direction: usize,
    change: PipeChange,
}

/// Configurations of the pipes of all links at the current time.
struct Network<'a> {
    scenario: &'a Scenario,
    numbers: HashMap<&'a str, usize>,
    pipes: Vec<[PipeConfig; 2]>,
}

impl<'a> Network<'a> {
    fn new(scenario: &'a Scenario) -> Self {
        let numbers = scenario.links.iter().enumerate();
        let pipes = scenario.links.iter();
        Self {
            scenario,
            numbers: numbers.map(|(number, link)| (link.name.as_str(), number)).collect(),
            pipes: pipes.map(|link| [link.forward.clone(), link.reverse.clone()]).collect(),
        }
    }

    /// Applies an action, and returns the changes that would revert it.
    fn apply(&mut self, action: &TimelineAction) -> Vec<Before> {
        let (links, directions, change): (Vec<usize>, &[usize], PipeChange) = match action {
            TimelineAction::Run { .. }
            | TimelineAction::Route { .. }
            | TimelineAction::SetMedia { .. }
            | TimelineAction::SetStation { .. } => return Vec::new(),
            TimelineAction::SetLink { link, direction, change } => {
                let directions: &[usize] = match direction {
                    Direction::Both => &[0, 1],
                    Direction::Forward => &[0],
                    Direction::Reverse => &[1],
                };
                let link = self.numbers.get(link.as_str()).copied();
                (link.into_iter().collect(), directions, (**change).clone())
            }
            TimelineAction::SetNode { node, state, .. } => {
                let change = PipeChange { state: Some(state.of_links()), ..PipeChange::default() };
                let links = self.scenario.links.iter().enumerate();
                let at_node = links
                    .filter(|(_, link)| link.endpoints.iter().any(|end| end.node == *node))
                    .map(|(number, _)| number);
                (at_node.collect(), &[0, 1], change)
            }
        };
        let mut before = Vec::new();
        for link in links {
            for direction in directions.iter().copied() {
                let pipe = &mut self.pipes[link][direction];
                let was = pipe.clone();
                change.apply_to(pipe);
                before.push(Before { link, direction, change: pipe.change_to(&was) });
            }
        }
        before
    }

    /// Reverts a change. Both directions of a link become one happening if they change alike.
    fn restore(&mut self, at: Duration, back: Back) -> Vec<Happening> {
        let mut all: Vec<(usize, Direction, PipeChange)> = Vec::new();
        for Before { link, direction, change } in back.pipes {
            change.apply_to(&mut self.pipes[link][direction]);
            match all.last_mut() {
                Some((last, both, same)) if *last == link && *same == change => {
                    *both = Direction::Both;
                }
                _ => all.push((link, [Direction::Forward, Direction::Reverse][direction], change)),
            }
        }
        let changes = all.into_iter().filter(|(.., change)| !change.is_empty());
        let happening = |(link, direction, change): (usize, Direction, PipeChange)| {
            let link = self.scenario.links[link].name.clone();
            let action = TimelineAction::SetLink { link, direction, change: Box::new(change) };
            Happening::once(Start::At(at), action)
        };
        let second = back.pair.map(|(action, lasting)| Happening {
            lasting: Some(lasting),
            ..Happening::once(Start::At(at), action)
        });
        changes.map(happening).chain(second).collect()
    }
}

impl TimelineAction {
    /// Whether reverting it needs more than changes of links.
    fn has_own_end(&self) -> bool {
        match self {
            Self::Route { .. } | Self::SetNode { state: NodeState::Failed, .. } => true,
            Self::SetNode { .. }
            | Self::SetLink { .. }
            | Self::SetMedia { .. }
            | Self::SetStation { .. }
            | Self::Run { .. } => false,
        }
    }
}

impl Fails {
    /// State of the link, or of all links of the node, during a failure.
    pub(crate) const STATE: NodeState = NodeState::Down;

    /// Returns the mean time from one failure to the next, in ns.
    pub(crate) fn mean_gap(&self) -> Option<f64> {
        Some(self.after.law().ok()?.mean() + self.lasts.law().ok()?.mean())
    }
}
