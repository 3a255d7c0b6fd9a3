//! A strip is pulled along its warp or its weft: force over strain against the fabric's stiffness.

use std::fmt::Write;

use super::{Fabric, last, off};
use crate::papers::bench::Bench;

/// Width and length of the strip, and particles along them.
const SIZE: [f64; 2] = [0.05, 0.2];
const PARTICLES: [u32; 2] = [11, 41];
/// Each particle of an end is pulled by a spring of so many N/m, so far \[m\]: the load cell.
const SPRING: f64 = 1000.0;
const PULLED: f64 = 0.004;

pub fn run(bench: &Bench) -> Result<String, String> {
    let mut text = String::from(
        "A strip of 50 × 200 mm, one end held, the other pulled by springs that are the load cell: force for a \
         width, over the strain of its middle half.\n\n\
         | fabric | warp N/m | measured | off | weft N/m | measured | off |\n|---|---|---|---|---|---|---|\n",
    );
    for fabric in &bench.fabrics::<Fabric>(3)? {
        let [warp, weft] = [false, true].map(|weft| measured(bench, &fabric.name, weft));
        let (warp, weft) = (warp?, weft?);
        let _ = writeln!(
            text,
            "| `{}` | {} | {warp:.0} | {:+.2} % | {} | {weft:.0} | {:+.2} % |",
            fabric.name,
            fabric.stretch[0],
            off(warp, fabric.stretch[0]),
            fabric.stretch[1],
            off(weft, fabric.stretch[1])
        );
    }
    Ok(text)
}

/// Stiffness \[N/m\] along the warp, which is x, or the weft.
fn measured(bench: &Bench, fabric: &str, weft: bool) -> Result<f64, String> {
    let turned = |[across, along]: [f64; 2]| if weft { [across, along] } else { [along, across] };
    let [columns, rows] = turned(PARTICLES.map(f64::from)).map(|n| n as u32);
    let [x, z] = turned(SIZE);
    let (held, way) = if weft { ("top", [0.0, 0.0, PULLED]) } else { ("left", [PULLED, 0.0, 0.0]) };
    let mut scene = format!(
        "gravity = [0.0, 0.0, 0.0]\n[fabric]\npreset = \"{fabric}\"\n[cloth.sheet]\nsize = [{x}, {z}]\n\
         particles = [{columns}, {rows}]\n[[pin]]\nedge = \"{held}\"\n[model.continuum]\n\
         [integrator.implicit]\n[solver.direct]\n[frames]\nrate = 10.0\ncount = 30\n"
    );
    // Particles of the pulled end, and of two lines a quarter from the ends, across the strip.
    let [across, along] = PARTICLES;
    let line = |n: u32| -> Vec<u32> {
        (0..across).map(|k| if weft { n * columns + k } else { k * columns + n }).collect()
    };
    for particle in line(along - 1) {
        let _ = write!(
            scene,
            "[[pull]]\nparticle = {particle}\nstiffness = {SPRING}\ndamping = 1.0\nease = \"smooth\"\n\
             [[pull.key]]\ntime = 0.0\n[[pull.key]]\ntime = 1.0\nmove = {way:?}\n"
        );
    }
    bench.run_once(1, &bench.place("pull.toml", &scene)?, &[])?;
    let at = last(bench.frames()?)?;
    let axis = if weft { 2 } else { 0 };
    let mean = |n: u32| {
        let line = line(n);
        line.iter().map(|&k| at[k as usize][axis]).sum::<f64>() / f64::from(across)
    };
    let end = SIZE[1] / 2.0 + PULLED;
    let force = SPRING * f64::from(across) * (end - mean(along - 1));
    let (near, far) = (along / 4, 3 * (along / 4));
    let rest = SIZE[1] * f64::from(far - near) / f64::from(along - 1);
    let strain = (mean(far) - mean(near)) / rest - 1.0;
    Ok(force / SIZE[0] / strain)
}
