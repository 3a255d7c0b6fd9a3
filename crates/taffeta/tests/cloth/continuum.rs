//! Continuum cloth: a loaded strip against its closed form, a refined mesh against a coarse one, and
//! pins that hold exactly however few iterations a solve may take.

use crate::common::{self, start, triangulated};
use glam::{DVec2, DVec3};
use taffeta::mesh::SheetEdge;
use taffeta::{
    Fabric, Hold, ImplicitEuler, Integrator, Mesh, Model, Motion, Pin, Setup, Sheet, Simulation,
    Solver,
};

const GRAVITY: f64 = 9.81;

fn continuum(mesh: &Mesh, fabric: &Fabric) -> Setup {
    let model = Model::continuum(mesh, fabric).unwrap();
    let implicit = Integrator::Implicit(ImplicitEuler::default());
    Setup { integrator: implicit, ..Setup::new(model, mesh.positions.clone()) }
}

/// Lets cloth come to rest: long steps of backward Euler damp by themselves.
fn rest(mut setup: Setup, seconds: f64) -> Simulation {
    setup.step.max = 1.0 / 30.0;
    let mut simulation = start(setup);
    common::advance(&mut simulation, seconds);
    assert!(simulation.energy().kinetic < 1e-6, "{} J", simulation.energy().kinetic);
    simulation
}

#[test]
fn a_strip_under_its_weight_stretches_by_force_over_stiffness_and_width() {
    let sheet = Sheet { width: 0.1, height: 1.0, columns: 5, rows: 41 };
    let fabric = Fabric { stretch: 200.0, ..Fabric::default() };
    for mesh in [sheet.mesh(), triangulated(&sheet.mesh())] {
        let mut setup = continuum(&mesh, &fabric);
        setup.positions = mesh.positions.iter().map(|p| DVec3::new(p.x, -p.z, 0.0)).collect();
        // Along the border only, so that it is free to narrow: warp and weft do not couple.
        setup.pins = vec![Pin::fixed(sheet.edge(SheetEdge::Top))];
        let simulation = rest(setup, 8.0);
        let lowest = simulation.state().positions[202].y;
        // ∫ ρ g (L − s) ds / k: half the weight on average.
        let expected = -0.5 - 0.5 * 0.2 * GRAVITY / 200.0;
        assert!((lowest - expected).abs() < 2e-5, "{lowest} m, not {expected} m");
        let strain = simulation.strain().extension;
        let at_the_top = 0.2 * GRAVITY * (1.0 - 0.5 / 40.0) / 200.0;
        assert!((strain / at_the_top - 1.0).abs() < 0.02, "{strain}, not {at_the_top}");
    }
}

/// A strip that hangs along its warp or its weft; the texture says which.
fn hanging_strip(fabric: &Fabric, weft: bool) -> (Sheet, Setup) {
    let sheet = Sheet { width: 0.1, height: 1.0, columns: 5, rows: 41 };
    let mut mesh = sheet.mesh();
    if !weft {
        let uvs = mesh.faces.all_uvs().iter().map(|uv| DVec2::new(uv.y, -uv.x)).collect();
        assert!(mesh.faces.set_uvs(uvs));
    }
    let mut setup = continuum(&mesh, fabric);
    setup.positions = mesh.positions.iter().map(|p| DVec3::new(p.x, -p.z, 0.0)).collect();
    setup.pins = vec![Pin::fixed(sheet.edge(SheetEdge::Top))];
    (sheet, setup)
}

#[test]
fn warp_and_weft_stretch_by_stiffnesses_of_their_own() {
    let fabric = Fabric { stretch: 200.0, stretch_weft: Some(80.0), ..Fabric::default() };
    for (weft, stiffness) in [(false, 200.0), (true, 80.0)] {
        let (_, setup) = hanging_strip(&fabric, weft);
        let lowest = rest(setup, 8.0).state().positions[202].y;
        let expected = -0.5 - 0.5 * 0.2 * GRAVITY / stiffness;
        assert!((lowest - expected).abs() < 5e-5, "weft {weft}: {lowest} m, not {expected} m");
    }
}

