//! Divides a graph into regions of about equal weight with few edges between them. Not here: what
//! the points of the graph are (`partition`).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of passes over all points that look for a better region for each.
const ROUNDS: usize = 8;

/// Points with weights, and edges between them.
#[derive(Debug)]
pub(crate) struct Graph {
    /// Weight of each point.
    pub weights: Vec<u64>,
    /// The neighbours of each point, once for each edge.
    pub near: Vec<Vec<u32>>,
}

impl Graph {
    /// Divides the graph into `regions` regions. Returns the region of each point.
    pub fn divided(&self, regions: u32) -> Vec<u32> {
        let mut region_of = Growth::new(self).all(regions);
        for _ in 0..ROUNDS {
            if !self.refine(&mut region_of, regions) {
                break;
            }
        }
        region_of
    }

    fn weight(&self) -> u64 {
        self.weights.iter().sum()
    }

    /// Moves points to the region that most of their edges lead to, as long as no region becomes
    /// more than a twentieth heavier than the mean (after Fiduccia and Mattheyses 1982). Returns
    /// whether any point moved.
    fn refine(&self, region_of: &mut [u32], regions: u32) -> bool {
        let mut loads = vec![0; regions as usize];
        for (region, weight) in region_of.iter().zip(&self.weights) {
            loads[*region as usize] += weight;
        }
        let most = self.weight() / u64::from(regions) * 21 / 20;
        let mut has_moved = false;
        for point in 0..self.weights.len() {
            let (weight, own) = (self.weights[point], region_of[point]);
            let Some(better) = self.better(point, region_of) else { continue };
            if loads[better as usize] + weight <= most && loads[own as usize] > weight {
                loads[own as usize] -= weight;
                loads[better as usize] += weight;
                region_of[point] = better;
                has_moved = true;
            }
        }
        has_moved
    }

    /// Returns the region that more edges of a point lead to than to its own region.
    fn better(&self, point: usize, region_of: &[u32]) -> Option<u32> {
        let mut edges: BTreeMap<u32, usize> = BTreeMap::new();
        for near in &self.near[point] {
            *edges.entry(region_of[*near as usize]).or_default() += 1;
        }
        let own = edges.get(&region_of[point]).copied().unwrap_or(0);
        let best = edges.into_iter().max_by_key(|(region, edges)| (*edges, Reverse(*region)));
        best.filter(|(_, edges)| *edges > own).map(|(region, _)| region)
    }
}

const FREE: u32 = u32::MAX;

/// Regions that grow one after the other.
struct Growth<'a> {
    graph: &'a Graph,
    region_of: Vec<u32>,
    /// Points without a region, sorted by the number of their edges to other such points.
    free: BTreeSet<(usize, u32)>,
    /// Number of edges of each point that lead to points without a region.
    free_near: Vec<usize>,
}

impl<'a> Growth<'a> {
    fn new(graph: &'a Graph) -> Self {
        let free_near: Vec<usize> = graph.near.iter().map(Vec::len).collect();
        let free = (0..).zip(&free_near).map(|(point, near)| (*near, point)).collect();
        Self { graph, region_of: vec![FREE; graph.weights.len()], free, free_near }
    }

    fn all(mut self, regions: u32) -> Vec<u32> {
        let mut left = self.graph.weight();
        for region in 0..regions {
            let is_last = region + 1 == regions;
            let wanted = if is_last { u64::MAX } else { left / u64::from(regions - region) };
            left -= self.grow(region, wanted);
        }
        self.region_of
    }

    /// Grows a region of about the weight `wanted`. It starts at the free point with the fewest
    /// free neighbours, and adds the point that most edges join to it. Returns the region's weight.
    fn grow(&mut self, region: u32, wanted: u64) -> u64 {
        let mut has = 0;
        let mut edges: BTreeMap<u32, usize> = BTreeMap::new();
        let mut rim: BTreeSet<(Reverse<usize>, u32)> = BTreeSet::new();
        while has < wanted {
            let next = rim.pop_first().map(|(_, point)| point);
            let Some(point) = next.or_else(|| self.free.first().map(|(_, point)| *point)) else {
                break;
            };
            let weight = self.graph.weights[point as usize];
            // Without this point the weight is nearer to the wanted one.
            if has > 0 && weight / 2 > wanted - has {
                break;
            }
            has += weight;
            self.take(point, region);
            for near in &self.graph.near[point as usize] {
                if self.region_of[*near as usize] == FREE {
                    let joined = edges.entry(*near).or_insert(0);
                    rim.remove(&(Reverse(*joined), *near));
                    *joined += 1;
                    rim.insert((Reverse(*joined), *near));
                }
            }
        }
        has
    }

    fn take(&mut self, point: u32, region: u32) {
        self.region_of[point as usize] = region;
        self.free.remove(&(self.free_near[point as usize], point));
        for near in &self.graph.near[point as usize] {
            let has = &mut self.free_near[*near as usize];
            if self.free.remove(&(*has, *near)) {
                self.free.insert((*has - 1, *near));
            }
            *has -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grid of `rows` and `columns`.
    fn grid(rows: u32, columns: u32) -> Graph {
        let mut graph = Graph {
            weights: vec![1; (rows * columns) as usize],
            near: vec![Vec::new(); (rows * columns) as usize],
        };
        let mut join = |a: u32, b: u32| {
            graph.near[a as usize].push(b);
            graph.near[b as usize].push(a);
        };
        for at in 0..rows * columns {
            if at % columns + 1 < columns {
                join(at, at + 1);
            }
            if at + columns < rows * columns {
                join(at, at + columns);
            }
        }
        graph
    }

    fn between(graph: &Graph, region_of: &[u32]) -> usize {
        let ends = |(point, near): (usize, &Vec<u32>)| {
            near.iter().filter(|near| region_of[**near as usize] != region_of[point]).count()
        };
        graph.near.iter().enumerate().map(ends).sum::<usize>() / 2
    }

    #[test]
    fn regions_of_a_grid_are_of_one_size_and_hang_together() {
        let graph = grid(8, 8);
        let region_of = graph.divided(8);
        for region in 0..8 {
            let size = region_of.iter().filter(|of| **of == region).count();
            assert!((7..=9).contains(&size), "region {region} has {size} of 64 points");
        }
        // Rectangles of 2 by 4 points would have 40 of 112 edges between them, scattered points 98.
        let edges = between(&graph, &region_of);
        assert!(edges <= 56, "{edges} edges");
    }

    #[test]
    fn points_apart_and_heavy_ones_all_get_a_region() {
        let graph = Graph { weights: vec![1, 1, 50, 1, 1], near: vec![vec![]; 5] };
        let region_of = graph.divided(3);
        assert!(region_of.iter().all(|region| *region < 3));
        assert_eq!(region_of.iter().filter(|region| **region == region_of[2]).count(), 1);
    }

    #[test]
    fn there_may_be_nothing_to_divide() {
        let graph = Graph { weights: Vec::new(), near: Vec::new() };
        assert!(graph.divided(4).is_empty());
    }
}
