//! The mannequin's skin as the zero of a function: ellipses lofted along the trunk, round cones and
//! ellipsoids, joined by smooth minima. Girths are near those of GarmentCode's mean body.

use glam::{DMat3, DVec3};

use super::skeleton::{Joint, Side};

/// The trunk: height, half width, half depth, and how far forward the middle is \[m\].
const TRUNK: [[f64; 4]; 13] = [
    [0.74, 0.060, 0.050, 0.000],
    [0.80, 0.150, 0.108, -0.006],
    [0.875, 0.179, 0.125, -0.008],
    [0.95, 0.174, 0.122, -0.006],
    [1.03, 0.158, 0.118, 0.002],
    [1.10, 0.150, 0.117, 0.004],
    [1.18, 0.152, 0.116, 0.002],
    [1.25, 0.164, 0.116, -0.004],
    [1.32, 0.162, 0.104, -0.012],
    [1.38, 0.146, 0.086, -0.018],
    [1.43, 0.100, 0.068, -0.020],
    [1.47, 0.060, 0.058, -0.014],
    [1.51, 0.050, 0.054, -0.005],
];

/// Below zero inside; in metres near the surface.
pub fn signed(at: DVec3) -> f64 {
    let middle = middle(at);
    let legs = smooth(leg(at, Side::Left), leg(at, Side::Right), 0.012);
    let stands = smooth(middle, legs, 0.035).max(-at.y);
    let left = smooth(stands, arm(at, Side::Left), 0.035);
    let right = smooth(stands, arm(at, Side::Right), 0.035);
    left.min(right)
}

/// Trunk, neck and head.
fn middle(at: DVec3) -> f64 {
    let mirrored = DVec3::new(at.x.abs(), at.y, at.z);
    let seat = ellipsoid(mirrored, DVec3::new(0.082, 0.868, -0.07), [0.085, 0.085, 0.075]);
    let breast = ellipsoid(mirrored, DVec3::new(0.083, 1.245, 0.083), [0.068, 0.066, 0.064]);
    let nape = [DVec3::new(0.0, 1.44, -0.025), DVec3::new(0.155, 1.39, -0.018)];
    let shoulder = cone(mirrored, nape, [0.050, 0.052]);
    let neck = [DVec3::new(0.0, 1.43, -0.02), DVec3::new(0.0, 1.54, 0.01)];
    let skull = ellipsoid(at, DVec3::new(0.0, 1.62, 0.008), [0.076, 0.100, 0.096]);
    let jaw = ellipsoid(at, DVec3::new(0.0, 1.563, 0.045), [0.052, 0.062, 0.058]);
    let nose = ellipsoid(at, DVec3::new(0.0, 1.595, 0.100), [0.014, 0.026, 0.020]);
    let head = smooth(smooth(skull, jaw, 0.04), nose, 0.02);
    let body = smooth(smooth(trunk(at), seat, 0.05), breast, 0.03);
    let body = smooth(body, shoulder, 0.05);
    smooth(smooth(body, cone(at, neck, [0.058, 0.052]), 0.03), head, 0.03)
}

fn trunk(at: DVec3) -> f64 {
    let [low, high] = [TRUNK[0][0], TRUNK[TRUNK.len() - 1][0]];
    let [width, depth, forward] = lofted(at.y.clamp(low, high));
    let (x, z) = (at.x / width, (at.z - forward) / depth);
    let around = ((x * x + z * z).sqrt() - 1.0) * width.min(depth);
    around.max(at.y - high).max(low - at.y)
}

/// The trunk's ellipse at a height, by Catmull and Rom's splines.
fn lofted(y: f64) -> [f64; 3] {
    let above = TRUNK.iter().position(|row| row[0] > y).unwrap_or(TRUNK.len() - 1).max(1);
    let row = |at: usize| TRUNK[at.min(TRUNK.len() - 1)];
    let (before, from, to, after) =
        (row(above.saturating_sub(2)), row(above - 1), row(above), row(above + 1));
    let length = to[0] - from[0];
    let t = (y - from[0]) / length;
    let (t2, t3) = (t * t, t * t * t);
    std::array::from_fn(|k| {
        let k = k + 1;
        let slope_in = (to[k] - before[k]) / (to[0] - before[0]) * length;
        let slope_out = (after[k] - from[k]) / (after[0] - from[0]) * length;
        from[k] * (2.0 * t3 - 3.0 * t2 + 1.0)
            + slope_in * (t3 - 2.0 * t2 + t)
            + to[k] * (3.0 * t2 - 2.0 * t3)
            + slope_out * (t3 - t2)
    })
}

