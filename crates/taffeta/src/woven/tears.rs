//! Tears: what has become of woven cloth so far. All of its topology follows from this.

use glam::DVec3;

/// How warp and weft hold together where they cross.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bond {
    /// They share a particle: the base level of MBCN09.
    Woven,
    /// They have a particle each, held together as in whole cloth: the connected state of the
    /// all-yarn model (MBCN09 §6).
    Connected,
    /// They have a particle each and may slide over each other (MBCN09 §3.3).
    Loose,
    /// Nothing holds them together any more.
    Apart,
}

impl Bond {
    /// Whether warp and weft have a particle each, and hold together.
    pub(crate) fn couples(self) -> bool {
        matches!(self, Self::Connected | Self::Loose)
    }
}

/// What has become of woven cloth: which crossings are split, which yarns are torn.
#[derive(Clone, Debug, PartialEq)]
pub struct Tears {
    /// Counts the changes.
    pub revision: u64,
    /// The bond at each crossing.
    pub bonds: Vec<Bond>,
    /// The weft's particle at each crossing; the warp has the particle of the crossing's own number.
    /// They are the same where the crossing is not split.
    pub wefts: Vec<u32>,
    /// Whether the yarn is torn between two crossings, for each edge of the whole cloth.
    pub torn: Vec<bool>,
    /// From weft to warp at each loose crossing, but for what its tie gives way \[m\].
    pub offsets: Vec<DVec3>,
    /// The load of each such edge, averaged: tension \[N\], or strain.
    pub loads: Vec<f64>,
    /// Whether the crossings of each cell of coarse cloth move by themselves; empty where all do.
    pub fine: Vec<bool>,
}

impl Tears {
    /// Of whole cloth with so many crossings and edges.
    pub(crate) fn none(crossings: usize, edges: usize) -> Self {
        Self {
            revision: 0,
            bonds: vec![Bond::Woven; crossings],
            wefts: (0..crossings as u32).collect(),
            torn: vec![false; edges],
            offsets: vec![DVec3::ZERO; crossings],
            loads: vec![0.0; edges],
            fine: Vec::new(),
        }
    }

    /// Particles of the cloth.
    pub fn particles(&self) -> usize {
        self.bonds.len() + self.split_crossings()
    }

    /// Crossings at which warp and weft have a particle each.
    pub fn split_crossings(&self) -> usize {
        self.bonds.iter().filter(|bond| **bond != Bond::Woven).count()
    }

    /// Warp and weft of each crossing that is split and holds.
    pub(crate) fn couples(&self) -> impl Iterator<Item = [u32; 2]> {
        let crossings = (0u32..).zip(self.bonds.iter().zip(&self.wefts));
        crossings.filter(|(_, (bond, _))| bond.couples()).map(|(warp, (_, &weft))| [warp, weft])
    }

    /// Whether this can be what became of cloth with so many crossings and edges, and cells that
    /// can be coarse.
    pub(crate) fn is_sound(&self, crossings: usize, edges: usize, cells: usize) -> bool {
        let counts = (self.bonds.len(), self.wefts.len(), self.torn.len(), self.loads.len());
        if counts != (crossings, crossings, edges, edges) || self.fine.len() != cells {
            return false;
        }
        let mut halves: Vec<u32> = Vec::new();
        for (crossing, (bond, &weft)) in (0u32..).zip(self.bonds.iter().zip(&self.wefts)) {
            match bond {
                Bond::Woven if weft != crossing => return false,
                Bond::Woven => {}
                _ => halves.push(weft),
            }
        }
        halves.sort_unstable();
        halves.into_iter().eq(crossings as u32..self.particles() as u32)
            && self.offsets.len() == crossings
            && self.offsets.iter().all(|offset| offset.is_finite())
            && self.loads.iter().all(|load| load.is_finite())
    }
}
