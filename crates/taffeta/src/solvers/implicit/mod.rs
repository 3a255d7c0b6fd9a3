//! Implicit steps in which everything that acts on the cloth is in one solve: elements, limited
//! gauges, solids, layers, friction and pins (BW98 §3, §5, with the constraints of an augmented
//! Lagrangian).
//!
//! A step minimises ½‖x − y‖²_M / h² + E(x) under inequality constraints, where y is where velocities
//! and loads alone would carry the cloth. A gauge that comes near its limit, a particle above a solid
//! and two features of cloth that keep a distance are all the same thing: a constraint with a dual
//! variable, its force, that lives in the state and starts the next step, and a stiffness that answers
//! what the dual does not know yet. One assembler makes one matrix of all of them, for one kind of
//! unknown, places; how many solves a step takes is a loop count.
//!
//! What a solve leaves over is brought to the end by projected Gauss–Seidel on the few gauges that are
//! still over their limits and on the contacts, contacts last. Then the step is proved, as every step
//! is: limits by measuring, no intersection by certificates (`detection`). A limiter that is a phase of
//! its own (`limiters`) works between the solve and the contacts instead.
//!
//! | file | what |
//! |---|---|
//! | `system.rs` | the matrix of a step and its solution |
//! | `membranes.rs`, `plate.rs` | elements of a continuum: stretch and shear with their limits, bending |
//! | `answers.rs` | what contacts do in a solve |
//! | `following.rs` | coarse woven cloth: particles that follow others |
//! | `gauges.rs` | limited gauges: their law, their duals, their projection |
//! | `solver.rs` | the step |

mod answers;
mod following;
mod gauges;
mod membranes;
mod plate;
mod solver;
mod system;

pub(crate) use solver::ImplicitSolver;
pub(crate) use system::pattern;
