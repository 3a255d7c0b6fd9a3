//! A finished run, frame by frame, for pages that play it; and packed, for pages that have it all
//! within them.

use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use taffeta::{Pin, Solid};
use taffeta_io::cache::{CacheReader, CachedFrame, Topology};
use taffeta_scene::{Scene, SceneFile, SceneText};

use crate::error::LiveError;
use crate::wire::{self, FrameMessage, TopologyMessage};

/// Steps of a packed coordinate over the whole run.
const STEPS: f64 = 65535.0;
/// Steps of the coordinates of solids that deform: a power of two, so that the last bits of all are
/// zero \[m\].
const SOLID_STEP: f64 = 1.0 / 8192.0;

/// Steps of a packed strain to either side of none.
const STRAIN_STEPS: f64 = 127.0;

/// A run that is played.
pub struct Run {
    reader: CacheReader,
    solids: Vec<Solid>,
    pins: Vec<Pin>,
    /// The topology that was read last.
    last: Mutex<Option<Arc<Topology>>>,
}

impl Run {
    /// Opens the folder of a run.
    pub fn open(folder: &Path, memory: u64) -> Result<Self, LiveError> {
        let reader = CacheReader::open(folder)?;
        if reader.frames().is_empty() {
            let folder = folder.display();
            return Err(LiveError::refuse(format!("there are no frames in {folder} to play")));
        }
        let solids = reader.solids()?.0;
        let pins = pins_of(&reader, memory);
        Ok(Self { reader, solids, pins, last: Mutex::default() })
    }

    /// The run's name.
    pub fn name(&self) -> &str {
        &self.reader.manifest().scene
    }

    /// Its frames, by number.
    pub fn frames(&self) -> &[u32] {
        self.reader.frames()
    }

    /// What a page has to know first.
    pub fn about(&self) -> String {
        json!({
            "version": wire::VERSION,
            "name": self.name(),
            "rate": self.reader.manifest().rate,
            "frames": self.frames(),
            "deforms": self.solids.iter().any(wire::deforms),
        })
        .to_string()
    }

    /// The message of a frame.
    pub fn frame(&self, number: u32) -> Result<Vec<u8>, LiveError> {
        let (frame, topology) = self.load(number)?;
        Ok(self.message(&frame, &topology).encode_with(&topology, &frame))
    }

    /// The message of a topology.
    pub fn topology(&self, revision: u64) -> Result<Vec<u8>, LiveError> {
        let topology = self.topology_of(revision)?;
        Ok(topology_message(&topology).encode())
    }

    /// The message of the solids, as they are at a frame.
    pub fn solids_of(&self, number: u32) -> Result<Vec<u8>, LiveError> {
        let time = self.reader.load(number)?.snapshot.state.time;
        self.solids_at(time)
    }

    /// The message of the solids at a time.
    pub fn solids_at(&self, time: f64) -> Result<Vec<u8>, LiveError> {
        Ok(wire::solids_message(1, &self.solids, time))
    }

    fn load(&self, number: u32) -> Result<(CachedFrame, Arc<Topology>), LiveError> {
        let frame = self.reader.load(number)?;
        let topology = self.topology_of(frame.revision)?;
        Ok((frame, topology))
    }

    fn topology_of(&self, revision: u64) -> Result<Arc<Topology>, LiveError> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = last.as_ref().filter(|known| known.revision == revision) {
            return Ok(Arc::clone(known));
        }
        let read = Arc::new(self.reader.topology(revision)?);
        *last = Some(Arc::clone(&read));
        Ok(read)
    }

    fn message<'a>(&'a self, frame: &'a CachedFrame, topology: &Topology) -> Shown<'a> {
        let state = &frame.snapshot.state;
        let mut anchors = state.anchors.iter();
        let held = self.pins.iter().flat_map(|pin| &pin.particles);
        let held = held.filter(|_| anchors.next().is_some_and(Option::is_some));
        Shown { run: self, revision: topology.revision as u32, pins: held.copied().collect() }
    }

    /// The whole run in one piece: coordinates in steps of a 65,535th of the box around all frames,
    /// as differences from the frame before, and compressed, and solids that deform likewise, in steps
    /// of an eighth of a millimetre. `viewer/src/pack.ts` reads it.
    pub fn pack(&self) -> Result<Vec<u8>, LiveError> {
        let frames: Vec<u32> = self.frames().to_vec();
        let (mut low, mut size, mut most) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3], 1e-9f64);
        for &number in &frames {
            let (frame, topology) = self.load(number)?;
            let x = &frame.snapshot.state.positions;
            for place in x {
                for (axis, value) in place.to_array().into_iter().enumerate() {
                    low[axis] = low[axis].min(value);
                    size[axis] = size[axis].max(value);
                }
            }
            let strains = wire::strains(&topology.gauges, x);
            most = strains.iter().fold(most, |most, s| most.max(f64::from(s.abs())));
        }
        for axis in 0..3 {
            size[axis] = (size[axis] - low[axis]).max(1e-9);
        }
        let mut packed = Packed::new();
        let mut about = Vec::new();
        let (mut revision, mut before, mut solids) = (None, Vec::new(), Vec::new());
        let deforms = self.solids.iter().any(wire::deforms);
        for (i, &number) in frames.iter().enumerate() {
            let (frame, topology) = self.load(number)?;
            let state = &frame.snapshot.state;
            if revision.replace(frame.revision) != Some(frame.revision) {
                packed.block(&topology_message(&topology).encode())?;
            }
            if i == 0 || deforms {
                let now = wire::solids_in_steps(1, &self.solids, state.time, SOLID_STEP);
                packed.block(&differences(&now, &solids))?;
                solids = now;
            }
            let shown = self.message(&frame, &topology);
            // All of the frame but positions and strains, which follow in steps.
            packed.block(&shown.encode_head(&frame))?;
            let mut steps = Vec::with_capacity(state.positions.len() * 3);
            for axis in 0..3 {
                let step = |x: f64| ((x - low[axis]) / size[axis] * STEPS).round() as u16;
                steps.extend(state.positions.iter().map(|p| step(p.to_array()[axis])));
            }
            packed.steps(&steps, &before)?;
            before = steps;
            let strains = wire::strains(&topology.gauges, &state.positions);
            let step = |s: &f32| (f64::from(*s) / most * STRAIN_STEPS).round() as i8 as u8;
            packed.write(&strains.iter().map(step).collect::<Vec<_>>())?;
            about.push(json!([number, state.time, frame.revision, state.positions.len()]));
        }
        let head = json!({
            "version": wire::VERSION,
            "name": self.name(),
            "rate": self.reader.manifest().rate,
            "low": low,
            "size": size,
            "strain": most,
            "deforms": deforms,
            "frames": about,
        });
        packed.finish(&head.to_string())
    }
}

