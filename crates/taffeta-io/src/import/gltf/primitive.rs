//! One primitive: its vertices as stored, and the triangles between them.

use glam::{DVec2, DVec3};
use gltf::accessor::Dimensions;
use gltf::mesh::Mode;
use gltf::{Primitive, Semantic};

use super::super::{Fault, colour};
use super::accessor;
use super::buffers::Buffers;

/// A part of a mesh.
pub(super) struct Piece {
    pub positions: Vec<DVec3>,
    /// One per position.
    pub uvs: Option<Vec<DVec2>>,
    /// One per position.
    pub colours: Option<Vec<Option<u32>>>,
    pub triangles: Vec<[u32; 3]>,
}

impl Piece {
    /// Reads a primitive of triangles.
    pub fn read(primitive: &Primitive, buffers: &mut Buffers) -> Result<Self, Fault> {
        let positions = read_attribute(primitive, &Semantic::Positions, buffers)?
            .ok_or_else(|| Fault::missing("the attribute POSITION"))?;
        let uvs = read_attribute(primitive, &Semantic::TexCoords(0), buffers)?;
        if let Some(uvs) = &uvs {
            check_count("texture coordinates", uvs.len(), positions.len())?;
        }
        let colours = colours(primitive, buffers)?;
        if let Some(colours) = &colours {
            check_count("colours", colours.len(), positions.len())?;
        }
        let triangles =
            triangles(primitive.mode(), &indices(primitive, positions.len(), buffers)?)?;
        Ok(Self {
            positions: positions.into_iter().map(DVec3::from_array).collect(),
            uvs: uvs.map(|uvs| uvs.into_iter().map(|[u, v]| DVec2::new(u, 1.0 - v)).collect()),
            colours,
            triangles,
        })
    }
}

/// The attribute COLOR_0, linear light with or without an opacity, which is left out.
fn colours(
    primitive: &Primitive,
    buffers: &mut Buffers,
) -> Result<Option<Vec<Option<u32>>>, Fault> {
    let Some(accessor) = primitive.get(&Semantic::Colors(0)) else { return Ok(None) };
    let light: Vec<[f64; 3]> = match accessor.dimensions() {
        Dimensions::Vec4 => {
            accessor::read(&accessor, buffers)?.into_iter().map(|[r, g, b, _]| [r, g, b]).collect()
        }
        _ => accessor::read(&accessor, buffers)?,
    };
    Ok(Some(light.into_iter().map(colour::of_light).collect()))
}

/// Reads an attribute that has `N` numbers for each vertex.
pub(super) fn read_attribute<const N: usize>(
    primitive: &Primitive,
    semantic: &Semantic,
    buffers: &mut Buffers,
) -> Result<Option<Vec<[f64; N]>>, Fault> {
    primitive.get(semantic).map(|accessor| accessor::read(&accessor, buffers)).transpose()
}

/// Refuses an attribute that has not one element for each vertex.
pub(super) fn check_count(what: &str, count: usize, vertices: usize) -> Result<(), Fault> {
    if count == vertices {
        return Ok(());
    }
    Err(Fault::malformed(format!("{count} {what} for {vertices} vertices")))
}

/// The vertices that triangles are made of, in order; all if the file does not say.
fn indices(
    primitive: &Primitive,
    vertices: usize,
    buffers: &mut Buffers,
) -> Result<Vec<u32>, Fault> {
    let Some(accessor) = primitive.indices() else {
        return Ok((0..vertices as u32).collect());
    };
    let index = |[number]: [f64; 1]| {
        if (0.0..vertices as f64).contains(&number) {
            return Ok(number as u32);
        }
        Err(Fault::OutOfRange { what: "vertex", number: number as i64, count: vertices })
    };
    accessor::read(&accessor, buffers)?.into_iter().map(index).collect()
}

fn triangles(mode: Mode, indices: &[u32]) -> Result<Vec<[u32; 3]>, Fault> {
    match mode {
        Mode::TriangleStrip => Ok(strip(indices)),
        Mode::TriangleFan => Ok(fan(indices)),
        _ => {
            let (triangles, rest) = indices.as_chunks();
            if rest.is_empty() {
                return Ok(triangles.to_vec());
            }
            let what = format!("{} corners are no whole number of triangles", indices.len());
            Err(Fault::malformed(what))
        }
    }
}

/// Every second triangle of a strip is wound the other way; one that names a vertex twice is no
/// triangle but the link from one strip to the next.
fn strip(indices: &[u32]) -> Vec<[u32; 3]> {
    let triangles = indices.array_windows().enumerate();
    triangles
        .map(|(number, &[a, b, c])| if number % 2 == 0 { [a, b, c] } else { [b, a, c] })
        .filter(|[a, b, c]| a != b && b != c && c != a)
        .collect()
}

fn fan(indices: &[u32]) -> Vec<[u32; 3]> {
    let Some((&hub, rim)) = indices.split_first() else { return Vec::new() };
    rim.array_windows().map(|&[a, b]| [hub, a, b]).collect()
}
