//! A mesh from a file (OBJ, PLY or glTF) becomes cloth, moves, and is written for other programs:
//! `cargo run -p taffeta-io --example imported_mesh [FILE]`.

use std::path::PathBuf;

use taffeta::{Fabric, Model, Pin, Setup, Simulation, StrainLimits};
use taffeta_io::import::read_mesh;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir();
    let path = match std::env::args().nth(1) {
        Some(path) => PathBuf::from(path),
        None => {
            let path = folder.join("two-triangles.obj");
            std::fs::write(&path, "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 3 2 1\nf 4 3 1\n")?;
            path
        }
    };
    let mesh = read_mesh(&path)?.mesh;
    let model = Model::continuum(&mesh, &Fabric::default())?;
    let mut setup = Setup::new(model, mesh.positions);
    setup.pins = vec![Pin::fixed([0])];
    setup.limit(StrainLimits { extension: 0.01, compression: None });
    let mut simulation = Simulation::new(setup)?;
    for frame in 1..=10 {
        simulation.advance_to(f64::from(frame) / 30.0)?;
    }
    println!("{} particles, strain {:.3} %", simulation.model().particles(), {
        simulation.strain().extension * 100.0
    });
    assert!(simulation.strain().extension <= 0.01);
    Ok(())
}
