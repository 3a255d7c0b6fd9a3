//! Panels of a garment that start badly: in the body, far from it, or with seams that look twisted.

use glam::DVec3;
use taffeta::Setup;

use super::{Warning, warning};
use crate::garment::Garment;

/// Panels further from every solid than this are not around it \[m\].
const FAR: f64 = 1.0;

/// Edges that differ by more than this share are eased in enough to be told.
const EASED: f64 = 0.25;

pub(crate) fn starts_of_panels(garment: &Garment, setup: &Setup) -> Vec<Warning> {
    let mut all = places(garment, setup);
    all.extend(twists(garment));
    all.extend(eased(garment));
    all
}

/// The particles of each panel.
fn particles(garment: &Garment, panel: usize) -> std::ops::Range<u32> {
    let faces = garment.cut.panels[panel].clone();
    let corners = faces.flat_map(|face| garment.cut.flat.faces.corners(face));
    let (first, last) = corners.fold((u32::MAX, 0), |(a, b), &c| (a.min(c), b.max(c + 1)));
    first..last.max(first)
}

fn places(garment: &Garment, setup: &Setup) -> Vec<Warning> {
    let mut found = Vec::new();
    let bodies: Vec<_> = setup.solids.iter().filter(|solid| !is_ground(solid)).collect();
    for (number, panel) in garment.pattern.panels.iter().enumerate() {
        let range = particles(garment, number);
        let places = &garment.cut.places[range.start as usize..range.end as usize];
        let mut inside = Vec::new();
        for solid in &setup.solids {
            let depths = solid.depths(places, 0.0);
            let deep = depths.iter().zip(range.clone()).filter(|(depth, _)| **depth > 0.0);
            inside.extend(deep.map(|(_, particle)| particle));
        }
        let tell = |kind: &str, particles: &[u32], words: [String; 2]| {
            warning(kind, particles.len(), (particles, &garment.cut.places), words)
        };
        if !inside.is_empty() {
            let what = format!(
                "{} particles of panel `{}` start inside a solid",
                inside.len(),
                panel.name
            );
            let advice = "they are led out slowly, and may end on the wrong side: put the panel beside \
                          the body";
            found.push(tell("inside", &inside, [what, advice.into()]));
        }
        let near = |solid: &&taffeta::Solid| places.iter().any(|at| distance(solid, *at) < FAR);
        if !bodies.is_empty() && !bodies.iter().any(near) {
            let what = format!("panel `{}` starts more than {FAR} m from every solid", panel.name);
            let advice = "put it around the body that it is to be on";
            found.push(tell("far", &[range.start], [what, advice.into()]));
        }
    }
    found
}

fn is_ground(solid: &taffeta::Solid) -> bool {
    matches!(solid.shape, taffeta::Shape::Plane { .. })
}

/// How far a place is from the box around a solid, at least.
fn distance(solid: &taffeta::Solid, at: DVec3) -> f64 {
    let mesh = solid.surface_at(0.0);
    let low = mesh.positions.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = mesh.positions.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    at.distance(at.clamp(low, high))
}

fn twists(garment: &Garment) -> Vec<Warning> {
    let tell = |twist: taffeta_garment::Twist| {
        let [asked, other] = twist.apart;
        let name = garment.pattern.seam_name(twist.seam);
        let what = format!(
            "seam {name} looks twisted: its ends start {asked:.3} m apart, and {other:.3} m the other way \
             around"
        );
        let advice = "`reversed` says which ends meet; or a panel faces the wrong way";
        let pairs: Vec<u32> = garment.cut.seams[twist.seam].iter().map(|pair| pair[0]).collect();
        warning("twisted", pairs.len(), (&pairs, &garment.cut.places), [what, advice.into()])
    };
    garment.pattern.twists().into_iter().map(tell).collect()
}

fn eased(garment: &Garment) -> Vec<Warning> {
    let mut found = Vec::new();
    for (number, seam) in garment.pattern.seams.iter().enumerate() {
        let [a, b] = seam.sides.map(|side| garment.pattern.length(side));
        if a.max(b) > (1.0 + EASED) * a.min(b) {
            let name = garment.pattern.seam_name(number);
            let what = format!("seam {name} joins {a:.3} m to {b:.3} m: the longer is gathered");
            let advice = "that is how ruffles are sewn; where it is not meant, look at the panels";
            let pairs: Vec<u32> = garment.cut.seams[number].iter().map(|pair| pair[0]).collect();
            let words = [what, advice.into()];
            found.push(warning("eased", pairs.len(), (&pairs, &garment.cut.places), words));
        }
    }
    found
}
