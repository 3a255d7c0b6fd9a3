//! Cloth as cloth.

use taffeta::Frame;

use crate::colour::from_code;
use crate::scene::{Finish, Material, Surface};

/// Pieces an edge is drawn as, so that folds are round.
pub(super) const PIECES: u32 = 3;

/// The frame's mesh: one tint in front, another at the back.
pub fn surface(frame: &Frame) -> Surface {
    let material = Material {
        front: from_code(0xb4_52_48),
        back: from_code(0xd8_ae_78),
        finish: Finish::Cloth,
    };
    Surface {
        positions: frame.positions.to_vec(),
        faces: frame.faces.clone(),
        colours: Vec::new(),
        material,
        pieces: PIECES,
    }
}
