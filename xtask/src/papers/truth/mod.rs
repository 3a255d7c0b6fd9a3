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

use super::bench::Bench;

/// Acceleration of gravity \[m/s²\].
const GRAVITY: f64 = 9.81;
/// The fabrics that have names: density \[kg/m²\], stiffness of warp and weft \[N/m\], bending of warp and
/// weft \[N·m\], as `docs/fabrics.md` has them.
const FABRICS: [Fabric; 6] = [
    Fabric {
        name: "canvas",
        density: 0.294,
        stretch: [10_500.0, 2840.0],
        bending: [185e-6, 124e-6],
    },
    Fabric { name: "cotton", density: 0.104, stretch: [4500.0, 2800.0], bending: [6.9e-6, 4.9e-6] },
    Fabric { name: "denim", density: 0.324, stretch: [8900.0, 8900.0], bending: [64e-6, 97e-6] },
    Fabric {
        name: "polyester",
        density: 0.128,
        stretch: [2000.0, 2030.0],
        bending: [52e-6, 31e-6],
    },
    Fabric { name: "silk", density: 0.083, stretch: [1790.0, 774.0], bending: [2.0e-6, 1.5e-6] },
    Fabric { name: "wool", density: 0.481, stretch: [2840.0, 2930.0], bending: [49e-6, 39e-6] },
];

/// What a preset of that name is made of.
struct Fabric {
    name: &'static str,
    density: f64,
    stretch: [f64; 2],
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
