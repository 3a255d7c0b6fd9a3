//! What the laws share: the list of methods they hold for, small scenes, and how to settle them.

#![allow(
    dead_code,
    unused_imports,
    unused_macros,
    reason = "every group of tests is a crate of its own and needs a part of this"
)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

pub mod meshes;

use glam::DVec3;
use taffeta::mesh::Faces;
use taffeta::{
    ExplicitEuler, Fabric, ImplicitEuler, ImpulseVariant, Impulses, Integrator, Limiter, Mesh,
    Model, Newton, Setup, Sheet, Simulation, Solver, StepLimits, StrainLimits, Strips, Sweeps,
    Tally,
};

/// A way to simulate: puts its integrator, and whatever else it needs, into a setup.
pub type Method = fn(Setup) -> Setup;

/// Makes each law, a function of a [`Method`], one test per method.
///
/// A new integrator or limiter is one more line here.
macro_rules! for_each_integrator {
    ($($law:ident),+ $(,)?) => {
        $crate::common::tests_with!(explicit, |setup| setup, $($law),+);
        $crate::common::tests_with!(implicit, $crate::common::implicit, $($law),+);
        $crate::common::tests_with!(newton, $crate::common::newton, $($law),+);
        $crate::common::tests_with!(slack, $crate::common::slack, $($law),+);
    };
}
pub(crate) use for_each_integrator;

/// Makes each law one test per way to keep strain limits, with limits that cloth meets all the
/// time. The integrators alone are [`for_each_integrator!`]'s.
macro_rules! for_each_limiter {
    ($($law:ident),+ $(,)?) => {
        $crate::common::tests_with!(strips, $crate::common::strips, $($law),+);
        $crate::common::for_each_limiter_of_true_masses!($($law),+);
    };
}
pub(crate) use for_each_limiter;

/// The same for laws that strips break: they move cloth as heavy as the geometric stiffness of its taut
/// edges makes it, so that what pins bear in motion is more than what the cloth's momentum says.
macro_rules! for_each_limiter_of_true_masses {
    ($($law:ident),+ $(,)?) => {
        $crate::common::tests_with!(constraints, $crate::common::constraints, $($law),+);
        $crate::common::tests_with!(impulses, $crate::common::impulses, $($law),+);
        $crate::common::tests_with!(implicit_impulses, $crate::common::implicit_impulses, $($law),+);
        $crate::common::tests_with!(paper_impulses, $crate::common::paper_impulses, $($law),+);
        $crate::common::tests_with!(sweeps, $crate::common::sweeps, $($law),+);
        $crate::common::tests_with!(implicit_sweeps, $crate::common::implicit_sweeps, $($law),+);
    };
}
pub(crate) use for_each_limiter_of_true_masses;

macro_rules! tests_with {
    ($method:ident, $equip:expr, $($law:ident),+) => {
        mod $method {
            $(#[test]
            fn $law() {
                super::$law($equip);
            })+
        }
    };
}
pub(crate) use tests_with;

/// Symplectic Euler.
pub fn explicit(setup: Setup) -> Setup {
    Setup { integrator: ExplicitEuler::default().into(), ..setup }
}

/// Backward Euler, its systems solved to round-off.
pub fn implicit(setup: Setup) -> Setup {
    let solver = Solver::Pcg { tolerance: 1e-12, max_iterations: 1000 };
    Setup { integrator: Integrator::Implicit(ImplicitEuler { solver, newton: None }), ..setup }
}

/// Backward Euler solved to round-off by Newton's method.
pub fn newton(setup: Setup) -> Setup {
    let solver = Solver::Pcg { tolerance: 1e-12, max_iterations: 1000 };
    let newton = Some(Newton { tolerance: 1e-12, max_iterations: 100 });
    Setup { integrator: Integrator::Implicit(ImplicitEuler { solver, newton }), ..setup }
}

/// Backward Euler under limits that the laws' soft cloth never meets: `limits/every_limiter.rs` has
/// the laws of cloth that does.
pub fn slack(setup: Setup) -> Setup {
    let limits = Some(StrainLimits { extension: 10.0, compression: None });
    Setup { limits, ..implicit(setup) }
}

/// Limits of 2 %, far less than soft cloth stretches by its weight.
pub fn limited(setup: Setup, limiter: Limiter) -> Setup {
    let limits = Some(StrainLimits { extension: 0.02, compression: None });
    // Limits change lengths within a step; that is no reason to discard it.
    let step = StepLimits { max_stretch_change: 0.5, ..setup.step };
    Setup { limits, limiter, step, ..setup }
}

