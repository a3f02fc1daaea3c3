//! The networks of the benchmark. They are shuffled, so nothing about them follows from the order
//! of their file.

use std::collections::HashSet;

use netloom_units::Duration;

/// Routers and the links between them, with delays.
pub struct Graph {
    pub name: String,
    pub nodes: usize,
    pub links: Vec<(usize, usize, Duration)>,
}

pub fn all() -> Vec<Graph> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let random = &mut random;
    vec![
        graph("regular, 4 links each", 1000, regular(1000, 4, random), false, random),
        graph("same, delays differ", 1000, regular(1000, 4, random), true, random),
        graph("regular, 4 links each", 5000, regular(5000, 4, random), false, random),
        graph("same, delays differ", 5000, regular(5000, 4, random), true, random),
        graph("Barabási–Albert, 2", 5000, preferential(5000, 2, random), false, random),
        graph("ring", 5000, (0..5000).map(|n| (n, (n + 1) % 5000)).collect(), false, random),
        graph("grid, 70 × 70", 4900, grid(70, false), false, random),
        graph("torus, 70 × 70", 4900, grid(70, true), false, random),
        graph(
            "random tree",
            5000,
            (1..5000).map(|n| (random.below(n), n)).collect(),
            false,
            random,
        ),
        graph("star", 5000, (1..5000).map(|n| (0, n)).collect(), false, random),
    ]
}

type Links = Vec<(usize, usize)>;

/// Creates a graph whose links have delays of 10 ms, or random delays up to 20 ms if they `differ`.
fn graph(name: &str, nodes: usize, mut links: Links, differ: bool, random: &mut Random) -> Graph {
    let mut names: Vec<usize> = (0..nodes).collect();
    random.shuffle(&mut names);
    random.shuffle(&mut links);
    let delay = |random: &mut Random| match differ {
        true => Duration::from_micros(1 + random.below(20_000) as u64),
        false => Duration::from_millis(10),
    };
    let links = links.into_iter().map(|(a, b)| (names[a], names[b], delay(random))).collect();
    Graph { name: name.into(), nodes, links }
}

/// Returns a random graph in which all nodes have the same number of links: the configuration
/// model, with swaps to remove loops and double links.
fn regular(nodes: usize, degree: usize, random: &mut Random) -> Links {
    let mut stubs: Vec<usize> = (0..nodes * degree).map(|stub| stub / degree).collect();
    random.shuffle(&mut stubs);
    let mut links: Links = stubs.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
    loop {
        let mut seen = HashSet::new();
        let is_bad = |(a, b): (usize, usize), seen: &mut HashSet<(usize, usize)>| {
            a == b || !seen.insert((a.min(b), a.max(b)))
        };
        let bad: Vec<usize> =
            (0..links.len()).filter(|link| is_bad(links[*link], &mut seen)).collect();
        if bad.is_empty() {
            return links;
        }
        for link in bad {
            let other = random.below(links.len());
            let ends = (links[link].1, links[other].1);
            (links[other].1, links[link].1) = ends;
        }
    }
}

/// Barabási and Albert 1999: each new node gets `degree` links to nodes chosen by their degree.
fn preferential(nodes: usize, degree: usize, random: &mut Random) -> Links {
    let mut links: Links = (0..=degree).flat_map(|a| (0..a).map(move |b| (b, a))).collect();
    let mut ends: Vec<usize> = links.iter().flat_map(|(a, b)| [*a, *b]).collect();
    for node in degree + 1..nodes {
        let mut chosen = vec![];
        while chosen.len() < degree {
            let end = ends[random.below(ends.len())];
            if !chosen.contains(&end) {
                chosen.push(end);
            }
        }
        links.extend(chosen.iter().map(|end| (*end, node)));
        ends.extend(chosen.into_iter().flat_map(|end| [end, node]));
    }
    links
}

fn grid(width: usize, round: bool) -> Links {
    let mut links = vec![];
    for y in 0..width {
        for x in 0..width {
            if round || x + 1 < width {
                links.push((y * width + x, y * width + (x + 1) % width));
            }
            if round || y + 1 < width {
                links.push((y * width + x, (y + 1) % width * width + x));
            }
        }
    }
    links
}

/// SplitMix64, with the same numbers in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}
