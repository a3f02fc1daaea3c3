//! Points for the nodes of a network such that their distances on paper resemble their distances in
//! hops. The time grows with the number of nodes and links, not with its square.
//!
//! | module | what |
//! |---|---|
//! | `graph` | nodes and their neighbours; shortest paths |
//! | `fabric` | leaf–spine networks, in rows |
//! | `stress` | all distances of a small network |
//! | `sparse` | those of a large one, of which only some are known |
//! | `trees` | trees around a node |
//! | `axes` | the main axes of a matrix, with which both begin |
//! | `among` | new nodes among those that stay |
//! | `apart` | nodes that cover each other are moved apart |
//! | `pages` | parts that are not connected, beside each other |
//!
//! Each part that is connected is laid out by itself. A small one is so by its stress. Of a large
//! one, the trees that hang on it are taken off; what remains is laid out with room for them, and
//! each tree is drawn around the node on which it hangs.
//!
//! Only sums, products, square roots and `libm` are used, so every machine computes the same.

mod among;
mod apart;
mod axes;
mod fabric;
mod graph;
mod pages;
mod sparse;
mod stress;
mod trees;

use graph::Graph;

pub use graph::Point;

/// Most nodes whose distances are all computed.
const SMALL: usize = 300;

/// Computes points for `count` nodes that are joined by `edges`. The unit is about one hop.
pub fn place(count: usize, edges: &[(usize, usize)]) -> Vec<Point> {
    let graph = Graph::new(count, edges);
    let mut points = vec![[0.0, 0.0]; count];
    let parts = graph.parts();
    let drawn = parts.iter().map(|nodes| connected(&graph.part(nodes))).collect();
    for (nodes, drawn) in parts.iter().zip(pages::beside(drawn)) {
        for (node, point) in nodes.iter().zip(drawn) {
            points[*node] = point;
        }
    }
    points
}

/// Computes points for nodes that have none yet: the `fixed` ones, each with its point, stay where
/// they are, and others come near their neighbours.
pub fn place_among(count: usize, edges: &[(usize, usize)], fixed: &[(usize, Point)]) -> Vec<Point> {
    if fixed.is_empty() {
        return place(count, edges);
    }
    let mut points = vec![None; count];
    fixed.iter().for_each(|(node, point)| points[*node] = Some(*point));
    among::place(&Graph::new(count, edges), &points)
}

/// Lays out a graph whose nodes are all connected.
fn connected(graph: &Graph) -> Vec<Point> {
    let count = graph.len();
    if let Some(points) = fabric::place(graph) {
        return points;
    }
    if count <= SMALL {
        let mut points = stress::place(&graph.distances());
        apart::spread(&mut points, &vec![graph::ROOM; count]);
        return points;
    }
    let trees = trees::Trees::of(graph);
    let core = graph.part(trees.core()).with_room(|place| trees.radius(trees.core()[place]));
    let mut points = match core.len() {
        0..=SMALL => stress::place(&core.distances()),
        _ => sparse::place(&core),
    };
    let rooms: Vec<f64> = trees.core().iter().map(|node| trees.radius(*node)).collect();
    apart::spread(&mut points, &rooms);
    trees.drawn_around(count, &points)
}

#[cfg(test)]
mod tests {
    use super::{Point, SMALL, place};

