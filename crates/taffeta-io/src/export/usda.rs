//! USD as text: a mesh for each cloth and solid, with time-sampled points, normals and velocities, quads kept; and the yarns
//! of woven cloth that can tear as curves.
//!
//! A time code is a frame number, of the run or of the program that is to read the file. The file is streamed attribute by attribute, which takes one
//! pass over the frames for each; no more than one frame is held at a time.

use std::fmt::Write;
use std::path::Path;

use glam::{DVec3, Vec3};
use taffeta::Frame;

use super::normals::vertex_normals;
use super::objects::{Single, objects};
use super::output::Output;
use super::seams::SeamPoints;
use super::singles::{bounds, singles};
use super::yarns::Curves;
use super::{ExportError, Exported, frames};
use crate::FrameSource;

/// Normals are for shading only; more decimals would double their share of the file.
const NORMAL_STEP: f64 = 1e-4;

const ST_INTERPOLATION: &str = r#"        texCoord2f[] primvars:st (
            interpolation = "faceVarying"
        )
"#;

pub(super) fn write(source: &mut dyn FrameSource, to: &Path) -> Result<Exported, ExportError> {
    let count = frames::count(source)?;
    let mut output = Output::create(to)?;
    output.write(header(source).as_bytes())?;
    for object in objects(source, "mesh")? {
        let mut source = Single::new(source, &object);
        let topology = topology_frames(&mut source)?;
        Stage { output: &mut output, topology, source: &mut source }.mesh(&object.name)?;
    }
    let topology = topology_frames(source)?;
    Stage { output: &mut output, topology, source }.yarns()?;
    output.write(b"}\n")?;
    Ok(Exported { files: vec![output.finish()?], frames: count })
}

/// The time code of a frame: its number, where the reader has as many frames a second.
fn time_code(source: &dyn FrameSource, number: u32) -> f64 {
    match source.codes_per_second() / source.rate() {
        1.0 => number.into(),
        _ => f64::from(number) * source.codes_per_second() / source.rate(),
    }
}

