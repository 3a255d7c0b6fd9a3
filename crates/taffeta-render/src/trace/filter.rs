//! Few rays in a pixel see the sun and the sky; neighbours on the same smooth surface share what
//! theirs saw. Edges share nothing and get more samples instead.

use glam::Vec3;

use super::pixel::{GROUND, NOTHING, Pixel, Seen};

/// Whether two pixels show the same smooth piece of surface.
fn alike(a: &Pixel, b: &Pixel) -> bool {
    let near = || (a.depth - b.depth).abs() <= 0.01 * a.depth.min(b.depth);
    a.object == b.object && (a.object >= GROUND || (a.normal.dot(b.normal) > 0.85 && near()))
}

/// The pixels that need all their samples: something changes between them and a neighbour.
pub fn edges(pixels: &[Pixel], [width, height]: [usize; 2]) -> Vec<bool> {
    let is_edge = |index: usize| {
        let (x, y, pixel) = (index % width, index / width, &pixels[index]);
        let differs = |other: usize| pixels[other].mixed || !alike(pixel, &pixels[other]);
        pixel.mixed
            || (x > 0 && differs(index - 1))
            || (x + 1 < width && differs(index + 1))
            || (y > 0 && differs(index - width))
            || (y + 1 < height && differs(index + width))
    };
    (0..pixels.len()).map(is_edge).collect()
}

/// The light of a pixel.
pub fn resolve(pixels: &[Pixel], edges: &[bool], size: [usize; 2], index: usize) -> Vec3 {
    let pixel = &pixels[index];
    if pixel.object == NOTHING || edges[index] {
        return pixel.exact();
    }
    let (x, y) = (index % size[0], index / size[0]);
    // Any 4 × 4 pixels hold one whole sample pattern.
    let (mut sun, mut sky) = (Seen::default(), Seen::default());
    for v in y.saturating_sub(2)..(y + 2).min(size[1]) {
        for u in x.saturating_sub(2)..(x + 2).min(size[0]) {
            let other = &pixels[v * size[0] + u];
            if !other.mixed && alike(pixel, other) {
                sun.join(other.seen_sun);
                sky.join(other.seen_sky);
            }
        }
    }
    pixel.lit_by(sun, sky)
}
