//! Curves and surfaces that pins hold particles on: curtain rods, rails, balls, rollers.

mod curve;

use glam::DVec3;
use taffeta_linalg::Filter;

pub use curve::Curve;

/// A curve or a surface, in the body of the pin that moves it.
#[derive(Clone, Debug, PartialEq)]
pub enum Guide {
    /// A curve through points.
    Curve(Curve),
    /// A circle.
    Circle {
        /// Its centre \[m\].
        centre: DVec3,
        /// The direction it is seen along as a circle.
        axis: DVec3,
        /// Its radius \[m\].
        radius: f64,
    },
    /// The surface of a sphere.
    Sphere {
        /// Its centre \[m\].
        centre: DVec3,
        /// Its radius \[m\].
        radius: f64,
    },
    /// The surface of a cylinder without end.
    Cylinder {
        /// A point on its axis \[m\].
        centre: DVec3,
        /// The direction of its axis.
        axis: DVec3,
        /// Its radius \[m\].
        radius: f64,
    },
}

/// A place on a guide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Foot {
    /// Where \[m\].
    pub place: DVec3,
    /// The directions in which a particle there may move.
    pub free: Free,
    /// Whether the curve ends there, so that what comes along it stops.
    pub end: bool,
}

/// The directions in which a guide lets a particle move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Free {
    /// Along this unit tangent of a curve.
    Along(DVec3),
    /// Across this unit normal of a surface.
    Across(DVec3),
}

impl Free {
    /// As a filter, after a turn of the guide.
    pub(crate) fn filter(self, turn: impl Fn(DVec3) -> DVec3) -> Filter {
        match self {
            Self::Along(tangent) => Filter::along_line(turn(tangent).normalize()),
            Self::Across(normal) => Filter::in_plane(turn(normal).normalize()),
        }
    }
}

impl Guide {
    /// The nearest place on the guide; any of them where many are as near.
    pub fn nearest(&self, point: DVec3) -> Foot {
        match self {
            Self::Curve(curve) => curve.nearest(point),
            Self::Circle { centre, axis, radius } => {
                let axis = axis.normalize();
                let out = outward(point - *centre, axis);
                let free = Free::Along(axis.cross(out).normalize());
                Foot { place: *centre + out * *radius, free, end: false }
            }
            Self::Sphere { centre, radius } => {
                let out = (point - *centre).try_normalize().unwrap_or(DVec3::Y);
                Foot { place: *centre + out * *radius, free: Free::Across(out), end: false }
            }
            Self::Cylinder { centre, axis, radius } => {
                let axis = axis.normalize();
                let out = outward(point - *centre, axis);
                let on_axis = *centre + axis * (point - *centre).dot(axis);
                Foot { place: on_axis + out * *radius, free: Free::Across(out), end: false }
            }
        }
    }

    /// What keeps it from being a guide, if anything does.
    pub(crate) fn problem(&self) -> Option<&'static str> {
        let (centre, axis, radius) = match self {
            Self::Curve(curve) => return curve.problem(),
            Self::Sphere { centre, radius } => (*centre, DVec3::Y, *radius),
            Self::Circle { centre, axis, radius } | Self::Cylinder { centre, axis, radius } => {
                (*centre, *axis, *radius)
            }
        };
        if !(radius.is_finite() && radius > 0.0) {
            return Some("its radius must be finite and above zero");
        }
        if !centre.is_finite() {
            return Some("its centre is not finite");
        }
        let points = axis.is_finite() && axis.try_normalize().is_some();
        (!points).then_some("its axis is zero or not finite and points nowhere")
    }
}

/// The unit direction away from an axis; any across it for a point on it.
fn outward(offset: DVec3, axis: DVec3) -> DVec3 {
    let across = offset - axis * offset.dot(axis);
    across.try_normalize().unwrap_or_else(|| axis.any_orthonormal_vector())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guides() -> Vec<Guide> {
        let (centre, axis, radius) = (DVec3::new(0.3, -0.2, 0.1), DVec3::new(1.0, 2.0, -0.5), 0.7);
        let points = [
            DVec3::ZERO,
            DVec3::new(1.0, 0.2, 0.0),
            DVec3::new(1.5, 0.8, 0.5),
            DVec3::new(1.2, 1.5, 1.0),
        ];
        let curve = |smooth, closed| Guide::Curve(Curve::new(points.to_vec(), smooth, closed));
        vec![
            Guide::Circle { centre, axis, radius },
            Guide::Sphere { centre, radius },
            Guide::Cylinder { centre, axis, radius },
            curve(false, false),
            curve(true, false),
            curve(false, true),
            curve(true, true),
        ]
    }

    /// Points all around.
    fn points() -> impl Iterator<Item = DVec3> {
        let digit = |k: usize, n: f64| ((k as f64) * n).fract() * 3.0 - 1.0;
        (1..200).map(move |k| {
            DVec3::new(
                digit(k, 0.618_033_988_7),
                digit(k, 0.754_877_666_2),
                digit(k, 0.569_840_290_9),
            )
        })
    }

    #[test]
    fn nearest_places_are_on_the_guide_and_seen_at_right_angles() {
        for guide in guides() {
            for point in points() {
                let foot = guide.nearest(point);
                let again = guide.nearest(foot.place);
                assert!(again.place.distance(foot.place) < 1e-14, "{guide:?} {point}");
                let sight = (point - foot.place).normalize_or_zero();
                let seen = foot.free.filter(|direction| direction).free_part(sight).length();
                let corner = matches!(&guide, Guide::Curve(curve) if !curve.is_smooth());
                assert!(foot.end || corner || seen < 1e-7, "{guide:?} {point}: {seen}");
            }
        }
    }

    #[test]
    fn no_place_on_the_guide_is_nearer() {
        for guide in guides() {
            for point in points() {
                let foot = guide.nearest(point);
                let nearest = point.distance(foot.place);
                for other in points().map(|other| guide.nearest(other).place) {
                    assert!(point.distance(other) > nearest - 1e-9, "{guide:?} {point} {other}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_guide_is_told() {
        let sphere = |radius| Guide::Sphere { centre: DVec3::ZERO, radius };
        assert!(sphere(0.0).problem().is_some() && sphere(1.0).problem().is_none());
        let curve = |points: &[DVec3]| Guide::Curve(Curve::new(points.to_vec(), true, false));
        assert!(curve(&[DVec3::X]).problem().is_some());
        assert!(curve(&[DVec3::X, DVec3::X]).problem().is_some());
        assert!(curve(&[DVec3::X, DVec3::NAN]).problem().is_some());
        assert!(curve(&[DVec3::X, DVec3::Y]).problem().is_none());
    }
}
