//! What divisions of any graph keep to.

use netloom_partition::{Graph, Wanted};
use proptest::prelude::*;

fn graphs() -> impl Strategy<Value = (Vec<u64>, Vec<(u32, u32, u64)>)> {
    (1u32..150).prop_flat_map(|vertices| {
        let weights = prop::collection::vec(0u64..20, vertices as usize);
        let edges = prop::collection::vec((0..vertices, 0..vertices, 0u64..100), 0..450);
        (weights, edges)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_vertex_has_a_part_and_no_part_is_empty_or_too_heavy(
        (weights, edges) in graphs(),
        parts in 1u32..12,
        seed in any::<u64>(),
    ) {
        let graph = Graph::new(weights.clone(), edges.clone()).unwrap();
        let wanted = Wanted { parts, tolerance: 5, seed };
        let part_of = graph.divide(wanted);
        prop_assert_eq!(&graph.divide(wanted), &part_of, "the same again");
        prop_assert_eq!(part_of.len(), weights.len());
        let mut loads = vec![0; parts as usize];
        let mut counts = vec![0; parts as usize];
        for (part, weight) in part_of.iter().zip(&weights) {
            loads[*part as usize] += weight;
            counts[*part as usize] += 1;
        }
        if weights.len() >= parts as usize {
            prop_assert!(counts.iter().all(|count| *count > 0), "{:?}", counts);
        }
        // Where no move lightens a part, it is heavier than the mean by one vertex at most.
        let mean = graph.total() / u64::from(parts);
        let heaviest = weights.iter().max().unwrap();
        prop_assert!(loads.iter().all(|load| *load <= mean * 21 / 20 + heaviest + 1), "{:?}", loads);
        let cut: u64 = edges
            .iter()
            .filter(|(from, to, _)| part_of[*from as usize] != part_of[*to as usize])
            .map(|(_, _, weight)| weight)
            .sum();
        prop_assert_eq!(graph.cut(&part_of), cut);
    }
}