/// A frame as a page sees it.
struct Shown<'a> {
    run: &'a Run,
    revision: u32,
    pins: Vec<u32>,
}

impl Shown<'_> {
    fn encode_with(&self, topology: &Topology, frame: &CachedFrame) -> Vec<u8> {
        let state = &frame.snapshot.state;
        self.encode(frame, (&state.positions, &wire::strains(&topology.gauges, &state.positions)))
    }

    fn encode_head(&self, frame: &CachedFrame) -> Vec<u8> {
        self.encode(frame, (&[], &[]))
    }

    fn encode(
        &self,
        frame: &CachedFrame,
        (positions, strains): (&[glam::DVec3], &[f32]),
    ) -> Vec<u8> {
        FrameMessage {
            time: frame.snapshot.state.time,
            number: frame.number,
            topology: self.revision,
            solids_number: 1,
            positions,
            strains,
            solids: &self.run.solids,
            pins: &self.pins,
            hand: None,
        }
        .encode()
    }
}

/// Bytes as what makes them of those before, where there are as many: what has not changed is zero.
fn differences(now: &[u8], before: &[u8]) -> Vec<u8> {
    match now.len() == before.len() {
        true => now.iter().zip(before).map(|(now, before)| now ^ before).collect(),
        false => now.to_vec(),
    }
}

/// Blocks of bytes, each with its length before it, being compressed.
struct Packed(GzEncoder<Vec<u8>>);

impl Packed {
    fn new() -> Self {
        Self(GzEncoder::new(Vec::new(), Compression::best()))
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), LiveError> {
        self.0.write_all(bytes).map_err(|error| LiveError::refuse(format!("packing: {error}")))
    }

    fn block(&mut self, bytes: &[u8]) -> Result<(), LiveError> {
        self.write(&(bytes.len() as u32).to_le_bytes())?;
        self.write(bytes)
    }

    /// Steps as differences from those before where there are as many, low bytes before high ones.
    fn steps(&mut self, steps: &[u16], before: &[u16]) -> Result<(), LiveError> {
        let fits = before.len() == steps.len();
        let from = |i: usize| if fits { before[i] } else { 0 };
        let turned: Vec<u16> = steps
            .iter()
            .enumerate()
            // Small differences of either sign become small numbers.
            .map(|(i, step)| {
                let difference = step.wrapping_sub(from(i)) as i16;
                ((difference << 1) ^ (difference >> 15)) as u16
            })
            .collect();
        self.write(&turned.iter().map(|step| *step as u8).collect::<Vec<_>>())?;
        self.write(&turned.iter().map(|step| (*step >> 8) as u8).collect::<Vec<_>>())
    }

    /// The length of the head, the head, and all that was compressed.
    fn finish(self, head: &str) -> Result<Vec<u8>, LiveError> {
        let failed = |error| LiveError::refuse(format!("packing: {error}"));
        let body = self.0.finish().map_err(failed)?;
        let mut all = (head.len() as u32).to_le_bytes().to_vec();
        all.extend_from_slice(head.as_bytes());
        all.extend_from_slice(&body);
        Ok(all)
    }
}

fn topology_message(topology: &Topology) -> TopologyMessage<'_> {
    let lengths = topology.gauges.iter().map(|gauge| 1.0 / gauge.weights[0].abs().max(1e-9));
    TopologyMessage {
        number: topology.revision as u32,
        particles: topology.masses.len(),
        faces: &topology.faces,
        yarns: topology.yarns.as_ref(),
        spacing: lengths.sum::<f64>() / topology.gauges.len().max(1) as f64,
    }
}

/// The pins of a run's scene, to show which particles are held; none if the scene cannot be made
/// any more, its mesh being gone, say.
fn pins_of(reader: &CacheReader, memory: u64) -> Vec<Pin> {
    let Ok(text) = reader.scene() else { return Vec::new() };
    let name = &reader.manifest().scene;
    let scene = SceneText { origin: "scene.toml", name, base: reader.folder(), text: &text };
    let scene = SceneFile::read(scene, &[]).and_then(|file| Scene::resolve(&file, memory));
    scene.map_or_else(|_| Vec::new(), |scene| scene.setup.pins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_undo_themselves_and_are_zero_where_nothing_changes() {
        let (one, other) = ([1, 2, 3, 255], [1, 7, 3, 0]);
        let apart = differences(&other, &one);
        assert_eq!((apart[0], apart[2]), (0, 0));
        assert_eq!(differences(&apart, &one), other);
        assert_eq!(differences(&other, &one[..3]), other, "of other lengths, all is new");
    }
}
