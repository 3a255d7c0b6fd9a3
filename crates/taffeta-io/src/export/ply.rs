//! PLY, one binary file a frame, little-endian, positions in double precision, quads kept.
//!
//! Texture coordinates are written as vertex properties `s` and `t`, which most programs read,
//! if every vertex has the same ones in all its faces. A mesh with texture seams has them as a
//! face property instead, the list `texcoord` (u and v of each corner in turn): nothing is left
//! out, but fewer programs read it.

use std::path::Path;

use glam::DVec2;
use taffeta::Frame;
use taffeta::mesh::Faces;

use super::output::Output;
use super::sequence::write_sequence;
use super::{ExportError, Exported};
use crate::FrameSource;

/// A face's list of 2 × corners texture coordinates is counted in one byte.
const MOST_CORNERS: usize = 127;

/// Where a mesh's texture coordinates go.
enum Uvs {
    None,
    PerVertex(Vec<DVec2>),
    PerCorner,
}

pub(super) fn write(source: &mut dyn FrameSource, to: &Path) -> Result<Exported, ExportError> {
    write_sequence(source, to, |frame, output| {
        if let Some(face) = frame.faces.iter().position(|face| face.len() > MOST_CORNERS) {
            let corners = frame.faces.corners(face).len();
            let why = format!("face {face} has {corners} corners, it holds {MOST_CORNERS}");
            return Err(output.too_large(why));
        }
        let uvs = place_uvs(frame);
        output.write(header(frame, &uvs).as_bytes())?;
        write_vertices(frame, &uvs, output)?;
        write_faces(frame.faces, &uvs, output)
    })
}

fn place_uvs(frame: &Frame) -> Uvs {
    if frame.faces.all_uvs().is_empty() {
        return Uvs::None;
    }
    let mut of_vertex: Vec<Option<DVec2>> = vec![None; frame.positions.len()];
    for (&vertex, &uv) in frame.faces.all_corners().iter().zip(frame.faces.all_uvs()) {
        let first = *of_vertex[vertex as usize].get_or_insert(uv);
        // Bits, not values: 0 and -0 are to read back as they were.
        if first.to_array().map(f64::to_bits) != uv.to_array().map(f64::to_bits) {
            return Uvs::PerCorner;
        }
    }
    Uvs::PerVertex(of_vertex.into_iter().map(Option::unwrap_or_default).collect())
}

fn header(frame: &Frame, uvs: &Uvs) -> String {
    let mut lines = vec![
        "ply".to_owned(),
        "format binary_little_endian 1.0".to_owned(),
        format!("comment Taffeta, frame {}, {:?} s", frame.number, frame.time),
        format!("element vertex {}", frame.positions.len()),
    ];
    let mut doubles = vec!["x", "y", "z"];
    if let Uvs::PerVertex(_) = uvs {
        doubles.extend(["s", "t"]);
    }
    lines.extend(doubles.iter().map(|name| format!("property double {name}")));
    lines.push(format!("element face {}", frame.faces.len()));
    lines.push("property list uchar uint vertex_indices".to_owned());
    if let Uvs::PerCorner = uvs {
        lines.push("property list uchar double texcoord".to_owned());
    }
    lines.push("end_header\n".to_owned());
    lines.join("\n")
}

fn write_vertices(frame: &Frame, uvs: &Uvs, output: &mut Output) -> Result<(), ExportError> {
    for (vertex, at) in frame.positions.iter().enumerate() {
        for value in at.to_array() {
            output.write(&value.to_le_bytes())?;
        }
        if let Uvs::PerVertex(uvs) = uvs {
            for value in uvs[vertex].to_array() {
                output.write(&value.to_le_bytes())?;
            }
        }
    }
    Ok(())
}

fn write_faces(faces: &Faces, uvs: &Uvs, output: &mut Output) -> Result<(), ExportError> {
    for (face, corners) in faces.iter().enumerate() {
        output.write(&[corners.len() as u8])?;
        for vertex in corners {
            output.write(&vertex.to_le_bytes())?;
        }
        if let Uvs::PerCorner = uvs {
            output.write(&[2 * corners.len() as u8])?;
            for value in faces.corner_uvs(face).unwrap_or_default().iter().flat_map(DVec2::to_array)
            {
                output.write(&value.to_le_bytes())?;
            }
        }
    }
    Ok(())
}
