//! Parts against dense solves of J W Jᵀ s = e.

use glam::DVec3;
use taffeta_linalg::Filter;

use super::chains::Chains;
use super::partition::Strip;
use super::tree::{StripStep, Tree};

/// Particles with masses, filters and places, and the edges of a part between them.
struct Sample {
    places: Vec<DVec3>,
    velocities: Vec<DVec3>,
    inverse_masses: Vec<f64>,
    filters: Vec<Filter>,
    part: Strip,
    rest_lengths: Vec<f64>,
}

/// Numbers in −1 … 1, always the same ones (splitmix64).
fn numbers(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// Particle i hangs on `parent(i)`; edges are a little too long or too short.
fn cloth(particles: usize, seed: u64, parent: impl Fn(usize) -> usize) -> Sample {
    let mut number = numbers(seed);
    let mut vector = move || DVec3::new(number(), number(), number());
    let mut part = Strip::root(0);
    let mut places = vec![vector()];
    for i in 1..particles {
        part.hang(i as u32, parent(i) as u32, i as u32 - 1);
        places.push(places[parent(i)] + (vector() + DVec3::X * 1.5).normalize());
    }
    let mut number = numbers(seed + 1);
    Sample {
        velocities: (0..particles).map(|_| vector()).collect(),
        inverse_masses: (0..particles).map(|_| 2.0 + number()).collect(),
        filters: vec![Filter::FREE; particles],
        rest_lengths: (1..particles).map(|_| 1.0 + 0.01 * number()).collect(),
        places,
        part,
    }
}

impl Sample {
    fn step(&self) -> StripStep<'_> {
        StripStep {
            places: &self.places,
            inverse_masses: &self.inverse_masses,
            filters: &self.filters,
            velocities: None,
            first: true,
            share: 1.0,
            force: 1.0,
            damping: 0.0,
            keep: 0.0,
        }
    }

    fn hold(&mut self, particle: usize) {
        self.filters[particle] = Filter::HELD;
        self.inverse_masses[particle] = 0.0;
    }

    fn tree(&self) -> Tree {
        Tree::new(self.part.clone(), |edge| [self.rest_lengths[edge as usize], 0.0])
    }

    fn ends(&self, edge: usize) -> [usize; 2] {
        [self.part.nodes[self.part.parents[edge + 1] as usize] as usize, edge + 1]
    }

    fn direction(&self, edge: usize) -> DVec3 {
        let [a, b] = self.ends(edge);
        (self.places[b] - self.places[a]).normalize()
    }

    /// How edges change their lengths when particles move.
    fn growth(&self, moves: &[DVec3], edge: usize) -> f64 {
        let [a, b] = self.ends(edge);
        self.direction(edge).dot(moves[b] - moves[a])
    }

    fn error(&self, edge: usize) -> f64 {
        let [a, b] = self.ends(edge);
        self.places[a].distance(self.places[b]) - self.rest_lengths[edge]
    }

    /// What pulls along the edges do, by the definition.
    fn moves_of(&self, pulls: &[f64]) -> Vec<DVec3> {
        let mut force = vec![DVec3::ZERO; self.places.len()];
        for (edge, &pull) in pulls.iter().enumerate() {
            let [a, b] = self.ends(edge);
            force[a] += self.direction(edge) * pull;
            force[b] -= self.direction(edge) * pull;
        }
        let moved =
            |(i, f): (usize, &DVec3)| self.filters[i].free_part(*f) * self.inverse_masses[i];
        force.iter().enumerate().map(moved).collect()
    }

    /// Pulls by Gaussian elimination.
    fn dense_pulls(&self) -> Vec<f64> {
        let n = self.rest_lengths.len();
        let mut rows: Vec<Vec<f64>> = vec![vec![0.0; n + 1]; n];
        for unit in 0..n {
            let mut pulls = vec![0.0; n];
            pulls[unit] = 1.0;
            let moves = self.moves_of(&pulls);
            (0..n).for_each(|edge| rows[edge][unit] = -self.growth(&moves, edge));
        }
        (0..n).for_each(|edge| rows[edge][n] = self.error(edge));
        for k in 0..n {
            for row in k + 1..n {
                let factor = rows[row][k] / rows[k][k];
                let pivot = rows[k].clone();
                rows[row].iter_mut().zip(pivot).for_each(|(x, y)| *x -= factor * y);
            }
        }
        let mut pulls = vec![0.0; n];
        for k in (0..n).rev() {
            let known: f64 = (k + 1..n).map(|j| rows[k][j] * pulls[j]).sum();
            pulls[k] = (rows[k][n] - known) / rows[k][k];
        }
        pulls
    }

    fn check(&self, moves: &[DVec3], pulls: &[f64]) {
        for (found, wanted) in pulls.iter().zip(self.dense_pulls()) {
            assert!((found - wanted).abs() < 1e-9 * (1.0 + wanted.abs()), "{found} {wanted}");
        }
        for (found, wanted) in moves.iter().zip(self.moves_of(pulls)) {
            assert!(found.distance(wanted) < 1e-11, "{found} {wanted}");
        }
        for edge in 0..self.rest_lengths.len() {
            assert!((self.growth(moves, edge) + self.error(edge)).abs() < 1e-11);
        }
    }
}

