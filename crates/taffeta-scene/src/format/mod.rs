//! The scene format: sections and keys, each declared once with unit, default and range, read
//! into plain structs that remember the places they came from.

mod camera;
mod check;
mod cloth;
mod contact;
mod document;
mod fabric;
mod files;
mod garment;
mod guide;
mod kept;
mod key;
mod limits;
mod loads;
mod model;
mod motion;
mod output;
mod pin;
mod pull;
mod reader;
mod render;
mod seam;
mod solid;
mod stepping;
mod tear;

use std::path::{Path, PathBuf};

use taffeta::woven::Weave;
use taffeta::{
    Fabric, Integrator, Limiter, LoadKey, Loads, SelfContact, Solver, SpringKinds, StepLimits,
    StrainLimits,
};

pub use camera::{CameraFile, CameraKeyFile};
pub use check::{Checks, HeightCheck};
pub use cloth::{ClothFile, MeshFile, MeshRest, Shape};
pub use document::document;
pub use garment::{GarmentCut, GarmentFile, GarmentSeamFile, PanelFile};
pub use key::{Bounds, Key, Kind, Section};
pub use model::ClothModel;
pub use output::{Frames, Output};
pub use pin::{Carried, PinFile, Selection};
pub use pull::{PullFile, Pulled};
pub use reader::{Reader, nearest};
pub use render::{LOOKS, MOTIFS, RenderFile, TextureFile, TextureSource, WEAVES};
pub use seam::SeamFile;
pub use solid::{Character, Retarget, Sequence, SolidFile, SolidShape};
pub use tear::{StrengthMap, TearFile};

use crate::text::{Entry, Node, Override, Problem, Problems, SceneError, Sources, Value};

/// The top of the file.
pub const SCENE: Section = Section {
    heading: "",
    doc: "A scene is a TOML file. Lengths are in metres, y is up, angles in degrees.",
    keys: &[
        Key::new(
            "name",
            Kind::Text,
            "Name of the scene and of its folder, so without slashes; without it, the file's.",
        ),
        Key::new("seed", Kind::Count(0, u32::MAX), "Seed of everything random.").or("0"),
        Key::new("gravity", Kind::Vector("m/s²"), "Acceleration of gravity.")
            .or("[0.0, -9.81, 0.0]"),
        Key::new("fabric", Kind::Table, ""),
        Key::new("cloth", Kind::Table, "").required(),
        Key::new("pin", Kind::Table, ""),
        Key::new("pull", Kind::Table, ""),
        Key::new("seam", Kind::Table, ""),
        Key::new("solid", Kind::Table, ""),
        Key::new("contact", Kind::Table, ""),
        Key::new("weave", Kind::Table, ""),
        Key::new("tear", Kind::Table, ""),
        Key::new("air", Kind::Table, ""),
        Key::new("load", Kind::Table, ""),
        Key::new("model", Kind::Table, ""),
        Key::new("integrator", Kind::Table, ""),
        Key::new("solver", Kind::Table, ""),
        Key::new("limits", Kind::Table, ""),
        Key::new("limiter", Kind::Table, ""),
        Key::new("step", Kind::Table, ""),
        Key::new("frames", Kind::Table, ""),
        Key::new("output", Kind::Table, ""),
        Key::new("check", Kind::Table, ""),
        Key::new("camera", Kind::Table, ""),
        Key::new("render", Kind::Table, ""),
    ],
};

