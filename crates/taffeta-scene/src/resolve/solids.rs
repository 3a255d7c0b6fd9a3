//! Solids of the scene as solids of the simulator: meshes loaded, all of them placed.

use std::path::Path;
use std::sync::Arc;

use taffeta::solid::SolidMeshKey;
use taffeta::{Mesh, Pose, Shape, Side, Solid, SolidMesh};
use taffeta_io::import::{self, Fault, FormatError, ImportError, MotionWish, RetargetWish};

use super::place::rotation;
use super::shape::fingerprint;
use crate::format::{Character, Retarget, SceneFile, Sequence, SolidFile, SolidShape};
use crate::mannequin::Mannequin;
use crate::text::{Problem, Problems};

/// The solids of a scene.
#[derive(Default)]
pub struct LoadedSolids {
    pub solids: Vec<Solid>,
    /// Bytes that stand for the content of files.
    pub fingerprint: Vec<u8>,
    pub notes: Vec<String>,
}

/// Loads and places every solid; problems are noted.
pub fn load(file: &SceneFile, memory: u64, problems: &Problems) -> LoadedSolids {
    let mut loaded = LoadedSolids::default();
    for (number, written) in file.solids.iter().enumerate() {
        match shape((&file.base, memory), written, &mut loaded) {
            Ok(shape) => {
                tell_flaws(number, &shape, &mut loaded.notes);
                loaded.solids.push(place(written, shape));
            }
            Err(message) => problems.add(Problem::at(written.span.clone(), message)),
        }
    }
    loaded
}

fn shape(
    (base, memory): (&Path, u64),
    written: &SolidFile,
    loaded: &mut LoadedSolids,
) -> Result<Shape, String> {
    let mesh = match &written.shape {
        SolidShape::Simple(Shape::Plane { .. }) if written.faceted => {
            return Err("a plane has no end, and cannot be made of triangles".into());
        }
        SolidShape::Simple(shape) if written.faceted => {
            SolidMesh::new(shape.mesh_at(0.0)).map_err(|error| error.to_string())?
        }
        SolidShape::Simple(shape) => return Ok(shape.clone()),
        SolidShape::Mesh { file, scale } => {
            SolidMesh::new(read(&base.join(file), *scale, loaded)?).map_err(|e| e.to_string())?
        }
        SolidShape::Sequence(sequence) => read_sequence(base, sequence, loaded)?,
        SolidShape::Mannequin(mannequin, begin) => made(mannequin, (*begin, memory), loaded)?,
        SolidShape::Character(body) => read_character(base, body, loaded)?,
    };
    Ok(Shape::Mesh(Arc::new(mesh)))
}

fn read(path: &Path, scale: f64, loaded: &mut LoadedSolids) -> Result<Mesh, String> {
    let imported = import::read_mesh(path).map_err(|error| error.to_string())?;
    let mut mesh = imported.mesh;
    mesh.positions.iter_mut().for_each(|position| *position *= scale);
    loaded.fingerprint.extend(fingerprint(&mesh));
    let note = |note: &String| format!("{}: {note}", path.display());
    loaded.notes.extend(imported.notes.iter().map(note));
    Ok(mesh)
}

fn read_sequence(
    base: &Path,
    sequence: &Sequence,
    loaded: &mut LoadedSolids,
) -> Result<SolidMesh, String> {
    let [first, last] = sequence.numbers;
    let mut keys = Vec::new();
    let mut faces = None;
    for number in first..=last {
        let (name, time) = sequence.file(number);
        let mesh = read(&base.join(&name), sequence.scale, loaded)?;
        let same = faces.get_or_insert_with(|| mesh.faces.clone());
        if same.all_corners() != mesh.faces.all_corners() || same.len() != mesh.faces.len() {
            let (name, file) = (name.display(), sequence.file(first).0);
            return Err(format!("{name} has other faces than {}", file.display()));
        }
        keys.push(SolidMeshKey { time, positions: mesh.positions });
    }
    tell_leap(Path::new(&sequence.pattern), &keys, &mut loaded.notes);
    SolidMesh::sequence(faces.unwrap_or_default(), keys).map_err(|error| error.to_string())
}

/// The person that is built in, as long as it moves.
fn made(
    mannequin: &Mannequin,
    (begin, memory): (f64, u64),
    loaded: &mut LoadedSolids,
) -> Result<SolidMesh, String> {
    let needed = mannequin.bytes();
    if needed > memory as f64 {
        let [needed, allowed] = [needed, memory as f64].map(|bytes| bytes / f64::from(1 << 30));
        return Err(format!(
            "so many moments of the mannequin need about {needed:.2} GiB of memory, and {allowed:.2} \
             GiB are allowed; make `duration` or `rate` less, or `cell` larger, or raise --memory"
        ));
    }
    let (mut mesh, mut keys) = mannequin.moments();
    for key in &mut keys {
        std::mem::swap(&mut mesh.positions, &mut key.positions);
        loaded.fingerprint.extend(fingerprint(&mesh));
        std::mem::swap(&mut mesh.positions, &mut key.positions);
        key.time += begin;
    }
    SolidMesh::sequence(mesh.faces, keys).map_err(|error| error.to_string())
}

