//! Particles cut into compact patches, and the motions of each: those that move, turn, stretch and
//! shear a patch as a whole.

use glam::DVec3;

use crate::filter::Filter;
use crate::ordering::{cut_at, longest_axis};
use crate::parallel::update;

/// Motions of a patch: three translations, three rotations, then two stretches and a shear in the
/// plane that it lies in, more or less.
pub(crate) const MODES: usize = 9;
/// Patches or particles whose handling repays another thread.
const PATCH_GRAIN: usize = 64;
const PARTICLE_GRAIN: usize = 2048;

/// A motion that moves the free particles of a patch by less than this part of what independent
/// motions do is left out: the patch lies in a plane or in a line, or is held.
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

    /// Takes the motions at these positions as far as the filters let them.
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
        let [along, across] = self.plane(positions, centre);
        for (&p, moves) in self.members.iter().zip(&mut self.moves) {
            let arm = (positions[p as usize] - centre) / radius;
            let (u, v) = (arm.dot(along), arm.dot(across));
            let [x, y, z] = DVec3::AXES;
            let [a, b, c] = [along * u, across * v, along * v + across * u];
            *moves = [x, y, z, x.cross(arm), y.cross(arm), z.cross(arm), a, b, c]
                .map(|motion| filters[p as usize].free_part(motion));
        }
    }

    /// Two unit directions at right angles that the patch lies along: to its farthest particle, and
    /// across to the one that is farthest from there. Zero where it has no extent.
    fn plane(&self, positions: &[DVec3], centre: DVec3) -> [DVec3; 2] {
        let farthest = |part: &dyn Fn(DVec3) -> DVec3| {
            let arms = self.members.iter().map(|&p| part(positions[p as usize] - centre));
            let longer = |best: DVec3, arm: DVec3| {
                if arm.length_squared() > best.length_squared() { arm } else { best }
            };
            arms.fold(DVec3::ZERO, longer).normalize_or_zero()
        };
        let along = farthest(&|arm| arm);
        [along, farthest(&|arm| arm - along * along.dot(arm))]
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
    let axis = longest_axis(members, points);
    cut_at(members, points, half, axis);
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

    /// What a velocity field on a patch has beside the motions of the patch.
    fn rest(patch: &Patch, field: &[DVec3]) -> f64 {
        let mut rest = field.to_vec();
        for mode in 0..MODES {
            let share: f64 = patch.moves.iter().zip(field).map(|(m, v)| m[mode].dot(*v)).sum();
            rest.iter_mut().zip(&patch.moves).for_each(|(rest, m)| *rest -= share * m[mode]);
        }
        let length = |field: &[DVec3]| field.iter().map(|v| v.length_squared()).sum::<f64>().sqrt();
        length(&rest) / length(field)
    }

    #[test]
    fn every_affine_motion_of_a_plane_and_no_other_is_a_motion_of_the_patch() {
        let flat = |p: DVec3| DVec3::new(p.x + p.y, 0.3 * p.x, p.z + 0.7 * p.y);
        let onto = |p: DVec3| p.reject_from_normalized(DVec3::new(0.6, 0.0, 0.8));
        let points: Vec<DVec3> = points().into_iter().map(flat).map(onto).collect();
        let mut patches = Patches::new(&points, 20);
        patches.set_motions(&vec![Filter::FREE; points.len()], &points);
        let spin = DVec3::new(0.3, -1.0, 2.0);
        let affine = |p: DVec3| spin + spin.cross(p) + DVec3::new(p.y, p.x, 3.0 * p.z - p.x);
        let other = |p: DVec3| DVec3::splat(p.x * p.z + p.y * p.y);
        for patch in patches.patches.iter().filter(|patch| patch.members.len() > 10) {
            let field = |motion: &dyn Fn(DVec3) -> DVec3| -> Vec<DVec3> {
                patch.members.iter().map(|&p| motion(points[p as usize])).collect()
            };
            assert!(rest(patch, &field(&affine)) < 1e-12);
            assert!(rest(patch, &field(&other)) > 1e-3);
        }
    }

    #[test]
    fn patches_in_a_plane_or_a_line_have_fewer_motions_and_held_ones_none() {
        let line = |i: i32| f64::from(i) * DVec3::new(1.0, 2.0, -1.0);
        let plane = |i: i32| line(i % 4) + f64::from(i / 4) * DVec3::new(0.0, 1.0, 1.0);
        let cases: [(&dyn Fn(i32) -> DVec3, _, _); 3] =
            [(&line, Filter::FREE, 6), (&plane, Filter::FREE, 9), (&plane, Filter::HELD, 0)];
        for (place, filter, expected) in cases {
            let points: Vec<DVec3> = (0..12).map(place).collect();
            let mut patches = Patches::new(&points, 20);
            patches.set_motions(&[filter; 12], &points);
            let patch = &patches.patches[0];
            let lengths: Vec<f64> = (0..MODES).map(|mode| patch.product(mode, mode)).collect();
            assert!(lengths.iter().all(|l| *l == 0.0 || (l - 1.0).abs() < 1e-12), "{lengths:?}");
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
