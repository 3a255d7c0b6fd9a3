//! What is measured of a task's run when it is done.

use std::collections::BTreeMap;
use std::f64::consts::PI;
use std::path::Path;

use glam::DVec3;
use taffeta_io::FrameSource;
use taffeta_io::cache::CacheReader;
use taffeta_scene::format::{Bounds, Key, Kind, Reader, Section};

use crate::shadow;

pub const MEASURE: Section = Section {
    heading: "[measure]",
    doc: "What is measured of every task when it is done, each a column of the table.",
    keys: &[
        Key::new(
            "report",
            Kind::Texts,
            "Fields of the report of the last frame: `\"kinetic\"`, `\"frays.torn\"`.",
        )
        .or("[]"),
        Key::new(
            "worst",
            Kind::Texts,
            "Fields of the report whose largest value over all frames is wanted; the columns begin \
             with `worst_`.",
        )
        .or("[\"extension\"]"),
        Key::new(
            "heights",
            Kind::Flag,
            "Whether to measure the mean, lowest and highest y of the last frame.",
        )
        .or("false"),
        Key::new("torn", Kind::Flag, "Whether to count torn spans of yarn in the last frame.")
            .or("false"),
        Key::new(
            "drape",
            Kind::Number("m", Bounds::Above(0.0)),
            "Radius of the disc that the cloth lies on: measures the drape coefficient, which is 1 \
             for a plate and 0 for cloth that hangs straight down.",
        ),
        Key::new(
            "python",
            Kind::Texts,
            "Functions of Python, as `\"file.py:function\"`, that get a `taffeta.Run` and return a \
             number or a dict of numbers.",
        )
        .or("[]"),
    ],
};

/// Measures by name; what is not there is none.
pub type Measured = BTreeMap<String, Option<f64>>;

/// Whoever can call functions of Python.
pub trait Functions: Sync {
    /// What a function says of the run in a folder; files of functions start from `base`.
    fn call(&self, function: &str, base: &Path, run: &Path) -> Result<Vec<(String, f64)>, String>;
}

/// What is to be measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measures {
    /// Fields of the last frame's report.
    pub report: Vec<String>,
    /// Fields whose largest value is wanted.
    pub worst: Vec<String>,
    /// Whether heights are.
    pub heights: bool,
    /// Whether torn spans are.
    pub torn: bool,
    /// The radius of the disc under draped cloth \[m\].
    pub drape: Option<f64>,
    /// Functions of Python.
    pub python: Vec<String>,
}

impl Measures {
    pub(crate) fn read(measure: &Reader) -> Self {
        Self {
            report: measure.texts("report"),
            worst: measure.texts("worst"),
            heights: measure.flag("heights"),
            torn: measure.flag("torn"),
            drape: measure.optional_number("drape"),
            python: measure.texts("python"),
        }
    }

    /// The fields of the report that are needed.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &str> {
        let torn = self.torn.then_some("frays.torn");
        self.report.iter().chain(&self.worst).map(String::as_str).chain(torn)
    }

    /// Measures a run whose frames are all there.
    pub fn take(
        &self,
        reader: &mut CacheReader,
        (functions, base): (Option<&dyn Functions>, &Path),
    ) -> Result<Measured, String> {
        let mut measured = Measured::new();
        self.take_from_report(reader, &mut measured)?;
        let numbers = reader.numbers();
        let (first, last) = (*numbers.start(), *numbers.end());
        if self.heights {
            let heights: Vec<f64> = positions(reader, last)?.iter().map(|place| place.y).collect();
            let mean = heights.iter().sum::<f64>() / heights.len() as f64;
            measured.insert("height_mean".into(), Some(mean));
            let lowest = heights.iter().copied().fold(f64::INFINITY, f64::min);
            let highest = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            measured.insert("height_lowest".into(), Some(lowest));
            measured.insert("height_highest".into(), Some(highest));
        }
        if let Some(radius) = self.drape {
            let coefficient = drape_coefficient(reader, [first, last], radius)?;
            measured.insert("drape_coefficient".into(), Some(coefficient));
        }
        for function in &self.python {
            let functions = functions.ok_or_else(|| {
                format!(
                    "`{function}` is Python's: run the sweep with the command of the package \
                         `taffeta` from PyPI"
                )
            })?;
            let given = functions.call(function, base, reader.folder())?;
            measured.extend(given.into_iter().map(|(name, value)| (name, Some(value))));
        }
        Ok(measured)
    }

    fn take_from_report(&self, reader: &CacheReader, to: &mut Measured) -> Result<(), String> {
        let text = reader.report().map_err(|error| error.to_string())?;
        let lines: Result<Vec<serde_json::Value>, _> =
            text.lines().map(serde_json::from_str).collect();
        let lines = lines.map_err(|error| format!("the report cannot be read: {error}"))?;
        let last = lines.last().ok_or("the report is empty")?;
        for field in &self.report {
            to.insert(field.clone(), number(last, field)?);
        }
        for field in &self.worst {
            let values: Result<Vec<Option<f64>>, String> =
                lines.iter().map(|line| number(line, field)).collect();
            let worst = values?.into_iter().flatten().reduce(f64::max);
            to.insert(format!("worst_{field}"), worst);
        }
        if self.torn {
            to.insert("torn_spans".into(), number(last, "frays.torn")?);
        }
        Ok(())
    }
}

/// The number at a path in a line of the report; none where nothing is known.
pub(crate) fn number(line: &serde_json::Value, path: &str) -> Result<Option<f64>, String> {
    let mut at = line;
    for step in path.split('.') {
        at = at.get(step).ok_or_else(|| {
            let fields = at.as_object().map_or(String::new(), |fields| {
                let names: Vec<&str> = fields.keys().map(String::as_str).collect();
                format!("; there are {}", names.join(", "))
            });
            format!("the report has no field `{path}`{fields}")
        })?;
    }
    match at {
        serde_json::Value::Null => Ok(None),
        serde_json::Value::Number(number) => Ok(number.as_f64()),
        other => Err(format!("the field `{path}` of the report is no number: {other}")),
    }
}

fn positions(reader: &mut CacheReader, frame: u32) -> Result<Vec<DVec3>, String> {
    let (frame, _) = reader.frame(frame).map_err(|error| error.to_string())?;
    Ok(frame.snapshot.state.positions.clone())
}

/// The part of what hangs over a disc that its shadow still has: Cusick 1968, ISO 9073-9.
fn drape_coefficient(
    reader: &mut CacheReader,
    [first, last]: [u32; 2],
    radius: f64,
) -> Result<f64, String> {
    let (frame, topology) = reader.frame(first).map_err(|error| error.to_string())?;
    let at = |corner: u32| frame.snapshot.state.positions[corner as usize];
    let twice = |[a, b, c]: [u32; 3]| (at(b) - at(a)).cross(at(c) - at(a)).length();
    let whole = topology.faces.triangles().map(twice).sum::<f64>() / 2.0;
    let (frame, topology) = reader.frame(last).map_err(|error| error.to_string())?;
    let shadow = shadow::area(&frame.snapshot.state.positions, topology.faces.triangles());
    let disc = PI * radius * radius;
    if whole <= disc {
        return Err(format!(
            "the cloth has {whole:.4} m² and does not hang over a disc of radius {radius} m"
        ));
    }
    Ok((shadow - disc) / (whole - disc))
}
