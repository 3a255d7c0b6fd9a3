//! Corners and edges of solids against faces and edges of cloth: a spike does not poke through
//! between the particles.
//!
//! What would come too near is lifted by the particles of the face or edge, each by its share, as
//! if the solid touched each of them.

use glam::DVec3;
use taffeta_linalg::fill;

use super::stage::Passage;
use crate::collision::ccd::impact;
use crate::collision::{Bounds, Hierarchy, Pairing, Surface};
use crate::mesh::Faces;
use crate::solid::{Shape, SharpParts, Solid};

/// Faces and edges of cloth keep this share of a solid's thickness.
const KEPT: f64 = 0.5;

/// What starts nearer than what is kept may come so much nearer, as a share of its distance.
const NEARER: f64 = 0.9;

/// What is so near when a step begins, as a multiple of what is kept, lies on it.
const LYING: f64 = 1.05;

/// As a share of what is kept, what may be missing of it in the end.
const ENOUGH: f64 = 0.05;

/// Closer than this two things touch, and nobody knows on which side they are \[m\].
const TOUCHING: f64 = 1e-9;

/// Parts of solids whose look at the cloth repays a hand-over to another thread.
const GRAIN: usize = 64;

/// A part of the cloth that a part of a solid would come too near to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Press {
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
pub(super) struct Features {
    cloth: Surface,
    triangles: Hierarchy,
    edges: Hierarchy,
    solids: Vec<Parts>,
    found: Vec<Option<Press>>,
}

/// The parts of one solid in the step being tried.
#[derive(Debug)]
struct Parts {
    sharp: SharpParts,
    /// The points they are made of, in the solid's own frame.
    points: Vec<DVec3>,
    from: Vec<DVec3>,
    to: Vec<DVec3>,
    /// Outwards at each point, at the end of the step; nothing of solids that have no inside.
    outwards: Vec<DVec3>,
}

impl Features {
    /// Of cloth with these faces; nothing if no solid has sharp parts.
    pub fn new(faces: &Faces, rest: &[DVec3], solids: &[Solid]) -> Option<Self> {
        let parts = |solid: &Solid| Parts {
            sharp: solid.sharp_parts(),
            points: solid.shape.mesh().positions,
            from: Vec::new(),
            to: Vec::new(),
            outwards: Vec::new(),
        };
        let solids: Vec<Parts> = solids.iter().map(parts).collect();
        if solids.iter().all(|parts| parts.sharp.vertices.is_empty()) {
            return None;
        }
        let cloth = Surface::new(faces, rest.len());
        let centre = |corners: &[u32]| {
            corners.iter().map(|&c| rest[c as usize]).sum::<DVec3>() / corners.len() as f64
        };
        let triangles: Vec<DVec3> = cloth.triangles.iter().map(|t| centre(t)).collect();
        let edges: Vec<DVec3> = cloth.edges.iter().map(|e| centre(e)).collect();
        Some(Self {
            triangles: Hierarchy::new(&triangles),
            edges: Hierarchy::new(&edges),
            cloth,
            solids,
            found: Vec::new(),
        })
    }

    /// Moves the solids' parts on to a step.
    pub fn place(&mut self, passage: &Passage) {
        for (parts, solid) in self.solids.iter_mut().zip(passage.solids) {
            if parts.sharp.vertices.is_empty() {
                continue;
            }
            for (time, to) in [(passage.state.time, &mut parts.from), (passage.end, &mut parts.to)]
            {
                if let Shape::Mesh(mesh) = &solid.shape {
                    mesh.positions_at(time, &mut parts.points);
                }
                let pose = solid.pose_at(time);
                to.clear();
                to.extend(parts.points.iter().map(|p| pose.apply(*p)));
            }
            parts.sharp.outwards(&parts.to, &mut parts.outwards);
        }
    }

    /// Finds what lies on the cloth when the step begins.
    pub fn touching(&mut self, passage: &Passage) -> impl Iterator<Item = Press> {
        self.find(passage, &passage.state.positions, |look, pair, motion, first| {
            look.touch(pair, motion, first);
        })
    }

    /// Finds what comes too near while the cloth moves to the candidate positions.
    pub fn meeting(
        &mut self,
        passage: &Passage,
        candidates: &[DVec3],
    ) -> impl Iterator<Item = Press> {
        self.find(passage, candidates, |look, pair, motion, first| look.meet(pair, motion, first))
    }

