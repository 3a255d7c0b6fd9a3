//! Frays: what hangs out of torn cloth, counted.

use super::cloth::Woven;
use super::tears::{Bond, Tears};
use crate::matter::model::Yarn;

/// How far cloth has torn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Frays {
    /// Edges between crossings that are torn.
    pub torn: u32,
    /// Crossings with a particle for each yarn.
    pub split: u32,
    /// Crossings that have come apart.
    pub apart: u32,
    /// Ends of yarns where they tore.
    pub ends: u32,
    /// The mean length of yarn from such an end to the first crossing that holds it \[m\].
    pub mean_length: f64,
    /// Pieces of cloth that no yarn or crossing joins.
    pub pieces: u32,
    /// Crossings that move with the corners of their cell, where cloth is coarse.
    pub coarse: u32,
}

impl Frays {
    pub(super) fn count(woven: &Woven, tears: &Tears) -> Self {
        let count = |wanted: fn(&Bond) -> bool| tears.bonds.iter().filter(|b| wanted(b)).count();
        let mut frays = Self {
            torn: tears.torn.iter().filter(|torn| **torn).count() as u32,
            split: tears.split_crossings() as u32,
            apart: count(|bond| *bond == Bond::Apart) as u32,
            pieces: pieces(woven, tears),
            ..Self::default()
        };
        let spacing = mean_length(woven);
        let mut length = 0.0;
        for yarn in woven.yarns(tears).all {
            for (torn, back) in yarn.torn.into_iter().zip([false, true]) {
                if torn {
                    frays.ends += 1;
                    length += (0.5 + free_crossings(&yarn, back) as f64) * spacing;
                }
            }
        }
        if frays.ends > 0 {
            frays.mean_length = length / f64::from(frays.ends);
        }
        frays
    }
}

/// Crossings from an end of a yarn to the first that holds it; all if none does.
fn free_crossings(yarn: &Yarn, from_back: bool) -> usize {
    let free = |point: &&super::YarnPoint| point.apart;
    match from_back {
        true => yarn.points.iter().rev().take_while(free).count(),
        false => yarn.points.iter().take_while(free).count(),
    }
}

fn mean_length(woven: &Woven) -> f64 {
    let springs = woven.whole.structural();
    springs.iter().map(|spring| spring.rest_length).sum::<f64>() / springs.len().max(1) as f64
}

fn pieces(woven: &Woven, tears: &Tears) -> u32 {
    let mut above: Vec<u32> = (0..tears.particles() as u32).collect();
    let mut pieces = above.len() as u32;
    let mut join = |a: u32, b: u32| {
        let (a, b) = (
            crate::geometry::collision::top(&mut above, a),
            crate::geometry::collision::top(&mut above, b),
        );
        if a != b {
            above[a.max(b) as usize] = a.min(b);
            pieces -= 1;
        }
    };
    for (edge, torn) in tears.torn.iter().enumerate() {
        if !torn {
            let [a, b] = woven.ends(edge);
            let thread = woven.threads[edge];
            join(Woven::particle(tears, a, thread), Woven::particle(tears, b, thread));
        }
    }
    tears.couples().for_each(|[warp, weft]| join(warp, weft));
    pieces
}
