//! The angle at which cloth begins to slip on a plane that is tilted slowly, against Coulomb's.

use std::fmt::Write;

use super::off;
use crate::papers::bench::Bench;

const COEFFICIENTS: [f64; 3] = [0.2, 0.4, 0.8];
/// The plane begins so far below the angle, and tilts by so much a second, for so long \[°, °/s, s\].
const BELOW: f64 = 1.0;
const RATE: f64 = 0.5;
const TIME: f64 = 4.0;
const FRAMES: f64 = 30.0;
/// What is called slipping: so far along the plane from where it lay after the first second \[m\].
const SLIPPED: f64 = 1e-4;

pub fn run(bench: &Bench) -> Result<String, String> {
    let mut text = format!(
        "A square lies on a plane that tilts by {RATE}° a second. It slips where it has moved {} mm down the \
         plane; by then a body without any friction beyond Coulomb's has had to be about 0.1° past the angle.\n\n\
         | coefficient | arctan | strips | off | constraints | off |\n|---|---|---|---|---|---|\n",
        SLIPPED * 1e3
    );
    for coefficient in COEFFICIENTS {
        let expected = libm::atan(coefficient).to_degrees();
        let [strips, constraints] =
            ["strips", "constraints"].map(|name| slips(bench, name, coefficient));
        let (strips, constraints) = (strips?, constraints?);
        let _ = writeln!(
            text,
            "| {coefficient} | {expected:.2}° | {strips:.2}° | {:+.2} % | {constraints:.2}° | {:+.2} % |",
            off(strips, expected),
            off(constraints, expected)
        );
    }
    Ok(text)
}

/// The angle at which the middle of the cloth has slipped \[°\].
fn slips(bench: &Bench, limiter: &str, coefficient: f64) -> Result<f64, String> {
    let start = libm::atan(coefficient).to_degrees() - BELOW;
    let thickness = 1e-3;
    let (x, y) =
        (thickness * libm::sin(start.to_radians()), thickness * libm::cos(start.to_radians()));
    let scene = format!(
        "[fabric]\nstretch_damping = 1e-3\n[cloth]\nrotation = [0.0, 0.0, -{start}]\n\
         position = [{x}, {y}, 0.0]\n[cloth.sheet]\nsize = [0.1, 0.1]\nparticles = [9, 9]\n\
         [[solid]]\nrotation = [0.0, 0.0, -{start}]\nfriction = {coefficient}\nthickness = {thickness}\n\
         axis = [0.0, 0.0, 1.0]\n[[solid.key]]\ntime = 1.0\n[[solid.key]]\ntime = {}\nturn = -{}\n\
         [solid.plane]\n[limits]\nextension = 0.01\n[limiter.{limiter}]\n\
         [frames]\nrate = {FRAMES}\ncount = {}\n",
        1.0 + TIME,
        RATE * TIME,
        (FRAMES * (1.0 + TIME)) as u32
    );
    bench.run_once(1, &bench.place("friction.toml", &scene)?, &[])?;
    let frames = bench.frames()?;
    let angle = |frame: usize| start + RATE * (frame as f64 / FRAMES - 1.0).max(0.0);
    let along = |frame: usize| {
        let [x, y, _] = frames[frame][40];
        let (sine, cosine) = libm::sincos(angle(frame).to_radians());
        x * cosine - y * sine
    };
    let rested = FRAMES as usize;
    let from = along(rested);
    let slipped = (rested..frames.len()).find(|&frame| along(frame) - from > SLIPPED);
    slipped.map(angle).ok_or_else(|| format!("cloth with μ = {coefficient} does not slip"))
}
