//! A body that moves: all triangles of the default scene over the time of an animation, with
//! skeletons, morph targets and moving nodes.
//!
//! Vertices that are alike in all that moves them are one, so that seams of texture and materials
//! do not open.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use glam::{DMat4, DVec3};
use gltf::mesh::Mode;
use gltf::{Document, Node, Primitive, Semantic};

use super::super::builder::MeshBuilder;
use super::super::{Fault, FormatError, Moment, Motion};
use super::animation::{Animation, Moved};
use super::buffers::Buffers;
use super::primitive::{Piece, check_count, read_attribute};
use super::{accessor, document, nodes};

/// So much memory the vertices of a motion may take.
const MOST_BYTES: f64 = 8.0 * (1u64 << 30) as f64;

/// What is wanted of an animated file.
#[derive(Clone, Copy, Debug)]
pub struct MotionWish<'a> {
    /// The animation's name; without it, the only one.
    pub animation: Option<&'a str>,
    /// Moments a second.
    pub rate: f64,
}

/// Reads the motion of a glTF file, text or GLB; `open` reads a file that it names.
pub fn read_gltf_motion(
    bytes: &[u8],
    wish: MotionWish,
    open: &dyn Fn(&str) -> io::Result<Vec<u8>>,
) -> Result<Motion, FormatError> {
    let (document, blob) = document::parse(bytes)?;
    let mut buffers = Buffers::open(&document, blob, open)?;
    let chosen = choose(&document, wish.animation).map_err(|fault| fault.in_part("animations"))?;
    let part = format!("animation {}", chosen.index());
    let animation =
        Animation::read(&chosen, &mut buffers).map_err(|fault| fault.in_part(part.clone()))?;
    let body = Body::read(&document, &mut buffers)?;
    let [first, last] = animation.span;
    let moved = |time: f64| animation.at(first + time);
    let moments = body.moments(&document, (last - first, wish.rate), &moved)?;
    let still = moments.iter().all(|moment| moment.positions == moments[0].positions);
    if still && moments.len() > 1 {
        let what = "it moves no mesh: there is no skin, no morph target and no node with a mesh \
                    that it animates";
        return Err(Fault::malformed(what).in_part(part));
    }
    Ok(body.moving(moments))
}

/// The animation of this name, or the only one.
fn choose<'a>(document: &'a Document, name: Option<&str>) -> Result<gltf::Animation<'a>, Fault> {
    let all: Vec<gltf::Animation> = document.animations().collect();
    let names: Vec<String> =
        all.iter().map(|one| format!("`{}`", one.name().unwrap_or_default())).collect();
    let mut found = all.into_iter().filter(|one| name.is_none_or(|name| one.name() == Some(name)));
    match (found.next(), found.next(), name) {
        (Some(only), None, _) => Ok(only),
        (Some(first), _, Some(_)) => Ok(first),
        (None, _, None) => Err(Fault::missing("an animation")),
        (None, _, Some(name)) => Err(Fault::missing(format!(
            "the animation `{name}`, of {}, which are there,",
            names.join(", ")
        ))),
        (Some(_), _, None) => Err(Fault::malformed(format!(
            "there are {} animations; name one of {}",
            names.len(),
            names.join(", ")
        ))),
    }
}

/// All that is moved.
pub(super) struct Body {
    builder: MeshBuilder,
    parts: Vec<Part>,
}

/// Vertices that one node moves.
struct Part {
    node: usize,
    /// Weights of the morph targets where no animation says otherwise.
    weights: Vec<f64>,
    skin: Option<Bones>,
    vertices: Vec<Vertex>,
}

struct Bones {
    /// The node of each joint, and what takes a vertex to its frame.
    joints: Vec<(usize, DMat4)>,
}

#[derive(Clone)]
struct Vertex {
    at: DVec3,
    /// How far each morph target moves it.
    morphs: Vec<DVec3>,
    /// Joints and their weights.
    bones: Vec<(u32, f64)>,
}

impl Vertex {
    /// Equal for vertices that move alike.
    fn key(&self) -> Vec<u64> {
        let vectors = std::iter::once(&self.at).chain(&self.morphs);
        let numbers = vectors.flat_map(|vector| vector.to_array()).map(|x| (x + 0.0).to_bits());
        let bones =
            self.bones.iter().flat_map(|(joint, weight)| [u64::from(*joint), weight.to_bits()]);
        numbers.chain(bones).collect()
    }
}

