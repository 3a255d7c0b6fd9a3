//! Pendulum: stiff cloth on a pin swings with the period of the rigid body it nearly is.

use std::f64::consts::TAU;

use crate::common::{self, Method, for_each_integrator};
use glam::{DMat3, DVec3};
use taffeta::mesh::SheetEdge;
use taffeta::{Fabric, Integrator, Pin, Setup, Sheet, Simulation};

for_each_integrator!(
    a_hinged_quad_swings_in_its_period,
    a_plate_on_one_corner_swings_in_its_period
);

/// So stiff in the plane that the weight strains it by less than 3e-5; the damping takes away
/// the tremor of the start and does not touch the swing, which is a rigid motion.
const STIFF: Fabric = Fabric {
    density: 0.2,
    thickness: 5e-4,
    stretch: 1e5,
    stretch_weft: None,
    shear: 1e5,
    bending: 0.0,
    bending_weft: None,
    bend: 0.0,
    stretch_damping: 1e-4,
    shear_damping: 1e-4,
    bend_damping: 0.0,
};

/// Strain, and the O(h²) of the step, are below a tenth of this.
const TOLERANCE: f64 = 3e-4;

/// Backward Euler also takes energy, and amplitude, away in proportion to the step.
fn tolerance(simulation: &Simulation) -> f64 {
    match simulation.setup().integrator {
        Integrator::Explicit(_) => TOLERANCE,
        Integrator::Implicit(_) => 5e-3,
    }
}

/// The period of a rigid body swinging up to an angle: 2π √(I/Mgd) / agm(1, cos(angle/2)).
fn period(inertia: f64, moment: f64, amplitude: f64) -> f64 {
    let (mut a, mut b) = (1.0, libm::cos(amplitude / 2.0));
    while f64::abs(a - b) > 1e-15 {
        (a, b) = (0.5 * (a + b), f64::sqrt(a * b));
    }
    TAU * (inertia / (9.81 * moment)).sqrt() / a
}

/// The mean period over three swings, from the times at which `height` on the side falls
/// through zero.
fn measured(simulation: &mut Simulation, side: impl Fn(&[DVec3]) -> f64) -> f64 {
    let mut crossings = Vec::new();
    let (mut before, mut time_before) = (side(&simulation.state().positions), 0.0);
    while crossings.len() < 4 {
        common::advance(simulation, time_before + 1.0 / 4096.0);
        let (now, time) = (side(&simulation.state().positions), simulation.state().time);
        if before > 0.0 && now <= 0.0 {
            crossings.push(time_before + (time - time_before) * before / (before - now));
        }
        (before, time_before) = (now, time);
        assert!(time < 20.0, "it does not swing");
    }
    (crossings[3] - crossings[0]) / 3.0
}

/// Two masses at the same distance from a hinge: a simple pendulum.
fn a_hinged_quad_swings_in_its_period(equip: Method) {
    let sheet = Sheet { width: 0.3, height: 0.4, columns: 2, rows: 2 };
    for amplitude in [0.1, 1.2, 2.5] {
        let mesh = sheet.mesh();
        let explicit = equip(common::cloth(&mesh, &STIFF)).integrator.is_explicit();
        if !explicit && amplitude > 2.0 {
            // So near the top a little lost amplitude is a lot of period.
            continue;
        }
        let hinge = DVec3::new(0.0, 0.0, -0.2);
        // From straight down, which is +z turned to −y, out by the amplitude.
        let turn = DMat3::from_rotation_x(TAU / 4.0 - amplitude);
        let positions = mesh.positions.iter().map(|&p| turn * (p - hinge)).collect();
        let setup = Setup { positions, ..equip(common::cloth(&mesh, &STIFF)) };
        let pins = vec![Pin::fixed(sheet.edge(SheetEdge::Top))];
        let mut simulation = common::start(Setup { pins, ..setup });
        let expected = period(0.4 * 0.4, 0.4, amplitude);
        let found = measured(&mut simulation, |x| x[2].z);
        assert!(
            (found / expected - 1.0).abs() < tolerance(&simulation),
            "{amplitude}: {found} {expected}"
        );
    }
}

/// A plate that swings in its own plane about a corner: a compound pendulum, of the moments of
/// the particles' masses.
fn a_plate_on_one_corner_swings_in_its_period(equip: Method) {
    let sheet = Sheet { width: 0.4, height: 0.3, columns: 4, rows: 3 };
    let mesh = sheet.mesh();
    let corner = mesh.positions[0];
    let diagonal = libm::atan2(0.3, 0.4);
    for amplitude in [0.1, 1.0] {
        // Into the vertical plane, with the diagonal down, and out by the amplitude.
        let turn = DMat3::from_rotation_z(amplitude + diagonal - TAU / 4.0)
            * DMat3::from_rotation_x(TAU / 4.0);
        let positions: Vec<DVec3> = mesh.positions.iter().map(|&p| turn * (p - corner)).collect();
        let setup = Setup { positions, ..equip(common::cloth(&mesh, &STIFF)) };
        let masses = setup.model.masses();
        let moment = |power: i32| -> f64 {
            masses.iter().zip(&setup.positions).map(|(m, p)| m * p.length().powi(power)).sum()
        };
        let inertia = moment(2);
        // By symmetry the centre of mass is at the middle of the diagonal.
        let first_moment = masses.iter().sum::<f64>() * 0.25;
        let expected = period(inertia, first_moment, amplitude);
        let mut simulation = common::start(Setup { pins: vec![Pin::fixed([0])], ..setup });
        let found = measured(&mut simulation, |x| x[11].x);
        assert!(
            (found / expected - 1.0).abs() < tolerance(&simulation),
            "{amplitude}: {found} {expected}"
        );
    }
}
