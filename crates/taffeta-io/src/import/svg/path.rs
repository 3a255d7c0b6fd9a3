//! The outline that a path draws: its pieces as edges of a panel, each a curve from corner to corner.

use glam::{DAffine2, DVec2};
use svgtypes::{PathParser, PathSegment};
use taffeta_garment::{Curve, PanelEdge};

use super::super::Fault;

/// Ends nearer than this share of the outline's size are one: rounding of who wrote the file.
const SAME: f64 = 1e-6;

/// Points of an edge that say where the outline is.
const LOOKS: usize = 16;

/// A closed way in an element's own coordinates.
pub(super) struct Drawn {
    start: DVec2,
    pieces: Vec<Piece>,
}

/// From where the piece before ends to `to`.
struct Piece {
    to: DVec2,
    way: Way,
}

enum Way {
    Line,
    Quadratic(DVec2),
    Cubic([DVec2; 2]),
    Arc(Arc),
}

#[derive(Clone, Copy)]
struct Arc {
    radii: DVec2,
    large: bool,
    sweep: bool,
}

/// The outline of a panel.
pub(super) struct Outline {
    /// Counter-clockwise; each has the number it is drawn in as its name.
    pub edges: Vec<PanelEdge>,
    /// The middle of its box \[m\].
    pub middle: DVec2,
}

impl Drawn {
    /// Corners joined by lines.
    pub fn polygon(corners: &[DVec2]) -> Self {
        let start = corners.first().copied().unwrap_or_default();
        let line = |to: &DVec2| Piece { to: *to, way: Way::Line };
        let mut drawn = Self { start, pieces: corners.iter().skip(1).map(line).collect() };
        drawn.close();
        drawn
    }

    /// A circle of four quarters.
    pub fn circle(middle: DVec2, radius: f64) -> Self {
        let arc = Arc { radii: DVec2::splat(radius), large: false, sweep: true };
        let at = |direction: DVec2| middle + radius * direction;
        let ends = [DVec2::Y, DVec2::NEG_X, DVec2::NEG_Y, DVec2::X];
        let piece = |end: DVec2| Piece { to: at(end), way: Way::Arc(arc) };
        Self { start: at(DVec2::X), pieces: ends.map(piece).into() }
    }

    fn end(&self) -> DVec2 {
        self.pieces.last().map_or(self.start, |piece| piece.to)
    }

    fn is_closed(&self) -> bool {
        let ends = self.pieces.iter().map(|piece| piece.to.distance(self.start));
        self.end().distance(self.start) <= SAME * ends.fold(0.0, f64::max)
    }

    /// Goes back to the start in a line, unless it is there.
    fn close(&mut self) {
        if !self.is_closed() {
            self.pieces.push(Piece { to: self.start, way: Way::Line });
        } else if let Some(last) = self.pieces.last_mut() {
            last.to = self.start;
        }
    }

    /// The panel's outline, with all of it moved and scaled so.
    pub fn outline(&self, place: DAffine2) -> Result<Outline, Fault> {
        let (mut edges, mut from) = (Vec::with_capacity(self.pieces.len()), self.start);
        for (number, piece) in self.pieces.iter().enumerate() {
            let ends = [from, piece.to].map(|end| place.transform_point2(end));
            let curve = piece.way.placed(ends, place)?;
            edges.push((number.to_string(), ends, curve));
            from = piece.to;
        }
        let points = |(_, ends, curve): &(String, [DVec2; 2], Curve)| {
            (0..LOOKS).map(|i| curve.at(*ends, i as f64 / LOOKS as f64)).collect::<Vec<DVec2>>()
        };
        let way: Vec<DVec2> = edges.iter().flat_map(points).collect();
        let next = way.iter().cycle().skip(1);
        let area: f64 = way.iter().zip(next).map(|(a, b)| a.perp_dot(*b)).sum();
        if area < 0.0 {
            edges.reverse();
            edges.iter_mut().for_each(|(_, ends, curve)| {
                ends.reverse();
                *curve = reversed(curve);
            });
        }
        let low = way.iter().copied().fold(DVec2::INFINITY, DVec2::min);
        let high = way.iter().copied().fold(DVec2::NEG_INFINITY, DVec2::max);
        let edge =
            |(name, [from, _], curve): (String, [DVec2; 2], Curve)| PanelEdge { name, from, curve };
        Ok(Outline { edges: edges.into_iter().map(edge).collect(), middle: low.midpoint(high) })
    }
}

impl Way {
    fn placed(&self, ends: [DVec2; 2], place: DAffine2) -> Result<Curve, Fault> {
        Ok(match self {
            Self::Line => Curve::Line,
            Self::Quadratic(c) => Curve::Quadratic(place.transform_point2(*c)),
            Self::Cubic(controls) => Curve::Cubic(controls.map(|c| place.transform_point2(c))),
            Self::Arc(arc) => arc.placed(ends, place)?,
        })
    }
}

impl Arc {
    fn placed(&self, ends: [DVec2; 2], place: DAffine2) -> Result<Curve, Fault> {
        let [x, y] = [place.matrix2.x_axis, place.matrix2.y_axis];
        let even = |a: f64, b: f64| (a - b).abs() <= 1e-3 * a.abs().max(b.abs());
        let skewed = x.dot(y).abs() > 1e-3 * x.length() * y.length();
        if !even(self.radii.x, self.radii.y) || !even(x.length(), y.length()) || skewed {
            let what = "an arc of an ellipse".into();
            return Err(Fault::Unsupported { what, instead: "turn it into Bézier curves" });
        }
        // Too small a circle is made to reach (SVG 2 §9.5.1).
        let radius = (self.radii.x.abs() * x.length()).max(0.5 * ends[0].distance(ends[1]));
        // A positive sweep is clockwise where y points down, and stays so if it is turned over.
        let right = self.sweep == (x.perp_dot(y) > 0.0);
        Ok(Curve::circle(ends, radius, self.large, right).unwrap_or(Curve::Line))
    }
}

