//! Panels around a body become a garment on it: closed, within the limits, through nothing.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

use std::sync::atomic::AtomicBool;

use glam::{DVec2, DVec3};
use taffeta::{Fabric, ImplicitEuler, Integrator, Model, Pose, Setup, Shape, Solid, StrainLimits};
use taffeta_garment::{
    Curve, DressError, Dressing, EdgeOf, Garment, Panel, PanelEdge, Pattern, Piece, Placement,
    Progress, Seam, Sewn, Stage,
};

/// A rectangle that stands in front of the body or, clockwise, behind it.
fn rectangle(name: &str, [width, height]: [f64; 2], z: f64) -> Panel {
    let (x, y) = (width / 2.0, height / 2.0);
    let corners = [(-x, -y), (x, -y), (x, y), (-x, y)].map(DVec2::from);
    let mut edges: Vec<(&str, DVec2)> =
        ["hem", "right", "top", "left"].into_iter().zip(corners).collect();
    if z < 0.0 {
        edges = ["hem", "left", "top", "right"]
            .into_iter()
            .zip([1, 0, 3, 2].map(|i| corners[i]))
            .collect();
    }
    let edge =
        |(name, from): (&str, DVec2)| PanelEdge { name: name.into(), from, curve: Curve::Line };
    Panel {
        name: name.into(),
        outline: edges.into_iter().map(edge).collect(),
        grain: std::f64::consts::FRAC_PI_2,
        rest: [1.0; 2],
        placement: Placement { roll: None, pose: Pose::at(DVec3::new(0.0, 0.0, z)) },
    }
}

/// A tube of two panels around a capsule that widens below, on which it sits.
fn tube() -> Pattern {
    let panels = vec![rectangle("front", [0.36, 0.4], 0.18), rectangle("back", [0.36, 0.4], -0.18)];
    let seam = |edges: [usize; 2]| Seam {
        sides: [EdgeOf { panel: 0, edge: edges[0] }, EdgeOf { panel: 1, edge: edges[1] }],
        reversed: false,
    };
    // right is the front's second and the back's fourth edge.
    Pattern { panels, seams: vec![seam([1, 3]), seam([3, 1])] }
}

fn dressing(pattern: &Pattern, spacing: f64, patience: f64) -> Dressing {
    let cut = pattern.cut(spacing).unwrap();
    let sewn = Sewn::new(&cut);
    let fabric = Fabric::default();
    let mesh = sewn.mesh(&cut, &cut.places);
    let model = Model::tailored(&mesh, &fabric).unwrap();
    let body = Solid::resting(Shape::Capsule { radius: 0.1, length: 0.6 }, Pose::IDENTITY);
    let seat =
        Solid::resting(Shape::Sphere { radius: 0.14 }, Pose::at(DVec3::new(0.0, -0.31, 0.0)));
    let setup = Setup {
        solids: vec![body, seat],
        integrator: Integrator::Implicit(ImplicitEuler::default()),
        limits: Some(StrainLimits { extension: 0.03, compression: None }),
        step: taffeta::StepLimits { max: 1.0 / 60.0, ..Default::default() },
        self_contact: Some(taffeta::SelfContact { thickness: 1e-3, friction: 0.3 }),
        ..Setup::new(model, mesh.positions)
    };
    let garment = Garment {
        rest: vec![[1.0; 2]; cut.flat.faces.len()],
        seams: (0..pattern.seams.len()).map(|seam| pattern.seam_name(seam)).collect(),
        cut,
        sewn,
        fabric,
        pull: 0.1,
        patience,
        settle: 0.3,
    };
    let pieces = vec![Piece::Garment(Box::new(garment))];
    Dressing { pieces, setup, bonds: Vec::new(), time: 0.0 }
}

#[test]
fn panels_become_a_garment() {
    let dressing = dressing(&tube(), 0.025, 3.0);
    let mut told: Vec<Progress> = Vec::new();
    let positions =
        dressing.dress(&AtomicBool::new(false), &mut |progress| told.push(progress)).unwrap();
    let model = dressing.model().unwrap();
    let worst = model.gauges().iter().map(|gauge| gauge.strain(&positions)).fold(0.0, f64::max);
    let sewing: Vec<f64> =
        told.iter().filter(|p| p.stage == Stage::Sewing).map(|progress| progress.gap).collect();
    assert!(sewing[0] > 0.2 && sewing[sewing.len() - 1] <= 0.75e-3, "{sewing:?}");
    assert_eq!(told.last().unwrap().stage, Stage::Settling);
    let (_, garment) = dressing.garments().next().unwrap();
    assert_eq!(positions.len(), garment.cut.places.len() - 2 * 17);
    assert!(worst < 0.0301, "{worst}");
}

/// A body that is wider than the garment keeps its seams open: the widest and its gap are told.
#[test]
fn a_seam_that_cannot_close_is_named() {
    let mut dressing = dressing(&tube(), 0.05, 1.0);
    let body = Shape::Capsule { radius: 0.15, length: 2.0 };
    dressing.setup.solids = vec![Solid::resting(body, Pose::IDENTITY)];
    let error = dressing.dress(&AtomicBool::new(false), &mut |_| {}).unwrap_err();
    let DressError::Open { ref seam, gap, others, .. } = *error.cause() else { panic!("{error}") };
    assert!(["front.right – back.right", "front.left – back.left"].contains(&&**seam), "{seam}");
    // Around the body it is 0.95 m, around the garment 0.72 m.
    assert!((0.05..0.2).contains(&gap) && others == 1, "{gap} {others}");
}

#[test]
fn dressing_can_be_stopped() {
    let error =
        dressing(&tube(), 0.05, 1.0).dress(&AtomicBool::new(true), &mut |_| {}).unwrap_err();
    assert!(matches!(error, DressError::Stopped));
}
