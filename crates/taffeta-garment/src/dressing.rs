//! Dressing: panels around a body are drawn together along their seams, joined, and come to rest on
//! it. What comes out is how a simulation of the garment begins.
//!
//! Seams are closed by a simulation of the panels, with limits, solids and self-contact as in any
//! other, so that nothing is stretched by the gaps or passes through anything. Layers keep a distance
//! from each other, so seams close up to that; joining their particles moves each by half of it, and a
//! simulation of the garment brings what that strained into its limits again.

use std::sync::atomic::{AtomicBool, Ordering};

use glam::DVec3;
use taffeta::collision::{Surface, intersections};
use taffeta::{
    Air, Fabric, Mesh, Model, ModelError, Motion, SelfContact, Setup, SetupError, Shape,
    Simulation, Solid, SolidMesh, StepError,
};

use crate::cut::Cut;
use crate::sewn::Sewn;

/// Frames a second in which dressing goes on and can be stopped.
const RATE: f64 = 60.0;

/// Force per distance of each pair of particles that is drawn together \[N/m\].
const PULL: f64 = 1000.0;

/// Seams are closed when their particles are this many thicknesses of the cloth from each other.
const CLOSED: f64 = 0.75;

/// Pairs of particles as many thicknesses apart are joined before all of their seam is closed.
const JOINED: f64 = 1.25;

/// How often layers may come to lie twice as close.
const HALVINGS: u32 = 4;

/// Seams that come no nearer than by this share in so many frames are held up by layers between.
const HELD_UP: (f64, usize) = (0.03, 8);

/// A garment to be put on.
#[derive(Clone, Debug)]
pub struct Dressing {
    /// The panels.
    pub cut: Cut,
    /// What they are sewn to.
    pub sewn: Sewn,
    /// What each seam is called.
    pub seams: Vec<String>,
    /// What the panels are made of.
    pub fabric: Fabric,
    /// Rest lengths of warp and weft for each face, over those it is cut with.
    pub rest: Vec<[f64; 2]>,
    /// The simulation of the garment, which is to begin; its places do not matter.
    pub setup: Setup,
    /// When that begins: where solids stand then, they stand all the while \[s\].
    pub time: f64,
    /// The time in which the gap of a seam falls to 1/e \[s\].
    pub pull: f64,
    /// The longest that seams may take to close \[s\].
    pub patience: f64,
    /// How long the garment then falls and comes to rest \[s\].
    pub settle: f64,
}

/// How far dressing is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// What is being done.
    pub stage: Stage,
    /// For how long, of the time there is for it \[s\].
    pub time: [f64; 2],
    /// The widest gap of any seam \[m\].
    pub gap: f64,
}

/// What dressing does, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Seams are drawn together.
    Sewing,
    /// The garment falls on the body.
    Settling,
}

