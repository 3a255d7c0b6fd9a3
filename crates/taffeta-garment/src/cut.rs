//! Cutting: a pattern becomes flat cloth, cut so that edges to be sewn have particles alike.

use std::ops::Range;

use glam::{DVec2, DVec3};
use taffeta::Mesh;
use taffeta::mesh::Faces;

use crate::groups::Groups;
use crate::pattern::{EdgeOf, Panel, Pattern};
use crate::problem::PatternProblem;
use crate::triangulate::{Triangles, triangulate};

/// Room between panels where they lie side by side \[m\].
const MARGIN: f64 = 0.05;

/// Panels cut into triangles, not sewn yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Cut {
    /// The panels as they lie flat, side by side: x and u are the warp's direction, y and v the weft's,
    /// in metres.
    pub flat: Mesh,
    /// Where each particle is put around the body.
    pub places: Vec<DVec3>,
    /// The faces of each panel.
    pub panels: Vec<Range<usize>>,
    /// The particles along each edge of each panel, from its first end to its last.
    pub edges: Vec<Vec<Vec<u32>>>,
    /// For each seam, which particles come together.
    pub seams: Vec<Vec<[u32; 2]>>,
    /// The least angle of any triangle \[rad\], and the panel that it is in.
    pub least_angle: (f64, usize),
}

impl Pattern {
    /// Cuts the panels into triangles with sides of about `spacing` \[m\].
    pub fn cut(&self, spacing: f64) -> Result<Cut, Vec<PatternProblem>> {
        let mut problems = self.problems();
        if !problems.is_empty() {
            return Err(problems);
        }
        let parts = self.parts(spacing);
        let mut cut = Cut {
            flat: Mesh { positions: Vec::new(), faces: Faces::new() },
            places: Vec::new(),
            panels: Vec::new(),
            edges: Vec::new(),
            seams: Vec::new(),
            least_angle: (std::f64::consts::PI, 0),
        };
        let mut left = 0.0;
        for (panel, parts) in self.panels.iter().zip(&parts) {
            match LaidOut::new(panel, parts, spacing) {
                Some(laid_out) => left = cut.add(panel, parts, &laid_out, left) + MARGIN,
                None => {
                    problems.push(PatternProblem::NotCut { panel: panel.name.clone(), spacing });
                }
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let uvs = cut.flat.faces.all_corners().iter();
        let uvs = uvs.map(|&corner| cut.flat.positions[corner as usize].truncate()).collect();
        cut.flat.faces.set_uvs(uvs);
        cut.seams = self
            .seams
            .iter()
            .map(|seam| {
                let [a, b] = seam.sides.map(|EdgeOf { panel, edge }| &cut.edges[panel][edge]);
                match seam.reversed {
                    true => a.iter().zip(b).map(|(a, b)| [*a, *b]).collect(),
                    false => a.iter().zip(b.iter().rev()).map(|(a, b)| [*a, *b]).collect(),
                }
            })
            .collect();
        Ok(cut)
    }

    /// About how many particles there will be.
    pub fn particles(&self, spacing: f64) -> f64 {
        let area =
            |panel: &Panel| Panel::area_within(&panel.sampled(&vec![8; panel.outline.len()])).abs();
        // An equilateral triangle has half a particle, and √3/4 of its side squared.
        self.panels.iter().map(area).sum::<f64>() / (0.75f64.sqrt() * spacing * spacing)
    }

    /// Into how many parts each edge of each panel is cut: alike where they are sewn together.
    fn parts(&self, spacing: f64) -> Vec<Vec<usize>> {
        let mut firsts = vec![0];
        for panel in &self.panels {
            firsts.push(firsts[firsts.len() - 1] + panel.outline.len() as u32);
        }
        let number = |of: EdgeOf| firsts[of.panel] + of.edge as u32;
        let mut groups = Groups::new(firsts[self.panels.len()] as usize);
        self.seams.iter().for_each(|seam| groups.join(seam.sides.map(number)));
        let leader = groups.leaders();
        let mut longest = vec![0.0f64; leader.len()];
        let lengths = self
            .panels
            .iter()
            .flat_map(|panel| (0..panel.outline.len()).map(|edge| panel.length(edge)));
        for (leader, length) in leader.iter().zip(lengths) {
            longest[*leader as usize] = longest[*leader as usize].max(length);
        }
        let parts = |edge: u32| {
            ((longest[leader[edge as usize] as usize] / spacing).round() as usize).max(1)
        };
        firsts.windows(2).map(|ends| (ends[0]..ends[1]).map(parts).collect()).collect()
    }
}

/// A panel with its outside up and its warp along x, cut.
struct LaidOut {
    /// From the panel's plane to here; its own inverse's transpose.
    turn: glam::DMat2,
    /// Whether the outline runs clockwise in the panel's plane.
    mirrored: bool,
    cut: Triangles,
}

impl LaidOut {
    fn new(panel: &Panel, parts: &[usize], spacing: f64) -> Option<Self> {
        let way = panel.sampled(parts);
        if way.len() < 3 {
            return None;
        }
        let mirrored = Panel::area_within(&way) < 0.0;
        let (sin, cos) = libm::sincos(panel.grain);
        // Rows are the directions of warp and weft; seen from behind, the weft is to the other side.
        let side = if mirrored { -1.0 } else { 1.0 };
        let turn = glam::DMat2::from_cols_array(&[cos, -sin * side, sin, cos * side]);
        let mut flat: Vec<DVec2> = way.iter().map(|point| turn * *point).collect();
        if mirrored {
            flat.reverse();
        }
        let cut = triangulate(&flat, spacing)?;
        Some(Self { turn, mirrored, cut })
    }
}

impl Cut {
    /// Adds a panel to the right of what there is, and tells where it ends.
    fn add(&mut self, panel: &Panel, parts: &[usize], laid_out: &LaidOut, left: f64) -> f64 {
        let (first, faces) = (self.flat.positions.len() as u32, self.flat.faces.len());
        let LaidOut { turn, mirrored, cut } = laid_out;
        let low = cut.points.iter().copied().fold(DVec2::INFINITY, DVec2::min);
        let high = cut.points.iter().copied().fold(DVec2::NEG_INFINITY, DVec2::max);
        let shift = DVec2::new(left, 0.0) - low;
        for point in &cut.points {
            self.flat.positions.push((*point + shift).extend(0.0));
            self.places.push(panel.placement.apply(turn.transpose() * *point));
        }
        for triangle in &cut.triangles {
            self.flat.faces.push(&triangle.map(|corner| first + corner));
        }
        let (angle, _) = cut.least_angle();
        if angle < self.least_angle.0 {
            self.least_angle = (angle, self.panels.len());
        }
        self.panels.push(faces..self.flat.faces.len());
        let around: usize = parts.iter().sum();
        let corner = |at: usize| match mirrored {
            true => first + (around - 1 - at % around) as u32,
            false => first + (at % around) as u32,
        };
        let mut begin = 0;
        let edge = |parts: &usize| {
            let particles = (begin..=begin + parts).map(corner).collect();
            begin += parts;
            particles
        };
        self.edges.push(parts.iter().map(edge).collect());
        left + high.x - low.x
    }
}
