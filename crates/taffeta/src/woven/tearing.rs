//! How woven cloth tears: what its yarns bear, and when the weave gives way.

use crate::error::SetupError;

/// What a yarn bears between two crossings before it tears. Each place draws its own between the
/// two numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Strength {
    /// Tension \[N\], averaged over a short time: what tears does not depend on steps or on the
    /// limiter.
    Force([f64; 2]),
    /// Strain at the end of a step, as a fraction (MBCN09 §3.2): depends on how hard the limiter
    /// tries.
    Strain([f64; 2]),
}

/// How woven cloth tears.
#[derive(Clone, Debug, PartialEq)]
pub struct Tearing {
    /// What a yarn bears.
    pub strength: Strength,
    /// The share of its strength at which the weave around an edge loosens, above 0 and below 1.
    pub loosens_at: f64,
    /// The distance between the middles of warp and weft, more than the thickness of the weave, at
    /// which a loose crossing is apart for good \[m\].
    pub slip: f64,
    /// The force with which warp and weft of a loose crossing hold each other by friction \[N\].
    pub grip: f64,
    /// The time over which tension is averaged \[s\].
    pub averaging: f64,
    /// Chooses the strengths.
    pub seed: u64,
    /// For each edge of the cloth, a factor of its strength, above 0: a seam, a worn place. Empty
    /// for one everywhere.
    pub factors: Vec<f64>,
    /// Edges that are cut.
    pub cuts: Vec<Cut>,
    /// Whether every crossing has two particles from the start (MBCN09 §6): slower, to compare.
    pub all_yarn: bool,
    /// Cloth that moves in cells of several crossings where no yarn bears much; none for cloth that
    /// is fine everywhere.
    pub coarse: Option<CoarseCells>,
}

/// Coarse cloth away from tears.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoarseCells {
    /// Crossings along a side of a cell; 1 for none.
    pub size: u32,
    /// The share of its strength from which on the cells around an edge are fine, above 0 and no
    /// more than `loosens_at`.
    pub until: f64,
}

/// Yarns that are cut at a moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Cut {
    /// When \[s\].
    pub time: f64,
    /// The edges of the whole cloth.
    pub edges: Vec<u32>,
}

impl Default for Tearing {
    /// A fine cotton yarn, and the spread, transition and slip of MBCN09 Table 1.
    fn default() -> Self {
        Self {
            strength: Strength::Force([1.0, 2.0]),
            loosens_at: 0.9,
            slip: 2e-4,
            grip: 0.05,
            averaging: 5e-3,
            seed: 0,
            factors: Vec::new(),
            cuts: Vec::new(),
            all_yarn: false,
            coarse: None,
        }
    }
}

impl Tearing {
    pub(super) fn check(&self, edges: usize) -> Result<(), SetupError> {
        let (Strength::Force(range) | Strength::Strain(range)) = self.strength;
        let good = range[0] > 0.0 && range[0] <= range[1] && range[1].is_finite();
        if !good {
            return Err(SetupError::Strength(range));
        }
        if !(self.loosens_at > 0.0 && self.loosens_at < 1.0) {
            return Err(SetupError::Loosening(self.loosens_at));
        }
        if let Some(CoarseCells { size, until }) = self.coarse
            && !(size >= 1 && until > 0.0 && until <= self.loosens_at)
        {
            return Err(SetupError::CoarseCells { size, until, loosens_at: self.loosens_at });
        }
        for (what, value) in [("slip", self.slip), ("averaging", self.averaging)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(SetupError::Tearing { what, value });
            }
        }
        if !(self.grip.is_finite() && self.grip >= 0.0) {
            return Err(SetupError::Tearing { what: "grip", value: self.grip });
        }
        let fits = self.factors.is_empty() || self.factors.len() == edges;
        let possible = |factor: &f64| *factor > 0.0 && !factor.is_nan();
        if !fits || !self.factors.iter().all(possible) {
            return Err(SetupError::StrengthFactors { given: self.factors.len(), edges });
        }
        let cut = self.cuts.iter().flat_map(|cut| &cut.edges).find(|e| **e as usize >= edges);
        match cut {
            Some(&edge) => Err(SetupError::CutOutOfRange { edge, edges }),
            None if self.cuts.iter().any(|cut| !cut.time.is_finite()) => {
                Err(SetupError::Tearing { what: "the time of a cut", value: f64::NAN })
            }
            None => Ok(()),
        }
    }

    /// What each of so many edges bears.
    pub(super) fn strengths(&self, edges: usize) -> Vec<f64> {
        let (Strength::Force([least, most]) | Strength::Strain([least, most])) = self.strength;
        let of = |edge: usize| {
            let factor = self.factors.get(edge).copied().unwrap_or(1.0);
            factor * (least + (most - least) * unit(self.seed, edge as u64))
        };
        (0..edges).map(of).collect()
    }
}

/// A number between 0 and 1 that depends on nothing but a seed and a place (SplitMix64: Steele,
/// Lea & Flood 2014, Fast Splittable Pseudorandom Number Generators).
fn unit(seed: u64, place: u64) -> f64 {
    let mut z = seed
        .wrapping_mul(0xD134_2543_DE82_EF95)
        .wrapping_add(place.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strengths_fill_their_range_and_are_the_same_for_a_seed() {
        let tearing = Tearing { strength: Strength::Force([2.0, 6.0]), ..Tearing::default() };
        let strengths = tearing.strengths(10_000);
        let mean = strengths.iter().sum::<f64>() / 1e4;
        let [least, most] = [f64::min, f64::max].map(|f| strengths.iter().copied().reduce(f));
        assert!((mean - 4.0).abs() < 0.05, "{mean}");
        assert!(least.unwrap() < 2.01 && most.unwrap() > 5.99);
        assert_eq!(strengths, tearing.strengths(10_000));
        assert_ne!(strengths, Tearing { seed: 1, ..tearing }.strengths(10_000));
    }
}
