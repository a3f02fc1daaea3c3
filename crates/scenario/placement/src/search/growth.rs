//! First assignments: parts of about equal load with little traffic between them, and random ones.

use netloom_partition::{Graph, Wanted};
use netloom_units::Stream;

use super::contracted::Contracted;

/// Sum of all weights of vertices, and of all weights of edges, apart from rounding.
const SCALE: f64 = (1u64 << 40) as f64;

/// By how many percent a part may be heavier than the mean.
const TOLERANCE: u32 = 5;

/// Divides the groups into one part for each machine of `set`. Parts with nodes that are bound to a
/// machine go there, as far as they can, and the others go by turns.
pub(super) fn divided(of: &Contracted<'_>, set: &[usize], random: &mut Stream) -> Vec<usize> {
    let weights = weights(of);
    let rates = of.edges.iter().map(|edge| edge.rate).sum::<f64>().max(1.0);
    let scaled = |part: f64| (part * SCALE) as u64 + 1;
    let edges = of.edges.iter().map(|edge| {
        let [a, b] = edge.ends.map(|end| end as u32);
        (a, b, scaled(edge.rate / rates))
    });
    let wanted = Wanted { parts: set.len() as u32, tolerance: TOLERANCE, seed: random.bits() };
    let graph = Graph::new(weights.iter().copied().map(scaled).collect(), edges);
    // Sums are far below the graph's limit, and all ends are vertices.
    let Ok(graph) = graph else { return scattered(of, set, random) };
    let part_of = graph.divide(wanted);
    let mut free: Vec<usize> = set.to_vec();
    shuffle(&mut free, random);
    let mut machine_of_part: Vec<Option<usize>> = vec![None; set.len()];
    for (group, fixed) in of.groups.machine.iter().enumerate() {
        let part = part_of[group] as usize;
        let Some(place) = free.iter().position(|machine| Some(*machine) == *fixed) else {
            continue;
        };
        if machine_of_part[part].is_none() {
            machine_of_part[part] = Some(free.swap_remove(place));
        }
    }
    let machine_of_part: Vec<usize> = machine_of_part
        .into_iter()
        .map(|machine| machine.or_else(|| free.pop()).unwrap_or(set[0]))
        .collect();
    let fixed = of.groups.machine.iter().zip(part_of);
    fixed.map(|(fixed, part)| fixed.unwrap_or(machine_of_part[part as usize])).collect()
}

/// Gives each group a random machine of `set`.
pub(super) fn scattered(of: &Contracted<'_>, set: &[usize], random: &mut Stream) -> Vec<usize> {
    let fixed = of.groups.machine.iter();
    let mut any = || set[random.below(set.len() as u64) as usize];
    fixed.map(|fixed| fixed.unwrap_or_else(&mut any)).collect()
}

/// Weight of each group: the greatest of its parts of all memory, CPU time and traffic.
fn weights(of: &Contracted<'_>) -> Vec<f64> {
    let touching = |group: usize| {
        let edges = of.near[group].iter().map(|edge| of.edges[*edge].traffic.frames);
        of.vertices[group].inside.frames + edges.sum::<f64>()
    };
    let part = |value: f64, total: f64| if total > 0.0 { value / total } else { 0.0 };
    let sum = |value: &dyn Fn(usize) -> f64| (0..of.len()).map(value).sum::<f64>();
    let cpu = sum(&|group| of.vertices[group].cpu);
    let memory = sum(&|group| of.vertices[group].memory);
    let frames = sum(&touching);
    let weight = |group: usize| {
        let vertex = &of.vertices[group];
        let parts =
            [part(vertex.cpu, cpu), part(vertex.memory, memory), part(touching(group), frames)];
        parts.into_iter().fold(0.0, f64::max)
    };
    (0..of.len()).map(weight).collect()
}

fn shuffle(list: &mut [usize], random: &mut Stream) {
    for place in (1..list.len()).rev() {
        list.swap(place, random.below(place as u64 + 1) as usize);
    }
}
