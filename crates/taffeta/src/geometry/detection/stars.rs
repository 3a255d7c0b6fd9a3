//! Stars: the patches around a vertex, which need no look at each other while they lie smoothly.
//!
//! Most boxes that overlap are those of neighbours in the mesh, which cannot touch each other as
//! long as the cloth is not creased there: the idea of Volino & Magnenat-Thalmann 1994 (a patch
//! whose normals lie within a cone does not meet itself), made into a bound on distances, since
//! pairs must be found before they meet.
//!
//! Let Q be a flat picture of the star at rest. A linear map T, fitted to where the star is now,
//! and the projection P onto its plane give P x = T Q + r for every corner x, and for every point
//! between corners, as all of it is linear on triangles. For two points
//! |x − y| ≥ |P (x − y)| ≥ σ·|Qx − Qy| − |rx − ry|, where σ is the least stretch of T. At rest, once
//! and for all, it is found how much of σ·|Qx − Qy| is left beyond the distance that a pair keeps;
//! if that is more than the residuals' spread and what the star's particles can move relative to
//! each other, no pair of the star needs to be listed.

use glam::{DVec2, DVec3, Vec2, Vec4};
use taffeta_linalg::fill;

use super::pair::Pair;
use super::patches::Patch;
use super::ways::Ways;
use crate::geometry::collision::Pairing;

/// Corners of a star at most; more would take longer than what they spare.
const MOST_CORNERS: usize = 24;
/// The stretches for which room is known; between them it is at least what lies on a line, for it
/// is a least of linear functions.
const STRETCHES: [f32; 2] = [0.7, 1.0];
/// Stars whose look repays a hand-over to another thread.
const GRAIN: usize = 256;

/// A corner of a star other than its vertex.
#[derive(Clone, Copy, Debug)]
struct StarCorner {
    particle: u32,
    /// Where it is in the flat picture, from the vertex [m].
    flat: Vec2,
    /// What it adds to the fitted map: T = Σ x · fitᵀ [1/m].
    fit: Vec2,
}

/// The star of one vertex.
#[derive(Clone, Copy, Debug, Default)]
struct Star {
    /// Its corners among those of all stars.
    first: u32,
    count: u32,
    /// At each of the [`STRETCHES`], the least of what pairs are apart beyond what they keep;
    /// nothing where the star has no flat picture [m].
    room: [f32; 2],
}

/// The stars of a surface.
#[derive(Debug)]
pub(super) struct Stars {
    stars: Vec<Star>,
    corners: Vec<StarCorner>,
    /// By vertex: whether no pair of its star needs to be listed.
    smooth: Vec<bool>,
}

impl Stars {
    /// The stars of patches, of which `around` tells those at each vertex, with what pairs `kept`.
    pub fn new(
        (patches, around): (&[Patch], &[Vec<u32>]),
        rest: &[DVec3],
        kept: impl Fn(&Pair) -> f64 + Sync,
    ) -> Self {
        let mut made: Vec<(Star, Vec<StarCorner>)> = vec![Default::default(); rest.len()];
        fill(&mut made, 8, |vertex| {
            let star: Vec<&Patch> = around[vertex].iter().map(|&p| &patches[p as usize]).collect();
            star_of(vertex as u32, &star, rest, &kept).unwrap_or_default()
        });
        let (mut stars, mut corners) = (Vec::with_capacity(made.len()), Vec::new());
        for (star, around) in made {
            stars.push(Star { first: corners.len() as u32, count: around.len() as u32, ..star });
            corners.extend(around);
        }
        Self { smooth: vec![false; stars.len()], stars, corners }
    }

    /// Looks at all stars.
    pub fn look(&mut self, ways: &Ways) {
        let mut smooth = std::mem::take(&mut self.smooth);
        fill(&mut smooth, GRAIN, |vertex| self.look_at(vertex, ways));
        self.smooth = smooth;
    }

    /// Looks at some stars.
    pub fn look_at_some(&mut self, vertices: impl Iterator<Item = u32>, ways: &Ways) {
        for vertex in vertices {
            self.smooth[vertex as usize] = self.look_at(vertex as usize, ways);
        }
    }

    fn look_at(&self, vertex: usize, ways: &Ways) -> bool {
        let Star { first, count, room } = self.stars[vertex];
        let corners = &self.corners[first as usize..(first + count) as usize];
        room[1] > 0.0 && is_smooth(vertex, corners, room, ways)
    }

    /// Whether no pair of features around this vertex needs to be listed.
    #[inline]
    pub fn is_smooth(&self, vertex: u32) -> bool {
        self.smooth[vertex as usize]
    }
}

