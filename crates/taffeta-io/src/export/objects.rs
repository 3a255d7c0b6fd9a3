//! What an export holds: the cloth, or each of several by its name, and the solids it met.

use std::ops::RangeInclusive;
use std::sync::Arc;

use glam::{DVec2, DVec3};
use taffeta::mesh::Faces;
use taffeta::{Cloth, Frame, Shape, Solid};

use super::{ExportError, frames};
use crate::{FrameSource, SourceError, UpAxis};

/// Seconds over which the velocity of a solid's surface is taken.
const MOMENT: f64 = 1e-3;

/// One of the things in a run.
#[derive(Clone)]
pub(super) struct Object {
    /// Letters, digits and underscores, as every format takes them.
    pub name: String,
    kind: Kind,
}

#[derive(Clone)]
enum Kind {
    /// All of the cloth.
    Whole,
    /// One of several cloths.
    Cloth(Cloth),
    /// A solid.
    Solid(Arc<Vec<Solid>>, usize),
}

impl Object {
    fn is_still(&self) -> bool {
        let Kind::Solid(solids, number) = &self.kind else { return false };
        let Solid { shape, motion, .. } = &solids[*number];
        let deforms = matches!(shape, Shape::Mesh(mesh) if mesh.deforms());
        motion.keys.is_empty() && !deforms
    }
}

/// Everything there is: the cloth first, called `single` if it is one only.
pub(super) fn objects(
    source: &mut dyn FrameSource,
    single: &str,
) -> Result<Vec<Object>, ExportError> {
    let cloths = frames::first(source)?.cloths.to_vec();
    let number = *source.numbers().start();
    let solids = source.bodies().map_err(|source| ExportError::Read { frame: number, source })?;
    let mut found = match cloths.is_empty() {
        true => vec![Object { name: single.into(), kind: Kind::Whole }],
        false => Vec::new(),
    };
    for cloth in cloths {
        let name = free(identifier(&cloth.name), &found);
        found.push(Object { name, kind: Kind::Cloth(cloth) });
    }
    for number in 0..solids.len() {
        let name = free(format!("solid_{number}"), &found);
        found.push(Object { name, kind: Kind::Solid(solids.clone(), number) });
    }
    Ok(found)
}

/// A name that every format takes.
fn identifier(name: &str) -> String {
    let fits = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
    let name: String = name.chars().map(fits).collect();
    match name.starts_with(|first: char| first.is_ascii_digit()) {
        true => format!("_{name}"),
        false => name,
    }
}

/// The name, longer if another has it.
fn free(mut name: String, others: &[Object]) -> String {
    while others.iter().any(|other| other.name == name) {
        name.push('_');
    }
    name
}

/// One thing's frames.
pub(super) struct Single<'a> {
    source: &'a mut dyn FrameSource,
    object: &'a Object,
    /// The revision whose faces are kept.
    revision: Option<u64>,
    faces: Faces,
    positions: Vec<DVec3>,
    velocities: Vec<DVec3>,
}

impl<'a> Single<'a> {
    pub fn new(source: &'a mut dyn FrameSource, object: &'a Object) -> Self {
        let (positions, velocities) = (Vec::new(), Vec::new());
        Self { source, object, revision: None, faces: Faces::new(), positions, velocities }
    }

    fn solid(&mut self, solid: &Solid, number: u32) -> Result<Frame<'_>, SourceError> {
        let up = self.source.up();
        let frame = self.source.read(number)?;
        let surface = solid.surface_at(frame.time);
        let [before, after] =
            [-0.5, 0.5].map(|share| solid.surface_at(frame.time + share * MOMENT).positions);
        let speed = |(from, to): (&DVec3, &DVec3)| up.turn((*to - *from) / MOMENT);
        self.velocities = before.iter().zip(&after).map(speed).collect();
        self.positions = surface.positions.iter().map(|place| up.turn(*place)).collect();
        self.faces = surface.faces;
        Ok(Frame {
            revision: 0,
            faces: &self.faces,
            positions: &self.positions,
            velocities: &self.velocities,
            yarns: None,
            cloths: &[],
            ..frame
        })
    }
}

impl FrameSource for Single<'_> {
    /// Those of the run; of what neither moves nor changes, the first.
    fn numbers(&self) -> RangeInclusive<u32> {
        let all = self.source.numbers();
        if self.object.is_still() { *all.start()..=*all.start() } else { all }
    }

    fn rate(&self) -> f64 {
        self.source.rate()
    }

    fn up(&self) -> UpAxis {
        self.source.up()
    }

    fn codes_per_second(&self) -> f64 {
        self.source.codes_per_second()
    }

    fn read(&mut self, number: u32) -> Result<Frame<'_>, SourceError> {
        match &self.object.kind {
            Kind::Whole => self.source.read(number),
            Kind::Solid(solids, place) => {
                let solids = solids.clone();
                self.solid(&solids[*place], number)
            }
            Kind::Cloth(cloth) => {
                let frame = self.source.read(number)?;
                let own = cloth.particles.start as usize..cloth.particles.end as usize;
                let [Some(positions), Some(velocities)] =
                    [frame.positions, frame.velocities].map(|all| all.get(own.clone()))
                else {
                    return Err(format!("it lacks particles of `{}`", cloth.name).into());
                };
                if self.revision != Some(frame.revision) {
                    self.faces = faces_of(cloth, frame.faces);
                    self.revision = Some(frame.revision);
                }
                let faces = &self.faces;
                Ok(Frame { faces, positions, velocities, yarns: None, cloths: &[], ..frame })
            }
        }
    }
}

/// A cloth's own faces over its own particles. Texture coordinates that are all zero stand in for none,
/// beside cloth that has some.
fn faces_of(cloth: &Cloth, all: &Faces) -> Faces {
    let (mut faces, mut uvs) = (Faces::new(), Vec::new());
    for face in cloth.faces.start as usize..(cloth.faces.end as usize).min(all.len()) {
        let corner = |corner: &u32| corner.wrapping_sub(cloth.particles.start);
        let corners: Vec<u32> = all.corners(face).iter().map(corner).collect();
        faces.push(&corners);
        uvs.extend_from_slice(all.corner_uvs(face).unwrap_or_default());
    }
    if uvs.iter().any(|uv| *uv != DVec2::ZERO) {
        // There is one for each corner, as there is in all.
        faces.set_uvs(uvs);
    }
    faces
}
