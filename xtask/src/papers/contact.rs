//! What contact costs, and how that grows with the mesh: squares lie on each other and fall over a
//! cylinder, so that as much of the cloth touches at every size.

use std::fmt::Write;

use serde::Deserialize;

use super::bench::{Bench, Summary};
use super::figure::{Account, Figure};

/// Squares on each other.
const LAYERS: u32 = 2;
/// Particles along the sides of each, from about 5,000 triangles to 100,000.
const SIDES: [u32; 4] = [36, 71, 113, 159];
/// What the time of contact may grow with, as a power of the triangles.
const GROWTH_ASKED: f64 = 1.3;
/// From one square to the next: height \[m\], and turn (cosine and sine of a tenth), so that no
/// edges lie on edges.
const LIFT: f64 = 0.0012;
const TURN: [f64; 2] = [0.995_004_165_278_025_8, 0.099_833_416_646_828_15];

const SCENE: &str = r#"# Made by `cargo xtask papers contact`: squares on each other fall over a cylinder.

[fabric]
density = 0.2
stretch = 4000.0
shear = 50.0
bending = 1e-5
stretch_damping = 1e-3

[cloth.mesh]
file = "stack.obj"

[[solid]]
position = [0.0, -0.155, 0.0]
thickness = 0.003

[solid.cylinder]
radius = 0.15
length = 0.3

[contact]
self = true
thickness = 1e-3

[model.continuum]

[integrator.implicit]

[step]
max = 0.016667

[frames]
rate = 60.0
count = 1
"#;

/// A line of the report, as far as it is needed.
#[derive(Deserialize)]
struct Line {
    steps: u64,
    rejected: u64,
    seconds: std::collections::BTreeMap<String, f64>,
    contact: Option<Pairs>,
}

#[derive(Deserialize)]
struct Pairs {
    pairs: u64,
    contacts: u64,
}

/// What a step costs on the average.
struct Cost {
    pairs: f64,
    contacts: f64,
    /// \[s\]
    detect: f64,
    respond: f64,
    all: f64,
}

pub fn run(bench: &Bench) -> Result<Vec<Figure>, String> {
    let mut text = format!(
        "# Contact: cost against triangles\n\n{LAYERS} squares \
         of 0.5 m, {:.1} mm apart, land on a cylinder within the first frame, and lie on each other everywhere. Times are \
         by the clock, for each step, the least of two runs; pairs are those near enough to be followed, \
         contacts those that impulses are solved for. {}\n\n\
         | triangles | pairs | contacts | detect ms | respond ms | of the step % | step ms | without self-contact ms | more % |\n\
         |---|---|---|---|---|---|---|---|---|\n",
        LIFT * 1e3,
        bench.stamp("1 thread")
    );
    let mut table =
        String::from("triangles,pairs,contacts,detect_s,respond_s,step_s,step_without_s\n");
    let mut rows = Vec::new();
    for &side in bench.some(&SIDES, 2) {
        let scene = bench.place("stack.toml", SCENE)?;
        bench.place("stack.obj", &stack(side))?;
        let measure = |own: bool| least_cost(bench, &scene, own);
        let (with, without) = (measure(true)?, measure(false)?);
        let triangles = LAYERS * 2 * (side - 1) * (side - 1);
        let contact = with.detect + with.respond;
        let _ = writeln!(
            text,
            "| {triangles} | {:.0} | {:.0} | {:.2} | {:.2} | {:.1} | {:.1} | {:.1} | {:.0} |",
            with.pairs,
            with.contacts,
            with.detect * 1e3,
            with.respond * 1e3,
            100.0 * contact / with.all,
            with.all * 1e3,
            without.all * 1e3,
            (with.all / without.all - 1.0) * 100.0,
        );
        let _ = writeln!(
            table,
            "{triangles},{},{},{},{},{},{}",
            with.pairs, with.contacts, with.detect, with.respond, with.all, without.all
        );
        rows.push((f64::from(triangles), with));
    }
    let mut account = Account { text, ..Account::default() };
    growth(&rows, &mut account)?;
    bench.write("scaling.csv", &table)?;
    bench.write("results.md", &account.text)?;
    Ok(account.figures)
}

