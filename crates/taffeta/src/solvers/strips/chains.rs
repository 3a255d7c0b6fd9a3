//! Chains of edges, several at a time: each is a tridiagonal system, factored and solved in one walk
//! forth and one back (BB08 §3.3 for parts that do not branch).

use glam::DVec3;

use super::lanes::{LANES, Lanes, Vectors};
use super::tree::{RIGID_PIVOT, SMALLEST_PIVOT, StripStep, Tree};

/// Chains side by side, the shorter ones filled up with edges of no length, which do nothing.
#[derive(Debug)]
pub(crate) struct Chains {
    /// The same chains one by one, for particles that are neither free nor held.
    trees: Vec<Tree>,
    nodes: Vec<[u32; LANES]>,
    rest_lengths: Vec<Lanes>,
    /// How far edges give way to a force [m/N].
    compliances: Vec<Lanes>,
    /// How far the particles of each chain may move in one solve [m].
    reach: Lanes,
    /// How far they would, where that is beyond their reach; otherwise zero [m].
    farthest: Lanes,
    links: Vec<Link>,
    inverse_masses: Vec<Lanes>,
    /// How each particle moves, by node.
    pub moves: Vec<Vectors>,
    /// The pull of each edge, by the edge's first node.
    pulls: Vec<Lanes>,
    /// The pulls of all solves of this step.
    pub totals: Vec<Lanes>,
    /// How far each edge was too long when the step began; of use to damped ones only [m].
    starts: Vec<Lanes>,
}

/// An edge of each chain, eliminated.
#[derive(Clone, Copy, Debug, Default)]
struct Link {
    direction: Vectors,
    /// What the pull of the next edge takes from this one's.
    coupling: Lanes,
    /// The pull were there no next edge.
    alone: Lanes,
}

impl Chains {
    /// Plans chains, at most as many as there are lanes.
    pub fn new(trees: Vec<Tree>, edge: impl Fn(u32) -> [f64; 2]) -> Self {
        let nodes = trees.iter().map(|tree| tree.part().nodes.len()).max().unwrap_or(0);
        let node = |k: usize, lane: usize| {
            let chain = trees.get(lane).or(trees.first()).map(|tree| &tree.part().nodes[..]);
            let k = if lane < trees.len() { k } else { 0 };
            chain.map_or(0, |nodes| nodes[k.min(nodes.len() - 1)])
        };
        let of_edge = |k: usize, lane: usize| {
            let edges = trees.get(lane).map_or(&[][..], |tree| &tree.part().edges);
            edges.get(k).map_or([0.0; 2], |&number| edge(number))
        };
        let all = |what: usize| {
            let lanes = |k: usize| Lanes(std::array::from_fn(|lane| of_edge(k - 1, lane)[what]));
            (1..nodes).map(lanes).collect::<Vec<_>>()
        };
        Self {
            nodes: (0..nodes).map(|k| std::array::from_fn(|lane| node(k, lane))).collect(),
            rest_lengths: all(0),
            compliances: all(1),
            reach: Lanes(std::array::from_fn(|lane| trees.get(lane).map_or(0.0, Tree::reach))),
            farthest: Lanes::default(),
            links: vec![Link::default(); nodes],
            inverse_masses: vec![Lanes::default(); nodes],
            moves: vec![Vectors::default(); nodes],
            pulls: vec![Lanes::default(); nodes],
            totals: vec![Lanes::default(); nodes],
            starts: vec![Lanes::default(); nodes],
            trees,
        }
    }

    /// The chains one by one.
    pub fn trees(&self) -> &[Tree] {
        &self.trees
    }

    /// Finds how the particles have to move, and the pulls that make them; every particle is free
    /// or held.
    pub fn solve(&mut self, step: &StripStep) {
        pulp::Arch::new().dispatch(SolveChains { chains: self, step });
    }

    #[inline(always)]
    fn solve_here(&mut self, step: &StripStep) {
        if step.first {
            self.totals.fill(Lanes::default());
        }
        match step.velocities {
            None => self.walk_forth::<false>(step, &[]),
            Some(velocities) => self.walk_forth::<true>(step, velocities),
        }
        let reach = self.reach.each(|reach| reach * step.share);
        self.walk_back(reach);
        if step.velocities.is_none() {
            self.shorten(reach);
            let totals = self.totals.iter_mut().zip(&self.pulls);
            totals.for_each(|(total, pull)| *total = *total + *pull);
        }
    }

    /// The same where filters leave some particles a plane or a line.
    pub fn solve_filtered(&mut self, step: &StripStep) {
        for (lane, tree) in self.trees.iter_mut().enumerate() {
            for (k, total) in tree.totals.iter_mut().skip(1).enumerate() {
                *total = self.totals[k].0[lane];
            }
            tree.solve(step);
            for (k, &part) in tree.moves.iter().enumerate() {
                self.moves[k].set_lane(lane, part);
            }
            for (k, &total) in tree.totals.iter().skip(1).enumerate() {
                self.totals[k].0[lane] = total;
            }
        }
    }

