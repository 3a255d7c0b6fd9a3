//! Vertices at the same place: where panels were exported each by itself, and are to be sewn.

use glam::DVec3;
use taffeta::Mesh;
use taffeta::mesh::Faces;

/// Makes vertices at exactly the same place one; tells how many there were too many.
pub fn join(mesh: &mut Mesh) -> usize {
    let mut order: Vec<usize> = (0..mesh.positions.len()).collect();
    order.sort_by_key(|&vertex| (key(&mesh.positions[vertex]), vertex));
    let mut first: Vec<usize> = (0..order.len()).collect();
    for pair in order.windows(2) {
        if key(&mesh.positions[pair[0]]) == key(&mesh.positions[pair[1]]) {
            first[pair[1]] = first[pair[0]];
        }
    }
    let (mut numbers, mut positions) = (vec![0; first.len()], Vec::new());
    for vertex in 0..first.len() {
        if first[vertex] == vertex {
            numbers[vertex] = positions.len() as u32;
            positions.push(mesh.positions[vertex]);
        } else {
            numbers[vertex] = numbers[first[vertex]];
        }
    }
    let mut faces = Faces::new();
    for corners in mesh.faces.iter() {
        // A number that is none stays none.
        let number = |&corner: &u32| numbers.get(corner as usize).copied().unwrap_or(u32::MAX);
        faces.push(&corners.iter().map(number).collect::<Vec<u32>>());
    }
    // As many corners as before, or none at all.
    let _ = faces.set_uvs(mesh.faces.all_uvs().to_vec());
    let _ = faces.set_colours(mesh.faces.all_colours().to_vec());
    let joined = first.len() - positions.len();
    *mesh = Mesh { positions, faces };
    joined
}

/// How many vertices lie exactly on another: where cloth that looks sewn is open.
pub fn on_others(mesh: &Mesh) -> usize {
    let mut all: Vec<[u64; 3]> = mesh.positions.iter().map(key).collect();
    all.sort_unstable();
    all.windows(2).filter(|pair| pair[0] == pair[1]).count()
}

/// Equal for equal places; adding 0 makes −0 into 0.
fn key(at: &DVec3) -> [u64; 3] {
    at.to_array().map(|x| (x + 0.0).to_bits())
}
