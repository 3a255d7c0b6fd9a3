//! Cloth that tears near a solid that is a mesh: meshes meet faces, and yarns out of the weave have none.

use taffeta::Shape;

use super::{Beginning, Warning};

pub fn warning(beginning: &Beginning) -> Option<Warning> {
    let setup = beginning.setup;
    setup.woven.as_ref()?;
    let is_mesh = |shape: &Shape| matches!(shape, Shape::Mesh(_));
    let meshes: Vec<usize> =
        (0..setup.solids.len()).filter(|&solid| is_mesh(&setup.solids[solid].shape)).collect();
    let first = meshes.first()?;
    let what = format!(
        "yarns that come out of the weave do not meet solid {first}, which is a mesh, and may end inside it"
    );
    let advice =
        String::from("use a ball, a capsule, a box or another simple shape where cloth tears");
    Some(beginning.warn("loose", meshes.len(), &[], [what, advice]))
}
