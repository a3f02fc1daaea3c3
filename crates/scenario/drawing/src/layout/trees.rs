//! Trees around a node: those that hang on a graph, or all of a graph that is a tree. The children
//! of a node that have none themselves are in rings around it. The other nodes are on circles
//! around the root, one for each generation, where each has the angle that its descendants need.

use std::collections::VecDeque;
use std::f64::consts::TAU;

use super::graph::{Graph, Point, ROOM};

/// Distance of the first ring of children from their parent, and of rings and children from each
/// other.
const FIRST_RING: f64 = 0.7;
const SPACING: f64 = 2.0 * ROOM;

/// The trees that hang on a graph.
pub(super) struct Trees {
    /// The nodes that are left once all trees are taken off.
    core: Vec<usize>,
    /// Each node's neighbours that are farther from the core, if they are none of it.
    children: Vec<Vec<usize>>,
    /// The points of the tree around each node of the core, and the radius that it needs.
    drawn: Vec<Drawn>,
}

#[derive(Default)]
struct Drawn {
    /// The nodes of the tree without its root, each with its place as seen from there.
    places: Vec<(usize, Point)>,
    radius: f64,
}

impl Trees {
    /// Takes all trees off a graph whose nodes are connected. Of a tree, one node in its middle
    /// remains.
    pub fn of(graph: &Graph) -> Self {
        let count = graph.len();
        let mut degrees: Vec<usize> = (0..count).map(|node| graph.neighbours(node).len()).collect();
        let mut is_core = vec![true; count];
        let mut children = vec![Vec::new(); count];
        let mut leaves: VecDeque<usize> = (0..count).filter(|node| degrees[*node] == 1).collect();
        let mut left = count;
        while let Some(leaf) = leaves.pop_front() {
            if left == 1 {
                break;
            }
            let mut inner = graph.neighbours(leaf).iter().map(|(node, _)| *node);
            let Some(parent) = inner.find(|node| is_core[*node]) else { continue };
            is_core[leaf] = false;
            left -= 1;
            children[parent].push(leaf);
            degrees[parent] -= 1;
            if degrees[parent] == 1 {
                leaves.push_back(parent);
            }
        }
        let core = (0..count).filter(|node| is_core[*node]).collect();
        let mut trees = Self { core, children, drawn: Vec::new() };
        trees.drawn = (0..count)
            .map(|node| if is_core[node] { trees.draw(node) } else { Drawn::default() })
            .collect();
        trees
    }

    /// Returns the nodes that are left, in order.
    pub fn core(&self) -> &[usize] {
        &self.core
    }

    /// Returns the room that the tree around a node of the core needs.
    pub fn radius(&self, node: usize) -> f64 {
        self.drawn[node].radius
    }

    /// Returns the points of all nodes, given those of the core.
    pub fn drawn_around(&self, count: usize, core: &[Point]) -> Vec<Point> {
        let mut points = vec![[0.0, 0.0]; count];
        for (node, [x, y]) in self.core.iter().zip(core) {
            points[*node] = [*x, *y];
            for (child, [dx, dy]) in &self.drawn[*node].places {
                points[*child] = [x + dx, y + dy];
            }
        }
        points
    }

    /// Draws the tree around a node.
    fn draw(&self, root: usize) -> Drawn {
        let generations = self.generations(root);
        let rings: Vec<Vec<Point>> = generations
            .iter()
            .flatten()
            .map(|(node, _)| {
                rings(self.children[*node].iter().filter(|c| self.is_leaf(**c)).count())
            })
            .collect();
        let radii: Vec<f64> = rings.iter().map(|ring| ring.last().map_or(ROOM, outer)).collect();
        let circles = circles(&generations, &radii);
        let angles = angles(&generations, &radii, &circles);
        let mut drawn = Drawn::default();
        let nodes = generations
            .iter()
            .zip(circles.radii)
            .flat_map(|(all, far)| all.iter().map(move |(node, _)| (*node, far)));
        for (place, (node, far)) in nodes.enumerate() {
            let at = [far * libm::cos(angles[place]), far * libm::sin(angles[place])];
            if place > 0 {
                drawn.places.push((node, at));
            }
            let leaves = self.children[node].iter().filter(|child| self.is_leaf(**child));
            for (leaf, [x, y]) in leaves.zip(&rings[place]) {
                drawn.places.push((*leaf, [at[0] + x, at[1] + y]));
            }
            drawn.radius = drawn.radius.max(far + radii[place]);
        }
        drawn
    }

