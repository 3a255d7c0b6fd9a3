//! What the report says of cloth that tears.

use serde::{Deserialize, Serialize};
use taffeta::Simulation;
use taffeta::woven::Frays;

/// How far cloth has torn in a frame.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct FrayReport {
    /// Spans of yarn from a crossing to the next that are torn.
    pub torn: u32,
    /// Crossings at which warp and weft have a particle each.
    pub split: u32,
    /// Crossings at which they have come apart.
    pub apart: u32,
    /// Ends of yarns where they tore.
    pub ends: u32,
    /// Mean length of yarn from such an end to the first crossing that holds it \[m\].
    pub mean_length: f64,
    /// Pieces of cloth that no yarn or crossing joins.
    pub pieces: u32,
    /// Crossings that move with the corners of their cell, where cloth is coarse.
    pub coarse: u32,
}

impl FrayReport {
    /// Of a simulation that has just reached a frame; none if its cloth cannot tear.
    pub(super) fn measure(simulation: &Simulation) -> Option<Self> {
        let Frays { torn, split, apart, ends, mean_length, pieces, coarse } = simulation.frays()?;
        Some(Self { torn, split, apart, ends, mean_length, pieces, coarse })
    }
}
