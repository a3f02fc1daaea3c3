//! Which worker owns which links: connected components, spread evenly. Pure.

/// For each link, the index of its worker. `ends` holds, for each link, the switches it ends at;
/// `workers` is at least one. Links that share a switch share a worker.
pub(crate) fn assign(ends: &[[Option<usize>; 2]], switches: usize, workers: usize) -> Vec<usize> {
    let mut roots = Roots((0..switches).collect());
    for pair in ends {
        if let [Some(a), Some(b)] = *pair {
            roots.join(a, b);
        }
    }
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); switches];
    let mut parts: Vec<Vec<usize>> = Vec::new();
    for (link, pair) in ends.iter().enumerate() {
        match pair[0].or(pair[1]) {
            Some(switch) => members[roots.of(switch)].push(link),
            None => parts.push(vec![link]),
        }
    }
    parts.extend(members.into_iter().filter(|part| !part.is_empty()));
    spread(parts, ends.len(), workers)
}

/// How many workers [`assign`] used.
pub(crate) fn used(assignment: &[usize]) -> usize {
    assignment.iter().max().map_or(1, |last| last + 1)
}

/// Largest part first, each to the worker that has least.
fn spread(mut parts: Vec<Vec<usize>>, links: usize, workers: usize) -> Vec<usize> {
    parts.sort_by_key(|part| (std::cmp::Reverse(part.len()), part[0]));
    let mut loads = vec![0; workers];
    let mut assignment = vec![0; links];
    for part in parts {
        let worker = (0..workers).min_by_key(|worker| loads[*worker]).unwrap_or(0);
        loads[worker] += part.len();
        for link in part {
            assignment[link] = worker;
        }
    }
    assignment
}

/// Union-find over the switches.
struct Roots(Vec<usize>);

impl Roots {
    fn of(&mut self, mut item: usize) -> usize {
        while self.0[item] != item {
            self.0[item] = self.0[self.0[item]];
            item = self.0[item];
        }
        item
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.of(a), self.of(b));
        self.0[a] = b;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALONE: [Option<usize>; 2] = [None, None];

    #[test]
    fn independent_links_are_spread() {
        assert_eq!(assign(&[ALONE; 4], 0, 2), [0, 1, 0, 1]);
        assert_eq!(used(&assign(&[ALONE; 2], 0, 8)), 2);
        assert_eq!(used(&assign(&[], 0, 8)), 1);
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
        let workers = assign(&ends, 3, 3);
        assert_eq!((workers[0], workers[0]), (workers[2], workers[3]));
        assert_eq!(workers[4], workers[5]);
        assert_eq!(used(&workers), 3);
        assert_ne!(workers[0], workers[4]);
        assert_ne!(workers[1], workers[4]);
    }
}
