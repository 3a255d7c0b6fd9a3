//! What is wrong with a pattern is found, and edges to be sewn are cut alike.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

use glam::{DVec2, DVec3};
use taffeta::Pose;
use taffeta_garment::{
    Curve, EdgeOf, Panel, PanelEdge, Pattern, PatternProblem, Placement, Seam, Sewn,
};

fn panel(name: &str, corners: &[(f64, f64)], z: f64) -> Panel {
    let edge = |(number, &corner): (usize, &(f64, f64))| PanelEdge {
        name: number.to_string(),
        from: DVec2::from(corner),
        curve: Curve::Line,
    };
    Panel {
        name: name.into(),
        outline: corners.iter().enumerate().map(edge).collect(),
        grain: 0.3,
        rest: [1.0; 2],
        placement: Placement { roll: None, pose: Pose::at(DVec3::new(0.0, 0.0, z)) },
    }
}

const SQUARE: [(f64, f64); 4] = [(0.0, 0.0), (0.3, 0.0), (0.3, 0.3), (0.0, 0.3)];
/// The same, seen from behind.
const BACK: [(f64, f64); 4] = [(0.3, 0.0), (0.0, 0.0), (0.0, 0.3), (0.3, 0.3)];

fn seam(edges: [usize; 2]) -> Seam {
    Seam {
        sides: [EdgeOf { panel: 0, edge: edges[0] }, EdgeOf { panel: 1, edge: edges[1] }],
        reversed: false,
    }
}

fn pair(seams: &[Seam]) -> Pattern {
    let panels = vec![panel("front", &SQUARE, 0.1), panel("back", &BACK, -0.1)];
    Pattern { panels, seams: seams.to_vec() }
}

fn only_problem(pattern: &Pattern) -> String {
    let found = pattern.cut(0.05).unwrap_err();
    assert_eq!(found.len(), 1, "{found:?}");
    found[0].to_string()
}

#[test]
fn what_cannot_be_sewn_is_told() {
    let alone =
        |corners: &[(f64, f64)]| Pattern { panels: vec![panel("p", corners, 0.0)], seams: vec![] };
    let bow = [(0.0, 0.0), (1.0, 1.0), (1.2, 0.0), (0.0, 0.8)];
    assert!(only_problem(&alone(&bow)).contains("`p` crosses itself: `p.0` meets `p.2`"));
    assert!(only_problem(&alone(&[(0.0, 0.0), (1.0, 0.0)])).contains("`p` has no inside"));
    let twice = [(0.0, 0.0), (0.0, 0.0), (1.0, 0.0), (0.0, 1.0)];
    assert!(only_problem(&alone(&twice)).contains("`p.0` has no length"));
    let lost = alone(&[(0.0, 0.0), (f64::NAN, 0.0), (1.0, 1.0)]).problems();
    let names = ["p.0", "p.1"].map(|edge| PatternProblem::NotFinite { edge: edge.into() });
    assert!(matches!(&lost[..], [a, b] if [a, b] == names.each_ref()), "{lost:?}");
    assert!(only_problem(&Pattern::default()).contains("no panels"));
    assert!(only_problem(&pair(&[seam([1, 3]), seam([1, 1])])).contains("`front.1` is sewn twice"));
    let mut hopeless = pair(&[seam([1, 3])]);
    hopeless.panels[1].outline[3].from = DVec2::new(0.3, 0.05);
    let told = only_problem(&hopeless);
    assert!(
        told.contains("`front.1` is 0.3000 m long and `back.3` 0.0500 m: that is 6.00 times"),
        "{told}"
    );
}

#[test]
fn a_seam_whose_ends_are_exchanged_looks_twisted() {
    assert_eq!(pair(&[seam([1, 3]), seam([3, 1])]).twists(), []);
    let found = pair(&[seam([1, 3]), Seam { reversed: true, ..seam([3, 1]) }]).twists();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].seam, 1);
    assert!(found[0].apart[1] < found[0].apart[0]);
}

