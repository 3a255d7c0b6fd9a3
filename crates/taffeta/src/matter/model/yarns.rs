//! Yarns: what warp and weft of woven cloth are made of at a moment, whole or torn.

/// Which way a yarn runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thread {
    /// Along u: a row of the sheet.
    Warp,
    /// Along v: a column of the sheet.
    Weft,
}

/// A place of a yarn: where it crosses another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct YarnPoint {
    /// The particle there.
    pub particle: u32,
    /// Whether this yarn is on top there.
    pub over: bool,
    /// Whether warp and weft have a particle each there, or share one that lies between them.
    pub split: bool,
    /// Whether warp and weft have come apart there.
    pub apart: bool,
}

/// A yarn, or the piece of it between two places where it tore.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Yarn {
    /// Which way it runs.
    pub thread: Thread,
    /// Its places in order, at least one.
    pub points: Vec<YarnPoint>,
    /// Whether it begins, and whether it ends, where it tore rather than at the border.
    pub torn: [bool; 2],
    /// The gauge between each of its places and the next.
    pub gauges: Vec<u32>,
}

/// The yarns of woven cloth, warp first; constant while the topology is.
#[derive(Clone, Debug, PartialEq)]
pub struct Yarns {
    /// Every yarn and piece of yarn.
    pub all: Vec<Yarn>,
    /// How far the middle of warp and weft are apart where they cross \[m\].
    pub thickness: f64,
}
