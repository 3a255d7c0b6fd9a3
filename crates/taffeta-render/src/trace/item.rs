//! The two things a ray can hit: triangles and tubes. A ball is a tube without length.

use glam::Vec3;

use super::ray::Ray;

/// Something a ray can hit, and its number in the geometry.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    pub number: u32,
    pub form: Form,
}

#[derive(Clone, Copy, Debug)]
pub enum Form {
    Triangle([Vec3; 3]),
    Tube(Tube),
}

/// A piece of a tube around a segment. An end is a ball, or where the tube goes on it is open and
/// laps over the next piece, just enough to leave no gap outside the bend between them.
#[derive(Clone, Copy, Debug)]
pub struct Tube {
    start: Vec3,
    /// Of length one; zero if the segment has no length.
    axis: Vec3,
    length: f32,
    radius: f32,
    opacity: f32,
    ends: [End; 2],
}

/// How a tube ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End {
    /// In a ball.
    Ball,
    /// Open, this far beyond the segment's end.
    Open(f32),
}

/// A direction this close to that of an axis (its distance from it, squared) is along it.
const ALONG: f32 = 1e-12;

impl Tube {
    pub fn new(segment: [Vec3; 2], radius: f32, opacity: f32, ends: [End; 2]) -> Self {
        let span = segment[1] - segment[0];
        let length = span.length();
        let axis = if length > 0.0 { span / length } else { Vec3::ZERO };
        Self { start: segment[0], axis, length, radius, opacity, ends }
    }

    fn bounds(&self) -> [Vec3; 2] {
        let beyond = self.ends.map(|end| match end {
            End::Ball => 0.0,
            End::Open(beyond) => beyond,
        });
        let across = (Vec3::ONE - self.axis * self.axis).max(Vec3::ZERO).map(f32::sqrt);
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for (i, place) in [-beyond[0], self.length + beyond[1]].into_iter().enumerate() {
            let reach = if self.ends[i] == End::Ball { Vec3::ONE } else { across } * self.radius;
            let middle = self.start + self.axis * place;
            (low, high) = (low.min(middle - reach), high.max(middle + reach));
        }
        [low, high]
    }

    /// Where a ray enters it: the distance, and the share of the segment's length.
    fn hit(&self, ray: &Ray) -> Option<(f32, f32)> {
        let offset = self.start - ray.origin;
        let normal = ray.direction.cross(self.axis);
        let (apart, steep) = (normal.dot(offset), normal.dot(normal));
        // Most end here: the ray misses even the endless tube. The margin is for rounding.
        if apart * apart > self.radius * self.radius * steep * 1.001 + f32::MIN_POSITIVE {
            return None;
        }
        // Measured from where the ray is nearest to the start: a thin tube far away would drown
        // in rounding if measured from the ray's origin.
        let shift = offset.dot(ray.direction);
        let start = ray.direction * shift - offset;
        let (along, slope) = (start.dot(self.axis), ray.direction.dot(self.axis));
        // Beyond an end that is passed first, along the tube if the ray is parallel to it.
        let mut place = -slope;
        if steep > ALONG {
            let across = ray.direction - self.axis * slope;
            let entry = enter(across, start - self.axis * along, self.radius)?;
            place = along + entry * slope;
            if (0.0..=self.length).contains(&place) || self.laps_over(place) {
                return Some((entry + shift, self.share(place)));
            }
        }
        let (end, middle) =
            if place <= 0.0 { (self.ends[0], 0.0) } else { (self.ends[1], self.length) };
        if end != End::Ball {
            return None;
        }
        let entry = enter(ray.direction, start - self.axis * middle, self.radius)?;
        Some((entry + shift, self.share(middle)))
    }

    fn laps_over(&self, place: f32) -> bool {
        let beyond = |end: End, distance: f32| matches!(end, End::Open(most) if distance <= most);
        (place < 0.0 && beyond(self.ends[0], -place))
            || (place > self.length && beyond(self.ends[1], place - self.length))
    }

