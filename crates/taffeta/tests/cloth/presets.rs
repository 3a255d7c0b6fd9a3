//! Every fabric there is by name can be simulated.

use crate::common::{self, square, start};
use taffeta::measure::centre_of_mass;
use taffeta::{Fabric, ImplicitEuler, Integrator, Model, Pin, Preset, Setup};

/// The strain of a sheet of a fabric that hangs by two corners, after one second, and how low it swung.
fn hang(fabric: &Fabric) -> (f64, f64) {
    let mesh = square(21).mesh();
    let mut setup = Setup::new(Model::continuum(&mesh, fabric).unwrap(), mesh.positions);
    setup.integrator = Integrator::Implicit(ImplicitEuler::default());
    setup.pins = vec![Pin::fixed([0, 20])];
    setup.step.max = 1.0 / 60.0;
    let mut simulation = start(setup);
    let mut lowest = 0.0_f64;
    for frame in 1..=30 {
        let tally = common::advance(&mut simulation, f64::from(frame) / 30.0);
        assert_eq!(tally.unconverged, 0);
        lowest = lowest.min(centre_of_mass(simulation.model(), &simulation.state().positions).y);
    }
    (simulation.strain().extension, lowest)
}

#[test]
fn every_preset_hangs() {
    for preset in Preset::ALL {
        let (strain, height) = hang(&preset.fabric);
        // The weight of a square metre on two corners, over the stiffness, and some for the swing.
        assert!(strain < 0.05, "{}: {strain}", preset.name);
        assert!((-0.75..-0.3).contains(&height), "{}: {height} m", preset.name);
    }
}

#[test]
fn presets_are_possible_and_found_by_their_names() {
    for pair in Preset::ALL.windows(2) {
        assert!(pair[0].name < pair[1].name);
    }
    for preset in Preset::ALL {
        assert_eq!(preset.fabric.check(), Ok(()), "{}", preset.name);
        assert_eq!(Preset::named(preset.name), Some(&preset));
    }
    assert_eq!(Preset::named("chain mail"), None);
}
