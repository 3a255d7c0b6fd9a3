//! Shapes of solids, and the distance from the simple ones.

use std::sync::Arc;

use glam::{DVec2, DVec3};

use super::mesh::SolidMesh;

/// The shape of a solid, in its own frame.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// All that is below y = 0.
    Plane {
        /// Side of the square that is drawn of it \[m\].
        drawn: f64,
    },
    /// A ball around the origin.
    Sphere {
        /// Its radius \[m\].
        radius: f64,
    },
    /// All points within a distance of a segment along y, centred on the origin.
    Capsule {
        /// The distance \[m\].
        radius: f64,
        /// Length of the segment \[m\].
        length: f64,
    },
    /// A cylinder along y with flat ends, centred on the origin.
    Cylinder {
        /// Its radius \[m\].
        radius: f64,
        /// From end to end \[m\].
        length: f64,
    },
    /// A box along the axes, centred on the origin.
    Box {
        /// From face to face along each axis \[m\].
        size: DVec3,
    },
    /// Anything, as triangles.
    Mesh(Arc<SolidMesh>),
}

/// The point of a surface nearest to another point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Nearest {
    /// How far away the surface is; negative inside [m].
    pub distance: f64,
    /// The nearest point of the surface.
    pub point: DVec3,
    /// The direction in which the distance grows fastest, of unit length.
    pub normal: DVec3,
    /// How far that point moves within the step, in the solid's own frame [m].
    pub shift: DVec3,
}

impl Nearest {
    fn at(distance: f64, point: DVec3, normal: DVec3) -> Self {
        Self { distance, point, normal, shift: DVec3::ZERO }
    }

    /// Nothing near.
    const NOWHERE: Self =
        Self { distance: f64::INFINITY, point: DVec3::ZERO, normal: DVec3::Y, shift: DVec3::ZERO };
}

impl Shape {
    /// How round it is \[m\]: infinite where nothing but flat faces and edges can be met.
    pub(crate) fn radius(&self) -> f64 {
        match self {
            Self::Sphere { radius }
            | Self::Capsule { radius, .. }
            | Self::Cylinder { radius, .. } => *radius,
            Self::Plane { .. } | Self::Box { .. } | Self::Mesh(_) => f64::INFINITY,
        }
    }

    /// The nearest point of a simple shape's surface, in the solid's own frame; meshes are asked
    /// through the surface that is prepared of them for a step.
    pub(crate) fn nearest(&self, p: DVec3) -> Nearest {
        match *self {
            Self::Mesh(_) => Nearest::NOWHERE,
            Self::Plane { .. } => Nearest::at(p.y, p.with_y(0.0), DVec3::Y),
            Self::Sphere { radius } => around(DVec3::ZERO, radius, p),
            Self::Capsule { radius, length } => {
                let y = p.y.clamp(-0.5 * length, 0.5 * length);
                around(DVec3::Y * y, radius, p)
            }
            Self::Cylinder { radius, length } => cylinder(radius, 0.5 * length, p),
            Self::Box { size } => cuboid(0.5 * size, p),
        }
    }
}

/// Nearest on a ball.
fn around(centre: DVec3, radius: f64, p: DVec3) -> Nearest {
    let away = p - centre;
    let length = away.length();
    // In the very centre every direction is as good as the other.
    let normal = if length > 0.0 { away / length } else { DVec3::X };
    Nearest::at(length - radius, centre + normal * radius, normal)
}

fn cylinder(radius: f64, half: f64, p: DVec3) -> Nearest {
    let from_axis = DVec2::new(p.x, p.z);
    let reach = from_axis.length();
    let outwards = if reach > 0.0 { from_axis / reach } else { DVec2::X };
    let outwards = DVec3::new(outwards.x, 0.0, outwards.y);
    let upwards = DVec3::Y * if p.y < 0.0 { -1.0 } else { 1.0 };
    let beyond = DVec2::new(reach - radius, p.y.abs() - half);
    if beyond.x > 0.0 && beyond.y > 0.0 {
        let rim = outwards * radius + upwards * half;
        let distance = beyond.length();
        return Nearest::at(distance, rim, (p - rim) / distance);
    }
    if beyond.x > beyond.y {
        Nearest::at(beyond.x, p - outwards * beyond.x, outwards)
    } else {
        Nearest::at(beyond.y, p - upwards * beyond.y, upwards)
    }
}

fn cuboid(half: DVec3, p: DVec3) -> Nearest {
    let beyond = p.abs() - half;
    if beyond.max_element() > 0.0 {
        let point = p.clamp(-half, half);
        let distance = p.distance(point);
        return Nearest::at(distance, point, (p - point) / distance);
    }
    // Inside, the nearest face is the one whose plane is nearest; of equals, the first.
    let axis = beyond.max_position();
    let mut normal = DVec3::ZERO;
    normal[axis] = if p[axis] < 0.0 { -1.0 } else { 1.0 };
    Nearest::at(beyond[axis], p - normal * beyond[axis], normal)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shapes() -> [Shape; 5] {
        [
            Shape::Plane { drawn: 1.0 },
            Shape::Sphere { radius: 0.7 },
            Shape::Capsule { radius: 0.3, length: 1.1 },
            Shape::Cylinder { radius: 0.6, length: 0.9 },
            Shape::Box { size: DVec3::new(0.8, 1.3, 0.5) },
        ]
    }

    proptest! {
        #[test]
        fn the_distance_is_to_the_nearest_point_and_the_normal_its_gradient(
            x in -1.5..1.5f64, y in -1.5..1.5f64, z in -1.5..1.5f64
        ) {
            let p = DVec3::new(x, y, z);
            for shape in shapes() {
                let near = shape.nearest(p);
                prop_assert!((near.normal.length() - 1.0).abs() < 1e-12);
                prop_assert!((p - near.point - near.normal * near.distance).length() < 1e-12);
                // The nearest point is on the surface.
                prop_assert!(shape.nearest(near.point).distance.abs() < 1e-12, "{shape:?}");
                // Nothing of the surface is nearer: going anywhere, the distance changes by no
                // more than the way, and along the normal by all of it.
                let way = 1e-4;
                for step in [DVec3::X, DVec3::Y, DVec3::Z, -DVec3::ONE.normalize()] {
                    let there = shape.nearest(p + step * way).distance;
                    prop_assert!((there - near.distance).abs() <= way * (1.0 + 1e-9));
                }
                if near.distance > 0.0 {
                    let there = shape.nearest(p + near.normal * way).distance;
                    prop_assert!((there - near.distance - way).abs() < 1e-12, "{shape:?}");
                }
            }
        }
    }
}