/// Backward Euler with the limits among its constraints.
pub fn constraints(setup: Setup) -> Setup {
    limited(implicit(setup), Limiter::default())
}

/// Explicit steps, then impulses until the limits are kept.
pub fn impulses(setup: Setup) -> Setup {
    limited(setup, Limiter::Impulses(Impulses::default()))
}

/// Implicit steps, then impulses until the limits are kept.
pub fn implicit_impulses(setup: Setup) -> Setup {
    impulses(implicit(setup))
}

/// Explicit steps, then impulses once.
pub fn paper_impulses(setup: Setup) -> Setup {
    let impulses = Impulses { variant: ImpulseVariant::Paper, ..Impulses::default() };
    limited(setup, Limiter::Impulses(impulses))
}

/// Strips, which move the cloth by themselves.
pub fn strips(setup: Setup) -> Setup {
    limited(setup, Limiter::Strips(Strips::default()))
}

/// Explicit steps, then position sweeps.
pub fn sweeps(setup: Setup) -> Setup {
    limited(setup, Limiter::Sweeps(Sweeps::default()))
}

/// Implicit steps, then position sweeps.
pub fn implicit_sweeps(setup: Setup) -> Setup {
    sweeps(implicit(setup))
}

/// Whether a method's forces act where the cloth is at the start of a step, which is what keeps
/// angular momentum. Backward Euler's act where it will be, and damp spin; so do limiters that
/// look at where it will be.
pub fn keeps_angular_momentum(setup: &Setup) -> bool {
    let paper =
        matches!(setup.limiter, Limiter::Impulses(Impulses { variant: ImpulseVariant::Paper, .. }));
    setup.integrator.is_explicit() && (setup.limits.is_none() || paper)
}

/// How far speeds may be off where nothing but round-off is in the way \[m/s\]. Strips move places,
/// and find speeds from them.
pub fn speed_round_off(setup: &Setup) -> f64 {
    if is_by_strips(setup) { 1e-10 } else { 1e-12 }
}

/// What the forces of pins may be off by, as a share of what they hold: strips bring particles to rest
/// that are as heavy as taut edges make them, and pins feel a little of that.
pub fn reaction_error(setup: &Setup) -> f64 {
    if is_by_strips(setup) { 1e-2 } else { 1e-3 }
}

pub fn is_by_strips(setup: &Setup) -> bool {
    setup.limits.is_some() && matches!(setup.limiter, Limiter::Strips(_))
}

/// What a method may differ by where the explicit one differs by round-off: the matrices of implicit
/// steps are in single precision, which Newton's method makes up for.
pub fn round_off(setup: &Setup) -> f64 {
    match setup.integrator {
        Integrator::Explicit(_) if setup.limits.is_none() => 1e-13,
        Integrator::Explicit(_) => 1e-12,
        Integrator::Implicit(ImplicitEuler { newton: Some(_), .. }) => 1e-10,
        Integrator::Implicit(_) => 1e-7,
    }
}

/// Looks at 256 steps of cloth that starts at rest: momentum grows by weight and pin forces, times the
/// step. Returns how many were looked at.
pub fn momentum_grows_by_pins_and_weight(setup: Setup, h: f64, tolerance: f64) -> u32 {
    let weight = setup.loads.gravity * setup.model.masses().iter().sum::<f64>();
    let mut simulation = start(Setup { step: StepLimits { max: h, ..setup.step }, ..setup });
    let (mut before, mut checked) = (DVec3::ZERO, 0);
    for step in 1..=256 {
        let tally = advance(&mut simulation, f64::from(step) * h);
        let now = taffeta::measure::momentum(simulation.model(), simulation.state());
        let pins: DVec3 = simulation.pin_forces().map(|(_, force)| force).sum();
        // Forces of pins are those of the last step; where limits took several, there is no sum.
        if tally.steps == 1 {
            let off = (now - before).distance((weight + pins) * h);
            assert!(off < tolerance, "{off} at {} s", simulation.state().time);
            checked += 1;
        }
        before = now;
    }
    checked
}

/// Whether a step is one linear solve.
pub fn is_linearised(setup: &Setup) -> bool {
    matches!(setup.integrator, Integrator::Implicit(ImplicitEuler { newton: None, .. }))
}

