//! The JSON document of a GLB file.

use glam::Vec3;
use serde_json::{Value, json};

use super::sizes::Sizes;

const UNSIGNED_BYTE: u32 = 5121;
const UNSIGNED_INT: u32 = 5125;
const FLOAT: u32 = 5126;
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;

const GENERATOR: &str = concat!("Taffeta ", env!("CARGO_PKG_VERSION"));

/// What the document says about the binary part, which holds one mesh after the other.
pub(super) struct Document<'a> {
    pub parts: &'a [Part<'a>],
    /// The number of the first frame.
    pub first: u32,
    /// Frames per second.
    pub rate: f64,
}

/// One of the meshes.
pub(super) struct Part<'a> {
    pub name: &'a str,
    pub sizes: Sizes,
    /// Of the positions of the first frame, then of the displacements of each later one.
    pub bounds: Vec<[Vec3; 2]>,
}

/// The lists that the rest of the document refers to by index.
#[derive(Default)]
struct Lists {
    views: Vec<Value>,
    accessors: Vec<Value>,
    end: u64,
}

impl Lists {
    fn view(&mut self, bytes: u64, mut more: Value) -> usize {
        more["buffer"] = json!(0);
        more["byteOffset"] = json!(self.end);
        more["byteLength"] = json!(bytes);
        self.end += bytes;
        self.views.push(more);
        self.views.len() - 1
    }

    fn accessor(&mut self, accessor: Value) -> usize {
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }
}

impl Document<'_> {
    /// The document as text.
    pub fn into_json(self) -> String {
        let mut lists = Lists::default();
        let (mut meshes, mut animations) = (Vec::new(), Vec::new());
        for (number, part) in self.parts.iter().enumerate() {
            let (mesh, animation) = part.mesh(&mut lists, number, (self.first, self.rate));
            meshes.push(mesh);
            animations.extend(animation.map(|sampler| (number, sampler)));
        }
        let numbered = || (0..).zip(self.parts);
        // Both sides of a cloth are seen.
        let material = |part: &Part| {
            json!({
                "name": part.name,
                "doubleSided": true,
                "pbrMetallicRoughness": { "metallicFactor": 0, "roughnessFactor": 0.9 },
            })
        };
        let node = |(mesh, part): (usize, &Part)| json!({ "name": part.name, "mesh": mesh });
        let mut document = json!({
            "asset": { "version": "2.0", "generator": GENERATOR },
            "scene": 0,
            "scenes": [{ "nodes": numbered().map(|(node, _)| node).collect::<Vec<usize>>() }],
            "nodes": numbered().map(node).collect::<Vec<Value>>(),
            "meshes": meshes,
            "materials": self.parts.iter().map(material).collect::<Vec<Value>>(),
            "buffers": [{ "byteLength": lists.end }],
            "bufferViews": lists.views,
            "accessors": lists.accessors,
        });
        let name = self.parts.first().map_or("cloth", |part| part.name);
        if let Some(animation) = together(animations, name) {
            document["animations"] = json!([animation]);
        }
        document.to_string()
    }
}

/// One animation of all meshes: programs play one at a time.
fn together(parts: Vec<(usize, Value)>, name: &str) -> Option<Value> {
    if parts.is_empty() {
        return None;
    }
    let channel = |(sampler, (node, _)): (usize, &(usize, Value))| json!({ "sampler": sampler, "target": { "node": node, "path": "weights" } });
    let channels: Vec<Value> = parts.iter().enumerate().map(channel).collect();
    let samplers: Vec<Value> = parts.into_iter().map(|(_, sampler)| sampler).collect();
    Some(json!({ "name": name, "samplers": samplers, "channels": channels }))
}

