//! A cloth falls over a ball that moves, keeps its limit and never passes through itself or the ball.

use taffeta::glam::DVec3;
use taffeta::{
    Fabric, Model, Motion, Pose, SelfContact, Setup, Shape, Sheet, Simulation, Solid, StrainLimits,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sheet = Sheet { width: 0.6, height: 0.6, columns: 21, rows: 21 };
    let mesh = sheet.mesh();
    let model = Model::continuum(&mesh, &Fabric { density: 0.2, ..Fabric::default() })?;

    let above = mesh.positions.iter().map(|place| *place + DVec3::Y * 0.17);
    let mut setup = Setup::new(model, above.collect());
    setup.solids = vec![Solid {
        motion: Motion::path([(0.2, DVec3::ZERO), (0.8, DVec3::X * 0.1)]),
        thickness: 5e-3,
        friction: 0.4,
        ..Solid::resting(Shape::Sphere { radius: 0.15 }, Pose::at(DVec3::ZERO))
    }];
    setup.self_contact = Some(SelfContact { thickness: 3e-3, friction: 0.3 });
    setup.limit(StrainLimits { extension: 0.02, compression: None });
    let mut simulation = Simulation::new(setup)?;

    for frame in 1..=30 {
        simulation.advance_to(f64::from(frame) / 30.0)?;
    }
    println!("{} particles touch the ball", simulation.touching());
    assert!(simulation.touching() > 0);
    assert!(simulation.strain().extension <= 0.02);
    assert!(simulation.intersections().is_empty());
    Ok(())
}