/// A cloth so soft that steps of a few milliseconds are stable, and without any damping.
pub const SOFT: Fabric = Fabric {
    density: 0.2,
    thickness: 5e-4,
    stretch: 50.0,
    stretch_weft: None,
    shear: 5.0,
    bend: 0.5,
    bending: 1e-3,
    bending_weft: None,
    stretch_damping: 0.0,
    shear_damping: 0.0,
    bend_damping: 0.0,
};

/// The soft cloth, well damped.
pub const DAMPED: Fabric =
    Fabric { stretch_damping: 2e-3, shear_damping: 5e-3, bend_damping: 5e-3, ..SOFT };

/// Three by three particles on a square of ten centimetres, moved by a method.
pub fn small(equip: Method) -> Setup {
    let mesh = Sheet { width: 0.1, height: 0.1, columns: 3, rows: 3 }.mesh();
    equip(cloth(&mesh, &DAMPED))
}

/// A horizontal square metre with this many particles along each side.
pub fn square(side: u32) -> Sheet {
    Sheet { width: 1.0, height: 1.0, columns: side, rows: side }
}

/// The same surface in triangles.
pub fn triangulated(mesh: &Mesh) -> Mesh {
    let mut faces = Faces::new();
    mesh.faces.triangles().for_each(|triangle| faces.push(&triangle));
    Mesh { positions: mesh.positions.clone(), faces }
}

/// Cloth in the shape of a mesh that falls freely.
pub fn cloth(mesh: &Mesh, fabric: &Fabric) -> Setup {
    explicit(Setup::new(Model::mass_spring(mesh, fabric).unwrap(), mesh.positions.clone()))
}

/// Cloth that nothing pulls.
pub fn weightless(mesh: &Mesh, fabric: &Fabric) -> Setup {
    let mut setup = cloth(mesh, fabric);
    setup.loads.gravity = DVec3::ZERO;
    setup
}

/// A simulation of a setup that is known to be good.
pub fn start(setup: Setup) -> Simulation {
    Simulation::new(setup).unwrap()
}

/// Advances where nothing can go wrong.
pub fn advance(simulation: &mut Simulation, time: f64) -> Tally {
    simulation.advance_to(time).unwrap()
}

/// Advances in steps of exactly `h`, a power of two, for a time, and looks at every state.
pub fn step_by_step(
    simulation: &mut Simulation,
    h: f64,
    duration: f64,
    mut look: impl FnMut(&Simulation),
) {
    let begin = simulation.state().time;
    let mut step = 0.0;
    while step * h < duration {
        step += 1.0;
        let tally = advance(simulation, begin + step * h);
        assert_eq!((tally.steps, tally.rejected), (1, 0), "{h} s is not one step");
        look(simulation);
    }
}

/// Gives particle i the velocity `motion(i)`.
pub fn set_motion(simulation: &mut Simulation, motion: impl FnMut(usize) -> DVec3) {
    let particles = simulation.model().particles();
    let velocities: Vec<DVec3> = (0..particles).map(motion).collect();
    simulation.set_velocities(&velocities).unwrap();
}

/// Brings cloth to rest: whenever its kinetic energy has passed a peak, it is stopped there.
///
/// Every stop takes the energy of the motion away, so what remains is the shape of equilibrium.
pub fn settle(simulation: &mut Simulation, h: f64, duration: f64) {
    let mut kinetic = 0.0;
    let end = simulation.state().time + duration;
    while simulation.state().time < end {
        let time = simulation.state().time + h;
        advance(simulation, time);
        let now = simulation.energy().kinetic;
        if now < kinetic {
            set_motion(simulation, |_| DVec3::ZERO);
            kinetic = 0.0;
        } else {
            kinetic = now;
        }
    }
}

/// Does work on a pool of so many threads.
pub fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

/// The longest distance between two lists of points.
pub fn farthest(a: &[DVec3], b: &[DVec3]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

/// Throws of a fair die with many faces, the same ones for the same seed (splitmix64).
pub struct Dice(pub u64);

impl Dice {
    /// A number in 0 … 2⁶⁴ − 1.
    pub fn throw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in −1 … 1.
    pub fn number(&mut self) -> f64 {
        (self.throw() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// A vector in a cube of edge 2 around the origin.
    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.number(), self.number(), self.number())
    }

    /// The numbers 0 … len − 1 in any order.
    pub fn shuffle(&mut self, len: u32) -> Vec<u32> {
        let mut order: Vec<u32> = (0..len).collect();
        for last in (1..order.len()).rev() {
            order.swap(last, self.throw() as usize % (last + 1));
        }
        order
    }
}
