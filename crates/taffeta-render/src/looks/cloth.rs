//! Cloth as cloth.

use taffeta::mesh::Faces;
use taffeta::{Cloth, Frame};

use super::dress::Dress;
use crate::colour::{Colour, from_code};
use crate::scene::{Cover, Finish, Material, Surface};

/// Pieces an edge is drawn as, so that folds are round; where a mesh is so fine that its faces are
/// hardly larger than pixels, they are round without.
pub(super) fn pieces(faces: &Faces) -> u32 {
    match faces.len() {
        ..50_000 => 3,
        50_000..200_000 => 2,
        _ => 1,
    }
}

/// The colours of the vertices, if the mesh brought any: each that of its corners, mixed.
fn vertex_colours(frame: &Frame) -> Option<Vec<Colour>> {
    let faces = frame.faces;
    if faces.all_colours().is_empty() {
        return None;
    }
    let mut sums = vec![(Colour::ZERO, 0.0f32); frame.positions.len()];
    for (&vertex, &code) in faces.all_corners().iter().zip(faces.all_colours()) {
        let (sum, count) = &mut sums[vertex as usize];
        *sum += from_code(code);
        *count += 1.0;
    }
    Some(sums.into_iter().map(|(sum, count)| sum / count.max(1.0)).collect())
}

/// Front and back of the second and further cloths, which take turns (sRGB codes).
const OTHERS: [[u32; 2]; 5] = [
    [0x3f_5f_8f, 0xa8_b8_cc],
    [0xe6_de_cc, 0xb8_a8_90],
    [0x4f_7a_5a, 0xb5_c8_a8],
    [0x7a_50_80, 0xc8_b0_c8],
    [0x3a_3d_42, 0x80_84_88],
];

/// Every cloth by itself: the first in the scene's colours, the others in colours of their own.
pub fn surfaces(frame: &Frame, dress: &Dress) -> Vec<Surface> {
    if frame.cloths.len() < 2 {
        return vec![surface(frame, dress)];
    }
    let of_cloth = |(number, cloth): (usize, &Cloth)| {
        let faces = faces_of(cloth, frame.faces);
        let others = number.checked_sub(1).map(|other| OTHERS[other % OTHERS.len()]);
        let dress = Dress { sides: others.unwrap_or(dress.sides), ..dress.clone() };
        let own = cloth.particles.start as usize..cloth.particles.end as usize;
        let positions = frame.positions.get(own).unwrap_or_default();
        surface(&Frame { faces: &faces, positions, ..*frame }, &dress)
    };
    frame.cloths.iter().enumerate().map(of_cloth).collect()
}

/// A cloth's faces, over its own particles.
fn faces_of(cloth: &Cloth, all: &Faces) -> Faces {
    let mut faces = Faces::new();
    let (mut uvs, mut colours) = (Vec::new(), Vec::new());
    let mut corner = 0;
    for (number, corners) in (0..).zip(all.iter()) {
        let range = corner..corner + corners.len();
        corner = range.end;
        if !cloth.faces.contains(&number) {
            continue;
        }
        let own = corners.iter().map(|vertex| vertex - cloth.particles.start);
        faces.push(&own.collect::<Vec<u32>>());
        uvs.extend_from_slice(all.all_uvs().get(range.clone()).unwrap_or_default());
        colours.extend_from_slice(all.all_colours().get(range).unwrap_or_default());
    }
    // There is one for each corner, or none at all.
    let _ = (uvs.is_empty() || faces.set_uvs(uvs))
        && (colours.is_empty() || faces.set_colours(colours));
    faces
}

/// The frame's mesh: a picture on both sides, or the colours it brought, or one tint in front and
/// another at the back.
pub fn surface(frame: &Frame, dress: &Dress) -> Surface {
    let [front, back] = dress.sides.map(from_code);
    let mut material = Material { front, back, finish: Finish::Cloth };
    let cover = match (&dress.texture, vertex_colours(frame)) {
        (Some(texture), _) => Cover::Texture(texture.clone()),
        (None, Some(colours)) => {
            material = Material::new(0xff_ff_ff, Finish::Cloth);
            Cover::Vertices(colours)
        }
        (None, None) => Cover::Plain,
    };
    Surface {
        positions: frame.positions.to_vec(),
        faces: frame.faces.clone(),
        cover,
        material,
        pieces: pieces(frame.faces),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use taffeta::Sheet;

    use super::*;
    use crate::texture::{Motif, Texture};

    #[test]
    fn colours_of_the_mesh_are_mixed_at_vertices_and_give_way_to_a_texture() {
        let mut mesh = Sheet { width: 1.0, height: 1.0, columns: 3, rows: 2 }.mesh();
        let codes = [[0xff_ff_ff; 4], [0; 4]].concat();
        assert!(mesh.faces.set_colours(codes));
        let (faces, positions) = (&mesh.faces, &mesh.positions);
        let frame = Frame {
            number: 0,
            time: 0.0,
            revision: 0,
            faces,
            positions,
            velocities: positions,
            yarns: None,
            cloths: &[],
        };
        let mut dress = Dress::default();
        let Cover::Vertices(colours) = surface(&frame, &dress).cover else {
            panic!("its colours were not taken")
        };
        let light: Vec<f32> = colours.iter().map(|colour| colour.x).collect();
        assert_eq!(light, [1.0, 0.5, 0.0, 1.0, 0.5, 0.0]);
        let motif = Motif::ALL[0].1;
        dress.texture = Some(Texture::new(Arc::new(motif.image()), motif.usual_tile()));
        assert!(matches!(surface(&frame, &dress).cover, Cover::Texture(_)));
    }
}
