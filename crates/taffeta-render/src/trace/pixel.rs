//! What is known of a pixel while a picture is made.

use glam::Vec3;

/// One ray's finding. Light is kept apart by what may block it.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Light that nothing blocks.
    pub own: Vec3,
    /// Light of the sun, if nothing is in between.
    pub sun: Vec3,
    /// Light of the sky, if nothing is in between.
    pub sky: Vec3,
    /// Whether the sun is seen from there: 0 or 1; none where the sun cannot matter.
    pub sunny: Option<f32>,
    /// Whether a random piece of the sky is seen from there: 0 to 1.
    pub open: f32,
    pub normal: Vec3,
    pub depth: f32,
    /// Number of the object seen.
    pub object: u32,
}

/// The object number of the ground.
pub const GROUND: u32 = u32::MAX - 1;
/// The object number of nothing at all.
pub const NOTHING: u32 = u32::MAX;

/// The sums over a pixel's samples.
#[derive(Clone, Copy, Debug)]
pub struct Pixel {
    own: Vec3,
    sun: Vec3,
    sky: Vec3,
    exact: Vec3,
    pub sunny: f32,
    pub sun_rays: f32,
    pub open: f32,
    pub count: f32,
    /// Of the first sample, as the depth and the object.
    pub normal: Vec3,
    pub depth: f32,
    pub object: u32,
    /// Whether samples saw different objects.
    pub mixed: bool,
}

impl Default for Pixel {
    fn default() -> Self {
        Self {
            own: Vec3::ZERO,
            sun: Vec3::ZERO,
            sky: Vec3::ZERO,
            exact: Vec3::ZERO,
            sunny: 0.0,
            sun_rays: 0.0,
            open: 0.0,
            count: 0.0,
            normal: Vec3::ZERO,
            depth: 0.0,
            object: NOTHING,
            mixed: false,
        }
    }
}

impl Pixel {
    pub fn add(&mut self, sample: &Sample) {
        if self.count == 0.0 {
            self.normal = sample.normal;
            self.depth = sample.depth;
            self.object = sample.object;
        }
        self.mixed |= sample.object != self.object;
        self.own += sample.own;
        self.sun += sample.sun;
        self.sky += sample.sky;
        self.exact +=
            sample.own + sample.sun * sample.sunny.unwrap_or(0.0) + sample.sky * sample.open;
        self.sunny += sample.sunny.unwrap_or(0.0);
        self.sun_rays += if sample.sunny.is_some() { 1.0 } else { 0.0 };
        self.open += sample.open;
        self.count += 1.0;
    }

    /// The light its own samples found.
    pub fn exact(&self) -> Vec3 {
        self.exact / self.count
    }

    /// The light if these shares of the sun and of the sky are seen.
    pub fn lit_by(&self, sunny: f32, open: f32) -> Vec3 {
        (self.own + self.sun * sunny + self.sky * open) / self.count
    }
}
