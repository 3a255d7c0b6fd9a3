//! The narrow phase: which features of two patches are near each other, four pairs at a time.

use glam::{DVec3, Vec4};

use super::aabb::each_bit;
use super::beside::Motions;
use super::pair::longest_way;
use super::vec3x4::Vec3x4;
use super::ways::Ways;
use super::{NearPair, Pair, Reach};
use crate::geometry::collision::{Pairing, Surface};

/// What pairs are looked at with.
pub(super) struct Narrow<'a> {
    pub surface: &'a Surface,
    pub rest: &'a [DVec3],
    /// Where particles are, and where they will be by their predicted ways [m].
    pub starts: &'a [DVec3],
    pub ends: &'a [DVec3],
    pub ways: &'a Ways,
    pub reach: Reach,
}

/// A pair to be looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub pair: Pair,
    /// Whether it may be near at rest, too, and so keep less.
    pub near_at_rest: bool,
}

/// Takes the candidates of a search, four of a kind at a time, to the pairs that can come too near and
/// are not excluded.
pub(super) struct Sieve<'a, E> {
    narrow: &'a Narrow<'a>,
    /// Candidates that wait until there are four of a kind.
    waiting: [Vec<Candidate>; 2],
    found: &'a mut Vec<NearPair>,
    excluded: E,
}

impl<'a, E: Fn(&Pair) -> bool> Sieve<'a, E> {
    /// Puts what it finds, and nothing else, into a list.
    pub fn new(narrow: &'a Narrow<'a>, found: &'a mut Vec<NearPair>, excluded: E) -> Self {
        found.clear();
        Self { narrow, waiting: Default::default(), found, excluded }
    }

    /// Adds a candidate; the fourth of its kind has them looked at.
    #[inline]
    pub fn add(&mut self, one: Candidate) {
        let kind = one.pair.pairing as usize;
        self.waiting[kind].push(one);
        if self.waiting[kind].len() == 4 {
            self.look(kind);
        }
    }

    /// Looks at those that still wait.
    pub fn finish(mut self) {
        for kind in 0..2 {
            if !self.waiting[kind].is_empty() {
                self.look(kind);
            }
        }
    }

    #[inline]
    fn look(&mut self, kind: usize) {
        let Self { narrow, waiting, found, excluded } = self;
        narrow.look(&waiting[kind], &mut |near: NearPair| {
            if !excluded(&near.pair) {
                found.push(near);
            }
        });
        waiting[kind].clear();
    }
}

impl Narrow<'_> {
    /// Looks at up to four pairs of one kind, and calls `found` with those that can come too near.
    #[inline]
    fn look(&self, some: &[Candidate], found: &mut impl FnMut(NearPair)) {
        let lane = |k: usize| &some[k.min(some.len() - 1)];
        let four = [lane(0), lane(1), lane(2), lane(3)];
        let motions = self.motions(four);
        let Reach { thickness, rigid, beyond } = self.reach;
        let kept = four.map(|one| if self.is_rigid(&one.pair) { rigid } else { thickness });
        let most = Vec4::from(kept.map(|kept| (kept + beyond) as f32));
        let near = !motions.beside(most) & ((1 << some.len()) - 1);
        if near == 0 {
            return;
        }
        // Of neighbours the distance at rest matters, too.
        let least = |k: usize| match four[k].near_at_rest && near & (1 << k) != 0 {
            true if !self.is_rigid(&four[k].pair) => self.kept(&four[k].pair),
            _ => kept[k],
        };
        let least = [least(0), least(1), least(2), least(3)];
        let near = match least == kept {
            true => near,
            false => near & !motions.beside(Vec4::from(least.map(|kept| (kept + beyond) as f32))),
        };
        each_bit(near, |k| {
            let (pair, kept) = (four[k].pair, least[k]);
            let far = || self.is_farther(&pair, kept + beyond, f64::from(motions.room[k]));
            if !(four[k].near_at_rest && far()) {
                found(NearPair { pair, kept });
            }
        });
    }

    fn is_rigid(&self, pair: &Pair) -> bool {
        let [a, .., d] = pair.particles;
        self.surface.is_rigid(a) || self.surface.is_rigid(d)
    }

    fn kept(&self, pair: &Pair) -> f64 {
        kept(self.surface, self.rest, self.reach.thickness, pair)
    }

    /// Whether a pair stays farther apart than `most`, where its points may be off their ways by `room`.
    fn is_farther(&self, pair: &Pair, most: f64, room: f64) -> bool {
        let (from, to) = (pair.gather(self.starts), pair.gather(self.ends));
        let way = longest_way(pair.pairing, &from, &to);
        pair.pairing.closest(&from).apart.length() > most + way + room
    }

    /// How the features of four pairs of one kind move.
    #[inline]
    fn motions(&self, [one, two, three, four]: [&Candidate; 4]) -> Motions {
        let Ways { starts, moves, round_off, .. } = self.ways;
        let lanes = [&one.pair, &two.pair, &three.pair, &four.pair];
        let gather = |all: &[Vec4], corner: usize| {
            let at = |k: usize| all[lanes[k].particles[corner] as usize];
            Vec3x4::of([at(0), at(1), at(2), at(3)])
        };
        let [(a, u), (b, v), (c, w), (d, t)] =
            [gather(starts, 0), gather(starts, 1), gather(starts, 2), gather(starts, 3)];
        let [(p, _), (q, _), (r, _), (s, _)] =
            [gather(moves, 0), gather(moves, 1), gather(moves, 2), gather(moves, 3)];
        let (way, off, allowance) = match one.pair.pairing {
            Pairing::VertexTriangle => {
                let mean = (q + r + s) * Vec4::splat(1.0 / 3.0);
                let off = |v: Vec3x4| (v - mean).length_squared();
                (p - mean, off(q).max(off(r)).max(off(s)).sqrt(), u + v.max(w).max(t))
            }
            Pairing::EdgeEdge => {
                let off = 0.5 * ((p - q).length() + (r - s).length());
                ((p + q - r - s) * Vec4::splat(0.5), off, u.max(v) + w.max(t))
            }
        };
        Motions {
            pairing: one.pair.pairing,
            points: [a, b, c, d],
            way,
            room: (off + allowance) * 1.0001 + *round_off,
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
