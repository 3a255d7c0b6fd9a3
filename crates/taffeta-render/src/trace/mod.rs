//! The picture maker: rays through a tree of triangles and tubes. Shadows, ambient occlusion,
//! ground, solids and yarns all come from the same two questions to the tree: what does this ray
//! hit first, and does it hit anything.
//!
//! A picture has the same bits on any number of threads: each pixel is computed from the scene
//! and its own fixed sample pattern alone.

mod build;
mod bvh;
mod filter;
mod geometry;
mod item;
mod pattern;
mod pixel;
mod ray;
mod refine;
mod shade;
mod spline;

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use crate::colour::{Encoder, film};
use crate::error::RenderError;
use crate::picture::Picture;
use crate::scene::Scene;
use bvh::Bvh;
use geometry::Geometry;
use pattern::Pattern;
use pixel::Pixel;
use shade::Studio;

/// How a picture is made.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Samples in a pixel on an edge; elsewhere an eighth of these.
    pub samples: u32,
    /// The most memory the picture may take, in bytes.
    pub memory: u64,
    /// Set from outside to give up at once.
    pub stop: Option<&'a AtomicBool>,
}

/// Samples for a preview: a fraction of a second for a frame.
pub const PREVIEW_SAMPLES: u32 = 8;
/// Samples for a finished picture.
pub const FINAL_SAMPLES: u32 = 64;
/// More samples than this differ in no bit of a picture.
const MOST_SAMPLES: u32 = 4096;

impl Options<'_> {
    /// The memory a picture takes, without its scene, in bytes.
    pub fn memory_needed(&self) -> u64 {
        let pixels = u64::from(self.width) * u64::from(self.height);
        pixels.saturating_mul((size_of::<Pixel>() + 2 * size_of::<[f32; 3]>()) as u64)
    }

    /// Refuses what makes no picture or takes too much memory, before anything is computed.
    pub fn check(&self) -> Result<(), RenderError> {
        let Self { width, height, samples, memory, .. } = *self;
        let refuse = |why: String| Err(RenderError::Size { width, height, samples, why });
        let needed = self.memory_needed();
        let gib = |bytes: u64| bytes as f64 / f64::from(1u32 << 30);
        if width == 0 || height == 0 {
            refuse("neither side may be zero".into())
        } else if samples == 0 || samples > MOST_SAMPLES {
            refuse(format!("samples go from 1 to {MOST_SAMPLES}"))
        } else if needed > memory {
            let (needed, memory) = (gib(needed), gib(memory));
            refuse(format!(
                "it would take {needed:.1} GiB of memory, of {memory:.1} GiB allowed; ask for fewer \
                 pixels or samples, or allow more memory"
            ))
        } else {
            Ok(())
        }
    }

    fn stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// Makes the picture of a scene.
pub fn render(scene: &Scene, options: &Options) -> Result<Picture, RenderError> {
    options.check()?;
    let needed = geometry::memory_needed(scene).saturating_add(options.memory_needed());
    if needed > options.memory {
        return Err(RenderError::Memory { needed, allowed: options.memory });
    }
    let geometry = Geometry::of(scene)?;
    let bvh = Bvh::build(geometry.items());
    let size = [options.width as usize, options.height as usize];
    let studio = Studio::new(scene, &geometry, &bvh, size);
    let pattern = Pattern::new(options.samples);
    let mut pixels = vec![Pixel::default(); size[0] * size[1]];
    let look = |at: [usize; 2], pixel: &mut Pixel, samples: Range<u32>| {
        samples.for_each(|i| pixel.add(&studio.sample(at, &pattern, i)));
    };
    // The first eighth of the samples in every pixel, the rest where they matter.
    let (some, all) = (pattern.inside(), pattern.samples());
    each_pixel(&mut pixels, options, |at, pixel| look(at, pixel, 0..some));
    let edges = filter::edges(&pixels, size);
    each_pixel(&mut pixels, options, |at, pixel| {
        if edges[at[1] * size[0] + at[0]] {
            look(at, pixel, some..all);
        }
    });
    if options.stopped() {
        return Err(RenderError::Stopped);
    }
    let encoder = Encoder::default();
    let mut picture = Picture::new(options.width, options.height);
    picture.bytes.par_chunks_exact_mut(3).enumerate().with_min_len(size[0]).for_each(
        |(index, bytes)| {
            let light = filter::resolve(&pixels, &edges, size, index);
            bytes.copy_from_slice(&encoder.bytes(film(light)));
        },
    );
    Ok(picture)
}

/// Goes through the pixels row by row, unless asked to stop.
fn each_pixel(
    pixels: &mut [Pixel],
    options: &Options,
    visit: impl Fn([usize; 2], &mut Pixel) + Sync,
) {
    pixels.par_chunks_mut(options.width as usize).enumerate().for_each(|(y, row)| {
        if !options.stopped() {
            row.iter_mut().enumerate().for_each(|(x, pixel)| visit([x, y], pixel));
        }
    });
}
