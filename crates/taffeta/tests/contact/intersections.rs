//! Intersections are counted as comparing every edge with every triangle counts them.

use crate::common::{Dice, on_threads, square};
use glam::DVec3;
use taffeta::collision::{Intersection, Surface, cuts, intersections};
use taffeta::mesh::Faces;

fn brute_force(surface: &Surface, positions: &[DVec3]) -> Vec<Intersection> {
    let all = surface.edges.iter().flat_map(|&edge| {
        surface.triangles.iter().map(move |&t| Intersection { edge, triangle: t })
    });
    let mut found: Vec<_> = all.filter(|i| cuts(&i.edge, &i.triangle, positions)).collect();
    found.sort_unstable();
    found
}

#[test]
fn crumpled_sheets_are_counted_as_by_brute_force() {
    let dice = &mut Dice(21);
    let mut total = 0;
    for round in 0..1000 {
        let mesh = square(3 + round % 7).mesh();
        let surface = Surface::new(&mesh.faces, mesh.positions.len());
        let crumple = [0.0, 0.1, 1.0][round as usize % 3];
        let places: Vec<DVec3> =
            mesh.positions.iter().map(|p| *p + dice.vector() * crumple).collect();
        let found = intersections(&surface, &places);
        assert_eq!(found, brute_force(&surface, &places), "round {round}");
        assert!(crumple > 0.0 || found.is_empty(), "a flat sheet has none");
        total += found.len();
    }
    assert!(total > 1000, "{total}");
}

/// Two crossing sheets cut each other along a line: one edge in a row for each cell.
#[test]
fn crossing_sheets_cut_each_other_along_a_line() {
    let sheet = square(11).mesh();
    let count = sheet.positions.len() as u32;
    let mut faces = Faces::new();
    let mut places = Vec::new();
    for piece in 0..2 {
        sheet.faces.iter().for_each(|corners| {
            let moved: Vec<u32> = corners.iter().map(|c| c + piece * count).collect();
            faces.push(&moved);
        });
    }
    places.extend(sheet.positions.iter().copied());
    // Upright, between the columns of the other and off its rows.
    places.extend(
        sheet.positions.iter().map(|p| DVec3::new(0.03 + 1e-3 * p.z, p.z + 0.021, p.x + 0.0137)),
    );
    let surface = Surface::new(&faces, places.len());
    let found = intersections(&surface, &places);
    assert_eq!(found, brute_force(&surface, &places));
    let horizontal = found.iter().filter(|i| i.edge[0] < count).count();
    // Ten rows of edges, the eleventh is just missed, and the diagonals of ten rows of cells.
    assert_eq!(horizontal, 10 + 10, "{found:?}");
    assert!(found.iter().all(|i| (i.edge[0] < count) != (i.triangle[0] < count)));
    for threads in [1, 2, 8] {
        assert_eq!(on_threads(threads, || intersections(&surface, &places)), found);
    }
}

/// Lifted by any distance that numbers can tell apart, a copy of a sheet does not touch it.
#[test]
fn the_least_gap_is_a_gap() {
    let sheet = square(5).mesh();
    let count = sheet.positions.len() as u32;
    let mut faces = sheet.faces.clone();
    sheet.faces.iter().for_each(|corners| {
        faces.push(&corners.iter().map(|c| c + count).collect::<Vec<_>>());
    });
    let lifted = |y: f64| -> Vec<DVec3> {
        let copy = sheet.positions.iter().map(|p| *p + DVec3::new(0.013, y, 0.007));
        sheet.positions.iter().copied().chain(copy).collect()
    };
    let surface = Surface::new(&faces, 2 * count as usize);
    assert!(intersections(&surface, &lifted(1e-300)).is_empty());
    assert!(!intersections(&surface, &lifted(0.0)).is_empty());
}
