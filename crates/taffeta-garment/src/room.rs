//! The cloths of a scene while garments are put on: which are there, where, and the simulations that
//! they take part in.

use std::sync::atomic::{AtomicBool, Ordering};

use glam::DVec3;
use taffeta::{
    Gauge, Model, ModelError, Motion, Setup, Shape, Simulation, Solid, SolidMesh, StrainLimits,
};

use crate::garment::{Garment, Piece};
use crate::progress::{DressError, Progress, Stage};

/// Frames a second in which dressing goes on and can be stopped.
pub(crate) const RATE: f64 = 60.0;

/// The garments of a scene, to be put on.
#[derive(Clone, Debug)]
pub struct Dressing {
    /// The cloths of the scene, in its order.
    pub pieces: Vec<Piece>,
    /// The simulation of the scene, which is to begin; where garments are in it does not matter.
    pub setup: Setup,
    /// What holds other particles of the scene together.
    pub bonds: Vec<taffeta::Seam>,
    /// When the simulation begins: where solids stand then, they stand all the while \[s\].
    pub time: f64,
}

/// Who listens to dressing.
pub(crate) struct Listener<'a> {
    pub stop: &'a AtomicBool,
    pub progress: &'a mut dyn FnMut(Progress),
}

impl Dressing {
    /// The garments, each with its place among the cloths of the scene.
    pub fn garments(&self) -> impl Iterator<Item = (usize, &Garment)> {
        let garment = |(number, piece)| Some((number, Piece::garment(piece)?));
        self.pieces.iter().enumerate().filter_map(garment)
    }

    /// All cloth of the scene, sewn.
    pub fn model(&self) -> Result<Model, ModelError> {
        let pieces = self.pieces.iter().enumerate();
        let models: Result<Vec<(usize, Model)>, ModelError> =
            pieces.map(|(number, piece)| Ok((number, piece.model()?))).collect();
        let model = self.together(models?)?;
        if self.bonds.is_empty() { Ok(model) } else { model.with_seams(&self.bonds) }
    }

    /// The number of a cloth's first particle in the scene.
    pub(crate) fn first(&self, piece: usize) -> usize {
        self.pieces[..piece].iter().map(Piece::particles).sum()
    }

    /// Some of the cloths as one model; a single cloth without a name stays what it is.
    fn together(&self, mut models: Vec<(usize, Model)>) -> Result<Model, ModelError> {
        let cloths = self.setup.model.cloths();
        match (cloths.is_empty(), models.len()) {
            (true, 1) => Ok(models.remove(0).1),
            _ => {
                let name = |number: usize| cloths.get(number).map(|cloth| cloth.name.clone());
                let named = |(number, model)| (name(number).unwrap_or_default(), model);
                Model::together(models.into_iter().map(named).collect())
            }
        }
    }

    /// The simulation of those cloths that are there, in which solids stand where they are in the end
    /// and nothing else is held or pulled.
    pub(crate) fn setup_of(&self, there: Vec<There>) -> Result<Setup, DressError> {
        let of_cloth = |there: &There| self.setup.of_cloths.get(there.piece).copied();
        let of_cloths = there.iter().filter_map(of_cloth).collect();
        let positions = there.iter().flat_map(|there| there.places.clone()).collect();
        let models = there.into_iter().map(|there| (there.piece, there.model)).collect();
        let model = self.together(models)?;
        let mut setup = Setup { model: model.into(), positions, of_cloths, ..self.setup.clone() };
        setup.pins.clear();
        setup.pulls.clear();
        setup.load_keys.clear();
        setup.solids = self.standing();
        Ok(setup)
    }

    /// The distance that layers of a cloth keep \[m\].
    pub(crate) fn thickness(&self, piece: usize) -> f64 {
        let own = self.setup.of_cloths.get(piece).map(|own| own.contact.thickness);
        let all = own.or(self.setup.self_contact.map(|contact| contact.thickness));
        let fabric = self.pieces[piece].garment().map(|garment| garment.fabric.thickness);
        all.or(fabric).unwrap_or(0.0)
    }

