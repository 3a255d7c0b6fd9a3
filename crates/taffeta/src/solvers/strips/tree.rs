//! The impulses of an acyclic part in linear time: BB08 §3.3, after Baraff 1996, Linear-Time
//! Dynamics using Lagrange Multipliers.
//!
//! The system [M −Jᵀ; −J 0] is factored from the leaves to the root, particle and edge in turn,
//! which fills nothing in. What is left of a branch after its elimination is a 3×3 inverse mass of the
//! particle it hangs on: how far that particle moves for a pull, with all that hangs on it.

use glam::{DMat3, DVec3};
use taffeta_linalg::Filter;

use super::partition::Strip;

/// Velocities along an edge between particles that cannot move along it, or along a taut line held
/// at both ends, are corrected by no impulse: pivots are kept above this part of what free
/// particles would give.
pub(crate) const RIGID_PIVOT: f64 = 1e-4;

/// For lengths, edges give way a little, and pivots are too small by round-off alone.
pub(crate) const SMALLEST_PIVOT: f64 = 1e-12;

/// How far particles may move in one solve, over the shortest rest length of their part.
const REACH: f64 = 0.25;

/// What parts are solved for.
#[derive(Clone, Copy)]
pub(crate) struct StripStep<'a> {
    /// Where the particles are, from which edges take their directions [m].
    pub places: &'a [DVec3],
    /// How far a particle moves for a unit of pull, if it is free: one over its mass [1/kg].
    pub inverse_masses: &'a [f64],
    /// What each particle may still do.
    pub filters: &'a [Filter],
    /// Without these edges are brought to their rest length; with them, their ends to the same
    /// velocity along the edge [m/s].
    pub velocities: Option<&'a [DVec3]>,
    /// Whether the pulls of earlier solves belong to another step, and are forgotten.
    pub first: bool,
    /// How much of an error is corrected, up to 1.
    pub share: f64,
    /// The force [N] of a unit of pull: one over the step, squared.
    pub force: f64,
    /// The damping time of elastic edges, over the step.
    pub damping: f64,
    /// How much of the error that an edge starts the step with it may keep.
    pub keep: f64,
}

impl StripStep<'_> {
    /// How far an edge of this compliance [m/N] is too long, and how much a unit of pull is taken up
    /// by its give. With damping the pull is that of k·C + c·Ċ, its rate taken over the step.
    #[inline(always)]
    pub(crate) fn elastic_error(&self, edge: [f64; 4]) -> [f64; 2] {
        let [too_long, compliance, total, at_start] = edge;
        let give = compliance * self.force / (1.0 + self.damping);
        [too_long - give * total - self.keep * at_start, give]
    }
}

/// A tree and the memory to solve it.
#[derive(Debug)]
pub(crate) struct Tree {
    part: Strip,
    /// Rest length of the edge to each one's parent; nothing for the root [m].
    rest_lengths: Vec<f64>,
    /// How far that edge gives way to a force [m/N].
    compliances: Vec<f64>,
    entries: Vec<TreeNode>,
    /// How each particle moves; in the order of the part.
    pub moves: Vec<DVec3>,
    /// The pull of the edge from each particle to its parent; of the root, zero.
    pub pulls: Vec<f64>,
    /// The pulls of all solves of this step.
    pub totals: Vec<f64>,
    /// How far each edge was too long when the step began; of use to damped ones only [m].
    pub starts: Vec<f64>,
}

/// A particle with its edge to its parent.
#[derive(Clone, Copy, Debug, Default)]
struct TreeNode {
    /// Of the particle and all that hangs on it.
    inverse_mass: DMat3,
    /// How it moves without a pull from its parent.
    loose: DVec3,
    /// From the parent to the particle, of unit length; zero if the edge has no length.
    direction: DVec3,
    /// How far the edge is too long if the parent does not move.
    error: f64,
    inverse_pivot: f64,
}

impl Tree {
    /// Plans a part; `edge` tells the rest length of an edge [m] and how far it gives way [m/N].
    pub fn new(part: Strip, edge: impl Fn(u32) -> [f64; 2]) -> Self {
        let nodes = part.nodes.len();
        let edges = part.edges.iter().map(|&number| edge(number));
        let edges: Vec<[f64; 2]> = [[0.0; 2]].into_iter().chain(edges).collect();
        Self {
            rest_lengths: edges.iter().map(|edge| edge[0]).collect(),
            compliances: edges.iter().map(|edge| edge[1]).collect(),
            entries: vec![TreeNode::default(); nodes],
            moves: vec![DVec3::ZERO; nodes],
            pulls: vec![0.0; nodes],
            totals: vec![0.0; nodes],
            starts: vec![0.0; nodes],
            part,
        }
    }

