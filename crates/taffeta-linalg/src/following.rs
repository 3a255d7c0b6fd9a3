//! Particles that follow others: x = Σ w x of their leaders, always. Only the leaders are unknowns;
//! what acts on a follower acts on its leaders by the same weights.

use glam::{DMat3, DVec3};

use crate::assembly::ElementSystem;
use crate::matrix::BlockMatrix;
use crate::pattern::{BlockPattern, PatternError};

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

    /// Gives what acts on followers to their leaders.
    pub fn hand_over(&self, values: &mut [DVec3]) {
        for follower in &self.all {
            let value = std::mem::take(&mut values[follower.particle as usize]);
            for &(leader, weight) in follower.leaders() {
                values[leader as usize] += value * weight;
            }
        }
    }

    /// Adds blocks of followers, scaled, to the diagonals of their leaders; their own become ones.
    pub fn hand_over_blocks(&self, blocks: &[DMat3], scale: f64, diagonal: &mut [DMat3]) {
        for follower in &self.all {
            let particle = follower.particle as usize;
            diagonal[particle] = DMat3::IDENTITY;
            for &(leader, weight) in follower.leaders() {
                diagonal[leader as usize] += blocks[particle] * (scale * weight);
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
    shares: Vec<(u32, f64)>,
}

impl FollowingMasses {
    /// Of followers with these masses, in matrices of this pattern.
    pub fn new(
        pattern: &BlockPattern,
        followers: &Followers,
        masses: &[f64],
    ) -> Result<Self, PatternError> {
        let mut sums = vec![0.0; pattern.stored_blocks()];
        for (element, follower) in followers.all.iter().enumerate() {
            let mass = masses[follower.particle as usize];
            for (k, &(a, wa)) in follower.leaders().iter().enumerate() {
                for &(b, wb) in &follower.leaders()[..=k] {
                    sums[place(pattern, element, [a, b])? as usize] += mass * wa * wb;
                }
            }
        }
        let shares = (0u32..).zip(sums).filter(|(_, mass)| *mass > 0.0).collect();
        Ok(Self { shares })
    }

    /// Adds them to a matrix.
    pub fn add(&self, matrix: &mut BlockMatrix) {
        for &(place, mass) in &self.shares {
            matrix.values[place as usize] += DMat3::from_diagonal(DVec3::splat(mass));
        }
    }
}

/// How elements of two particles, of which some follow others, go into a matrix.
#[derive(Clone, Debug)]
pub struct FollowingPlan {
    blocks: Vec<BlockShare>,
    vectors: Vec<(u32, [f64; 2])>,
    /// Where each element's shares begin: of blocks, and of vectors.
    bounds: Vec<[u32; 2]>,
}

/// What a block of the matrix takes of an element's blocks (0, 0), (1, 0) and (1, 1).
#[derive(Clone, Copy, Debug)]
struct BlockShare {
    place: u32,
    weights: [f64; 3],
}

impl FollowingPlan {
    /// The plan for elements with these ends in matrices of this pattern.
    pub fn new(
        pattern: &BlockPattern,
        followers: &Followers,
        elements: &[[u32; 2]],
    ) -> Result<Self, PatternError> {
        let mut plan = Self { blocks: Vec::new(), vectors: Vec::new(), bounds: vec![[0; 2]] };
        for (element, ends) in elements.iter().enumerate() {
            let shares = followers.shares(*ends);
            for (k, &(a, [a0, a1])) in shares.iter().enumerate() {
                for &(b, [b0, b1]) in &shares[..=k] {
                    let weights = [a0 * b0, a1 * b0 + a0 * b1, a1 * b1];
                    plan.blocks
                        .push(BlockShare { place: place(pattern, element, [a, b])?, weights });
                }
            }
            plan.vectors.extend(shares);
            plan.bounds.push([plan.blocks.len() as u32, plan.vectors.len() as u32]);
        }
        Ok(plan)
    }

    /// Adds every element to the matrix and the vector, one after another: they are few. Their
    /// blocks are symmetric.
    pub fn add(
        &self,
        matrix: &mut BlockMatrix,
        vector: &mut [DVec3],
        evaluate: impl Fn(usize, &mut ElementSystem<2>),
    ) {
        for (element, bounds) in self.bounds.windows(2).enumerate() {
            let mut local = ElementSystem::ZERO;
            evaluate(element, &mut local);
            let [first, last] = [bounds[0], bounds[1]];
            let [[own, _], [across, other]] = local.blocks;
            for share in &self.blocks[first[0] as usize..last[0] as usize] {
                let [p, q, r] = share.weights;
                matrix.values[share.place as usize] += own * p + across * q + other * r;
            }
            for &(leader, [p, q]) in &self.vectors[first[1] as usize..last[1] as usize] {
                vector[leader as usize] += local.vectors[0] * p + local.vectors[1] * q;
            }
        }
    }
}

/// Where the block of two particles is among a matrix's values.
fn place(pattern: &BlockPattern, element: usize, [a, b]: [u32; 2]) -> Result<u32, PatternError> {
    let (row, column) = (a.max(b), a.min(b));
    let missing = PatternError::NotInPattern { element, row, column };
    Ok(pattern.place(row, column).ok_or(missing)? as u32)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::multiply::MultiplyScratch;

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
    fn work(matrix: &BlockMatrix, x: &[DVec3]) -> f64 {
        let mut product = vec![DVec3::ZERO; 6];
        matrix.multiply(x, &mut product, &mut MultiplyScratch::new(matrix.pattern()));
        (0..4).map(|i| x[i].dot(product[i])).sum()
    }

    fn matrix() -> BlockMatrix {
        let groups = followers().groups_of(&ELEMENTS).collect::<Vec<_>>();
        let pattern = BlockPattern::new(6, groups.into_iter().chain([vec![0, 1, 2, 3]])).unwrap();
        BlockMatrix::new(Arc::new(pattern))
    }

    #[test]
    fn leaders_do_the_work_of_elements_at_their_followers() {
        let (mut matrix, x) = (matrix(), places());
        let plan = FollowingPlan::new(matrix.pattern(), &followers(), &ELEMENTS).unwrap();
        let (mut right, force) = (vec![DVec3::ZERO; 6], DVec3::new(0.3, -1.0, 2.0));
        plan.add(&mut matrix, &mut right, |e, out| {
            out.blocks = [[block(e), DMat3::ZERO], [-block(e), block(e)]];
            out.vectors = [-force, force];
        });
        let apart = |[a, b]: [u32; 2]| x[b as usize] - x[a as usize];
        let stored = |(e, ends): (usize, &[u32; 2])| apart(*ends).dot(block(e) * apart(*ends));
        let expected: f64 = ELEMENTS.iter().enumerate().map(stored).sum();
        assert!((work(&matrix, &x) - expected).abs() < 1e-12 * expected, "{expected}");
        let pushed: f64 = (0..4).map(|i| x[i].dot(right[i])).sum();
        let expected: f64 = ELEMENTS.iter().map(|ends| force.dot(apart(*ends))).sum();
        assert!((pushed - expected).abs() < 1e-12, "{pushed} {expected}");
        assert_eq!(&right[4..], [DVec3::ZERO; 2]);
    }

    #[test]
    fn leaders_have_the_kinetic_energy_and_the_loads_of_their_followers() {
        let (mut matrix, v) = (matrix(), places());
        let masses = [1.0, 1.0, 1.0, 1.0, 0.5, 2.0];
        FollowingMasses::new(matrix.pattern(), &followers(), &masses).unwrap().add(&mut matrix);
        let expected = 0.5 * v[4].length_squared() + 2.0 * v[5].length_squared();
        assert!((work(&matrix, &v) - expected).abs() < 1e-12 * expected);
        let mut loads = v.clone();
        followers().hand_over(&mut loads);
        let before: DVec3 = v.iter().sum();
        assert!((loads.iter().sum::<DVec3>() - before).length() < 1e-12);
        assert_eq!(&loads[4..], [DVec3::ZERO; 2]);
    }
}
