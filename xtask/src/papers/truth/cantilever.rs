//! A strip that is held level at its middle droops on both sides by its weight: Peirce's test of stiffness.

use std::fmt::Write;

use super::{Fabric, GRAVITY, last, off};
use crate::papers::bench::Bench;

/// Length of each side over the bending length: at 2 it droops by Peirce's 41.5°.
const LENGTHS: [f64; 4] = [1.0, 2.0, 3.0, 4.0];
/// Cells along each side and across.
const CELLS: [u32; 2] = [40, 8];
/// Of the strip whose length is varied.
const DENSITY: f64 = 0.2;
const BENDING: f64 = 1e-5;

pub fn run(bench: &Bench) -> Result<String, String> {
    let mut text = String::from(
        "A strip, held in the middle, hangs down on both sides by its weight w per area. By the theory of the \
         heavy elastica, θ″ = −q (1 − s) cos θ with q = wL³/B, its chord sinks by an angle that depends on \
         q alone; Peirce reads the bending length c = (B/w)^⅓ from it. Each side has 40 cells.\n\n\
         | cloth | L/c | elastica | measured | off |\n|---|---|---|---|---|\n",
    );
    let length = libm::cbrt(BENDING / (DENSITY * GRAVITY));
    let fabric = format!("density = {DENSITY}\nbending = {BENDING:e}\nstretch = 500.0");
    for times in LENGTHS {
        let found = droop(bench, &fabric, times * length)?;
        row(&mut text, "10 µN·m, 0.2 kg/m²", times, found);
    }
    for cloth in &bench.fabrics::<Fabric>(2)? {
        let fabric = format!("preset = \"{}\"", cloth.name);
        let found = droop(bench, &fabric, 2.0 * cloth.bending_lengths()[0])?;
        row(&mut text, &format!("`{}`, along the warp", cloth.name), 2.0, found);
    }
    Ok(text)
}

fn row(text: &mut String, cloth: &str, times: f64, found: f64) {
    let expected = elastica(times.powi(3)).to_degrees();
    let _ = writeln!(
        text,
        "| {cloth} | {times} | {expected:.2}° | {found:.2}° | {:+.2} % |",
        off(found, expected)
    );
}

/// The angle of the chords of both sides, in the mean \[°\].
fn droop(bench: &Bench, fabric: &str, length: f64) -> Result<f64, String> {
    let [along, across] = CELLS;
    let width = 0.4 * length;
    let half = width / 2.0;
    let scene = format!(
        "[fabric]\n{fabric}\n[cloth.sheet]\nsize = [{}, {width}]\nparticles = [{}, {}]\n\
         [[pin]]\nnearest = [0.0, 0.0, {half}]\n[[pin]]\nnearest = [0.0, 0.0, -{half}]\n\
         [model.continuum]\n[integrator.implicit]\n[solver.direct]\n[frames]\nrate = 10.0\ncount = 30\n",
        2.0 * length,
        2 * along + 1,
        across + 1
    );
    bench.run_once(1, &bench.place("cantilever.toml", &scene)?, &[])?;
    let at = last(bench.frames()?)?;
    let columns = (2 * along + 1) as usize;
    let mean = |column: usize, axis: usize| {
        let rows = at.iter().skip(column).step_by(columns);
        rows.map(|place| place[axis]).sum::<f64>() / f64::from(across + 1)
    };
    let chord = |column: usize| libm::atan2(-mean(column, 1), mean(column, 0).abs());
    Ok((0.5 * (chord(0) + chord(columns - 1))).to_degrees())
}

/// The slope of the chord of an elastica of unit length that starts level and carries its weight
/// \[rad\]: shot from θ′(0) so that θ′(1) = 0.
fn elastica(q: f64) -> f64 {
    let shoot = |start: f64| {
        let (steps, mut angle, mut rate, mut at) = (4000, 0.0f64, start, [0.0, 0.0]);
        let h = 1.0 / f64::from(steps);
        for step in 0..steps {
            let s = (f64::from(step) + 0.5) * h;
            let middle = angle + 0.5 * h * rate;
            at = [at[0] + h * libm::cos(middle), at[1] + h * libm::sin(middle)];
            rate -= h * q * (1.0 - s) * libm::cos(middle);
            angle = middle + 0.5 * h * rate;
        }
        (rate, libm::atan2(at[1], at[0]))
    };
    let (mut low, mut high) = (0.0, q);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if shoot(middle).0 < 0.0 { low = middle } else { high = middle }
    }
    shoot(low).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peirce_reads_twice_the_bending_length_at_his_angle() {
        let angle = elastica(8.0).to_degrees();
        assert!((angle - 41.5).abs() < 1.0, "{angle}");
        // A light strip bends like a beam: its tip sinks by q/8.
        assert!((elastica(1e-3) - 1e-3 / 8.0).abs() < 1e-7);
    }
}
