//! How finishes answer light.

use glam::Vec3;

use crate::scene::{Finish, Light};

/// A place in the light.
pub struct Lit<'a> {
    /// Of length one, on the viewer's side.
    pub normal: Vec3,
    /// Of length one, along the fibres.
    pub fibre: Vec3,
    /// Towards the viewer.
    pub view: Vec3,
    /// All the light there is.
    pub light: &'a Light,
}

/// The light a white material sends to the viewer: its own, and what it has of the sun and of
/// the sky if nothing is in between.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Answer {
    pub own: Vec3,
    pub sun: Vec3,
    pub sky: Vec3,
}

/// The share of the light that goes through cloth.
const THROUGH: f32 = 0.22;
/// The strength of the shimmer on cloth seen edge-on.
const SHEEN: f32 = 0.25;
/// Yarn is so much of a bundle of fibres, and the rest a solid.
const FIBROUS: f32 = 0.45;
/// The strength of the highlight on fibres.
const GLOSS: f32 = 0.22;
/// How steeply fibres wind around a yarn: the tangent of the angle.
const TWIST: f32 = 0.6;
/// Strands wound into a yarn.
const STRANDS: f32 = 5.0;
/// How high strands stand out, in radii of the yarn.
const RIDGE: f32 = 0.07;

/// What a white material of this finish sends to the viewer.
pub fn respond(finish: Finish, lit: &Lit) -> Answer {
    let towards = lit.light.towards;
    let facing = lit.normal.dot(towards);
    let sky = lit.light.below.lerp(lit.light.sky, 0.5 + 0.5 * lit.normal.y);
    match finish {
        Finish::Flat => Answer { own: Vec3::ONE, ..Answer::default() },
        Finish::Matte => Answer { own: Vec3::ZERO, sun: lit.light.sun * facing.max(0.0), sky },
        Finish::Cloth => {
            let edge_on = 1.0 - lit.normal.dot(lit.view).clamp(0.0, 1.0);
            let shimmer = 1.0 + SHEEN * edge_on * edge_on * edge_on;
            let passed = if facing > 0.0 { facing * (1.0 - THROUGH) } else { -facing * THROUGH };
            Answer { own: Vec3::ZERO, sun: lit.light.sun * (passed * shimmer), sky }
        }
        Finish::Yarn => {
            let fibres = kajiya_kay(lit.fibre, towards, lit.view);
            let solid = facing.max(0.0);
            // Fibres on the dark side are hidden by those in front of them.
            let reached = (facing * 2.0 + 0.6).clamp(0.0, 1.0);
            let diffuse = solid * (1.0 - FIBROUS) + fibres[0] * reached * FIBROUS;
            let sun = lit.light.sun * (diffuse * (1.0 - GLOSS) + GLOSS * fibres[1] * reached);
            Answer { own: Vec3::ZERO, sun, sky }
        }
    }
}

/// Diffuse and specular light from a fibre (KK89): the sines of the angles between fibre, light
/// and view.
fn kajiya_kay(fibre: Vec3, light: Vec3, view: Vec3) -> [f32; 2] {
    let (to_light, to_view) = (fibre.dot(light), fibre.dot(view));
    let sine = |cosine: f32| (1.0 - cosine * cosine).max(0.0).sqrt();
    let along = (sine(to_light) * sine(to_view) - to_light * to_view).max(0.0);
    let squared = along * along;
    let fourth = squared * squared;
    let eighth = fourth * fourth;
    [sine(to_light), eighth * fourth]
}

/// A place of a yarn, as its strands make it.
pub struct Twisted {
    /// The normal, tilted by the strands.
    pub normal: Vec3,
    /// The direction of the fibres.
    pub fibre: Vec3,
    /// How light it is: dark in the grooves between strands.
    pub tone: f32,
}