#[test]
fn edges_of_a_seam_have_particles_alike_and_become_one() {
    let mut pattern = pair(&[seam([1, 3]), seam([3, 1])]);
    // Eased: the back is higher.
    pattern.panels[1].outline[2].from.y = 0.36;
    pattern.panels[1].outline[3].from.y = 0.36;
    let cut = pattern.cut(0.03).unwrap();
    assert_eq!(cut.seams.iter().map(Vec::len).collect::<Vec<_>>(), [13, 13]);
    for (seam, pairs) in pattern.seams.iter().zip(&cut.seams) {
        let [a, b] = seam.sides.map(|side| pattern.placed_ends(side));
        let [first, last] = [pairs[0], pairs[pairs.len() - 1]];
        let ends = [first[0], last[0], last[1], first[1]].map(|p| cut.places[p as usize]);
        for (found, end) in ends.into_iter().zip([a, b].concat()) {
            assert!(found.distance(end) < 1e-12, "{found} {end}");
        }
    }
    let sewn = Sewn::new(&cut);
    assert_eq!(sewn.particles, cut.places.len() - 26);
    let mesh = sewn.mesh(&cut, &cut.places);
    assert!(mesh.problems().is_empty(), "{:?}", mesh.problems());
    // Each corner keeps the way it was cut, in metres, with the warp along u.
    let flat: f64 = (0..mesh.faces.len())
        .map(|face| {
            let uv = mesh.faces.corner_uvs(face).unwrap();
            0.5 * (uv[1] - uv[0]).perp_dot(uv[2] - uv[0])
        })
        .sum();
    assert!((flat - 0.3 * (0.3 + 0.36)).abs() < 1e-12, "{flat}");
    let (front, back) = (cut.panels[0].start, cut.panels[1].start);
    for (face, mirrored) in [(front, 1.0), (back, -1.0)] {
        let corners = cut.flat.faces.corners(face);
        let uv = cut.flat.faces.corner_uvs(face).unwrap();
        let to = |i: usize| cut.places[corners[i] as usize] - cut.places[corners[0] as usize];
        let warp = DVec3::new(libm::cos(0.3), libm::sin(0.3), 0.0);
        let weft = DVec3::new(-libm::sin(0.3), libm::cos(0.3), 0.0) * mirrored;
        for i in [1, 2] {
            assert!((uv[i].x - uv[0].x - to(i).dot(warp)).abs() < 1e-12);
            assert!((uv[i].y - uv[0].y - to(i).dot(weft)).abs() < 1e-12);
        }
    }
}

#[test]
fn a_rolled_panel_keeps_its_lengths() {
    let mut rolled = panel("sleeve", &[(-0.2, 0.0), (0.2, 0.0), (0.2, 0.1), (-0.2, 0.1)], 0.0);
    rolled.placement.roll = Some(0.1);
    let at = |x: f64, y: f64| rolled.placement.apply(DVec2::new(x, y));
    let around: f64 = (0..1000)
        .map(|i| {
            let x = -0.2 + 0.4 * f64::from(i) / 1000.0;
            at(x, 0.0).distance(at(x + 0.0004, 0.0))
        })
        .sum();
    assert!((around - 0.4).abs() < 1e-6, "{around}");
    let axis = DVec3::new(0.0, 0.05, -0.1);
    assert!((at(0.15, 0.05).distance(axis) - 0.1).abs() < 1e-12);
}

#[test]
fn a_dart_closes_to_its_tip() {
    // A notch in the upper edge, sewn to itself.
    let corners =
        [(0.0, 0.0), (0.3, 0.0), (0.3, 0.3), (0.17, 0.3), (0.15, 0.15), (0.13, 0.3), (0.0, 0.3)];
    let dart = Seam {
        sides: [EdgeOf { panel: 0, edge: 3 }, EdgeOf { panel: 0, edge: 4 }],
        reversed: false,
    };
    let pattern = Pattern { panels: vec![panel("back", &corners, 0.0)], seams: vec![dart] };
    assert_eq!(pattern.problems(), []);
    let cut = pattern.cut(0.02).unwrap();
    let pairs = &cut.seams[0];
    assert!(pairs.iter().filter(|[a, b]| a == b).count() == 1, "the tip is one particle");
    let sewn = Sewn::new(&cut);
    assert_eq!(sewn.particles, cut.places.len() - (pairs.len() - 1));
    assert!(sewn.mesh(&cut, &cut.places).problems().is_empty());
}
