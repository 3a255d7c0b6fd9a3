//! Cloth as cloth.

use taffeta::Frame;
use taffeta::mesh::Faces;

use super::dress::Dress;
use crate::colour::from_code;
use crate::scene::{Cover, Finish, Material, Surface};

/// Pieces an edge is drawn as, so that folds are round; where a mesh is so fine that its faces are
/// hardly larger than pixels, they are round without.
pub(super) fn pieces(faces: &Faces) -> u32 {
    match faces.len() {
        ..50_000 => 3,
        50_000..200_000 => 2,
        _ => 1,
    }
}

/// The frame's mesh: one tint in front, another at the back, or a picture on both.
pub fn surface(frame: &Frame, dress: &Dress) -> Surface {
    let [front, back] = dress.sides.map(from_code);
    let material = Material { front, back, finish: Finish::Cloth };
    let cover = dress.texture.clone().map_or(Cover::Plain, Cover::Texture);
    Surface {
        positions: frame.positions.to_vec(),
        faces: frame.faces.clone(),
        cover,
        material,
        pieces: pieces(frame.faces),
    }
}
