//! What can go wrong, with which particle and what to change.

use taffeta_linalg::{FactorError, PatternError};
use thiserror::Error;

use crate::geometry::detection::Pair;
use crate::geometry::solid::SolidProblem;
use crate::matter::gauge::Gauge;

/// Why a setup cannot be simulated.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SetupError {
    /// Positions and model do not belong together.
    #[error("{positions} positions were given for a cloth of {particles} particles")]
    PositionCount {
        /// Positions given.
        positions: usize,
        /// Particles of the model.
        particles: usize,
    },
    /// A particle starts nowhere.
    #[error("particle {particle} starts at a position that is not finite")]
    StartNotFinite {
        /// The particle.
        particle: u32,
    },
    /// A particle starts so far away that its edges are lost in round-off.
    #[error(
        "particle {particle} starts {distance:.1e} m from the origin, where numbers are too coarse for its edges; place the cloth nearer, or use larger cells"
    )]
    TooFar {
        /// The particle.
        particle: u32,
        /// Its distance from the origin \[m\].
        distance: f64,
    },
    /// Forces from outside and model do not belong together.
    #[error("{forces} forces were given for a cloth of {particles} particles")]
    ForceCount {
        /// Forces given.
        forces: usize,
        /// Particles of the model.
        particles: usize,
    },
    /// A force from outside is not a sensible number.
    #[error("the force on particle {particle} is not finite")]
    ForceNotFinite {
        /// The particle.
        particle: u32,
    },
    /// A hand holds what is not there.
    #[error("a hand cannot hold particle {particle} of a cloth of {particles} particles")]
    HandGrip {
        /// The particle.
        particle: u32,
        /// How many there are.
        particles: usize,
    },
    /// A hand is nowhere, or pulls with no sensible force.
    #[error("the place, stiffness, damping or strength of a hand is not finite, or negative")]
    HandNotFinite,
    /// A solid was named that does not exist.
    #[error("there is no solid {solid}: there are {solids}, counted from 0")]
    NoSuchSolid {
        /// The solid named.
        solid: usize,
        /// How many there are.
        solids: usize,
    },
    /// Cloth that does not tear has no yarns to cut.
    #[error("this cloth cannot be cut, because it cannot tear: its scene has no [tear] table")]
    CutNeedsTearing,
    /// A pin was named that does not exist.
    #[error("there is no pin {pin}: there are {pins}, counted from 0")]
    NoSuchPin {
        /// The pin named.
        pin: usize,
        /// How many there are.
        pins: usize,
    },
    /// Gravity or air is not a sensible number.
    #[error("{what} must be finite{and}")]
    Load {
        /// Which load.
        what: &'static str,
        /// What else it has to be.
        and: &'static str,
    },
    /// Gravity and wind cannot change so.
    #[error("load key {key} {problem}")]
    LoadKey {
        /// Which key.
        key: usize,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// Gravity or wind is set from outside, but changes by keys.
    #[error("gravity and wind change by keys here; without `[[load]]` they can be set")]
    KeyedLoads,
    /// The explicit integrator's safety factor makes no sense.
    #[error("the safety factor is {0}; it must be above 0 and at most 1")]
    Safety(f64),
    /// The tolerance of linear solves makes no sense.
    #[error("the solver's tolerance is {0}; it must be above 0 and below 1")]
    Tolerance(f64),
    /// The tolerance of Newton's method makes no sense.
    #[error("Newton's tolerance is {0}; it must be finite and above 0")]
    NewtonTolerance(f64),
    /// Solves may not iterate.
    #[error("the solver may spend no iterations; allow at least one")]
    NoIterations,
    /// The limit on extension makes no sense.
    #[error("the limit on extension is {0}; it must be above 0 (0.05 is 5 %)")]
    ExtensionLimit(f64),
    /// The limit on compression makes no sense.
    #[error("the limit on compression is {0}; it must be above 0 and below 1 (0.02 is 2 %)")]
    CompressionLimit(f64),
    /// A limiter may not solve.
    #[error("the limiter may spend no solves; allow at least one")]
    NoSolves,
    /// A limiter may not sweep.
    #[error("the limiter may spend no sweeps; allow at least one")]
    NoSweeps,
    /// Strips are a solver of their own, of cloth whose threads run along edges.
    #[error(
        "strips move the cloth by themselves, along edges that are its warp and weft: leave [integrator.implicit] and [tear] out, and for a continuum whose warp and weft do not run along its edges choose constraints, impulses or sweeps"
    )]
    StripsUnsuited,
    /// Only springs on a sheet tear.
    #[error(
        "cloth that tears is a sheet of springs, with linear or compression-only shear and linear or choi-ko bending; choose those"
    )]
    TearingNeedsSprings,
    /// Yarns that do not fit beside each other.
    #[error(
        "warp and weft are {thickness} m apart where they cross; that must be above zero and less than the distance between yarns, {shortest} m"
    )]
    WeaveThickness {
        /// What was asked for.
        thickness: f64,
        /// The shortest edge.
        shortest: f64,
    },
    /// A range of strengths no yarn can have.
    #[error("yarns tear between {} and {}; both must be above zero and finite, the smaller first", .0[0], .0[1])]
    Strength([f64; 2]),
    /// A share of the strength at which nothing can loosen before it tears.
    #[error("the weave loosens at {0} of the strength; that must be above 0 and below 1")]
    Loosening(f64),
    /// Cells of coarse cloth that are none, or that stay coarse where the weave loosens.
    #[error(
        "coarse cells of {size} crossings until {until} of the strength: the size must be 1 or more, and they must be fine before the weave loosens, at {loosens_at}"
    )]
    CoarseCells {
        /// Crossings along a side.
        size: u32,
        /// The share of the strength at which they become fine.
        until: f64,
        /// That at which the weave loosens.
        loosens_at: f64,
    },
    /// Coarse cloth where nothing can be coarse.
    #[error(
        "coarse cells need implicit steps without Newton's method and without strain limits, and cloth that is not all yarn; leave them out, or change that"
    )]
    CoarseCloth,
    /// Another number of tearing.
    #[error("{what} is {value}; it must be finite and above zero")]
    Tearing {
        /// Which.
        what: &'static str,
        /// What was given.
        value: f64,
    },
    /// Crossings that are apart as soon as they are split.
    #[error(
        "warp and weft are apart at a distance of {slip} m between their middles, but start {thickness} m apart, the thickness of the weave; slip must be more"
    )]
    Slip {
        /// The distance at which they are apart.
        slip: f64,
        /// The weave's thickness.
        thickness: f64,
    },
    /// Cloths that differ, and a limiter that takes all alike.
    #[error(
        "only constraints keep the limits of cloths of different fabrics or with different limits; this limiter takes all alike"
    )]
    ClothsDiffer,
    /// Settings for other cloths than there are.
    #[error("{given} cloths have settings of their own, of {cloths}; all have or none has")]
    ClothCount {
        /// Settings given.
        given: usize,
        /// Cloths in the model.
        cloths: usize,
    },
    /// Factors of strength that do not fit.
    #[error(
        "there are {given} factors of strength for {edges} edges; each edge takes one, above zero"
    )]
    StrengthFactors {
        /// Factors given.
        given: usize,
        /// Edges there are.
        edges: usize,
    },
    /// A cut of an edge that is not there.
    #[error("edge {edge} is to be cut, but there are only {edges}")]
    CutOutOfRange {
        /// The edge.
        edge: u32,
        /// Edges there are.
        edges: usize,
    },
    /// The limiter is a part of the implicit step.
    #[error(
        "limits as constraints need the implicit integrator; choose another limiter for explicit steps"
    )]
    LimiterNeedsImplicit,
    /// The integrator does not know these elements.
    #[error(
        "the explicit integrator simulates springs only; use the implicit integrator for a continuum"
    )]
    Unsuited,
    /// Layers of cloth cannot keep such a distance.
    #[error("the thickness of contact is {0} m; it must be finite and above zero")]
    ContactThickness(f64),
    /// There is no such friction.
    #[error("the friction of contact is {0}; it must be finite and not negative")]
    ContactFriction(f64),
    /// The system of the cloth could not be planned.
    #[error("the cloth's equations cannot be planned: {0}")]
    Plan(#[from] PlanError),
    /// The step limits make no sense.
    #[error(transparent)]
    StepLimits(#[from] StepLimitsError),
    /// A pin cannot work.
    #[error("pin {pin}: {problem}")]
    Pin {
        /// Its place in the list.
        pin: usize,
        /// What is wrong.
        problem: PinProblem,
    },
    /// A pull cannot work.
    #[error("pull {pull}: {problem}")]
    Pull {
        /// Its place in the list.
        pull: usize,
        /// What is wrong.
        problem: PinProblem,
    },
    /// A solid cannot work.
    #[error("solid {solid}: {problem}")]
    Solid {
        /// Its place in the list.
        solid: usize,
        /// What is wrong.
        problem: SolidProblem,
    },
    /// The stiffnesses and masses allow no step at all.
    #[error(
        "no time step is stable (particle {particle} would need {h} s): stiffness and density are too far apart, check their units"
    )]
    NoStableStep {
        /// The particle that bounds the step.
        particle: u32,
        /// The bound \[s\].
        h: f64,
    },
    /// A snapshot of something else.
    #[error(
        "the snapshot is of another scene: it holds {} particles and {} pinned places, this cloth has {} and {}", found.0, found.1, wanted.0, wanted.1
    )]
    ForeignSnapshot {
        /// Particles and pinned places here.
        wanted: (usize, usize),
        /// Particles and pinned places there.
        found: (usize, usize),
    },
    /// A snapshot that could not be gone on from.
    #[error("the snapshot is damaged: it holds numbers that are not finite, or no step")]
    BrokenSnapshot,
}

