//! Cloth that starts inside a solid, or with a solid through it.

use glam::DVec3;
use taffeta::collision::{Bounds, Intersection, Surface};
use taffeta::solid::LEAD_OUT;
use taffeta::{Mesh, Setup, Shape, Side, StartsInside};

use super::crossings::{Net, crossings};
use super::{Warning, place, warning};

pub fn warnings(setup: &Setup) -> Vec<Warning> {
    let inside = setup.starts_inside();
    let mut all: Vec<Warning> = inside.iter().map(|found| tell_inside(setup, found)).collect();
    if setup.solids.is_empty() {
        return all;
    }
    let cloth = Surface::new(setup.model.faces(), setup.model.particles());
    let net = Net::new(&cloth, &setup.positions);
    let mut positions = setup.positions.clone();
    for (number, solid) in setup.solids.iter().enumerate() {
        // What is inside cuts the surface too, and is told already.
        let told = inside.iter().any(|found| found.solid == number);
        if !told && !matches!(solid.shape, Shape::Plane { .. }) {
            let found = through(&net, &solid.surface_at(0.0), &mut positions);
            all.extend(tell_through(setup, number, &found));
        }
    }
    all
}

fn tell_inside(setup: &Setup, found: &StartsInside) -> Warning {
    let StartsInside { solid, particles, deepest: (particle, depth) } = *found;
    let at = place(setup.positions[particle as usize]);
    let seconds = depth / LEAD_OUT;
    let what = format!(
        "{particles} particles start inside solid {solid}, particle {particle} at {at} deepest with \
         {depth:.2e} m"
    );
    let advice = format!(
        "they are led out at {LEAD_OUT} m/s, which takes {seconds:.1} s: move the cloth or the solid \
         apart at the start"
    );
    warning("inside", particles as usize, (&[particle], &setup.positions), [what, advice])
}

/// Edges of cloth through a solid's surface, and of that through cloth; the points of the solid
/// are numbered after the cloth's, which are the positions given and left.
fn through(cloth: &Net, solid: &Mesh, positions: &mut Vec<DVec3>) -> Vec<Intersection> {
    if !Bounds::around(solid.positions.iter().copied()).overlaps(&cloth.bounds()) {
        return Vec::new();
    }
    let particles = positions.len();
    let own = particles as u32;
    positions.extend_from_slice(&solid.positions);
    let mut body = Surface::new(&solid.faces, solid.positions.len());
    body.triangles.as_flattened_mut().iter_mut().for_each(|corner| *corner += own);
    body.edges.as_flattened_mut().iter_mut().for_each(|end| *end += own);
    let body = Net::new(&body, positions);
    let mut found = crossings(cloth, &body, positions);
    found.extend(crossings(&body, cloth, positions));
    positions.truncate(particles);
    found
}

fn tell_through(setup: &Setup, number: usize, found: &[Intersection]) -> Option<Warning> {
    let own = setup.positions.len() as u32;
    let of_cloth = |i: &Intersection| -> Vec<u32> {
        i.edge.iter().chain(&i.triangle).copied().filter(|&point| point < own).collect()
    };
    let particles: Vec<u32> = found.iter().flat_map(of_cloth).collect();
    let first = *particles.first()?;
    let shell = setup.solids[number].side == Side::Both;
    let kind = if shell { "the shell of solid" } else { "solid" };
    let at = place(setup.positions[first as usize]);
    let count = found.len();
    let what = format!(
        "{kind} {number} starts through the cloth: {count} edges cut it, first at particle {first}, \
         {at}"
    );
    let advice = "nothing leads it out, and steps get short where it is cut: move the cloth or the \
                  solid apart at the start";
    Some(warning("through", count, (&particles, &setup.positions), [what, advice.into()]))
}
