//! Bending along the lines of cloth, implicitly: a beam of B·width along each chain of edges, several
//! side by side.
//!
//! The curvature at an inner particle of a line is the second difference of its places, whose
//! energy is quadratic where edges keep their length (as in Bergou et al. 2006, A Quadratic Bending
//! Model for Inextensible Surfaces): (W + (h² + hτ)·K) u = W (p − x) − h² K x for the
//! displacement u, a pentadiagonal system a line, the same for each coordinate. Cloth is woven flat:
//! the rest curvature is zero.

use glam::DVec3;
use taffeta_linalg::update;

use super::lanes::{LANES, Lanes, Vectors};
use super::net::StripEdge;
use super::partition::Strip;

/// Beams side by side whose bending repays a hand-over to another thread.
const GRAIN: usize = 4;
/// What is held is this much heavier than what is not.
const HELD: f64 = 1e12;

/// Lines that bend and share no particle.
#[derive(Debug)]
pub(crate) struct BeamGroup {
    beams: Vec<Beams>,
    /// Where each particle is among them: which beams, which node and which lane.
    homes: Vec<Option<[u32; 3]>>,
}

impl BeamGroup {
    /// Beams along chains of at least two edges, with rigidities along warp and weft [N·m].
    pub fn new(particles: usize, parts: &[Strip], edges: &[StripEdge], rigidity: [f64; 2]) -> Self {
        let mut lines: Vec<&Strip> =
            parts.iter().filter(|part| part.is_chain() && part.edges.len() > 1).collect();
        // Of like length; a stable sort, so the order is always the same.
        lines.sort_by_key(|part| std::cmp::Reverse(part.nodes.len()));
        let mut homes = vec![None; particles];
        for (number, line) in lines.iter().enumerate() {
            for (k, &node) in line.nodes.iter().enumerate() {
                let [beams, lane] = [number / LANES, number % LANES];
                homes[node as usize] = Some([beams, k, lane].map(|place| place as u32));
            }
        }
        let beams = lines.chunks(LANES).map(|lines| Beams::new(lines, edges, rigidity)).collect();
        Self { beams, homes }
    }

    /// Finds where bending takes the particles.
    pub fn solve(&mut self, bend: &BendStart) {
        update(&mut self.beams, GRAIN, |_, beams| beams.solve(bend));
    }

    /// Where a particle comes to, if a line has it.
    #[inline]
    pub fn moved(&self, particle: usize) -> Option<DVec3> {
        let [beams, node, lane] = self.homes[particle]?.map(|place| place as usize);
        Some(self.beams[beams].moved[node].lane(lane))
    }
}

/// Beams side by side, the shorter ones filled up with particles that nothing bends.
#[derive(Debug)]
struct Beams {
    nodes: Vec<[u32; LANES]>,
    /// At each inner particle, the inverse lengths of the edges before and behind [1/m], and
    /// B·width over their mean length [N·m].
    curvatures: Vec<[Lanes; 3]>,
    diagonal: Vec<Lanes>,
    /// Of each row, how much of the next and of the one after that it takes.
    lower: Vec<[Lanes; 2]>,
    /// Where the step begins [m].
    from: Vec<Vectors>,
    moved: Vec<Vectors>,
}

/// What bends in a step.
#[derive(Clone, Copy)]
pub(crate) struct BendStart<'a> {
    /// Where particles are when the step begins, and where they would come to [m].
    pub x: &'a [DVec3],
    pub p: &'a [DVec3],
    /// One over their weights; zero of what is held [1/kg].
    pub w: &'a [f64],
    /// [s]
    pub h: f64,
    pub damping: f64,
}

impl Beams {
    fn new(lines: &[&Strip], edges: &[StripEdge], rigidity: [f64; 2]) -> Self {
        let curvature = |part: &Strip, k: usize| {
            let edge = |k: usize| &edges[part.edges[k] as usize];
            let (before, behind) = (edge(k), edge(k + 1));
            let width = 0.5 * (before.width + behind.width);
            let length = 0.5 * (before.rest + behind.rest);
            let b = rigidity[usize::from(before.weft)];
            [1.0 / before.rest, 1.0 / behind.rest, b * width / length]
        };
        let most = lines.iter().map(|part| part.nodes.len()).max().unwrap_or(0);
        let node = |k: usize, lane: usize| {
            let part = lines.get(lane).unwrap_or(&lines[0]);
            part.nodes[k.min(part.nodes.len() - 1)]
        };
        let bend = |k: usize, lane: usize| match lines.get(lane) {
            Some(part) if k + 2 < part.nodes.len() => curvature(part, k),
            _ => [0.0; 3],
        };
        let lanes = |k: usize, what: usize| Lanes(std::array::from_fn(|lane| bend(k, lane)[what]));
        Self {
            nodes: (0..most).map(|k| std::array::from_fn(|lane| node(k, lane))).collect(),
            curvatures: (0..most.saturating_sub(2))
                .map(|k| [0, 1, 2].map(|what| lanes(k, what)))
                .collect(),
            diagonal: vec![Lanes::default(); most],
            lower: vec![[Lanes::default(); 2]; most],
            from: vec![Vectors::default(); most],
            moved: vec![Vectors::default(); most],
        }
    }

