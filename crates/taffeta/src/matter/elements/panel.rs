//! A triangle of cloth as cut: flat, with its warp along u.

use glam::{DVec2, DVec3};

/// A triangle laid flat without distortion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Panel {
    /// Its particles, counter-clockwise.
    pub corners: [u32; 3],
    /// Where they are when it lies flat, the first at the origin \[m\].
    pub flat: [DVec2; 3],
}

impl Panel {
    /// Lays a triangle flat. The warp runs along the u of its texture coordinates, whose scale
    /// does not matter; without any, along the x axis as seen in the triangle.
    pub fn new(corners: [u32; 3], places: [DVec3; 3], uvs: Option<[DVec2; 3]>) -> Self {
        let (d1, d2) = (places[1] - places[0], places[2] - places[0]);
        let normal = d1.cross(d2).normalize();
        let warp = uvs.and_then(|uvs| warp_direction([d1, d2], uvs));
        let along = warp.unwrap_or(DVec3::X);
        // Where x is seen end on, y will do.
        let in_plane = |axis: DVec3| (axis - normal * axis.dot(normal)).try_normalize();
        let far_from_normal = along.dot(normal).abs() < 0.999 * along.length();
        let u = if far_from_normal { in_plane(along) } else { in_plane(DVec3::Y) };
        let u = u.unwrap_or(d1.normalize());
        let v = normal.cross(u);
        let flat = |d: DVec3| DVec2::new(d.dot(u), d.dot(v));
        Self { corners, flat: [DVec2::ZERO, flat(d1), flat(d2)] }
    }

    /// A triangle that was cut as its texture coordinates say, in metres, with its warp along u.
    pub fn cut(corners: [u32; 3], uvs: [DVec2; 3]) -> Self {
        Self { corners, flat: uvs.map(|uv| uv - uvs[0]) }
    }

    /// The side opposite a corner, counter-clockwise \[m\].
    pub fn side(&self, corner: usize) -> DVec2 {
        self.flat[(corner + 2) % 3] - self.flat[(corner + 1) % 3]
    }

    /// The particles at the ends of that side.
    pub fn side_ends(&self, corner: usize) -> [u32; 2] {
        [self.corners[(corner + 1) % 3], self.corners[(corner + 2) % 3]]
    }

    /// Area \[m²\].
    pub fn area(&self) -> f64 {
        0.5 * self.flat[1].perp_dot(self.flat[2])
    }
}

/// The direction in space along which u grows and v does not.
fn warp_direction([d1, d2]: [DVec3; 2], uvs: [DVec2; 3]) -> Option<DVec3> {
    let (e1, e2) = (uvs[1] - uvs[0], uvs[2] - uvs[0]);
    let double = e1.perp_dot(e2);
    ((d1 * e2.y - d2 * e1.y) / double).try_normalize()
}
