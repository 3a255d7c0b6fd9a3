//! PLY: text, and binary of either byte order.
//!
//! Read are the elements `vertex` (`x`, `y`, `z`, and texture coordinates under any of their usual
//! names, and the sRGB colour `red`, `green`, `blue`) and `face` (`vertex_indices` or `vertex_index`, and the list `texcoord`, which has the
//! texture coordinates of each corner and goes before those of the vertices). Other elements are
//! left out with a note, other properties without one. Triangle strips are an error.

mod body;
mod header;

use glam::{DVec2, DVec3};

use self::body::{Body, Record};
use self::header::{Element, Header, Kind};
use super::builder::MeshBuilder;
use super::colour;
use super::{Fault, FormatError, Imported};

/// The names that programs give a vertex's texture coordinates.
const UV_NAMES: [[&str; 2]; 4] =
    [["s", "t"], ["u", "v"], ["texture_u", "texture_v"], ["texture_s", "texture_t"]];
const COLOUR_NAMES: [&str; 3] = ["red", "green", "blue"];
const INDEX_NAMES: [&str; 2] = ["vertex_indices", "vertex_index"];

/// Reads a PLY file.
pub fn read_ply(bytes: &[u8]) -> Result<Imported, FormatError> {
    let header = Header::read(bytes)?;
    let mut reader = Reader::new(&header)?;
    let mut body = Body::new(&header, bytes);
    for element in &header.elements {
        reader.element(element, &mut body)?;
    }
    if let Some(left) = body.left_over() {
        reader.builder.notes.push(format!("{left} after the last element were left out"));
    }
    reader.finish()
}

struct Reader {
    vertices: usize,
    vertex_uvs: Vec<DVec2>,
    vertex_colours: Vec<Option<u32>>,
    faces: Vec<Face>,
    builder: MeshBuilder,
}

struct Face {
    corners: Vec<u32>,
    uvs: Option<Vec<DVec2>>,
}

impl Reader {
    fn new(header: &Header) -> Result<Self, FormatError> {
        let count_of = |name: &str| header.elements.iter().filter(|e| e.name == name).count();
        for name in ["vertex", "face"] {
            if count_of(name) > 1 {
                let what = format!("element {name} stands there twice");
                return Err(Fault::malformed(what).in_part("header"));
            }
        }
        if count_of("tristrips") > 0 {
            let what = "the element tristrips (triangle strips)".to_owned();
            let instead = "save the mesh with plain faces";
            return Err(Fault::Unsupported { what, instead }.in_part("header"));
        }
        let vertex = header.elements.iter().find(|element| element.name == "vertex");
        let vertex = vertex.ok_or_else(|| Fault::missing("element vertex").in_part("header"))?;
        Ok(Self {
            vertices: vertex.count,
            vertex_uvs: Vec::new(),
            vertex_colours: Vec::new(),
            faces: Vec::new(),
            builder: MeshBuilder::new(),
        })
    }

    fn element(&mut self, element: &Element, body: &mut Body) -> Result<(), FormatError> {
        match element.name.as_str() {
            "vertex" => self.vertices(element, body),
            "face" => self.faces(element, body),
            name => {
                let count = element.count;
                self.builder.notes.push(format!("{count} elements `{name}` were left out"));
                each_record(element, body, |_| Ok(()))
            }
        }
    }

    fn vertices(&mut self, element: &Element, body: &mut Body) -> Result<(), FormatError> {
        let single = |name: &str| {
            element.find(name, Kind::is_single).ok_or_else(|| {
                Fault::missing(format!("property {name}")).in_part("header, element vertex")
            })
        };
        let [x, y, z] = [single("x")?, single("y")?, single("z")?];
        let uv = UV_NAMES.iter().find_map(|[u, v]| {
            Some([element.find(u, Kind::is_single)?, element.find(v, Kind::is_single)?])
        });
        let colours = colour_properties(element);
        each_record(element, body, |record| {
            self.builder.positions.push(DVec3::new(record.one(x), record.one(y), record.one(z)));
            if let Some([u, v]) = uv {
                self.vertex_uvs.push(DVec2::new(record.one(u), record.one(v)));
            }
            if let Some(colours) = colours {
                let values = colours.map(|(property, full)| record.one(property) / full);
                self.vertex_colours.push(colour::of_srgb(values));
            }
            Ok(())
        })
    }

    fn faces(&mut self, element: &Element, body: &mut Body) -> Result<(), FormatError> {
        let indices = INDEX_NAMES.iter().find_map(|name| element.find(name, Kind::is_integer_list));
        let indices = indices.ok_or_else(|| {
            let what = "the list property vertex_indices of whole numbers";
            Fault::missing(what).in_part("header, element face")
        })?;
        let texcoord = element.find("texcoord", Kind::is_list);
        each_record(element, body, |record| {
            let corners = record
                .all(indices)
                .iter()
                .map(|&number| vertex_index(number, self.vertices))
                .collect::<Result<Vec<u32>, Fault>>()?;
            let uvs = texcoord.map(|texcoord| pairs(record.all(texcoord), corners.len()));
            let uvs = uvs.transpose()?.flatten();
            self.faces.push(Face { corners, uvs });
            Ok(())
        })
    }

    fn finish(mut self) -> Result<Imported, FormatError> {
        for (number, face) in self.faces.into_iter().enumerate() {
            let of_vertices = || -> Option<Vec<DVec2>> {
                face.corners.iter().map(|&v| self.vertex_uvs.get(v as usize).copied()).collect()
            };
            let uvs = face.uvs.or_else(of_vertices);
            self.builder
                .face(&face.corners, uvs.as_deref())
                .map_err(|fault| fault.in_part(format!("face {number}")))?;
            for &vertex in &face.corners {
                self.builder.colour(self.vertex_colours.get(vertex as usize).copied().flatten());
            }
        }
        Ok(self.builder.finish())
    }
}

/// The properties of a vertex's colour, each with the value of full light.
fn colour_properties(element: &Element) -> Option<[(usize, f64); 3]> {
    let property = |name: &str| {
        let at = element.find(name, Kind::is_single)?;
        Some((at, element.properties[at].kind.full_colour()?))
    };
    let [red, green, blue] = COLOUR_NAMES;
    Some([property(red)?, property(green)?, property(blue)?])
}

/// Reads all records of an element.
fn each_record(
    element: &Element,
    body: &mut Body,
    mut use_record: impl FnMut(&Record) -> Result<(), Fault>,
) -> Result<(), FormatError> {
    if element.properties.is_empty() {
        return Ok(());
    }
    let mut record = Record::default();
    for number in 0..element.count {
        body.read(element, &mut record)
            .and_then(|()| use_record(&record))
            .map_err(|fault| body.place(fault, element, number))?;
    }
    Ok(())
}

fn vertex_index(number: f64, count: usize) -> Result<u32, Fault> {
    if (0.0..count as f64).contains(&number) && number <= f64::from(u32::MAX) {
        return Ok(number as u32);
    }
    Err(Fault::OutOfRange { what: "vertex", number: number as i64, count })
}

/// Texture coordinates of a face's corners; an empty list is a face without them.
fn pairs(values: &[f64], corners: usize) -> Result<Option<Vec<DVec2>>, Fault> {
    if values.is_empty() && corners > 0 {
        return Ok(None);
    }
    if values.len() != 2 * corners {
        let what = format!("{} values in texcoord for {corners} corners", values.len());
        return Err(Fault::malformed(what));
    }
    Ok(Some(values.chunks(2).map(DVec2::from_slice).collect()))
}
