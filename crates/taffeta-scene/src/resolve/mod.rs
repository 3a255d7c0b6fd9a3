//! From a scene file to a scene that can be run: meshes loaded, particles chosen, all checked.

mod attach;
mod automatic;
mod cloths;
mod drawing;
mod flat;
mod garment;
mod join;
mod memory;
mod place;
mod seams;
mod select;
mod shape;
mod solids;
mod tear;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use glam::DVec3;
use taffeta::{ModelError, Pin, Setup, SetupError, StepError};
use taffeta_garment::{DressError, Progress};
use xxhash_rust::xxh3::Xxh3;

use crate::format::{Carried, Checks, ClothFile, Frames, Output, SceneFile};
use crate::garment::{Fitting, Garment};
use crate::starts::{Beginning, Warning, starts_of_panels, warnings};
use crate::text::{Node, Problem, Problems, SceneError, Span, Value};

/// Particles named in one message at most; the rest are counted.
const NAMED: usize = 10;

/// A scene that can be run.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Its name.
    pub name: String,
    /// The simulation it starts.
    pub setup: Setup,
    /// Which frames.
    pub frames: Frames,
    /// Where to.
    pub output: Output,
    /// What must hold.
    pub checks: Checks,
    /// The scene's text with its overrides, as kept with its frames.
    pub effective: String,
    /// Fingerprint of all that bears on the frames: equal identities give equal frames.
    pub identity: String,
    /// What the user should know about how the input was taken.
    pub notes: Vec<String>,
    /// What begins badly.
    pub warnings: Vec<Warning>,
    /// What has to be done before `setup` can begin, if there are garments: until then they are not
    /// where `setup` says.
    pub dressing: Option<Arc<Fitting>>,
}

impl Scene {
    /// Loads and checks everything a scene file names. `memory` is the most the simulation may
    /// take, in bytes.
    pub fn resolve(file: &SceneFile, memory: u64) -> Result<Self, SceneError> {
        let problems = Problems::default();
        let scene = Self::resolve_noting(file, memory, &problems);
        match scene {
            Some(scene) if problems.is_empty() => Ok(scene),
            _ => Err(SceneError::new(&file.sources, problems.into_vec())),
        }
    }

