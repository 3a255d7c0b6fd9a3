//! Energy: without damping the symplectic step keeps it, with damping it never grows.

use crate::common::{self, DAMPED, Method, SOFT, cloth, for_each_integrator, square, start};
use taffeta::mesh::SheetEdge;
use taffeta::{Fabric, Integrator, Pin, Simulation, Spring};

for_each_integrator!(damped_cloth_never_gains_energy, damping_takes_the_energy_of_its_own_work);

/// A sheet held along an edge falls from horizontal and swings.
fn swinging(equip: Method, fabric: &Fabric, h: f64) -> Simulation {
    let sheet = square(6);
    let mut setup = equip(cloth(&sheet.mesh(), fabric));
    setup.pins = vec![Pin::fixed(sheet.edge(SheetEdge::Top))];
    setup.step.max = h;
    // The law is the integrator's; step control would only hide where it fails.
    setup.step.max_stretch_change = 1.0;
    start(setup)
}

/// The energies after each step of a run.
fn energies(simulation: &mut Simulation, h: f64, duration: f64) -> Vec<f64> {
    let mut energies = vec![simulation.energy().total()];
    common::step_by_step(simulation, h, duration, |now| energies.push(now.energy().total()));
    energies
}

/// The largest distance from the start.
fn wobble(energies: &[f64]) -> f64 {
    energies.iter().map(|e| (e - energies[0]).abs()).fold(0.0, f64::max)
}

fn mean(energies: &[f64]) -> f64 {
    energies.iter().sum::<f64>() / energies.len() as f64
}

/// Symplectic Euler follows a system whose energy differs from ours by O(h): the wobble is
/// proportional to the step, and does not become a drift in twenty seconds.
#[test]
fn undamped_energy_wobbles_with_the_step_and_does_not_drift() {
    let run = |h: f64| energies(&mut swinging(|setup| setup, &SOFT, h), h, 20.0);
    let (coarse, fine) = (run(1.0 / 1024.0), run(1.0 / 2048.0));
    // Up to 1 J goes back and forth between height, motion and springs.
    assert!(wobble(&coarse) < 0.025, "{} J", wobble(&coarse));
    let ratio = wobble(&coarse) / wobble(&fine);
    assert!((1.5..3.0).contains(&ratio), "half the step, {ratio} times the wobble");
    for energies in [coarse, fine] {
        let seconds = energies.len() / 20;
        let (early, late) =
            (mean(&energies[2 * seconds..7 * seconds]), mean(&energies[15 * seconds..]));
        let drift = (late - early).abs();
        assert!(drift < 0.05 * wobble(&energies), "{drift} J of drift");
    }
}

fn damped_cloth_never_gains_energy(equip: Method) {
    let h = 1.0 / 2048.0;
    let energies = energies(&mut swinging(equip, &DAMPED, h), h, 4.0);
    for (step, pair) in energies.windows(2).enumerate() {
        assert!(pair[1] <= pair[0] + 1e-9, "step {step}: {} J from {} J", pair[1], pair[0]);
    }
    let lost = energies[0] - energies[energies.len() - 1];
    assert!(lost > 0.3, "only {lost} J lost");
}

/// What is lost is what the dampers take: ∫ Σ c·(rate of stretch)² dt.
fn damping_takes_the_energy_of_its_own_work(equip: Method) {
    let h = 1.0 / 2048.0;
    let mut simulation = swinging(equip, &DAMPED, h);
    let before = simulation.energy().total();
    let mut taken = 0.0;
    common::step_by_step(&mut simulation, h, 2.0, |now| taken += h * damping_power(now));
    let lost = before - simulation.energy().total();
    match simulation.setup().integrator {
        Integrator::Explicit(_) => {
            assert!((taken / lost - 1.0).abs() < 0.05, "{taken} J taken, {lost} J lost");
        }
        // Backward Euler damps by itself, in proportion to the step.
        Integrator::Implicit(_) => assert!(taken < lost, "{taken} J taken, {lost} J lost"),
    }
}

fn damping_power(simulation: &Simulation) -> f64 {
    let (x, v) = (&simulation.state().positions, &simulation.state().velocities);
    let power = |spring: &Spring| {
        let [a, b] = spring.ends.map(|end| end as usize);
        let rate = (v[b] - v[a]).dot((x[b] - x[a]).normalize());
        spring.damping * rate * rate
    };
    simulation.model().springs().iter().map(power).sum()
}
