//! From a figure to lines and words on a sheet; formats only draw these.

use super::figure::{Figure, Panel, Series};
use super::ticks::Axis;

/// A sheet with marks on it, in points from the upper left corner.
pub struct Sheet {
    pub size: [f64; 2],
    pub marks: Vec<Mark>,
}

/// A thing to draw.
pub enum Mark {
    Line { points: Vec<[f64; 2]>, width: f64, colour: u32 },
    Text { at: [f64; 2], words: String, anchor: Anchor, bold: bool },
}

/// Which part of a text is at its place; its middle line always is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// The height of letters.
pub const LETTER: f64 = 20.0;
const WIDTH: f64 = 960.0;
const PANEL: f64 = 300.0;
const LEFT: f64 = 110.0;
const RIGHT: f64 = 30.0;
const TOP: f64 = 50.0;
const HEAD: f64 = 38.0;
const GAP: f64 = 26.0;
const BOTTOM: f64 = 62.0;
const GRID: u32 = 0xdd_dd_dd;
const AXIS: u32 = 0x55_55_55;

/// Lays a figure out.
pub fn lay_out(figure: &Figure) -> Sheet {
    let count = figure.panels.len() as f64;
    let size = [WIDTH, TOP + count * (HEAD + PANEL) + (count - 1.0).max(0.0) * GAP + BOTTOM];
    let all = figure.panels.iter().flat_map(|panel| &panel.series).flat_map(|s| &s.points);
    let x_axis = Axis::over(all.map(|point| point[0]), 8);
    let mut sheet = Sheet { size, marks: Vec::new() };
    let title = figure.title.clone();
    sheet.text([WIDTH / 2.0, 26.0], title, Anchor::Middle, true);
    for (i, panel) in figure.panels.iter().enumerate() {
        let top = TOP + i as f64 * (HEAD + PANEL + GAP) + HEAD;
        let frame = Frame { top, x_axis: &x_axis, last: i + 1 == figure.panels.len() };
        sheet.panel(panel, &frame);
    }
    let middle = (LEFT + WIDTH - RIGHT) / 2.0;
    sheet.text([middle, size[1] - 18.0], figure.x_label.clone(), Anchor::Middle, false);
    sheet
}

/// Where a panel is.
struct Frame<'a> {
    top: f64,
    x_axis: &'a Axis,
    last: bool,
}

impl Frame<'_> {
    fn x(&self, value: f64) -> f64 {
        LEFT + self.x_axis.share(value) * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, axis: &Axis, value: f64) -> f64 {
        self.top + (1.0 - axis.share(value)) * PANEL
    }
}

impl Sheet {
    fn text(&mut self, at: [f64; 2], words: String, anchor: Anchor, bold: bool) {
        self.marks.push(Mark::Text { at, words, anchor, bold });
    }

    fn line(&mut self, points: Vec<[f64; 2]>, width: f64, colour: u32) {
        self.marks.push(Mark::Line { points, width, colour });
    }

    fn panel(&mut self, panel: &Panel, frame: &Frame) {
        let values = panel.series.iter().flat_map(|series| &series.points).map(|point| point[1]);
        let axis = Axis::over(values, 5);
        self.grid(&axis, frame);
        for series in &panel.series {
            self.curve(series, &axis, frame);
        }
        let (top, bottom, right) = (frame.top, frame.top + PANEL, WIDTH - RIGHT);
        let border = vec![[LEFT, top], [right, top], [right, bottom], [LEFT, bottom], [LEFT, top]];
        self.line(border, 1.0, AXIS);
        self.text([LEFT, top - 18.0], panel.y_label.clone(), Anchor::Start, false);
        self.names(&panel.series, top - 18.0);
    }

    fn grid(&mut self, axis: &Axis, frame: &Frame) {
        let (bottom, right) = (frame.top + PANEL, WIDTH - RIGHT);
        for &tick in &axis.ticks {
            let y = frame.y(axis, tick);
            self.line(vec![[LEFT, y], [right, y]], 1.0, GRID);
            self.text([LEFT - 10.0, y], axis.text(tick), Anchor::End, false);
        }
        for &tick in &frame.x_axis.ticks {
            let x = frame.x(tick);
            self.line(vec![[x, frame.top], [x, bottom]], 1.0, GRID);
            if frame.last {
                let words = frame.x_axis.text(tick);
                self.text([x, bottom + 18.0], words, Anchor::Middle, false);
            }
        }
    }

    /// A curve in as many pieces as its points that are not finite leave.
    fn curve(&mut self, series: &Series, axis: &Axis, frame: &Frame) {
        let broken = |point: &[f64; 2]| !point.iter().all(|value| value.is_finite());
        for piece in series.points.split(broken).filter(|piece| !piece.is_empty()) {
            let mut points: Vec<[f64; 2]> =
                piece.iter().map(|&[x, y]| [frame.x(x), frame.y(axis, y)]).collect();
            if let [only] = points[..] {
                points.push([only[0] + 0.1, only[1]]);
            }
            self.line(points, 2.5, series.colour);
        }
    }

    /// The names of curves, from the right, each after a piece of its line.
    fn names(&mut self, series: &[Series], y: f64) {
        let mut right = WIDTH - RIGHT;
        for one in series.iter().rev() {
            let width = one.name.chars().count() as f64 * LETTER * 0.6;
            self.text([right, y], one.name.clone(), Anchor::End, false);
            right -= width + 34.0;
            self.line(vec![[right, y], [right + 24.0, y]], 3.0, one.colour);
            right -= 18.0;
        }
    }
}