    /// Finds where bending takes the particles.
    fn solve(&mut self, bend: &BendStart) {
        pulp::Arch::new().dispatch(SolveBeams { beams: self, bend });
    }

    #[inline(always)]
    fn solve_here(&mut self, bend: &BendStart) {
        let BendStart { h, damping, .. } = *bend;
        let (stiff, push) = (h * h + h * damping, h * h);
        self.gather(bend);
        self.lower.fill([Lanes::default(); 2]);
        for (k, &[a, b, c]) in self.curvatures.iter().enumerate() {
            let m = Lanes::default() - (a + b);
            let (from, here, to) = (self.from[k], self.from[k + 1], self.from[k + 2]);
            let bent = (to - here).times(b) - (here - from).times(a);
            let bent = bent.times(c.each(|c| c * push));
            self.moved[k] = self.moved[k] - bent.times(a);
            self.moved[k + 1] = self.moved[k + 1] - bent.times(m);
            self.moved[k + 2] = self.moved[k + 2] - bent.times(b);
            let c = c.each(|c| c * stiff);
            self.diagonal[k] = self.diagonal[k] + c * a * a;
            self.diagonal[k + 1] = self.diagonal[k + 1] + c * m * m;
            self.diagonal[k + 2] = self.diagonal[k + 2] + c * b * b;
            self.lower[k][0] = self.lower[k][0] + c * a * m;
            self.lower[k][1] = self.lower[k][1] + c * a * b;
            self.lower[k + 1][0] = self.lower[k + 1][0] + c * m * b;
        }
        self.eliminate();
        self.substitute_back();
    }

    /// Particles' places and weights, and W (p − x).
    #[inline(always)]
    fn gather(&mut self, bend: &BendStart) {
        let BendStart { x, p, w, .. } = *bend;
        let mut heaviest = Lanes::default();
        for (k, nodes) in self.nodes.iter().enumerate() {
            let mut inverse_mass = Lanes::default();
            let mut way = Vectors::default();
            for (lane, &i) in nodes.iter().enumerate() {
                let i = i as usize;
                inverse_mass.0[lane] = w[i];
                self.from[k].set_lane(lane, x[i]);
                way.set_lane(lane, p[i] - x[i]);
            }
            let own = inverse_mass.inverse_if_positive();
            heaviest = heaviest.with(own, f64::max);
            (self.diagonal[k], self.moved[k]) = (own, way);
        }
        let held = heaviest.each(|most| most.max(1.0) * HELD);
        for (own, moved) in self.diagonal.iter_mut().zip(&mut self.moved) {
            *own = own.with(held, |own, held| if own > 0.0 { own } else { held });
            *moved = moved.times(*own);
        }
    }

    /// LDLᵀ of the pentadiagonal matrix and the first substitution.
    #[inline(always)]
    fn eliminate(&mut self) {
        let count = self.nodes.len();
        for k in 0..count {
            let inverse = self.diagonal[k].inverse_if_positive();
            let [one, two] = self.lower[k];
            let [first, second] = [one * inverse, two * inverse];
            let own = self.moved[k];
            if k + 1 < count {
                self.diagonal[k + 1] = self.diagonal[k + 1] - first * one;
                self.lower[k + 1][0] = self.lower[k + 1][0] - first * two;
                self.moved[k + 1] = self.moved[k + 1] - own.times(first);
            }
            if k + 2 < count {
                self.diagonal[k + 2] = self.diagonal[k + 2] - second * two;
                self.moved[k + 2] = self.moved[k + 2] - own.times(second);
            }
            self.lower[k] = [first, second];
            self.moved[k] = own.times(inverse);
        }
    }

    /// The second substitution; `moved` becomes where particles come to.
    #[inline(always)]
    fn substitute_back(&mut self) {
        let [mut next, mut after] = [Vectors::default(); 2];
        for k in (0..self.nodes.len()).rev() {
            let [first, second] = self.lower[k];
            let own = self.moved[k] - next.times(first) - after.times(second);
            (next, after) = (own, next);
            self.moved[k] = own + self.from[k];
        }
    }
}

/// Compiled for several kinds of processors, with the same bits.
struct SolveBeams<'a> {
    beams: &'a mut Beams,
    bend: &'a BendStart<'a>,
}

impl pulp::NullaryFnOnce for SolveBeams<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.beams.solve_here(self.bend);
    }
}
