//! The same cloth drapes alike however it is cut into triangles: a swag between two corners that
//! are brought together, on grids, irregular triangles, and four times as many.

use crate::common::meshes::{CUTS, Cut, rectangle};
use crate::common::{self, start};
use glam::{DVec2, DVec3};
use taffeta::{Air, Fabric, ImplicitEuler, Integrator, Mesh, Model, Motion, Pin, Setup};

const SIDE: f64 = 0.5;

/// Where the cloth has a point of its rest shape, (x, z) at rest.
fn at(mesh: &Mesh, positions: &[DVec3], point: DVec2) -> DVec3 {
    let flat = |corner: u32| {
        let p = mesh.positions[corner as usize];
        DVec2::new(p.x, p.z)
    };
    for [a, b, c] in mesh.faces.triangles() {
        let (e, f, g) = (flat(b) - flat(a), flat(c) - flat(a), point - flat(a));
        let (s, t) = (g.perp_dot(f) / e.perp_dot(f), e.perp_dot(g) / e.perp_dot(f));
        if s > -1e-9 && t > -1e-9 && s + t < 1.0 + 1e-9 {
            let [a, b, c] = [a, b, c].map(|corner| positions[corner as usize]);
            return a + (b - a) * s + (c - a) * t;
        }
    }
    panic!("{point} is not on the cloth");
}

/// The swag at rest: its middle line, and the line through its lower third. The cloth is stiff
/// enough to have one way to hang; limp cloth has many.
fn swag(cells: u32, cut: Cut) -> Vec<DVec3> {
    let mesh = rectangle(DVec2::splat(SIDE), [cells, cells], cut);
    let fabric = Fabric { stretch: 500.0, shear: 30.0, bending: 5e-4, ..Fabric::default() };
    let model = Model::continuum(&mesh, &fabric).unwrap();
    let mut setup = Setup::new(model, mesh.positions.clone());
    setup.integrator = Integrator::Implicit(ImplicitEuler::default());
    let together = Motion::path([(0.0, DVec3::ZERO), (0.5, DVec3::X * -0.12 * SIDE)]);
    setup.pins = vec![Pin::fixed([0]), Pin { motion: together, ..Pin::fixed([cells]) }];
    // Air takes the swing away.
    setup.loads.air = Some(Air { density: 1.2, drag: 2.0, wind: DVec3::ZERO });
    let mut simulation = start(setup);
    common::advance(&mut simulation, 10.0);
    assert!(simulation.energy().kinetic < 1e-5, "{cut:?} {}", simulation.energy().kinetic);
    let positions = &simulation.state().positions;
    let middle = (0..=10).map(|k| DVec2::new(0.5, f64::from(k) / 10.0));
    let across = (0..=10).map(|k| DVec2::new(f64::from(k) / 10.0, 0.7));
    middle.chain(across).map(|p| at(&mesh, positions, p * SIDE)).collect()
}

#[test]
fn a_swag_hangs_alike_on_every_mesh() {
    let reference = swag(40, Cut::Rising);
    let depth = reference.iter().map(|p| p.z.abs()).fold(0.0, f64::max);
    assert!(depth > 0.05, "a swag {depth} m deep is no test");
    for cut in CUTS {
        let far = common::farthest(&swag(20, cut), &reference);
        assert!(far < 0.004 * SIDE, "{cut:?}: {far} m from the refined one");
    }
}
