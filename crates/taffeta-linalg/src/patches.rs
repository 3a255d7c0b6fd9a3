//! Particles cut into compact patches, and the rigid motions of each.

use glam::DVec3;

use crate::filter::Filter;
use crate::ordering::cut_at;
use crate::parallel::update;

/// Motions of a patch: three translations, then three rotations.
pub(crate) const MODES: usize = 6;
/// Patches or particles whose handling repays another thread.
const PATCH_GRAIN: usize = 64;
const PARTICLE_GRAIN: usize = 2048;

/// A turn that moves the free particles of a patch by less than this part of what independent
/// motions do is left out: the patch lies in a line, or is held.
const LEAST_MOTION: f64 = 1e-6;

/// All patches, and where each particle is found in them.
pub(crate) struct Patches {
    patches: Vec<Patch>,
    /// For each particle its patch and its place in it.
    place_of: Vec<(u32, u32)>,
}

struct Patch {
    members: Vec<u32>,
    /// What each member does under each motion.
    moves: Vec<[DVec3; MODES]>,
}

impl Patches {
    /// Cuts the particles into patches of at most `size` by bisection of their places.
    pub(crate) fn new(points: &[DVec3], size: usize) -> Self {
        let mut members: Vec<u32> = (0..points.len() as u32).collect();
        let mut patches = Vec::new();
        cut(&mut members, points, size, &mut patches);
        let mut place_of = vec![(0, 0); points.len()];
        for (p, patch) in patches.iter().enumerate() {
            for (k, &particle) in patch.members.iter().enumerate() {
                place_of[particle as usize] = (p as u32, k as u32);
            }
        }
        Self { patches, place_of }
    }

    pub(crate) fn len(&self) -> usize {
        self.patches.len()
    }

    pub(crate) fn patch_of(&self, particle: u32) -> u32 {
        self.place_of[particle as usize].0
    }

    /// What a particle does under each motion of its patch, as far as it is free.
    pub(crate) fn moves(&self, particle: u32) -> &[DVec3; MODES] {
        let (patch, place) = self.place_of[particle as usize];
        &self.patches[patch as usize].moves[place as usize]
    }

    /// The middle of each patch.
    pub(crate) fn centres(&self, points: &[DVec3]) -> Vec<DVec3> {
        self.patches.iter().map(|patch| patch.centre(points)).collect()
    }

    /// Takes the rigid motions at these positions as far as the filters let them.
    pub(crate) fn set_motions(&mut self, filters: &[Filter], positions: &[DVec3]) {
        update(&mut self.patches, PATCH_GRAIN, |_, patch| {
            patch.set_motions(filters, positions);
            patch.make_independent();
        });
    }

    /// The share of a residual in every motion of a patch.
    pub(crate) fn shares(&self, patch: usize, residual: &[DVec3]) -> [f64; MODES] {
        let mut sums = [0.0; MODES];
        let patch = &self.patches[patch];
        for (&particle, moves) in patch.members.iter().zip(&patch.moves) {
            for (sum, motion) in sums.iter_mut().zip(moves) {
                *sum += motion.dot(residual[particle as usize]);
            }
        }
        sums
    }

    /// Adds the motions with these amplitudes to every particle.
    pub(crate) fn add_motions(&self, amplitudes: &[[f64; MODES]], out: &mut [DVec3]) {
        update(out, PARTICLE_GRAIN, |i, value| {
            let amplitudes = &amplitudes[self.place_of[i].0 as usize];
            for (amplitude, motion) in amplitudes.iter().zip(self.moves(i as u32)) {
                *value += *amplitude * *motion;
            }
        });
    }
}

impl Patch {
    fn centre(&self, points: &[DVec3]) -> DVec3 {
        let sum: DVec3 = self.members.iter().map(|&p| points[p as usize]).sum();
        sum / self.members.len() as f64
    }

    fn set_motions(&mut self, filters: &[Filter], positions: &[DVec3]) {
        let centre = self.centre(positions);
        let distance = |&p: &u32| positions[p as usize].distance(centre);
        let radius = self.members.iter().map(distance).fold(f64::MIN_POSITIVE, f64::max);
        for (&p, moves) in self.members.iter().zip(&mut self.moves) {
            let arm = (positions[p as usize] - centre) / radius;
            let [x, y, z] = DVec3::AXES;
            *moves = [x, y, z, x.cross(arm), y.cross(arm), z.cross(arm)]
                .map(|motion| filters[p as usize].free_part(motion));
        }
    }