/// Textures of left and right halves of garments are mirrored; warp and weft run along the same
/// lines all the same.
#[test]
fn texture_that_is_inverted_in_some_faces_changes_nothing() {
    let fabric = Fabric {
        stretch_weft: Some(800.0),
        bending: 1e-3,
        bending_weft: Some(1e-4),
        ..Fabric::default()
    };
    let sheet = Sheet { width: 0.5, height: 0.5, columns: 9, rows: 9 };
    let hang = |inverted: &dyn Fn(usize) -> bool| {
        let mut mesh = sheet.mesh();
        let flip = |(corner, uv): (usize, &DVec2)| {
            if inverted(corner / 4) { DVec2::new(uv.x, -uv.y) } else { *uv }
        };
        let uvs = mesh.faces.all_uvs().iter().enumerate().map(flip).collect();
        assert!(mesh.faces.set_uvs(uvs));
        let mut setup = continuum(&mesh, &fabric);
        setup.integrator = common::implicit(setup.clone()).integrator;
        setup.pins = vec![Pin::fixed([sheet.particle(0, 0), sheet.particle(8, 0)])];
        let mut simulation = start(setup);
        common::advance(&mut simulation, 0.3);
        simulation.state().positions.clone()
    };
    let (plain, inverted) = (hang(&|_| false), hang(&|face| face % 3 != 0));
    assert!(plain[80].y < -0.1, "it hangs");
    let apart = plain.iter().zip(&inverted).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(apart < 1e-9, "{apart} m");
}

/// b_u and b_v of BW98 §4.2: a force F on the width w stretches cloth cut to length L to
/// L (b + F/(k w)).
#[test]
fn rest_lengths_are_what_cloth_is_stretched_from() {
    let fabric = Fabric { stretch: 200.0, ..Fabric::default() };
    for (weft, pair) in [(false, [0.8, 1.0]), (true, [1.0, 0.8])] {
        let (_, mut setup) = hanging_strip(&fabric, weft);
        let faces = setup.model.faces().len();
        setup.model =
            Model::clone(&setup.model).with_rest_stretch(&vec![pair; faces]).unwrap().into();
        setup.step.max_stretch_change = 1.0;
        let simulation = rest(setup, 8.0);
        let lowest = simulation.state().positions[202].y;
        let expected = 0.5 - 0.8 - 0.5 * 0.2 * GRAVITY / 200.0;
        assert!((lowest - expected).abs() < 5e-5, "weft {weft}: {lowest} m, not {expected} m");
        let at_the_top = 0.2 * GRAVITY * (1.0 - 0.5 / 40.0) / 200.0 / 0.8;
        let strain = simulation.strain().extension;
        assert!((strain / at_the_top - 1.0).abs() < 0.02, "{strain}, not {at_the_top}");
    }
}

/// A cuff: a few rows of faces gather, the others stay as cut.
#[test]
fn rest_lengths_belong_to_faces() {
    let sheet = Sheet { width: 0.5, height: 0.5, columns: 11, rows: 11 };
    let mesh = sheet.mesh();
    let mut setup =
        continuum(&mesh, &Fabric { stretch: 300.0, bending: 1e-7, ..Fabric::default() });
    setup.loads.gravity = DVec3::ZERO;
    let band = |face: usize| if face / 10 < 3 { [0.7, 1.0] } else { [1.0, 1.0] };
    let rests: Vec<[f64; 2]> = (0..100).map(band).collect();
    setup.model = Model::clone(&setup.model).with_rest_stretch(&rests).unwrap().into();
    // Free cloth stays flat by symmetry unless it is shaken.
    let mut dice = common::Dice(11);
    setup.positions.iter_mut().for_each(|p| p.y = 1e-3 * dice.number());
    setup.step.max_stretch_change = 0.2;
    let mut simulation = start(setup);
    common::advance(&mut simulation, 2.0);
    let width = |row: u32| {
        let x = |column| simulation.state().positions[sheet.particle(column, row) as usize];
        (0..10).map(|column| x(column).distance(x(column + 1))).sum::<f64>()
    };
    assert!((width(1) / 0.35 - 1.0).abs() < 0.02, "{} m", width(1));
    assert!((width(8) / 0.5 - 1.0).abs() < 0.02, "{} m", width(8));
}

