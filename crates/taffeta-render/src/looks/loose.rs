//! What of woven cloth is no surface any more: yarns between the faces that hold, and frays.

use std::ops::Range;

use glam::{DVec3, Vec2};
use taffeta::mesh::Faces;
use taffeta::{Frame, Gauge};

use super::dress::Dress;
use super::fray::Drawn;
use super::stage::Stage;
use super::strain::colour_of;
use super::threads::{Passing, Threads};
use crate::colour::{Colour, from_code};
use crate::scene::{Curve, Finish, Material};

/// The yarns outside of faces, in the colour of the cloth. Where they go into the cloth they fade
/// over a span.
pub fn yarns(frame: &Frame, dress: &Dress) -> Vec<Curve> {
    let Some(threads) = Threads::of(frame) else { return Vec::new() };
    let colour = colour_of_cloth(dress);
    let material = Material { front: colour, back: colour, finish: Finish::Yarn };
    let mut curves = Vec::new();
    for (passing, spans) in outside(&threads, frame.faces) {
        draw(&threads, passing, spans, material).add_to(&mut curves);
    }
    curves
}

/// The same, each span in the colour of its strain.
pub fn strained(frame: &Frame, gauges: &[Gauge], stage: &Stage) -> Vec<Curve> {
    let Some(threads) = Threads::of(frame) else { return Vec::new() };
    let mut curves = Vec::new();
    for (passing, spans) in outside(&threads, frame.faces) {
        for span in spans {
            let gauge = passing.yarn.gauges.get(span).and_then(|g| gauges.get(*g as usize));
            let strain = gauge.map_or(0.0, |gauge| gauge.strain(frame.positions));
            let colour = colour_of(strain / stage.strain_limit);
            curves.push(Curve {
                points: [span, span + 1].map(|point| threads.particle(passing, point)).to_vec(),
                radius: threads.radius,
                opacities: Vec::new(),
                material: Material { front: colour, back: colour, finish: Finish::Yarn },
                pieces: 1,
            });
        }
    }
    curves
}

/// The runs of spans of each yarn that are not within the surface, its torn edges included.
fn outside<'a>(threads: &'a Threads, faces: &Faces) -> Vec<(&'a Passing<'a>, Range<usize>)> {
    let edges = faces.edges();
    // The corners of faces are warp particles, which have the numbers of their crossings.
    let covered = |passing: &Passing, span: usize| {
        let at = edges.binary_search_by_key(&passing.span(span), |edge| edge.ends);
        at.is_ok_and(|at| edges[at].faces.len() > 1 || threads.at_border(passing))
    };
    let mut runs = Vec::new();
    for passing in &threads.all {
        let mut start = None;
        for span in 0..passing.yarn.points.len() {
            let out = span + 1 < passing.yarn.points.len() && !covered(passing, span);
            match (out, start) {
                (true, None) => start = Some(span),
                (false, Some(first)) => {
                    runs.push((passing, first..span));
                    start = None;
                }
                _ => {}
            }
        }
    }
    runs
}

/// A run of spans with the one before and the one after it, over which it fades into the cloth.
fn draw(threads: &Threads, passing: &Passing, spans: Range<usize>, material: Material) -> Drawn {
    let last = passing.yarn.points.len() - 1;
    let (first, end) = (spans.start.saturating_sub(1), (spans.end + 1).min(last));
    let mut points: Vec<DVec3> = threads.path(passing)[first..=end].to_vec();
    let mut opacities = vec![1.0; points.len()];
    for (point, inside) in [(first, first < spans.start), (end, end > spans.end)] {
        if inside {
            points[point - first] = threads.particle(passing, point);
            opacities[point - first] = 0.0;
        }
    }
    let torn = [first == 0 && passing.yarn.torn[0], end == last && passing.yarn.torn[1]];
    Drawn { points, opacities, torn, radius: threads.radius, material }
}

/// The colour of the cloth's front; with a picture, the mean of that.
fn colour_of_cloth(dress: &Dress) -> Colour {
    let mean = |texture: &crate::texture::Texture| texture.image().at(Vec2::splat(0.5), 1.0);
    dress.texture.as_ref().map_or_else(|| from_code(dress.sides[0]), mean)
}
