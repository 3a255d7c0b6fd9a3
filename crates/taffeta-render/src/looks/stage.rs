//! The stage: what stays the same over all frames of a run.

use glam::{DVec3, Vec3};

use super::dress::Dress;
use crate::camera::{Camera, Framing};
use crate::colour::from_code;
use crate::scene::{Ground, Light, Scene};

/// Camera, light, floor and scales of a run, the same for each of its frames.
#[derive(Clone, Debug)]
pub struct Stage {
    /// Who looks.
    pub camera: Camera,
    /// What lights it.
    pub light: Light,
    /// The floor, if there is one.
    pub ground: Option<Ground>,
    /// The background's sRGB code.
    pub background: u32,
    /// The strain at the ends of the colour scale.
    pub strain_limit: f64,
    /// What the cloth is dressed in.
    pub dress: Dress,
}

/// A light grey that shows dark and bright cloth alike.
const BACKGROUND: u32 = 0xdf_e2_e6;
/// The floor reaches so many times as far as the cloth.
const REACH: f64 = 6.0;

impl Stage {
    /// A stage around everything a framing has seen, or none if that is nothing.
    ///
    /// A camera of the user's choice takes the place of the framed one.
    pub fn around(framing: &Framing, camera: Option<Camera>) -> Option<Self> {
        let (lowest, centre, radius) = framing.extent()?;
        let camera = camera.or_else(|| framing.camera())?;
        let ground = Ground {
            height: lowest - 0.02 * radius,
            colour: from_code(BACKGROUND),
            centre: DVec3::new(centre.x, lowest, centre.z),
            reach: REACH * radius,
        };
        Some(Self {
            camera,
            light: light_for(&camera),
            ground: Some(ground),
            background: BACKGROUND,
            strain_limit: 0.05,
            dress: Dress::default(),
        })
    }

    /// Gives background and floor another colour, as an sRGB code.
    pub fn set_background(&mut self, code: u32) {
        self.background = code;
        if let Some(ground) = &mut self.ground {
            ground.colour = from_code(code);
        }
    }

    /// The stage without cloth.
    pub fn empty(&self) -> Scene {
        Scene {
            surfaces: Vec::new(),
            curves: Vec::new(),
            solids: Vec::new(),
            ground: self.ground,
            light: self.light,
            background: from_code(self.background),
            camera: self.camera,
        }
    }

    /// The size at the camera's target of a thousandth of the picture's height \[m\].
    pub fn hair(&self) -> f64 {
        let distance = self.camera.position.distance(self.camera.target);
        2e-3 * self.camera.half_height() * distance
    }
}

/// The studio's light, turned with the camera: from the upper left, before the cloth.
fn light_for(camera: &Camera) -> Light {
    let studio = Light::studio();
    let [right, _, back] = camera.axes();
    let level = DVec3::new(back.x, 0.0, back.z).try_normalize().unwrap_or(DVec3::Z);
    let towards = right * f64::from(studio.towards.x)
        + DVec3::Y * f64::from(studio.towards.y)
        + level * f64::from(studio.towards.z);
    let towards: Vec3 = towards.normalize().as_vec3();
    Light { towards, ..studio }
}