/// Why the equations of a cloth cannot be planned.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanError {
    /// What is coupled makes no matrix.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// The matrix cannot be factored.
    #[error(transparent)]
    Factor(#[from] FactorError),
}

/// What is wrong with a pin or a pull.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum PinProblem {
    /// It is led to more or fewer places than it has.
    #[error("it is led to {places} places, but holds {particles} particles")]
    LeadCount {
        /// Places given.
        places: usize,
        /// Particles it holds.
        particles: usize,
    },
    /// It is led to no place.
    #[error("the place that particle {particle} is led to is not finite")]
    LeadNotFinite {
        /// The particle.
        particle: u32,
    },
    /// It is led there in no time.
    #[error("it is to be led until {until} s, but it is {now} s already")]
    LeadTime {
        /// When it was to be there \[s\].
        until: f64,
        /// What time it is \[s\].
        now: f64,
    },
    /// It is led although it slides.
    #[error("it slides on a guide, and cannot be led from outside")]
    LeadOnGuide,
    /// It holds nothing.
    #[error("it holds no particle")]
    Empty,
    /// It holds something that does not exist.
    #[error("{particle} is not a particle of this cloth, which has {particles}, 0 to {}", *particles as i64 - 1)]
    OutOfRange {
        /// The number it names.
        particle: u32,
        /// Particles there are.
        particles: usize,
    },
    /// It names a particle more than once.
    #[error("it names particle {particle} twice")]
    NamedTwice {
        /// The particle.
        particle: u32,
    },
    /// Two pins want the same particle at the same time.
    #[error("particle {particle} is held by pin {other} at the same time")]
    HeldTwice {
        /// The particle.
        particle: u32,
        /// The other pin.
        other: usize,
    },
    /// It ends before it begins, or its times are not numbers.
    #[error("it is active from {from} s until {until} s, which is no stretch of time")]
    Times {
        /// Beginning \[s\].
        from: f64,
        /// End \[s\].
        until: f64,
    },
    /// A normal, direction or axis has no direction.
    #[error("its {0} is zero or not finite and points nowhere")]
    Direction(&'static str),
    /// The curve or surface it holds particles on is none.
    #[error("{0}")]
    Guide(&'static str),
    /// The spring of a pull is none.
    #[error("its point, stiffness and damping must be finite, and the latter two not negative")]
    Spring,
    /// The axis of its motion is not of unit length.
    #[error("the axis of its motion has the length {0}; scale it to 1")]
    AxisLength(f64),
    /// Its motion turns about a point that is nowhere.
    #[error("the centre of its motion is not finite")]
    Centre,
    /// Keys out of order, not finite or of no size.
    #[error(
        "key {0} of its motion is not finite, not later than the one before, or has a scale that is not above zero"
    )]
    Key(usize),
}

