//! OBJ: vertices (`v`, with a colour of three more numbers from 0 to 1, sRGB), texture coordinates (`vt`) and faces (`f`), in double precision.
//!
//! All objects and groups of the file become one mesh. A face without vertices, or with texture
//! coordinates on only some of its corners, is an error. If some faces have texture coordinates
//! and others none, they are left out with a note. Points and lines are left out with a note;
//! free-form curves and surfaces are an error.

use std::collections::BTreeMap;
use std::ops::Range;

use glam::{DVec2, DVec3};

use super::builder::MeshBuilder;
use super::colour;
use super::error::{integer, number, shortened};
use super::{Fault, FormatError, Imported};

/// Statements that say nothing about the shape.
const NOT_SHAPE: &[&str] = &[
    "vn",
    "g",
    "o",
    "s",
    "mg",
    "usemtl",
    "mtllib",
    "usemap",
    "maplib",
    "bevel",
    "c_interp",
    "d_interp",
    "lod",
    "shadow_obj",
    "trace_obj",
];
/// Statements of free-form geometry, and those that bring in other files.
const UNSUPPORTED: &[&str] = &["cstype", "curv", "curv2", "surf", "vp", "call", "csh"];

const VERTEX: &str = "vertex";
const UV: &str = "texture coordinate";

/// Reads the text of an OBJ file.
pub fn read_obj(bytes: &[u8]) -> Result<Imported, FormatError> {
    let mut reader = Reader::default();
    let mut statement = String::new();
    for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let line = String::from_utf8_lossy(line);
        let line = line.trim_end();
        if let Some(start) = line.strip_suffix('\\') {
            statement.push_str(start);
            statement.push(' ');
            continue;
        }
        statement.push_str(line);
        reader.statement(index + 1, &statement).map_err(|fault| fault.at_line(index + 1))?;
        statement.clear();
    }
    reader.finish()
}

#[derive(Default)]
struct Reader {
    positions: Vec<DVec3>,
    /// One per position.
    colours: Vec<Option<u32>>,
    uvs: Vec<DVec2>,
    corners: Vec<Corner>,
    faces: Vec<Face>,
    left_out: BTreeMap<String, LeftOut>,
}

/// Numbers from 1, as in the file: faces may stand before the vertices they use.
struct Corner {
    vertex: i64,
    uv: Option<i64>,
}

struct Face {
    line: usize,
    corners: Range<usize>,
}

struct LeftOut {
    count: usize,
    first_line: usize,
}

impl Reader {
    fn statement(&mut self, line: usize, statement: &str) -> Result<(), Fault> {
        let statement = statement.split('#').next().unwrap_or_default();
        let mut words = statement.split_whitespace();
        match words.next() {
            None => {}
            Some("v") => {
                let [x, y, z] = [
                    coordinate(words.next(), "x")?,
                    coordinate(words.next(), "y")?,
                    coordinate(words.next(), "z")?,
                ];
                self.positions.push(DVec3::new(x, y, z));
                self.colours.push(vertex_colour(words)?);
            }
            Some("vt") => {
                let u = coordinate(words.next(), "u")?;
                let v = words.next().map_or(Ok(0.0), number)?;
                self.uvs.push(DVec2::new(u, v));
            }
            Some("f") => self.face(line, words)?,
            Some(keyword) if NOT_SHAPE.contains(&keyword) => {}
            Some(keyword) if UNSUPPORTED.contains(&keyword) => {
                let what = format!("`{keyword}` (free-form geometry or another file)");
                return Err(Fault::Unsupported { what, instead: "save the shape as polygons" });
            }
            Some(keyword) => {
                let none = LeftOut { count: 0, first_line: line };
                self.left_out.entry(shortened(keyword)).or_insert(none).count += 1;
            }
        }
        Ok(())
    }

