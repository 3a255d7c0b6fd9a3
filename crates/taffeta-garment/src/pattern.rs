//! Patterns: the panels of a garment, where they are put, and what is sewn to what.

use glam::{DVec2, DVec3};
use taffeta::Pose;

use crate::curve::Curve;

/// What a garment is cut and sewn from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pattern {
    /// The pieces of cloth.
    pub panels: Vec<Panel>,
    /// What is sewn together.
    pub seams: Vec<Seam>,
}

/// A flat piece of cloth.
///
/// Its outside is the side from which the outline runs counter-clockwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// What it is called.
    pub name: String,
    /// The outline, edge after edge; each begins where the one before it ends.
    pub outline: Vec<PanelEdge>,
    /// Direction of the warp, from x towards y \[rad\].
    pub grain: f64,
    /// Lengths at rest of warp and weft over those it is cut with: below 1 it is elastic that gathers.
    pub rest: [f64; 2],
    /// Where it is put before it is sewn.
    pub placement: Placement,
}

/// A part of a panel's outline, that can be sewn to another.
#[derive(Clone, Debug, PartialEq)]
pub struct PanelEdge {
    /// What it is called.
    pub name: String,
    /// Where it begins \[m\].
    pub from: DVec2,
    /// How it goes on from there to where the next begins.
    pub curve: Curve,
}

/// From the plane of a panel into space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Rolls it about a line along y, so far behind its plane at x = 0 \[m\]: around a limb.
    pub roll: Option<f64>,
    /// Then it is put here: x to the right, y up, seen from +z.
    pub pose: Pose,
}

/// Two edges that are sewn together, from end to end.
///
/// Where both panels show their outside, outlines run against each other along a seam, and the
/// first end of one edge meets the last end of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seam {
    /// The edges.
    pub sides: [EdgeOf; 2],
    /// Whether the first ends meet instead.
    pub reversed: bool,
}

/// An edge of a panel, by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EdgeOf {
    /// The panel.
    pub panel: usize,
    /// The edge.
    pub edge: usize,
}

impl Placement {
    /// Where a point of the panel is put.
    pub fn apply(&self, point: DVec2) -> DVec3 {
        let place = match self.roll {
            None => point.extend(0.0),
            Some(radius) => {
                let (sin, cos) = libm::sincos(point.x / radius);
                DVec3::new(radius * sin, point.y, radius * (cos - 1.0))
            }
        };
        self.pose.apply(place)
    }
}

impl Panel {
    /// The corners of the polygon that the outline becomes, in its own order, each edge in so many
    /// parts.
    pub(crate) fn sampled(&self, parts: &[usize]) -> Vec<DVec2> {
        let edge = |(edge, parts): (usize, &usize)| {
            let mut points = self.outline[edge].curve.sample(self.ends(edge), *parts);
            points.pop();
            points
        };
        parts.iter().enumerate().flat_map(edge).collect()
    }

    /// Where an edge begins and ends.
    pub fn ends(&self, edge: usize) -> [DVec2; 2] {
        [edge, edge + 1].map(|corner| self.outline[corner % self.outline.len()].from)
    }

    /// How long an edge is \[m\].
    pub fn length(&self, edge: usize) -> f64 {
        self.outline[edge].curve.length(self.ends(edge))
    }

    /// The area within a closed way; negative if it runs clockwise \[m²\].
    pub(crate) fn area_within(way: &[DVec2]) -> f64 {
        let next = way.iter().cycle().skip(1);
        0.5 * way.iter().zip(next).map(|(a, b)| a.perp_dot(*b)).sum::<f64>()
    }
}

impl Pattern {
    /// What an edge is called, with its panel.
    pub fn name(&self, of: EdgeOf) -> String {
        let panel = &self.panels[of.panel];
        format!("{}.{}", panel.name, panel.outline[of.edge].name)
    }

    /// What a seam is called: by its edges.
    pub fn seam_name(&self, seam: usize) -> String {
        let [a, b] = self.seams[seam].sides.map(|side| self.name(side));
        format!("{a} – {b}")
    }

    /// How long an edge is \[m\].
    pub fn length(&self, of: EdgeOf) -> f64 {
        self.panels[of.panel].length(of.edge)
    }

    /// Where the ends of an edge are put.
    pub fn placed_ends(&self, of: EdgeOf) -> [DVec3; 2] {
        let panel = &self.panels[of.panel];
        panel.ends(of.edge).map(|end| panel.placement.apply(end))
    }
}