#[test]
fn impossible_rest_lengths_are_refused() {
    let mesh = common::square(3).mesh();
    let with = |rests: &[[f64; 2]]| {
        let model = Model::continuum(&mesh, &Fabric::default()).unwrap();
        model.with_rest_stretch(rests).unwrap_err().to_string()
    };
    assert!(with(&[[1.0, 1.0]; 3]).contains("its 4 faces"));
    assert!(with(&[[1.0, 1.0], [1.0, 0.0], [1.0, 1.0], [1.0, 1.0]]).contains("face 1"));
    let springs = Model::mass_spring(&mesh, &Fabric::default()).unwrap();
    assert!(springs.with_rest_stretch(&[[1.0, 1.0]; 4]).is_err());
}

/// The scene simulators are compared on: 0.49 m below the corners after half a second, give or take
/// what shear stiffness makes of it.
#[test]
fn a_refined_mesh_falls_the_same() {
    let height = |side: u32| {
        let mesh = common::square(side).mesh();
        let mut setup = continuum(&mesh, &Fabric { stretch: 8000.0, ..Fabric::default() });
        setup.pins = vec![Pin::fixed([0, side - 1])];
        setup.step.max = 1.0 / 240.0;
        let mut simulation = start(setup);
        common::advance(&mut simulation, 0.5);
        taffeta::measure::centre_of_mass(simulation.model(), &simulation.state().positions).y
    };
    let heights = [11, 21, 31].map(height);
    assert!(heights.iter().all(|height| (height + 0.50).abs() < 0.01), "{heights:?}");
    assert!((heights[2] - heights[1]).abs() < 0.005, "{heights:?}");
}

#[test]
fn pins_hold_exactly_whatever_the_iteration_count() {
    for solver in [1, 2, 5]
        .map(|max_iterations| Solver::Pcg { tolerance: 1e-9, max_iterations })
        .into_iter()
        .chain([Solver::Direct])
    {
        let sheet = Sheet { width: 1.0, height: 1.0, columns: 11, rows: 11 };
        let mesh = sheet.mesh();
        let mut setup = continuum(&mesh, &Fabric { stretch: 300.0, ..Fabric::default() });
        setup.integrator = Integrator::Implicit(ImplicitEuler { solver, newton: None });
        let carry = Motion::path([(0.0, DVec3::ZERO), (1.0, DVec3::new(0.0, 0.3, 0.1))]);
        let (plane, line) = (DVec3::new(1.0, 2.0, 0.5), DVec3::new(1.0, 0.0, 1.0));
        setup.pins = vec![
            Pin::fixed([0]),
            Pin { motion: carry, ..Pin::fixed([10]) },
            Pin { hold: Hold::Plane(plane), ..Pin::fixed([110]) },
            Pin { hold: Hold::Line(line), ..Pin::fixed([120]) },
        ];
        setup.step.max = 1.0 / 240.0;
        let mut simulation = start(setup);
        let tally = common::advance(&mut simulation, 0.25);
        let rough = matches!(solver, Solver::Pcg { max_iterations: 1, .. });
        assert_eq!(tally.unconverged > 0, !matches!(solver, Solver::Direct), "{solver:?}");
        assert!(!rough || tally.unconverged >= tally.steps / 2);
        let at = |i: usize| simulation.state().positions[i] - mesh.positions[i];
        assert_eq!(at(0), DVec3::ZERO);
        assert!(at(10).distance(DVec3::new(0.0, 0.075, 0.025)) < 1e-15, "{}", at(10));
        assert!(at(110).dot(plane.normalize()).abs() < 1e-15, "{}", at(110));
        assert!(at(120).cross(line.normalize()).length() < 1e-15, "{}", at(120));
    }
}
