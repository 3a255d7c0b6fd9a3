//! Yarns as tubes, and the fibres they end in where they tore.

use glam::DVec3;

use crate::scene::{Curve, Material};

/// Straight pieces drawn for a span between two crossings.
pub(super) const PIECES: u32 = 4;
/// Fibres at a torn end, and their radius as a share of the yarn's.
const FIBRES: u32 = 7;
const FIBRE: f64 = 0.3;
/// How far fibres are from the middle of the yarn, in radii of it: a span before the end, at the
/// end, and at their tips.
const SPREAD: [f64; 3] = [0.5, 0.7, 1.2];
/// What is left beyond the last crossing of a yarn that tore between two, in spans.
const STUMP: f64 = 0.5;
/// Angles that differ by this are as far from each other as can be \[rad\].
const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;
/// Fibres are laid out around a yarn from this direction, so that they do not jump from frame to
/// frame.
const REFERENCE: DVec3 = DVec3::new(0.36, 0.48, 0.8);

/// A yarn as it is drawn.
pub(super) struct Drawn {
    /// Its points; a yarn of one point is not drawn.
    pub points: Vec<DVec3>,
    /// How much it hides at each point.
    pub opacities: Vec<f32>,
    /// Whether it tore at its begin, and at its end.
    pub torn: [bool; 2],
    pub radius: f64,
    pub material: Material,
}

impl Drawn {
    /// Adds its curves: a tube, which over its last span becomes a bundle of fibres at an end that
    /// tore.
    pub fn add_to(mut self, curves: &mut Vec<Curve>) {
        let last = self.points.len().saturating_sub(1);
        if last == 0 {
            return;
        }
        if self.torn[1] {
            self.add_fibres(curves);
            self.opacities[last] = 0.0;
        }
        if self.torn[0] {
            self.points.reverse();
            self.add_fibres(curves);
            self.points.reverse();
            self.opacities[0] = 0.0;
        }
        let Self { points, opacities, radius, material, .. } = self;
        curves.push(Curve { points, radius, opacities, material, pieces: PIECES });
    }

    /// Fibres that leave the tube within its last span and go on beyond it, each to a length of its
    /// own.
    fn add_fibres(&self, curves: &mut Vec<Curve>) {
        let [.., before, end] = self.points[..] else { return };
        let span = end - before;
        let Some(axis) = span.try_normalize() else { return };
        let side = (REFERENCE - axis * REFERENCE.dot(axis)).normalize_or(DVec3::X);
        let other = axis.cross(side);
        for fibre in 0..FIBRES {
            let share = f64::from(fibre + 1) / f64::from(FIBRES);
            let around = |turn: f64, spread: f64| {
                let (sin, cos) = libm::sincos(GOLDEN_ANGLE * f64::from(fibre) + turn);
                (side * cos + other * sin) * (spread * self.radius * share.sqrt())
            };
            let tip = end + span * (2.0 * STUMP * share);
            let mut points: Vec<DVec3> =
                self.points.iter().rev().nth(2).copied().into_iter().collect();
            points.extend([
                before + around(0.0, SPREAD[0]),
                end + around(0.6, SPREAD[1]),
                tip + around(1.0, SPREAD[2]),
            ]);
            let (radius, material) = (FIBRE * self.radius, self.material);
            curves.push(Curve { points, radius, opacities: Vec::new(), material, pieces: PIECES });
        }
    }
}