    /// The solids where they are when the simulation begins, and there they stay.
    fn standing(&self) -> Vec<Solid> {
        let stand = |solid: &Solid| Solid {
            shape: match &solid.shape {
                Shape::Mesh(mesh) if mesh.deforms() => {
                    match SolidMesh::new(solid.shape.mesh_at(self.time)) {
                        Ok(still) => Shape::Mesh(still.into()),
                        // It was sound with all its keys.
                        Err(_) => solid.shape.clone(),
                    }
                }
                shape => shape.clone(),
            },
            pose: solid.pose_at(self.time),
            motion: Motion::still(),
            ..solid.clone()
        };
        self.setup.solids.iter().map(stand).collect()
    }
}

/// A cloth that takes part in a simulation, as it begins.
pub(crate) struct There {
    pub piece: usize,
    pub model: Model,
    pub places: Vec<DVec3>,
}

/// Where the cloths are that are on already.
pub(crate) struct Worn {
    pub places: Vec<Option<Vec<DVec3>>>,
}

impl Worn {
    /// Nothing but the cloths that are no garments.
    pub fn new(dressing: &Dressing) -> Self {
        let place = |(number, piece): (usize, &Piece)| {
            let first = dressing.first(number);
            let own = first..first + piece.particles();
            piece.garment().is_none().then(|| dressing.setup.positions[own].to_vec())
        };
        Self { places: dressing.pieces.iter().enumerate().map(place).collect() }
    }

    /// All of them, in the scene's order.
    pub fn all(&self, dressing: &Dressing) -> Result<Vec<There>, DressError> {
        let mut all = Vec::new();
        for (piece, places) in self.places.iter().enumerate() {
            if let Some(places) = places {
                let model = dressing.pieces[piece].model()?;
                all.push(There { piece, model, places: places.clone() });
            }
        }
        Ok(all)
    }

    /// Notes where they are now.
    pub fn take(&mut self, positions: &[DVec3]) {
        let mut begin = 0;
        for places in self.places.iter_mut().flatten() {
            let end = begin + places.len();
            places.copy_from_slice(&positions[begin..end]);
            begin = end;
        }
    }
}

/// Frees cloth of limits that it is beyond already; tells whether any is. A limiter that mended that at
/// once would press layers through each other.
pub(crate) fn loosen(setup: &mut Setup) -> bool {
    let positions = &setup.positions;
    let is_beyond = |limits: &StrainLimits, gauges: &[Gauge]| {
        gauges.iter().map(|gauge| gauge.strain(positions)).any(|strain| {
            strain > limits.extension || limits.compression.is_some_and(|most| -strain > most)
        })
    };
    let gauges = setup.model.gauges();
    let any = match (setup.limits, setup.of_cloths.is_empty()) {
        (None, _) => false,
        (Some(limits), true) => is_beyond(&limits, gauges),
        (Some(_), false) => setup.of_cloths.iter().zip(setup.model.cloths()).any(|(own, cloth)| {
            let own_gauges = cloth.gauges.start as usize..cloth.gauges.end as usize;
            is_beyond(&own.limits, &gauges[own_gauges])
        }),
    };
    if any {
        setup.limits = None;
    }
    any
}

pub(crate) fn advance(
    simulation: &mut Simulation,
    time: f64,
    stage: Stage,
    stop: &AtomicBool,
) -> Result<(), DressError> {
    if stop.load(Ordering::Relaxed) {
        return Err(DressError::Stopped);
    }
    match simulation.advance_to(time) {
        Err(_) if stop.load(Ordering::Relaxed) => Err(DressError::Stopped),
        Err(source) => Err(DressError::Step { stage, source }),
        Ok(_) => Ok(()),
    }
}