    /// Eliminates edge after edge: of the tridiagonal matrix each row has the two inverse masses of its
    /// ends, and what a shared particle passes on from one edge to the next.
    #[inline(always)]
    fn walk_forth<const RATES: bool>(&mut self, step: &StripStep, velocities: &[DVec3]) {
        let mut here = Node::gather::<RATES>(&self.nodes[0], step, velocities);
        self.inverse_masses[0] = here.inverse_mass;
        let (mut before, mut inverse_pivot) = (Link::default(), Lanes::default());
        for k in 0..self.rest_lengths.len() {
            let next = Node::gather::<RATES>(&self.nodes[k + 1], step, velocities);
            self.inverse_masses[k + 1] = next.inverse_mass;
            let offset = next.place - here.place;
            let length = offset.dot(offset).each(f64::sqrt);
            let direction = offset.times(length.inverse_if_positive());
            let (error, give) = if RATES {
                ((next.velocity - here.velocity).dot(direction), Lanes::default())
            } else {
                let (error, give) = self.elastic_error(k, length - self.rest_lengths[k], step);
                (error.with(length, |error, length| if length > 0.0 { error } else { 0.0 }), give)
            };
            let passed_on = Lanes::default() - here.inverse_mass * before.direction.dot(direction);
            before.coupling = passed_on * inverse_pivot;
            let both = here.inverse_mass + next.inverse_mass;
            let floor = if RATES { RIGID_PIVOT } else { SMALLEST_PIVOT };
            let pivot = (both + give - passed_on * before.coupling)
                .with(both, |pivot, both| pivot.max(both * floor));
            inverse_pivot = pivot.inverse_if_positive();
            let alone =
                (error.each(|error| error * step.share) - passed_on * before.alone) * inverse_pivot;
            if k > 0 {
                self.links[k - 1] = before;
            }
            before = Link { direction, coupling: Lanes::default(), alone };
            here = next;
        }
        if let Some(last) = self.rest_lengths.len().checked_sub(1) {
            self.links[last] = before;
        }
    }

    /// [`StripStep::elastic_error`] of an edge of each chain.
    #[inline(always)]
    fn elastic_error(&self, k: usize, too_long: Lanes, step: &StripStep) -> (Lanes, Lanes) {
        let (mut error, mut give) = (too_long, Lanes::default());
        for lane in 0..LANES {
            let of = |all: &[Lanes]| all[k].0[lane];
            let edge =
                [too_long.0[lane], of(&self.compliances), of(&self.totals), of(&self.starts)];
            [error.0[lane], give.0[lane]] = step.elastic_error(edge);
        }
        (error, give)
    }

    /// Notes how far edges are too long where a step begins.
    pub fn note_starts(&mut self, x: &[DVec3], filtered: bool) {
        if filtered {
            return self.trees.iter_mut().for_each(|tree| tree.note_starts(x));
        }
        for (k, rest) in self.rest_lengths.iter().enumerate() {
            for lane in 0..LANES {
                let [a, b] = [k, k + 1].map(|k| x[self.nodes[k][lane] as usize]);
                self.starts[k].0[lane] = a.distance(b) - rest.0[lane];
            }
        }
    }

    /// Pulls from the last edge to the first, and what they do to the particles between them.
    #[inline(always)]
    fn walk_back(&mut self, reach: Lanes) {
        let (mut pull, mut beyond) = (Lanes::default(), Vectors::default());
        let mut farthest = Lanes::default();
        for k in (0..self.rest_lengths.len()).rev() {
            let link = &self.links[k];
            pull = link.alone - link.coupling * pull;
            self.pulls[k] = pull;
            let force = link.direction.times(pull);
            let moved = (beyond - force).times(self.inverse_masses[k + 1]);
            farthest = farthest.with(moved.dot(moved), f64::max);
            self.moves[k + 1] = moved;
            beyond = force;
        }
        self.moves[0] = beyond.times(self.inverse_masses[0]);
        farthest = farthest.with(self.moves[0].dot(self.moves[0]), f64::max);
        self.farthest =
            farthest.with(
                reach,
                |squared, reach| {
                    if squared > reach * reach { squared.sqrt() } else { 0.0 }
                },
            );
    }

    /// Shortens moves beyond the reach of their chain; see [`Tree::shorten`].
    fn shorten(&mut self, reach: Lanes) {
        if self.farthest == Lanes::default() {
            return;
        }
        let part =
            reach.with(self.farthest, |reach, far| if far > 0.0 { reach / far } else { 1.0 });
        self.moves.iter_mut().for_each(|moved| *moved = moved.times(part));
        self.pulls.iter_mut().for_each(|pull| *pull = *pull * part);
    }
}

/// Compiled for several kinds of processors. Wider registers change no bit: nothing is reordered or
/// fused.
struct SolveChains<'a> {
    chains: &'a mut Chains,
    step: &'a StripStep<'a>,
}

impl pulp::NullaryFnOnce for SolveChains<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.chains.solve_here(self.step);
    }
}

/// A particle of each chain.
#[derive(Clone, Copy, Default)]
struct Node {
    place: Vectors,
    velocity: Vectors,
    inverse_mass: Lanes,
}

impl Node {
    #[inline(always)]
    fn gather<const RATES: bool>(
        particles: &[u32; LANES],
        step: &StripStep,
        velocities: &[DVec3],
    ) -> Self {
        let mut node = Self::default();
        for (lane, &particle) in particles.iter().enumerate() {
            let i = particle as usize;
            node.place.set_lane(lane, step.places[i]);
            node.inverse_mass.0[lane] = step.inverse_masses[i];
            if RATES {
                node.velocity.set_lane(lane, velocities[i]);
            }
        }
        node
    }
}
