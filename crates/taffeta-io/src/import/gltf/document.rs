//! The JSON of a glTF file, checked, and the data that a GLB carries behind it.

use gltf::{Document, Glb, json};

use super::super::{Fault, FormatError};

/// Bytes before the first chunk of a GLB: magic, version, length.
const GLB_HEADER: usize = 12;
/// Extensions that a file may require and that either say nothing about the shape or are read.
const KNOWN_EXTENSIONS: [&str; 3] =
    ["KHR_mesh_quantization", "KHR_texture_transform", "KHR_lights_punctual"];

/// The document, and the binary chunk of a GLB.
pub(super) fn parse(bytes: &[u8]) -> Result<(Document, Option<Vec<u8>>), FormatError> {
    let (text, blob) = split(bytes)?;
    let mut root: json::Root = json::deserialize::from_slice(&text)
        .map_err(|error| Fault::malformed(error.to_string()).in_part("JSON"))?;
    let understood = |name: &str| KNOWN_EXTENSIONS.contains(&name) || name.contains("_materials_");
    if let Some(name) = root.extensions_required.iter().find(|name| !understood(name)) {
        let what = format!("the required extension {name}");
        let instead = "export the file without it, and without compression";
        return Err(Fault::Unsupported { what, instead }.in_part("JSON"));
    }
    root.extensions_required.clear();
    check_attributes(&root)?;
    let document = Document::from_json(root).map_err(|error| invalid(&error))?;
    Ok((document, blob))
}

/// Finds attributes without an accessor, on which the validation of `gltf` 1.4 panics.
fn check_attributes(root: &json::Root) -> Result<(), FormatError> {
    let count = root.accessors.len();
    for (mesh, primitives) in root.meshes.iter().map(|mesh| &mesh.primitives).enumerate() {
        let attributes = primitives.iter().flat_map(|primitive| primitive.attributes.values());
        if let Some(index) = attributes.map(|index| index.value()).find(|index| *index >= count) {
            let fault = Fault::OutOfRange { what: "accessor", number: index as i64, count };
            return Err(fault.in_part(format!("mesh {mesh}")));
        }
    }
    Ok(())
}

/// Takes a GLB apart; any other file is all JSON.
fn split(bytes: &[u8]) -> Result<(Vec<u8>, Option<Vec<u8>>), FormatError> {
    if !bytes.starts_with(b"glTF") {
        return Ok((bytes.to_vec(), None));
    }
    let header = bytes.get(..GLB_HEADER).and_then(|header| header[8..].try_into().ok());
    let length = u64::from(header.map_or(0, u32::from_le_bytes));
    let there = bytes.len() as u64;
    if length > there || there < GLB_HEADER as u64 {
        let needed = length.max(GLB_HEADER as u64);
        return Err(Fault::Truncated { needed, there }.in_part("GLB header"));
    }
    if length < GLB_HEADER as u64 {
        let what = format!("a length of {length} bytes, less than the header itself");
        return Err(Fault::malformed(what).in_part("GLB header"));
    }
    let glb = Glb::from_slice(bytes)
        .map_err(|error| Fault::malformed(error.to_string()).in_part("GLB chunks"))?;
    Ok((glb.json.into_owned(), glb.bin.map(|bin| bin.into_owned())))
}

fn invalid(error: &gltf::Error) -> FormatError {
    match error {
        gltf::Error::Validation(problems) => match problems.first() {
            Some((path, problem)) => {
                let what = problem.to_string().to_lowercase();
                Fault::malformed(what).in_part(format!("JSON at {path}"))
            }
            None => Fault::malformed("not valid").in_part("JSON"),
        },
        other => Fault::malformed(other.to_string()).in_part("JSON"),
    }
}
