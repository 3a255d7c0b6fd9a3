//! The hierarchy of boxes on rolled cloth, from 3,000 to 100,000 triangles.

#![allow(missing_docs, reason = "divan makes public items of the benches")]

use divan::{Bencher, black_box};
use glam::DVec3;
use taffeta::collision::{Bounds, Hierarchy, Pairs};
use taffeta::{Mesh, Sheet};

/// Particles along a side: 2,888 to 100,352 triangles.
const SIDES: [u32; 4] = [39, 78, 156, 225];

fn main() {
    divan::main();
}

struct Rolled {
    boxes: Vec<Bounds>,
    tree: Hierarchy,
}

/// A sheet rolled up in a spiral whose layers are 1.2 cells apart, in boxes grown by 0.35 cells.
fn rolled(side: u32) -> Rolled {
    let Mesh { positions, faces } =
        Sheet { width: 1.0, height: 1.0, columns: side, rows: side }.mesh();
    let cell = 1.0 / f64::from(side - 1);
    let growth = 1.2 * cell / std::f64::consts::TAU;
    let roll = |p: &DVec3| {
        // The length of the spiral r = growth·angle is about growth·angle²/2.
        let angle = (2.0 * (p.x + 0.55) / growth).sqrt();
        let (sin, cos) = libm::sincos(angle);
        DVec3::new(growth * angle * cos, growth * angle * sin, p.z)
    };
    let places: Vec<DVec3> = positions.iter().map(roll).collect();
    let triangles: Vec<[u32; 3]> = faces.triangles().collect();
    let centre = |t: &[u32; 3]| t.iter().map(|&i| positions[i as usize]).sum::<DVec3>() / 3.0;
    let centres: Vec<DVec3> = triangles.iter().map(centre).collect();
    let around = |t: &[u32; 3]| Bounds::around(t.iter().map(|&i| places[i as usize]));
    let boxes: Vec<Bounds> = triangles.iter().map(|t| around(t).grown(0.35 * cell)).collect();
    let mut tree = Hierarchy::new(&centres);
    tree.refit(|i| boxes[i as usize]);
    Rolled { boxes, tree }
}

#[divan::bench(args = SIDES)]
fn refit(bencher: Bencher, side: u32) {
    let Rolled { boxes, mut tree } = rolled(side);
    bencher.bench_local(|| tree.refit(|i| boxes[i as usize]));
}

#[divan::bench(args = SIDES)]
fn self_pairs(bencher: Bencher, side: u32) {
    let Rolled { tree, .. } = rolled(side);
    let mut pairs = Pairs::default();
    tree.self_pairs(&mut pairs);
    println!("{} triangles, {} pairs", 2 * (side - 1) * (side - 1), pairs.found().len());
    bencher.bench_local(|| tree.self_pairs(black_box(&mut pairs)));
}
