//! Woven cloth that tears into yarns (MBCN09).
//!
//! Cloth is a sheet at the resolution of its yarns, one particle where two cross: the base level.
//! Where a yarn bears nearly what it can, the weave loosens: crossings there split into a particle
//! of the warp and one of the weft, which may slide over each other until they are apart. A yarn
//! that bears more tears. Ends that have come out of the weave are frays.

mod cloth;
mod coarse;
mod couples;
mod frays;
mod lattice;
mod refining;
mod tearing;
mod tears;
mod ties;
mod weave;
mod weaving;

pub use crate::matter::model::{Thread, Yarn, YarnPoint, Yarns};
pub use cloth::Woven;
pub use frays::Frays;
pub use tearing::{CoarseCells, Cut, Strength, Tearing};
pub use tears::{Bond, Tears};
pub use weave::{Weave, WeaveError};

pub(crate) use couples::Couples;
pub(crate) use weaving::{Changed, Strained, Weaving};