    /// The particles and edges.
    pub fn part(&self) -> &Strip {
        &self.part
    }

    /// Finds how the particles have to move, and the pulls that make them.
    pub fn solve(&mut self, step: &StripStep) {
        if step.first {
            self.totals.fill(0.0);
        }
        for (entry, &node) in self.entries.iter_mut().zip(&self.part.nodes) {
            let i = node as usize;
            let inverse_mass = step.filters[i].matrix() * step.inverse_masses[i];
            *entry = TreeNode { inverse_mass, ..TreeNode::default() };
        }
        for child in (1..self.entries.len()).rev() {
            self.eliminate(child, step);
        }
        self.moves[0] = self.entries[0].loose;
        for child in 1..self.entries.len() {
            let entry = &self.entries[child];
            let parent = self.moves[self.part.parents[child] as usize];
            let pull = (entry.error - entry.direction.dot(parent)) * entry.inverse_pivot;
            self.pulls[child] = pull;
            self.moves[child] = entry.loose - entry.inverse_mass * entry.direction * pull;
        }
        if step.velocities.is_none() {
            self.shorten(self.reach() * step.share);
            self.totals.iter_mut().zip(&self.pulls).for_each(|(total, pull)| *total += pull);
        }
    }

    /// Notes how far edges are too long where a step begins.
    pub fn note_starts(&mut self, x: &[DVec3]) {
        for child in 1..self.part.nodes.len() {
            let parent = self.part.parents[child] as usize;
            let ends = [parent, child].map(|k| x[self.part.nodes[k] as usize]);
            self.starts[child] = ends[0].distance(ends[1]) - self.rest_lengths[child];
        }
    }

    /// How far its particles may move in one solve [m].
    pub fn reach(&self) -> f64 {
        REACH * self.rest_lengths.iter().skip(1).fold(f64::INFINITY, |a, &b| a.min(b))
    }

    /// Directions hold for moves that are short against the edges. A part that would move farther,
    /// as a taut line between two pins does that no pull along itself can correct, goes in the
    /// same direction only as far as its reach; the next sweep goes on from there. In a part of the
    /// longest step it reaches that part as far, so that ever shorter steps throw it no faster.
    fn shorten(&mut self, reach: f64) {
        let farthest =
            self.moves.iter().fold(0.0, |far: f64, m| far.max(m.length_squared())).sqrt();
        if farthest > reach {
            self.moves.iter_mut().for_each(|moved| *moved *= reach / farthest);
            self.pulls.iter_mut().for_each(|pull| *pull *= reach / farthest);
        }
    }

    /// Takes a particle and its edge out of the system: its parent then bears both.
    fn eliminate(&mut self, child: usize, step: &StripStep) {
        let parent = self.part.parents[child] as usize;
        let [a, b] = [self.part.nodes[parent] as usize, self.part.nodes[child] as usize];
        let offset = step.places[b] - step.places[a];
        let length = offset.length();
        if length == 0.0 {
            return;
        }
        let direction = offset / length;
        let rates = step.velocities.is_some();
        let too_long = length - self.rest_lengths[child];
        let [error, give] = match step.velocities {
            Some(velocities) => [direction.dot(velocities[b] - velocities[a]), 0.0],
            None => {
                let (compliance, total) = (self.compliances[child], self.totals[child]);
                step.elastic_error([too_long, compliance, total, self.starts[child]])
            }
        };
        let error = step.share * error;
        let entry = &mut self.entries[child];
        let own = direction.dot(entry.inverse_mass * direction) + give;
        let floor = if rates { RIGID_PIVOT } else { SMALLEST_PIVOT };
        let pivot = own.max(floor * (step.inverse_masses[a] + step.inverse_masses[b]));
        if pivot == 0.0 {
            return;
        }
        entry.direction = direction;
        entry.error = error + direction.dot(entry.loose);
        entry.inverse_pivot = 1.0 / pivot;
        let (error, inverse) = (entry.error, entry.inverse_pivot);
        self.entries[parent].bear(direction, error, inverse);
    }
}

impl TreeNode {
    /// The particle, whose moves have been (loose + W·pull), bears an edge that pulls with
    /// (error − direction·move)/pivot: a rank-one change of the inverse mass W (Sherman & Morrison).
    fn bear(&mut self, direction: DVec3, error: f64, inverse_pivot: f64) {
        let along = self.inverse_mass * direction;
        let share = inverse_pivot / (1.0 + direction.dot(along) * inverse_pivot);
        self.loose += along * (share * (error - direction.dot(self.loose)));
        let change = along * share;
        self.inverse_mass -= DMat3::from_cols(change * along.x, change * along.y, change * along.z);
    }
}
