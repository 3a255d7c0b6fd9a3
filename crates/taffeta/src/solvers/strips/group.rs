//! A group of parts that share no particle: solved side by side, then applied particle by particle.

use glam::DVec3;
use taffeta_linalg::{Filter, update};

use super::chains::Chains;
use super::lanes::LANES;
use super::partition::Strip;
use super::tree::{StripStep, Tree};

/// Edges of a group that is worth sharing among threads, and those of a share.
const FEWEST_EDGES: usize = 4096;
const GRAIN_EDGES: usize = 256;
/// Particles whose moves repay a hand-over to another thread.
const GRAIN_PARTICLES: usize = 2048;

/// Where something is in a group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Home {
    pub part: u32,
    pub slot: u32,
}

const NOWHERE: Home = Home { part: u32::MAX, slot: 0 };

/// Parts of one group and where each particle is in them.
#[derive(Debug)]
pub(crate) struct Group {
    parts: Vec<GroupSolver>,
    /// Parts that are solved as one piece of work.
    grain: usize,
    homes: Vec<Home>,
    /// Whether a part has particles that are neither free nor held.
    filtered: Vec<bool>,
}

#[derive(Debug)]
enum GroupSolver {
    Chains(Chains),
    Tree(Tree),
}

impl Group {
    /// Plans a group; `edge_homes` learns where its edges are.
    pub fn new(
        particles: usize,
        parts: Vec<Strip>,
        edges_of: &[[f64; 2]],
        mut edge_homes: impl FnMut(u32, Home),
    ) -> Self {
        let of_edge = |edge: u32| edges_of[edge as usize];
        let edges: usize = parts.iter().map(|part| part.edges.len()).sum();
        let (mut chains, trees): (Vec<Strip>, Vec<Strip>) =
            parts.into_iter().partition(Strip::is_chain);
        // Chains of like length side by side; a stable sort, so the order is always the same.
        chains.sort_by_key(|part| std::cmp::Reverse(part.nodes.len()));
        let mut solvers = Vec::new();
        while !chains.is_empty() {
            let some = chains.drain(..LANES.min(chains.len()));
            let some = some.map(|part| Tree::new(part, of_edge)).collect();
            solvers.push(GroupSolver::Chains(Chains::new(some, of_edge)));
        }
        solvers.extend(trees.into_iter().map(|part| GroupSolver::Tree(Tree::new(part, of_edge))));
        let mut homes = vec![NOWHERE; particles];
        for (part, solver) in solvers.iter().enumerate() {
            solver.tell_homes(part as u32, &mut homes, &mut edge_homes);
        }
        let mean = edges.div_ceil(solvers.len().max(1)).max(1);
        let shared = if edges > FEWEST_EDGES { GRAIN_EDGES } else { FEWEST_EDGES };
        let (grain, filtered) = (shared.div_ceil(mean), vec![false; solvers.len()]);
        Self { parts: solvers, grain, homes, filtered }
    }

    /// Learns which parts have particles that are neither free nor held.
    pub fn look_at_filters(&mut self, filtered: impl Iterator<Item = u32>) {
        self.filtered.fill(false);
        for particle in filtered {
            if let Some(part) = self.filtered.get_mut(self.homes[particle as usize].part as usize) {
                *part = true;
            }
        }
    }

    /// Solves every part.
    pub fn solve(&mut self, step: &StripStep) {
        let filtered = &self.filtered;
        update(&mut self.parts, self.grain, |part, solver| match solver {
            GroupSolver::Chains(chains) if filtered[part] => chains.solve_filtered(step),
            GroupSolver::Chains(chains) => chains.solve(step),
            GroupSolver::Tree(tree) => tree.solve(step),
        });
    }

    /// Begins a step of elastic edges: where they start, and the pull of each, by its place here.
    pub fn begin(&mut self, x: &[DVec3]) {
        let filtered = &self.filtered;
        update(&mut self.parts, self.grain, |part, solver| match solver {
            GroupSolver::Chains(chains) => chains.note_starts(x, filtered[part]),
            GroupSolver::Tree(tree) => tree.note_starts(x),
        });
    }

    /// Lets the pull of an edge start from here.
    pub fn set_pull(&mut self, home: Home, pull: f64) {
        let slot = home.slot as usize;
        match &mut self.parts[home.part as usize] {
            GroupSolver::Chains(chains) => chains.totals[slot / LANES].0[slot % LANES] = pull,
            GroupSolver::Tree(tree) => tree.totals[slot] = pull,
        }
    }

    /// Adds every particle's move to what it changes.
    pub fn apply(&self, changed: &mut [DVec3]) {
        update(changed, GRAIN_PARTICLES, |particle, vector| {
            let home = self.homes[particle];
            if let Some(solver) = self.parts.get(home.part as usize) {
                *vector += solver.moved(home.slot as usize);
            }
        });
    }

    /// The pulls added up of the edge at a place of this group.
    #[inline]
    pub fn total_pull(&self, home: Home) -> f64 {
        let slot = home.slot as usize;
        match &self.parts[home.part as usize] {
            GroupSolver::Chains(chains) => chains.totals[slot / LANES].0[slot % LANES],
            GroupSolver::Tree(tree) => tree.totals[slot],
        }
    }
}

impl GroupSolver {
    #[inline]
    fn moved(&self, slot: usize) -> DVec3 {
        match self {
            Self::Chains(chains) => chains.moves[slot / LANES].lane(slot % LANES),
            Self::Tree(tree) => tree.moves[slot],
        }
    }

    fn tell_homes(&self, part: u32, nodes: &mut [Home], edges: &mut impl FnMut(u32, Home)) {
        let mut tell = |tree: &Tree, node_slot: &dyn Fn(usize) -> usize, first_edge: usize| {
            for (k, &node) in tree.part().nodes.iter().enumerate() {
                nodes[node as usize] = Home { part, slot: node_slot(k) as u32 };
            }
            for (k, &edge) in tree.part().edges.iter().enumerate() {
                edges(edge, Home { part, slot: node_slot(k + first_edge) as u32 });
            }
        };
        match self {
            Self::Tree(tree) => tell(tree, &|k| k, 1),
            Self::Chains(chains) => {
                for (lane, tree) in chains.trees().iter().enumerate() {
                    tell(tree, &|k| k * LANES + lane, 0);
                }
            }
        }
    }
}

/// Whether a filter leaves something, but not everything.
pub(crate) fn is_partial(filter: &Filter) -> bool {
    *filter != Filter::FREE && *filter != Filter::HELD
}
