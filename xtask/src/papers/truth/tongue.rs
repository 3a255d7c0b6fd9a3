//! The tongues of a strip that is slit are pulled apart: yarn after yarn tears, and the force falls with each.

use std::fmt::Write;
use std::path::Path;

use plotters::prelude::*;
use serde::Deserialize;

use crate::papers::bench::Bench;

/// Between crossings \[m\].
const SPACING: f64 = 1.0 / 1200.0;
const COLUMNS: u32 = 48;
const ROWS: u32 = 24;
/// Crossings that the slit is long.
const SLIT: u32 = 12;
/// Each particle of a tongue's end is pulled by such a spring \[N/m\]: the load cell.
const SPRING: f64 = 500.0;
/// How fast each tongue goes its way \[m/s\], and for how long \[s\].
const SPEED: f64 = 0.02;
const TIME: f64 = 2.0;
const RATE: f64 = 240.0;
const QUICK_FRAMES: u32 = 300;
/// Strength of the yarns, from and to \[N\].
const STRENGTH: [f64; 2] = [0.5, 0.6];
/// A peak of the force rises above what is beside it by so much \[N\].
const TOOTH: f64 = 0.02;

/// What a line of the report says of tears.
#[derive(Deserialize)]
struct Line {
    frays: Frays,
}

#[derive(Deserialize)]
struct Frays {
    torn: u32,
}

pub fn run(bench: &Bench) -> Result<String, String> {
    let quick = [format!("frames.count={QUICK_FRAMES}")];
    let sets = if bench.quick() { &quick[..] } else { &[] };
    bench.run_once(1, &bench.place("tongue.toml", &scene())?, sets)?;
    let forces = forces(&bench.frames_of_torn()?);
    let lines: Vec<Line> = bench.report()?;
    let torn: Vec<u32> = lines.iter().map(|line| line.frays.torn).collect();
    // The slit is cut in the first step.
    let (Some(first), Some(last)) = (torn.get(1), torn.last()) else {
        return Err("the run has no frames".into());
    };
    let begins = torn.iter().position(|count| count > first).ok_or("nothing tore")?;
    let peaks = peaks(&forces[begins.saturating_sub(1)..], TOOTH);
    let mean = peaks.iter().sum::<f64>() / peaks.len().max(1) as f64;
    let events = torn.windows(2).filter(|pair| pair[1] > pair[0]).count();
    let (file, link) = bench.beside_page("tongue-tear.svg")?;
    draw(&file, &forces).map_err(|error| error.to_string())?;
    let mut text = String::new();
    let _ = writeln!(
        text,
        "A strip of {:.0} × {:.0} mm and {COLUMNS} × {ROWS} yarns of {} to {} N, slit for a quarter of its length; the \
         tongues go apart at {:.0} mm/s each, by springs that are the load cell, and the other end follows along \
         the strip. (The standard takes 50 × 200 mm and 100 mm a minute, which is {:.0} s for this strip.) After the \
         slit {} spans of yarn tear, in {events} frames of 1/{RATE:.0} s; the first after {:.2} N. The force has {} \
         peaks, in the mean {mean:.2} N, {:.2} times the mean strength of a yarn: it tears one yarn at a time.\n\n\
         ![Force against the way of the tongues: a saw-tooth]({link})\n",
        1e3 * SPACING * f64::from(COLUMNS - 1),
        1e3 * SPACING * f64::from(ROWS - 1),
        STRENGTH[0],
        STRENGTH[1],
        SPEED * 1e3,
        2.0 * SPEED * TIME * 60.0 / 0.1,
        last - first,
        forces[..begins].iter().copied().fold(0.0, f64::max),
        peaks.len(),
        2.0 * mean / (STRENGTH[0] + STRENGTH[1]),
    );
    if peaks.len() < 3 {
        text.push_str("**No saw-tooth**: fewer than three peaks.\n");
    }
    Ok(text)
}

/// The right ends of both tongues: particles of the last column, above and below the slit.
fn ends() -> [Vec<u32>; 2] {
    let end = |row: u32| row * COLUMNS + COLUMNS - 1;
    [(0..ROWS / 2).map(end).collect(), (ROWS / 2..ROWS).map(end).collect()]
}

