//! A person of sticks with a skin: a small triangle at each bone, which follows that bone alone.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use glam::{DMat4, DQuat, DVec3};
use serde_json::{Value, json};

/// Bones: name, the number of the one above, and where each is, arms spread [m].
pub const PERSON: [(&str, Option<usize>, [f64; 3]); 10] = [
    ("Hips", None, [0.0, 0.9, 0.0]),
    ("Spine", Some(0), [0.0, 1.4, 0.0]),
    ("LeftArm", Some(1), [0.2, 1.4, 0.0]),
    ("LeftHand", Some(2), [0.7, 1.4, 0.0]),
    ("RightArm", Some(1), [-0.2, 1.4, 0.0]),
    ("RightHand", Some(4), [-0.7, 1.4, 0.0]),
    ("LeftLeg", Some(0), [0.1, 0.9, 0.0]),
    ("LeftFoot", Some(6), [0.1, 0.0, 0.0]),
    ("RightLeg", Some(0), [-0.1, 0.9, 0.0]),
    ("RightFoot", Some(8), [-0.1, 0.0, 0.0]),
];

/// How the person is made.
pub struct Figure {
    /// How far the arms hang [°].
    pub hanging: f64,
    /// Whether each bone has axes of its own.
    pub turned: bool,
    /// Whether bones move the skin.
    pub skinned: bool,
    /// How many times as large it is.
    pub size: f64,
}

impl Default for Figure {
    fn default() -> Self {
        Self { hanging: 0.0, turned: false, skinned: true, size: 1.0 }
    }
}

impl Figure {
    fn at(&self, bone: usize) -> DVec3 {
        let (sin, cos) = libm::sincos(self.hanging.to_radians());
        let mut at = DVec3::from(PERSON[bone].2);
        if PERSON[bone].0.ends_with("Hand") {
            let side = at.x.signum();
            at = DVec3::new(side * (0.2 + 0.5 * cos), 1.4 - 0.5 * sin, 0.0);
        }
        at * self.size
    }

    /// How a bone's own axes stand in space.
    fn axes(&self, bone: usize) -> DQuat {
        if !self.turned {
            return DQuat::IDENTITY;
        }
        let axis = DVec3::new(1.0, bone as f64 - 3.0, 2.0).normalize();
        DQuat::from_axis_angle(axis, 0.5 + bone as f64)
    }

    /// The text of a glTF file with all that it needs.
    pub fn gltf(&self) -> Vec<u8> {
        let floats = |values: &[f64]| -> Vec<u8> {
            values.iter().flat_map(|value| (*value as f32).to_le_bytes()).collect()
        };
        let bones = 0..PERSON.len();
        let corner = |bone: usize, corner: usize| {
            let around = 2.0 * std::f64::consts::PI * corner as f64 / 3.0;
            self.at(bone) + 0.01 * self.size * DVec3::new(libm::cos(around), 0.0, libm::sin(around))
        };
        let corners = bones.clone().flat_map(|bone| (0..3).map(move |of| (bone, of)));
        let positions: Vec<f64> =
            corners.clone().flat_map(|(bone, of)| corner(bone, of).to_array()).collect();
        let joints: Vec<u8> = corners.clone().flat_map(|(bone, _)| [bone as u8, 0, 0, 0]).collect();
        let weights: Vec<f64> = corners.flat_map(|_| [1.0, 0.0, 0.0, 0.0]).collect();
        let binds: Vec<f64> = bones
            .clone()
            .flat_map(|bone| {
                let place = DMat4::from_rotation_translation(self.axes(bone), self.at(bone));
                place.inverse().to_cols_array()
            })
            .collect();
        let parts = [
            (floats(&positions), 5126, 30, "VEC3"),
            (joints, 5121, 30, "VEC4"),
            (floats(&weights), 5126, 30, "VEC4"),
            (floats(&binds), 5126, 10, "MAT4"),
        ];
        let (mut bytes, mut views, mut accessors) = (Vec::new(), Vec::new(), Vec::new());
        for (part, kind, count, shape) in parts {
            views.push(json!({ "buffer": 0, "byteOffset": bytes.len(), "byteLength": part.len() }));
            accessors.push(json!({
                "bufferView": views.len() - 1, "componentType": kind, "count": count, "type": shape,
                "min": [-9, -9, -9], "max": [9, 9, 9]
            }));
            bytes.extend(part);
        }
        for accessor in &mut accessors[1..] {
            let fields = accessor.as_object_mut().unwrap();
            fields.remove("min");
            fields.remove("max");
        }
        let mut nodes: Vec<Value> = bones.clone().map(|bone| self.node(bone)).collect();
        let mut mesh = json!({ "mesh": 0 });
        if self.skinned {
            mesh["skin"] = json!(0);
        }
        nodes.push(mesh);
        let uri = format!("data:application/octet-stream;base64,{}", STANDARD.encode(&bytes));
        let document = json!({
            "asset": { "version": "2.0" }, "scene": 0,
            "scenes": [{ "nodes": [0, PERSON.len()] }], "nodes": nodes,
            "meshes": [{ "primitives": [{ "attributes":
                { "POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2 } }] }],
            "skins": [{ "joints": bones.collect::<Vec<usize>>(), "inverseBindMatrices": 3 }],
            "bufferViews": views, "accessors": accessors,
            "buffers": [{ "byteLength": bytes.len(), "uri": uri }]
        });
        document.to_string().into_bytes()
    }

    fn node(&self, bone: usize) -> Value {
        let (name, above, _) = PERSON[bone];
        let (axes, at) = match above {
            None => (self.axes(bone), self.at(bone)),
            Some(above) => {
                let back = self.axes(above).inverse();
                (back * self.axes(bone), back * (self.at(bone) - self.at(above)))
            }
        };
        let below: Vec<usize> =
            (0..PERSON.len()).filter(|&other| PERSON[other].1 == Some(bone)).collect();
        let mut node = json!({
            "name": name, "translation": at.to_array(), "rotation": axes.to_array()
        });
        if !below.is_empty() {
            node["children"] = json!(below);
        }
        node
    }
}