/// All kinds of particles somewhere in the part.
fn constrained(mut cloth: Sample) -> Sample {
    cloth.hold(0);
    let last = cloth.places.len() - 1;
    cloth.filters[last / 2] = Filter::in_plane(DVec3::new(1.0, 2.0, -0.5).normalize());
    cloth.filters[last] = Filter::along_line(DVec3::new(0.8, 0.1, 0.3).normalize());
    cloth
}

fn chain_solution(cloth: &Sample, filtered: bool) -> (Vec<DVec3>, Vec<f64>) {
    let rest = |edge: u32| [cloth.rest_lengths[edge as usize], 0.0];
    // The chain itself, a shorter one, and two lanes that are empty.
    let mut short = Strip::root(cloth.part.nodes[0]);
    short.hang(cloth.part.nodes[1], 0, 0);
    let trees = [cloth.part.clone(), short].map(|part| Tree::new(part, rest)).into();
    let mut chains = Chains::new(trees, rest);
    match filtered {
        true => chains.solve_filtered(&cloth.step()),
        false => chains.solve(&cloth.step()),
    }
    let moves = chains.moves.iter().map(|moved| moved.lane(0)).collect();
    let pulls = chains.totals.iter().map(|pull| pull.0[0]).take(cloth.rest_lengths.len()).collect();
    (moves, pulls)
}

#[test]
fn trees_are_solved_as_dense_systems_are() {
    for (seed, particles) in [(1, 2), (2, 3), (3, 9), (4, 40)] {
        for shape in [|i: usize| i - 1, |i: usize| i / 2, |i: usize| i / 5 * 3 / 4, |_| 0] {
            for cloth in [cloth(particles, seed, shape), constrained(cloth(particles, seed, shape))]
            {
                let mut tree = cloth.tree();
                tree.solve(&cloth.step());
                if cloth.moves_of(&tree.pulls[1..]).iter().all(|m| m.length() < 0.2) {
                    cloth.check(&tree.moves, &tree.pulls[1..]);
                }
            }
        }
    }
}

#[test]
fn chains_are_solved_as_dense_systems_are() {
    for (seed, particles) in [(5, 2), (6, 3), (7, 10), (8, 60)] {
        let mut free = cloth(particles, seed, |i| i - 1);
        let (moves, pulls) = chain_solution(&free, false);
        free.check(&moves, &pulls);
        free.hold(particles - 1);
        let (moves, pulls) = chain_solution(&free, false);
        free.check(&moves, &pulls);
        let filtered = constrained(cloth(particles, seed, |i| i - 1));
        let (moves, pulls) = chain_solution(&filtered, true);
        filtered.check(&moves, &pulls);
    }
}

#[test]
fn velocities_along_the_edges_become_equal_in_chains_and_trees() {
    let cloth = cloth(30, 9, |i| i - 1);
    let step = StripStep { velocities: Some(&cloth.velocities), ..cloth.step() };
    let mut tree = cloth.tree();
    tree.solve(&step);
    let mut chains =
        Chains::new(vec![cloth.tree()], |edge| [cloth.rest_lengths[edge as usize], 0.0]);
    chains.solve(&step);
    for (k, moved) in tree.moves.iter().enumerate() {
        assert!(moved.distance(chains.moves[k].lane(0)) < 1e-11);
    }
    let after: Vec<DVec3> = cloth.velocities.iter().zip(&tree.moves).map(|(v, d)| v + d).collect();
    for edge in 0..cloth.rest_lengths.len() {
        assert!(cloth.growth(&after, edge).abs() < 1e-12);
    }
}

#[test]
fn free_parts_keep_their_momentum() {
    let cloth = cloth(50, 10, |i| i * 2 / 3);
    let mut tree = cloth.tree();
    tree.solve(&cloth.step());
    let (mut linear, mut angular) = (DVec3::ZERO, DVec3::ZERO);
    for (i, moved) in tree.moves.iter().enumerate() {
        linear += *moved / cloth.inverse_masses[i];
        angular += cloth.places[i].cross(*moved / cloth.inverse_masses[i]);
    }
    assert!(linear.length() < 1e-12 && angular.length() < 1e-11, "{linear} {angular}");
}

#[test]
fn what_cannot_be_corrected_stays_finite_and_short() {
    let mut cloth = cloth(12, 11, |i| i - 1);
    // A taut line, too long, held at both ends, with an edge between held particles and one of no
    // length.
    for (i, place) in cloth.places.iter_mut().enumerate() {
        *place = DVec3::new(1.03 * i as f64, 1e-9 * (i * i) as f64, 0.0);
    }
    for held in [0, 1, 11] {
        cloth.hold(held);
    }
    cloth.places[6] = cloth.places[5];
    let mut tree = cloth.tree();
    tree.solve(&cloth.step());
    let (moves, pulls) = chain_solution(&cloth, false);
    for (moves, pulls) in [(&tree.moves[..], &tree.pulls[1..]), (&moves[..], &pulls[..])] {
        assert!(moves.iter().all(|m| m.is_finite() && m.length() < 0.26), "{moves:?}");
        assert!(pulls.iter().all(|pull| pull.is_finite()));
        assert_eq!((moves[0], moves[1], moves[11]), Default::default());
        assert_eq!((pulls[0], pulls[5]), (0.0, 0.0));
    }
}