/// Why a garment could not be put on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DressError {
    /// Somebody asked to stop.
    #[error("dressing was stopped")]
    Stopped,
    /// A seam is still open.
    #[error(
        "seam {seam} does not close: after {after} s its ends are {gap:.4} m apart near ({:.3}, {:.3}, \
         {:.3}), and {others} other seams are open; is something between them, is a panel too small, \
         or is the seam twisted?", at[0], at[1], at[2]
    )]
    Open {
        /// The name of the widest seam.
        seam: String,
        /// How wide \[m\].
        gap: f64,
        /// Where \[m\].
        at: [f64; 3],
        /// How many others are open.
        others: usize,
        /// How long it took \[s\].
        after: f64,
    },
    /// The garment passes through itself.
    #[error(
        "the sewn garment passes through itself at {count} places, first near ({:.3}, {:.3}, {:.3}); \
         panels that start apart, and off the body, come together cleanly", at[0], at[1], at[2]
    )]
    Tangled {
        /// How often.
        count: usize,
        /// Where first \[m\].
        at: [f64; 3],
    },
    /// The panels make no cloth.
    #[error("the panels make no cloth: {0}")]
    Model(#[from] ModelError),
    /// The simulation cannot begin.
    #[error("the panels cannot be simulated: {0}")]
    Setup(#[from] SetupError),
    /// The simulation cannot go on.
    #[error("while {}: {source}", match stage { Stage::Sewing => "seams were drawn together", Stage::Settling => "the garment settled" })]
    Step {
        /// What was being done.
        stage: Stage,
        /// Why.
        source: StepError,
    },
}

impl Dressing {
    /// Puts the garment on, and tells where its particles are then.
    pub fn dress(
        &self,
        stop: &AtomicBool,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Vec<DVec3>, DressError> {
        let of_panels = self.sew(stop, progress)?;
        let mesh = self.sewn.mesh(&self.cut, &of_panels);
        let garment = self.garment(&mesh)?;
        self.settle(garment, stop, progress)
    }

    /// The cloth of the garment, with its particles where the mesh has them.
    pub fn garment(&self, mesh: &Mesh) -> Result<Model, ModelError> {
        Model::tailored(mesh, &self.fabric)?.with_rest_stretch(&self.rest)
    }

    /// Draws the seams together, and tells where the particles of the panels are then.
    ///
    /// What has come together is joined on the way, as a zip closes: neighbours of a joint may then pass
    /// each other where they came together crosswise. Where even so seams come no nearer, since many
    /// layers lie between their ends, as under the arms, layers lie closer from there on.
    fn sew(
        &self,
        stop: &AtomicBool,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Vec<DVec3>, DressError> {
        let closed = CLOSED * self.thickness();
        let most = (self.patience * RATE).ceil() as u32;
        let (mut places, mut joined) = (self.cut.places.clone(), Vec::new());
        let (mut frame, mut halved) = (0, 0);
        while frame < most && halved <= HALVINGS {
            let part = Sewn::joining(&self.cut, &joined);
            let thickness = self.thickness() / f64::from(1u32 << halved);
            let mut simulation = Simulation::new(self.panels(&part, &places, thickness)?)?;
            let (begin, mut gaps) = (frame, vec![f64::INFINITY]);
            while frame < most && is_nearing(&gaps) {
                frame += 1;
                advance(&mut simulation, f64::from(frame - begin) / RATE, Stage::Sewing, stop)?;
                places = part.spread(&simulation.state().positions);
                let gap = self.widest(&places).1;
                let time = [f64::from(frame) / RATE, self.patience];
                progress(Progress { stage: Stage::Sewing, time, gap });
                if gap <= closed && self.joins_cleanly(&places) {
                    return Ok(places);
                }
                gaps.push(gap);
            }
            let near = self.together(&places, JOINED * thickness);
            if near.len() > joined.len() {
                joined = near;
            } else {
                halved += 1;
            }
        }
        Err(self.open(&places, closed))
    }

    /// The pairs that have come together. One alone would hang by a point, and is left.
    fn together(&self, at: &[DVec3], near: f64) -> Vec<[u32; 2]> {
        let is_near = |[a, b]: &[u32; 2]| at[*a as usize].distance(at[*b as usize]) <= near;
        let of_seam = |pairs: &Vec<[u32; 2]>| -> Vec<[u32; 2]> {
            let near: Vec<bool> = pairs.iter().map(is_near).collect();
            let beside = |i: usize| (i > 0 && near[i - 1]) || near.get(i + 1) == Some(&true);
            (0..pairs.len()).filter(|&i| near[i] && beside(i)).map(|i| pairs[i]).collect()
        };
        self.cut.seams.iter().flat_map(of_seam).collect()
    }

    /// The simulation in which the panels come together: nothing falls, and nothing rubs. `part` says
    /// what is joined already.
    fn panels(&self, part: &Sewn, places: &[DVec3], thickness: f64) -> Result<Setup, DressError> {
        let mesh = part.mesh(&self.cut, places);
        let all = self.cut.seams.iter().flatten();
        let pairs = all.map(|pair| pair.map(|particle| part.of[particle as usize]));
        let pairs = pairs.filter(|[a, b]| a != b).collect();
        let seam = taffeta::Seam { pairs, stiffness: PULL, time: self.pull };
        let model = self.garment(&mesh)?.with_seams(&[seam])?;
        let mut setup =
            Setup { model: model.into(), positions: mesh.positions, ..self.setup.clone() };
        setup.pins.clear();
        setup.pulls.clear();
        setup.load_keys.clear();
        setup.loads.gravity = DVec3::ZERO;
        setup.loads.fan = None;
        setup.loads.air = Some(Air { density: 1.2, drag: 1.2, wind: DVec3::ZERO });
        setup.solids = self.standing();
        setup.solids.iter_mut().for_each(|solid| solid.friction = 0.0);
        setup.self_contact = Some(SelfContact { thickness, friction: 0.0 });
        Ok(setup)
    }

    /// Lets the sewn garment fall, and tells where its particles come to rest.
    fn settle(
        &self,
        model: Model,
        stop: &AtomicBool,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Vec<DVec3>, DressError> {
        let positions = model.rest_places().to_vec();
        let mut setup = Setup { model: model.into(), positions, ..self.setup.clone() };
        setup.pulls.clear();
        setup.load_keys.clear();
        setup.solids = self.standing();
        setup.pins.iter_mut().for_each(|pin| pin.motion = Motion::still());
        let friction = setup.self_contact.map_or(0.0, |contact| contact.friction);
        setup.self_contact = Some(SelfContact { thickness: self.thickness(), friction });
        let mut simulation = Simulation::new(setup)?;
        let frames = (self.settle * RATE).ceil().max(1.0) as u32;
        for frame in 1..=frames {
            let time = f64::from(frame) / RATE;
            advance(&mut simulation, time, Stage::Settling, stop)?;
            let time = [time, f64::from(frames) / RATE];
            progress(Progress { stage: Stage::Settling, time, gap: 0.0 });
        }
        let found = simulation.intersections();
        let positions = &simulation.state().positions;
        match found.first() {
            Some(first) => {
                let at = positions[first.edge[0] as usize].to_array();
                Err(DressError::Tangled { count: found.len(), at })
            }
            None => Ok(positions.clone()),
        }
    }

    /// Whether the garment passes through itself nowhere if particles of the panels are joined here.
    fn joins_cleanly(&self, of_panels: &[DVec3]) -> bool {
        let surface = Surface::new(&self.sewn.faces(&self.cut), self.sewn.particles);
        intersections(&surface, &self.sewn.middles(of_panels)).is_empty()
    }

    /// The distance that layers keep \[m\].
    fn thickness(&self) -> f64 {
        self.setup.self_contact.map_or(self.fabric.thickness, |contact| contact.thickness)
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

    /// The seam with the widest gap, the gap, and a particle there.
    fn widest(&self, at: &[DVec3]) -> (usize, f64, u32) {
        let mut widest = (0, 0.0, 0);
        for (seam, pairs) in self.cut.seams.iter().enumerate() {
            for &[a, b] in pairs {
                let gap = at[a as usize].distance(at[b as usize]);
                if gap > widest.1 {
                    widest = (seam, gap, a);
                }
            }
        }
        widest
    }

    fn open(&self, at: &[DVec3], closed: f64) -> DressError {
        let (seam, gap, particle) = self.widest(at);
        let is_open = |pairs: &&Vec<[u32; 2]>| {
            pairs.iter().any(|&[a, b]| at[a as usize].distance(at[b as usize]) > closed)
        };
        DressError::Open {
            seam: self.seams.get(seam).cloned().unwrap_or_default(),
            gap,
            at: at[particle as usize].to_array(),
            others: self.cut.seams.iter().filter(is_open).count().saturating_sub(1),
            after: self.patience,
        }
    }
}

/// Whether gaps still become smaller.
fn is_nearing(gaps: &[f64]) -> bool {
    let (share, frames) = HELD_UP;
    let least = |gaps: &[f64]| gaps.iter().copied().fold(f64::INFINITY, f64::min);
    let Some(before) = gaps.len().checked_sub(frames).filter(|before| *before > 1) else {
        return true;
    };
    least(&gaps[before..]) < (1.0 - share) * least(&gaps[..before])
}

fn advance(
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