    fn distance(a: Point, b: Point) -> f64 {
        ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)).sqrt()
    }

    /// Returns the smallest distance between two of the points. All of them must be finite.
    fn closest(points: &[Point]) -> f64 {
        assert!(points.iter().flatten().all(|value| value.is_finite()));
        let mut sorted = points.to_vec();
        sorted.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let mut least = f64::INFINITY;
        for (index, a) in sorted.iter().enumerate() {
            let near = sorted[index + 1..].iter().take_while(|b| b[0] - a[0] < least);
            least = near.map(|b| distance(*a, *b)).fold(least, f64::min);
        }
        least
    }

    fn ring(count: usize) -> Vec<(usize, usize)> {
        (0..count).map(|index| (index, (index + 1) % count)).collect()
    }

    fn grid(side: usize) -> Vec<(usize, usize)> {
        let at = |x: usize, y: usize| y * side + x;
        let right = (0..side).flat_map(move |y| (1..side).map(move |x| (at(x - 1, y), at(x, y))));
        let down = (1..side).flat_map(move |y| (0..side).map(move |x| (at(x, y - 1), at(x, y))));
        right.chain(down).collect()
    }

    /// A tree in which each node has `width` children.
    fn tree(count: usize, width: usize) -> Vec<(usize, usize)> {
        (1..count).map(|node| ((node - 1) / width, node)).collect()
    }

    /// Links between nodes that are drawn by a fixed rule, and a ring that connects all.
    fn random(count: usize) -> Vec<(usize, usize)> {
        let mut state = 1u64;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % count
        };
        ring(count).into_iter().chain((0..count / 2).map(|_| (draw(), draw()))).collect()
    }

    /// Each leaf is joined to each spine, and to hosts of its own.
    fn leaf_spine(spines: usize, leaves: usize, hosts: usize) -> Vec<(usize, usize)> {
        let up = (0..spines).flat_map(|spine| (0..leaves).map(move |leaf| (spine, spines + leaf)));
        let first = spines + leaves;
        let down = (0..leaves * hosts).map(|host| (spines + host / hosts, first + host));
        up.chain(down).collect()
    }

    #[test]
    fn leaves_and_spines_are_in_rows() {
        let points = place(3 + 8 + 40, &leaf_spine(3, 8, 5));
        let height = |nodes: std::ops::Range<usize>| {
            let heights = points[nodes].iter().map(|point| point[1]);
            (
                heights.clone().fold(f64::INFINITY, f64::min),
                heights.fold(f64::NEG_INFINITY, f64::max),
            )
        };
        let (spines, leaves, hosts) = (height(0..3), height(3..11), height(11..51));
        assert_eq!((spines.0, leaves.0), (spines.1, leaves.1));
        assert!(spines.1 < leaves.0 && leaves.1 < hosts.0, "{spines:?} {leaves:?} {hosts:?}");
        // A leaf is over its hosts.
        let middle = points[11..16].iter().map(|point| point[0]).sum::<f64>() / 5.0;
        assert!((middle - points[3][0]).abs() < 1.0, "{middle} {:?}", points[3]);
    }

    #[test]
    fn a_ring_is_round() {
        for count in [100, 2000] {
            let points = place(count, &ring(count));
            let middle = [0, 1]
                .map(|axis| points.iter().map(|point| point[axis]).sum::<f64>() / count as f64);
            let radii: Vec<f64> = points.iter().map(|point| distance(*point, middle)).collect();
            let mean = radii.iter().sum::<f64>() / count as f64;
            let least = radii.iter().copied().fold(f64::INFINITY, f64::min);
            let most = radii.iter().copied().fold(0.0, f64::max);
            assert!(least > 0.9 * mean && most < 1.1 * mean, "{least} to {most}");
            assert!(closest(&points) > 0.5, "{}", closest(&points));
        }
    }

    #[test]
    fn nodes_do_not_lie_on_each_other() {
        let star: Vec<(usize, usize)> = (1..21).map(|leaf| (0, leaf)).collect();
        let two_pairs = vec![(0, 1), (2, 3)];
        let leaves = leaf_spine(4, 16, 12);
        let all = [
            (21, star),
            (4, two_pairs),
            (3, Vec::new()),
            (2, vec![(0, 1)]),
            (300, random(300)),
            (4 + 16 + 16 * 12, leaves),
        ];
        for (count, edges) in all {
            let points = place(count, &edges);
            assert!(closest(&points) > 0.55, "{count}: {}", closest(&points));
        }
    }

    #[test]
    fn nodes_of_large_networks_do_not_lie_on_each_other() {
        let star: Vec<(usize, usize)> = (1..3000).map(|leaf| (0, leaf)).collect();
        // Routers in a grid, each with five hosts.
        let mut campus = grid(20);
        campus.extend((0..2000).map(|host| (host / 5, 400 + host)));
        let networks = [
            ("ring", 5000, ring(5000)),
            ("grid", 4900, grid(70)),
            ("star", 3000, star),
            ("tree", 4000, tree(4000, 3)),
            ("path", 1000, (1..1000).map(|node| (node - 1, node)).collect()),
            ("campus", 2400, campus),
            ("random", 2000, random(2000)),
        ];
        for (name, count, edges) in networks {
            let points = place(count, &edges);
            assert!(closest(&points) > 0.25, "{name}: {}", closest(&points));
        }
    }

    #[test]
    fn neighbours_are_about_one_hop_apart() {
        let mut edges = ring(6);
        edges.push((0, 3));
        for (count, edges) in [(6, edges), (4900, grid(70))] {
            let points = place(count, &edges);
            for (a, b) in edges {
                let apart = distance(points[a], points[b]);
                assert!((0.5..1.6).contains(&apart), "{a} and {b} are {apart} apart");
            }
        }
    }

    /// As far on paper as in hops, but for a factor: a square keeps its corners.
    #[test]
    fn a_large_grid_is_a_square() {
        let points = place(4900, &grid(70));
        let side = distance(points[0], points[69]);
        for (a, b, far) in [(69, 4899, 1.0), (4899, 4830, 1.0), (4830, 0, 1.0), (0, 4899, 1.41)] {
            let share = distance(points[a], points[b]) / side;
            assert!((share / far - 1.0).abs() < 0.1, "{a} to {b}: {share}");
        }
    }

    #[test]
    fn parts_that_are_not_connected_are_beside_each_other() {
        let second = ring(SMALL + 1).into_iter().map(|(a, b)| (a + 10, b + 10));
        let edges: Vec<_> = ring(10).into_iter().chain(second).collect();
        // The last ten nodes have no link.
        let points = place(SMALL + 21, &edges);
        assert!(closest(&points) > 0.5, "{}", closest(&points));
        let span = |nodes: std::ops::Range<usize>| {
            let xs = points[nodes].iter().map(|point| point[0]);
            (xs.clone().fold(f64::INFINITY, f64::min), xs.fold(f64::NEG_INFINITY, f64::max))
        };
        let (small, large) = (span(0..10), span(10..SMALL + 11));
        assert!(small.0 > large.1 || large.0 > small.1, "{small:?} {large:?}");
    }

    #[test]
    fn new_nodes_come_near_their_neighbours_and_move_nobody() {
        let (count, edges) = (4900, grid(70));
        let before = place(count, &edges);
        let fixed: Vec<_> = before.iter().copied().enumerate().collect();
        let more = (0..300).map(|new| (new % 50, count + new)).chain([(5200, 5201)]);
        let edges: Vec<_> = edges.into_iter().chain(more).collect();
        let points = super::place_among(count + 302, &edges, &fixed);
        assert_eq!(points[..count], before[..]);
        assert!(closest(&points) > 0.25, "{}", closest(&points));
        let far = (0..300).map(|new| distance(points[new % 50], points[count + new]));
        let far = far.fold(0.0, f64::max);
        assert!(far < 8.0, "{far}");
        assert_eq!(super::place_among(3, &[], &[]), place(3, &[]));
    }

    #[test]
    fn layouts_work_for_no_node_and_for_one() {
        assert!(place(0, &[]).is_empty());
        assert!(place(1, &[])[0].iter().all(|value| value.is_finite()));
        // A link from a node to itself, and one twice.
        assert_eq!(place(2, &[(0, 0), (0, 1), (1, 0)]), place(2, &[(0, 1)]));
    }
}
