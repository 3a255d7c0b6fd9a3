//! Corners and edges of solids against faces and edges of cloth: a spike does not poke through
//! between the particles.
//!
//! What would come too near is lifted by the particles of the face or edge, each by its share, as
//! if the solid touched each of them.

use glam::DVec3;
use taffeta_linalg::fill;

use crate::geometry::collision::ccd::impact;
use crate::geometry::collision::{Bounds, Hierarchy, Pairing, Surface};
use crate::geometry::mesh::Faces;
use crate::geometry::solid::{LEAD_OUT, Shape, SharpParts, Side, Solid};
use crate::step::passage::Passage;

/// Faces and edges of cloth keep this share of a solid's thickness.
const KEPT: f64 = 0.5;

/// Of round solids they keep this share of the radius, around the centre or the axis: particles on the
/// surface with faces between them do so of themselves, unless the cloth is coarse.
const CORE: f64 = 0.9;

/// Edges up to this share of the radius, stretched by a third or so, stay outside of the core.
const FINE: f64 = 0.4;

/// What starts nearer than what is kept may come so much nearer, as a share of its distance.
const NEARER: f64 = 0.9;

/// What is so near when a step begins, as a multiple of what is kept, lies on it.
const LYING: f64 = 1.05;

/// As a share of what is kept, what may be missing of it in the end.
const ENOUGH: f64 = 0.05;

/// Closer than this two things touch, and nobody knows on which side they are \[m\].
const TOUCHING: f64 = 1e-9;

/// Parts of the cloth whose look at a solid repays a hand-over to another thread.
const GRAIN: usize = 512;

/// A part of the cloth that a part of a solid would come too near to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Press {
    pub solid: u32,
    /// The particles, and what share of the place each has; no share for those that are not there.
    pub particles: [u32; 3],
    pub shares: [f64; 3],
    /// From the solid to the cloth, of unit length.
    pub normal: DVec3,
    /// How far the place has to be lifted [m].
    pub lift: f64,
    /// How far the part of the solid moves in the step [m].
    pub travel: DVec3,
}

/// The cloth's faces and edges, and the solids' edges and corners.
#[derive(Debug)]
pub(crate) struct Features {
    cloth: Surface,
    parts: Vec<SolidParts>,
    found: Vec<Option<Press>>,
}

/// Parts of a solid in the step being tried.
#[derive(Debug)]
struct SolidParts {
    solid: usize,
    sharp: SharpParts,
    /// Of what is round, how far around these parts it keeps off faces and edges [m].
    core: Option<f64>,
    vertices: Hierarchy,
    edges: Hierarchy,
    /// The points they are made of, in the solid's own frame.
    points: Vec<DVec3>,
    from: Vec<DVec3>,
    to: Vec<DVec3>,
    /// Outwards at each point, at the end of the step; nothing of solids that have no inside.
    outwards: Vec<DVec3>,
}

impl Features {
    /// Of cloth with these faces; nothing if no solid has sharp parts.
    pub fn new(
        faces: &Faces,
        particles: usize,
        solids: &[Solid],
        (length, matters): (f64, impl Fn(&Solid) -> bool),
    ) -> Option<Self> {
        let all = solids.iter().enumerate().filter(|(_, solid)| matters(solid));
        let parts: Vec<SolidParts> =
            all.flat_map(|(number, solid)| SolidParts::of(number, solid, length)).collect();
        let any = !parts.is_empty();
        any.then(|| Self { cloth: Surface::new(faces, particles), parts, found: Vec::new() })
    }

    /// Moves the solids' parts on to a step.
    pub fn place(&mut self, passage: &Passage) {
        for parts in &mut self.parts {
            parts.place(&passage.setup.solids[parts.solid], [passage.state.time, passage.end]);
        }
    }

    /// Finds what of these solids lies on the cloth when the step begins.
    pub fn touching(
        &mut self,
        solids: &[Solid],
        passage: &Passage,
        near: impl Fn(usize, &[u32]) -> bool + Sync,
    ) -> impl Iterator<Item = Press> {
        self.find(
            (solids, passage),
            (&passage.state.positions, near),
            |look, pair, motion, first| {
                look.touch(pair, motion, first);
            },
        )
    }

    /// Finds what comes too near while the cloth moves to the candidate positions.
    pub fn meeting(
        &mut self,
        solids: &[Solid],
        passage: &Passage,
        candidates: &[DVec3],
        near: impl Fn(usize, &[u32]) -> bool + Sync,
    ) -> impl Iterator<Item = Press> {
        let ask: Ask = |look, pair, motion, first| look.meet(pair, motion, first);
        self.find((solids, passage), (candidates, near), ask)
    }

