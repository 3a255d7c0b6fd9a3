//! A hand takes hold of hanging cloth and pulls, while fabric, wind and limit are changed.

use taffeta::glam::DVec3;
use taffeta::{
    Air, Fabric, Hand, HandGrip, Loads, Model, Pin, Preset, Setup, Sheet, Simulation, StrainLimits,
};

fn setup(fabric: &Fabric, extension: f64) -> Result<Setup, Box<dyn std::error::Error>> {
    let sheet = Sheet { width: 0.5, height: 0.5, columns: 13, rows: 13 };
    let mesh = sheet.mesh();
    let mut setup = Setup::new(Model::mass_spring(&mesh, fabric)?, mesh.positions);
    setup.pins = vec![Pin::fixed([sheet.particle(0, 0), sheet.particle(12, 0)])];
    setup.limit(StrainLimits { extension, compression: None });
    Ok(setup)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut simulation = Simulation::new(setup(&Fabric::default(), 0.01)?)?;
    simulation.advance_to(0.5)?;

    // It never pulls harder than it can, so no pull breaks anything.
    let particle = 12 * 13 + 6;
    let place = simulation.state().positions[particle as usize];
    simulation.take_hold(Some(Hand {
        grips: vec![HandGrip { particle, offset: DVec3::ZERO, share: 1.0 }],
        place,
        stiffness: 200.0,
        damping: 1.0,
        strength: 10.0,
    }))?;
    simulation.lead_hand(place + DVec3::new(0.3, 0.2, 0.5), 0.8)?;
    simulation.advance_to(1.0)?;
    println!("the hand pulls with {:.2} N", simulation.hand_force().length());
    assert!(simulation.strain().extension <= 0.01);

    // Wind comes up, and the cloth becomes denim with a tighter limit: everything else goes on.
    let wind = Air { density: 1.2, drag: 1.0, wind: DVec3::Z * 3.0 };
    simulation.set_loads(Loads { air: Some(wind), ..Loads::default() })?;
    if let Some(denim) = Preset::named("denim") {
        simulation.go_on_with(setup(&denim.fabric, 0.005)?)?;
    }
    simulation.take_hold(None)?;
    simulation.advance_to(2.0)?;
    assert!(simulation.strain().extension <= 0.005);
    Ok(())
}