fn header(source: &dyn FrameSource) -> String {
    let (numbers, rate, up) = (source.numbers(), source.codes_per_second(), source.up().name());
    let [first, last] = [numbers.start(), numbers.end()].map(|number| time_code(source, *number));
    format!(
        r#"#usda 1.0
(
    defaultPrim = "cloth"
    doc = "Cloth simulated by Taffeta"
    endTimeCode = {last}
    framesPerSecond = {rate}
    metersPerUnit = 1
    startTimeCode = {first}
    timeCodesPerSecond = {rate}
    upAxis = "{up}"
)

def Xform "cloth" (
    kind = "component"
)
{{
"#
    )
}

fn mesh_header(name: &str) -> String {
    format!(
        r#"    def Mesh "{name}"
    {{
        uniform bool doubleSided = 1
        uniform token orientation = "rightHanded"
        uniform token subdivisionScheme = "none"
        normal3f[] normals (
            interpolation = "vertex"
        )
"#
    )
}

/// Splines through their points up to their very ends, as thick as the cloth has them.
fn yarns_header(width: f64) -> String {
    let width = width as f32;
    format!(
        r#"    def BasisCurves "yarns"
    {{
        uniform token basis = "catmullRom"
        uniform token type = "cubic"
        uniform token wrap = "pinned"
        float[] widths = [{width:?}] (
            interpolation = "constant"
        )
"#
    )
}

/// The frames whose topology must be written: the first, and both sides of every change, so that
/// no reader interpolates from one mesh to another over the frames between two changes.
fn topology_frames(source: &mut dyn FrameSource) -> Result<Vec<u32>, ExportError> {
    let mut written = Vec::new();
    let mut previous = None;
    for number in source.numbers() {
        let revision = frames::read(source, number)?.revision;
        if previous != Some(revision) {
            written.extend(previous.and(number.checked_sub(1)));
            written.push(number);
        }
        previous = Some(revision);
    }
    written.dedup();
    Ok(written)
}

struct Stage<'a> {
    output: &'a mut Output,
    topology: Vec<u32>,
    source: &'a mut dyn FrameSource,
}

impl Stage<'_> {
    /// Writes a mesh over all frames.
    fn mesh(&mut self, name: &str) -> Result<(), ExportError> {
        self.output.write(mesh_header(name).as_bytes())?;
        self.topology()?;
        self.samples("float3[] extent", |frame| vectors(bounds(singles(frame.positions))))?;
        self.samples("point3f[] points", |frame| vectors(singles(frame.positions)))?;
        self.samples("vector3f[] velocities", |frame| vectors(singles(frame.velocities)))?;
        self.samples("normal3f[] normals", |frame| vectors(rounded_normals(frame)))?;
        self.output.write(b"    }\n")
    }

    /// Writes the faces and texture coordinates.
    fn topology(&mut self) -> Result<(), ExportError> {
        self.changing("int[] faceVertexCounts", |frame| {
            list(frame.faces.iter().map(<[u32]>::len))
        })?;
        self.changing("int[] faceVertexIndices", |frame| list(frame.faces.all_corners()))?;
        let first = *self.source.numbers().start();
        if frames::read(self.source, first)?.faces.all_uvs().is_empty() {
            return Ok(());
        }
        self.output.write(ST_INTERPOLATION.as_bytes())?;
        let seams = |frame: &Frame<'_>| SeamPoints::new(frame.faces, frame.positions.len());
        self.changing("texCoord2f[] primvars:st", |frame| {
            list(seams(frame).uvs.iter().map(|uv| format!("({:?}, {:?})", uv.x, uv.y)))
        })?;
        self.changing("int[] primvars:st:indices", |frame| list(seams(frame).faces.all_corners()))
    }

    /// Writes the yarns, if there are any.
    fn yarns(&mut self) -> Result<(), ExportError> {
        let Some(curves) = Curves::of(&frames::first(self.source)?) else { return Ok(()) };
        self.output.write(yarns_header(curves.width).as_bytes())?;
        let of = |frame: &Frame<'_>, list: fn(Curves) -> String| {
            Curves::of(frame).map_or_else(|| "[]".into(), list)
        };
        self.changing("int[] curveVertexCounts", |frame| of(frame, |curves| list(curves.counts)))?;
        self.samples("float3[] extent", |frame| {
            of(frame, |curves| {
                let margin = Vec3::splat(curves.width as f32 / 2.0);
                let [least, greatest] = bounds(singles(&curves.points));
                vectors([least - margin, greatest + margin])
            })
        })?;
        self.samples("point3f[] points", |frame| of(frame, |c| vectors(singles(&c.points))))?;
        self.samples("vector3f[] velocities", |frame| {
            of(frame, |curves| vectors(singles(&curves.velocities)))
        })?;
        self.output.write(b"    }\n")
    }

    /// Writes an attribute that is plain while the topology stays, and time-sampled if it changes.
    fn changing(
        &mut self,
        attribute: &str,
        value: impl Fn(&Frame<'_>) -> String,
    ) -> Result<(), ExportError> {
        match self.topology[..] {
            [only] => {
                let value = value(&frames::read(self.source, only)?);
                self.output.write(format!("        {attribute} = {value}\n").as_bytes())
            }
            _ => self.samples_at(attribute, self.topology.clone().into_iter(), value),
        }
    }

    /// Writes an attribute with a sample for every frame.
    fn samples(
        &mut self,
        attribute: &str,
        value: impl Fn(&Frame<'_>) -> String,
    ) -> Result<(), ExportError> {
        self.samples_at(attribute, self.source.numbers(), value)
    }

    fn samples_at(
        &mut self,
        attribute: &str,
        numbers: impl Iterator<Item = u32>,
        value: impl Fn(&Frame<'_>) -> String,
    ) -> Result<(), ExportError> {
        self.output.write(format!("        {attribute}.timeSamples = {{\n").as_bytes())?;
        for number in numbers {
            let value = value(&frames::read(self.source, number)?);
            let code = time_code(self.source, number);
            self.output.write(format!("            {code}: {value},\n").as_bytes())?;
        }
        self.output.write(b"        }\n")
    }
}

fn rounded_normals(frame: &Frame<'_>) -> Vec<Vec3> {
    let normals = vertex_normals(frame.faces, frame.positions);
    let round = |normal: &DVec3| (normal / NORMAL_STEP).round() * NORMAL_STEP;
    // Adding zero turns −0 into 0, which is shorter.
    normals.iter().map(|normal| round(normal).as_vec3() + Vec3::ZERO).collect()
}

/// A list of vectors, each number with the fewest digits that give it back.
fn vectors(vectors: impl IntoIterator<Item = Vec3>) -> String {
    let mut text = String::from("[");
    for (i, vector) in vectors.into_iter().enumerate() {
        let separator = if i == 0 { "" } else { ", " };
        // Writing to a string cannot fail.
        let _ = write!(text, "{separator}({:?}, {:?}, {:?})", vector.x, vector.y, vector.z);
    }
    text.push(']');
    text
}

fn list(items: impl IntoIterator<Item = impl ToString>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    format!("[{}]", items.join(", "))
}
