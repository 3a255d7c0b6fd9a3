//! The cloth's shape at rest: a sheet or a tube made, or a mesh loaded.

use taffeta::Mesh;
use taffeta_io::import;
use xxhash_rust::xxh3::xxh3_128;

use super::garment;
use super::memory::too_many;
use crate::format::{ClothFile, SceneFile, Shape};
use crate::garment::Garment;
use crate::text::{Problem, Problems};

/// A shape ready to become cloth.
pub struct LoadedShape {
    pub mesh: Mesh,
    /// Bytes that stand for what the scene's text does not say: the content of a file.
    pub fingerprint: Vec<u8>,
    pub notes: Vec<String>,
    /// What it was cut from, if it is a garment: then it is placed already.
    pub garment: Option<Garment>,
}

/// Makes or loads the shape; problems are noted.
pub fn load(
    file: &SceneFile,
    cloth: &ClothFile,
    memory: u64,
    problems: &Problems,
) -> Option<LoadedShape> {
    let refuse = |message: String| {
        problems.add(Problem::at(cloth.span.clone(), message));
        None
    };
    let made = |[columns, rows]: [u32; 2], mesh: &dyn Fn() -> Mesh| {
        let particles = u64::from(columns) * u64::from(rows);
        if let Some(why) = too_many(file, particles, memory) {
            return refuse(why);
        }
        Some(LoadedShape {
            mesh: mesh(),
            fingerprint: Vec::new(),
            notes: Vec::new(),
            garment: None,
        })
    };
    match &cloth.shape {
        Shape::Sheet(sheet) => made([sheet.columns, sheet.rows], &|| match cloth.irregular {
            true => sheet.irregular_mesh(),
            false => sheet.mesh(),
        }),
        Shape::Tube(tube) => made([tube.columns, tube.rows], &|| tube.mesh()),
        Shape::Mesh { file: name, scale } => {
            let imported = match import::read_mesh(&file.base.join(name)) {
                Ok(imported) => imported,
                Err(error) => return refuse(error.to_string()),
            };
            let mut mesh = imported.mesh;
            if let Some(why) = too_many(file, mesh.positions.len() as u64, memory) {
                return refuse(why);
            }
            mesh.positions.iter_mut().for_each(|position| *position *= *scale);
            let fingerprint = fingerprint(&mesh);
            let mut notes = imported.notes;
            let flat = mesh.faces.without_warp();
            if flat > 0 {
                notes.push(format!(
                    "{flat} triangles have texture coordinates without area; there the warp runs \
                     along the x axis, as it does without texture coordinates"
                ));
            }
            Some(LoadedShape { mesh, fingerprint, notes, garment: None })
        }
        Shape::Garment(written) => garment::load((file, cloth), written, memory, problems),
    }
}

/// The mesh as loaded, so that moving or renaming its file changes nothing.
pub(super) fn fingerprint(mesh: &Mesh) -> Vec<u8> {
    let mut bytes = Vec::new();
    for position in &mesh.positions {
        position.to_array().iter().for_each(|x| bytes.extend(x.to_le_bytes()));
    }
    for corners in mesh.faces.iter() {
        bytes.extend((corners.len() as u32).to_le_bytes());
        corners.iter().for_each(|corner| bytes.extend(corner.to_le_bytes()));
    }
    for uv in mesh.faces.all_uvs() {
        uv.to_array().iter().for_each(|x| bytes.extend(x.to_le_bytes()));
    }
    for code in mesh.faces.all_colours() {
        bytes.extend(code.to_le_bytes());
    }
    xxh3_128(&bytes).to_le_bytes().to_vec()
}
