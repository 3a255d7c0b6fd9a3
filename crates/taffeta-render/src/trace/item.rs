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
    /// All points within a radius of a segment.
    Tube {
        ends: [Vec3; 2],
        radius: f32,
        opacity: f32,
    },
}

impl Form {
    /// The lower and the upper corner of its bounding box.
    pub fn bounds(&self) -> [Vec3; 2] {
        match *self {
            Self::Triangle([a, b, c]) => [a.min(b).min(c), a.max(b).max(c)],
            Self::Tube { ends: [a, b], radius, .. } => [a.min(b) - radius, a.max(b) + radius],
        }
    }

    /// The distance along the ray, beyond zero and below `limit`, and the place in the item.
    #[inline]
    pub fn hit(&self, ray: &Ray, limit: f32) -> Option<(f32, [f32; 2])> {
        match self {
            Self::Triangle(corners) => hit_triangle(ray, limit, corners),
            Self::Tube { opacity, .. } if *opacity <= ray.dice => None,
            Self::Tube { ends, radius, .. } => hit_tube(ray, limit, ends, *radius),
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

fn hit_tube(ray: &Ray, limit: f32, ends: &[Vec3; 2], radius: f32) -> Option<(f32, [f32; 2])> {
    // Measured from where the ray is nearest to the first end: a thin tube far away would drown
    // in rounding if measured from the ray's origin.
    let shift = (ends[0] - ray.origin).dot(ray.direction);
    let start = ray.at(shift) - ends[0];
    let span = ends[1] - ends[0];
    let length = span.length();
    let axis = if length > 0.0 { span / length } else { Vec3::ZERO };
    let (along, slope) = (start.dot(axis), ray.direction.dot(axis));
    let across = ray.direction - axis * slope;
    let side = start - axis * along;
    let (distance, place) = enter(across, side, radius)
        .map(|t| (t, along + t * slope))
        .filter(|(_, place)| (0.0..=length).contains(place))
        .or_else(|| hit_caps(ray.direction, start, span, radius, length))?;
    let distance = distance + shift;
    let share = if length > 0.0 { place / length } else { 0.0 };
    (distance > 0.0 && distance < limit).then_some((distance, [share, 0.0]))
}

/// The nearer of the two balls at a tube's ends.
fn hit_caps(
    direction: Vec3,
    start: Vec3,
    span: Vec3,
    radius: f32,
    length: f32,
) -> Option<(f32, f32)> {
    let ball = |centre: Vec3, place: f32| {
        enter(direction, start - centre, radius).map(|distance| (distance, place))
    };
    match (ball(Vec3::ZERO, 0.0), ball(span, length)) {
        (Some(first), Some(second)) => Some(if first.0 <= second.0 { first } else { second }),
        (first, second) => first.or(second),
    }
}

/// The time at which a moving point first is within a radius of the origin.
///
/// Reckoned from the moment it is nearest, where no large numbers cancel.
fn enter(velocity: Vec3, offset: Vec3, radius: f32) -> Option<f32> {
    let squared = velocity.dot(velocity);
    let middle = -velocity.dot(offset) / squared;
    let nearest = offset + velocity * middle;
    let within = radius * radius - nearest.dot(nearest);
    (squared > 1e-12 && within >= 0.0).then(|| middle - (within / squared).sqrt())
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
            let tube = Form::Tube { ends, radius, opacity: 1.0 };
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
    fn a_ball_is_a_tube_without_length() {
        let ball = Form::Tube { ends: [Vec3::X; 2], radius: 0.5, opacity: 1.0 };
        let along = |y: f32| Ray::new(Vec3::new(-4.0, y, 0.0), Vec3::X, 0.0);
        assert!((ball.hit(&along(0.0), 100.0).unwrap().0 - 4.5).abs() < 1e-6);
        assert!(ball.hit(&along(0.499), 100.0).is_some());
        assert!(ball.hit(&along(0.501), 100.0).is_none());
        assert!(ball.hit(&along(0.0), 4.0).is_none());
    }

    #[test]
    fn what_is_less_opaque_than_the_dice_is_not_there() {
        let tube = Form::Tube { ends: [Vec3::ZERO; 2], radius: 0.5, opacity: 0.4 };
        let ray = |dice| Ray::new(Vec3::new(0.0, 0.0, 3.0), Vec3::NEG_Z, dice);
        assert!(tube.hit(&ray(0.39), 100.0).is_some());
        assert!(tube.hit(&ray(0.41), 100.0).is_none());
    }
}
