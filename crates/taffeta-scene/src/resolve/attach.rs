//! Pins that solids carry: the paths of their particles, from the surface beneath them.

use glam::{DMat3, DVec3};
use taffeta::solid::SolidMeshKey;
use taffeta::{Hold, Motion, MotionKey, Pin, Shape, Solid, SolidMesh};

use crate::format::Carried;

/// The surface within this distance of a pinned particle carries it \[m\], or that which is not much
/// farther than the nearest.
const REACH: f64 = 0.05;
const FARTHER: f64 = 1.5;

/// Newton's steps to a rotation, each of which doubles its digits.
const STEPS: usize = 30;

/// What carries a pin: where the cloth begins, the solids, and when that is \[s\].
pub type Begin<'a> = (&'a [DVec3], &'a [Solid], f64);

/// A pin as the simulator takes it: one that a solid carries becomes as many as it takes.
pub fn carried(pin: &Pin, to: Option<&Carried>, begin: Begin) -> Result<Vec<Pin>, String> {
    match to {
        None => Ok(vec![pin.clone()]),
        Some(to) => carry(to, pin.clone(), begin),
    }
}

fn carry(to: &Carried, pin: Pin, (positions, solids, time): Begin) -> Result<Vec<Pin>, String> {
    let solid = solids.get(to.solid as usize).ok_or_else(|| match solids.len() {
        0 => format!("there is no solid {}: the scene has none", to.solid),
        count => format!("there is no solid {}: there are 0 to {}", to.solid, count - 1),
    })?;
    let mesh = match &solid.shape {
        Shape::Mesh(mesh) if mesh.deforms() => mesh,
        _ => return Ok(vec![Pin { motion: solid.motion.clone(), ..pin }]),
    };
    if pin.hold != Hold::Point {
        return Err("what slides cannot be carried by a solid that deforms".into());
    }
    if !solid.motion.keys.is_empty() {
        return Err("a solid that deforms carries pins only if it has no keys besides".into());
    }
    let places: Vec<DVec3> = pin.particles.iter().map(|p| positions[*p as usize]).collect();
    let pose = solid.pose_at(time);
    let own: Vec<DVec3> = places.iter().map(|place| pose.invert(*place)).collect();
    let body = Body { mesh, begin: solid.shape.mesh_at(time).positions };
    let paths = match to.rigid {
        true => body.rigid(&own),
        false => own.iter().map(|place| body.along_surface(*place)).collect(),
    };
    let path = |(particle, (start, path)): (&u32, (&DVec3, &Vec<DVec3>))| {
        let key = |(at, key): (&DVec3, &SolidMeshKey)| MotionKey {
            time: key.time,
            offset: pose.apply(*at) - pose.apply(*start),
            ..MotionKey::default()
        };
        let keys = path.iter().zip(mesh.keys()).map(key).collect();
        let motion = Motion { keys, ..Motion::still() };
        Pin { particles: vec![*particle], motion, ..pin.clone() }
    };
    Ok(pin.particles.iter().zip(own.iter().zip(&paths)).map(path).collect())
}

/// A solid that deforms.
struct Body<'a> {
    mesh: &'a SolidMesh,
    /// Where its vertices are when the cloth is put on it.
    begin: Vec<DVec3>,
}

impl Body<'_> {
    /// The paths of points that move as one with what of the surface is near any of them.
    fn rigid(&self, points: &[DVec3]) -> Vec<Vec<DVec3>> {
        let (mesh, rest) = (self.mesh, &self.begin[..]);
        let apart = |at: &DVec3| {
            points.iter().map(|point| point.distance(*at)).fold(f64::INFINITY, f64::min)
        };
        let distances: Vec<f64> = rest.iter().map(apart).collect();
        let nearest = distances.iter().copied().fold(f64::INFINITY, f64::min);
        let reach = REACH.max(FARTHER * nearest);
        let near: Vec<usize> = (0..rest.len()).filter(|&v| distances[v] <= reach).collect();
        let mut paths = vec![Vec::with_capacity(mesh.keys().len()); points.len()];
        let mut turn = DMat3::IDENTITY;
        for key in mesh.keys() {
            let [from, to] = [rest, &key.positions].map(|places| {
                near.iter().map(|&v| places[v]).sum::<DVec3>() / near.len().max(1) as f64
            });
            turn = rotation(&near, (rest, from), (&key.positions, to), turn);
            for (path, point) in paths.iter_mut().zip(points) {
                path.push(to + turn * (*point - from));
            }
        }
        paths
    }

    /// The path of a point that keeps its place beside the nearest triangle, in a frame that turns with it.
    fn along_surface(&self, point: DVec3) -> Vec<DVec3> {
        let (mesh, rest) = (self.mesh, &self.begin[..]);
        let middle = |triangle: &[u32; 3], at: &[DVec3]| {
            triangle.iter().map(|&corner| at[corner as usize]).sum::<DVec3>() / 3.0
        };
        let distance = |triangle: &[u32; 3]| middle(triangle, rest).distance_squared(point);
        let nearest = mesh.triangles().iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
        let Some(triangle) = nearest else { return Vec::new() };
        let offset = frame(triangle, rest).transpose() * (point - middle(triangle, rest));
        let path = mesh
            .keys()
            .iter()
            .map(|key| middle(triangle, &key.positions) + frame(triangle, &key.positions) * offset);
        path.collect()
    }
}

/// The turn that brings points about a middle nearest to others (Kabsch 1976), by Newton's way to the
/// polar factor; the one before where points lie too much in one plane to tell.
fn rotation(
    near: &[usize],
    (rest, from): (&[DVec3], DVec3),
    (now, to): (&[DVec3], DVec3),
    before: DMat3,
) -> DMat3 {
    let mut sum = DMat3::ZERO;
    for &v in near {
        let (a, b) = (rest[v] - from, now[v] - to);
        sum += DMat3::from_cols(b * a.x, b * a.y, b * a.z);
    }
    let size =
        (sum.x_axis.length_squared() + sum.y_axis.length_squared() + sum.z_axis.length_squared())
            .sqrt();
    let mut turn = sum * (1.0 / size.max(f64::MIN_POSITIVE));
    if turn.determinant() <= 1e-9 {
        return before;
    }
    for _ in 0..STEPS {
        turn = (turn + turn.inverse().transpose()) * 0.5;
    }
    turn
}

/// Along a triangle's first side, across it, and upright.
fn frame(triangle: &[u32; 3], at: &[DVec3]) -> DMat3 {
    let [a, b, c] = triangle.map(|corner| at[corner as usize]);
    let along = (b - a).normalize_or(DVec3::X);
    let upright = along.cross(c - a).normalize_or(along.any_orthonormal_vector());
    DMat3::from_cols(along, upright.cross(along), upright)
}