fn leg(at: DVec3, side: Side) -> f64 {
    let p = |x, y, z| side.place(x, y, z);
    let thigh = cone(at, [p(0.104, 0.79, -0.006), p(0.122, 0.49, 0.008)], [0.089, 0.057]);
    let shin = cone(at, [p(0.122, 0.49, 0.002), p(0.14, 0.10, -0.022)], [0.052, 0.036]);
    let calf = ellipsoid(at, p(0.128, 0.36, -0.022), [0.046, 0.11, 0.046]);
    let heel = cone(at, [p(0.139, 0.032, -0.042), p(0.15, 0.024, 0.10)], [0.038, 0.038]);
    let toes = cone(at, [p(0.15, 0.022, 0.10), p(0.153, 0.018, 0.155)], [0.038, 0.026]);
    let instep = cone(at, [p(0.14, 0.09, -0.018), p(0.149, 0.038, 0.085)], [0.036, 0.026]);
    let leg = smooth(smooth(thigh, shin, 0.03), calf, 0.04);
    smooth(leg, smooth(smooth(heel, toes, 0.02), instep, 0.02), 0.03)
}

fn arm(at: DVec3, side: Side) -> f64 {
    let [shoulder, elbow, wrist] =
        [Joint::UpperArm(side), Joint::Forearm(side), Joint::Hand(side)].map(Joint::place);
    let along = (wrist - elbow).normalize();
    let upper = cone(at, [shoulder, elbow], [0.056, 0.040]);
    let lower = cone(at, [elbow, wrist], [0.041, 0.027]);
    let frame = DMat3::from_cols(along, along.cross(DVec3::Z), DVec3::Z);
    let palm = wrist + along * 0.085;
    let hand = ellipsoid(frame.transpose() * (at - palm), DVec3::ZERO, [0.095, 0.025, 0.043]);
    let thumb = [wrist + along * 0.03 + DVec3::Z * 0.022, wrist + along * 0.085 + DVec3::Z * 0.06];
    let hand = smooth(hand, cone(at, thumb, [0.016, 0.013]), 0.015);
    smooth(smooth(upper, lower, 0.02), hand, 0.02)
}

/// A ball of growing radius from one point to another, as Quílez has its distance.
fn cone(at: DVec3, [from, to]: [DVec3; 2], [r1, r2]: [f64; 2]) -> f64 {
    let axis = to - from;
    let length2 = axis.length_squared();
    let slope = r1 - r2;
    let a2 = length2 - slope * slope;
    let offset = at - from;
    let y = offset.dot(axis);
    let z = y - length2;
    let x2 = (offset * length2 - axis * y).length_squared();
    let (y2, z2) = (y * y * length2, z * z * length2);
    let k = slope.signum() * slope * slope * x2;
    if z.signum() * a2 * z2 > k {
        return (x2 + z2).sqrt() / length2 - r2;
    }
    if y.signum() * a2 * y2 < k {
        return (x2 + y2).sqrt() / length2 - r1;
    }
    ((x2 * a2 / length2).sqrt() + y * slope) / length2 - r1
}

fn ellipsoid(at: DVec3, middle: DVec3, radii: [f64; 3]) -> f64 {
    let radii = DVec3::from_array(radii);
    let offset = at - middle;
    let (scaled, steep) = ((offset / radii).length(), (offset / (radii * radii)).length());
    if steep == 0.0 { -radii.min_element() } else { scaled * (scaled - 1.0) / steep }
}

/// The least of two, rounded where they are within `reach` of each other.
fn smooth(a: f64, b: f64, reach: f64) -> f64 {
    let near = (reach - (a - b).abs()).max(0.0) / reach;
    a.min(b) - near * near * reach / 4.0
}