    /// Puts garments on, if there are any and that is not done yet; and tells where all particles are.
    pub fn dress(
        &mut self,
        stop: &AtomicBool,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Option<Vec<DVec3>>, DressError> {
        let Some(fitting) = self.dressing.clone() else { return Ok(None) };
        let places = fitting.dressing.dress(stop, progress)?;
        self.put_on(places.clone())?;
        Ok(Some(places))
    }

    /// Garments that were put on before: all particles were here then. What bodies carry they carry from
    /// here.
    pub fn put_on(&mut self, places: Vec<DVec3>) -> Result<(), DressError> {
        if let Some(fitting) = self.dressing.take() {
            let Fitting { dressing, pins } = &*fitting;
            self.setup.model = dressing.model()?.into();
            let begin = (&places[..], &self.setup.solids[..], dressing.time);
            let carried = pins.iter().map(|(pin, to)| attach::carried(pin, to.as_ref(), begin));
            // What no solid can carry was told when the scene was read.
            self.setup.pins = carried.filter_map(Result::ok).flatten().collect();
            self.setup.positions = places;
        }
        Ok(())
    }

    fn resolve_noting(file: &SceneFile, memory: u64, problems: &Problems) -> Option<Self> {
        let cloths = cloths::load(file, memory, problems)?;
        let (model, positions) = (cloths.model, cloths.positions);
        let pins = select::pins(file, (&model, &positions), &cloths.garments, problems);
        let pulls = select::pulls(file, (&model, &positions), problems);
        let bonds = seams::bonds(file, &model, problems);
        let model = seams::sewn(model, &bonds, problems);
        let woven = tear::weave(file, &cloths.rest, &model, problems);
        let painted = tear::fingerprint(file, woven.as_ref());
        let loaded = solids::load(file, memory, problems);
        let begin = (&positions[..], &loaded.solids[..], file.frames.time(file.frames.first));
        let carriers = || file.pins.iter().map(|pin| pin.to.clone());
        let uncarried: Vec<(Pin, Option<Carried>)> = pins.iter().cloned().zip(carriers()).collect();
        let (pins, origins) = carried(&uncarried, begin, problems);
        let mut setup = Setup {
            model: model.into(),
            positions,
            pins,
            solids: loaded.solids,
            loads: file.loads,
            load_keys: file.load_keys.clone(),
            pulls,
            integrator: file.integrator,
            step: file.step,
            limits: cloths::limits(file),
            limiter: file.limiter,
            woven,
            self_contact: file.self_contact,
            of_cloths: cloths::of_cloths(file),
        };
        let mut notes = cloths.notes;
        notes.extend(automatic::choose(file, &mut setup, memory));
        seams::refuse_unfit(file, &setup, problems);
        // What pins want of particles that do not exist is already told.
        if problems.is_empty() {
            note_setup_errors((file, &origins), &setup, memory, problems);
        }
        notes.extend(loaded.notes);
        let mut told = Vec::new();
        if problems.is_empty() {
            let garments: Vec<&Garment> = cloths.garments.iter().flatten().collect();
            told = match garments.is_empty() {
                true => warnings(&Beginning { file, setup: &setup, rest: &cloths.rest }),
                false => {
                    garments.iter().flat_map(|garment| starts_of_panels(garment, &setup)).collect()
                }
            };
        }
        let held =
            Setup { pins: uncarried.iter().map(|(pin, _)| pin.clone()).collect(), ..setup.clone() };
        let dressing = garment::dressing(file, (cloths.garments, cloths.models), bonds, held);
        let dressing = dressing.map(|dressing| Arc::new(Fitting { dressing, pins: uncarried }));
        Some(Self {
            dressing,
            name: file.name.clone(),
            setup,
            frames: file.frames,
            output: file.output.clone(),
            checks: file.checks.clone(),
            effective: file.effective.clone(),
            identity: identity(
                &file.root,
                &[cloths.fingerprint, loaded.fingerprint, painted].concat(),
            ),
            notes,
            warnings: told,
        })
    }
}

fn note_model_error(file: &SceneFile, cloth: &ClothFile, error: &ModelError, problems: &Problems) {
    let span = &cloth.span;
    let ModelError::Mesh(found) = error else {
        return problems.add(Problem::at(key_span(&file.root, "fabric"), error.to_string()));
    };
    for problem in found.iter().take(NAMED) {
        problems.add(Problem::at(span.clone(), problem.to_string()).label("in this cloth"));
    }
    if found.len() > NAMED {
        let message = format!("and {} more problems of the mesh", found.len() - NAMED);
        problems.add(Problem::at(span.clone(), message).label("in this cloth"));
    }
}

/// Asks the simulator itself; and refuses beforehand what would need absurdly many steps.
fn note_setup_errors(
    (file, origins): (&SceneFile, &[usize]),
    setup: &Setup,
    memory: u64,
    problems: &Problems,
) {
    let found = setup.problems();
    for error in &found {
        problems.add(Problem::at(setup_span((file, origins), error), error.to_string()));
    }
    if found.is_empty() {
        memory::refuse(file, setup, memory, problems);
    }
    if !problems.is_empty() || file.frames.first == file.frames.last {
        return;
    }
    match setup.refuse_too_many_steps(1.0 / file.frames.rate) {
        Err(error @ StepError::StepMaxTooShort { .. }) => {
            problems.add(Problem::at(key_span(&file.root, "step"), error.to_string()));
        }
        Err(error) => problems.add(
            Problem::at(key_span(&file.root, "fabric"), error.to_string())
                .label("too stiff or too light for the explicit integrator"),
        ),
        Ok(()) => {}
    }
}

/// Where the part of the scene is that the simulator complains about.
fn setup_span((file, origins): (&SceneFile, &[usize]), error: &SetupError) -> Span {
    let cloth = || file.first_cloth().span.clone();
    match error {
        SetupError::Pin { pin, .. } => {
            let written = origins.get(*pin).and_then(|origin| file.pins.get(*origin));
            written.map_or_else(cloth, |p| p.span.clone())
        }
        SetupError::ExtensionLimit(_) | SetupError::CompressionLimit(_) => {
            key_span(&file.root, "limits")
        }
        SetupError::Pull { pull, .. } => {
            file.pulls.get(*pull).map_or_else(cloth, |pull| pull.span.clone())
        }
        SetupError::Solid { solid, .. } => {
            file.solids.get(*solid).map_or_else(cloth, |s| s.span.clone())
        }
        SetupError::NoStableStep { .. } => key_span(&file.root, "fabric"),
        SetupError::ContactThickness(_) | SetupError::ContactFriction(_) => {
            key_span(&file.root, "contact")
        }
        SetupError::TooFar { .. } => key_span(&file.root, "cloth"),
        SetupError::CoarseCloth => span_within(&file.root, "tear", "coarse"),
        SetupError::StripsUnsuited => span_within(&file.root, "limiter", "strips"),
        SetupError::LimiterNeedsImplicit | SetupError::ClothsDiffer => {
            key_span(&file.root, "limiter")
        }
        _ => cloth(),
    }
}

/// Where the name of a table within another is written, or that of the other.
fn span_within(root: &Node, table: &str, key: &str) -> Span {
    let inner = root.entry(table).and_then(|entry| entry.node.entry(key));
    inner.map_or_else(|| key_span(root, table), |entry| entry.key_span.clone())
}

/// Where a table's name is written, or the start of the file.
fn key_span(root: &Node, key: &str) -> Span {
    let start = Span { source: 0, range: 0..0 };
    root.entry(key).map_or(start, |entry| entry.key_span.clone())
}

/// Hashes what bears on the frames: all values but the name, the number of frames, the outputs,
/// the checks and the pictures, and for a mesh its content instead of its file's name, in an order
/// that does not depend on how the file is laid out.
fn identity(root: &Node, shape: &[u8]) -> String {
    let mut hash = Xxh3::new();
    hash_node(root, &mut Vec::new(), &mut hash);
    hash.update(shape);
    format!("{:032x}", hash.digest128())
}

fn hash_node(node: &Node, path: &mut Vec<String>, hash: &mut Xxh3) {
    let irrelevant = [
        "name",
        "output",
        "check",
        "camera",
        "render",
        "frames.count",
        "cloth.mesh.file",
        "cloth.garment.file",
    ];
    let here = path.join(".");
    let files = [".mesh.file", ".sequence.file", ".character.file", ".character.motion"];
    let of_solid = here.starts_with("solid.") && files.iter().any(|file| here.ends_with(file));
    let of_cloth = here.strip_prefix("cloth.").is_some_and(|rest| {
        let own = rest.split_once('.').filter(|(number, _)| number.parse::<u32>().is_ok());
        own.map_or(rest == "check", |(_, key)| {
            ["mesh.file", "garment.file", "check"].contains(&key)
        })
    });
    if irrelevant.contains(&here.as_str()) || of_solid || of_cloth {
        return;
    }
    match &node.value {
        Value::Table(entries) => {
            let mut sorted: Vec<_> = entries.iter().collect();
            sorted.sort_by(|a, b| a.key.cmp(&b.key));
            for entry in sorted {
                path.push(entry.key.clone());
                hash_node(&entry.node, path, hash);
                path.pop();
            }
        }
        Value::List(items) => {
            for (index, item) in items.iter().enumerate() {
                path.push(index.to_string());
                hash_node(item, path, hash);
                path.pop();
            }
        }
        value => {
            // 2 and 2.0 are the same number.
            let value = match value {
                Value::Integer(integer) => format!("{:?}", *integer as f64),
                Value::Float(float) => format!("{float:?}"),
                other => format!("{other:?}"),
            };
            hash.update(format!("{here}={value}\n").as_bytes());
        }
    }
}

/// All pins, those that solids carry in as many as it takes; and of each, which of the scene's it is.
fn carried(
    pins: &[(Pin, Option<Carried>)],
    begin: attach::Begin,
    problems: &Problems,
) -> (Vec<Pin>, Vec<usize>) {
    let (mut all, mut origins) = (Vec::new(), Vec::new());
    for (number, (pin, to)) in pins.iter().enumerate() {
        match attach::carried(pin, to.as_ref(), begin) {
            Ok(made) => {
                origins.extend(made.iter().map(|_| number));
                all.extend(made);
            }
            Err(why) => {
                let span = to.as_ref().map(|to| to.span.clone());
                let span = span.unwrap_or(Span { source: 0, range: 0..0 });
                problems.add(Problem::at(span, why));
            }
        }
    }
    (all, origins)
}

/// A pin of the simulator from one of the scene.
fn pin(file: &crate::format::PinFile, particles: Vec<u32>) -> Pin {
    Pin {
        particles,
        hold: file.hold.clone(),
        motion: file.motion.clone(),
        from: file.from,
        until: file.until,
    }
}
