//! Cloth that starts through itself, in itself, or thicker than its own mesh.

use glam::DVec3;
use taffeta::collision::{Pairs, Surface, point_triangle};

use super::crossings::{Net, crossings, tree};
use super::{Beginning, Warning, place};

/// Layers nearer than this share of the thickness lie in each other: which is above is chance.
const COINCIDENT: f64 = 0.01;

pub fn warnings(beginning: &Beginning) -> Vec<Warning> {
    let setup = beginning.setup;
    let contact = setup.self_contact;
    if contact.is_none() && beginning.file.checks.intersections.is_none() {
        return Vec::new();
    }
    let surface = Surface::new(setup.model.faces(), setup.model.particles());
    let thickness = contact.map(|contact| contact.thickness);
    let found = [
        thickness.and_then(|thickness| tell_thickness(beginning, &surface, thickness)),
        thickness.and_then(|thickness| tell_coincident(beginning, &surface, thickness)),
        tell_tangles(beginning, &surface),
    ];
    found.into_iter().flatten().collect()
}

fn tell_tangles(beginning: &Beginning, surface: &Surface) -> Option<Warning> {
    let positions = &beginning.setup.positions;
    let net = Net::new(surface, positions);
    let found = crossings(&net, &net, positions);
    let first = found.first()?;
    let (count, at) = (found.len(), beginning.setup.positions[first.edge[0] as usize]);
    let what = format!(
        "the cloth starts through itself: {count} edges pass through triangles, first the {first} \
         at {}",
        place(at)
    );
    let advice = match beginning.setup.self_contact {
        Some(_) => {
            "they are pushed out of each other, and contact does nothing there until they come \
             apart, if they do: start from cloth that does not cut itself"
        }
        None => "[check] intersections cannot hold: start from cloth that does not cut itself",
    };
    let particles: Vec<u32> = found.iter().flat_map(|i| i.edge).collect();
    Some(beginning.warn("tangled", count, &particles, [what, advice.into()]))
}

/// Particles that start on a triangle of another layer.
fn tell_coincident(beginning: &Beginning, surface: &Surface, thickness: f64) -> Option<Warning> {
    let positions = &beginning.setup.positions;
    let near = COINCIDENT * thickness;
    let particles: Vec<[u32; 1]> = (0..positions.len() as u32).map(|particle| [particle]).collect();
    let mut pairs = Pairs::default();
    let of_triangles = tree(&surface.triangles, positions, 0.0);
    tree(&particles, positions, near).pairs_with(&of_triangles, &mut pairs);
    let at = |particle: u32| positions[particle as usize];
    let lies_in = |&[particle, triangle]: &[u32; 2]| {
        let corners = surface.triangles[triangle as usize];
        let apart = || -> DVec3 {
            let [a, b, c] = corners.map(at);
            point_triangle(&[at(particle), a, b, c]).apart
        };
        let lies = !corners.contains(&particle) && apart().length() < near;
        lies.then_some((particle, apart().length()))
    };
    let mut found: Vec<(u32, f64)> = pairs.found().iter().filter_map(lies_in).collect();
    found.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    found.dedup_by_key(|found| found.0);
    let &(first, apart) = found.first()?;
    let what = format!(
        "layers of the cloth lie in each other: {} particles are within {near:.1e} m of another \
         layer, first particle {first} at {} with {apart:.1e} m",
        found.len(),
        place(at(first))
    );
    let advice = format!(
        "which layer is above is chance then: start them at least the thickness of {thickness} m \
         apart"
    );
    let particles: Vec<u32> = found.iter().map(|found| found.0).collect();
    Some(beginning.warn("layers", found.len(), &particles, [what, advice]))
}

fn tell_thickness(beginning: &Beginning, surface: &Surface, thickness: f64) -> Option<Warning> {
    let rest = &beginning.rest.positions;
    let length = |[a, b]: [u32; 2]| rest[a as usize].distance(rest[b as usize]);
    let short = surface.edges.iter().copied().filter(|edge| length(*edge) < thickness);
    let mut short: Vec<([u32; 2], f64)> = short.map(|edge| (edge, length(edge))).collect();
    short.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    let &(edge, least) = short.first()?;
    let [a, b] = edge;
    let what = format!(
        "the cloth's thickness of {thickness} m is more than {} of its edges are long, {a}–{b} at {} \
         the shortest with {least:.2e} m",
        short.len(),
        place(beginning.setup.positions[a as usize])
    );
    let advice = format!(
        "neighbours would have to keep off each other: make [contact] thickness less than \
         {least:.1e} m, or the mesh coarser"
    );
    let particles: Vec<u32> = short.iter().flat_map(|short| short.0).collect();
    Some(beginning.warn("thickness", short.len(), &particles, [what, advice]))
}
