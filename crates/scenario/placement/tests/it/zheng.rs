//! The mapping of Zheng 2003, §3.5.3, as written and corrected, for comparison; and the random
//! numbers of Python, by which the random networks are made.

use std::collections::BTreeSet;

/// A network with links between nodes and to the outside (`None`), rates in Mbit/s.
pub struct Network {
    pub nodes: usize,
    pub links: Vec<(usize, Option<usize>, f64)>,
}

impl Network {
    pub fn ports(&self, set: &BTreeSet<usize>) -> u32 {
        let ends = self.links.iter().flat_map(|(a, b, _)| [Some(*a), *b]).flatten();
        ends.filter(|node| set.contains(node)).count() as u32
    }

    /// Aggregated network capacity: the rates of all links at these nodes.
    pub fn anc(&self, set: &BTreeSet<usize>) -> f64 {
        let at = |node: &Option<usize>| node.is_some_and(|node| set.contains(&node));
        let links = self.links.iter().filter(|(a, b, _)| at(&Some(*a)) || at(b));
        links.map(|(.., rate)| rate).sum()
    }

    fn neighbours(&self, set: &BTreeSet<usize>, rest: &BTreeSet<usize>) -> BTreeSet<usize> {
        let pairs = self.links.iter().filter_map(|(a, b, _)| Some((*a, (*b)?)));
        let both = pairs.flat_map(|(a, b)| [(a, b), (b, a)]);
        both.filter(|(a, b)| set.contains(a) && rest.contains(b)).map(|(_, b)| b).collect()
    }

    /// Zheng's steps. With `is_literal`, links between the set and the next node count twice and
    /// the capacity must not be reached; else both are corrected.
    pub fn mapped(&self, mnp: &dyn Fn(u32) -> f64, is_literal: bool) -> Vec<BTreeSet<usize>> {
        let single = |node: usize| self.anc(&BTreeSet::from([node]));
        let degree = |node: usize| self.ports(&BTreeSet::from([node]));
        let mut rest: BTreeSet<usize> = (0..self.nodes).collect();
        let mut parts = Vec::new();
        let greater = |a: &usize, b: &usize| single(*a).total_cmp(&single(*b)).then(b.cmp(a));
        while let Some(first) = rest.iter().copied().max_by(greater) {
            rest.remove(&first);
            let (mut set, mut tried) = (BTreeSet::from([first]), BTreeSet::new());
            loop {
                let mut near = self.neighbours(&set, &rest);
                near.retain(|node| !tried.contains(node));
                let next = near.into_iter().max_by(|a, b| {
                    let fewer = degree(*b).cmp(&degree(*a));
                    single(*a).total_cmp(&single(*b)).then(fewer).then(b.cmp(a))
                });
                let Some(next) = next else { break };
                let mut joined = set.clone();
                joined.insert(next);
                let bears = mnp(self.ports(&joined));
                let fits = match is_literal {
                    true => self.anc(&set) + single(next) < bears,
                    false => self.anc(&joined) <= bears,
                };
                if fits {
                    rest.remove(&next);
                    set = joined;
                    tried.clear();
                } else {
                    tried.insert(next);
                }
            }
            parts.push(set);
        }
        parts
    }
}

/// CPython's random numbers: MT19937 (Matsumoto and Nishimura 1998) and the integers drawn by it.
pub struct Python {
    state: [u32; 624],
    next: usize,
}

impl Python {
    /// `random.seed(seed)` for a seed below 2³²: `init_by_array` with one word.
    pub fn new(seed: u32) -> Self {
        let mut state = [0u32; 624];
        state[0] = 19_650_218;
        for i in 1..624 {
            let before = state[i - 1];
            state[i] =
                1_812_433_253u32.wrapping_mul(before ^ (before >> 30)).wrapping_add(i as u32);
        }
        let mut i = 1;
        for _ in 0..624 {
            let before = state[i - 1];
            let mixed = (before ^ (before >> 30)).wrapping_mul(1_664_525);
            state[i] = (state[i] ^ mixed).wrapping_add(seed);
            i = Self::after(i, &mut state);
        }
        for _ in 0..623 {
            let before = state[i - 1];
            let mixed = (before ^ (before >> 30)).wrapping_mul(1_566_083_941);
            state[i] = (state[i] ^ mixed).wrapping_sub(i as u32);
            i = Self::after(i, &mut state);
        }
        state[0] = 0x8000_0000;
        Self { state, next: 624 }
    }

    fn after(i: usize, state: &mut [u32; 624]) -> usize {
        if i + 1 < 624 {
            return i + 1;
        }
        state[0] = state[623];
        1
    }

    fn word(&mut self) -> u32 {
        if self.next == 624 {
            for i in 0..624 {
                let y = (self.state[i] & 0x8000_0000) | (self.state[(i + 1) % 624] & 0x7fff_ffff);
                let twist = if y & 1 == 1 { 0x9908_b0df } else { 0 };
                self.state[i] = self.state[(i + 397) % 624] ^ (y >> 1) ^ twist;
            }
            self.next = 0;
        }
        let mut y = self.state[self.next];
        self.next += 1;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c_5680;
        y ^= (y << 15) & 0xefc6_0000;
        y ^ (y >> 18)
    }

    /// `randrange(bound)`.
    pub fn below(&mut self, bound: usize) -> usize {
        let bits = usize::BITS - bound.leading_zeros();
        loop {
            let drawn = (self.word() >> (32 - bits)) as usize;
            if drawn < bound {
                return drawn;
            }
        }
    }

    /// `choice(list)`.
    pub fn choice<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// `sample(range(bound), 2)`.
    pub fn two_below(&mut self, bound: usize) -> [usize; 2] {
        let mut pool: Vec<usize> = (0..bound).collect();
        let first = self.below(bound);
        let one = pool[first];
        pool[first] = pool[bound - 1];
        [one, pool[self.below(bound - 1)]]
    }
}

#[test]
fn random_numbers_are_pythons() {
    // python3 -c 'import random; random.seed(1); print([random.randrange(100) for _ in range(8)])'
    let mut python = Python::new(1);
    let drawn: Vec<usize> = (0..8).map(|_| python.below(100)).collect();
    assert_eq!(drawn, [17, 72, 97, 8, 32, 15, 63, 97]);
}
