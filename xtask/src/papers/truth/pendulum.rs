//! Two masses on a hinge swing in the period of a pendulum, whatever the amplitude.

use std::f64::consts::{FRAC_PI_2, TAU};
use std::fmt::Write;

use super::{GRAVITY, off};
use crate::papers::bench::Bench;

/// From the hinge to the masses \[m\].
const LENGTH: f64 = 0.4;
const AMPLITUDES: [f64; 3] = [0.1, 1.2, 2.5];
/// Frames a second; the period is read between them.
const RATE: f64 = 240.0;
/// Integrators, and the fewest steps a second they take.
const METHODS: [(&str, f64); 3] =
    [("explicit", RATE), ("implicit", RATE), ("implicit", 8.0 * RATE)];

pub fn run(bench: &Bench) -> Result<String, String> {
    let mut text = format!(
        "A quad hinged at one edge, {LENGTH} m long and all but rigid, swings in 2π √(L/g) / agm(1, cos(φ/2)). \
         Means over three swings. Implicit steps lose amplitude, the less the shorter they are; near the top \
         a little amplitude is a lot of period.\n\n\
         | amplitude | period | explicit | off | implicit, 1/240 s | off | 1/1920 s | off |\n\
         |---|---|---|---|---|---|---|---|\n"
    );
    for amplitude in AMPLITUDES {
        let expected = period(amplitude);
        let _ = write!(text, "| {amplitude} rad | {expected:.5} s |");
        for (integrator, steps) in METHODS {
            let found = measured(bench, (integrator, steps), amplitude)?;
            let _ = write!(text, " {found:.5} s | {:+.3} % |", off(found, expected));
        }
        text.push('\n');
    }
    Ok(text)
}

fn period(amplitude: f64) -> f64 {
    let (mut a, mut b) = (1.0, libm::cos(amplitude / 2.0));
    while f64::abs(a - b) > 1e-15 {
        (a, b) = (0.5 * (a + b), f64::sqrt(a * b));
    }
    TAU * (LENGTH / GRAVITY).sqrt() / a
}

fn measured(
    bench: &Bench,
    (integrator, steps): (&str, f64),
    amplitude: f64,
) -> Result<f64, String> {
    let count = (3.6 * period(amplitude) * RATE) as u32;
    // The hinge is the first row, at z = −L/2; straight down is +z turned to −y.
    let turn = (FRAC_PI_2 - amplitude).to_degrees();
    let scene = format!(
        "[fabric]\ndensity = 0.2\nstretch = 1e5\nshear = 1e5\nbend = 0.0\nstretch_damping = 1e-4\n\
         shear_damping = 1e-4\n[cloth]\nrotation = [{turn}, 0.0, 0.0]\n[cloth.sheet]\n\
         size = [0.3, {LENGTH}]\nparticles = [2, 2]\n[[pin]]\nedge = \"top\"\n[integrator.{integrator}]\n\
         [step]\nmax = {}\n[frames]\nrate = {RATE}\ncount = {count}\n",
        1.000_001 / steps
    );
    bench.run_once(1, &bench.place("pendulum.toml", &scene)?, &[])?;
    let frames = bench.frames()?;
    let mut sides = frames.iter().map(|places| places[2][2] - places[0][2]);
    let crossings = falls_through_zero(&mut sides);
    match crossings[..] {
        [first, _, _, fourth, ..] => Ok((fourth - first) / (3.0 * RATE)),
        _ => Err(format!("it swings only {} times", crossings.len())),
    }
}

/// Where a series falls through zero, in its steps.
fn falls_through_zero(series: &mut dyn Iterator<Item = f64>) -> Vec<f64> {
    let mut crossings = Vec::new();
    let mut before: Option<f64> = None;
    for (step, now) in series.enumerate() {
        if let Some(before) = before.filter(|before| *before > 0.0 && now <= 0.0) {
            crossings.push(step as f64 - 1.0 + before / (before - now));
        }
        before = Some(now);
    }
    crossings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_swings_have_the_period_of_galilei() {
        assert!((period(1e-4) / (TAU * (LENGTH / GRAVITY).sqrt()) - 1.0).abs() < 1e-8);
        assert!(period(2.5) > 1.5 * period(0.1));
    }

    #[test]
    fn crossings_are_between_the_frames() {
        let mut series = [1.0, -1.0, 1.0, 3.0, -1.0].into_iter();
        assert_eq!(falls_through_zero(&mut series), [0.5, 3.75]);
    }
}