    fn face<'a>(&mut self, line: usize, words: impl Iterator<Item = &'a str>) -> Result<(), Fault> {
        let start = self.corners.len();
        for word in words {
            let corner = self.corner(word)?;
            self.corners.push(corner);
        }
        let corners = &self.corners[start..];
        if corners.is_empty() {
            return Err(Fault::missing("every vertex of the face"));
        }
        if corners.iter().any(|corner| corner.uv.is_some() != corners[0].uv.is_some()) {
            let what = "only some corners of the face have texture coordinates: give all or none";
            return Err(Fault::malformed(what));
        }
        self.faces.push(Face { line, corners: start..self.corners.len() });
        Ok(())
    }

    /// A corner: `vertex`, `vertex/uv`, `vertex//normal` or `vertex/uv/normal`.
    fn corner(&self, word: &str) -> Result<Corner, Fault> {
        let mut parts = word.split('/');
        let vertex = integer(parts.next().unwrap_or_default())?;
        let uv = parts.next().filter(|text| !text.is_empty()).map(integer).transpose()?;
        parts.next().filter(|text| !text.is_empty()).map(integer).transpose()?;
        if parts.next().is_some() {
            let what = format!("`{}` is no corner; write vertex/uv/normal", shortened(word));
            return Err(Fault::malformed(what));
        }
        Ok(Corner {
            vertex: absolute(VERTEX, vertex, self.positions.len())?,
            uv: uv.map(|uv| absolute(UV, uv, self.uvs.len())).transpose()?,
        })
    }

    fn finish(mut self) -> Result<Imported, FormatError> {
        let mut builder = MeshBuilder::new();
        for face in std::mem::take(&mut self.faces) {
            self.add_face(&mut builder, &self.corners[face.corners])
                .map_err(|fault| fault.at_line(face.line))?;
        }
        builder.positions = self.positions;
        builder.notes =
            self.left_out.iter().map(|(keyword, left_out)| left_out.note(keyword)).collect();
        Ok(builder.finish())
    }

    fn add_face(&self, builder: &mut MeshBuilder, corners: &[Corner]) -> Result<(), Fault> {
        let mut vertices = Vec::with_capacity(corners.len());
        let mut uvs = Vec::with_capacity(corners.len());
        for corner in corners {
            vertices.push(index(VERTEX, corner.vertex, self.positions.len())? as u32);
            if let Some(uv) = corner.uv {
                uvs.push(self.uvs[index(UV, uv, self.uvs.len())?]);
            }
            builder.colour(self.colours[vertices[vertices.len() - 1] as usize]);
        }
        builder.face(&vertices, if uvs.is_empty() { None } else { Some(&uvs) })
    }
}

impl LeftOut {
    fn note(&self, keyword: &str) -> String {
        let (count, line) = (self.count, self.first_line);
        match keyword {
            "l" | "p" => format!(
                "{count} `{keyword}` elements (lines or points) were left out, the first on line {line}"
            ),
            _ => format!(
                "{count} statements `{keyword}` were not understood and left out, the first on line {line}"
            ),
        }
    }
}

fn coordinate(word: Option<&str>, name: &str) -> Result<f64, Fault> {
    number(word.ok_or_else(|| Fault::missing(format!("coordinate {name}")))?)
}

/// What follows the coordinates of a vertex: a colour, a weight, or both, the weight first.
fn vertex_colour<'a>(words: impl Iterator<Item = &'a str>) -> Result<Option<u32>, Fault> {
    let numbers: Vec<f64> = words.map(number).collect::<Result<_, Fault>>()?;
    Ok(match numbers[..] {
        [red, green, blue] | [_, red, green, blue] => colour::of_srgb([red, green, blue]),
        _ => None,
    })
}

/// A negative number counts back from the last element so far: -1 is that one.
fn absolute(what: &'static str, number: i64, so_far: usize) -> Result<i64, Fault> {
    if number >= 0 {
        return Ok(number);
    }
    let absolute = (so_far as i64).saturating_add(number).saturating_add(1);
    let before_first = Fault::OutOfRange { what, number, count: so_far };
    if absolute > 0 { Ok(absolute) } else { Err(before_first) }
}

fn index(what: &'static str, number: i64, count: usize) -> Result<usize, Fault> {
    match usize::try_from(number) {
        Ok(number) if (1..=count).contains(&number) => Ok(number - 1),
        _ => Err(Fault::OutOfRange { what, number, count }),
    }
}
