//! The layout of leaf–spine networks in rows: the spines, below them the leaves, and below each
//! leaf its hosts.

use super::graph::{Graph, Point};

/// Least distance of two nodes in a row.
const BESIDE: f64 = 1.0;

/// Distance between the row of spines and that of leaves, as a part of the width of the drawing.
const BETWEEN: f64 = 0.25;

/// How much wider than high a block of hosts is, about.
const WIDE: f64 = 2.0;

/// Returns points for a graph whose nodes with more than one neighbour are of two sides, each node
/// of one joined to all of the other, and to none of its own. `None` if it is another graph.
pub(super) fn place(graph: &Graph) -> Option<Vec<Point>> {
    let is_core: Vec<bool> = (0..graph.len()).map(|at| graph.neighbours(at).len() > 1).collect();
    let core = |at: usize| graph.neighbours(at).iter().map(|(to, _)| *to).filter(|to| is_core[*to]);
    let first = is_core.iter().position(|is_core| *is_core)?;
    let second = core(first).next()?;
    let (mut one, mut other): (Vec<usize>, Vec<usize>) =
        (core(second).collect(), core(first).collect());
    let count = is_core.iter().filter(|is_core| **is_core).count();
    let joins =
        |from: &[usize], to: &[usize]| from.iter().all(|at| core(*at).eq(to.iter().copied()));
    let is_complete =
        one.len() + other.len() == count && joins(&one, &other) && joins(&other, &one);
    // A ring of four, and a star of stars, are drawn better otherwise.
    if !is_complete || one.len().min(other.len()) < 2 || count < 5 {
        return None;
    }
    let hosts = |at: usize| -> Vec<usize> {
        let all = graph.neighbours(at).iter().map(|(to, _)| *to);
        all.filter(|to| !is_core[*to]).collect()
    };
    let hosts_of = |side: &[usize]| side.iter().map(|at| hosts(*at).len()).sum::<usize>();
    // Spines have fewer hosts, or are fewer.
    if (hosts_of(&one), one.len()) > (hosts_of(&other), other.len()) {
        std::mem::swap(&mut one, &mut other);
    }
    let (spines, leaves) = (one, other);
    let mut points = vec![[0.0, 0.0]; graph.len()];
    let block = |at: usize| (hosts(at).len() as f64 * WIDE).sqrt().ceil().max(1.0);
    let width: f64 = leaves.iter().map(|leaf| block(*leaf) * BESIDE + BESIDE).sum();
    let down = (width * BETWEEN).max(2.0);
    let mut left = 0.0;
    for leaf in leaves {
        let wide = block(leaf);
        points[leaf] = [left + (wide - 1.0) / 2.0 * BESIDE, down];
        below(&mut points, &hosts(leaf), [left, down + BESIDE], wide as usize);
        left += wide * BESIDE + BESIDE;
    }
    let step = (width / spines.len() as f64).max(2.0 * BESIDE);
    let begin = (width - BESIDE - step * (spines.len() as f64 - 1.0)) / 2.0;
    for (number, spine) in spines.into_iter().enumerate() {
        points[spine] = [begin + step * number as f64, 0.0];
        let above = hosts(spine);
        let wide = (above.len() as f64).min((step / BESIDE - 1.0).floor()).max(1.0);
        let rows = (above.len() as f64 / wide).ceil();
        let corner = [points[spine][0] - (wide - 1.0) / 2.0 * BESIDE, -rows * BESIDE];
        below(&mut points, &above, corner, wide as usize);
    }
    Some(points)
}

/// Puts nodes into a block of rows, from this corner on.
fn below(points: &mut [Point], nodes: &[usize], [left, top]: Point, wide: usize) {
    for (number, node) in nodes.iter().enumerate() {
        let (column, row) = (number % wide, number / wide);
        points[*node] = [left + column as f64 * BESIDE, top + row as f64 * BESIDE];
    }
}
