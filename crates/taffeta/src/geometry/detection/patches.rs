//! A surface cut into patches of two triangles, each with the vertices and edges it owns.
//!
//! One tree over patches finds both kinds of pairs: every vertex, edge and triangle belongs to
//! exactly one patch, so that every pair of features comes up exactly once, with the pair of
//! patches that own them.

use glam::DVec3;

use super::aabb::LANES;
use super::bvh::order_for_nodes;
use crate::geometry::collision::Surface;

/// A vertex, an edge or a triangle: its particles, the last one repeated.
pub(super) type Feature = [u32; 3];

/// Up to eight features that lie together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patch {
    /// First vertices, then edges, then triangles.
    pub features: [Feature; LANES],
    /// The first edge and the first triangle among the features, and how many there are.
    edges: u8,
    triangles: u8,
    count: u8,
    /// The particles, the last one repeated: two triangles have no more than four.
    pub outline: [u32; 4],
    /// For each feature, which of those it has, as bits.
    corners: [u8; LANES],
}

impl Patch {
    /// The vertices, edges and triangles as bits of lanes.
    #[inline]
    pub fn kinds(&self) -> [u32; 3] {
        let below = |lane: u8| (1u32 << lane) - 1;
        let (edges, triangles) = (below(self.edges), below(self.triangles));
        [edges, triangles & !edges, below(self.count) & !triangles]
    }

    /// Which of the outline's corners a feature has, as bits.
    #[inline]
    pub fn corners_of(&self, lane: usize) -> u32 {
        u32::from(self.corners[lane])
    }

    /// How many features there are.
    pub fn count(&self) -> usize {
        usize::from(self.count)
    }

    /// The vertices (kind 0), edges (1) or triangles (2).
    pub fn of_kind(&self, kind: usize) -> impl Iterator<Item = Feature> {
        let bits = self.kinds()[kind];
        (0..LANES).filter(move |lane| bits & (1 << lane) != 0).map(|lane| self.features[lane])
    }

    /// The triangles.
    pub fn triangles(&self) -> impl Iterator<Item = Feature> {
        self.of_kind(2)
    }

    /// The particles, each once.
    pub fn corners(&self) -> impl Iterator<Item = u32> {
        let all = self.features.as_flattened();
        (0..3 * self.count()).filter(|&k| !all[..k].contains(&all[k])).map(|k| all[k])
    }

    fn of(features: &[Feature]) -> Self {
        let mut all = [[0; 3]; LANES];
        all[..features.len()].copy_from_slice(features);
        let vertices = features.iter().filter(|[a, b, _]| a == b).count();
        let triangles = features.iter().filter(|[_, b, c]| b != c).count();
        let count = features.len();
        let [edges, triangles, count] = [vertices, count - triangles, count].map(|n| n as u8);
        let mut patch = Self {
            features: all,
            edges,
            triangles,
            count,
            outline: [all[0][0]; 4],
            corners: [0; LANES],
        };
        let mut outline = patch.outline;
        for (k, corner) in patch.corners().enumerate() {
            outline[k.min(3)..].fill(corner);
        }
        patch.outline = outline;
        for (corners, feature) in patch.corners.iter_mut().zip(features) {
            let bit = |k: usize| u8::from(feature.contains(&outline[k])) << k;
            *corners = bit(0) | bit(1) | bit(2) | bit(3);
        }
        patch
    }
}

/// The patches that have each vertex.
pub(super) fn patches_around(patches: &[Patch], vertices: usize) -> Vec<Vec<u32>> {
    let mut around = vec![Vec::new(); vertices];
    for (p, patch) in patches.iter().enumerate() {
        patch.corners().for_each(|corner| around[corner as usize].push(p as u32));
    }
    around
}

/// The patches of a surface, in an order in which neighbours are near each other.
pub(super) fn patches(surface: &Surface, rest: &[DVec3]) -> Vec<Patch> {
    let mut owners = Owners::new(surface, rest.len());
    let mut all = Vec::new();
    let partners = partners(surface, rest);
    for (t, partner) in partners.iter().enumerate() {
        let both = match partner {
            Some(other) if (*other as usize) < t => continue,
            Some(other) => &[t, *other as usize][..],
            None => &[t][..],
        };
        owners.claim(both.iter().map(|&t| surface.triangles[t]), &mut all);
    }
    owners.claim_rest(surface, &mut all);
    let centre = |patch: &Patch| {
        let corners = patch.features[..patch.count()].as_flattened();
        corners.iter().map(|&i| rest[i as usize]).sum::<DVec3>() / corners.len() as f64
    };
    // What is rigid comes last.
    let rigid = |patch: &Patch| surface.is_rigid(patch.outline[0]);
    let (rigid, cloth): (Vec<Patch>, Vec<Patch>) = all.into_iter().partition(rigid);
    let ordered = |patches: Vec<Patch>| {
        let centres: Vec<DVec3> = patches.iter().map(centre).collect();
        order_for_nodes(&centres).into_iter().map(move |i| patches[i as usize])
    };
    ordered(cloth).chain(ordered(rigid)).collect()
}

