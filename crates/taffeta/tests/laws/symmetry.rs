//! Symmetry: neither the numbering of the particles, nor left and right, nor the axes matter.

use crate::common::{
    self, DAMPED, Dice, Method, cloth, farthest, for_each_integrator, for_each_limiter, square,
    triangulated,
};
use glam::{DMat3, DVec3};
use taffeta::mesh::Faces;
use taffeta::{Air, Hold, Mesh, Motion, MotionKey, Pin, Setup, Simulation};

for_each_integrator!(
    renumbered_particles_move_alike,
    a_mirrored_scene_moves_mirrored,
    a_symmetric_scene_stays_symmetric,
    a_turned_scene_moves_turned,
    a_moved_scene_moves_alike,
);

for_each_limiter!(a_turned_scene_with_limits_moves_turned);

const DURATION: f64 = 0.75;

/// Round-off, times what the motion makes of small differences in that time.
fn tolerance(setup: &Setup) -> f64 {
    let grown = if common::is_linearised(setup) { 1000.0 } else { 100.0 };
    grown * common::round_off(setup)
}

/// Pins, gravity and wind, all as seen through `view`, a change of the frame of reference.
fn scene(mesh: &Mesh, view: DMat3, equip: Method) -> Setup {
    let mut setup = equip(cloth(mesh, &DAMPED));
    setup.positions = mesh.positions.iter().map(|&p| view * p).collect();
    setup.loads.gravity = view * setup.loads.gravity;
    let wind = view * DVec3::new(0.7, 0.2, 1.9);
    setup.loads.air = Some(Air { density: 1.2, drag: 1.1, wind });
    let keys = vec![
        MotionKey::default(),
        MotionKey { time: 0.5, offset: view * DVec3::new(0.1, 0.2, 0.0), angle: 0.8, scale: 1.0 },
    ];
    // An axis turns as a mirror image when the view is one.
    let axis = view * DVec3::new(0.0, 0.6, 0.8) * view.determinant();
    let motion = Motion { keys, axis, ..Motion::still() };
    let rail = Hold::Line(view * DVec3::new(1.0, 0.5, 0.0));
    setup.pins = vec![Pin { motion, ..Pin::fixed([0]) }, Pin { hold: rail, ..Pin::fixed([1]) }];
    setup
}

fn moved(setup: Setup) -> Simulation {
    let mut simulation = common::start(setup);
    common::advance(&mut simulation, DURATION);
    simulation
}

fn renumbered_particles_move_alike(equip: Method) {
    let quads = square(7).mesh();
    for mesh in [triangulated(&quads), quads] {
        let original = moved(scene(&mesh, DMat3::IDENTITY, equip));
        // The particle `old` becomes `new[old]`; faces come in another order too.
        let dice = &mut Dice(7);
        let new = dice.shuffle(mesh.positions.len() as u32);
        let mut positions = mesh.positions.clone();
        for (old, position) in mesh.positions.iter().enumerate() {
            positions[new[old] as usize] = *position;
        }
        let mut faces = Faces::new();
        for face in dice.shuffle(mesh.faces.len() as u32) {
            let corners = mesh.faces.corners(face as usize);
            faces.push(&corners.iter().map(|&c| new[c as usize]).collect::<Vec<_>>());
        }
        let mut setup = scene(&Mesh { positions, faces }, DMat3::IDENTITY, equip);
        for pin in &mut setup.pins {
            pin.particles.iter_mut().for_each(|p| *p = new[*p as usize]);
        }
        let renumbered = moved(setup);
        let sorted: Vec<DVec3> =
            new.iter().map(|&n| renumbered.state().positions[n as usize]).collect();
        let off = farthest(&sorted, &original.state().positions);
        assert!(off < tolerance(original.setup()), "{off} m");
    }
}

/// The scene through a view must move as the scene does, seen through the view.
fn moves_as_seen(view: DMat3, equip: Method) {
    let quads = square(7).mesh();
    for mesh in [triangulated(&quads), quads] {
        let original = moved(scene(&mesh, DMat3::IDENTITY, equip));
        let viewed = moved(scene(&mesh, view, equip));
        let expected: Vec<DVec3> = original.state().positions.iter().map(|&p| view * p).collect();
        let off = farthest(&viewed.state().positions, &expected);
        assert!(off < tolerance(original.setup()), "{off} m");
    }
}

fn a_mirrored_scene_moves_mirrored(equip: Method) {
    moves_as_seen(DMat3::from_diagonal(DVec3::new(-1.0, 1.0, 1.0)), equip);
}

fn a_turned_scene_moves_turned(equip: Method) {
    moves_as_seen(DMat3::from_rotation_z(2.1) * DMat3::from_rotation_x(-0.7), equip);
}

/// Limits make taut cloth of yarns, in which small differences grow faster: a shorter time. Sweeps
/// go by the numbers of gauges, so they know left from right; but no limiter knows the axes.
fn a_turned_scene_with_limits_moves_turned(equip: Method) {
    let view = DMat3::from_rotation_z(2.1) * DMat3::from_rotation_x(-0.7);
    let run = |view: DMat3| {
        let mut simulation = common::start(scene(&square(7).mesh(), view, equip));
        common::advance(&mut simulation, 0.25);
        simulation.state().positions.clone()
    };
    let expected: Vec<DVec3> = run(DMat3::IDENTITY).iter().map(|&p| view * p).collect();
    let off = farthest(&run(view), &expected);
    assert!(off < 1e-6, "{off} m");
}

fn a_moved_scene_moves_alike(equip: Method) {
    let mesh = square(6).mesh();
    let away = DVec3::new(3.0, -1.0, 2.0);
    let here = scene(&mesh, DMat3::IDENTITY, equip);
    let mut there = here.clone();
    there.positions.iter_mut().for_each(|p| *p += away);
    there.pins.iter_mut().for_each(|pin| pin.motion.centre += away);
    let expected: Vec<DVec3> = moved(here).state().positions.iter().map(|&p| p + away).collect();
    let tolerance = 10.0 * tolerance(&there);
    let off = farthest(&moved(there).state().positions, &expected);
    assert!(off < tolerance, "{off} m");
}

/// A sheet held by two corners in the wind: its left half is the mirror image of its right half,
/// and so it stays.
fn a_symmetric_scene_stays_symmetric(equip: Method) {
    let sheet = square(7);
    let mut setup = equip(cloth(&sheet.mesh(), &DAMPED));
    setup.pins = vec![Pin::fixed([0, 6])];
    let wind = DVec3::new(0.0, 0.2, 1.9);
    setup.loads.air = Some(Air { density: 1.2, drag: 1.1, wind });
    let simulation = moved(setup);
    let positions = &simulation.state().positions;
    for row in 0..7 {
        for column in 0..7 {
            let left = positions[sheet.particle(column, row) as usize];
            let right = positions[sheet.particle(6 - column, row) as usize];
            let mirrored = DVec3::new(-right.x, right.y, right.z);
            let off = left.distance(mirrored);
            assert!(off < tolerance(simulation.setup()), "{off} m, row {row}, column {column}");
        }
    }
    assert!(positions[45].y < -0.2, "it fell");
}