/// Why a run cannot go on. The simulation stays at the last good step.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum StepError {
    /// Somebody asked to stop.
    #[error("stopped at {time:.6} s, as was asked for")]
    Stopped {
        /// Simulated time \[s\].
        time: f64,
    },
    /// What is left of torn cloth cannot be simulated.
    #[error("at {time:.6} s cloth tore, and what is left of it cannot be simulated: {source}")]
    Torn {
        /// Simulated time \[s\].
        time: f64,
        /// Why.
        source: SetupError,
    },
    /// A spring changes its length too fast for the shortest step.
    #[error("at {time:.6} s the {at} changes by {:.1} % of its length within a step of {h:.2e} s, and shorter steps are not allowed; lower step.min, the load or the speed of the pins, or raise step.max_stretch_change", change * 100.0)]
    Stretch {
        /// Where.
        at: Gauge,
        /// Change of length over rest length.
        change: f64,
        /// Simulated time \[s\].
        time: f64,
        /// The step \[s\].
        h: f64,
    },
    /// Positions are no longer numbers, at the shortest step.
    #[error(
        "at {time:.6} s the {at} is at a position that is not finite even with a step of {h:.2e} s; check the units of loads and stiffnesses"
    )]
    NotFinite {
        /// Where.
        at: Gauge,
        /// Simulated time \[s\].
        time: f64,
        /// The step \[s\].
        h: f64,
    },
    /// The air is too strong for any step.
    #[error(
        "at {time:.6} s the air is so dense, or the wind or the cloth so fast, that even a step of {h:.2e} s would turn the cloth around; check the units of air and wind, or raise step.max_per_frame"
    )]
    Drag {
        /// Simulated time \[s\].
        time: f64,
        /// The step \[s\].
        h: f64,
    },
    /// The equations cannot be solved, at the shortest step.
    #[error(
        "at {time:.6} s the equations cannot be solved even for a step of {h:.2e} s; check the units of loads and stiffnesses"
    )]
    Unsolvable {
        /// Simulated time \[s\].
        time: f64,
        /// The step \[s\].
        h: f64,
    },
    /// A particle cannot be kept out of a solid, at the shortest step.
    #[error(
        "at {time:.6} s particle {particle} cannot be kept out of solid {solid} even with a step of {h:.2e} s; look for solids that close on it, or slow them down"
    )]
    Blocked {
        /// The particle.
        particle: u32,
        /// The solid.
        solid: u32,
        /// Simulated time \[s\].
        time: f64,
        /// The step \[s\].
        h: f64,
    },
    /// Contact cannot keep the cloth apart, at the shortest step.
    #[error(
        "at {time:.6} s {at} cannot be kept apart even in a step of {h:.2e} s; look at what presses them together there, a pin or a seam, or lower step.min"
    )]
    Contact {
        /// What would pass through each other.
        at: Pair,
        /// Simulated time \[s\].
        time: f64,
        /// The step \[s\].
        h: f64,
    },
    /// Steps keep being refused.
    #[error(
        "at {time:.6} s more than {limit} steps were tried for one frame, the last of {h:.2e} s for the {at}; soften the cloth or the loads, or raise step.max_per_frame"
    )]
    TooManyRetries {
        /// The limit.
        limit: u32,
        /// What changed too much.
        at: Gauge,
        /// Simulated time \[s\].
        time: f64,
        /// The step \[s\].
        h: f64,
    },
    /// The user's longest step is far too short for the time asked for.
    #[error(
        "one frame needs {needed:.0} steps of at most {h:.2e} s, over the limit of {limit}: raise step.max or step.max_per_frame"
    )]
    StepMaxTooShort {
        /// Steps needed.
        needed: f64,
        /// The limit.
        limit: u32,
        /// step.max \[s\].
        h: f64,
    },
    /// The stable step is far too short for the time asked for.
    #[error(
        "one frame needs {needed:.0} steps of {h:.2e} s, over the limit of {limit}: particle {particle} weighs {mass:.2e} kg and its springs add up to {stiffness:.2e} N/m; check the units of density and stiffness, use fewer particles, or raise step.max_per_frame"
    )]
    TooManySteps {
        /// Steps needed.
        needed: f64,
        /// The limit.
        limit: u32,
        /// The longest stable step \[s\].
        h: f64,
        /// The particle that bounds it.
        particle: u32,
        /// Its mass \[kg\].
        mass: f64,
        /// The sum of its springs' stiffness [N/m].
        stiffness: f64,
    },
}

/// A bound that makes no sense.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
#[error("step.{field} is {value}; it must be {requirement}")]
pub struct StepLimitsError {
    /// Which bound.
    pub field: &'static str,
    /// What it is.
    pub value: f64,
    /// What it has to be.
    pub requirement: &'static str,
}