impl Body {
    /// All meshes of the default scene.
    pub fn read(document: &Document, buffers: &mut Buffers) -> Result<Self, FormatError> {
        let mut body = Self { builder: MeshBuilder::new(), parts: Vec::new() };
        let places = nodes::places(document)?;
        for node in document.nodes().filter(|node| places[node.index()].is_some()) {
            body.add(&node, buffers)?;
        }
        if body.parts.is_empty() {
            return Err(Fault::missing("a mesh in the scene").in_part("scene"));
        }
        Ok(body)
    }

    /// The body with what it does.
    pub fn moving(self, moments: Vec<Moment>) -> Motion {
        let imported = self.builder.finish();
        Motion { faces: imported.mesh.faces, moments, notes: imported.notes }
    }

    /// The nodes that bend a mesh.
    pub fn joints(&self) -> BTreeSet<usize> {
        let skins = self.parts.iter().filter_map(|part| part.skin.as_ref());
        skins.flat_map(|skin| skin.joints.iter().map(|(node, _)| *node)).collect()
    }

    /// Adds the mesh of a node, if it has one.
    fn add(&mut self, node: &Node, buffers: &mut Buffers) -> Result<(), FormatError> {
        let Some(mesh) = node.mesh() else { return Ok(()) };
        let skin = node.skin().map(|skin| bones(&skin, buffers)).transpose();
        let skin = skin.map_err(|fault| fault.in_part(format!("skin of node {}", node.index())))?;
        let weights = node.weights().or(mesh.weights()).unwrap_or_default();
        let weights = weights.iter().map(|weight| f64::from(*weight)).collect();
        let mut part = Part { node: node.index(), weights, skin, vertices: Vec::new() };
        let first = self.parts.iter().map(|part| part.vertices.len() as u32).sum();
        let mut known = BTreeMap::new();
        for primitive in mesh.primitives() {
            let name = format!("mesh {}, primitive {}", mesh.index(), primitive.index());
            if matches!(
                primitive.mode(),
                Mode::Points | Mode::Lines | Mode::LineLoop | Mode::LineStrip
            ) {
                self.builder.notes.push(format!("{name}: points or lines were left out"));
                continue;
            }
            self.add_primitive(&primitive, buffers, (&mut part, first, &mut known))
                .map_err(|fault| fault.in_part(name))?;
        }
        self.parts.push(part);
        Ok(())
    }

    fn add_primitive(
        &mut self,
        primitive: &Primitive,
        buffers: &mut Buffers,
        (part, first, known): (&mut Part, u32, &mut BTreeMap<Vec<u64>, u32>),
    ) -> Result<(), Fault> {
        let piece = Piece::read(primitive, buffers)?;
        let vertices = vertices(&piece, primitive, part.skin.as_ref(), buffers)?;
        let mut numbers = Vec::with_capacity(vertices.len());
        for vertex in vertices {
            let next = first + part.vertices.len() as u32;
            let number = *known.entry(vertex.key()).or_insert(next);
            if number == next {
                part.vertices.push(vertex);
            }
            numbers.push(number);
        }
        for triangle in &piece.triangles {
            self.builder.face(&triangle.map(|corner| numbers[corner as usize]), None)?;
        }
        Ok(())
    }

    /// The vertices so many times a second, for so long; `moved` says what nodes are at a time.
    pub fn moments(
        &self,
        document: &Document,
        (lasts, rate): (f64, f64),
        moved: &dyn Fn(f64) -> BTreeMap<usize, Moved>,
    ) -> Result<Vec<Moment>, FormatError> {
        let count = (lasts * rate).floor();
        let vertices: usize = self.parts.iter().map(|part| part.vertices.len()).sum();
        let bytes = count * vertices as f64 * size_of::<DVec3>() as f64;
        if bytes > MOST_BYTES {
            let what = format!(
                "a motion of {lasts:.1} s, of which {vertices} vertices are kept {rate} times a second,"
            );
            let instead =
                "that takes more than 8 GiB: ask for fewer times a second, or a shorter motion";
            return Err(Fault::Unsupported { what, instead }.in_part("scene"));
        }
        // A last one at the end itself, unless the steps end there.
        let mut times: Vec<f64> = (0..=count as u32).map(|n| f64::from(n) / rate).collect();
        if lasts - count / rate > 1e-6 {
            times.push(lasts);
        }
        let moment = |time| Ok(Moment { time, positions: self.posed(document, &moved(time))? });
        times.into_iter().map(moment).collect()
    }

