//! The narrow phase: which features of two patches are near each other.

use glam::{DVec3, Vec4};

use super::beside::Motion;
use super::pair::longest_way;
use super::ways::Ways;
use super::{NearPair, Pair};
use crate::collision::{Pairing, Surface};

/// What pairs are looked at with.
pub(super) struct Narrow<'a> {
    pub surface: &'a Surface,
    pub rest: &'a [DVec3],
    /// Where particles are, and where they will be by their predicted ways [m].
    pub starts: &'a [DVec3],
    pub ends: &'a [DVec3],
    pub ways: &'a Ways,
    /// The thickness, and by how much more pairs are apart that are listed anyway [m].
    pub reach: (f64, f64),
    /// What pairs with rigid features keep [m].
    pub rigid: f64,
}

impl Narrow<'_> {
    /// The pair, if it can come too near. If it is near at rest too, it may keep less.
    #[inline]
    pub fn look(&self, pair: Pair, near_at_rest: bool) -> Option<NearPair> {
        let motion = self.motion(&pair);
        let (thickness, beyond) = self.reach;
        let [a, .., d] = pair.particles;
        let rigid = self.surface.is_rigid(a) || self.surface.is_rigid(d);
        let thickness = if rigid { self.rigid } else { thickness };
        if motion.is_beside((thickness + beyond) as f32) {
            return None;
        }
        let near_at_rest = near_at_rest && !rigid;
        let kept = if near_at_rest { self.kept_by(&pair, &motion)? } else { thickness };
        Some(NearPair { pair, kept })
    }

    /// What a pair of neighbours keeps, if it can come that near.
    fn kept_by(&self, pair: &Pair, motion: &Motion) -> Option<f64> {
        let (thickness, beyond) = self.reach;
        let kept = kept(self.surface, self.rest, thickness, pair);
        let most = kept + beyond;
        if motion.is_beside(most as f32) {
            return None;
        }
        let (from, to) = (pair.gather(self.starts), pair.gather(self.ends));
        let way = longest_way(pair.pairing, &from, &to);
        let farther =
            pair.pairing.closest(&from).apart.length() > most + way + f64::from(motion.room);
        (!farther).then_some(kept)
    }

    /// How the features of a pair move.
    #[inline]
    fn motion(&self, pair: &Pair) -> Motion {
        let Ways { starts, moves, round_off } = self.ways;
        // Not `particles.map`, which is not inlined.
        let [a, b, c, d] = pair.particles;
        let [p, q, r, s] =
            [moves[a as usize], moves[b as usize], moves[c as usize], moves[d as usize]];
        let [a, b, c, d] =
            [starts[a as usize], starts[b as usize], starts[c as usize], starts[d as usize]];
        let (way, off, allowance) = match pair.pairing {
            Pairing::VertexTriangle => {
                let mean = (q + r + s) * (1.0 / 3.0);
                let off = |v: Vec4| (v - mean).length_squared();
                (p - mean, off(q).max(off(r)).max(off(s)).sqrt(), a.w + b.w.max(c.w).max(d.w))
            }
            Pairing::EdgeEdge => {
                let off = 0.5 * ((p - q).length() + (r - s).length());
                ((p + q - r - s) * 0.5, off, a.w.max(b.w) + c.w.max(d.w))
            }
        };
        Motion {
            pairing: pair.pairing,
            points: [a.truncate(), b.truncate(), c.truncate(), d.truncate()],
            way: way.truncate(),
            room: (off + allowance) * 1.0001 + round_off,
        }
    }
}

/// The distance that a pair keeps: the cloth's thickness, unless cloth at rest is closer together
/// by nature, as the neighbours of a fine mesh are.
pub(super) fn kept(surface: &Surface, rest: &[DVec3], thickness: f64, pair: &Pair) -> f64 {
    if !surface.connected(pair.particles[0], pair.particles[3]) {
        return thickness;
    }
    let at_rest = pair.pairing.closest(&pair.gather(rest)).apart.length();
    thickness.min(0.5 * at_rest)
}