    fn find(
        &mut self,
        passage: &Passage,
        candidates: &[DVec3],
        ask: Ask,
    ) -> impl Iterator<Item = Press> {
        let from = &passage.state.positions;
        let swept = |corners: &[u32]| {
            Bounds::around(corners.iter().flat_map(|&c| [from[c as usize], candidates[c as usize]]))
        };
        let cloth = &self.cloth;
        self.triangles.refit(|t| swept(&cloth.triangles[t as usize]));
        self.edges.refit(|e| swept(&cloth.edges[e as usize]));
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        for (number, parts) in self.solids.iter().enumerate() {
            let (begin, vertices) = (found.len(), parts.sharp.vertices.len());
            found.resize(begin + vertices + parts.sharp.edges.len(), None);
            let solid = number as u32;
            let look = Look { features: self, parts, solid, from, to: candidates, ask };
            let keep = KEPT * passage.solids[number].thickness;
            fill(&mut found[begin..], GRAIN, |part| match part.checked_sub(vertices) {
                None => look.at_vertex(parts.sharp.vertices[part], keep),
                Some(edge) => look.at_edge(parts.sharp.edges[edge], keep),
            });
        }
        self.found = found;
        self.found.iter().flatten().copied()
    }
}

/// What to do with a pair: keep it if it is the first so far.
type Ask = fn(&Look, &Pair, &[[DVec3; 4]; 2], &mut Option<(f64, Press)>);

/// One solid's look at the cloth.
struct Look<'a> {
    features: &'a Features,
    parts: &'a Parts,
    solid: u32,
    from: &'a [DVec3],
    to: &'a [DVec3],
    ask: Ask,
}

impl Look<'_> {
    fn at_vertex(&self, vertex: u32, keep: f64) -> Option<Press> {
        let v = vertex as usize;
        let around = Bounds::around([self.parts.from[v], self.parts.to[v]]).grown(keep);
        let mut first = None;
        self.features.triangles.overlapping(&around, &mut |triangle| {
            let [a, b, c] = self.features.cloth.triangles[triangle as usize];
            let points = |solid: &[DVec3], cloth: &[DVec3]| {
                [solid[v], cloth[a as usize], cloth[b as usize], cloth[c as usize]]
            };
            let motion = [points(&self.parts.from, self.from), points(&self.parts.to, self.to)];
            let outwards = self.parts.outwards.get(v).copied();
            let particles = [a, b, c];
            let pair = Pair { pairing: Pairing::VertexTriangle, particles, keep, outwards };
            (self.ask)(self, &pair, &motion, &mut first);
        });
        first.map(|(_, press)| press)
    }

    fn at_edge(&self, edge: [u32; 2], keep: f64) -> Option<Press> {
        let [v, w] = [edge[0] as usize, edge[1] as usize];
        let ends = [self.parts.from[v], self.parts.from[w], self.parts.to[v], self.parts.to[w]];
        let around = Bounds::around(ends).grown(keep);
        let mut first = None;
        self.features.edges.overlapping(&around, &mut |number| {
            let [a, b] = self.features.cloth.edges[number as usize];
            let points = |solid: &[DVec3], cloth: &[DVec3]| {
                [solid[v], solid[w], cloth[a as usize], cloth[b as usize]]
            };
            let motion = [points(&self.parts.from, self.from), points(&self.parts.to, self.to)];
            let outwards = self.parts.outwards.get(v).map(|out| *out + self.parts.outwards[w]);
            let particles = [a, b, b];
            let pair = Pair { pairing: Pairing::EdgeEdge, particles, keep, outwards };
            (self.ask)(self, &pair, &motion, &mut first);
        });
        first.map(|(_, press)| press)
    }

    /// Keeps a pair that is as near as it should be when the step begins, or nearer, if it is the
    /// nearest so far; of equals, the one looked at first.
    fn touch(&self, pair: &Pair, motion: &[[DVec3; 4]; 2], first: &mut Option<(f64, Press)>) {
        let closest = pair.pairing.closest(&motion[0]);
        let distance = closest.apart.length();
        let far = distance > LYING * pair.keep || distance < TOUCHING;
        if far || first.as_ref().is_some_and(|(nearest, _)| *nearest <= distance) {
            return;
        }
        let normal = closest.apart / -distance;
        if pair.outwards.is_none_or(|out| out.dot(normal) > 0.0) {
            let lift = pair.keep - distance;
            *first = Some((distance, self.press(pair, motion, &closest.weights, (normal, lift))));
        }
    }

    /// Keeps a pair that meets, if it is the first so far; of equals, the one looked at first.
    fn meet(&self, pair: &Pair, motion: &[[DVec3; 4]; 2], first: &mut Option<(f64, Press)>) {
        let apart = pair.pairing.closest(&motion[0]).apart.length();
        if apart < TOUCHING {
            return;
        }
        let separation = pair.keep.min(NEARER * apart);
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
        let lift = pair.keep + normal.dot(apart);
        if lift <= ENOUGH * pair.keep {
            return;
        }
        *first = Some((hit.time, self.press(pair, motion, &hit.weights, (normal, lift))));
    }

    fn press(
        &self,
        pair: &Pair,
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
struct Pair {
    pairing: Pairing,
    particles: [u32; 3],
    /// The distance to be kept [m].
    keep: f64,
    /// Away from the solid's inside, if it has one.
    outwards: Option<DVec3>,
}
