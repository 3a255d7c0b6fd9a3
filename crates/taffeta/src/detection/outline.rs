//! Patches seen as four corners: a direction that keeps two of them apart spares looking at their
//! features.
//!
//! Boxes of patches that are a few edges apart in a fine mesh overlap, for they are grown by the
//! thickness. But such neighbours keep only half their distance at rest. Along a direction u the
//! gap u·(z − y) between a point of one patch and a point of the other is linear in both, so that
//! corners tell: if for any two of them u·(z − y) > min(thickness, ½·|z − y| at rest), then every
//! pair of features is farther apart than it keeps.

use glam::Vec4;

use super::patches::Patch;
use super::ways::Ways;

/// Four corners, coordinate by coordinate [m].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Corners {
    at: [Vec4; 3],
}

impl Corners {
    /// Of a patch, where `place` says that particles are; of fewer than four the last is repeated.
    #[inline]
    pub fn of(patch: &Patch, place: impl Fn(u32) -> Vec4) -> Self {
        let [a, b, c, d] = patch.outline;
        let [a, b, c, d] = [place(a), place(b), place(c), place(d)];
        let row = |k: usize| Vec4::new(a[k], b[k], c[k], d[k]);
        Self { at: [row(0), row(1), row(2)] }
    }
}

/// A patch on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outline {
    corners: Corners,
    /// How it moves along its corners' predicted ways, about; the fourth number is by how much its
    /// points may be off that [m].
    way: Vec4,
    /// Its corners at rest, and the piece of cloth it belongs to.
    rest: Corners,
    piece: u32,
}

impl Outline {
    /// Of a patch of a piece of cloth at rest.
    pub fn new(rest: Corners, piece: u32) -> Self {
        Self { corners: rest, way: Vec4::ZERO, rest, piece }
    }

    /// Follows the patch to where it is.
    #[inline]
    pub fn follow(&mut self, patch: &Patch, ways: &Ways) {
        let [a, b, c, d] = patch.outline;
        let of = |corner: u32| ways.moves[corner as usize];
        let mean = (of(a) + of(b) + of(c) + of(d)) * 0.25;
        let off = |corner: u32| (of(corner) - mean).length_squared();
        let most = off(a).max(off(b)).max(off(c)).max(off(d)).sqrt() * 1.0001;
        let allowance = |corner: u32| ways.starts[corner as usize].w;
        let allowance = allowance(a).max(allowance(b)).max(allowance(c)).max(allowance(d));
        self.corners = Corners::of(patch, |i| ways.starts[i as usize]);
        self.way = mean.truncate().extend(most + allowance);
    }

    /// Whether no features of two patches can come nearer than they keep and `beyond`, which has
    /// round-off in it, as the direction between their centres tells.
    #[inline]
    pub fn is_apart(&self, other: &Self, thickness: f32, beyond: f32) -> bool {
        let (here, there) = (&self.corners.at, &other.corners.at);
        let towards = |k: usize| (there[k] - here[k]).element_sum();
        let [x, y, z] = [towards(0), towards(1), towards(2)];
        let length = (x * x + y * y + z * z).sqrt();
        let along = |at: &[Vec4; 3]| at[0] * x + at[1] * y + at[2] * z;
        // By how much they come nearer along their ways, and off them.
        let by = (self.way - other.way) * Vec4::new(x, y, z, 0.0);
        let nearer = by.element_sum().max(0.0) + by.abs().element_sum() * 1e-6;
        let slack = (nearer + (self.way.w + other.way.w) * length) * 1.0001 + beyond * length;
        let (here, there) = (along(here), along(there) - Vec4::splat(slack));
        // All by the length of the direction. Of two pieces nothing is near at rest.
        let far = Vec4::splat(thickness * length);
        let one_piece = if self.piece == other.piece { 3.999 } else { 0.0 };
        let scale = one_piece / (length * length).max(f32::MIN_POSITIVE);
        let mut all = 0b1111;
        for corner in 0..4 {
            let gap = there - Vec4::splat(here[corner]);
            let off = |k: usize| other.rest.at[k] - Vec4::splat(self.rest.at[k][corner]);
            let at_rest = off(0) * off(0) + off(1) * off(1) + off(2) * off(2);
            let near = gap.cmpgt(Vec4::ZERO) & (gap * gap * scale).cmpgt(at_rest);
            all &= (near | gap.cmpgt(far)).bitmask();
        }
        all == 0b1111
    }

    /// Whether features of two patches may keep less than the thickness.
    #[inline]
    pub fn is_near_at_rest(&self, other: &Self, thickness: f32, round_off: f32) -> bool {
        let centre = |rest: &Corners| {
            let [x, y, z] = rest.at;
            Vec4::new(x.element_sum(), y.element_sum(), z.element_sum(), 0.0) * 0.25
        };
        let size = |rest: &Corners, centre: Vec4| {
            let off = |k: usize| rest.at[k] - Vec4::splat(centre[k]);
            (off(0) * off(0) + off(1) * off(1) + off(2) * off(2)).max_element().sqrt()
        };
        let (one, two) = (centre(&self.rest), centre(&other.rest));
        let near = size(&self.rest, one) + size(&other.rest, two) + 2.0 * thickness + round_off;
        self.piece == other.piece && (one - two).length() < 1.001 * near
    }
}
