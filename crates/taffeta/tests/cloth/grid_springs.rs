//! Grid cloth with angular and compression-only shear, and with bending that buckles or folds:
//! forces that conserve what they must, at any step, with any integrator.

use crate::common::{
    self, DAMPED, Dice, Method, SOFT, farthest, for_each_integrator, round_off, square, start,
};
use glam::DVec3;
use taffeta::measure::{angular_momentum, momentum};
use taffeta::{
    Bend, ExplicitEuler, Fabric, Integrator, Model, Pin, Setup, Shear, SpringKinds, StrainLimits,
};

for_each_integrator!(free_cloth_keeps_its_momentum, cloth_falls_and_hangs);

const KINDS: [SpringKinds; 4] = [
    SpringKinds { shear: Shear::Angular, bend: Bend::Linear },
    SpringKinds { shear: Shear::Compression, bend: Bend::Linear },
    SpringKinds { shear: Shear::Linear, bend: Bend::ChoiKo },
    SpringKinds { shear: Shear::Angular, bend: Bend::Bridson },
];

fn cloth_of(side: u32, fabric: &Fabric, kinds: SpringKinds) -> Setup {
    let mesh = square(side).mesh();
    common::explicit(Setup::new(
        Model::mass_spring_of(&mesh, fabric, kinds).unwrap(),
        mesh.positions,
    ))
}

fn free_cloth_keeps_its_momentum(equip: Method) {
    for kinds in KINDS {
        let mut setup = equip(cloth_of(6, &DAMPED, kinds));
        setup.loads.gravity = DVec3::ZERO;
        setup.step.max = 1.0 / 512.0;
        let tolerance = 1e3 * round_off(&setup);
        let explicit = setup.integrator.is_explicit();
        let mut simulation = start(setup);
        let dice = &mut Dice(3);
        common::set_motion(&mut simulation, |_| dice.vector() * 0.5);
        let measure = |simulation: &taffeta::Simulation| {
            let (model, state) = (simulation.model(), simulation.state());
            (momentum(model, state), angular_momentum(model, state))
        };
        let before = measure(&simulation);
        common::advance(&mut simulation, 0.25);
        let after = measure(&simulation);
        assert!((after.0 - before.0).length() < tolerance, "{kinds:?}");
        // Backward Euler's forces act where the cloth will be: it turns a little slower.
        if explicit {
            assert!((after.1 - before.1).length() < tolerance, "{kinds:?}");
        }
    }
}

fn cloth_falls_and_hangs(equip: Method) {
    for kinds in KINDS {
        let mut setup = equip(cloth_of(7, &Fabric { stretch: 500.0, ..DAMPED }, kinds));
        setup.pins = vec![Pin::fixed([0, 6])];
        setup.step.max = 1.0 / 240.0;
        let mut simulation = start(setup);
        common::advance(&mut simulation, 0.5);
        let strain = simulation.strain();
        assert!(strain.extension < 0.2, "{kinds:?}: {}", strain.extension);
        let lowest = simulation.state().positions.iter().map(|p| p.y).fold(0.0, f64::min);
        assert!(lowest < -0.5, "{kinds:?}: {lowest}");
    }
}

/// Undamped, and in small explicit steps, energy only changes form.
#[test]
fn energy_is_conserved() {
    for kinds in KINDS {
        let mut setup = cloth_of(6, &SOFT, kinds);
        setup.integrator = Integrator::Explicit(ExplicitEuler { safety: 0.05 });
        setup.loads.gravity = DVec3::ZERO;
        let mut simulation = start(setup);
        let dice = &mut Dice(8);
        common::set_motion(&mut simulation, |_| dice.vector() * 0.3);
        let before = simulation.energy().total();
        let mut elastic: f64 = 0.0;
        for k in 1..=20 {
            common::advance(&mut simulation, 0.02 * f64::from(k));
            let energy = simulation.energy();
            elastic = elastic.max(energy.elastic / before);
            assert!((energy.total() / before - 1.0).abs() < 0.02, "{kinds:?}: {energy:?}");
        }
        assert!(elastic > 0.2, "{kinds:?}: {elastic}");
    }
}

/// The bound on explicit steps is one for these elements too.
#[test]
fn the_longest_step_itself_is_stable() {
    let stiff =
        Fabric { shear: 300.0, bending: 0.02, shear_damping: 1e-3, bend_damping: 1e-3, ..SOFT };
    for kinds in KINDS {
        let mut setup = cloth_of(8, &stiff, kinds);
        setup.integrator = Integrator::Explicit(ExplicitEuler { safety: 1.0 });
        setup.loads.gravity = DVec3::ZERO;
        setup.step.max = 1e3;
        setup.step.max_stretch_change = 1e6;
        let h = setup.integrator.longest_step(&setup.model, &[]).unwrap().h;
        let springs =
            Model::mass_spring(&square(8).mesh(), &Fabric { shear: 0.0, bend: 0.0, ..SOFT });
        let without = setup.integrator.longest_step(&springs.unwrap(), &[]).unwrap().h;
        assert!(h < 0.9 * without, "{kinds:?} does not bound the step");
        let mut simulation = start(setup);
        let dice = &mut Dice(5);
        common::set_motion(&mut simulation, |_| dice.vector() * 1e-3);
        let before = simulation.energy().total();
        for step in 1..=2000 {
            common::advance(&mut simulation, f64::from(step) * h);
            let growth = simulation.energy().total() / before;
            assert!(growth < 20.0, "{kinds:?}: {growth} times the energy");
        }
    }
}

/// Small steps of both integrators go the same way.
#[test]
fn explicit_and_implicit_steps_agree() {
    for kinds in KINDS {
        let run = |equip: Method| {
            let mut setup = equip(cloth_of(5, &DAMPED, kinds));
            setup.pins = vec![Pin::fixed([0, 4])];
            setup.step.max = 1.0 / 8192.0;
            let mut simulation = start(setup);
            common::advance(&mut simulation, 0.25);
            simulation.state().positions.clone()
        };
        let off = farthest(&run(|setup| setup), &run(common::implicit));
        assert!(off < 5e-3, "{kinds:?}: {off} m");
    }
}

/// Tensions know these elements too: the limiter that is a part of the implicit step.
#[test]
fn tensions_hold_cloth_of_every_kind() {
    for kinds in KINDS {
        let mut setup = common::implicit(cloth_of(7, &DAMPED, kinds));
        setup.pins = vec![Pin::fixed([0, 6])];
        setup.limits = Some(StrainLimits { extension: 0.02, compression: None });
        setup.step.max = 1.0 / 120.0;
        let mut limited = start(setup.clone());
        let tally = common::advance(&mut limited, 0.4);
        assert_eq!(tally.over_limit, 0, "{kinds:?}");
        // Much stiffer elements of the kind move differently, so they are not left out.
        let stiff = Fabric { shear: 500.0, bending: 1.0, ..DAMPED };
        setup.model = Model::mass_spring_of(&square(7).mesh(), &stiff, kinds).unwrap().into();
        let mut other = start(setup);
        common::advance(&mut other, 0.4);
        let off = farthest(&limited.state().positions, &other.state().positions);
        assert!(off > 1e-2, "{kinds:?}: {off} m");
    }
}
