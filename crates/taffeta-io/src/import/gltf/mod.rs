//! glTF and GLB: all triangles of the default scene as one mesh.
//!
//! - Every mesh of the scene is read where its nodes place it, as often as they place it.
//! - A skinned mesh is read in the pose that its skeleton has in the file.
//! - glTF repeats a vertex for each texture coordinate and normal it has. Vertices of one mesh at
//!   exactly the same place are therefore joined into one, across its primitives too, which only
//!   tell its materials apart; texture coordinates stay with the corners. A note says how many
//!   were joined.
//! - Texture coordinates are the set `TEXCOORD_0`, with v turned to run upwards (1 - v) as in OBJ
//!   and PLY.
//! - Colours are the set `COLOR_0`, without opacity; they stay with the corners too.
//! - Points, lines and morph targets are left out with a note. Sparse and compressed data are
//!   errors.

mod accessor;
mod animation;
mod buffers;
mod character;
mod document;
mod nodes;
mod primitive;
mod retarget;
mod rig;
mod skin;

pub use character::{MotionWish, read_gltf_motion};
pub use retarget::{RetargetWish, read_gltf_retargeted};

use std::collections::BTreeMap;
use std::io;

use gltf::Node;
use gltf::mesh::Mode;

use self::buffers::Buffers;
use self::primitive::Piece;
use super::builder::MeshBuilder;
use super::{Fault, FormatError, Imported};
use glam::{DMat4, DVec3};

/// Reads a glTF file, text or GLB; `open` reads a file that it names.
pub fn read_gltf(
    bytes: &[u8],
    open: &dyn Fn(&str) -> io::Result<Vec<u8>>,
) -> Result<Imported, FormatError> {
    let (document, blob) = document::parse(bytes)?;
    let mut reader = Reader {
        places: nodes::places(&document)?,
        buffers: Buffers::open(&document, blob, open)?,
        builder: MeshBuilder::new(),
        joined: 0,
    };
    if document.scenes().len() > 1 {
        let count = document.scenes().len();
        reader.builder.notes.push(format!("only the default scene of {count} was read"));
    }
    tell_motion(&document, &mut reader.builder.notes);
    let mut placed = 0;
    for node in document.nodes() {
        if reader.places[node.index()].is_some() && node.mesh().is_some() {
            reader.node(&node)?;
            placed += 1;
        }
    }
    if placed == 0 {
        return Err(Fault::missing("a mesh in the scene").in_part("scene"));
    }
    if placed > 1 {
        reader.builder.notes.push(format!("{placed} meshes of the scene were merged into one"));
    }
    if reader.joined > 0 {
        let joined = reader.joined;
        reader
            .builder
            .notes
            .push(format!("{joined} vertices were joined with one at the same place"));
    }
    Ok(reader.builder.finish())
}

/// The names of the files that hold the buffers of a glTF file; none if it cannot be parsed.
pub(super) fn buffers_named_in(bytes: &[u8]) -> Vec<String> {
    let document = document::parse(bytes).map(|(document, _)| document);
    document.map(|document| buffers::files(&document)).unwrap_or_default()
}

/// What of a file would move, and does not here.
fn tell_motion(document: &gltf::Document, notes: &mut Vec<String>) {
    let (skins, animations) = (document.skins().len(), document.animations().len());
    if skins > 0 {
        notes.push(format!(
            "its skeleton ({skins} of them) is not kept: the mesh is read in the pose the file has it in"
        ));
    }
    if animations > 0 {
        notes.push(format!(
            "its animation ({animations} of them) is ignored: nothing moves by it; a [solid.character] \
             moves"
        ));
    }
}

struct Reader {
    /// Where each node of the scene is; `None` for nodes of other scenes.
    places: Vec<Option<DMat4>>,
    buffers: Buffers,
    builder: MeshBuilder,
    joined: usize,
}

impl Reader {
    /// Appends the mesh of a node.
    fn node(&mut self, node: &Node) -> Result<(), FormatError> {
        let Some(mesh) = node.mesh() else { return Ok(()) };
        let mut vertices = BTreeMap::new();
        for primitive in mesh.primitives() {
            let part = format!("mesh {}, primitive {}", mesh.index(), primitive.index());
            if matches!(
                primitive.mode(),
                Mode::Points | Mode::Lines | Mode::LineLoop | Mode::LineStrip
            ) {
                self.builder.notes.push(format!("{part}: points or lines were left out"));
                continue;
            }
            if primitive.morph_targets().len() > 0 {
                self.builder.notes.push(format!("{part}: morph targets were left out"));
            }
            let mut piece =
                Piece::read(&primitive, &mut self.buffers).map_err(|fault| fault.in_part(&part))?;
            self.pose(node, &mut piece, &primitive).map_err(|fault| fault.in_part(&part))?;
            self.add(&piece, &mut vertices).map_err(|fault| fault.in_part(&part))?;
        }
        Ok(())
    }

    /// Moves a piece to where its node, or its skeleton, has it.
    fn pose(
        &mut self,
        node: &Node,
        piece: &mut Piece,
        primitive: &gltf::Primitive,
    ) -> Result<(), Fault> {
        if let Some(skin) = node.skin() {
            return skin::pose(piece, primitive, &skin, (&self.places, &mut self.buffers));
        }
        let place = self.places[node.index()].unwrap_or_default();
        for at in &mut piece.positions {
            *at = place.transform_point3(*at);
        }
        if place.determinant() < 0.0 {
            piece.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        }
        Ok(())
    }

    /// Appends a piece, joining its vertices with those of its mesh so far.
    fn add(&mut self, piece: &Piece, vertices: &mut BTreeMap<[u64; 3], u32>) -> Result<(), Fault> {
        let mut numbers = Vec::with_capacity(piece.positions.len());
        for &at in &piece.positions {
            let next = self.builder.positions.len() as u32;
            let number = *vertices.entry(key(at)).or_insert(next);
            if number == next {
                self.builder.positions.push(at);
            } else {
                self.joined += 1;
            }
            numbers.push(number);
        }
        for triangle in &piece.triangles {
            let corners = triangle.map(|corner| numbers[corner as usize]);
            let uvs = piece.uvs.as_ref().map(|uvs| triangle.map(|corner| uvs[corner as usize]));
            self.builder.face(&corners, uvs.as_ref().map(<[_; 3]>::as_slice))?;
            for &corner in triangle {
                let colours = piece.colours.as_ref();
                self.builder.colour(colours.and_then(|colours| colours[corner as usize]));
            }
        }
        Ok(())
    }
}

/// Equal for equal positions; adding 0 makes -0 into 0.
fn key(at: DVec3) -> [u64; 3] {
    at.to_array().map(|value| (value + 0.0).to_bits())
}
