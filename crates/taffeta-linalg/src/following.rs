//! Particles that follow others (slave degrees of freedom, and their masters): x = Σ w x of their
//! leaders, always. Only the leaders are unknowns;
//! what acts on a follower acts on its leaders by the same weights.

use std::collections::BTreeMap;

use glam::{DMat3, DVec3, Mat3A, Vec3};

use crate::pattern::PatternError;
use crate::single::{ElementRows, RowMatrix, RowPattern};

/// Most leaders of a follower.
const MOST: usize = 4;

/// A particle that is always at a weighted mean of others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Follower {
    /// The particle.
    pub particle: u32,
    leaders: [(u32, f64); MOST],
    count: usize,
}

impl Follower {
    /// A particle between two others, at this share of the way from the first to the second.
    pub fn between(particle: u32, [from, to]: [u32; 2], share: f64) -> Self {
        let leaders = [(from, 1.0 - share), (to, share), (0, 0.0), (0, 0.0)];
        Self { particle, leaders, count: 2 }
    }

    /// A particle that follows four others, by weights that add up to one.
    pub fn among(particle: u32, leaders: [(u32, f64); MOST]) -> Self {
        Self { particle, leaders, count: MOST }
    }

    /// Whom it follows, and by which weight.
    pub fn leaders(&self) -> &[(u32, f64)] {
        &self.leaders[..self.count]
    }

    /// What it has if its leaders have these.
    pub fn mean(&self, values: &[DVec3]) -> DVec3 {
        self.leaders().iter().map(|&(leader, weight)| values[leader as usize] * weight).sum()
    }
}

/// All followers among some particles. A leader follows nobody.
#[derive(Clone, Debug, Default)]
pub struct Followers {
    all: Vec<Follower>,
    /// The number of each particle among the followers.
    numbers: Vec<Option<u32>>,
}

impl Followers {
    /// These, among so many particles.
    pub fn new(particles: usize, all: Vec<Follower>) -> Self {
        let mut numbers = vec![None; particles];
        for (number, follower) in (0u32..).zip(&all) {
            numbers[follower.particle as usize] = Some(number);
        }
        Self { all, numbers }
    }

    /// All of them.
    pub fn all(&self) -> &[Follower] {
        &self.all
    }

    /// A particle as a follower, if it is one.
    pub fn get(&self, particle: u32) -> Option<&Follower> {
        let number = self.numbers.get(particle as usize).copied().flatten()?;
        Some(&self.all[number as usize])
    }

    /// Gives every follower what its leaders have.
    pub fn follow(&self, values: &mut [DVec3]) {
        for follower in &self.all {
            values[follower.particle as usize] = follower.mean(values);
        }
    }

    /// Adds blocks of followers, scaled, to the diagonal blocks of their leaders.
    pub fn hand_over_blocks(&self, blocks: &[DMat3], scale: f64, matrix: &mut RowMatrix) {
        for follower in &self.all {
            let block = blocks[follower.particle as usize];
            if block != DMat3::ZERO {
                for &(leader, weight) in follower.leaders() {
                    matrix.add_to_diagonal(leader, block * (scale * weight));
                }
            }
        }
    }

    /// Whom a particle follows: itself if it is no follower.
    fn leaders_of(&self, particle: u32) -> Vec<(u32, f64)> {
        self.get(particle).map_or_else(|| vec![(particle, 1.0)], |f| f.leaders().to_vec())
    }

    /// The particles that a matrix couples where elements join two particles, of which some follow
    /// others.
    pub fn groups_of(&self, ends: &[[u32; 2]]) -> impl Iterator<Item = Vec<u32>> {
        ends.iter().map(|ends| self.shares(*ends).into_iter().map(|share| share.0).collect())
    }

    /// Those whom two particles follow, with the weight in each.
    fn shares(&self, ends: [u32; 2]) -> Vec<(u32, [f64; 2])> {
        let mut shares: Vec<(u32, [f64; 2])> = Vec::new();
        for (k, end) in ends.into_iter().enumerate() {
            for (leader, weight) in self.leaders_of(end) {
                let known = shares.iter().position(|share| share.0 == leader);
                let at = known.unwrap_or_else(|| {
                    shares.push((leader, [0.0; 2]));
                    shares.len() - 1
                });
                shares[at].1[k] += weight;
            }
        }
        shares
    }
}

