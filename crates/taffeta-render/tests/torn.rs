//! Torn cloth is seen whole: every yarn of it, without steps where its levels meet.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod torn_cloth;

use glam::DVec3;
use taffeta::Frame;
use taffeta::woven::{Weave, Yarn};
use taffeta_render::{Curve, Dress, Framing, Look, Scene, Stage, Subject, View, scene_of, yarns};
use torn_cloth::{COLUMNS, ROWS, Torn, split, torn};

fn scene(look: Look, cloth: &Torn) -> Scene {
    let frame = cloth.frame();
    let mut framing = Framing::new(View::default(), 1.6);
    framing.add(frame.positions);
    let stage = Stage::around(&framing, None).unwrap();
    let subject = Subject { frame: &frame, gauges: cloth.model.gauges(), solids: &[] };
    scene_of(look, &subject, &stage).unwrap()
}

fn points(frame: &Frame, dress: &Dress) -> Vec<Vec<DVec3>> {
    yarns(frame, dress).unwrap().into_iter().map(|curve| curve.points).collect()
}

/// The largest distance of points from others.
fn apart(ours: &[Vec<DVec3>], theirs: &[Vec<DVec3>]) -> f64 {
    assert_eq!(ours.len(), theirs.len());
    let pairs = ours.iter().zip(theirs).flat_map(|(a, b)| {
        assert_eq!(a.len(), b.len());
        a.iter().zip(b)
    });
    pairs.map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

fn weaves() -> impl Iterator<Item = Weave> {
    Weave::NAMED.into_iter().map(|(name, _)| name.parse().unwrap())
}

#[test]
fn whole_cloth_has_the_yarns_that_its_mesh_would_have() {
    for weave in weaves() {
        let cloth = split(&weave, &[]);
        let dress = Dress { weave, ..Dress::default() };
        let own = points(&cloth.frame(), &dress);
        let of_mesh = points(&Frame { yarns: None, ..cloth.frame() }, &dress);
        assert!(apart(&own, &of_mesh) < 1e-12);
    }
}

/// All but this: the yarns' radius follows the mean distance of their particles, which grows.
#[test]
fn nothing_moves_to_be_seen_when_a_crossing_splits() {
    let radius = 0.41 * 0.05;
    for weave in weaves() {
        let whole = points(&split(&weave, &[]).frame(), &Dress::default());
        let crossings: Vec<u32> = (0..COLUMNS * ROWS).filter(|c| c % 3 > 0 || c % 7 > 3).collect();
        let halves = points(&split(&weave, &crossings).frame(), &Dress::default());
        let moved = apart(&whole, &halves) / radius;
        assert!(moved < 0.002, "{moved} radii");
    }
}

/// The tubes among curves, which are thicker than fibres.
fn tubes(curves: &[Curve]) -> Vec<&Curve> {
    let thickest = curves.iter().map(|curve| curve.radius).fold(0.0, f64::max);
    curves.iter().filter(|curve| curve.radius == thickest).collect()
}

#[test]
fn a_torn_yarn_ends_in_fibres_that_go_half_a_span_beyond_it() {
    let cloth = torn();
    let pieces: Vec<&Yarn> = cloth.model.yarns().unwrap().all.iter().collect();
    let ends: usize = pieces.iter().map(|y| y.torn.iter().filter(|torn| **torn).count()).sum();
    assert_eq!(ends as u32, 2 * (ROWS / 2));
    let curves = scene(Look::Yarns, &cloth).curves;
    let tubes = tubes(&curves);
    assert_eq!(tubes.len(), pieces.len());
    for (yarn, tube) in pieces.iter().zip(&tubes) {
        let shown = [tube.opacities[0], *tube.opacities.last().unwrap()];
        assert_eq!(shown, yarn.torn.map(|torn| if torn { 0.0 } else { 1.0 }));
        assert!(tube.opacities[1..tube.opacities.len() - 1].iter().all(|o| *o == 1.0));
    }
    let fibres: Vec<&Curve> = curves.iter().filter(|c| c.radius < tubes[0].radius).collect();
    assert_eq!(fibres.len() % ends, 0);
    // The two ends of a yarn that tore are as far apart as the span that is gone: fibres fill it.
    let tips: Vec<DVec3> = fibres.iter().map(|fibre| *fibre.points.last().unwrap()).collect();
    for (yarn, tube) in pieces.iter().zip(&tubes).filter(|(yarn, _)| yarn.torn[1]) {
        let [.., before, end] = tube.points[..] else { panic!("{yarn:?}") };
        let beyond = |tip: &DVec3| (*tip - end).dot((end - before).normalize());
        let near = tips.iter().filter(|tip| tip.distance(end) < before.distance(end));
        let farthest = near.map(beyond).fold(0.0, f64::max) / before.distance(end);
        assert!((0.4..1.01).contains(&farthest), "{farthest}");
    }
}

#[test]
fn a_yarn_of_one_crossing_is_not_drawn() {
    let cloth = torn();
    let mut yarns = cloth.model.yarns().unwrap().clone();
    let count = scene(Look::Yarns, &cloth).curves.len();
    let whole = yarns.all.iter().position(|yarn| yarn.torn == [false; 2]).unwrap();
    yarns.all[whole].points.truncate(1);
    let frame = Frame { yarns: Some(&yarns), ..cloth.frame() };
    let drawn = taffeta_render::yarns(&frame, &Dress::default()).unwrap().len();
    assert_eq!(drawn, count - 1);
}

#[test]
fn every_span_is_an_edge_of_the_surface_or_a_yarn() {
    let cloth = torn();
    let faces = cloth.model.faces();
    let inner = faces.edges().iter().filter(|edge| edge.faces.len() == 2).count();
    for look in [Look::Cloth, Look::Strain] {
        let Scene { surfaces, curves, .. } = scene(look, &cloth);
        assert_eq!(surfaces[0].faces.all_corners(), faces.all_corners());
        let spans: usize = tubes(&curves).iter().map(|c| opaque_spans(c)).sum();
        let border = faces.edges().len() - inner;
        let all: usize = cloth.model.yarns().unwrap().all.iter().map(|y| y.points.len() - 1).sum();
        let (least, most) = (all - inner - border, all - inner);
        assert!((least + 1..most).contains(&spans), "{look:?}: {spans} of {least} to {most}");
    }
}

/// Spans that do not fade into the cloth; those at torn ends count.
fn opaque_spans(curve: &Curve) -> usize {
    let spans = curve.points.len() - 1;
    let inside = |end: usize| curve.opacities.get(end) == Some(&0.0);
    let fades = [inside(0), inside(spans)].into_iter().filter(|fades| *fades).count();
    spans - fades
}

#[test]
fn levels_are_told_apart() {
    let cloth = torn();
    let colours = |look: Look| {
        let curves = scene(look, &cloth).curves;
        let (mut red, mut blue) = (0, 0);
        for curve in &curves {
            let colour = curve.material.front;
            *(if colour.x > colour.z { &mut red } else { &mut blue }) += 1;
        }
        assert_eq!(red + blue, cloth.model.gauges().len());
        (red, blue)
    };
    let yarns = cloth.model.yarns().unwrap();
    let spans = yarns.all.iter().flat_map(|yarn| yarn.points.windows(2));
    let split = spans.filter(|ends| ends[0].split || ends[1].split).count();
    assert!(split > 20);
    assert_eq!(colours(Look::Levels).1, split);
    assert_eq!(colours(Look::Wire).1, 0);
}
