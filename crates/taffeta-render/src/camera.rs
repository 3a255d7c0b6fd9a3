//! The camera, and framing: where to put it so that nothing leaves the picture.

use glam::DVec3;

use crate::error::RenderError;

/// A pinhole camera, upright.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where it is \[m\].
    pub position: DVec3,
    /// What it looks at \[m\].
    pub target: DVec3,
    /// The angle between the lower and the upper border of the picture \[rad\].
    pub field_of_view: f64,
}

impl Camera {
    /// Refuses a camera that cannot look.
    pub fn check(&self) -> Result<(), RenderError> {
        let turn = std::f64::consts::PI;
        let why = if !(self.field_of_view > 0.0 && self.field_of_view < turn) {
            "needs a field of view between 0 and 180 degrees"
        } else if !(self.position.is_finite() && self.target.is_finite()) {
            "is nowhere: give its position and target as finite numbers"
        } else if self.position.distance(self.target) < 1e-9 {
            "is where it looks: move its position or its target"
        } else {
            return Ok(());
        };
        Err(RenderError::Camera { why })
    }

    /// The directions right, up and back, at right angles and of length one.
    ///
    /// A camera that looks straight up or down has no upright; x is then to its right.
    pub fn axes(&self) -> [DVec3; 3] {
        let back = (self.position - self.target).try_normalize().unwrap_or(DVec3::Z);
        let right = DVec3::Y.cross(back).try_normalize().unwrap_or(DVec3::X);
        [right, back.cross(right), back]
    }

    /// Half the height of the picture at distance one.
    pub fn half_height(&self) -> f64 {
        libm::tan(self.field_of_view / 2.0)
    }

    /// Where a point appears, in pixels from the upper left corner; none if it is behind.
    pub fn project(&self, point: DVec3, size: [u32; 2]) -> Option<[f64; 2]> {
        let [right, up, back] = self.axes();
        let offset = point - self.position;
        let depth = -offset.dot(back);
        let [width, height] = size.map(f64::from);
        let scale = height / (2.0 * self.half_height() * depth);
        let place =
            [width / 2.0 + offset.dot(right) * scale, height / 2.0 - offset.dot(up) * scale];
        (depth > 0.0).then_some(place)
    }
}

/// Looks for the nearest place, in a given direction, from which every point is inside the
/// picture: one place for a whole run, so that the picture does not shake.
///
/// With its directions given, a camera sees a point if the point lies on the inner side of four
/// planes through the camera. So of all points only the outermost along each plane's normal
/// matter, and points can be taken in one by one.
#[derive(Clone, Copy, Debug)]
pub struct Framing {
    axes: [DVec3; 3],
    field_of_view: f64,
    slopes: [f64; 2],
    outermost: [f64; 4],
    nearest: f64,
    lowest: f64,
    low: DVec3,
    high: DVec3,
}

/// From where to look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Angle around the vertical, from the front (+z) to the right (+x) \[rad\].
    pub azimuth: f64,
    /// Angle above the horizon \[rad\].
    pub elevation: f64,
    /// The angle between the lower and the upper border of the picture \[rad\].
    pub field_of_view: f64,
}

impl Default for View {
    fn default() -> Self {
        Self {
            azimuth: 28f64.to_radians(),
            elevation: 14f64.to_radians(),
            field_of_view: 30f64.to_radians(),
        }
    }
}

/// The share of the picture's width and height that framed points may fill.
const FILL: f64 = 0.86;

impl Framing {
    /// Starts with no points; the aspect is width over height.
    pub fn new(view: View, aspect: f64) -> Self {
        let (sin, cos) = libm::sincos(view.azimuth);
        let (rise, level) = libm::sincos(view.elevation);
        let back = DVec3::new(sin * level, rise, cos * level);
        let camera =
            Camera { position: back, target: DVec3::ZERO, field_of_view: view.field_of_view };
        let slope = camera.half_height() * FILL;
        Self {
            axes: camera.axes(),
            field_of_view: view.field_of_view,
            slopes: [slope * aspect, slope],
            outermost: [f64::NEG_INFINITY; 4],
            nearest: f64::NEG_INFINITY,
            lowest: f64::INFINITY,
            low: DVec3::INFINITY,
            high: DVec3::NEG_INFINITY,
        }
    }

