//! The cloths of a scene: shapes loaded and placed, one model of all of them, and what holds for each.

use std::ops::Range;

use glam::DVec3;
use taffeta::mesh::Faces;
use taffeta::{Mesh, Model, ModelError, OfCloth, SelfContact, StrainLimits};

use super::shape::{self, LoadedShape};
use super::{memory, place};
use crate::format::{ClothFile, ClothModel, SceneFile, Shape};
use crate::garment::Garment;
use crate::text::{Problem, Problems, Span};

/// All cloths, as one.
pub struct LoadedCloths {
    pub model: Model,
    /// Where the particles start [m].
    pub positions: Vec<DVec3>,
    /// All shapes at rest, each where its file has it.
    pub rest: Mesh,
    /// Bytes that stand for the content of files.
    pub fingerprint: Vec<u8>,
    pub notes: Vec<String>,
    /// What each cloth was cut from, if it is a garment.
    pub garments: Vec<Option<Garment>>,
    /// Each cloth by itself.
    pub models: Vec<Model>,
}

/// Loads every cloth; problems are noted.
pub fn load(file: &SceneFile, memory: u64, problems: &Problems) -> Option<LoadedCloths> {
    let load = |cloth| shape::load(file, cloth, memory, problems);
    let shapes: Vec<Option<LoadedShape>> = file.cloths.iter().map(load).collect();
    let mut shapes: Vec<LoadedShape> = shapes.into_iter().collect::<Option<_>>()?;
    let garments: Vec<Option<Garment>> =
        shapes.iter_mut().map(|shape| shape.garment.take()).collect();
    let particles: u64 = shapes.iter().map(|shape| shape.mesh.positions.len() as u64).sum();
    if let (Some(why), true) = (memory::too_many(file, particles, memory), shapes.len() > 1) {
        problems.add(Problem::at(file.first_cloth().span.clone(), why));
        return None;
    }
    let mut parts = Vec::new();
    for (cloth, shape) in file.cloths.iter().zip(&shapes) {
        match model(file, cloth, shape) {
            Ok(model) => parts.push((cloth.name.clone(), model)),
            Err(error) => super::note_model_error(file, cloth, &error, problems),
        }
    }
    if !problems.is_empty() {
        return None;
    }
    let models = parts.iter().map(|(_, model)| model.clone()).collect();
    let model = together(file, parts, problems)?;
    let placed = file.cloths.iter().zip(&shapes).zip(&garments);
    let placed = placed.flat_map(|((cloth, shape), garment)| match garment {
        // Its panels are placed already.
        Some(_) => shape.mesh.positions.clone(),
        None => place::place(&shape.mesh.positions, cloth, file.seed),
    });
    Some(LoadedCloths {
        model,
        positions: placed.collect(),
        garments,
        models,
        fingerprint: shapes.iter().flat_map(|shape| shape.fingerprint.clone()).collect(),
        notes: shapes.iter().flat_map(|shape| shape.notes.clone()).collect(),
        rest: all(shapes),
    })
}

fn model(file: &SceneFile, cloth: &ClothFile, shape: &LoadedShape) -> Result<Model, ModelError> {
    let mesh = &shape.mesh;
    match file.model {
        ClothModel::Springs => Model::mass_spring_of(mesh, &cloth.fabric, file.springs),
        ClothModel::Continuum if matches!(cloth.shape, Shape::Garment(_)) => {
            Model::tailored(mesh, &cloth.fabric)
        }
        ClothModel::Continuum => {
            let model = match &shape.cut {
                Some(cut) => Model::tailored_as(mesh, cut, &cloth.fabric)?,
                None => Model::continuum(mesh, &cloth.fabric)?,
            };
            model.with_rest_stretch(&vec![file.rest_stretch; mesh.faces.len()])
        }
    }
}

