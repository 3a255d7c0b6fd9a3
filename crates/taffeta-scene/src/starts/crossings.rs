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

/// A surface with the trees to find what is near it.
pub struct Net<'a> {
    surface: &'a Surface,
    edges: Hierarchy,
    triangles: Hierarchy,
}

impl<'a> Net<'a> {
    pub fn new(surface: &'a Surface, positions: &[DVec3]) -> Self {
        let edges = tree(&surface.edges, positions, 0.0);
        Self { surface, edges, triangles: tree(&surface.triangles, positions, 0.0) }
    }

    /// The box around it.
    pub fn bounds(&self) -> Bounds {
        self.edges.bounds()
    }
}

/// The edges of a surface that pass through, or touch, triangles of another over the same points,
/// but for those at one of their own corners.
pub fn crossings(edges: &Net, triangles: &Net, positions: &[DVec3]) -> Vec<Intersection> {
    let mut pairs = Pairs::default();
    edges.edges.pairs_with(&triangles.triangles, &mut pairs);
    let meeting = |&[edge, triangle]: &[u32; 2]| {
        let edge = edges.surface.edges[edge as usize];
        let triangle = triangles.surface.triangles[triangle as usize];
        cuts(&edge, &triangle, positions).then_some(Intersection { edge, triangle })
    };
    let mut found: Vec<Intersection> = pairs.found().iter().filter_map(meeting).collect();
    found.sort_unstable();
    found
}
