//! Graphs by which divisions are judged. All vertices and edges weigh 1.

use netloom_partition::Graph;
use netloom_units::Stream;

/// A graph, and how its links are joined.
pub struct Named {
    pub name: &'static str,
    pub graph: Graph,
    pub links: usize,
    /// Greatest part of the links between 10 parts of 10,000 vertices, in percent.
    pub most: f64,
}

/// The five graphs, with `side`² vertices each.
pub fn all(side: u32) -> Vec<Named> {
    let vertices = side * side;
    let mut random = Stream::new(1, "graphs");
    [
        ("random 4-regular", regular(vertices, &mut random), 34.0),
        ("grid", grid(side, false), 3.0),
        ("torus", grid(side, true), 4.0),
        ("Barabási–Albert", preferential(vertices, &mut random), 38.5),
        ("transit-stub", transit_stub(side, &mut random), 1.3),
    ]
    .into_iter()
    .map(|(name, edges, most)| {
        let links = edges.len();
        let edges = edges.into_iter().map(|(from, to)| (from, to, 1));
        let graph = Graph::new(vec![1; vertices as usize], edges).expect("a graph");
        Named { name, graph, links, most }
    })
    .collect()
}

type Edges = Vec<(u32, u32)>;

fn below(random: &mut Stream, bound: usize) -> usize {
    random.below(bound as u64) as usize
}

/// Each vertex has four ends, and ends are joined by chance (but for loops).
fn regular(vertices: u32, random: &mut Stream) -> Edges {
    let mut ends: Vec<u32> = (0..4 * vertices).map(|end| end / 4).collect();
    for place in (1..ends.len()).rev() {
        ends.swap(place, below(random, place + 1));
    }
    let pairs = ends.chunks(2).map(|pair| (pair[0], pair[1]));
    pairs.filter(|(from, to)| from != to).collect()
}

/// A square, whose sides are joined if it is a torus.
pub fn grid(side: u32, is_torus: bool) -> Edges {
    let mut edges = Vec::new();
    for row in 0..side {
        for column in 0..side {
            let here = row * side + column;
            if column + 1 < side || is_torus {
                edges.push((here, row * side + (column + 1) % side));
            }
            if row + 1 < side || is_torus {
                edges.push((here, (row + 1) % side * side + column));
            }
        }
    }
    edges
}

/// Each vertex joins two others, by chance as their degrees are (Barabási and Albert 1999).
fn preferential(vertices: u32, random: &mut Stream) -> Edges {
    let mut edges = vec![(0, 1), (1, 2), (0, 2)];
    let mut ends = vec![0, 1, 1, 2, 0, 2];
    for vertex in 3..vertices {
        let one = ends[below(random, ends.len())];
        let other = loop {
            let other = ends[below(random, ends.len())];
            if other != one {
                break other;
            }
        };
        edges.extend([(one, vertex), (other, vertex)]);
        ends.extend([one, vertex, other, vertex]);
    }
    edges
}

/// `side` transit routers, joined as in a random 4-regular graph, each with a random tree of
/// `side` − 1 others.
fn transit_stub(side: u32, random: &mut Stream) -> Edges {
    let mut edges = regular(side, random);
    let mut next = side;
    for transit in 0..side {
        let mut tree = vec![transit];
        for _ in 1..side {
            edges.push((tree[below(random, tree.len())], next));
            tree.push(next);
            next += 1;
        }
    }
    edges
}
