//! All assignments, but for those that bounds exclude (branch and bound). Groups come in an order
//! in which each has much traffic with those before it.

use netloom_scenario::Objective;

use super::contracted::Contracted;
use super::state::{Key, State};

/// The result of an enumeration.
pub(super) struct Enumerated {
    /// The best assignment, if there is any.
    pub best: Option<Vec<usize>>,
    /// Whether all assignments were tried or excluded.
    pub is_complete: bool,
}

/// Looks for a better assignment than `best`, in at most `steps` steps.
pub(super) fn enumerate(
    of: &Contracted<'_>,
    best: Option<(Key, Vec<usize>)>,
    steps: u64,
) -> Enumerated {
    let mut search = Enumeration {
        of,
        order: order(of),
        like: classes(of),
        state: State::empty(of),
        best,
        steps,
    };
    let is_complete = search.descend(0);
    Enumerated { best: search.best.map(|(_, machine)| machine), is_complete }
}

struct Enumeration<'c, 'p> {
    of: &'c Contracted<'p>,
    order: Vec<usize>,
    /// The first machine that each machine equals in every respect.
    like: Vec<usize>,
    state: State<'c, 'p>,
    best: Option<(Key, Vec<usize>)>,
    steps: u64,
}

impl Enumeration<'_, '_> {
    /// Tries all machines for the group at this depth. Returns `false` when steps have run out.
    fn descend(&mut self, depth: usize) -> bool {
        let Some(group) = self.order.get(depth).copied() else {
            self.arrive();
            return true;
        };
        let mut choices: Vec<(f64, usize)> = Vec::new();
        let mut empty: Vec<usize> = Vec::new();
        for machine in self.of.machines_for(group) {
            // Of equal machines without groups, one stands for all.
            if self.state.groups_on(machine) == 0 {
                if empty.contains(&self.like[machine]) {
                    continue;
                }
                empty.push(self.like[machine]);
            }
            let Some(left) = self.steps.checked_sub(1) else { return false };
            self.steps = left;
            self.state.place(group, machine);
            if self.may_be_better(depth + 1) {
                choices.push((self.state.cut(), machine));
            }
            self.state.remove(group);
        }
        choices.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (_, machine) in choices {
            self.state.place(group, machine);
            // A better one may have been found since.
            let goes_on = !self.may_be_better(depth + 1) || self.descend(depth + 1);
            self.state.remove(group);
            if !goes_on {
                return false;
            }
        }
        true
    }

    /// Whether an assignment that begins like this may be better than the best.
    fn may_be_better(&self, placed: usize) -> bool {
        if !self.state.fits() {
            return false;
        }
        let Some((best, _)) = &self.best else { return true };
        let all = self.of.problem.machines.len();
        let used = self.state.used();
        let machines = match self.of.problem.objective {
            Objective::Fewest => used,
            Objective::Spread => all.saturating_sub(used + self.order.len() - placed),
        };
        let (cut, worst) = (self.state.cut(), self.state.worst());
        Key { violation: 0.0, machines, cut, used: worst }.is_better_than(best)
    }

    /// Takes a whole assignment if it is the best.
    fn arrive(&mut self) {
        let whole = State::whole(self.of, &self.state.machine);
        let key = whole.key();
        if key.is_feasible() && self.best.as_ref().is_none_or(|(best, _)| key.is_better_than(best))
        {
            self.best = Some((key, whole.machine));
        }
    }
}

/// Returns the groups in an order in which each has the most traffic with those before it.
fn order(of: &Contracted<'_>) -> Vec<usize> {
    let rate =
        |group: usize| -> f64 { of.near[group].iter().map(|edge| of.edges[*edge].rate).sum() };
    let mut order = Vec::with_capacity(of.len());
    let mut near = vec![0.0_f64; of.len()];
    let mut is_placed = vec![false; of.len()];
    while order.len() < of.len() {
        let free = (0..of.len()).filter(|group| !is_placed[*group]);
        let is_fixed = |group: usize| of.groups.machine[group].is_some();
        let next = free.max_by(|a, b| {
            let by_rate = rate(*a).total_cmp(&rate(*b)).then(b.cmp(a));
            is_fixed(*a).cmp(&is_fixed(*b)).then(near[*a].total_cmp(&near[*b])).then(by_rate)
        });
        let Some(next) = next else { break };
        is_placed[next] = true;
        order.push(next);
        for edge in &of.near[next] {
            near[of.edges[*edge].other(next)] += of.edges[*edge].rate;
        }
    }
    order
}

/// Returns, for each machine, the first one that it equals in every respect.
fn classes(of: &Contracted<'_>) -> Vec<usize> {
    let problem = of.problem;
    let is_fixed = |machine: usize| of.groups.machine.contains(&Some(machine));
    let number = problem.machines.len();
    let are_equal = |a: usize, b: usize| {
        let (one, other) = (&problem.machines[a], &problem.machines[b]);
        let bounds = &problem.bounds;
        let alike = |other: usize| {
            other == a
                || other == b
                || (bounds.between(a, other) == bounds.between(b, other)
                    && bounds.between(other, a) == bounds.between(other, b))
        };
        !is_fixed(a)
            && !is_fixed(b)
            && one.bears_like(other)
            && bounds.between(a, b) == bounds.between(b, a)
            && (0..number).all(alike)
    };
    (0..number).map(|b| (0..b).find(|a| are_equal(*a, b)).unwrap_or(b)).collect()
}
