//! Bending along the lines of cloth, implicitly: a beam of B·width along each chain of edges.
//!
//! The curvature at an inner particle of a line is the second difference of its places, whose
//! energy is quadratic where edges keep their length (as in Bergou et al. 2006, A Quadratic Bending
//! Model for Inextensible Surfaces): (W + (h² + hτ)·K) u = W (p − x) − h² K x for the
//! displacement u, a pentadiagonal system a line, the same for each coordinate. Cloth is woven flat:
//! the rest curvature is zero.

use glam::DVec3;

use super::net::Edge;
use super::partition::Part;

/// What is held is this much heavier than what is not.
const HELD: f64 = 1e12;

/// A line that bends.
#[derive(Debug)]
pub(crate) struct Beam {
    nodes: Vec<u32>,
    /// At each inner particle, the inverse lengths of the edges before and behind [1/m], and
    /// B·width over their mean length [N·m].
    curvatures: Vec<[f64; 3]>,
    diagonal: Vec<f64>,
    /// Of each row, how much of the next and of the one after that it takes.
    lower: Vec<[f64; 2]>,
    pub moved: Vec<DVec3>,
}

impl Beam {
    /// A beam along a chain of at least two edges, with rigidities along warp and weft [N·m].
    pub fn new(part: &Part, edges: &[Edge], rigidity: [f64; 2]) -> Option<Self> {
        if !part.is_chain() || part.edges.len() < 2 {
            return None;
        }
        let edge = |k: usize| &edges[part.edges[k] as usize];
        let curvature = |k: usize| {
            let (before, behind) = (edge(k), edge(k + 1));
            let width = 0.5 * (before.width + behind.width);
            let length = 0.5 * (before.rest + behind.rest);
            let b = rigidity[usize::from(before.weft)];
            [1.0 / before.rest, 1.0 / behind.rest, b * width / length]
        };
        let nodes = part.nodes.len();
        Some(Self {
            nodes: part.nodes.clone(),
            curvatures: (0..nodes - 2).map(curvature).collect(),
            diagonal: vec![0.0; nodes],
            lower: vec![[0.0; 2]; nodes],
            moved: vec![DVec3::ZERO; nodes],
        })
    }

    /// The particles, in the order of the moves.
    pub fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    /// Finds where bending takes the particles, from `x` where the step begins and `p` where they
    /// would come to.
    pub fn solve(&mut self, (x, p): (&[DVec3], &[DVec3]), w: &[f64], h: f64, damping: f64) {
        let count = self.nodes.len();
        let (stiff, push) = (h * h + h * damping, h * h);
        let heaviest = self.nodes.iter().fold(0.0, |most: f64, &i| most.max(weight(w[i as usize])));
        for (k, &i) in self.nodes.iter().enumerate() {
            let own = w[i as usize];
            let own = if own > 0.0 { 1.0 / own } else { heaviest.max(1.0) * HELD };
            self.diagonal[k] = own;
            self.moved[k] = (p[i as usize] - x[i as usize]) * own;
        }
        self.lower.fill([0.0; 2]);
        for (k, &[a, b, c]) in self.curvatures.iter().enumerate() {
            let m = -(a + b);
            let at = |k: usize| x[self.nodes[k] as usize];
            let (from, here, to) = (at(k), at(k + 1), at(k + 2));
            let bent = ((to - here) * b - (here - from) * a) * (c * push);
            self.moved[k] -= bent * a;
            self.moved[k + 1] -= bent * m;
            self.moved[k + 2] -= bent * b;
            let c = c * stiff;
            self.diagonal[k] += c * a * a;
            self.diagonal[k + 1] += c * m * m;
            self.diagonal[k + 2] += c * b * b;
            self.lower[k][0] += c * a * m;
            self.lower[k][1] += c * a * b;
            self.lower[k + 1][0] += c * m * b;
        }
        self.factor_and_solve(count);
        for (k, &i) in self.nodes.iter().enumerate() {
            self.moved[k] += x[i as usize];
        }
    }

    /// LDLᵀ of the pentadiagonal matrix and both substitutions; `moved` becomes the solution.
    fn factor_and_solve(&mut self, count: usize) {
        for k in 0..count {
            let inverse = 1.0 / self.diagonal[k];
            let [one, two] = self.lower[k];
            let [first, second] = [one * inverse, two * inverse];
            let own = self.moved[k];
            if k + 1 < count {
                self.diagonal[k + 1] -= first * one;
                self.lower[k + 1][0] -= first * two;
                self.moved[k + 1] -= own * first;
            }
            if k + 2 < count {
                self.diagonal[k + 2] -= second * two;
                self.moved[k + 2] -= own * second;
            }
            self.lower[k] = [first, second];
            self.moved[k] = own * inverse;
        }
        for k in (0..count).rev() {
            let [first, second] = self.lower[k];
            let mut own = self.moved[k];
            if k + 1 < count {
                own -= self.moved[k + 1] * first;
            }
            if k + 2 < count {
                own -= self.moved[k + 2] * second;
            }
            self.moved[k] = own;
        }
    }
}

/// The weight of a particle with this inverse; none of what is held.
fn weight(inverse: f64) -> f64 {
    if inverse > 0.0 { 1.0 / inverse } else { 0.0 }
}