/// The same curve from its other end.
fn reversed(curve: &Curve) -> Curve {
    match *curve {
        Curve::Line => Curve::Line,
        Curve::Arc(height) => Curve::Arc(-height),
        Curve::Quadratic(control) => Curve::Quadratic(control),
        Curve::Cubic([c, d]) => Curve::Cubic([d, c]),
    }
}

/// The same curve elsewhere.
pub(super) fn moved(curve: &Curve, by: DVec2) -> Curve {
    match *curve {
        Curve::Line => Curve::Line,
        Curve::Arc(height) => Curve::Arc(height),
        Curve::Quadratic(control) => Curve::Quadratic(control + by),
        Curve::Cubic(controls) => Curve::Cubic(controls.map(|control| control + by)),
    }
}

/// The way that a path's data draws, if it is closed.
pub(super) fn read(data: &str) -> Result<Option<Drawn>, Fault> {
    let mut pen = Pen::default();
    for segment in PathParser::from(data) {
        let segment = segment.map_err(|error| Fault::malformed(format!("its path: {error}")))?;
        pen.segment(segment);
    }
    let closed = |drawn: &Drawn| drawn.is_closed() && !drawn.pieces.is_empty();
    let mut outlines: Vec<Drawn> =
        pen.done.into_iter().filter(|one| !one.pieces.is_empty()).collect();
    match outlines.len() {
        0 => Ok(None),
        1 => Ok(outlines.pop().filter(closed)),
        count => {
            let what = format!("a path of {count} outlines");
            Err(Fault::Unsupported {
                what,
                instead: "a panel has one, without holes: break it apart",
            })
        }
    }
}

/// What has been drawn, and where the pen is.
#[derive(Default)]
struct Pen {
    done: Vec<Drawn>,
    at: DVec2,
    /// The control point that a smooth piece goes on from, of a cubic or a quadratic curve.
    cubic: Option<DVec2>,
    quadratic: Option<DVec2>,
}

impl Pen {
    fn segment(&mut self, segment: PathSegment) {
        let at = self.at;
        let base = |abs: bool| if abs { DVec2::ZERO } else { at };
        let point = |abs, x, y| base(abs) + DVec2::new(x, y);
        let (cubic, quadratic) = (self.cubic, self.quadratic);
        // A smooth piece begins as the mirror image of how the one before ended.
        let mirror = |control: Option<DVec2>| control.map_or(at, |control| 2.0 * at - control);
        match segment {
            PathSegment::MoveTo { abs, x, y } => self.start(point(abs, x, y)),
            PathSegment::LineTo { abs, x, y } => self.go(point(abs, x, y), Way::Line),
            PathSegment::HorizontalLineTo { abs, x } => {
                self.go(DVec2::new(base(abs).x + x, at.y), Way::Line);
            }
            PathSegment::VerticalLineTo { abs, y } => {
                self.go(DVec2::new(at.x, base(abs).y + y), Way::Line);
            }
            PathSegment::CurveTo { abs, x1, y1, x2, y2, x, y } => {
                let (c, d, to) = (point(abs, x1, y1), point(abs, x2, y2), point(abs, x, y));
                self.go(to, Way::Cubic([c, d]));
            }
            PathSegment::SmoothCurveTo { abs, x2, y2, x, y } => {
                let (d, to) = (point(abs, x2, y2), point(abs, x, y));
                self.go(to, Way::Cubic([mirror(cubic), d]));
            }
            PathSegment::Quadratic { abs, x1, y1, x, y } => {
                let (c, to) = (point(abs, x1, y1), point(abs, x, y));
                self.go(to, Way::Quadratic(c));
            }
            PathSegment::SmoothQuadratic { abs, x, y } => {
                let to = point(abs, x, y);
                self.go(to, Way::Quadratic(mirror(quadratic)));
            }
            PathSegment::EllipticalArc { abs, rx, ry, large_arc: large, sweep, x, y, .. } => {
                let (to, radii) = (point(abs, x, y), DVec2::new(rx, ry));
                // Without a radius it is a line (SVG 2 §9.5.1).
                let flat = rx == 0.0 || ry == 0.0;
                self.go(to, if flat { Way::Line } else { Way::Arc(Arc { radii, large, sweep }) });
            }
            PathSegment::ClosePath { .. } => self.close(),
        }
    }

    fn start(&mut self, at: DVec2) {
        self.done.push(Drawn { start: at, pieces: Vec::new() });
        (self.at, self.cubic, self.quadratic) = (at, None, None);
    }

    fn go(&mut self, to: DVec2, way: Way) {
        if self.done.is_empty() {
            self.start(self.at);
        }
        self.cubic = if let Way::Cubic([_, d]) = &way { Some(*d) } else { None };
        self.quadratic = if let Way::Quadratic(c) = &way { Some(*c) } else { None };
        if let Some(drawn) = self.done.last_mut() {
            drawn.pieces.push(Piece { to, way });
        }
        self.at = to;
    }

    /// Goes back to the start of the outline; what follows without a move begins another there.
    fn close(&mut self) {
        let Some(drawn) = self.done.last_mut() else { return };
        drawn.close();
        let start = drawn.start;
        self.start(start);
    }
}
