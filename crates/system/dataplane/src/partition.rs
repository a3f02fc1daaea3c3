//! Placement of links on workers: connected components, evenly distributed by their numbers of
//! links. Pure. Not here: which links move if that proves uneven (`balance`).

use std::cmp::Reverse;

use netloom_link::JoinedSwitches;

use crate::worker_id::WorkerId;

/// Returns the worker of each link. `ends` contains, for each link, the switches at its ends, and
/// `homes` the worker that has it, if one does. Links without one are distributed among `workers`
/// workers, at least one. Links that share a switch share a worker: the one that has most of them.
/// All others stay where they are.
pub(crate) fn assign(
    ends: &[[Option<usize>; 2]],
    homes: &[Option<WorkerId>],
    workers: usize,
) -> Vec<WorkerId> {
    let switches = ends.iter().flatten().flatten().max().map_or(0, |last| last + 1);
    let mut joined = JoinedSwitches::new(switches);
    for pair in ends {
        if let [Some(a), Some(b)] = *pair {
            joined.join(a, b);
        }
    }
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); switches];
    let mut parts: Vec<Vec<usize>> = Vec::new();
    for (link, pair) in ends.iter().enumerate() {
        match pair[0].or(pair[1]) {
            Some(switch) => members[joined.first_of(switch)].push(link),
            None => parts.push(vec![link]),
        }
    }
    parts.extend(members.into_iter().filter(|part| !part.is_empty()));
    spread(parts, homes, workers)
}

/// Returns the number of workers that [`assign`] used.
pub(crate) fn used(assignment: &[WorkerId]) -> usize {
    assignment.iter().max().map_or(1, |last| last.index() + 1)
}

/// Distributes components. If some have a home, these come first, then the others by decreasing
/// size, each to the worker with the fewest links. Otherwise components are placed in order, which
/// is that of the file: neighbours in the file are usually neighbours in the network, and a frame
/// should find its next link on the same CPU.
fn spread(mut parts: Vec<Vec<usize>>, homes: &[Option<WorkerId>], workers: usize) -> Vec<WorkerId> {
    if homes.iter().all(Option::is_none) {
        return in_order(parts, homes.len(), workers);
    }
    let last = homes.iter().flatten().max();
    let all = last.map_or(workers, |last| workers.max(last.index() + 1));
    let home = |part: &[usize]| {
        let of_worker =
            |worker: WorkerId| part.iter().filter(|link| homes[**link] == Some(worker)).count();
        let all = WorkerId::first(all);
        let most = all.max_by_key(|worker| (of_worker(*worker), Reverse(*worker)));
        most.filter(|worker| of_worker(*worker) > 0)
    };
    parts.sort_by_key(|part| (home(part).is_none(), Reverse(part.len()), part[0]));
    let mut loads = vec![0; all];
    let mut assignment = vec![WorkerId(0); homes.len()];
    for part in parts {
        let fewest = || WorkerId::first(workers).min_by_key(|worker| loads[worker.index()]);
        let worker = home(&part).or_else(fewest).unwrap_or(WorkerId(0));
        loads[worker.index()] += part.len();
        for link in part {
            assignment[link] = worker;
        }
    }
    assignment
}

/// Gives each worker consecutive components, until it has its share of the remaining links.
fn in_order(mut parts: Vec<Vec<usize>>, links: usize, workers: usize) -> Vec<WorkerId> {
    parts.sort_by_key(|part| part[0]);
    let mut assignment = vec![WorkerId(0); links];
    let (mut worker, mut load, mut left) = (0, 0, links);
    for part in parts {
        // Exceeding the share by more than half of this component would be too much.
        let full = (2 * load + part.len()) * (workers - worker) > 2 * (left + load);
        if load > 0 && full && worker + 1 < workers {
            (worker, load) = (worker + 1, 0);
        }
        load += part.len();
        left -= part.len();
        for link in part {
            assignment[link] = WorkerId::at(worker);
        }
    }
    assignment
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALONE: [Option<usize>; 2] = [None, None];

    fn places(assignment: Vec<WorkerId>) -> Vec<u32> {
        assignment.into_iter().map(|worker| worker.0).collect()
    }

    fn anew(ends: &[[Option<usize>; 2]], workers: usize) -> Vec<u32> {
        places(assign(ends, &vec![None; ends.len()], workers))
    }

    fn with_homes(ends: &[[Option<usize>; 2]], homes: &[Option<u32>], workers: usize) -> Vec<u32> {
        let homes: Vec<_> = homes.iter().map(|home| home.map(WorkerId)).collect();
        places(assign(ends, &homes, workers))
    }

    #[test]
    fn independent_links_are_spread() {
        assert_eq!(anew(&[ALONE; 4], 2), [0, 0, 1, 1]);
        assert_eq!(anew(&[ALONE; 7], 3), [0, 0, 1, 1, 1, 2, 2]);
        assert_eq!(used(&assign(&[ALONE; 2], &[None; 2], 8)), 2);
        assert_eq!(used(&assign(&[], &[], 8)), 1);
    }

    #[test]
    fn a_large_part_leaves_the_rest_to_others() {
        let on = |switch| [None, Some(switch)];
        assert_eq!(anew(&[on(0), on(0), on(0), on(0), ALONE, ALONE], 2), [0, 0, 0, 0, 1, 1]);
        assert_eq!(anew(&[ALONE, ALONE, on(0), on(0), on(0), on(0)], 2), [0, 0, 1, 1, 1, 1]);
    }

    #[test]
    fn links_joined_by_switches_stay_together() {
        let ends = [
            [None, Some(0)],
            ALONE,
            [Some(0), Some(2)],
            [Some(2), None],
            [None, Some(1)],
            [Some(1), Some(1)],
        ];
        let workers = assign(&ends, &[None; 6], 3);
        assert_eq!((workers[0], workers[0]), (workers[2], workers[3]));
        assert_eq!(workers[4], workers[5]);
        assert_eq!(used(&workers), 3);
        assert_ne!(workers[0], workers[4]);
        assert_ne!(workers[1], workers[4]);
    }

    #[test]
    fn links_keep_their_worker_unless_a_switch_joins_them_to_others() {
        let ends = [ALONE, ALONE, ALONE, [None, Some(7)], [Some(7), Some(3)], [Some(3), None]];
        let homes = [Some(1), Some(1), None, Some(0), None, Some(1)];
        assert_eq!(with_homes(&ends, &homes, 2), [1, 1, 1, 0, 0, 0]);
        let homes = [Some(1), Some(1), None, Some(0), Some(1), Some(1)];
        assert_eq!(with_homes(&ends, &homes, 2), [1, 1, 0, 1, 1, 1]);
        assert_eq!(
            with_homes(&ends, &homes, 1),
            [1, 1, 0, 1, 1, 1],
            "no link comes to the second one"
        );
    }
}
