//! The chart: both axes logarithmic, a colour for each method, what others need beside it.

use std::path::Path;

use plotters::coord::Shift;
use plotters::prelude::*;

use super::Measured;

/// What other simulators need on the 41 × 41 square, on one core of a server processor: name,
/// milliseconds a frame and worst strain, more than once where more than one was measured.
const OTHERS: [(&str, &[(f64, f64)]); 4] = [
    ("Blender 5.0", &[(64.0, 0.1), (147.0, 0.01), (1100.0, 0.001)]),
    ("PositionBasedDynamics 2.2", &[(15.0, 0.1), (138.0, 0.01)]),
    ("Newton 1.7 XPBD", &[(90.0, 0.1), (287.0, 0.01)]),
    ("Rapier 0.36", &[(48.0, 0.1), (600.0, 0.01)]),
];

const COLOURS: [RGBColor; 8] = [
    RGBColor(200, 30, 90),
    RGBColor(30, 110, 190),
    RGBColor(20, 140, 80),
    RGBColor(220, 130, 20),
    RGBColor(120, 70, 170),
    RGBColor(90, 90, 90),
    RGBColor(0, 160, 170),
    RGBColor(150, 110, 60),
];

/// Draws what was found; hollow marks are settings whose motion is wrong.
pub fn draw(file: &Path, side: u32, found: &[Measured]) -> Result<(), String> {
    let root = SVGBackend::new(file, (960, 640)).into_drawing_area();
    draw_on(&root, side, found).map_err(|error| error.to_string())
}

fn draw_on(
    root: &DrawingArea<SVGBackend<'_>, Shift>,
    side: u32,
    found: &[Measured],
) -> Result<(), Box<dyn std::error::Error>> {
    root.fill(&WHITE)?;
    let title = format!("A hanging square of {side} × {side}: worst strain against time");
    let mut chart = ChartBuilder::on(root)
        .caption(title, ("sans-serif", 22))
        .margin(16)
        .x_label_area_size(44)
        .y_label_area_size(70)
        .build_cartesian_2d((0.5..5000.0).log_scale(), (0.003..100.0).log_scale())?;
    chart
        .configure_mesh()
        .x_desc("milliseconds of processor time a frame (one thread)")
        .y_desc("worst strain of an edge from frame 30 on [%]")
        .x_label_formatter(&|x| format!("{x}"))
        .y_label_formatter(&|y| format!("{y}"))
        .draw()?;
    let mut methods: Vec<&str> = found.iter().map(|one| one.method).collect();
    methods.dedup();
    for (method, colour) in methods.into_iter().zip(COLOURS.into_iter().cycle()) {
        let marks = found.iter().filter(|one| one.method == method).map(|one| {
            let style =
                if one.motion_is_right() { colour.filled() } else { colour.stroke_width(2) };
            Circle::new((one.milliseconds, one.strain * 100.0), 5, style)
        });
        chart
            .draw_series(marks)?
            .label(method)
            .legend(move |(x, y)| Circle::new((x + 10, y), 5, colour.filled()));
    }
    let others = if side == 41 { &OTHERS[..] } else { &[] };
    for (shade, &(name, points)) in (0_u8..).zip(others) {
        let grey = RGBColor(60 + 50 * shade, 60 + 50 * shade, 60 + 50 * shade);
        let marks = points.iter().map(|&(milliseconds, strain)| {
            TriangleMarker::new((milliseconds, strain * 100.0), 6, grey.filled())
        });
        chart
            .draw_series(marks)?
            .label(name)
            .legend(move |(x, y)| TriangleMarker::new((x + 10, y), 6, grey.filled()));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .background_style(WHITE.mix(0.9))
        .border_style(BLACK)
        .draw()?;
    root.present()?;
    Ok(())
}
