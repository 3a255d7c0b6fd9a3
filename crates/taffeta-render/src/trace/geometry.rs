//! A scene compiled for tracing: single precision around the camera's target, triangles and
//! tubes only, everything checked.

use std::sync::Arc;

use glam::{DVec3, Vec2, Vec3};

use super::item::{self, End, Form, Item};
use super::refine::{Fine, refine};
use super::spline::{Knot, knots};
use crate::error::RenderError;
use crate::scene::{Cover, Curve, Material, Scene, Shape, Surface};
use crate::texture::Image;
use taffeta::mesh::Faces;

/// A scene compiled for tracing.
pub struct Geometry {
    origin: DVec3,
    pub vertices: Vec<Vertex>,
    pub triangles: Vec<Triangle>,
    /// The places of the corners of triangles in their object's picture.
    pub places: Vec<[Vec2; 3]>,
    pub points: Vec<Point>,
    pub tubes: Vec<Tube>,
    pub objects: Vec<Object>,
}

/// A corner of triangles.
#[derive(Clone, Copy)]
pub struct Vertex {
    pub position: Vec3,
    pub normal: Vec3,
    pub colour: Vec3,
}

pub struct Triangle {
    pub corners: [u32; 3],
    pub object: u32,
}

/// A point of a tube.
#[derive(Clone, Copy)]
pub struct Point {
    pub position: Vec3,
    pub tangent: Vec3,
    pub side: Vec3,
    /// Length along the curve, in radii.
    pub length: f32,
}

pub struct Tube {
    /// Its two points, in order along the curve.
    pub points: [u32; 2],
    pub radius: f32,
    pub opacity: f32,
    pub ends: [End; 2],
    pub object: u32,
}

/// What the triangles and tubes of one item of the scene have in common.
pub struct Object {
    pub material: Material,
    pub paint: Paint,
}

/// Where the colour of an object comes from.
pub enum Paint {
    /// Its material.
    Plain,
    /// The colours of its vertices.
    Vertices,
    /// A picture; the place of a triangle in it has its number less `skipped`.
    Picture { image: Arc<Image>, skipped: u32 },
}

/// Memory a triangle or a tube takes with its vertices and its share of the tree, in bytes, at the
/// peak of making them.
const BYTES_AN_ITEM: u64 = 256;

/// The memory a scene takes when compiled, in bytes.
pub fn memory_needed(scene: &Scene) -> u64 {
    let mesh = |faces: &Faces, pieces: u32| {
        let triangles = faces.all_corners().len().saturating_sub(2 * faces.len()) as u64;
        triangles.saturating_mul(u64::from(pieces) * u64::from(pieces))
    };
    let surfaces = scene.surfaces.iter().map(|surface| mesh(&surface.faces, surface.pieces));
    let curves = scene.curves.iter().map(|c| c.points.len() as u64 * u64::from(c.pieces));
    let solids = scene.solids.iter().map(|solid| match &solid.shape {
        Shape::Mesh { faces, .. } => mesh(faces, 1),
        Shape::Box { .. } => 12,
        Shape::Sphere { .. } | Shape::Capsule { .. } | Shape::Plane { .. } => 2,
    });
    let items = surfaces.chain(curves).chain(solids).fold(0u64, u64::saturating_add);
    items.saturating_mul(BYTES_AN_ITEM)
}

impl Geometry {
    pub fn of(scene: &Scene) -> Result<Self, RenderError> {
        scene.camera.check()?;
        let origin = scene.camera.target;
        let mut geometry = Self {
            origin,
            vertices: Vec::new(),
            triangles: Vec::new(),
            places: Vec::new(),
            points: Vec::new(),
            tubes: Vec::new(),
            objects: Vec::new(),
        };
        scene.surfaces.iter().try_for_each(|surface| geometry.add_surface(surface, "a surface"))?;
        scene.curves.iter().try_for_each(|curve| geometry.add_curve(curve))?;
        for solid in &scene.solids {
            geometry.add_solid(&solid.shape, solid.material)?;
        }
        Ok(geometry)
    }

    /// A place in single precision.
    pub fn local(&self, position: DVec3) -> Vec3 {
        (position - self.origin).as_vec3()
    }

