//! A state is kept, and gone on from: by the same simulation or by another of the same setup, to the bit.

use taffeta::{Fabric, Model, Pin, Setup, Sheet, Simulation, StrainLimits};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sheet = Sheet { width: 0.5, height: 0.5, columns: 11, rows: 11 };
    let mesh = sheet.mesh();
    let mut setup = Setup::new(Model::mass_spring(&mesh, &Fabric::default())?, mesh.positions);
    setup.pins = vec![Pin::fixed([sheet.particle(0, 0), sheet.particle(10, 0)])];
    setup.limit(StrainLimits { extension: 0.005, compression: None });

    let mut first = Simulation::new(setup.clone())?;
    first.advance_to(0.5)?;
    let checkpoint = first.snapshot();
    first.advance_to(1.0)?;

    // Several simulations live beside each other; they share nothing.
    let mut second = Simulation::new(setup)?;
    second.restore(&checkpoint)?;
    second.advance_to(1.0)?;
    assert_eq!(second.snapshot(), first.snapshot());
    Ok(())
}
