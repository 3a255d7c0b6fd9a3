//! How far dressing is, and why it cannot go on.

use taffeta::{Mesh, ModelError, SetupError, StepError};

/// How far dressing is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Which cloth is put on, by its place in the scene.
    pub piece: usize,
    /// What is being done.
    pub stage: Stage,
    /// For how long, of the time there is for it \[s\].
    pub time: [f64; 2],
    /// The widest gap of any seam \[m\].
    pub gap: f64,
}

/// What dressing does, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Seams are drawn together.
    Sewing,
    /// The garment falls on the body.
    Settling,
}

/// Why a garment could not be put on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DressError {
    /// It went wrong while cloth was here, as a picture can show.
    #[error("{source}")]
    At {
        /// The cloth that is on, and what of it is being sewn.
        cloth: Box<Mesh>,
        /// What went wrong.
        source: Box<DressError>,
    },
    /// Somebody asked to stop.
    #[error("dressing was stopped")]
    Stopped,
    /// A seam is still open.
    #[error(
        "seam {seam} does not close: after {after} s its ends are {gap:.4} m apart near ({:.3}, {:.3}, \
         {:.3}), and {others} other seams are open; is something between them, is a panel too small, \
         or is the seam twisted?", at[0], at[1], at[2]
    )]
    Open {
        /// The name of the widest seam.
        seam: String,
        /// How wide \[m\].
        gap: f64,
        /// Where \[m\].
        at: [f64; 3],
        /// How many others are open.
        others: usize,
        /// How long it took \[s\].
        after: f64,
    },
    /// The garment passes through itself.
    #[error(
        "the sewn garment passes through itself at {count} places, first near ({:.3}, {:.3}, {:.3}); \
         panels that start apart, and off the body, come together cleanly", at[0], at[1], at[2]
    )]
    Tangled {
        /// How often.
        count: usize,
        /// Where first \[m\].
        at: [f64; 3],
    },
    /// The panels make no cloth.
    #[error("the panels make no cloth: {0}")]
    Model(#[from] ModelError),
    /// The simulation cannot begin.
    #[error("the panels cannot be simulated: {0}")]
    Setup(#[from] SetupError),
    /// The simulation cannot go on.
    #[error("while {}: {source}", match stage { Stage::Sewing => "seams were drawn together", Stage::Settling => "the garment settled" })]
    Step {
        /// What was being done.
        stage: Stage,
        /// Why.
        source: StepError,
    },
}

impl DressError {
    /// The error, with where cloth was.
    pub(crate) fn at(self, cloth: Mesh) -> Self {
        match self {
            Self::Stopped | Self::At { .. } => self,
            source => Self::At { cloth: Box::new(cloth), source: Box::new(source) },
        }
    }

    /// What went wrong, wherever that was.
    pub fn cause(&self) -> &Self {
        match self {
            Self::At { source, .. } => source.cause(),
            other => other,
        }
    }

    /// Where cloth was when it went wrong, if that is known.
    pub fn cloth(&self) -> Option<&Mesh> {
        match self {
            Self::At { cloth, .. } => Some(cloth),
            _ => None,
        }
    }
}
