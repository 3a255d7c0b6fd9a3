//! Several cloths in one model: whatever looks at cloth looks at all of them, and each stays a range of
//! particles, faces and gauges with a name.

use std::ops::Range;
use std::sync::Arc;

use glam::{DVec2, DVec3};

use super::{ElementList, GridElements, Incidence, Model, ModelError};
use crate::geometry::mesh::Faces;
use crate::matter::elements::{Bending, Buckle, Condition, Corner, Fold, Membrane, Spring, Strut};
use crate::matter::gauge::Gauge;

/// How far cloths are apart at rest \[m\]: what is near by nature is near within a cloth only.
const APART: f64 = 1.0;

/// The colour of cloth that brought none, beside cloth that did.
const WHITE: u32 = 0xff_ff_ff;

/// One of the cloths in a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cloth {
    /// Its name.
    pub name: String,
    /// Its particles.
    pub particles: Range<u32>,
    /// Its faces.
    pub faces: Range<u32>,
    /// Where its strain is measured.
    pub gauges: Range<u32>,
}

impl Model {
    /// The cloths in it, if they were put [together](Model::together); none of a single one without a
    /// name.
    pub fn cloths(&self) -> &[Cloth] {
        &self.cloths
    }

    /// Whether all cloths are of one fabric.
    pub fn has_one_fabric(&self) -> bool {
        self.fabrics.windows(2).all(|pair| pair[0] == pair[1])
    }

    /// Several cloths as one, each with its name. They keep their particles' order, one cloth after the
    /// other, and nothing joins them. All are springs, or all are continua; none can have torn, or have
    /// seams yet.
    pub fn together(parts: Vec<(String, Self)>) -> Result<Self, ModelError> {
        let named = |found: Option<&(String, Self)>| found.map(|(name, _)| name.clone());
        let continuum = named(parts.iter().find(|(_, part)| !part.membranes.is_empty()));
        let springs = named(parts.iter().find(|(_, part)| part.membranes.is_empty()));
        if let (Some(continuum), Some(springs)) = (continuum, springs) {
            return Err(ModelError::Mixed { continuum, springs });
        }
        let masses = parts.iter().flat_map(|(_, part)| part.masses.clone()).collect();
        let mut all = Self::of_particles(masses, rest(&parts));
        all.fabrics = parts.iter().flat_map(|(_, part)| part.fabrics.clone()).collect();
        all.cloths = cloths(&parts);
        let firsts: Vec<u32> = all.cloths.iter().map(|cloth| cloth.particles.start).collect();
        let parts: Vec<(u32, Self)> =
            firsts.into_iter().zip(parts).map(|(first, (_, part))| (first, part)).collect();
        all.take_springs(&parts);
        all.take_faces(&parts);
        all.take_membranes(&parts);
        all.take_gauges(&parts);
        all.grid = grid(all.particles(), &parts);
        Ok(all)
    }

    fn take_springs(&mut self, parts: &[(u32, Self)]) {
        let moved = |first: u32, springs: &[Spring]| -> Vec<Spring> {
            let ends = |spring: &Spring| spring.ends.map(|end| end + first);
            springs.iter().map(|spring| Spring { ends: ends(spring), ..*spring }).collect()
        };
        let kinds = [Self::structural, Self::shear, Self::bend];
        let [structural, shear, bend] =
            kinds.map(|of| parts.iter().flat_map(move |(first, part)| moved(*first, of(part))));
        self.springs = structural.collect();
        self.structural = self.springs.len();
        self.springs.extend(shear);
        self.shear = self.springs.len() - self.structural;
        self.springs.extend(bend);
        let ends = self.springs.iter().map(|spring| spring.ends);
        self.spring_incidence = Incidence::new(self.particles(), ends);
    }