/// Who owns which vertex and edge.
struct Owners<'a> {
    edges: &'a [[u32; 2]],
    /// Whether a vertex still needs an owner: those that meet nothing do not.
    open_vertices: Vec<bool>,
    open_edges: Vec<bool>,
}

impl<'a> Owners<'a> {
    fn new(surface: &'a Surface, particles: usize) -> Self {
        let mut open_vertices = vec![false; particles];
        surface.vertices.iter().for_each(|&vertex| open_vertices[vertex as usize] = true);
        let open_edges = vec![true; surface.edges.len()];
        Self { edges: &surface.edges, open_vertices, open_edges }
    }

    /// Makes patches of triangles and of all of theirs that nobody owns yet.
    fn claim(&mut self, triangles: impl Iterator<Item = [u32; 3]>, all: &mut Vec<Patch>) {
        let (mut vertices, mut edges, mut faces) = (Vec::new(), Vec::new(), Vec::new());
        for [a, b, c] in triangles {
            for vertex in [a, b, c] {
                if std::mem::take(&mut self.open_vertices[vertex as usize]) {
                    vertices.push([vertex; 3]);
                }
            }
            for [a, b] in [[a, b], [b, c], [c, a]] {
                let edge = [a.min(b), a.max(b)];
                let Ok(at) = self.edges.binary_search(&edge) else { continue };
                if std::mem::take(&mut self.open_edges[at]) {
                    edges.push([edge[0], edge[1], edge[1]]);
                }
            }
            faces.push([a, b, c]);
        }
        let features = [vertices, edges, faces].concat();
        all.extend(features.chunks(LANES).map(Patch::of));
    }

    /// Makes patches of what no triangle has: free yarns, and lonely vertices.
    fn claim_rest(&mut self, surface: &Surface, all: &mut Vec<Patch>) {
        for (at, &[a, b]) in surface.edges.iter().enumerate() {
            if self.open_edges[at] {
                let ends = [a, b].into_iter();
                let open =
                    ends.filter(|&end| std::mem::take(&mut self.open_vertices[end as usize]));
                let vertices: Vec<Feature> = open.map(|end| [end; 3]).collect();
                all.push(Patch::of(&[&vertices[..], &[[a, b, b]]].concat()));
            }
        }
        let lonely = (0..self.open_vertices.len()).filter(|&v| self.open_vertices[v]);
        all.extend(lonely.map(|v| Patch::of(&[[v as u32; 3]])));
    }
}

/// For every triangle the one it makes a patch with: that beyond its longest side whose triangle is
/// still free, in the order of the triangles.
fn partners(surface: &Surface, rest: &[DVec3]) -> Vec<Option<u32>> {
    let mut sides: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * surface.triangles.len());
    for (t, &[a, b, c]) in surface.triangles.iter().enumerate() {
        for [a, b] in [[a, b], [b, c], [c, a]] {
            sides.push(([a.min(b), a.max(b)], t as u32));
        }
    }
    sides.sort_unstable();
    let length = |[a, b]: [u32; 2]| rest[a as usize].distance_squared(rest[b as usize]);
    let mut partners = vec![None; surface.triangles.len()];
    for (t, &[a, b, c]) in surface.triangles.iter().enumerate() {
        let mut best: Option<(f64, u32)> = None;
        for side in [[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)]) {
            let first = sides.partition_point(|(other, _)| *other < side);
            let beside = sides[first..].iter().take_while(|(other, _)| *other == side);
            for &(_, other) in beside.filter(|(_, other)| *other as usize != t) {
                let length = length(side);
                let free = partners[other as usize].is_none();
                if free && best.is_none_or(|(longest, _)| length > longest) {
                    best = Some((length, other));
                }
            }
        }
        if partners[t].is_none()
            && let Some((_, other)) = best
        {
            partners[t] = Some(other);
            partners[other as usize] = Some(t as u32);
        }
    }
    partners
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::mesh::Sheet;

    #[test]
    fn every_feature_has_one_owner() {
        let mesh = Sheet { width: 1.0, height: 1.0, columns: 6, rows: 5 }.mesh();
        let surface = Surface::new(&mesh.faces, 30);
        let patches = patches(&surface, &mesh.positions);
        // A quad each, and a few for what the first ones own beyond eight features.
        assert!((20..24).contains(&patches.len()), "{}", patches.len());
        let mut found: [Vec<Feature>; 3] = Default::default();
        for patch in &patches {
            for (kind, bits) in patch.kinds().into_iter().enumerate() {
                let lanes = (0..LANES).filter(|lane| bits & (1 << lane) != 0);
                found[kind].extend(lanes.map(|lane| patch.features[lane]));
            }
        }
        found.iter_mut().for_each(|all| all.sort_unstable());
        let vertices: Vec<Feature> = (0..30).map(|v| [v; 3]).collect();
        let edges: Vec<Feature> = surface.edges.iter().map(|&[a, b]| [a, b, b]).collect();
        let mut triangles = surface.triangles;
        triangles.sort_unstable();
        assert_eq!(found, [vertices, edges, triangles]);
    }
}
