//! Which edges pass through which triangles: candidates by a hierarchy of boxes, so that large
//! meshes are looked at in a moment, each decided by exact signs.

use glam::DVec3;
use taffeta::collision::{Bounds, Hierarchy, Intersection, Pairs, Surface, cuts};

/// A tree over things that each have some of the numbered points.
pub fn tree<const N: usize>(things: &[[u32; N]], positions: &[DVec3], reach: f64) -> Hierarchy {
    let around = |thing: &[u32; N]| Bounds::around(thing.iter().map(|&i| positions[i as usize]));
    let boxes: Vec<Bounds> = things.iter().map(around).collect();
    let centres: Vec<DVec3> = boxes.iter().map(|b| 0.5 * (b.low + b.high)).collect();
    let mut tree = Hierarchy::new(&centres);
    tree.refit(|thing| boxes[thing as usize].grown(reach));
    tree
}

/// The edges of a surface that pass through, or touch, triangles of another over the same points,
/// but for those at one of their own corners.
pub fn crossings(edges: &Surface, triangles: &Surface, positions: &[DVec3]) -> Vec<Intersection> {
    if edges.edges.is_empty() || triangles.triangles.is_empty() {
        return Vec::new();
    }
    let (mut pairs, of_edges) = (Pairs::default(), tree(&edges.edges, positions, 0.0));
    of_edges.pairs_with(&tree(&triangles.triangles, positions, 0.0), &mut pairs);
    let meeting = |&[edge, triangle]: &[u32; 2]| {
        let edge = edges.edges[edge as usize];
        let triangle = triangles.triangles[triangle as usize];
        cuts(&edge, &triangle, positions).then_some(Intersection { edge, triangle })
    };
    let mut found: Vec<Intersection> = pairs.found().iter().filter_map(meeting).collect();
    found.sort_unstable();
    found
}