fn scene() -> String {
    let [length, width] = [COLUMNS, ROWS].map(|n| f64::from(n - 1) * SPACING);
    let middle = width / 2.0;
    let mut text = format!(
        "gravity = [0.0, 0.0, 0.0]\n[fabric]\ndensity = 0.25\nthickness = 1e-4\nstretch = 10000.0\n\
         stretch_damping = 1e-4\nshear = 100.0\nbend = 0.0\n[cloth]\njitter = 1e-6\n[cloth.sheet]\n\
         size = [{length}, {width}]\nparticles = [{COLUMNS}, {ROWS}]\n[[pin]]\nedge = \"left\"\n\
         slide_line = [1.0, 0.0, 0.0]\n[tear]\nstrength = {STRENGTH:?}\ngrip = 0.2\n[[tear.cut]]\nfrom = [{}, {middle}]\n\
         to = [{}, {middle}]\n[air]\n[integrator.implicit]\n[solver.direct]\n[step]\nmax = {}\n\
         max_stretch_change = 0.5\n[frames]\nrate = {RATE}\ncount = {}\n",
        length - (f64::from(SLIT) - 0.5) * SPACING,
        length + SPACING,
        1.000_001 / RATE,
        (RATE * TIME) as u32,
    );
    for (particles, way) in ends().into_iter().zip([SPEED, -SPEED]) {
        for particle in particles {
            let _ = write!(
                text,
                "[[pull]]\nparticle = {particle}\nstiffness = {SPRING}\ndamping = 0.05\n[[pull.key]]\n\
                 time = 0.0\n[[pull.key]]\ntime = {TIME}\nmove = [0.0, {}, 0.0]\n",
                way * TIME
            );
        }
    }
    text
}

/// The force on the tongue that goes up, in every frame \[N\].
fn forces(frames: &[Vec<[f64; 3]>]) -> Vec<f64> {
    let [upper, _] = ends();
    let of = |(frame, at): (usize, &Vec<[f64; 3]>)| {
        let way = SPEED * frame as f64 / RATE;
        upper.iter().map(|&k| SPRING * (way - at[k as usize][1])).sum()
    };
    frames.iter().enumerate().map(of).collect()
}

/// The heights of peaks that stand above the hollows on both sides by so much.
fn peaks(series: &[f64], tooth: f64) -> Vec<f64> {
    let (mut found, mut climbing) = (Vec::new(), true);
    let Some(&first) = series.first() else { return found };
    let (mut low, mut high) = (first, first);
    for &value in series {
        if climbing {
            high = high.max(value);
            if high - value >= tooth {
                found.push(high);
                (climbing, low) = (false, value);
            }
        } else {
            low = low.min(value);
            if value - low >= tooth {
                (climbing, high) = (true, value);
            }
        }
    }
    found
}

fn draw(file: &Path, forces: &[f64]) -> Result<(), Box<dyn std::error::Error>> {
    let root = SVGBackend::new(file, (960, 420)).into_drawing_area();
    root.fill(&WHITE)?;
    let way = |frame: usize| 2e3 * SPEED * frame as f64 / RATE;
    let most = forces.iter().copied().fold(0.1, f64::max);
    let mut chart = ChartBuilder::on(&root)
        .caption("Tongue tear: a yarn tears where the force falls", ("sans-serif", 20))
        .margin(16)
        .x_label_area_size(44)
        .y_label_area_size(60)
        .build_cartesian_2d(0.0..way(forces.len()), 0.0..1.1 * most)?;
    chart.configure_mesh().x_desc("distance of the tongues [mm]").y_desc("force [N]").draw()?;
    let points = forces.iter().enumerate().map(|(frame, force)| (way(frame), *force));
    let line: Vec<(f64, f64)> = points.collect();
    let style = RGBColor(30, 110, 190).stroke_width(2);
    chart.draw_series(std::iter::once(PathElement::new(line, style)))?;
    root.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn teeth_are_counted_and_ripples_are_not() {
        assert_eq!(peaks(&[0.0, 1.0, 0.5, 0.8, 0.79, 0.85, 0.2], 0.1), [1.0, 0.85]);
        assert!(peaks(&[0.0, 0.05, 0.0], 0.1).is_empty());
        assert!(peaks(&[], 0.1).is_empty());
    }
}