    /// Takes points in; those that are not finite are nowhere and do not count.
    pub fn add(&mut self, points: &[DVec3]) {
        let [right, up, back] = self.axes;
        for point in points.iter().filter(|point| point.is_finite()) {
            let depth = point.dot(back);
            for (axis, direction) in [right, up].into_iter().enumerate() {
                let (side, deep) = (point.dot(direction), self.slopes[axis] * depth);
                self.outermost[2 * axis] = self.outermost[2 * axis].max(deep + side);
                self.outermost[2 * axis + 1] = self.outermost[2 * axis + 1].max(deep - side);
            }
            self.nearest = self.nearest.max(depth);
            self.lowest = self.lowest.min(point.y);
            self.low = self.low.min(*point);
            self.high = self.high.max(*point);
        }
    }

    /// The lowest height \[m\] and the bounding box's centre and half diagonal \[m\]; none
    /// without points.
    pub fn extent(&self) -> Option<(f64, DVec3, f64)> {
        let radius = ((self.high - self.low).length() / 2.0).max(1e-6);
        self.lowest.is_finite().then(|| (self.lowest, (self.low + self.high) / 2.0, radius))
    }

    /// The camera; none without points.
    pub fn camera(&self) -> Option<Camera> {
        let (_, centre, radius) = self.extent()?;
        let [right, up, back] = self.axes;
        let place = |axis: usize| {
            let [positive, negative] = [self.outermost[2 * axis], self.outermost[2 * axis + 1]];
            let distance = (positive + negative) / (2.0 * self.slopes[axis]);
            ((positive - negative) / 2.0, distance)
        };
        let ((x, far_for_width), (y, far_for_height)) = (place(0), place(1));
        // A single point, or points in one line of sight, need some distance all the same.
        let distance = far_for_width.max(far_for_height).max(self.nearest + 0.1 * radius);
        let position = right * x + up * y + back * distance;
        let target = position - back * (position - centre).dot(back);
        Some(Camera { position, target, field_of_view: self.field_of_view })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: [u32; 2] = [320, 180];

    fn helix() -> Vec<DVec3> {
        (0..200)
            .map(|i| {
                let t = f64::from(i) * 0.1;
                DVec3::new(2.0 * libm::cos(t) + 5.0, 0.1 * t, libm::sin(3.0 * t) - 7.0)
            })
            .collect()
    }

    #[test]
    fn everything_is_inside_and_something_touches_the_margin() {
        for degrees in [-80.0f64, -10.0, 0.0, 33.0, 89.0] {
            let view = View { elevation: degrees.to_radians(), ..View::default() };
            let mut framing = Framing::new(view, 320.0 / 180.0);
            framing.add(&helix());
            let camera = framing.camera().unwrap();
            let reach = helix().iter().fold(0.0f64, |reach, point| {
                let [x, y] = camera.project(*point, SIZE).unwrap();
                reach.max((x / 160.0 - 1.0).abs()).max((y / 90.0 - 1.0).abs())
            });
            assert!((reach - FILL).abs() < 1e-9, "{degrees}: {reach}");
        }
    }

    #[test]
    fn the_order_and_grouping_of_points_do_not_matter() {
        let points = helix();
        let mut together = Framing::new(View::default(), 1.5);
        together.add(&points);
        let mut apart = Framing::new(View::default(), 1.5);
        points.rchunks(7).for_each(|chunk| apart.add(chunk));
        assert_eq!(together.camera(), apart.camera());
    }

    #[test]
    fn no_points_give_no_camera_and_one_point_a_finite_one() {
        let mut framing = Framing::new(View::default(), 1.0);
        framing.add(&[DVec3::NAN]);
        assert_eq!(framing.camera(), None);
        framing.add(&[DVec3::ONE]);
        assert!(framing.camera().unwrap().position.is_finite());
    }

    #[test]
    fn the_target_is_in_the_middle_of_the_picture() {
        let camera = Camera {
            position: DVec3::new(1.0, 2.0, 3.0),
            target: DVec3::new(-4.0, 0.0, 1.0),
            field_of_view: 0.7,
        };
        let [x, y] = camera.project(camera.target, SIZE).unwrap();
        assert!((x - 160.0).abs() < 1e-9 && (y - 90.0).abs() < 1e-9);
        assert_eq!(camera.project(DVec3::new(6.0, 4.0, 5.0), SIZE), None);
    }
}