/// Heights that a body is taken to have in metres.
const HEIGHTS: std::ops::RangeInclusive<f64> = 0.3..=5.0;

fn read_character(
    base: &Path,
    body: &Character,
    loaded: &mut LoadedSolids,
) -> Result<SolidMesh, String> {
    let path = base.join(&body.file);
    let read = match &body.retarget {
        None => {
            let wish = MotionWish { animation: body.animation.as_deref(), rate: body.rate };
            import::read_motion(&path, wish)
        }
        Some(Retarget { motion, bones, rest_first, blend }) => {
            let (rate, blend, rest_first) = (body.rate, *blend, *rest_first);
            let wish = RetargetWish { rate, blend, names: bones, rest_first };
            import::read_retargeted(&path, &base.join(motion), wish)
        }
    };
    let read = read.map_err(|error| told(&error))?;
    let heights = read.moments[0].positions.iter().map(|at| at.y);
    let [low, high] = heights
        .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], y| [low.min(y), high.max(y)]);
    let height = high - low;
    if body.scale.is_none() && !HEIGHTS.contains(&height) {
        return Err(format!(
            "the body in {} is {height:.4} m high: a file in centimetres takes `scale = 0.01`; if it \
             is so, `scale = 1`",
            path.display()
        ));
    }
    let scale = body.scale.unwrap_or(1.0);
    let mut mesh = Mesh { positions: Vec::new(), faces: read.faces };
    let mut keys = Vec::with_capacity(read.moments.len());
    for moment in read.moments {
        mesh.positions = moment.positions;
        mesh.positions.iter_mut().for_each(|position| *position *= scale);
        loaded.fingerprint.extend(fingerprint(&mesh));
        let positions = std::mem::take(&mut mesh.positions);
        keys.push(SolidMeshKey { time: body.begin + moment.time, positions });
    }
    loaded.notes.push(format!(
        "{}: a body {:.3} m high, which moves for {:.2} s",
        path.display(),
        height * scale,
        keys.last().map_or(0.0, |key| key.time) - body.begin
    ));
    tell_leap(&path, &keys, &mut loaded.notes);
    loaded.notes.extend(read.notes.iter().map(|note| format!("{}: {note}", path.display())));
    SolidMesh::sequence(mesh.faces, keys).map_err(|error| error.to_string())
}

/// An error, with what to do about a file that holds no motion.
fn told(error: &ImportError) -> String {
    let still = match error {
        ImportError::Format {
            source: FormatError { fault: Fault::Missing { what }, .. }, ..
        } => what == "an animation",
        _ => false,
    };
    match still {
        true => format!("{error}; a body that does not move is a [solid.mesh]"),
        false => error.to_string(),
    }
}

/// Faster than this no limb is \[m/s\]: a frame is missing, or two bodies are in one file.
const FASTEST: f64 = 40.0;

/// Tells of a body that leaps between two of its moments.
fn tell_leap(name: &Path, keys: &[SolidMeshKey], notes: &mut Vec<String>) {
    let leap = |pair: &[SolidMeshKey]| {
        let ways = pair[0].positions.iter().zip(&pair[1].positions);
        let far = ways.map(|(from, to)| from.distance(*to)).fold(0.0, f64::max);
        (far, pair[1].time, far / (pair[1].time - pair[0].time))
    };
    let leaps = keys.windows(2).map(leap).filter(|(.., speed)| *speed > FASTEST);
    let worst = leaps.max_by(|a, b| a.2.total_cmp(&b.2));
    if let Some((far, time, speed)) = worst {
        notes.push(format!(
            "{}: up to {time:.3} s it moves {far:.2} m from one moment to the next, at {speed:.0} m/s: \
             are frames missing?",
            name.display()
        ));
    }
}

/// What is odd about a mesh, for the user to know.
fn tell_flaws(number: usize, shape: &Shape, notes: &mut Vec<String>) {
    let Shape::Mesh(mesh) = shape else { return };
    let flaws = mesh.flaws();
    let odd = [
        (flaws.flat, "triangles without area"),
        (flaws.duplicate, "duplicate triangles"),
        (flaws.border, "edges of one triangle only, so cloth is kept on both sides of it"),
    ];
    for (count, what) in odd.into_iter().filter(|(count, _)| *count > 0) {
        notes.push(format!("solid {number} has {count} {what}"));
    }
}

fn place(written: &SolidFile, shape: Shape) -> Solid {
    let open = matches!(&shape, Shape::Mesh(mesh) if !mesh.is_closed());
    Solid {
        shape,
        pose: Pose { turn: rotation(written.rotation), ..Pose::at(written.position) },
        motion: written.motion.clone(),
        thickness: written.thickness,
        friction: written.friction,
        side: written.side.unwrap_or(if open { Side::Both } else { Side::Outside }),
    }
}
