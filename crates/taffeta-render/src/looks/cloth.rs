//! Cloth as cloth.

use taffeta::Frame;

use super::dress::Dress;
use crate::colour::from_code;
use crate::scene::{Cover, Finish, Material, Surface};

/// Pieces an edge is drawn as, so that folds are round.
pub(super) const PIECES: u32 = 3;

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
        pieces: PIECES,
    }
}
