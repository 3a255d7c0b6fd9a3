//! Limiters: how strain limits are kept, as the user says.

use crate::error::SetupError;

/// How strain limits are kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limiter {
    /// Limits, contacts and friction are constraints of the implicit step: one system for all.
    Constraints(Constraints),
    /// Impulses along all gauges at once, from linear systems.
    Impulses(Impulses),
    /// Gauge after gauge is moved to its limit.
    Sweeps(Sweeps),
    /// Strip after strip of edges is brought to its rest length, with everything that touches the cloth
    /// in the same loop: a solver of whole steps.
    Strips(Strips),
}

impl Default for Limiter {
    fn default() -> Self {
        Self::Constraints(Constraints::default())
    }
}

impl Limiter {
    /// Whether its settings make sense.
    pub fn check(&self) -> Result<(), SetupError> {
        match self {
            Self::Constraints(constraints) => constraints.check(),
            Self::Impulses(impulses) => impulses.check(),
            Self::Sweeps(sweeps) => sweeps.check(),
            Self::Strips(strips) => strips.check(),
        }
    }

    /// Whether it is a part of the implicit step, and cannot follow an explicit one.
    pub fn needs_implicit(&self) -> bool {
        matches!(self, Self::Constraints(_))
    }

    /// Whether a step that ends over the limits is worth another try with half the length. Where
    /// the user fixed how much work goes into a step it is not: it is taken, and counted.
    pub(crate) fn tries_again(&self) -> bool {
        match self {
            Self::Constraints(_) => true,
            Self::Impulses(impulses) => impulses.variant != ImpulseVariant::Paper,
            Self::Sweeps(_) | Self::Strips(_) => false,
        }
    }
}

/// Settings of limits in implicit steps that solve for everything at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constraints {
    /// The most linear solves of a step, at least 1.
    pub max_solves: u32,
}

impl Default for Constraints {
    fn default() -> Self {
        Self { max_solves: 8 }
    }
}

impl Constraints {
    fn check(&self) -> Result<(), SetupError> {
        if self.max_solves == 0 { Err(SetupError::NoSolves) } else { Ok(()) }
    }
}

/// Settings of the impulse limiter.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Impulses {
    /// How often a step solves, and for what.
    pub variant: ImpulseVariant,
    /// How its systems are solved.
    pub solver: ImpulseSolver,
}

/// Which impulses a step asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ImpulseVariant {
    /// One solve, with directions and lengths of the start of the step (Ye08 §4): for small steps.
    Paper,
    /// Solves at the places predicted by the one before, until all gauges are within limits.
    Refined {
        /// The most solves of a step, at least 1.
        max_solves: u32,
    },
}

impl Default for ImpulseVariant {
    fn default() -> Self {
        Self::Refined { max_solves: 12 }
    }
}

/// How impulse systems are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum ImpulseSolver {
    /// By a sparse factorisation whose pattern is planned once.
    #[default]
    Direct,
    /// By conjugate gradients with the diagonal as preconditioner.
    Cg {
        /// The residual to reach, relative to the right-hand side.
        tolerance: f64,
        /// The most iterations of a solve.
        max_iterations: u32,
    },
}

impl Impulses {
    fn check(&self) -> Result<(), SetupError> {
        if self.variant == (ImpulseVariant::Refined { max_solves: 0 }) {
            return Err(SetupError::NoSolves);
        }
        match self.solver {
            ImpulseSolver::Cg { tolerance, .. } if !(tolerance > 0.0 && tolerance < 1.0) => {
                Err(SetupError::Tolerance(tolerance))
            }
            ImpulseSolver::Cg { max_iterations: 0, .. } => Err(SetupError::NoIterations),
            _ => Ok(()),
        }
    }
}

/// Settings of position sweeps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sweeps {
    /// Most sweeps over all gauges in a step, at least 1; it stops when all are within limits.
    pub sweeps: u32,
}

impl Default for Sweeps {
    fn default() -> Self {
        Self { sweeps: 20 }
    }
}

impl Sweeps {
    fn check(&self) -> Result<(), SetupError> {
        if self.sweeps == 0 { Err(SetupError::NoSweeps) } else { Ok(()) }
    }
}

/// Settings of the strips.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strips {
    /// The most sweeps over all strips in a step, at least 1.
    pub max_iterations: u32,
}

impl Default for Strips {
    fn default() -> Self {
        Self { max_iterations: 20 }
    }
}

impl Strips {
    fn check(&self) -> Result<(), SetupError> {
        if self.max_iterations == 0 { Err(SetupError::NoSweeps) } else { Ok(()) }
    }
}