    fn is_leaf(&self, node: usize) -> bool {
        self.children[node].is_empty()
    }

    /// Returns the root, its children, theirs and so on, without those that have no children. Each
    /// has the place of its parent among all of these nodes.
    fn generations(&self, root: usize) -> Vec<Vec<(usize, usize)>> {
        let mut generations = vec![vec![(root, 0)]];
        let mut first = 0;
        while let Some(last) = generations.last().filter(|last| !last.is_empty()) {
            let parents = last.iter().enumerate();
            let next: Vec<(usize, usize)> = parents
                .flat_map(|(place, (node, _))| {
                    let inner = self.children[*node].iter().filter(|child| !self.is_leaf(**child));
                    inner.map(move |child| (*child, first + place))
                })
                .collect();
            first += last.len();
            generations.push(next);
        }
        generations.pop();
        generations
    }
}

/// Places of `count` children in rings around their parent.
fn rings(count: usize) -> Vec<Point> {
    let mut points = Vec::with_capacity(count);
    let mut radius = FIRST_RING;
    while points.len() < count {
        let room = (TAU * radius / SPACING).floor() as usize;
        let here = room.min(count - points.len());
        points.extend((0..here).map(|index| {
            let angle = TAU * index as f64 / here as f64;
            [radius * libm::cos(angle), radius * libm::sin(angle)]
        }));
        radius += SPACING;
    }
    points
}

/// Returns the radius of a ring with the room of its nodes.
fn outer([x, y]: &Point) -> f64 {
    (x * x + y * y).sqrt() + ROOM
}

/// The circles of all generations.
struct Circles {
    radii: Vec<f64>,
    /// The angle that each node needs for itself and its descendants, in the order of generations.
    needs: Vec<f64>,
}

/// Returns circles on which all nodes find room.
fn circles(generations: &[Vec<(usize, usize)>], radii: &[f64]) -> Circles {
    let mut first = 0;
    let mut largest = Vec::new();
    for generation in generations {
        let here = &radii[first..first + generation.len()];
        largest.push(here.iter().copied().fold(0.0, f64::max));
        first += generation.len();
    }
    let mut circles = vec![0.0];
    for pair in largest.windows(2) {
        circles.push(circles[circles.len() - 1] + pair[0] + pair[1] + 1.0 - 2.0 * ROOM);
    }
    // What each needs on its own circle, and then at least what its children need.
    let far = generations.iter().zip(&circles).flat_map(|(all, far)| all.iter().map(move |_| *far));
    let own = |(radius, far): (&f64, f64)| if far > 0.0 { 2.0 * radius / far } else { 0.0 };
    let own: Vec<f64> = radii.iter().zip(far).map(own).collect();
    let parents: Vec<usize> = generations.iter().flatten().map(|(_, parent)| *parent).collect();
    let mut of_children = vec![0.0; own.len()];
    let mut needs = vec![0.0; own.len()];
    for place in (0..own.len()).rev() {
        needs[place] = f64::max(own[place], of_children[place]);
        if place > 0 {
            of_children[parents[place]] += needs[place];
        }
    }
    // Larger circles make all angles smaller. A chord is a little shorter than its arc.
    let factor = (needs[0] * 1.02 / TAU).max(1.0);
    circles.iter_mut().for_each(|radius| *radius *= factor);
    needs.iter_mut().for_each(|need| *need /= factor);
    Circles { radii: circles, needs }
}

/// Returns the angle of each node: the middle of a part of its parent's part, as large as it needs.
fn angles(generations: &[Vec<(usize, usize)>], radii: &[f64], circles: &Circles) -> Vec<f64> {
    let Circles { needs, .. } = circles;
    // Begin and width of each part. Descendants of the root share the whole circle.
    let mut parts = vec![(0.0, 0.0); radii.len()];
    parts[0] = (0.0, TAU);
    let mut of_children = vec![0.0; radii.len()];
    let all: Vec<usize> = generations.iter().flatten().map(|(_, parent)| *parent).collect();
    for (place, parent) in all.iter().enumerate().skip(1) {
        of_children[*parent] += needs[place];
    }
    let mut taken = vec![0.0; radii.len()];
    for (place, parent) in all.iter().enumerate().skip(1) {
        let (begin, width) = parts[*parent];
        let share = width / of_children[*parent];
        parts[place] = (begin + taken[*parent] * share, needs[place] * share);
        taken[*parent] += needs[place];
    }
    parts.into_iter().map(|(begin, width)| begin + width / 2.0).collect()
}
