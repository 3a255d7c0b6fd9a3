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
    /// The mean of its corners [m], and the normal of its diagonals, of length 1.
    centre: Vec4,
    normal: Vec4,
    /// Its corners at rest, their mean and how far they are from that [m], and the piece of cloth it
    /// belongs to.
    rest: Corners,
    rest_centre: Vec4,
    size: f32,
    piece: u32,
}

impl Outline {
    /// Of a patch of a piece of cloth at rest.
    pub fn new(rest: Corners, piece: u32) -> Self {
        let [x, y, z] = rest.at;
        let centre = Vec4::new(x.element_sum(), y.element_sum(), z.element_sum(), 0.0) * 0.25;
        let off = |k: usize| rest.at[k] - Vec4::splat(centre[k]);
        let size = (off(0) * off(0) + off(1) * off(1) + off(2) * off(2)).max_element().sqrt();
        let [way, normal] = [Vec4::ZERO; 2];
        Self { corners: rest, way, centre, normal, rest, rest_centre: centre, size, piece }
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
        let place = |corner: u32| ways.starts[corner as usize].truncate();
        let [a, b, c, d] = [place(a), place(b), place(c), place(d)];
        self.centre = ((a + b + c + d) * 0.25).extend(0.0);
        self.normal = (c - a).cross(d - b).normalize_or_zero().extend(0.0);
    }

    /// Whether no features of two patches can come nearer than they keep and `beyond`, which has
    /// round-off in it, as the direction between their centres or a normal tells.
    #[inline]
    pub fn is_apart(&self, other: &Self, thickness: f32, beyond: f32) -> bool {
        let towards = other.centre - self.centre;
        let off = |normal: Vec4| if normal.dot(towards) < 0.0 { -normal } else { normal };
        let is_apart = |along: Vec4| self.is_apart_along(other, along, (thickness, beyond));
        is_apart(towards) || is_apart(off(self.normal)) || is_apart(off(other.normal))
    }

    #[inline]
    fn is_apart_along(&self, other: &Self, along: Vec4, (thickness, beyond): (f32, f32)) -> bool {
        let [x, y, z, _] = along.to_array();
        let length = along.length();
        let along = |at: &[Vec4; 3]| at[0] * x + at[1] * y + at[2] * z;
        // By how much they come nearer along their ways, and off them.
        let by = (self.way - other.way) * Vec4::new(x, y, z, 0.0);
        let nearer = by.element_sum().max(0.0) + by.abs().element_sum() * 1e-6;
        let slack = (nearer + (self.way.w + other.way.w) * length) * 1.0001 + beyond * length;
        let (here, there) = (along(&self.corners.at), along(&other.corners.at));
        let there = there - Vec4::splat(slack);
        // All by the length of the direction.
        let (least, far) = (there.min_element() - here.max_element(), thickness * length);
        if least > far {
            return true;
        }
        // Of two pieces nothing is near at rest.
        if least <= 0.0 || self.piece != other.piece {
            return false;
        }
        let scale = 3.999 / (length * length).max(f32::MIN_POSITIVE);
        (0..4).all(|corner| {
            let gap = there - Vec4::splat(here[corner]);
            let off = |k: usize| other.rest.at[k] - Vec4::splat(self.rest.at[k][corner]);
            let at_rest = off(0) * off(0) + off(1) * off(1) + off(2) * off(2);
            ((gap * gap * scale).cmpgt(at_rest) | gap.cmpgt(Vec4::splat(far))).all()
        })
    }

    /// Whether features of two patches may keep less than the thickness.
    #[inline]
    pub fn is_near_at_rest(&self, other: &Self, thickness: f32, round_off: f32) -> bool {
        let near = self.size + other.size + 2.0 * thickness + round_off;
        let apart = (self.rest_centre - other.rest_centre).length();
        self.piece == other.piece && apart < 1.001 * near
    }
}