    /// Makes the motions orthonormal; those that add nothing new become zero.
    fn make_independent(&mut self) {
        for mode in 0..MODES {
            for earlier in 0..mode {
                let share = self.product(mode, earlier);
                self.moves.iter_mut().for_each(|m| m[mode] -= share * m[earlier]);
            }
            let length = self.product(mode, mode).sqrt();
            let enough = length > LEAST_MOTION * (self.members.len() as f64).sqrt();
            let scale = if enough { length.recip() } else { 0.0 };
            self.moves.iter_mut().for_each(|m| m[mode] *= scale);
        }
    }

    fn product(&self, a: usize, b: usize) -> f64 {
        self.moves.iter().map(|m| m[a].dot(m[b])).sum()
    }
}

/// Bisects `members` into patches.
fn cut(members: &mut [u32], points: &[DVec3], size: usize, patches: &mut Vec<Patch>) {
    if members.len() <= size {
        let moves = vec![[DVec3::ZERO; MODES]; members.len()];
        let patch = Patch { members: members.to_vec(), moves };
        patches.extend((!members.is_empty()).then_some(patch));
        return;
    }
    let half = members.len() / 2;
    cut_at(members, points, half);
    let (near, far) = members.split_at_mut(half);
    cut(near, points, size, patches);
    cut(far, points, size, patches);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points() -> Vec<DVec3> {
        (0..500)
            .map(|i| DVec3::new(f64::from(i % 23), f64::from(i % 7), f64::from(i / 9)))
            .collect()
    }

    #[test]
    fn patches_are_small_and_hold_every_particle_once() {
        let patches = Patches::new(&points(), 20);
        let mut all = Vec::new();
        for (p, patch) in patches.patches.iter().enumerate() {
            assert!((1..=20).contains(&patch.members.len()));
            assert!(patch.members.iter().all(|&i| patches.patch_of(i) as usize == p));
            all.extend_from_slice(&patch.members);
        }
        all.sort_unstable();
        assert!(all.iter().enumerate().all(|(k, &p)| k == p as usize));
    }

    #[test]
    fn motions_keep_distances_within_a_patch_to_first_order() {
        let points = points();
        let mut patches = Patches::new(&points, 20);
        patches.set_motions(&vec![Filter::FREE; points.len()], &points);
        for patch in &patches.patches {
            let members = &patch.members;
            for (&a, &b) in members.iter().zip(&members[1..]) {
                let along = points[b as usize] - points[a as usize];
                for mode in 0..MODES {
                    let change = (patches.moves(b)[mode] - patches.moves(a)[mode]).dot(along);
                    assert!(change.abs() < 1e-12, "mode {mode}: {change}");
                }
            }
        }
    }

    #[test]
    fn a_patch_in_a_line_has_five_motions_and_a_held_one_none() {
        let line: Vec<DVec3> = (0..10).map(|i| f64::from(i) * DVec3::new(1.0, 2.0, -1.0)).collect();
        for (filter, expected) in [(Filter::FREE, 5), (Filter::HELD, 0)] {
            let mut patches = Patches::new(&line, 20);
            patches.set_motions(&[filter; 10], &line);
            let patch = &patches.patches[0];
            let lengths: Vec<f64> = (0..MODES).map(|mode| patch.product(mode, mode)).collect();
            assert!(lengths.iter().all(|l| *l == 0.0 || (l - 1.0).abs() < 1e-14), "{lengths:?}");
            assert_eq!(lengths.iter().filter(|l| **l > 0.0).count(), expected);
        }
    }

    #[test]
    fn restriction_is_the_transpose_of_the_motions() {
        let points = points();
        let mut patches = Patches::new(&points, 20);
        let mut filters = vec![Filter::FREE; points.len()];
        filters[3] = Filter::in_plane(DVec3::new(0.6, 0.8, 0.0));
        patches.set_motions(&filters, &points);
        let amplitudes: Vec<[f64; MODES]> = (0..patches.len())
            .map(|p| std::array::from_fn(|m| (p * 7 + m * 3 % 5) as f64))
            .collect();
        let mut moved = vec![DVec3::ZERO; points.len()];
        patches.add_motions(&amplitudes, &mut moved);
        let shares: Vec<[f64; MODES]> =
            (0..patches.len()).map(|p| patches.shares(p, &points)).collect();
        let fine: f64 = moved.iter().zip(&points).map(|(a, b)| a.dot(*b)).sum();
        let coarse: f64 =
            amplitudes.as_flattened().iter().zip(shares.as_flattened()).map(|(a, b)| a * b).sum();
        assert!((fine - coarse).abs() < 1e-12 * fine.abs(), "{fine} {coarse}");
    }
}
