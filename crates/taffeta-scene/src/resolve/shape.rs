//! The cloth's shape at rest: a sheet or a tube made, or a mesh loaded.

use glam::DVec2;
use taffeta::Mesh;
use taffeta_io::import;
use xxhash_rust::xxh3::xxh3_128;

use super::flat::lay_flat;
use super::garment;
use super::join::{join, on_others};
use super::memory::too_many;
use crate::format::{ClothFile, ClothModel, MeshFile, MeshRest, SceneFile, Shape};
use crate::garment::Garment;
use crate::text::{Problem, Problems};

/// A shape ready to become cloth.
pub struct LoadedShape {
    pub mesh: Mesh,
    /// Bytes that stand for what the scene's text does not say: the content of a file.
    pub fingerprint: Vec<u8>,
    pub notes: Vec<String>,
    /// Where each corner of each face was when it was cut, if that is not as the mesh is \[m\].
    pub cut: Option<Vec<DVec2>>,
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
            cut: None,
            garment: None,
        })
    };
    match &cloth.shape {
        Shape::Sheet(sheet) => made([sheet.columns, sheet.rows], &|| match cloth.irregular {
            true => sheet.irregular_mesh(),
            false => sheet.mesh(),
        }),
        Shape::Tube(tube) => made([tube.columns, tube.rows], &|| tube.mesh()),
        Shape::Mesh(mesh) => load_mesh(file, mesh, memory).map_or_else(refuse, Some),
        Shape::Garment(written) => garment::load((file, cloth), written, memory, problems),
    }
}

/// A mesh from a file, in metres.
fn load_mesh(file: &SceneFile, written: &MeshFile, memory: u64) -> Result<LoadedShape, String> {
    let imported = import::read_mesh(&file.base.join(&written.file)).map_err(|e| e.to_string())?;
    let (mut mesh, mut notes) = (imported.mesh, imported.notes);
    if let Some(why) = too_many(file, mesh.positions.len() as u64, memory) {
        return Err(why);
    }
    mesh.positions.iter_mut().for_each(|position| *position *= written.scale);
    if written.join {
        notes.push(format!("{} vertices were joined with one at the same place", join(&mut mesh)));
    }
    let fingerprint = fingerprint(&mesh);
    let cut = match written.rest {
        MeshRest::Uv(_) if file.model != ClothModel::Continuum => {
            return Err("`rest = \"uv\"` is for a continuum of triangles, not springs: add \
                        [model.continuum]"
                .into());
        }
        // The model refuses it.
        MeshRest::Uv(_) if !mesh.problems().is_empty() => None,
        MeshRest::Uv(scale) => {
            let told = |why: String| [&[why], &notes[..]].concat().join("; ");
            let flat = lay_flat(&mesh, scale).map_err(told)?;
            notes.extend(flat.notes);
            notes.extend(tell_open(&mesh));
            Some(flat.cut)
        }
        MeshRest::Shape => {
            notes.extend(tell_without_warp(&mesh));
            None
        }
    };
    Ok(LoadedShape { mesh, fingerprint, notes, cut, garment: None })
}

fn tell_without_warp(mesh: &Mesh) -> Option<String> {
    let flat = mesh.faces.without_warp();
    (flat > 0).then(|| {
        format!(
            "{flat} triangles have texture coordinates without area; there the warp runs along the x \
             axis, as it does without texture coordinates"
        )
    })
}

/// Tells of panels that only look sewn.
fn tell_open(mesh: &Mesh) -> Option<String> {
    let count = on_others(mesh);
    (count > 0).then(|| {
        format!(
            "{count} vertices lie exactly on others and are not joined with them: if seams are open there \
             that should be sewn, write `join = true`"
        )
    })
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