/// Every section, in the order of the documentation.
pub const SECTIONS: &[&Section] = &[
    &SCENE,
    &fabric::FABRIC,
    &cloth::CLOTH,
    &cloth::SHEET,
    &cloth::TUBE,
    &cloth::MESH,
    &garment::GARMENT,
    &garment::PANEL,
    &garment::EDGE,
    &garment::SEAM,
    &cloth::OWN_FABRIC,
    &cloth::OWN_LIMITS,
    &cloth::OWN_CONTACT,
    &cloth::OWN_CHECK,
    &pin::PIN,
    &pin::KEY,
    &guide::CURVE,
    &guide::CIRCLE,
    &guide::SPHERE,
    &guide::CYLINDER,
    &pull::PULL,
    &pull::PULL_KEY,
    &seam::SEAM,
    &solid::SOLID,
    &solid::PLANE,
    &solid::SPHERE,
    &solid::CAPSULE,
    &solid::CYLINDER,
    &solid::BOX,
    &solid::MESH,
    &solid::SEQUENCE,
    &solid::CHARACTER,
    &solid::MANNEQUIN,
    &solid::KEY,
    &contact::CONTACT,
    &tear::WEAVE,
    &tear::TEAR,
    &tear::COARSE,
    &tear::MAP,
    &tear::REGION,
    &tear::CUT,
    &loads::AIR,
    &loads::FAN,
    &loads::LOAD,
    &model::MODEL,
    &model::SPRINGS,
    &model::CONTINUUM,
    &stepping::INTEGRATOR,
    &stepping::EXPLICIT,
    &stepping::IMPLICIT,
    &stepping::SOLVER,
    &stepping::PCG,
    &stepping::DIRECT,
    &limits::LIMITS,
    &limits::LIMITER,
    &limits::CONSTRAINTS,
    &limits::IMPULSES,
    &limits::SWEEPS,
    &limits::STRIPS,
    &stepping::STEP,
    &output::FRAMES,
    &output::OUTPUT,
    &check::CHECK,
    &check::HEIGHT,
    &camera::CAMERA,
    &camera::KEY,
    &render::RENDER,
    &render::TEXTURE,
];

/// A scene as written: every value in range, but nothing loaded or built yet.
#[derive(Clone, Debug)]
pub struct SceneFile {
    /// Its name.
    pub name: String,
    /// Seed of everything random.
    pub seed: u32,
    /// What the cloth is made of.
    pub fabric: Fabric,
    /// The cloths' shapes and places, at least one.
    pub cloths: Vec<ClothFile>,
    /// What holds it.
    pub pins: Vec<PinFile>,
    /// What pulls single particles.
    pub pulls: Vec<PullFile>,
    /// What is sewn together.
    pub seams: Vec<SeamFile>,
    /// What it cannot enter.
    pub solids: Vec<SolidFile>,
    /// How it is woven.
    pub weave: Weave,
    /// How it tears, if it does.
    pub tear: Option<TearFile>,
    /// How it touches itself, if it does.
    pub self_contact: Option<SelfContact>,
    /// What pulls it.
    pub loads: Loads,
    /// How that changes.
    pub load_keys: Vec<LoadKey>,
    /// What the cloth is computed as.
    pub model: ClothModel,
    /// Rest lengths of warp and weft of a continuum, over those of the mesh.
    pub rest_stretch: [f64; 2],
    /// Which springs, if it is springs.
    pub springs: SpringKinds,
    /// How steps are integrated.
    pub integrator: Integrator,
    /// How linear systems are solved, where there are any.
    pub solver: Solver,
    /// How far the cloth may stretch.
    pub limits: Option<StrainLimits>,
    /// How that is kept.
    pub limiter: Limiter,
    /// How long steps may be.
    pub step: StepLimits,
    /// Which frames.
    pub frames: Frames,
    /// Where to.
    pub output: Output,
    /// What must hold.
    pub checks: Checks,
    /// Who looks at it.
    pub camera: CameraFile,
    /// How it is shown.
    pub render: RenderFile,
    /// The texts it was read from, for messages.
    pub sources: Sources,
    /// The folder that relative paths in it start from.
    pub base: PathBuf,
    /// The scene with its overrides, as it is kept with its frames: it can be run from anywhere.
    pub effective: String,
    /// The tree it was read from.
    pub(crate) root: Node,
}

/// Where a scene's text comes from.
#[derive(Clone, Copy, Debug)]
pub struct SceneText<'a> {
    /// The name shown in messages, a path or the like.
    pub origin: &'a str,
    /// The scene's name unless it has its own.
    pub name: &'a str,
    /// The folder that relative paths in it start from.
    pub base: &'a Path,
    /// The text.
    pub text: &'a str,
}

