//! Moves of one group, and swaps of two, under the true constraints. An assignment may break rules
//! on the way: less of that is better than anything else.

use super::state::{Key, State};

/// Largest number of groups for which all moves and swaps are compared.
const SMALL: usize = 64;

/// Passes over all groups of a large network.
const PASSES: usize = 12;

/// A change of an assignment.
#[derive(Clone, Copy)]
enum Move {
    Shift(usize, usize),
    Swap(usize, usize),
}

/// Improves an assignment until no move does, within the machines of `set`.
pub(super) fn improve(state: &mut State<'_, '_>, set: &[usize]) {
    if state.of.len() <= SMALL { best_of_all(state, set) } else { first_of_each(state, set) }
}

/// Makes the best move again and again.
fn best_of_all(state: &mut State<'_, '_>, set: &[usize]) {
    let free: Vec<usize> =
        (0..state.of.len()).filter(|group| state.of.groups.machine[*group].is_none()).collect();
    let mut current = state.key();
    loop {
        let mut best: Option<(Key, Move)> = None;
        let mut consider = |key: Key, change: Move| {
            let before = best.as_ref().map_or(&current, |(key, _)| key);
            if key.is_better_than(before) {
                best = Some((key, change));
            }
        };
        for (place, group) in free.iter().enumerate() {
            let here = state.machine[*group];
            for machine in set.iter().filter(|machine| **machine != here) {
                state.shift(*group, *machine);
                consider(state.key(), Move::Shift(*group, *machine));
                state.shift(*group, here);
            }
            for other in &free[..place] {
                if state.machine[*other] != here {
                    swap(state, *group, *other);
                    consider(state.key(), Move::Swap(*group, *other));
                    swap(state, *group, *other);
                }
            }
        }
        let Some((key, change)) = best else { return };
        match change {
            Move::Shift(group, machine) => state.shift(group, machine),
            Move::Swap(one, other) => swap(state, one, other),
        }
        current = key;
    }
}

fn swap(state: &mut State<'_, '_>, one: usize, other: usize) {
    let (here, there) = (state.machine[one], state.machine[other]);
    state.shift(one, there);
    state.shift(other, here);
}

/// Goes over all groups and moves each to the machine that is best for it: one of its neighbours',
/// or the one with the least load.
fn first_of_each(state: &mut State<'_, '_>, set: &[usize]) {
    let mut current = state.key();
    for _ in 0..PASSES {
        let mut has_moved = false;
        for group in 0..state.of.len() {
            if state.of.groups.machine[group].is_some() {
                continue;
            }
            let here = state.machine[group];
            let mut best: Option<(Key, usize)> = None;
            for machine in candidates(state, group, set, !current.is_feasible()) {
                state.shift(group, machine);
                let key = state.key();
                if key.is_better_than(best.as_ref().map_or(&current, |(key, _)| key)) {
                    best = Some((key, machine));
                }
            }
            state.shift(group, best.map_or(here, |(_, machine)| machine));
            if let Some((key, _)) = best {
                current = key;
                has_moved = true;
            }
        }
        if !has_moved {
            return;
        }
    }
}

/// Returns the machines on which a group may be better.
fn candidates(
    state: &State<'_, '_>,
    group: usize,
    set: &[usize],
    is_overloaded: bool,
) -> Vec<usize> {
    let edges = state.of.near[group].iter().map(|edge| &state.of.edges[*edge]);
    let mut all: Vec<usize> = edges.map(|edge| state.machine[edge.other(group)]).collect();
    if is_overloaded {
        let load = |machine: usize| {
            state.utilisation(machine).into_iter().map(|(_, used)| used).fold(0.0, f64::max)
        };
        let least = set.iter().copied().min_by(|a, b| load(*a).total_cmp(&load(*b)));
        all.extend(least);
    }
    all.sort_unstable();
    all.dedup();
    all.retain(|machine| *machine != state.machine[group] && set.contains(machine));
    all
}
