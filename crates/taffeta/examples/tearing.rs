//! A strip of woven cloth is pulled apart, yarn by yarn; a simulation cuts some of them by itself.

use taffeta::glam::DVec3;
use taffeta::mesh::SheetEdge;
use taffeta::woven::{Strength, Tearing, Weave, Woven};
use taffeta::{Fabric, Model, Motion, Pin, Setup, Sheet, Simulation};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Two yarns a centimetre, each of which bears half a newton or a little more.
    let sheet = Sheet { width: 0.1, height: 0.05, columns: 21, rows: 11 };
    let mesh = sheet.mesh();
    let fabric = Fabric { density: 0.25, stretch: 4000.0, thickness: 6e-4, ..Fabric::default() };
    let model = Model::mass_spring(&mesh, &fabric)?;
    let tearing =
        Tearing { strength: Strength::Force([0.5, 0.9]), slip: 2.5e-3, ..Tearing::default() };
    let weave = (Weave::plain(), fabric.thickness);
    let woven = Woven::new(model.clone(), &sheet, weave, tearing)?;

    let mut setup = Setup::new(model, mesh.positions);
    setup.woven = Some(woven);
    let right = Pin::fixed(sheet.edge(SheetEdge::Right));
    let away = Motion::path([(0.0, DVec3::ZERO), (0.5, DVec3::X * 0.02)]);
    setup.pins = vec![Pin::fixed(sheet.edge(SheetEdge::Left)), Pin { motion: away, ..right }];
    setup.step.max = 1.0 / 240.0;
    setup.step.max_stretch_change = 0.5;
    let mut simulation = Simulation::new(setup)?;

    simulation.cut(&[5, 25])?;
    simulation.advance_to(0.5)?;
    let frays = simulation.frays().unwrap_or_default();
    println!("{} yarns torn, {} pieces, {} free ends", frays.torn, frays.pieces, frays.ends);
    assert!(frays.torn > 2);
    Ok(())
}