impl SceneFile {
    /// The only cloth, or the first of several.
    pub fn first_cloth(&self) -> &ClothFile {
        &self.cloths[0]
    }

    /// Whether a cloth has limits.
    pub fn is_limited(&self) -> bool {
        self.limits.is_some() || self.cloths.iter().any(|cloth| cloth.limits.is_some())
    }

    /// Whether any cloth is a garment, which is put on before the first frame.
    pub fn has_garment(&self) -> bool {
        self.cloths.iter().any(|cloth| matches!(cloth.shape, Shape::Garment(_)))
    }

    /// Reads a scene and applies overrides; every mistake is found in one go.
    pub fn read(scene: SceneText, overrides: &[Override]) -> Result<Self, SceneError> {
        let mut sources = vec![(scene.origin.to_string(), scene.text.to_string())];
        sources.extend(overrides.iter().map(|o| ("--set".to_string(), o.0.clone())));
        let sources = Sources(sources);
        let problems = Problems::default();
        let mut root = Node::parse(scene.text, 0, &problems);
        if !problems.is_empty() {
            // What could not be parsed looks missing; those messages would only distract.
            return Err(SceneError::new(&sources, problems.into_vec()));
        }
        for (i, change) in overrides.iter().enumerate() {
            change.apply(&mut root, i + 1, &problems);
        }
        let file = Self::read_tree(root, scene, &sources, overrides, &problems);
        if problems.is_empty() {
            Ok(file)
        } else {
            Err(SceneError::new(&sources, problems.into_vec()))
        }
    }

    fn read_tree(
        root: Node,
        scene: SceneText,
        sources: &Sources,
        overrides: &[Override],
        problems: &Problems,
    ) -> Self {
        let top = Reader::new(&root, &SCENE, problems);
        let (model, springs, rest_stretch) = model::read(&top);
        let (limits, limiter) = limits::read(&top);
        let (weave, tear) = tear::read(&top);
        let solver = stepping::read_solver(&top);
        refuse_unfit_name(&root, problems);
        let fabric = fabric::read(&top.table("fabric", &fabric::FABRIC));
        let loads = loads::read(&top);
        let frames = output::read_frames(&top.table("frames", &output::FRAMES));
        let cloths = cloth::read(&top, &fabric);
        Self {
            name: if top.has("name") { top.text("name") } else { scene.name.into() },
            seed: top.count("seed"),
            fabric,
            checks: check::read(&top, &cloths, frames),
            cloths,
            pins: pin::read(&top),
            pulls: pull::read(&top),
            seams: seam::read(&top),
            solids: solid::read(&top),
            weave,
            tear,
            self_contact: contact::read(&top, &fabric),
            loads,
            load_keys: loads::read_keys(&top, loads),
            model,
            rest_stretch,
            springs,
            integrator: stepping::read_integrator(
                &top,
                solver,
                model,
                (limits.is_some() || cloth::any_limits(&top)).then_some(&limiter),
            ),
            solver,
            limits,
            limiter,
            step: stepping::read_limits(&top.table("step", &stepping::STEP), frames.rate),
            frames,
            output: output::read_output(&top.table("output", &output::OUTPUT)),
            camera: camera::read(&top),
            render: render::read(&top),
            sources: sources.clone(),
            base: scene.base.into(),
            effective: kept::text(scene, overrides, &root, problems),
            root,
        }
    }
}

/// A scene's name becomes a folder's.
fn refuse_unfit_name(root: &Node, problems: &Problems) {
    let Some(Entry { node: Node { value: Value::Text(name), span }, .. }) = root.entry("name")
    else {
        return;
    };
    if name.trim().is_empty() || name.contains(['/', '\\']) || name == "." || name == ".." {
        let message = format!("`{name}` cannot be the name of a folder, which a scene's name is");
        let help = "write a name without slashes; --out and [output] folder choose other places";
        problems.add(Problem::at(span.clone(), message).help(help));
    }
}
