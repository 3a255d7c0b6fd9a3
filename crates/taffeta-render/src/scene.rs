//! What a picture shows, as plain data: surfaces, curves and solids, the light on them and the
//! camera that looks. Whatever is to be seen is another item in one of the lists.

use glam::{DVec3, Vec3};
use taffeta::mesh::Faces;

use crate::camera::Camera;
use crate::colour::{Colour, from_code};
use crate::texture::Texture;

/// Everything in a picture.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Cloth and other meshes.
    pub surfaces: Vec<Surface>,
    /// Yarns and lines.
    pub curves: Vec<Curve>,
    /// Bodies with a simple shape.
    pub solids: Vec<Solid>,
    /// The floor, if there is one.
    pub ground: Option<Ground>,
    /// What lights it.
    pub light: Light,
    /// What is seen where there is nothing.
    pub background: Colour,
    /// Who looks.
    pub camera: Camera,
}

/// A mesh of triangles and quads, seen from both sides.
#[derive(Clone, Debug)]
pub struct Surface {
    /// Vertex positions \[m\].
    pub positions: Vec<DVec3>,
    /// The faces, by vertex number; fronts are counter-clockwise.
    pub faces: Faces,
    /// What colours it.
    pub cover: Cover,
    /// What it is made of.
    pub material: Material,
    /// Each edge is drawn as so many pieces of a smooth surface; 1 draws the faces as they are.
    pub pieces: u32,
}

/// What colours a surface.
#[derive(Clone, Debug)]
pub enum Cover {
    /// Its material.
    Plain,
    /// A colour for each vertex.
    Vertices(Vec<Colour>),
    /// A picture, on both sides.
    Texture(Texture),
}

/// A tube along a Catmull-Rom spline.
#[derive(Clone, Debug)]
pub struct Curve {
    /// The points the spline passes through \[m\].
    pub points: Vec<DVec3>,
    /// Radius of the tube \[m\].
    pub radius: f64,
    /// How much of what is behind each point it hides, 0 to 1; empty where it hides all.
    pub opacities: Vec<f32>,
    /// What it is made of.
    pub material: Material,
    /// Each span between two points is drawn as so many straight pieces.
    pub pieces: u32,
}

/// A body.
#[derive(Clone, Debug)]
pub struct Solid {
    /// Its shape and place.
    pub shape: Shape,
    /// What it is made of.
    pub material: Material,
}

/// The shape and place of a solid.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A ball.
    Sphere {
        /// Its centre \[m\].
        centre: DVec3,
        /// Its radius \[m\].
        radius: f64,
    },
    /// All points within a distance of a segment.
    Capsule {
        /// The segment's ends \[m\].
        ends: [DVec3; 2],
        /// The distance \[m\].
        radius: f64,
    },
    /// A box.
    Box {
        /// Its centre \[m\].
        centre: DVec3,
        /// From the centre to the middle of three faces \[m\], at right angles to each other.
        axes: [DVec3; 3],
    },
    /// A flat square patch.
    Plane {
        /// Its centre \[m\].
        centre: DVec3,
        /// The direction it faces.
        normal: DVec3,
        /// Half its side \[m\].
        reach: f64,
    },
    /// Any mesh.
    Mesh {
        /// Vertex positions \[m\].
        positions: Vec<DVec3>,
        /// Triangles and quads.
        faces: Faces,
    },
}

/// A level floor that fades into the background.
#[derive(Clone, Copy, Debug)]
pub struct Ground {
    /// Its height \[m\].
    pub height: f64,
    /// Its colour.
    pub colour: Colour,
    /// The point it fades around \[m\].
    pub centre: DVec3,
    /// The distance at which it is gone \[m\].
    pub reach: f64,
}

/// A sun, and a sky above the reflection of the ground.
#[derive(Clone, Copy, Debug)]
pub struct Light {
    /// The direction towards the sun.
    pub towards: Vec3,
    /// The angle between the sun's centre and its rim \[rad\]: how soft shadows are.
    pub softness: f32,
    /// What the sun gives a white surface that faces it.
    pub sun: Colour,
    /// What an open sky gives a white surface that faces up.
    pub sky: Colour,
    /// What a white surface that faces down gets.
    pub below: Colour,
}

impl Light {
    /// A studio: the key light high on the left and only a little before the cloth, so that folds
    /// throw shade.
    pub fn studio() -> Self {
        Self {
            towards: Vec3::new(-0.74, 0.72, 0.48).normalize(),
            softness: 0.09,
            sun: Vec3::new(1.0, 0.955, 0.88) * 1.5,
            sky: Vec3::new(0.46, 0.5, 0.58),
            below: Vec3::new(0.32, 0.3, 0.28),
        }
    }
}

/// What something is made of.
#[derive(Clone, Copy, Debug)]
pub struct Material {
    /// Colour of the front.
    pub front: Colour,
    /// Colour of the back; that of the front on curves and solids.
    pub back: Colour,
    /// How it answers light.
    pub finish: Finish,
}

/// How a material answers light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Finish {
    /// The colour itself, whatever the light: for marks and diagrams.
    Flat,
    /// Scatters evenly.
    Matte,
    /// Scatters, shimmers where seen edge-on, and lets some light through.
    Cloth,
    /// Scatters along its fibres, which are twisted around the curve.
    Yarn,
}

impl Material {
    /// One colour all over.
    pub fn new(code: u32, finish: Finish) -> Self {
        let colour = from_code(code);
        Self { front: colour, back: colour, finish }
    }
}