    /// Everything a ray can hit: triangles, then tubes.
    pub fn items(&self) -> Vec<Item> {
        let corner = |vertex: u32| self.vertices[vertex as usize].position;
        let point = |point: u32| self.points[point as usize].position;
        let triangles = self.triangles.iter().map(|t| Form::Triangle(t.corners.map(corner)));
        let tube = |t: &Tube| item::Tube::new(t.points.map(point), t.radius, t.opacity, t.ends);
        let tubes = self.tubes.iter().map(|t| Form::Tube(tube(t)));
        triangles.chain(tubes).zip(0..).map(|(form, number)| Item { number, form }).collect()
    }

    fn add_surface(&mut self, surface: &Surface, what: &'static str) -> Result<(), RenderError> {
        self.check_positions(what, &surface.positions)?;
        let count = surface.positions.len();
        if let Some(corner) = surface.faces.all_corners().iter().find(|&&c| c as usize >= count) {
            let (found, wanted) =
                (format!("a face with vertex {corner}"), format!("{count} at most"));
            return Err(RenderError::Mismatch { what, found, wanted });
        }
        let (paint, places) = self.paint(surface, what)?;
        let object = self.new_object(surface.material, paint);
        let base = self.vertices.len() as u32;
        let Fine { positions, normals, colours, triangles, places } = refine(surface, &places);
        self.places.extend(places);
        for (i, (position, normal)) in positions.iter().zip(&normals).enumerate() {
            let colour = colours.get(i).copied().unwrap_or(Vec3::ZERO);
            let position = self.local(*position);
            self.vertices.push(Vertex { position, normal: normal.as_vec3(), colour });
        }
        let based = |corners: [u32; 3]| corners.map(|corner| corner + base);
        self.triangles
            .extend(triangles.into_iter().map(|t| Triangle { corners: based(t), object }));
        Ok(())
    }

    /// What colours a surface, and the places of its corners in its picture if it has one.
    fn paint(
        &self,
        surface: &Surface,
        what: &'static str,
    ) -> Result<(Paint, Vec<Vec2>), RenderError> {
        match &surface.cover {
            Cover::Plain => Ok((Paint::Plain, Vec::new())),
            Cover::Vertices(colours) if colours.len() == surface.positions.len() => {
                Ok((Paint::Vertices, Vec::new()))
            }
            Cover::Vertices(colours) => {
                let found = format!("{} colours", colours.len());
                let wanted = surface.positions.len().to_string();
                Err(RenderError::Mismatch { what, found, wanted })
            }
            Cover::Texture(texture) => {
                let places = texture.places(&surface.faces).ok_or(RenderError::NoPlaces)?;
                let skipped = (self.triangles.len() - self.places.len()) as u32;
                let image = Arc::clone(texture.image());
                Ok((Paint::Picture { image, skipped }, places))
            }
        }
    }

    fn add_curve(&mut self, curve: &Curve) -> Result<(), RenderError> {
        let what = "a curve";
        self.check_positions(what, &curve.points)?;
        if !curve.opacities.is_empty() && curve.opacities.len() != curve.points.len() {
            let found = format!("{} opacities", curve.opacities.len());
            let wanted = curve.points.len().to_string();
            return Err(RenderError::Mismatch { what, found, wanted });
        }
        let object = self.new_object(curve.material, Paint::Plain);
        let (base, radius) = (self.points.len() as u32, curve.radius as f32);
        let knots = knots(&curve.points, curve.pieces);
        for knot in &knots {
            self.points.push(Point {
                position: self.local(knot.position),
                tangent: knot.tangent.as_vec3(),
                side: knot.side.as_vec3(),
                length: (knot.length / curve.radius) as f32,
            });
        }
        for (i, pair) in knots.windows(2).enumerate() {
            let opacity = opacity_at(&curve.opacities, (pair[0].place + pair[1].place) / 2.0);
            let points = [base + i as u32, base + i as u32 + 1];
            let ends = [joint(&knots, i, radius), joint(&knots, i + 1, radius)];
            self.tubes.push(Tube { points, radius, opacity, ends, object });
        }
        Ok(())
    }