    fn take_faces(&mut self, parts: &[(u32, Self)]) {
        let (mut faces, mut uvs, mut colours) = (Faces::new(), Vec::new(), Vec::new());
        let has_uvs = parts.iter().any(|(_, part)| !part.faces.all_uvs().is_empty());
        let has_colours = parts.iter().any(|(_, part)| !part.faces.all_colours().is_empty());
        for (first, part) in parts {
            for corners in part.faces.iter() {
                let corners: Vec<u32> = corners.iter().map(|corner| corner + first).collect();
                faces.push(&corners);
            }
            uvs.extend_from_slice(part.faces.all_uvs());
            colours.extend_from_slice(part.faces.all_colours());
            let corners = faces.all_corners().len();
            if has_uvs {
                uvs.resize(corners, DVec2::ZERO);
            }
            if has_colours {
                colours.resize(corners, WHITE);
            }
        }
        // There is one for each corner by now, or none at all.
        let _ = faces.set_uvs(uvs) && faces.set_colours(colours);
        let corners = (0..faces.len()).map(|face| faces.corners(face).iter().copied());
        self.face_incidence = Incidence::new(self.particles(), corners);
        self.face_masses = parts.iter().flat_map(|(_, part)| part.face_masses.clone()).collect();
        self.faces = faces;
    }

    fn take_membranes(&mut self, parts: &[(u32, Self)]) {
        for (first, part) in parts {
            let corners = |membrane: &Membrane| membrane.corners.map(|corner| corner + first);
            let moved = |membrane: &Membrane| Membrane { corners: corners(membrane), ..*membrane };
            self.membranes.extend(part.membranes.iter().map(moved));
        }
        let plates = parts.iter().filter_map(|(first, part)| Some((*first, part.bending()?)));
        let plates: Vec<(u32, &Bending)> = plates.collect();
        if !plates.is_empty() {
            self.bending = Some(Arc::new(Bending::together(&plates)));
        }
    }

    fn take_gauges(&mut self, parts: &[(u32, Self)]) {
        for (first, part) in parts {
            let particles = |gauge: &Gauge| gauge.particles.map(|particle| particle + first);
            let moved = |gauge: &Gauge| Gauge { particles: particles(gauge), ..*gauge };
            self.gauges.extend(part.gauges.iter().map(moved));
            self.gauge_areas.extend_from_slice(&part.gauge_areas);
        }
    }
}

/// The cloths' ranges, one after the other.
fn cloths(parts: &[(String, Model)]) -> Vec<Cloth> {
    let mut ends = [0; 3];
    let cloth = |(name, part): &(String, Model)| {
        let counts = [part.particles(), part.faces.len(), part.gauges.len()];
        let mut ranges = ends.into_iter().zip(counts).map(|(end, more)| end..end + more as u32);
        let mut next = || ranges.next().unwrap_or_default();
        let (particles, faces, gauges) = (next(), next(), next());
        ends = [particles.end, faces.end, gauges.end];
        Cloth { name: name.clone(), particles, faces, gauges }
    };
    parts.iter().map(cloth).collect()
}

/// Where the particles are at rest: the first cloth where it is, the others beside it along x.
fn rest(parts: &[(String, Model)]) -> Vec<DVec3> {
    let mut rest: Vec<DVec3> = Vec::new();
    let mut end: Option<f64> = None;
    for (_, part) in parts {
        let least = part.rest.iter().map(|place| place.x).fold(f64::INFINITY, f64::min);
        let beside = end.map_or(0.0, |end| end + APART - least);
        let places = part.rest.iter().map(|place| *place + DVec3::X * beside);
        rest.extend(places);
        end = Some(rest.iter().map(|place| place.x).fold(f64::NEG_INFINITY, f64::max));
    }
    rest
}

fn grid(particles: usize, parts: &[(u32, Model)]) -> GridElements {
    fn all<const N: usize, E: Condition<N> + Clone>(
        (particles, parts): (usize, &[(u32, Model)]),
        of: fn(&GridElements) -> &ElementList<E>,
        moved: fn(&mut E, u32),
    ) -> ElementList<E> {
        let mut list = Vec::new();
        for (first, part) in parts {
            for element in &of(&part.grid).all {
                let mut element = element.clone();
                moved(&mut element, *first);
                list.push(element);
            }
        }
        ElementList::new(particles, list)
    }
    let from = (particles, parts);
    GridElements {
        struts: all(from, |grid| &grid.struts, |e: &mut Strut, by| move_by(&mut e.ends, by)),
        buckles: all(from, |grid| &grid.buckles, |e: &mut Buckle, by| move_by(&mut e.ends, by)),
        corners: all(from, |grid| &grid.corners, |e: &mut Corner, by| move_by(&mut e.corners, by)),
        folds: all(from, |grid| &grid.folds, |e: &mut Fold, by| move_by(&mut e.corners, by)),
    }
}

fn move_by(corners: &mut [u32], by: u32) {
    corners.iter_mut().for_each(|corner| *corner += by);
}