/// One model of all; a single cloth without a name stays what it is.
fn together(
    file: &SceneFile,
    mut parts: Vec<(Option<String>, Model)>,
    problems: &Problems,
) -> Option<Model> {
    if let [(None, _)] = parts[..] {
        return parts.pop().map(|(_, model)| model);
    }
    let named = parts.into_iter().map(|(name, model)| (name.unwrap_or_default(), model));
    let refuse = |error: ModelError| {
        problems.add(Problem::at(file.first_cloth().span.clone(), error.to_string()));
    };
    Model::together(named.collect()).map_err(refuse).ok()
}

/// All shapes in one mesh.
fn all(shapes: Vec<LoadedShape>) -> Mesh {
    let mut shapes = shapes.into_iter().map(|shape| shape.mesh);
    let mut all = shapes.next().unwrap_or(Mesh { positions: Vec::new(), faces: Faces::new() });
    for shape in shapes {
        let first = all.positions.len() as u32;
        all.positions.extend(shape.positions);
        for corners in shape.faces.iter() {
            let corners: Vec<u32> = corners.iter().map(|corner| corner + first).collect();
            all.faces.push(&corners);
        }
    }
    all
}

/// The limits of all: those of `[limits]`, or else the first that a cloth has of its own.
pub fn limits(file: &SceneFile) -> Option<StrainLimits> {
    file.limits.or_else(|| file.cloths.iter().find_map(|cloth| cloth.limits))
}

/// What holds for each cloth by itself; nothing where nothing differs.
pub fn of_cloths(file: &SceneFile) -> Vec<OfCloth> {
    let named = file.cloths.iter().all(|cloth| cloth.name.is_some());
    let shared = file.root.entry("contact").and_then(|contact| contact.node.entry("thickness"));
    let all = file.self_contact.map(|contact| contact.thickness).filter(|_| shared.is_some());
    let friction = file.self_contact.map_or(0.0, |contact| contact.friction);
    let own = |cloth: &ClothFile| OfCloth {
        limits: cloth.limits.or(file.limits).unwrap_or(StrainLimits::NONE),
        contact: SelfContact {
            thickness: cloth.contact[1].or(all).unwrap_or(cloth.fabric.thickness),
            friction: cloth.contact[0].unwrap_or(friction),
        },
    };
    let own: Vec<OfCloth> = file.cloths.iter().map(own).collect();
    let limits = limits(file).unwrap_or(StrainLimits::NONE);
    let like_all = |of: &OfCloth| {
        let touches = file.self_contact.is_none_or(|contact| contact == of.contact);
        of.limits == limits && touches
    };
    if !named || own.iter().all(like_all) { Vec::new() } else { own }
}

/// The particles of a cloth named in a scene, or all where none is; problems are noted.
pub fn named_particles(
    model: &Model,
    name: Option<&(String, Span)>,
    problems: &Problems,
) -> Option<Range<u32>> {
    let Some((name, span)) = name else { return Some(0..model.particles() as u32) };
    let found = model.cloths().iter().find(|cloth| cloth.name == *name);
    if found.is_none() {
        let names: Vec<&str> = model.cloths().iter().map(|cloth| cloth.name.as_str()).collect();
        let help = match names.is_empty() {
            true => "there is one [cloth] only, which has no name".into(),
            false => format!("there are {}", names.join(", ")),
        };
        problems.add(Problem::at(span.clone(), format!("no cloth is `{name}`")).help(help));
    }
    found.map(|cloth| cloth.particles.clone())
}

/// Refuses to guess which of several cloths is meant.
pub fn refuse_unnamed(model: &Model, span: &Span, problems: &Problems) -> bool {
    let several = model.cloths().len() > 1;
    if several {
        let names: Vec<&str> = model.cloths().iter().map(|cloth| cloth.name.as_str()).collect();
        let problem = Problem::at(span.clone(), "of which cloth, if there are several?");
        problems.add(problem.help(format!("name it by `cloth`: one of {}", names.join(", "))));
    }
    several
}