/// Masses that followers give to their leaders: Σ m wᵢ wⱼ in block (i, j), so that momentum, angular
/// momentum and kinetic energy are those of the followers.
#[derive(Clone, Debug)]
pub struct FollowingMasses {
    shares: Vec<(Spot, f64)>,
}

impl FollowingMasses {
    /// Of followers with these masses, in matrices of this pattern.
    pub fn new(
        pattern: &RowPattern,
        followers: &Followers,
        masses: &[f64],
    ) -> Result<Self, PatternError> {
        let mut sums = BTreeMap::new();
        for (element, follower) in followers.all.iter().enumerate() {
            let mass = masses[follower.particle as usize];
            for &(a, wa) in follower.leaders() {
                for &(b, wb) in follower.leaders() {
                    *sums.entry(Spot::of(pattern, element, [a, b])?).or_insert(0.0) +=
                        mass * wa * wb;
                }
            }
        }
        Ok(Self { shares: sums.into_iter().filter(|(_, mass)| *mass > 0.0).collect() })
    }

    /// Adds them to a matrix, times a scale.
    pub fn add(&self, matrix: &mut RowMatrix, scale: f64) {
        for &(spot, mass) in &self.shares {
            let block = Mat3A::from_diagonal(Vec3::splat((mass * scale) as f32));
            *spot.block_of(matrix) += block;
        }
    }
}

/// How elements of two particles, of which some follow others, go into a matrix.
#[derive(Clone, Debug)]
pub struct FollowingPlan {
    blocks: Vec<BlockShare>,
    /// Rows of the right-hand side, with the weight of each end.
    vectors: Vec<(u32, [f64; 2])>,
    /// Where each element's shares begin: of blocks, and of vectors.
    bounds: Vec<[u32; 2]>,
}

/// What a block of the matrix takes of an element's blocks (0, 0), (1, 0) and (1, 1).
#[derive(Clone, Copy, Debug)]
struct BlockShare {
    spot: Spot,
    weights: [f32; 3],
}

impl FollowingPlan {
    /// The plan for elements with these ends in matrices of this pattern.
    pub fn new(
        pattern: &RowPattern,
        followers: &Followers,
        elements: &[[u32; 2]],
    ) -> Result<Self, PatternError> {
        let mut plan = Self { blocks: Vec::new(), vectors: Vec::new(), bounds: vec![[0; 2]] };
        for (element, ends) in elements.iter().enumerate() {
            let shares = followers.shares(*ends);
            for &(a, [a0, a1]) in &shares {
                for &(b, [b0, b1]) in &shares {
                    let weights = [a0 * b0, a1 * b0 + a0 * b1, a1 * b1].map(|weight| weight as f32);
                    let spot = Spot::of(pattern, element, [a, b])?;
                    plan.blocks.push(BlockShare { spot, weights });
                }
            }
            plan.vectors.extend(shares.into_iter().map(|(leader, by)| (pattern.row(leader), by)));
            plan.bounds.push([plan.blocks.len() as u32, plan.vectors.len() as u32]);
        }
        Ok(plan)
    }

    /// Adds every element to the matrix and the right-hand sides of its rows, one after another: they
    /// are few. Their blocks are symmetric.
    pub fn add(
        &self,
        matrix: &mut RowMatrix,
        right: &mut [DVec3],
        evaluate: impl Fn(usize) -> ElementRows<2>,
    ) {
        for (element, bounds) in self.bounds.windows(2).enumerate() {
            let ElementRows { blocks: [[own, _], [across, other]], forces } = evaluate(element);
            let [first, last] = [bounds[0], bounds[1]];
            for share in &self.blocks[first[0] as usize..last[0] as usize] {
                let [p, q, r] = share.weights;
                *share.spot.block_of(matrix) += own * p + across * q + other * r;
            }
            for &(row, [p, q]) in &self.vectors[first[1] as usize..last[1] as usize] {
                right[row as usize] += forces[0] * p + forces[1] * q;
            }
        }
    }
}

/// Where a block is in a matrix: on the diagonal, or beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Spot {
    Diagonal(u32),
    Beside(u32),
}