/// The powers of the triangles with which times grow.
fn growth(rows: &[(f64, Cost)], text: &mut Account) -> Result<(), String> {
    let [first, .., last] = rows else { return Err("nothing was measured".into()) };
    let power =
        |of: fn(&Cost) -> f64| (of(&last.1) / of(&first.1)).log2() / (last.0 / first.0).log2();
    let _ = writeln!(
        text,
        "\nFrom the first to the last, detection grows with the power {:.2} of the triangles, \
         response with {:.2}, both together with {:.2}, pairs with {:.2}, the whole step with {:.2}.",
        power(|cost| cost.detect),
        power(|cost| cost.respond),
        power(|cost| cost.detect + cost.respond),
        power(|cost| cost.pairs),
        power(|cost| cost.all),
    );
    let own = power(|cost| cost.detect + cost.respond);
    text.figures.push(Figure::told(
        format!("power of the triangles that contact grows with, {} to {}", first.0, last.0),
        "–",
        format!("{own:.2}"),
        (own > GROWTH_ASKED).then(|| format!("we ask for {GROWTH_ASKED}")),
    ));
    Ok(())
}

/// The cheaper of two runs, for others use the machine too.
fn least_cost(bench: &Bench, scene: &str, own: bool) -> Result<Cost, String> {
    let (first, second) = (cost(bench, scene, own)?, cost(bench, scene, own)?);
    Ok(if first.all <= second.all { first } else { second })
}

/// Runs the scene, with contact of the cloth with itself or without.
fn cost(bench: &Bench, scene: &str, own: bool) -> Result<Cost, String> {
    let sets = [format!("contact.self={own}")];
    let _: Summary = bench.run_once(1, scene, &sets)?;
    let lines: Vec<Line> = bench.report()?;
    let measured = lines.get(1..).unwrap_or_default();
    let steps = measured.iter().map(|line| line.steps + line.rejected).sum::<u64>() as f64;
    let mean = |of: &dyn Fn(&Line) -> f64| measured.iter().map(of).sum::<f64>() / steps;
    let phase = |name: &'static str| {
        mean(&move |line: &Line| line.seconds.get(name).copied().unwrap_or_default())
    };
    let pairs = |line: &Line| line.contact.as_ref().map_or(0, |contact| contact.pairs) as f64;
    let contacts = |line: &Line| line.contact.as_ref().map_or(0, |contact| contact.contacts) as f64;
    Ok(Cost {
        pairs: mean(&pairs),
        contacts: mean(&contacts),
        detect: phase("detect"),
        respond: phase("respond"),
        all: mean(&|line| line.seconds.values().sum()),
    })
}

/// The squares as an OBJ file.
fn stack(side: u32) -> String {
    let mut text = String::new();
    for layer in 0..LAYERS {
        let [cosine, sine] = if layer % 2 == 0 { [1.0, 0.0] } else { TURN };
        for k in 0..side * side {
            let along = |i: u32| 0.5 * f64::from(i) / f64::from(side - 1) - 0.25;
            let (x, z) = (along(k % side), along(k / side));
            let y = LIFT * f64::from(layer);
            let _ = writeln!(text, "v {} {y} {}", x * cosine - z * sine, x * sine + z * cosine);
        }
    }
    for layer in 0..LAYERS {
        for k in 0..(side - 1) * (side - 1) {
            let a = layer * side * side + k / (side - 1) * side + k % (side - 1) + 1;
            let _ = writeln!(text, "f {a} {} {}", a + side, a + 1);
            let _ = writeln!(text, "f {} {} {}", a + 1, a + side, a + side + 1);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_has_its_corners_and_triangles() {
        let text = stack(3);
        let count = |kind: &str| text.lines().filter(|line| line.starts_with(kind)).count();
        assert_eq!(count("v "), 9 * LAYERS as usize);
        assert_eq!(count("f "), 8 * LAYERS as usize);
        let corners = text.lines().filter_map(|line| line.strip_prefix("f "));
        let numbers = corners.flat_map(|line| line.split(' ').map(|n| n.parse::<u32>().unwrap()));
        assert_eq!(numbers.clone().max(), Some(9 * LAYERS));
        assert_eq!(numbers.min(), Some(1));
    }

    #[test]
    fn growth_is_told_in_powers() {
        let cost = |all: f64| Cost { pairs: all, contacts: 1.0, detect: all, respond: all, all };
        let mut account = Account::default();
        growth(&[(10.0, cost(1.0)), (1000.0, cost(1000.0))], &mut account).unwrap();
        let text = account.text;
        assert!(text.contains("detection grows with the power 1.50"), "{text}");
    }
}
