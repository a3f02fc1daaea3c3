//! Vertices, edges, and their weights.

use thiserror::Error;

/// Vertices with weights, and weighted edges between them. Each vertex is known by its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    weights: Vec<u64>,
    /// Where the neighbours of each vertex begin in `near`, and at last where they end.
    starts: Vec<usize>,
    /// Neighbours, and the weight of all edges to them, in ascending order.
    near: Vec<(u32, u64)>,
}

/// Why there is no such graph.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GraphError {
    /// An edge leads to no vertex.
    #[error("an edge joins {from} and {to}, but there are {vertices} vertices, numbered from 0")]
    NoVertex {
        /// One end.
        from: u32,
        /// The other end.
        to: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// Sums of weights must fit into 62 bits.
    #[error("the weights of all {what} together are more than 2^62; scale them down")]
    TooHeavy {
        /// What has these weights.
        what: &'static str,
    },
    /// Vertices are numbered in 32 bits.
    #[error("{0} vertices are too many; a graph has less than 2^32")]
    TooMany(usize),
}

/// Greatest sum of weights.
const GREATEST: u64 = 1 << 62;

impl Graph {
    /// Returns the graph of vertices with `weights`, and of `edges`: both ends and the weight of
    /// each. The weights of edges between two vertices are added. An edge that leads back to where
    /// it begins is never between parts, and is left out.
    ///
    /// # Errors
    /// Returns an error if an edge leads to no vertex, or if weights are too great.
    pub fn new(
        weights: Vec<u64>,
        edges: impl IntoIterator<Item = (u32, u32, u64)>,
    ) -> Result<Self, GraphError> {
        let vertices = weights.len();
        if u32::try_from(vertices).is_err() {
            return Err(GraphError::TooMany(vertices));
        }
        limited("vertices", weights.iter().copied())?;
        let mut ends = Vec::new();
        for (from, to, weight) in edges {
            if from.max(to) as usize >= vertices {
                return Err(GraphError::NoVertex { from, to, vertices });
            }
            if from != to {
                ends.extend([(from, to, weight), (to, from, weight)]);
            }
        }
        limited("edges", ends.iter().map(|(_, _, weight)| weight / 2))?;
        Ok(Self::joined(weights, ends))
    }

    /// Returns the graph of edges that are given once for each end.
    pub(crate) fn joined(weights: Vec<u64>, mut ends: Vec<(u32, u32, u64)>) -> Self {
        ends.sort_unstable_by_key(|(from, to, _)| (*from, *to));
        let mut starts = Vec::with_capacity(weights.len() + 1);
        let mut near: Vec<(u32, u64)> = Vec::with_capacity(ends.len());
        for (from, to, weight) in ends {
            while starts.len() <= from as usize {
                starts.push(near.len());
            }
            let is_first = near.len() == starts[from as usize];
            match near.last_mut() {
                Some((last, sum)) if !is_first && *last == to => *sum += weight,
                _ => near.push((to, weight)),
            }
        }
        starts.resize(weights.len() + 1, near.len());
        Self { weights, starts, near }
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Whether there is no vertex.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// Weight of a vertex.
    pub fn weight(&self, vertex: u32) -> u64 {
        self.weights[vertex as usize]
    }

    /// Weight of all vertices.
    pub fn total(&self) -> u64 {
        self.weights.iter().sum()
    }

    /// Weight of the heaviest vertex.
    pub(crate) fn heaviest(&self) -> u64 {
        self.weights.iter().copied().max().unwrap_or(0)
    }

    /// The neighbours of a vertex, each once, with the weight of all edges to it.
    pub fn near(&self, vertex: u32) -> &[(u32, u64)] {
        &self.near[self.starts[vertex as usize]..self.starts[vertex as usize + 1]]
    }

    /// All vertices.
    pub(crate) fn vertices(&self) -> std::ops::Range<u32> {
        0..self.weights.len() as u32
    }

    /// Weight of the edges between parts. `part_of` has the part of each vertex.
    pub fn cut(&self, part_of: &[u32]) -> u64 {
        let cut = |vertex: u32| {
            let part = part_of[vertex as usize];
            let near = self.near(vertex).iter();
            near.filter(|(to, _)| part_of[*to as usize] != part).map(|(_, weight)| weight).sum()
        };
        self.vertices().map(|vertex| -> u64 { cut(vertex) }).sum::<u64>() / 2
    }
}

/// Checks the sum of weights.
fn limited(what: &'static str, weights: impl Iterator<Item = u64>) -> Result<(), GraphError> {
    let sum = weights.fold(0u64, u64::saturating_add);
    if sum > GREATEST { Err(GraphError::TooHeavy { what }) } else { Ok(()) }
}