    /// A place along it as a share of its length.
    fn share(&self, place: f32) -> f32 {
        if self.length > 0.0 { (place / self.length).clamp(0.0, 1.0) } else { 0.0 }
    }
}

impl Form {
    /// The lower and the upper corner of its bounding box.
    pub fn bounds(&self) -> [Vec3; 2] {
        match *self {
            Self::Triangle([a, b, c]) => [a.min(b).min(c), a.max(b).max(c)],
            Self::Tube(tube) => tube.bounds(),
        }
    }

    /// The distance along the ray, beyond zero and below `limit`, and the place in the item.
    #[inline]
    pub fn hit(&self, ray: &Ray, limit: f32) -> Option<(f32, [f32; 2])> {
        match self {
            Self::Triangle(corners) => hit_triangle(ray, limit, corners),
            Self::Tube(tube) if tube.opacity <= ray.dice => None,
            Self::Tube(tube) => {
                let (distance, share) = tube.hit(ray)?;
                (distance > 0.0 && distance < limit).then_some((distance, [share, 0.0]))
            }
        }
    }
}

/// A ray hits a triangle if it passes all three edges on the same side.
///
/// Two triangles that share an edge see exactly opposite numbers for it, since a×b is −(b×a) bit
/// by bit; so no ray slips through between them.
fn hit_triangle(ray: &Ray, limit: f32, corners: &[Vec3; 3]) -> Option<(f32, [f32; 2])> {
    let [a, b, c] = corners.map(|corner| corner - ray.origin);
    let (u, v, w) = (
        b.cross(c).dot(ray.direction),
        c.cross(a).dot(ray.direction),
        a.cross(b).dot(ray.direction),
    );
    let inside = (u >= 0.0 && v >= 0.0 && w >= 0.0) || (u <= 0.0 && v <= 0.0 && w <= 0.0);
    let total = u + v + w;
    if !inside || total == 0.0 {
        return None;
    }
    let weights = [u / total, v / total, w / total];
    let distance = (a * weights[0] + b * weights[1] + c * weights[2]).dot(ray.direction);
    (distance > 0.0 && distance < limit).then_some((distance, [weights[1], weights[2]]))
}