    /// Asks about each face and each edge of the cloth that is `near` a solid, and what of it is around.
    fn find(
        &mut self,
        (solids, passage): (&[Solid], &Passage),
        (candidates, near): (&[DVec3], impl Fn(usize, &[u32]) -> bool + Sync),
        ask: Ask,
    ) -> impl Iterator<Item = Press> {
        let (triangles, edges) = (self.cloth.triangles.len(), self.cloth.edges.len());
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        for parts in &self.parts {
            let number = parts.solid;
            let begin = found.len();
            found.resize(begin + triangles + edges, None);
            let look = Look {
                parts,
                solid: number as u32,
                keep: parts.core.unwrap_or(KEPT * solids[number].thickness),
                lead: LEAD_OUT * passage.h,
                from: &passage.state.positions,
                to: candidates,
                ask,
            };
            let cloth = &self.cloth;
            fill(&mut found[begin..], GRAIN, |part| match part.checked_sub(triangles) {
                None if !near(number, &cloth.triangles[part]) => None,
                None => look.at_triangle(cloth.triangles[part]),
                Some(edge) if !near(number, &cloth.edges[edge]) => None,
                Some(edge) => look.at_edge(cloth.edges[edge]),
            });
        }
        self.found = found;
        self.found.iter().flatten().copied()
    }
}

impl SolidParts {
    /// Of a solid that meets cloth with edges of this length at most: what is sharp, and the core of
    /// what is round.
    fn of(number: usize, solid: &Solid, length: f64) -> impl Iterator<Item = Self> {
        let radius = solid.shape.radius();
        let round = length > FINE * radius && solid.side != Side::Inside;
        let core = solid.core_parts().filter(|_| round);
        let core =
            core.map(|(parts, points)| Self::new(number, parts, points, Some(CORE * radius)));
        let sharp = Self::new(number, solid.sharp_parts(), solid.shape.mesh().positions, None);
        [Some(sharp), core].into_iter().flatten().filter(|parts| !parts.sharp.vertices.is_empty())
    }

    fn new(solid: usize, sharp: SharpParts, points: Vec<DVec3>, core: Option<f64>) -> Self {
        let at = |vertex: u32| points[vertex as usize];
        let vertices: Vec<DVec3> = sharp.vertices.iter().map(|&v| at(v)).collect();
        let edges: Vec<DVec3> = sharp.edges.iter().map(|e| (at(e[0]) + at(e[1])) / 2.0).collect();
        Self {
            vertices: Hierarchy::new(&vertices),
            edges: Hierarchy::new(&edges),
            solid,
            sharp,
            core,
            points,
            from: Vec::new(),
            to: Vec::new(),
            outwards: Vec::new(),
        }
    }

    fn place(&mut self, solid: &Solid, times: [f64; 2]) {
        for (time, to) in times.into_iter().zip([&mut self.from, &mut self.to]) {
            if let Shape::Mesh(mesh) = &solid.shape {
                mesh.positions_at(time, &mut self.points);
            }
            let pose = solid.pose_at(time);
            to.clear();
            to.extend(self.points.iter().map(|p| pose.apply(*p)));
        }
        self.sharp.outwards(&self.to, &mut self.outwards);
        let (sharp, from, to) = (&self.sharp, &self.from, &self.to);
        let swept = |points: &[u32]| {
            Bounds::around(points.iter().flat_map(|&v| [from[v as usize], to[v as usize]]))
        };
        self.vertices.refit(|v| swept(&[sharp.vertices[v as usize]]));
        self.edges.refit(|e| swept(&sharp.edges[e as usize]));
    }

    fn outwards(&self, vertices: &[usize]) -> Option<DVec3> {
        let all = vertices.iter().map(|&v| self.outwards.get(v).copied());
        all.sum()
    }
}

/// What to do with a pair: keep it if it is the first so far.
type Ask = fn(&Look, &FeaturePair, &[[DVec3; 4]; 2], &mut Option<(f64, Press)>);

/// The cloth's look at one solid.
struct Look<'a> {
    parts: &'a SolidParts,
    solid: u32,
    /// The distance to be kept [m].
    keep: f64,
    /// How far what is nearer is led away in the step [m].
    lead: f64,
    from: &'a [DVec3],
    to: &'a [DVec3],
    ask: Ask,
}

