//! OBJ, one text file a frame.
//!
//! Positions and texture coordinates are written with the fewest digits that read back as the
//! same f64. Quads stay quads. Texture coordinates are written per corner; corners of one vertex
//! with the same coordinates share one `vt`, so programs that find texture seams by `vt` number
//! find those of the mesh and no others. Yarns outside of the faces of torn cloth are lines (`l`). Several cloths are objects
//! (`o`) over the same list of vertices.

use std::collections::BTreeMap;
use std::path::Path;

use glam::DVec2;
use taffeta::Frame;
use taffeta::mesh::Faces;

use super::output::Output;
use super::sequence::write_sequence;
use super::yarns::runs_outside_faces;
use super::{ExportError, Exported};
use crate::FrameSource;

pub(super) fn write(source: &mut dyn FrameSource, to: &Path) -> Result<Exported, ExportError> {
    write_sequence(source, to, write_frame)
}

/// Writes one frame as a whole OBJ file.
pub(super) fn write_frame(frame: &Frame, output: &mut Output) -> Result<(), ExportError> {
    output.write(format!("# Taffeta, frame {}, {:?} s\n", frame.number, frame.time).as_bytes())?;
    for at in frame.positions {
        // `{:?}` is the shortest text that reads back exactly; unlike `{}` it uses exponents.
        output.write(format!("v {:?} {:?} {:?}\n", at.x, at.y, at.z).as_bytes())?;
    }
    let (uvs, uv_of_corner) = shared_uvs(frame.faces);
    for uv in &uvs {
        output.write(format!("vt {:?} {:?}\n", uv.x, uv.y).as_bytes())?;
    }
    let mut corner = 0;
    for (number, face) in (0..).zip(frame.faces.iter()) {
        if let Some(cloth) = frame.cloths.iter().find(|cloth| cloth.faces.start == number) {
            output.write(
                format!("o {}\n", cloth.name.replace(char::is_whitespace, "_")).as_bytes(),
            )?;
        }
        let mut line = String::from("f");
        for vertex in face {
            line.push_str(&format!(" {}", vertex + 1));
            if let Some(uv) = uv_of_corner.get(corner) {
                line.push_str(&format!("/{}", uv + 1));
            }
            corner += 1;
        }
        line.push('\n');
        output.write(line.as_bytes())?;
    }
    for run in runs_outside_faces(frame) {
        let numbers: Vec<String> = run.iter().map(|vertex| (vertex + 1).to_string()).collect();
        output.write(format!("l {}\n", numbers.join(" ")).as_bytes())?;
    }
    Ok(())
}

/// The distinct texture coordinates of each vertex, and which of them each corner has.
fn shared_uvs(faces: &Faces) -> (Vec<DVec2>, Vec<usize>) {
    let mut numbers = BTreeMap::new();
    let mut uvs = Vec::new();
    let of_corner = faces
        .all_corners()
        .iter()
        .zip(faces.all_uvs())
        .map(|(&vertex, &uv)| {
            *numbers.entry((vertex, uv.to_array().map(f64::to_bits))).or_insert_with(|| {
                uvs.push(uv);
                uvs.len() - 1
            })
        })
        .collect();
    (uvs, of_corner)
}