/// Whether the star lies so smoothly, and moves so little, that its room is enough.
#[inline]
fn is_smooth(vertex: usize, corners: &[StarCorner], room: [f32; 2], ways: &Ways) -> bool {
    let Ways { starts, moves, round_off, .. } = ways;
    let (centre, way) = (starts[vertex], moves[vertex]);
    let (mut along, mut across) = (Vec4::ZERO, Vec4::ZERO);
    let (mut least, mut most) = (Vec4::ZERO, Vec4::ZERO);
    let mut allowance = centre.w;
    for StarCorner { particle, fit, .. } in corners {
        let start = starts[*particle as usize];
        along += (start - centre) * fit.x;
        across += (start - centre) * fit.y;
        let relative = moves[*particle as usize] - way;
        (least, most) = (least.min(relative), most.max(relative));
        allowance = allowance.max(start.w);
    }
    // T in the orthonormal frame of its plane: upper triangular.
    let (along, across) = (along.truncate(), across.truncate());
    let stretch = along.length();
    let e = along / stretch;
    let skew = across.dot(e);
    let across = across - e * skew;
    let width = across.length();
    let f = across / width;
    let (mut low, mut high) = (Vec2::ZERO, Vec2::ZERO);
    for StarCorner { particle, flat, .. } in corners {
        let arm = (starts[*particle as usize] - centre).truncate();
        let mapped = Vec2::new(stretch * flat.x + skew * flat.y, width * flat.y);
        let residual = Vec2::new(arm.dot(e), arm.dot(f)) - mapped;
        (low, high) = (low.min(residual), high.max(residual));
    }
    let sum = Vec2::new(stretch + width, skew).length();
    let least_stretch = 0.5 * (sum - Vec2::new(stretch - width, skew).length());
    let share = (least_stretch - STRETCHES[0]) / (STRETCHES[1] - STRETCHES[0]);
    let room = room[0] + (room[1] - room[0]) * share.min(1.0);
    let lost = (high - low).length() + (most - least).truncate().length() + 2.0 * allowance;
    // Not so, too, where a number is not finite.
    share > 0.0 && lost * 1.001 + 4.0 * round_off < 0.999 * room
}

/// The star of a vertex, if it has a flat picture.
fn star_of(
    vertex: u32,
    patches: &[&Patch],
    rest: &[DVec3],
    kept: &impl Fn(&Pair) -> f64,
) -> Option<(Star, Vec<StarCorner>)> {
    let mut particles: Vec<u32> = patches.iter().flat_map(|patch| patch.corners()).collect();
    particles.sort_unstable();
    particles.dedup();
    particles.retain(|&particle| particle != vertex);
    if particles.len() > MOST_CORNERS {
        return None;
    }
    let at = |i: u32| rest[i as usize];
    let triangles = patches.iter().flat_map(|patch| patch.triangles());
    let normal: DVec3 = triangles.map(|[a, b, c]| (at(b) - at(a)).cross(at(c) - at(a))).sum();
    let (x, y) = normal.try_normalize()?.any_orthonormal_pair();
    let flat = |i: u32| {
        let arm = at(i) - at(vertex);
        DVec2::new(arm.dot(x), arm.dot(y))
    };
    // Least squares: fit = (Σ Q Qᵀ)⁻¹ Q.
    let moments = particles
        .iter()
        .map(|&i| flat(i))
        .fold(DVec3::ZERO, |sum, q| sum + DVec3::new(q.x * q.x, q.x * q.y, q.y * q.y));
    let area = moments.x * moments.z - moments.y * moments.y;
    let fit = |q: DVec2| {
        DVec2::new(moments.z * q.x - moments.y * q.y, moments.x * q.y - moments.y * q.x) / area
    };
    let corner = |i: u32| {
        let flat = flat(i);
        StarCorner { particle: i, flat: flat.as_vec2(), fit: fit(flat).as_vec2() }
    };
    let corners: Vec<StarCorner> = particles.iter().map(|&i| corner(i)).collect();
    let room = room(patches, &flat, kept).map(|room| room as f32);
    let sound = area.is_finite() && corners.iter().all(|corner| corner.fit.is_finite());
    sound.then_some((Star { first: 0, count: 0, room }, corners))
}

/// What pairs of the star are apart beyond what they keep, in the flat picture stretched by each of
/// [`STRETCHES`], the least of all [m].
fn room(
    patches: &[&Patch],
    flat: &impl Fn(u32) -> DVec2,
    kept: &impl Fn(&Pair) -> f64,
) -> [f64; 2] {
    let mut room = [f64::INFINITY; 2];
    let mut look = |pair: Pair| {
        let points = pair.particles.map(|i| flat(i).extend(0.0));
        let (apart, kept) = (pair.pairing.closest(&points).apart.length(), kept(&pair));
        for (room, stretch) in room.iter_mut().zip(STRETCHES) {
            *room = room.min(f64::from(stretch) * apart - kept);
        }
    };
    let all = |kind: usize| patches.iter().flat_map(move |patch| patch.of_kind(kind));
    for [vertex, ..] in all(0) {
        for [a, b, c] in all(2).filter(|triangle| !triangle.contains(&vertex)) {
            look(Pair { pairing: Pairing::VertexTriangle, particles: [vertex, a, b, c] });
        }
    }
    for [a, b, _] in all(1) {
        for [c, d, _] in all(1).filter(|edge| [a, b] < [edge[0], edge[1]]) {
            if a != c && a != d && b != c && b != d {
                look(Pair { pairing: Pairing::EdgeEdge, particles: [a, b, c, d] });
            }
        }
    }
    room
}