impl Look<'_> {
    fn at_triangle(&self, particles: [u32; 3]) -> Option<Press> {
        let [a, b, c] = [0, 1, 2].map(|i: usize| particles[i] as usize);
        let mut first = None;
        self.parts.vertices.overlapping(&self.around(&particles), &mut |number| {
            let v = self.parts.sharp.vertices[number as usize] as usize;
            let points =
                |solid: &[DVec3], cloth: &[DVec3]| [solid[v], cloth[a], cloth[b], cloth[c]];
            let motion = [points(&self.parts.from, self.from), points(&self.parts.to, self.to)];
            let outwards = self.parts.outwards(&[v]);
            let pair = FeaturePair { pairing: Pairing::VertexTriangle, particles, outwards };
            (self.ask)(self, &pair, &motion, &mut first);
        });
        first.map(|(_, press)| press)
    }

    fn at_edge(&self, ends: [u32; 2]) -> Option<Press> {
        let [a, b] = [ends[0] as usize, ends[1] as usize];
        let mut first = None;
        self.parts.edges.overlapping(&self.around(&ends), &mut |number| {
            let edge = self.parts.sharp.edges[number as usize];
            let [v, w] = [edge[0] as usize, edge[1] as usize];
            let points =
                |solid: &[DVec3], cloth: &[DVec3]| [solid[v], solid[w], cloth[a], cloth[b]];
            let motion = [points(&self.parts.from, self.from), points(&self.parts.to, self.to)];
            let outwards = self.parts.outwards(&[v, w]);
            let particles = [ends[0], ends[1], ends[1]];
            let pair = FeaturePair { pairing: Pairing::EdgeEdge, particles, outwards };
            (self.ask)(self, &pair, &motion, &mut first);
        });
        first.map(|(_, press)| press)
    }

    /// The box that a part of the cloth moves through.
    fn around(&self, particles: &[u32]) -> Bounds {
        let ways = particles.iter().flat_map(|&i| [self.from[i as usize], self.to[i as usize]]);
        Bounds::around(ways).grown(LYING * self.keep)
    }

    /// Keeps a pair that is as near as it should be when the step begins, or nearer, if it is the
    /// nearest so far; of equals, the one looked at first.
    fn touch(
        &self,
        pair: &FeaturePair,
        motion: &[[DVec3; 4]; 2],
        first: &mut Option<(f64, Press)>,
    ) {
        let closest = pair.pairing.closest(&motion[0]);
        let distance = closest.apart.length();
        let far = distance > LYING * self.keep || distance < TOUCHING;
        if far || first.as_ref().is_some_and(|(nearest, _)| *nearest <= distance) {
            return;
        }
        let normal = closest.apart / -distance;
        if pair.outwards.is_none_or(|out| out.dot(normal) > 0.0) {
            let lift = (self.keep - distance).min(self.lead);
            *first = Some((distance, self.press(pair, motion, &closest.weights, (normal, lift))));
        }
    }

    /// Keeps a pair that meets, if it is the first so far; of equals, the one looked at first.
    fn meet(&self, pair: &FeaturePair, motion: &[[DVec3; 4]; 2], first: &mut Option<(f64, Press)>) {
        let distance = pair.pairing.closest(&motion[0]).apart.length();
        if distance < TOUCHING {
            return;
        }
        let separation = self.keep.min(NEARER * distance);
        let Some(hit) = impact(pair.pairing, [&motion[0], &motion[1]], separation) else { return };
        if first.as_ref().is_some_and(|(time, _)| *time <= hit.time) {
            return;
        }
        let normal = -hit.normal;
        // Cloth that is inside, all or in part, is not kept there.
        if pair.outwards.is_some_and(|out| out.dot(normal) <= 0.0) {
            return;
        }
        let apart: DVec3 = (0..4).map(|i| motion[1][i] * hit.weights[i]).sum();
        let lift = self.keep.min(distance + self.lead) + normal.dot(apart);
        if lift <= ENOUGH * self.keep {
            return;
        }
        *first = Some((hit.time, self.press(pair, motion, &hit.weights, (normal, lift))));
    }

    fn press(
        &self,
        pair: &FeaturePair,
        motion: &[[DVec3; 4]; 2],
        weights: &[f64; 4],
        (normal, lift): (DVec3, f64),
    ) -> Press {
        let own = pair.pairing.first();
        let travel = (0..own).map(|i| (motion[1][i] - motion[0][i]) * weights[i]).sum();
        let mut shares = [0.0; 3];
        for (share, weight) in shares.iter_mut().zip(&weights[own..]) {
            *share = -weight;
        }
        Press { solid: self.solid, particles: pair.particles, shares, normal, lift, travel }
    }
}

/// What is looked at.
struct FeaturePair {
    pairing: Pairing,
    particles: [u32; 3],
    /// Away from the solid's inside, if it has one.
    outwards: Option<DVec3>,
}