/// A place of a yarn with this normal; `length` is along the yarn in radii.
pub fn twist(normal: Vec3, tangent: Vec3, side: Vec3, length: f32) -> Twisted {
    let around = tangent.cross(normal);
    let fibre = (tangent + around * TWIST).try_normalize().unwrap_or(tangent);
    let up = tangent.cross(side);
    let angle = libm::atan2f(normal.dot(up), normal.dot(side));
    let (sin, cos) = libm::sincosf((angle - length * TWIST) * STRANDS);
    // Strands are ridges of height RIDGE·cos; a surface leans against the rise of its height.
    let rise = (around - tangent * TWIST) * (-RIDGE * STRANDS * sin);
    let normal = (normal - rise).try_normalize().unwrap_or(normal);
    Twisted { normal, fibre, tone: 0.8 + 0.2 * cos }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn light() -> Light {
        Light { towards: Vec3::Y, ..Light::studio() }
    }

    fn lit(light: &Light, normal: Vec3) -> Lit<'_> {
        Lit { normal, fibre: Vec3::X, view: normal, light }
    }

    #[test]
    fn nothing_sends_more_than_it_gets() {
        let light = Light { sun: Vec3::ONE, sky: Vec3::ONE, below: Vec3::ONE, ..light() };
        for finish in [Finish::Matte, Finish::Cloth, Finish::Yarn] {
            for i in 0..=20 {
                let angle = f64::from(i) * 0.157;
                let normal = Vec3::new(libm::sin(angle) as f32, libm::cos(angle) as f32, 0.0);
                for view in [normal, Vec3::Z, Vec3::Y, Vec3::X] {
                    let answer = respond(finish, &Lit { view, ..lit(&light, normal) });
                    assert!(answer.sun.max_element() <= 1.0, "{finish:?} {normal} {view}");
                    assert!(answer.sky.max_element() <= 1.0, "{finish:?} {normal} {view}");
                }
            }
        }
    }

    #[test]
    fn only_cloth_glows_from_behind() {
        let light = light();
        let behind = lit(&light, Vec3::NEG_Y);
        assert_eq!(respond(Finish::Matte, &behind).sun, Vec3::ZERO);
        assert_eq!(respond(Finish::Yarn, &behind).sun, Vec3::ZERO);
        assert!(respond(Finish::Cloth, &behind).sun.min_element() > 0.0);
    }

    #[test]
    fn strands_wind_along_their_fibres() {
        let (tangent, side) = (Vec3::X, Vec3::Y);
        let place = |angle: f32, length: f32| {
            let (sin, cos) = libm::sincosf(angle);
            twist(Vec3::new(0.0, cos, sin), tangent, side, length)
        };
        for i in 0..50 {
            let (angle, length) = (0.13 * i as f32, 0.7 * i as f32);
            let here = place(angle, length);
            // One radius on along the yarn, fibres have turned by TWIST.
            let along = place(angle + TWIST, length + 1.0);
            assert!((here.tone - along.tone).abs() < 1e-4, "{} {}", here.tone, along.tone);
            // The normal leans against the slope of the ridges, and not along the fibres.
            let (plain, ahead) = (place(angle + 0.01, length).tone, here.tone);
            let around = Vec3::new(0.0, -libm::sinf(angle), libm::cosf(angle));
            let lean = here.normal.dot(around) * (plain - ahead);
            assert!(lean <= 1e-6, "{lean}");
            assert!(here.normal.dot(here.fibre).abs() < 1e-5);
        }
    }

    #[test]
    fn a_fibre_shines_where_the_cone_of_its_mirror_images_meets_the_eye() {
        let (light, mirrored) = (Vec3::new(0.6, 0.8, 0.0), Vec3::new(-0.6, 0.0, 0.8));
        let [diffuse, shine] = kajiya_kay(Vec3::X, light, mirrored);
        assert!((diffuse - 0.8).abs() < 1e-6 && (shine - 1.0).abs() < 1e-5);
        assert!(kajiya_kay(Vec3::X, light, light)[1] < 0.1);
    }
}
