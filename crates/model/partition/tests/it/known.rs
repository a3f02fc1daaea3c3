//! Graphs whose good divisions are known.

use netloom_partition::{Graph, GraphError, Wanted};

use crate::graphs::{all, grid};

const WANTED: Wanted = Wanted { parts: 10, tolerance: 5, seed: 1 };

fn loads(graph: &Graph, part_of: &[u32], parts: u32) -> Vec<u64> {
    let mut loads = vec![0; parts as usize];
    for (vertex, part) in (0..).zip(part_of) {
        loads[*part as usize] += graph.weight(vertex);
    }
    loads
}

/// Of 900 vertices, the rim of each part is a greater share than of 10,000, so that the limits of
/// graphs in a plane grow as the square root; those of others are what they are.
#[test]
fn few_links_are_between_parts_of_equal_size() {
    for named in all(30) {
        let part_of = named.graph.divide(WANTED);
        let cut = named.graph.cut(&part_of) as f64 / named.links as f64 * 100.0;
        let is_flat = matches!(named.name, "grid" | "torus");
        let most = if is_flat { named.most * 100.0 / 30.0 * 1.05 } else { named.most * 1.05 };
        let most = if named.name == "transit-stub" { 5.0 } else { most };
        println!("{}: {cut:.1} % of links, at most {most:.1} %", named.name);
        assert!(cut <= most, "{}: {cut} % of links", named.name);
        let loads = loads(&named.graph, &part_of, 10);
        assert!(loads.iter().all(|load| *load <= 95), "{}: {loads:?}", named.name);
        assert!(loads.iter().all(|load| *load > 0), "{}: {loads:?}", named.name);
    }
}

#[test]
fn a_ladder_of_cliques_is_cut_between_them() {
    // Four cliques of 20, and one edge between neighbours.
    let clique = |first: u32| {
        let pairs = (first..first + 20).flat_map(move |a| (a + 1..first + 20).map(move |b| (a, b)));
        pairs.map(|(a, b)| (a, b, 1))
    };
    let between = (1..4).map(|number| (number * 20 - 1, number * 20, 1));
    let edges = (0..4).flat_map(|number| clique(number * 20)).chain(between);
    let graph = Graph::new(vec![1; 80], edges).unwrap();
    let part_of = graph.divide(Wanted { parts: 4, ..WANTED });
    assert_eq!(graph.cut(&part_of), 3);
}

#[test]
fn heavy_edges_are_not_cut() {
    // A ring of 40 in which each second edge weighs 1,000.
    let edges =
        (0..40).map(|vertex| (vertex, (vertex + 1) % 40, if vertex % 2 == 0 { 1000 } else { 1 }));
    let graph = Graph::new(vec![1; 40], edges).unwrap();
    assert_eq!(graph.cut(&graph.divide(Wanted { parts: 4, ..WANTED })), 4);
}

#[test]
fn a_grid_of_8_by_8_into_8() {
    let edges = grid(8, false).into_iter().map(|(from, to)| (from, to, 1));
    let graph = Graph::new(vec![1; 64], edges).unwrap();
    let part_of = graph.divide(Wanted { parts: 8, ..WANTED });
    // Rectangles of 2 by 4 have 40 of 112 edges between them, scattered vertices 98.
    assert!(graph.cut(&part_of) <= 44, "{}", graph.cut(&part_of));
    assert!(loads(&graph, &part_of, 8).iter().all(|load| (6..=9).contains(load)));
}

#[test]
fn a_heavy_vertex_has_a_part_of_its_own() {
    let graph = Graph::new(vec![1, 1, 50, 1, 1], []).unwrap();
    let part_of = graph.divide(Wanted { parts: 3, ..WANTED });
    assert_eq!(loads(&graph, &part_of, 3).iter().max(), Some(&50));
}

#[test]
fn there_may_be_fewer_vertices_than_parts_or_none() {
    let none = Graph::new(vec![], []).unwrap();
    assert!(none.divide(WANTED).is_empty() && none.is_empty());
    let three = Graph::new(vec![5, 0, 5], [(0, 1, 7), (1, 2, 7)]).unwrap();
    let mut part_of = three.divide(WANTED);
    part_of.sort_unstable();
    part_of.dedup();
    assert_eq!(part_of.len(), 3);
    assert_eq!(three.divide(Wanted { parts: 0, ..WANTED }), [0, 0, 0]);
}

#[test]
fn edges_between_two_vertices_add_up_and_loops_do_not_count() {
    let edges = [(0, 1, 2), (1, 0, 3), (1, 1, 9), (2, 1, 4)];
    let graph = Graph::new(vec![1; 3], edges).unwrap();
    assert_eq!(graph.near(1), [(0, 5), (2, 4)]);
    assert_eq!(graph.near(0), [(1, 5)]);
    assert_eq!(graph.cut(&[0, 1, 1]), 5);
}

#[test]
fn impossible_graphs_are_refused() {
    let far = Graph::new(vec![1; 2], [(0, 2, 1)]);
    assert_eq!(far, Err(GraphError::NoVertex { from: 0, to: 2, vertices: 2 }));
    let heavy = Graph::new(vec![u64::MAX, 1], []);
    assert_eq!(heavy, Err(GraphError::TooHeavy { what: "vertices" }));
    let heavy = Graph::new(vec![1; 2], [(0, 1, u64::MAX)]);
    assert_eq!(heavy, Err(GraphError::TooHeavy { what: "edges" }));
}
