//! A slack strip held at both ends hangs as a cosh.

use std::fmt::Write;

use super::last;
use crate::papers::bench::Bench;

const LENGTH: f64 = 1.0;
const SPAN: f64 = 0.7;
const SCENE: &str = "[fabric]\ndensity = 0.2\nstretch = 2000.0\nshear = 20.0\nbend = 0.0\n\
    [cloth.sheet]\nsize = [0.05, 1.0]\nparticles = [2, 41]\n\
    [[pin]]\nedge = \"top\"\nease = \"smooth\"\n[[pin.key]]\ntime = 0.0\n\
    [[pin.key]]\ntime = 0.5\nmove = [0.0, 0.0, 0.15]\n\
    [[pin]]\nedge = \"bottom\"\nease = \"smooth\"\n[[pin.key]]\ntime = 0.0\n\
    [[pin.key]]\ntime = 0.5\nmove = [0.0, 0.0, -0.15]\n\
    [air]\n[frames]\nrate = 10.0\ncount = 200\n";
/// How the strip is moved, and what that sets.
const METHODS: [(&str, &str); 5] = [
    ("implicit, one solve a step of 1/120 s: the default", "[integrator.implicit]"),
    ("implicit, one solve a step of 1/240 s", "[integrator.implicit]\n[step]\nmax = 0.0041667"),
    (
        "implicit, Newton's method to 1e-4, steps of 1/120 s",
        "[integrator.implicit]\nnewton_tolerance = 1e-4",
    ),
    ("strips to 0.1 %", "[limits]\nextension = 1e-3\n[limiter.strips]"),
    ("constraints to 0.1 %", "[limits]\nextension = 1e-3\n[limiter.constraints]"),
];
/// What is called off the curve, as a share of the length.
const RIGHT: f64 = 2e-3;

pub fn run(bench: &Bench) -> Result<String, String> {
    let a = parameter();
    let curve = |z: f64| a * (libm::cosh(z / a) - libm::cosh(SPAN / (2.0 * a)));
    let mut text = format!(
        "A strip of {LENGTH} m without bending stiffness, its ends {SPAN} m apart, after 20 s: y = a cosh(z/a) \
         with a = {a:.5} m, its lowest point {:.2} mm below the ends.\n\n\
         | method | lowest point | farthest off the curve | moved in the last second |\n|---|---|---|---|\n",
        -1e3 * curve(0.0)
    );
    for (name, method) in METHODS {
        bench.run_once(1, &bench.place("catenary.toml", &format!("{SCENE}{method}\n"))?, &[])?;
        let frames = bench.frames()?;
        let before = frames.len().checked_sub(11).map(|n| frames[n].clone()).unwrap_or_default();
        let at = last(frames)?;
        let worst = at.iter().map(|[_, y, z]| (y - curve(*z)).abs()).fold(0.0, f64::max);
        let moved = at.iter().zip(&before).map(|(a, b)| (a[1] - b[1]).abs()).fold(0.0, f64::max);
        let lowest = at.iter().map(|place| place[1]).fold(f64::INFINITY, f64::min);
        let mark = if worst > RIGHT * LENGTH { "**" } else { "" };
        let _ = writeln!(
            text,
            "| {name} | {:.2} mm | {mark}{:.2} mm{mark} | {:.2} mm |",
            -1e3 * lowest,
            worst * 1e3,
            moved * 1e3
        );
    }
    text.push_str(
        "\nOne solve a step looks at elements where velocities and loads alone would carry them; beside a pin \
         the first edge is there stretched by the fall of one step, h²g, so that what is at rest is not quite \
         in balance. The error falls with the square of the step, and Newton's method has none.\n",
    );
    Ok(text)
}

/// a in y = a·cosh(z/a), from the length of the curve over the span: L = 2a·sinh(span/2a).
fn parameter() -> f64 {
    let (mut low, mut high) = (0.05, 10.0);
    for _ in 0..60 {
        let a: f64 = 0.5 * (low + high);
        if 2.0 * a * libm::sinh(SPAN / (2.0 * a)) > LENGTH { low = a } else { high = a }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_is_as_long_as_the_strip() {
        let a = parameter();
        assert!((2.0 * a * libm::sinh(SPAN / (2.0 * a)) - LENGTH).abs() < 1e-9);
    }
}
