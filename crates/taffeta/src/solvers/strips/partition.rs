//! Cloth cut into acyclic parts (BB08 §3.4): every edge is in exactly one part, and the parts of a
//! group share no particle, so that they may be solved side by side.
//!
//! A mesh of quads is cut along its lines, the rows and columns of a grid (`lines.rs`), any other
//! mesh into trees. Two groups are enough for a grid; a mesh of triangles has some three edges a
//! particle, and takes three or a few more.

use super::lines::lines;
use crate::geometry::mesh::Faces;

/// Particles of the largest tree: parts are also what threads share among each other.
const LARGEST_TREE: u32 = 1024;

/// An acyclic part: particles, the first of which is the root, each but the root with the edge to
/// its parent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Strip {
    /// The particles, parents before their children.
    pub nodes: Vec<u32>,
    /// The place in `nodes` of each one's parent; the root names itself.
    pub parents: Vec<u32>,
    /// The edge from each but the root to its parent: `edges[i]` belongs to `nodes[i + 1]`.
    pub edges: Vec<u32>,
}

impl Strip {
    /// A part without edges.
    pub fn root(particle: u32) -> Self {
        Self { nodes: vec![particle], parents: vec![0], edges: Vec::new() }
    }

    /// Adds a particle that hangs on another by an edge.
    pub fn hang(&mut self, particle: u32, parent: u32, edge: u32) {
        self.nodes.push(particle);
        self.parents.push(parent);
        self.edges.push(edge);
    }

    /// Whether every particle hangs on the one before it.
    pub fn is_chain(&self) -> bool {
        self.parents.iter().skip(1).zip(0..).all(|(&parent, before)| parent == before)
    }
}

/// Cuts the edges of a mesh into groups of parts.
pub(crate) fn partition(particles: usize, faces: &Faces, edges: &[[u32; 2]]) -> Vec<Vec<Strip>> {
    if faces.iter().all(|corners| corners.len() == 4) {
        colour(particles, lines(particles, faces, edges))
    } else {
        forests(particles, edges)
    }
}

/// Puts each part into the first group none of whose parts has a particle of it.
pub(crate) fn colour(particles: usize, parts: Vec<Strip>) -> Vec<Vec<Strip>> {
    let mut groups: Vec<Vec<Strip>> = Vec::new();
    let mut taken: Vec<Vec<bool>> = Vec::new();
    for part in parts {
        let free = |taken: &Vec<bool>| part.nodes.iter().all(|&node| !taken[node as usize]);
        let group = taken.iter().position(free).unwrap_or(groups.len());
        if group == groups.len() {
            groups.push(Vec::new());
            taken.push(vec![false; particles]);
        }
        part.nodes.iter().for_each(|&node| taken[group][node as usize] = true);
        groups[group].push(part);
    }
    groups
}

/// Trees from the edges as they come; those that would close a cycle, or make a tree too large,
/// are left for the next group.
fn forests(particles: usize, edges: &[[u32; 2]]) -> Vec<Vec<Strip>> {
    let mut left: Vec<u32> = (0..edges.len() as u32).collect();
    let mut groups = Vec::new();
    while !left.is_empty() {
        let mut trees = Trees::new(particles);
        let (taken, rest): (Vec<u32>, Vec<u32>) =
            left.into_iter().partition(|&edge| trees.join(edges[edge as usize]));
        groups.push(rooted(particles, edges, &taken));
        left = rest;
    }
    groups
}

/// Which particles are in one tree (union by size).
struct Trees {
    parents: Vec<u32>,
    sizes: Vec<u32>,
}

impl Trees {
    fn new(particles: usize) -> Self {
        Self { parents: (0..particles as u32).collect(), sizes: vec![1; particles] }
    }

    fn root(&self, mut particle: u32) -> u32 {
        while self.parents[particle as usize] != particle {
            particle = self.parents[particle as usize];
        }
        particle
    }

    /// Joins two trees by an edge, unless it closes a cycle or the tree would be too large.
    fn join(&mut self, ends: [u32; 2]) -> bool {
        let (a, b) = (self.root(ends[0]), self.root(ends[1]));
        let size = self.sizes[a as usize] + self.sizes[b as usize];
        if a == b || size > LARGEST_TREE {
            return false;
        }
        let larger_first = self.sizes[a as usize] >= self.sizes[b as usize];
        let (top, below) = if larger_first { (a, b) } else { (b, a) };
        self.parents[below as usize] = top;
        self.sizes[top as usize] = size;
        true
    }
}

