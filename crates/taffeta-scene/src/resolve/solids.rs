//! Solids of the scene as solids of the simulator.

use taffeta::{Pose, Setup, Side, Solid};

use super::place::rotation;
use crate::format::{SceneFile, SolidFile};

/// Places every solid.
pub fn solids(file: &SceneFile) -> Vec<Solid> {
    file.solids.iter().map(place).collect()
}

fn place(written: &SolidFile) -> Solid {
    Solid {
        shape: written.shape.clone(),
        pose: Pose { turn: rotation(written.rotation), ..Pose::at(written.position) },
        motion: written.motion.clone(),
        thickness: written.thickness,
        friction: written.friction,
        side: written.side.unwrap_or(Side::Outside),
    }
}

/// What the user should know about where the cloth starts.
pub fn notes(setup: &Setup) -> Vec<String> {
    let note = |inside: &taffeta::StartsInside| {
        let (solid, count, (particle, depth)) = (inside.solid, inside.particles, inside.deepest);
        let speed = taffeta::solid::LEAD_OUT;
        format!(
            "{count} particles start inside solid {solid}, particle {particle} deepest with \
             {depth:.2e} m; they are led out at {speed} m/s"
        )
    };
    setup.starts_inside().iter().map(note).collect()
}