/// The time at which a moving point first is within a radius of the origin.
///
/// Reckoned from the moment it is nearest, where no large numbers cancel.
#[inline]
fn enter(velocity: Vec3, offset: Vec3, radius: f32) -> Option<f32> {
    let squared = velocity.dot(velocity);
    let middle = -velocity.dot(offset) / squared;
    let nearest = offset + velocity * middle;
    let within = radius * radius - nearest.dot(nearest);
    (within >= 0.0).then(|| middle - (within / squared).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ray_at(target: Vec3) -> Ray {
        let origin = Vec3::new(1.0, 2.0, 5.0);
        Ray::new(origin, (target - origin).normalize(), 0.0)
    }

    #[test]
    fn a_ray_at_a_shared_edge_hits_one_triangle_or_the_other() {
        let [a, b] = [Vec3::new(-0.31, 0.17, 0.2), Vec3::new(0.77, -0.23, -0.4)];
        let left = Form::Triangle([a, b, Vec3::new(0.9, 0.9, 0.1)]);
        let right = Form::Triangle([b, a, Vec3::new(-0.8, -0.7, 0.3)]);
        for i in 1..20_000 {
            let ray = ray_at(a.lerp(b, i as f32 / 20_000.0));
            let hit = left.hit(&ray, 100.0).or(right.hit(&ray, 100.0));
            assert!(hit.is_some(), "slipped through at {i}");
        }
    }

    #[test]
    fn a_tube_is_hit_at_its_radius() {
        let ends = [Vec3::new(-0.5, 0.1, 0.0), Vec3::new(0.6, 0.3, 0.4)];
        for radius in [1e-4, 1e-2, 0.3] {
            let tube = Form::Tube(Tube::new(ends, radius, 1.0, [End::Ball; 2]));
            for i in 0..=20 {
                let middle = ends[0].lerp(ends[1], i as f32 / 20.0);
                let ray = ray_at(middle);
                let (distance, [share, _]) = tube.hit(&ray, 100.0).unwrap();
                let nearest = ends[0].lerp(ends[1], share);
                let found = ray.at(distance).distance(nearest);
                // Single precision over five metres.
                assert!((found - radius).abs() < 1e-5, "{found} for {radius}");
            }
        }
    }

    #[test]
    fn open_ends_of_bent_tubes_leave_no_gap() {
        let joint = Vec3::new(0.1, -0.2, 0.3);
        for bend in [0.05f32, 0.4, 1.0, 1.5] {
            let beyond = (bend / 2.0).tan() * 0.1;
            let out = Vec3::new(libm::cosf(bend), libm::sinf(bend), 0.0);
            let tubes = [
                Tube::new([joint - Vec3::X, joint], 0.1, 1.0, [End::Ball, End::Open(beyond)]),
                Tube::new([joint, joint + out], 0.1, 1.0, [End::Open(beyond), End::Ball]),
            ];
            for i in 0..2000 {
                // Around the joint, up to just inside the mantle.
                let angle = i as f32 * 0.1;
                let height = (i % 41) as f32 / 20.0 - 1.0;
                let aside = Vec3::new(libm::cosf(angle), libm::sinf(angle), height).normalize();
                let ray = ray_at(joint + aside * 0.099);
                assert!(tubes.iter().any(|tube| tube.hit(&ray).is_some()), "{bend} {i}");
            }
        }
    }

    #[test]
    fn everything_hit_is_in_the_bounds() {
        let ends = [Vec3::new(-0.5, 0.1, 0.0), Vec3::new(0.6, 0.3, 0.4)];
        for joint in [[End::Ball; 2], [End::Open(0.05), End::Ball], [End::Open(0.0); 2]] {
            let tube = Form::Tube(Tube::new(ends, 0.2, 1.0, joint));
            let [low, high] = tube.bounds();
            for i in 0..5000 {
                let angle = i as f32 * 0.7;
                let aim = ends[0].lerp(ends[1], (i % 71) as f32 / 50.0 - 0.2);
                let ray = ray_at(aim + Vec3::new(libm::cosf(angle), libm::sinf(angle), 0.0) * 0.2);
                if let Some((distance, _)) = tube.hit(&ray, 100.0) {
                    let at = ray.at(distance);
                    assert!(at.cmpge(low - 1e-5).all() && at.cmple(high + 1e-5).all(), "{at}");
                }
            }
        }
    }

    #[test]
    fn a_ball_is_a_tube_without_length() {
        let ball = Form::Tube(Tube::new([Vec3::X; 2], 0.5, 1.0, [End::Ball; 2]));
        let along = |y: f32| Ray::new(Vec3::new(-4.0, y, 0.0), Vec3::X, 0.0);
        assert!((ball.hit(&along(0.0), 100.0).unwrap().0 - 4.5).abs() < 1e-6);
        assert!(ball.hit(&along(0.499), 100.0).is_some());
        assert!(ball.hit(&along(0.501), 100.0).is_none());
        assert!(ball.hit(&along(0.0), 4.0).is_none());
    }

    #[test]
    fn what_is_less_opaque_than_the_dice_is_not_there() {
        let tube = Form::Tube(Tube::new([Vec3::ZERO; 2], 0.5, 0.4, [End::Ball; 2]));
        let ray = |dice| Ray::new(Vec3::new(0.0, 0.0, 3.0), Vec3::NEG_Z, dice);
        assert!(tube.hit(&ray(0.39), 100.0).is_some());
        assert!(tube.hit(&ray(0.41), 100.0).is_none());
    }
}