/// The trees that some edges make, each rooted at its lowest particle.
fn rooted(particles: usize, edges: &[[u32; 2]], taken: &[u32]) -> Vec<Strip> {
    let mut around: Vec<Vec<(u32, u32)>> = vec![Vec::new(); particles];
    for &edge in taken {
        let [a, b] = edges[edge as usize];
        around[a as usize].push((b, edge));
        around[b as usize].push((a, edge));
    }
    let mut seen = vec![false; particles];
    let mut parts = Vec::new();
    for root in 0..particles as u32 {
        if around[root as usize].is_empty() || seen[root as usize] {
            continue;
        }
        let mut part = Strip::root(root);
        seen[root as usize] = true;
        let mut next = 0;
        while next < part.nodes.len() {
            for &(particle, edge) in &around[part.nodes[next] as usize] {
                if !std::mem::replace(&mut seen[particle as usize], true) {
                    part.hang(particle, next as u32, edge);
                }
            }
            next += 1;
        }
        parts.push(part);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sheet;

    fn ends(faces: &Faces) -> Vec<[u32; 2]> {
        faces.edges().iter().map(|edge| edge.ends).collect()
    }

    fn triangles(faces: &Faces) -> Faces {
        let mut cut = Faces::new();
        faces.triangles().for_each(|corners| cut.push(&corners));
        cut
    }

    /// A grid of quads whose columns close to a ring; `turn` shifts them where they meet.
    fn tube(around: u32, along: u32, turn: u32) -> Faces {
        let at = |i: u32, j: u32| {
            let shift = if i >= around { turn } else { 0 };
            (j + shift) % along * around + i % around
        };
        let mut faces = Faces::new();
        for (i, j) in (0..around).flat_map(|i| (0..along - 1).map(move |j| (i, j))) {
            faces.push(&[at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
        faces
    }

    /// Five quads around one vertex.
    fn star() -> Faces {
        let mut faces = Faces::new();
        for i in 0..5 {
            faces.push(&[0, 1 + 2 * i, 2 + 2 * i, 1 + (2 * i + 2) % 10]);
        }
        faces
    }

    /// What every partition has to be.
    fn check(particles: usize, faces: &Faces) -> Vec<Vec<Strip>> {
        let edges = ends(faces);
        let groups = partition(particles, faces, &edges);
        let mut uses = vec![0; edges.len()];
        for group in &groups {
            let mut owners = vec![0; particles];
            for part in group {
                assert_eq!(part.nodes.len(), part.parents.len());
                assert_eq!(part.nodes.len(), part.edges.len() + 1);
                part.nodes.iter().for_each(|&node| owners[node as usize] += 1);
                for (child, &edge) in (1..).zip(&part.edges) {
                    let parent = part.parents[child] as usize;
                    assert!(parent < child, "parents come first");
                    let mut found = [part.nodes[parent], part.nodes[child]];
                    found.sort_unstable();
                    assert_eq!(found, edges[edge as usize]);
                    uses[edge as usize] += 1;
                }
            }
            // Once at most: parts are disjoint, and a part that met itself would have a cycle.
            assert!(owners.iter().all(|&owners| owners <= 1));
        }
        assert!(uses.iter().all(|&uses| uses == 1), "every edge once");
        assert_eq!(groups, partition(particles, faces, &edges), "the same again");
        groups
    }

    #[test]
    fn a_grid_is_its_rows_and_its_columns() {
        for (columns, rows) in [(2, 2), (5, 4), (3, 17)] {
            let mesh = Sheet { width: 1.0, height: 1.0, columns, rows }.mesh();
            let groups = check(mesh.positions.len(), &mesh.faces);
            assert_eq!(groups.len(), 2);
            let mut counts = [groups[0].len(), groups[1].len()];
            counts.sort_unstable();
            let mut expected = [columns as usize, rows as usize];
            expected.sort_unstable();
            assert_eq!(counts, expected);
            assert!(groups.iter().flatten().all(Strip::is_chain));
        }
    }

    #[test]
    fn rings_spirals_and_irregular_vertices_are_cut_open() {
        check(8 * 5, &tube(8, 5, 0));
        check(8 * 5, &tube(8, 5, 2));
        check(3 * 2, &tube(3, 2, 0));
        check(11, &star());
    }

    #[test]
    fn triangles_and_mixed_meshes_are_cut_into_trees() {
        let mesh = Sheet { width: 1.0, height: 1.0, columns: 12, rows: 9 }.mesh();
        let groups = check(mesh.positions.len(), &triangles(&mesh.faces));
        assert!(groups.len() <= 5, "{} groups", groups.len());
        assert!(groups[0].len() == 1 && !groups[0][0].is_chain());
        let mut mixed = triangles(&mesh.faces);
        mixed.push(&[0, 12, 24, 1]);
        check(mesh.positions.len(), &mixed);
    }

    #[test]
    fn large_trees_are_cut_so_that_threads_can_share_them() {
        let mesh = Sheet { width: 1.0, height: 1.0, columns: 70, rows: 70 }.mesh();
        let groups = check(mesh.positions.len(), &triangles(&mesh.faces));
        assert!(groups[0].len() >= 4);
        assert!(groups.iter().flatten().all(|part| part.nodes.len() <= LARGEST_TREE as usize));
    }

    #[test]
    fn no_edges_make_no_groups() {
        assert_eq!(partition(3, &Faces::new(), &[]), Vec::<Vec<Strip>>::new());
    }
}
