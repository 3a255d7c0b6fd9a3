//! Cloth against the laws of physics and the tests of textile laboratories, each from runs of the
//! simulator.

mod cantilever;
mod catenary;
mod disc;
mod drape;
mod friction;
mod pendulum;
mod pull;
mod tongue;

use serde::Deserialize;

use super::bench::Bench;

/// Acceleration of gravity \[m/s²\].
const GRAVITY: f64 = 9.81;

/// What a fabric that has a name is made of, as the program says.
#[derive(Deserialize)]
struct Fabric {
    name: String,
    /// \[kg/m²\]
    density: f64,
    /// Of warp and weft \[N/m\].
    stretch: [f64; 2],
    /// Of warp and weft \[N·m\].
    bending: [f64; 2],
}

impl Fabric {
    /// Peirce's bending lengths c = (B/w)^⅓ along warp and weft \[m\], w being the weight of an area.
    fn bending_lengths(&self) -> [f64; 2] {
        self.bending.map(|bending| libm::cbrt(bending / (self.density * GRAVITY)))
    }
}

/// All of them; one that cannot be run says so in its place.
pub fn run(bench: &Bench) -> Result<String, String> {
    let mut text = bench.stamp("1 thread");
    text.push_str("\nEach figure is measured from the frames of a run; the scenes are in `xtask/src/papers/truth/`.\n");
    type Experiment = fn(&Bench) -> Result<String, String>;
    let experiments: [(&str, Experiment); 7] = [
        ("Cantilever (Peirce 1930)", cantilever::run),
        ("Catenary", catenary::run),
        ("Pendulum", pendulum::run),
        ("Friction", friction::run),
        ("Uniaxial pull", pull::run),
        ("Drape (Cusick)", drape::run),
        ("Tongue tear (after ISO 13937-2)", tongue::run),
    ];
    for (title, experiment) in experiments {
        let found = experiment(bench).unwrap_or_else(|problem| {
            println!("{title}: {problem}");
            format!("**Not measured**: {problem}")
        });
        text.push_str(&format!("\n### {title}\n{}\n", found.trim()));
    }
    Ok(text)
}

/// The last frame of a run.
fn last(frames: Vec<Vec<[f64; 3]>>) -> Result<Vec<[f64; 3]>, String> {
    frames.into_iter().next_back().ok_or_else(|| "the run has no frames".into())
}

/// By how many per cent a figure is off what it should be.
fn off(found: f64, expected: f64) -> f64 {
    100.0 * (found / expected - 1.0)
}
