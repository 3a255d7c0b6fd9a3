//! Cloth coloured by strain.

use glam::Vec3;
use taffeta::{Frame, Gauge};

use super::cloth::pieces;
use super::stage::Stage;
use crate::colour::{Colour, from_code};
use crate::scene::{Cover, Finish, Material, Surface};

/// From strong compression through none to strong extension.
const SCALE: [u32; 7] =
    [0x17_3a_7d, 0x3f_7f_c4, 0xa5_cf_e6, 0xef_ee_e8, 0xf6_b8_77, 0xdb_5b_3a, 0x8e_12_2b];

/// The colour of a share of the limit, −1 to 1; beyond it is as at its end.
pub(super) fn colour_of(share: f64) -> Colour {
    let last = SCALE.len() - 1;
    let place = (share.clamp(-1.0, 1.0) + 1.0) / 2.0 * last as f64;
    let first = (place as usize).min(last - 1);
    from_code(SCALE[first]).lerp(from_code(SCALE[first + 1]), (place - first as f64) as f32)
}

/// The frame's mesh, each vertex with the colour of the most strained gauge at it.
pub fn surface(frame: &Frame, gauges: &[Gauge], stage: &Stage) -> Surface {
    let mut strains = vec![0f64; frame.positions.len()];
    for gauge in gauges {
        let strain = gauge.strain(frame.positions);
        for particle in gauge.particles.map(|particle| particle as usize) {
            if strain.abs() > strains[particle].abs() {
                strains[particle] = strain;
            }
        }
    }
    let colours: Vec<Vec3> = strains.iter().map(|s| colour_of(s / stage.strain_limit)).collect();
    Surface {
        positions: frame.positions.to_vec(),
        faces: frame.faces.clone(),
        cover: Cover::Vertices(colours),
        material: Material::new(0xff_ff_ff, Finish::Cloth),
        pieces: pieces(frame.faces),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_goes_from_blue_to_red_and_is_pale_between() {
        let (cold, none, hot) = (colour_of(-1.0), colour_of(0.0), colour_of(1.0));
        assert!(cold.z > 2.0 * cold.x && hot.x > 2.0 * hot.z);
        assert!(none.min_element() > 0.7);
        assert_eq!(colour_of(5.0), hot);
    }
}
