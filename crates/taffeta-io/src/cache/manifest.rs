//! What a cache folder is.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_128;

use super::CacheError;

/// The format of the folder as a whole.
const FORMAT: u32 = 3;

/// What a cache folder is: the content of `run.json`, where a seal over all of it is added.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Version of the folder's format.
    pub format: u32,
    /// Version of Taffeta that wrote it.
    pub taffeta: String,
    /// The scene's name.
    pub scene: String,
    /// Fingerprint of the text of `scene.toml`, in hexadecimal.
    pub scene_hash: String,
    /// Fingerprint of all in the scene that bears on the frames, in hexadecimal.
    pub identity: String,
    /// Frames per second.
    pub rate: f64,
    /// Number of the first frame, the initial state.
    pub first: u32,
    /// Number of the last frame that is planned.
    pub last: u32,
    /// How many particles it starts with.
    pub particles: usize,
}

/// A manifest as it is written.
#[derive(Serialize)]
struct Sealed<'a> {
    #[serde(flatten)]
    manifest: &'a Manifest,
    seal: String,
}

impl Manifest {
    /// A manifest in the present format.
    pub fn new(scene: &str, identity: &str, rate: f64) -> Self {
        Self {
            format: FORMAT,
            taffeta: env!("CARGO_PKG_VERSION").into(),
            scene: scene.into(),
            scene_hash: String::new(),
            identity: identity.into(),
            rate,
            first: 0,
            last: 0,
            particles: 0,
        }
    }

    /// What the seals of a run's files say whose they are.
    pub(super) fn run(&self) -> u128 {
        run_of(&self.identity)
    }

    /// The same with the fingerprint of a scene's text.
    pub(super) fn of_scene(&self, text: &str) -> Self {
        Self { scene_hash: fingerprint(text), ..self.clone() }
    }

    pub(super) fn read(path: &Path) -> Result<Self, CacheError> {
        let bytes = fs::read(path).map_err(|e| CacheError::io("read", path, e))?;
        let damaged = |why: String| CacheError::Damaged { path: path.into(), why };
        let mut json: Value = serde_json::from_slice(&bytes).map_err(|e| damaged(e.to_string()))?;
        // Other versions may have other fields, so theirs is looked at before anything else.
        let format = json.get("format").and_then(Value::as_u64).and_then(|f| u32::try_from(f).ok());
        if let Some(found) = format.filter(|found| *found != FORMAT) {
            return Err(CacheError::Version { path: path.into(), found, known: FORMAT });
        }
        let seal = json.as_object_mut().and_then(|fields| fields.remove("seal"));
        let manifest: Self = serde_json::from_value(json).map_err(|e| damaged(e.to_string()))?;
        let wanted = manifest.seal().map_err(|e| damaged(e.to_string()))?;
        if seal != Some(Value::String(wanted)) {
            return Err(damaged("its seal does not match its content".into()));
        }
        if !(manifest.rate.is_finite() && manifest.rate > 0.0) || manifest.last < manifest.first {
            return Err(damaged("its frame rate or range makes no sense".into()));
        }
        Ok(manifest)
    }

    /// The content of its file.
    pub(super) fn text(&self) -> serde_json::Result<String> {
        let sealed = Sealed { manifest: self, seal: self.seal()? };
        Ok(serde_json::to_string_pretty(&sealed)? + "\n")
    }

    fn seal(&self) -> serde_json::Result<String> {
        serde_json::to_string(self).map(|text| fingerprint(&text))
    }
}

fn fingerprint(text: &str) -> String {
    format!("{:032x}", xxh3_128(text.as_bytes()))
}

/// What the seals of the files of a scene's runs say whose they are.
pub(super) fn run_of(identity: &str) -> u128 {
    xxh3_128(identity.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_flipped_bit_changes_what_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        let manifest = Manifest { last: 20, particles: 81, ..Manifest::new("hang", "1f", 29.97) };
        let manifest = manifest.of_scene("[cloth]");
        let text = manifest.text().unwrap();
        fs::write(&path, &text).unwrap();
        assert_eq!(Manifest::read(&path).unwrap(), manifest);
        let mut refused = 0;
        for byte in 0..text.len() {
            for bit in 0..8 {
                let mut damaged = text.clone().into_bytes();
                damaged[byte] ^= 1 << bit;
                fs::write(&path, damaged).unwrap();
                match Manifest::read(&path) {
                    Ok(read) => assert_eq!(read, manifest, "byte {byte} bit {bit}"),
                    Err(_) => refused += 1,
                }
            }
        }
        assert!(refused > 7 * text.len());
    }

    #[test]
    fn another_format_is_named_before_its_fields_are_missed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        fs::write(&path, r#"{ "format": 1, "scene": "hang" }"#).unwrap();
        let error = Manifest::read(&path).unwrap_err();
        assert!(matches!(error, CacheError::Version { found: 1, known: FORMAT, .. }), "{error}");
    }
}
