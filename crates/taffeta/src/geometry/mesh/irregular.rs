//! Irregular triangles of a sheet: what cloth must not depend on.

use glam::{DVec2, DVec3};

use super::{Faces, Mesh, Sheet};

/// How far vertices are moved along each axis at most, over the spacing.
const SHAKEN: f64 = 0.25;

impl Sheet {
    /// The sheet as a mesh of irregular triangles: its inner vertices are moved about, and its quads cut
    /// along either diagonal. Vertices have the numbers they have in [`Sheet::mesh`].
    pub fn irregular_mesh(&self) -> Mesh {
        let Mesh { mut positions, faces: quads } = self.mesh();
        let spacing = DVec3::new(
            self.width / f64::from(self.columns.max(2) - 1),
            0.0,
            self.height / f64::from(self.rows.max(2) - 1),
        );
        let seed = &mut 0;
        for (i, position) in (0..).zip(&mut positions) {
            let inner = |at: u32, count: u32| f64::from(u8::from(at > 0 && at + 1 < count));
            let free = DVec3::new(
                inner(i % self.columns, self.columns),
                0.0,
                inner(i / self.columns, self.rows),
            );
            let random = DVec3::new(number(seed), 0.0, number(seed));
            *position += random * free * spacing * SHAKEN;
        }
        let mut faces = Faces::new();
        for corners in quads.iter() {
            let [a, b, c, d] = [corners[0], corners[1], corners[2], corners[3]];
            let cut = match number(seed) < 0.0 {
                true => [[a, b, c], [a, c, d]],
                false => [[a, b, d], [b, c, d]],
            };
            cut.iter().for_each(|triangle| faces.push(triangle));
        }
        let corner = |&i: &u32| {
            let at = positions[i as usize];
            DVec2::new(at.x + 0.5 * self.width, at.z + 0.5 * self.height)
        };
        let uvs = faces.iter().flat_map(|corners| corners.iter().map(corner)).collect();
        faces.set_uvs(uvs);
        Mesh { positions, faces }
    }
}

/// From −1 to 1, as good as random (splitmix64).
fn number(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*seed ^ (*seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn irregular_triangles_cover_the_sheet() {
        let sheet = Sheet { width: 0.6, height: 0.4, columns: 13, rows: 9 };
        let (regular, mesh) = (sheet.mesh(), sheet.irregular_mesh());
        assert_eq!(mesh.faces.len(), 2 * regular.faces.len());
        let area: f64 = mesh
            .faces
            .iter()
            .map(|c| {
                let [a, b, c] = [c[0], c[1], c[2]].map(|i| mesh.positions[i as usize]);
                let cross = (b - a).cross(c - a);
                assert!(cross.y > 0.0, "it faces up");
                0.5 * cross.length()
            })
            .sum();
        assert!((area - 0.24).abs() < 1e-12, "{area}");
        let moved = regular.positions.iter().zip(&mesh.positions).filter(|(a, b)| a != b).count();
        assert!(moved > 100, "{moved}");
        assert_eq!(mesh.positions[0], regular.positions[0]);
        assert!(mesh.faces.all_uvs().iter().all(|uv| uv.is_finite() && uv.min_element() >= 0.0));
    }
}