    /// Where the vertices are if nodes are moved so.
    pub fn posed(
        &self,
        document: &Document,
        moved: &BTreeMap<usize, Moved>,
    ) -> Result<Vec<DVec3>, FormatError> {
        let places = nodes::places_moved(document, moved)?;
        let mut positions = Vec::new();
        for part in &self.parts {
            let posed = part.pose(&places, moved.get(&part.node));
            positions.extend(posed.map_err(|fault| fault.in_part(format!("node {}", part.node)))?);
        }
        Ok(positions)
    }
}

impl Part {
    /// Where its vertices are.
    fn pose(&self, places: &[Option<DMat4>], moved: Option<&Moved>) -> Result<Vec<DVec3>, Fault> {
        let weights = moved.and_then(|moved| moved.weights.as_ref()).unwrap_or(&self.weights);
        let morphed = self.vertices.iter().map(|vertex| {
            let shifts = vertex.morphs.iter().zip(weights);
            vertex.at + shifts.map(|(shift, weight)| *shift * *weight).sum::<DVec3>()
        });
        let Some(skin) = &self.skin else {
            let place = places[self.node].unwrap_or_default();
            return Ok(morphed.map(|at| place.transform_point3(at)).collect());
        };
        let matrices: Vec<DMat4> = skin
            .joints
            .iter()
            .map(|(joint, inverse_bind)| {
                let missing = || Fault::missing(format!("joint {joint} of the skin in the scene"));
                Ok(places[*joint].ok_or_else(missing)? * *inverse_bind)
            })
            .collect::<Result<_, Fault>>()?;
        let blend = |(at, vertex): (DVec3, &Vertex)| {
            let parts = vertex.bones.iter();
            parts.map(|(joint, w)| *w * matrices[*joint as usize].transform_point3(at)).sum()
        };
        Ok(morphed.zip(&self.vertices).map(blend).collect())
    }
}

fn bones(skin: &gltf::Skin, buffers: &mut Buffers) -> Result<Bones, Fault> {
    let binds = skin.inverse_bind_matrices();
    let binds = binds.map(|accessor| accessor::read::<16>(&accessor, buffers)).transpose()?;
    let joints = skin.joints().enumerate().map(|(number, joint)| {
        let Some(binds) = &binds else { return Ok((joint.index(), DMat4::IDENTITY)) };
        let missing = || Fault::missing(format!("the inverse bind matrix of joint {number}"));
        let bind = binds.get(number).ok_or_else(missing)?;
        Ok((joint.index(), DMat4::from_cols_array(bind)))
    });
    Ok(Bones { joints: joints.collect::<Result<_, Fault>>()? })
}

/// The vertices of a primitive with all that moves them.
fn vertices(
    piece: &Piece,
    primitive: &Primitive,
    skin: Option<&Bones>,
    buffers: &mut Buffers,
) -> Result<Vec<Vertex>, Fault> {
    let plain = |at: &DVec3| Vertex { at: *at, morphs: Vec::new(), bones: Vec::new() };
    let mut vertices: Vec<Vertex> = piece.positions.iter().map(plain).collect();
    for target in primitive.morph_targets() {
        let shifts = match target.positions() {
            Some(accessor) => accessor::read::<3>(&accessor, buffers)?,
            None => vec![[0.0; 3]; vertices.len()],
        };
        check_count("displacements of a morph target", shifts.len(), vertices.len())?;
        for (vertex, shift) in vertices.iter_mut().zip(shifts) {
            vertex.morphs.push(DVec3::from_array(shift));
        }
    }
    let Some(skin) = skin else { return Ok(vertices) };
    for set in 0.. {
        let Some(joints) = read_attribute::<4>(primitive, &Semantic::Joints(set), buffers)? else {
            if set == 0 {
                return Err(Fault::missing("the attribute JOINTS_0 of a skinned mesh"));
            }
            break;
        };
        let weights = read_attribute::<4>(primitive, &Semantic::Weights(set), buffers)?
            .ok_or_else(|| Fault::missing(format!("the attribute WEIGHTS_{set}")))?;
        check_count("joints", joints.len(), vertices.len())?;
        check_count("weights", weights.len(), vertices.len())?;
        for (vertex, pairs) in vertices.iter_mut().zip(joints.iter().zip(&weights)) {
            for (joint, weight) in pairs.0.iter().zip(pairs.1).filter(|(_, weight)| **weight != 0.0)
            {
                let (number, count) = (*joint as i64, skin.joints.len());
                if number as usize >= count {
                    return Err(Fault::OutOfRange { what: "joint", number, count });
                }
                vertex.bones.push((number as u32, *weight));
            }
        }
    }
    Ok(vertices)
}