    fn add_solid(&mut self, shape: &Shape, material: Material) -> Result<(), RenderError> {
        match shape {
            Shape::Sphere { centre, radius } => self.add_capsule([*centre; 2], *radius, material),
            Shape::Capsule { ends, radius } => self.add_capsule(*ends, *radius, material),
            Shape::Box { centre, axes } => box_sides(*centre, *axes)
                .into_iter()
                .try_for_each(|side| self.add_patch(&side, material)),
            Shape::Plane { centre, normal, reach } => {
                let normal = normal.try_normalize().unwrap_or(DVec3::Y);
                let (a, b) = normal.any_orthonormal_pair();
                let (a, b) = (a * *reach, b * *reach);
                let corners = [*centre - a - b, *centre + a - b, *centre + a + b, *centre - a + b];
                self.add_patch(&corners, material)
            }
            Shape::Mesh { positions, faces } => {
                let (positions, faces) = (positions.clone(), faces.clone());
                let cover = Cover::Plain;
                let surface = Surface { positions, faces, cover, material, pieces: 1 };
                self.add_surface(&surface, "a solid")
            }
        }
    }

    fn add_capsule(
        &mut self,
        ends: [DVec3; 2],
        radius: f64,
        material: Material,
    ) -> Result<(), RenderError> {
        self.check_positions("a solid", &ends)?;
        let object = self.new_object(material, Paint::Plain);
        let base = self.points.len() as u32;
        let tangent = (ends[1] - ends[0]).try_normalize().unwrap_or(DVec3::Y);
        let side = tangent.any_orthonormal_vector().as_vec3();
        for position in ends {
            let (position, tangent) = (self.local(position), tangent.as_vec3());
            self.points.push(Point { position, tangent, side, length: 0.0 });
        }
        let (points, ends) = ([base, base + 1], [End::Ball; 2]);
        self.tubes.push(Tube { points, radius: radius as f32, opacity: 1.0, ends, object });
        Ok(())
    }

    fn add_patch(&mut self, corners: &[DVec3; 4], material: Material) -> Result<(), RenderError> {
        let mut faces = Faces::new();
        faces.push(&[0, 1, 2, 3]);
        let positions = corners.to_vec();
        let surface = Surface { positions, faces, cover: Cover::Plain, material, pieces: 1 };
        self.add_surface(&surface, "a solid")
    }

    fn new_object(&mut self, material: Material, paint: Paint) -> u32 {
        self.objects.push(Object { material, paint });
        self.objects.len() as u32 - 1
    }

    fn check_positions(&self, what: &'static str, all: &[DVec3]) -> Result<(), RenderError> {
        match all.iter().position(|position| !self.local(*position).is_finite()) {
            None => Ok(()),
            Some(vertex) => {
                let position = all[vertex].to_string();
                Err(RenderError::NotFinite { what, vertex, position })
            }
        }
    }
}

/// How the pieces of a curve meet at a knot.
fn joint(knots: &[Knot], at: usize, radius: f32) -> End {
    let direction = |from: usize, to: usize| {
        let [from, to] = [from, to].map(|knot| knots.get(knot).map(|knot| knot.position));
        (to? - from?).try_normalize()
    };
    let (Some(before), Some(after)) =
        (at.checked_sub(1).and_then(|last| direction(last, at)), direction(at, at + 1))
    else {
        return End::Ball;
    };
    // The tangent of half the bend; where that is large a ball is smaller.
    let half = (after - before).length() / (after + before).length();
    if half < 1.0 { End::Open(half as f32 * radius) } else { End::Ball }
}

/// Between the given points opacity goes in a straight line.
fn opacity_at(opacities: &[f32], place: f64) -> f32 {
    if opacities.is_empty() {
        return 1.0;
    }
    let first = (place as usize).min(opacities.len() - 1);
    let second = (first + 1).min(opacities.len() - 1);
    let share = (place - first as f64) as f32;
    opacities[first] * (1.0 - share) + opacities[second] * share
}

/// The six sides of a box, their fronts outside if the axes are right-handed.
fn box_sides(centre: DVec3, axes: [DVec3; 3]) -> Vec<[DVec3; 4]> {
    let mut sides = Vec::with_capacity(6);
    for i in 0..3 {
        let (out, a, b) = (axes[i], axes[(i + 1) % 3], axes[(i + 2) % 3]);
        sides.push([out - a - b, out + a - b, out + a + b, out - a + b].map(|p| centre + p));
        sides.push([-out - a - b, -out - a + b, -out + a + b, -out + a - b].map(|p| centre + p));
    }
    sides
}
