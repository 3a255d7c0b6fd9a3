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
    /// Whether the sun is seen from there, 0 or 1, where that was asked and matters.
    pub sunny: Option<f32>,
    /// Whether a random piece of the sky is seen from there, 0 to 1, where that was asked.
    pub open: Option<f32>,
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
    pub seen_sun: Seen,
    pub seen_sky: Seen,
    count: f32,
    /// Of the first sample, as the depth and the object.
    pub normal: Vec3,
    pub depth: f32,
    pub object: u32,
    /// Whether samples saw different objects.
    pub mixed: bool,
}

/// How much of a light is seen, as far as was asked: each answer counts as much as the light it is
/// about.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    seen: f32,
    asked: f32,
}

impl Seen {
    fn add(&mut self, light: Vec3, answer: Option<f32>) {
        if let Some(share) = answer {
            self.seen += light.element_sum() * share;
            self.asked += light.element_sum();
        }
    }

    /// Takes in what others found.
    pub fn join(&mut self, other: Self) {
        self.seen += other.seen;
        self.asked += other.asked;
    }

    /// The share that is seen; all of it where nobody asked.
    fn share(self) -> f32 {
        if self.asked > 0.0 { self.seen / self.asked } else { 1.0 }
    }
}

impl Default for Pixel {
    fn default() -> Self {
        Self {
            own: Vec3::ZERO,
            sun: Vec3::ZERO,
            sky: Vec3::ZERO,
            seen_sun: Seen::default(),
            seen_sky: Seen::default(),
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
        self.seen_sun.add(sample.sun, sample.sunny);
        self.seen_sky.add(sample.sky, sample.open);
        self.count += 1.0;
    }

    /// The light its own samples found.
    pub fn exact(&self) -> Vec3 {
        self.lit_by(self.seen_sun, self.seen_sky)
    }

    /// The light if this much of the sun and of the sky is seen.
    pub fn lit_by(&self, sun: Seen, sky: Seen) -> Vec3 {
        (self.own + self.sun * sun.share() + self.sky * sky.share()) / self.count
    }
}