impl Spot {
    /// Of two particles.
    fn of(pattern: &RowPattern, element: usize, particles: [u32; 2]) -> Result<Self, PatternError> {
        let [row, column] = particles.map(|particle| pattern.row(particle));
        if row == column {
            return Ok(Self::Diagonal(row));
        }
        let missing = PatternError::NotInPattern { element, particles };
        Ok(Self::Beside(pattern.place(row, column).ok_or(missing)? as u32))
    }

    fn block_of(self, matrix: &mut RowMatrix) -> &mut Mat3A {
        match self {
            Self::Diagonal(row) => matrix.diagonal_block(row),
            Self::Beside(place) => matrix.block_beside(place),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    const ELEMENTS: [[u32; 2]; 3] = [[4, 5], [5, 2], [3, 4]];

    fn followers() -> Followers {
        let within = Follower::among(4, [(0, 0.4), (1, 0.1), (2, 0.3), (3, 0.2)]);
        Followers::new(6, vec![within, Follower::between(5, [0, 1], 0.75)])
    }

    /// Any places of the leaders, and the followers where they belong.
    fn places() -> Vec<DVec3> {
        let place = |i: usize| DVec3::new(i as f64, (i * i) as f64 - 2.0, 1.0 / (i as f64 + 1.0));
        let mut x: Vec<DVec3> = (0..6).map(place).collect();
        followers().follow(&mut x);
        x
    }

    fn block(element: usize) -> DMat3 {
        let v = DVec3::new(1.0, element as f64, -0.5);
        DMat3::from_diagonal(DVec3::splat(2.0)) + DMat3::from_cols(v * v.x, v * v.y, v * v.z)
    }

    /// The work of a matrix of leaders: xᵀ A x.
    fn work(matrix: &RowMatrix, x: &[DVec3]) -> f64 {
        let times = |i: u32| {
            let (diagonal, others) = matrix.row_of(i);
            let others = others.map(|(other, block)| block * x[other as usize]);
            diagonal * x[i as usize] + others.sum::<DVec3>()
        };
        (0..4).map(|i| x[i as usize].dot(times(i))).sum()
    }

    fn matrix() -> RowMatrix {
        let groups = followers().groups_of(&ELEMENTS).collect::<Vec<_>>();
        let groups = groups.iter().map(|group| &group[..]).chain([&[0, 1, 2, 3][..]]);
        RowMatrix::new(Arc::new(RowPattern::new(&places(), groups)))
    }

    #[test]
    fn leaders_do_the_work_of_elements_at_their_followers() {
        let (mut matrix, x) = (matrix(), places());
        let plan = FollowingPlan::new(matrix.pattern(), &followers(), &ELEMENTS).unwrap();
        let (mut right, force) = (vec![DVec3::ZERO; 6], DVec3::new(0.3, -1.0, 2.0));
        plan.add(&mut matrix, &mut right, |e| {
            let block = Mat3A::from_cols_array(&block(e).as_mat3().to_cols_array());
            let blocks = [[block, Mat3A::ZERO], [-block, block]];
            ElementRows { blocks, forces: [-force, force] }
        });
        let apart = |[a, b]: [u32; 2]| x[b as usize] - x[a as usize];
        let stored = |(e, ends): (usize, &[u32; 2])| apart(*ends).dot(block(e) * apart(*ends));
        let expected: f64 = ELEMENTS.iter().enumerate().map(stored).sum();
        assert!((work(&matrix, &x) - expected).abs() < 1e-6 * expected, "{expected}");
        let right: Vec<DVec3> = (0..6).map(|i| right[matrix.pattern().row(i) as usize]).collect();
        let pushed: f64 = (0..4).map(|i| x[i].dot(right[i])).sum();
        let expected: f64 = ELEMENTS.iter().map(|ends| force.dot(apart(*ends))).sum();
        assert!((pushed - expected).abs() < 1e-12, "{pushed} {expected}");
        assert_eq!(&right[4..], [DVec3::ZERO; 2]);
    }

    #[test]
    fn leaders_have_the_kinetic_energy_of_their_followers() {
        let (mut matrix, v) = (matrix(), places());
        let masses = [1.0, 1.0, 1.0, 1.0, 0.5, 2.0];
        let plan = FollowingMasses::new(matrix.pattern(), &followers(), &masses).unwrap();
        plan.add(&mut matrix, 2.0);
        let expected = v[4].length_squared() + 4.0 * v[5].length_squared();
        assert!((work(&matrix, &v) - expected).abs() < 1e-6 * expected);
    }
}