impl Part<'_> {
    /// The mesh, and the sampler that moves it, if there is more than one frame.
    fn mesh(
        &self,
        lists: &mut Lists,
        number: usize,
        (first, rate): (u32, f64),
    ) -> (Value, Option<Value>) {
        let indices = self.indices(lists);
        let uvs = self.sizes.has_uvs.then(|| self.uvs(lists));
        let animation = (self.sizes.targets() > 0).then(|| self.animation(lists, rate));
        let mut frames = self.frames(lists);
        lists.end = lists.end.next_multiple_of(4);
        let mut attributes = frames.remove(0);
        if let Some(uvs) = uvs {
            attributes["TEXCOORD_0"] = json!(uvs);
        }
        let mut primitive =
            json!({ "attributes": attributes, "indices": indices, "material": number });
        let mut mesh = json!({ "name": self.name });
        if !frames.is_empty() {
            primitive["targets"] = json!(frames);
            mesh["extras"] = json!({ "targetNames": self.target_names(first) });
        }
        mesh["primitives"] = json!([primitive]);
        (mesh, animation)
    }

    fn indices(&self, lists: &mut Lists) -> usize {
        let view = lists.view(self.sizes.index_bytes(), json!({ "target": ELEMENT_ARRAY_BUFFER }));
        lists.accessor(json!({
            "bufferView": view,
            "componentType": UNSIGNED_INT,
            "type": "SCALAR",
            "count": self.sizes.indices,
        }))
    }

    fn uvs(&self, lists: &mut Lists) -> usize {
        let view = lists.view(self.sizes.uv_bytes(), json!({ "target": ARRAY_BUFFER }));
        lists.accessor(json!({
            "bufferView": view,
            "componentType": FLOAT,
            "type": "VEC2",
            "count": self.sizes.points,
        }))
    }

    fn animation(&self, lists: &mut Lists, rate: f64) -> Value {
        let times = lists.view(self.sizes.time_bytes(), json!({}));
        let last = (self.sizes.targets() as f64 / rate) as f32;
        let times = lists.accessor(json!({
            "bufferView": times,
            "componentType": FLOAT,
            "type": "SCALAR",
            "count": self.sizes.frames,
            "min": [0.0],
            "max": [f64::from(last)],
        }));
        let weights = lists.view(self.sizes.weights(), json!({}));
        // What follows starts at a multiple of four.
        lists.end = lists.end.next_multiple_of(4);
        let weights = lists.accessor(json!({
            "bufferView": weights,
            "componentType": UNSIGNED_BYTE,
            "normalized": true,
            "type": "SCALAR",
            "count": self.sizes.weights(),
        }));
        json!({ "input": times, "output": weights, "interpolation": "LINEAR" })
    }

    /// The attributes of each frame, all in one view.
    fn frames(&self, lists: &mut Lists) -> Vec<Value> {
        let layout = json!({ "target": ARRAY_BUFFER, "byteStride": 12 });
        let view = lists.view(self.sizes.all_vector_bytes(), layout);
        let mut vectors = 0;
        let mut accessor = |lists: &mut Lists, bounds: Option<&[Vec3; 2]>| {
            let mut accessor = json!({
                "bufferView": view,
                "byteOffset": vectors * self.sizes.vector_bytes(),
                "componentType": FLOAT,
                "type": "VEC3",
                "count": self.sizes.points,
            });
            vectors += 1;
            if let Some(bounds) = bounds {
                let [least, greatest] = bounds.map(|corner| json!(corner.as_dvec3().to_array()));
                accessor["min"] = least;
                accessor["max"] = greatest;
            }
            lists.accessor(accessor)
        };
        let attributes = self.bounds.iter().map(|bounds| {
            let position = accessor(lists, Some(bounds));
            json!({ "POSITION": position, "NORMAL": accessor(lists, None) })
        });
        attributes.collect()
    }

    fn target_names(&self, first: u32) -> Vec<String> {
        let last = u64::from(first) + self.sizes.targets();
        (u64::from(first) + 1..=last).map(|number| format!("frame {number}")).collect()
    }
}
