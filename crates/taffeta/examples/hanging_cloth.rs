//! A square of cloth hangs by two corners.

use taffeta::{Fabric, Model, Pin, Setup, Sheet, Simulation, StrainLimits};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A square metre of cloth, horizontal, 21 × 21 particles.
    let sheet = Sheet { width: 1.0, height: 1.0, columns: 21, rows: 21 };
    let mesh = sheet.mesh();
    let fabric = Fabric { density: 0.2, stretch: 2000.0, ..Fabric::default() };
    let model = Model::mass_spring(&mesh, &fabric)?;

    // Held by two corners, it falls and swings, and no thread stretches by more than 1 %.
    let mut setup = Setup::new(model, mesh.positions);
    setup.pins = vec![Pin::fixed([sheet.particle(0, 0), sheet.particle(20, 0)])];
    setup.limit(StrainLimits { extension: 0.01, compression: None });
    let mut simulation = Simulation::new(setup)?;

    for frame in 1..=30 {
        let tally = simulation.advance_to(f64::from(frame) / 30.0)?;
        let strain = simulation.strain();
        println!("frame {frame}: {} steps, strain {:.2} %", tally.steps, strain.extension * 100.0);
    }
    assert!(simulation.strain().extension <= 0.01);
    Ok(())
}
