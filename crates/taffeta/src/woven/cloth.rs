//! Woven cloth at the resolution of its yarns, and the model it is once it has torn (MBCN09 §3).
//!
//! The whole cloth is an ordinary model of springs on a sheet. What has torn since is told by
//! [`Tears`]; the model of torn cloth is made from both, anew with each change, so that a run that
//! is resumed has the same arrays in the same order.

use std::sync::Arc;

use taffeta_linalg::both;

use super::lattice::Lattice;
use super::tearing::Tearing;
use super::tears::{Bond, Tears};
use super::weave::Weave;
use crate::error::SetupError;
use crate::geometry::mesh::{Faces, Sheet};
use crate::matter::elements::{Buckle, Spring, Strut};
use crate::matter::gauge::Gauge;
use crate::matter::model::{
    ElementList, GridElements, Incidence, Model, Thread, Yarn, YarnPoint, Yarns,
};

/// Woven cloth: every row of a sheet is a warp yarn, every column a weft yarn.
#[derive(Clone, Debug)]
pub struct Woven {
    /// The cloth before anything tore.
    pub(crate) whole: Arc<Model>,
    pub(crate) columns: u32,
    pub(crate) rows: u32,
    pub(crate) weave: Weave,
    /// How far warp and weft are apart [m].
    pub(crate) thickness: f64,
    /// How it tears.
    pub(crate) tearing: Tearing,
    /// For each edge of the whole cloth, which way it runs.
    pub(crate) threads: Vec<Thread>,
    /// From each crossing, the edge to the next column and that to the next row.
    pub(crate) onward: Vec<[Option<u32>; 2]>,
    /// What each edge of the whole cloth bears before it tears.
    pub(crate) strengths: Vec<f64>,
    /// The cells of coarse cloth.
    pub(crate) lattice: Lattice,
}

/// A place in the weave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Crossing {
    pub column: u32,
    pub row: u32,
}

impl Woven {
    /// Weaves a sheet of springs, `whole`, with yarns whose middles are `thickness` \[m\] apart where
    /// they cross.
    pub fn new(
        whole: Model,
        sheet: &Sheet,
        (weave, thickness): (Weave, f64),
        tearing: Tearing,
    ) -> Result<Self, SetupError> {
        let grid = &whole.grid;
        let springs_only = whole.membranes.is_empty()
            && whole.bending.is_none()
            && grid.corners.all.is_empty()
            && grid.folds.all.is_empty();
        if !springs_only || sheet.particles() != Some(whole.particles() as u32) {
            return Err(SetupError::TearingNeedsSprings);
        }
        let mut woven = Self {
            columns: sheet.columns,
            rows: sheet.rows,
            threads: Vec::with_capacity(whole.structural),
            onward: vec![[None; 2]; whole.particles()],
            strengths: Vec::new(),
            lattice: Lattice::new(
                sheet.columns,
                sheet.rows,
                tearing.coarse.map_or(1, |coarse| coarse.size.max(1)),
            ),
            whole: Arc::new(whole),
            weave,
            thickness,
            tearing,
        };
        woven.number_edges();
        woven.check()?;
        woven.strengths = woven.tearing.strengths(woven.threads.len());
        Ok(woven)
    }

    fn number_edges(&mut self) {
        for (edge, spring) in (0u32..).zip(self.whole.structural()) {
            let [first, second] = spring.ends;
            let along_row = second - first == 1;
            self.threads.push(if along_row { Thread::Warp } else { Thread::Weft });
            self.onward[first as usize][usize::from(!along_row)] = Some(edge);
        }
    }

    fn check(&self) -> Result<(), SetupError> {
        let sensible = self.thickness.is_finite() && self.thickness > 0.0;
        let shortest =
            self.whole.structural().iter().map(|s| s.rest_length).fold(f64::INFINITY, f64::min);
        if !sensible || self.thickness >= shortest {
            return Err(SetupError::WeaveThickness { thickness: self.thickness, shortest });
        }
        if self.tearing.slip <= self.thickness {
            let (slip, thickness) = (self.tearing.slip, self.thickness);
            return Err(SetupError::Slip { slip, thickness });
        }
        self.tearing.check(self.threads.len())
    }

    /// Crossings of warp and weft.
    pub fn crossings(&self) -> usize {
        self.onward.len()
    }

    /// The edges of the whole cloth between crossings.
    pub fn edges(&self) -> usize {
        self.threads.len()
    }

    /// The two crossings that an edge of the whole cloth joins.
    pub fn ends(&self, edge: usize) -> [u32; 2] {
        self.whole.springs[edge].ends
    }

    /// How it tears.
    pub fn tearing(&self) -> &Tearing {
        &self.tearing
    }

    /// What has become of it at the start: nothing, or every crossing split in the all-yarn model.
    pub fn untorn(&self) -> Tears {
        let mut tears = Tears::none(self.crossings(), self.edges());
        tears.fine = vec![false; self.lattice.len()];
        if self.tearing.all_yarn {
            tears.bonds.fill(Bond::Connected);
            let first = self.crossings() as u32;
            tears.wefts = (first..first + self.crossings() as u32).collect();
        }
        tears
    }

    pub(crate) fn place(&self, crossing: u32) -> Crossing {
        Crossing { column: crossing % self.columns, row: crossing / self.columns }
    }

    /// Whether the warp is on top at a crossing.
    pub(crate) fn warp_over(&self, crossing: u32) -> bool {
        let Crossing { column, row } = self.place(crossing);
        self.weave.warp_on_top(row as i32, column as i32)
    }

    /// The crossing beside one along a yarn, a step forth or back, if there is one.
    pub(crate) fn beside(&self, crossing: u32, thread: Thread, forth: bool) -> Option<u32> {
        let Crossing { column, row } = self.place(crossing);
        let (at, count, stride) = match thread {
            Thread::Warp => (column, self.columns, 1),
            Thread::Weft => (row, self.rows, self.columns),
        };
        if forth {
            (at + 1 < count).then_some(crossing + stride)
        } else {
            (at > 0).then(|| crossing - stride)
        }
    }

    /// The edge from a crossing along a yarn, forth or back, if there is one.
    pub(crate) fn edge(&self, crossing: u32, thread: Thread, forth: bool) -> Option<u32> {
        let along = usize::from(thread == Thread::Weft);
        let from = if forth { Some(crossing) } else { self.beside(crossing, thread, false) };
        from.and_then(|from| self.onward[from as usize][along])
    }

    /// The particle of a yarn at a crossing.
    pub(crate) fn particle(tears: &Tears, crossing: u32, thread: Thread) -> u32 {
        match thread {
            Thread::Warp => crossing,
            Thread::Weft => tears.wefts[crossing as usize],
        }
    }

    /// The particles next to a crossing along its yarns: back and forth along the warp, back and
    /// forth along the weft; the yarn's own where it is torn or ends.
    pub(crate) fn around(&self, tears: &Tears, crossing: u32) -> [u32; 4] {
        let next = |thread: Thread, forth: bool| {
            let edge = self.edge(crossing, thread, forth);
            let whole = edge.is_some_and(|edge| !tears.torn[edge as usize]);
            let beside = self.beside(crossing, thread, forth).filter(|_| whole);
            Self::particle(tears, beside.unwrap_or(crossing), thread)
        };
        let [warp, weft] = [Thread::Warp, Thread::Weft];
        [next(warp, false), next(warp, true), next(weft, false), next(weft, true)]
    }

    /// The crossings next to one along its yarns in the whole cloth, in the same order; its own where
    /// the yarn ends.
    fn around_whole(&self, crossing: u32) -> [u32; 4] {
        let next =
            |thread: Thread, forth: bool| self.beside(crossing, thread, forth).unwrap_or(crossing);
        let [warp, weft] = [Thread::Warp, Thread::Weft];
        [next(warp, false), next(warp, true), next(weft, false), next(weft, true)]
    }

    /// The particle that is on top, or below, at a crossing.
    fn layer(&self, tears: &Tears, crossing: u32, top: bool) -> u32 {
        let thread = if self.warp_over(crossing) == top { Thread::Warp } else { Thread::Weft };
        Self::particle(tears, crossing, thread)
    }

    /// The model of what the cloth has become.
    ///
    /// With ties, implicit steps hold split crossings together; without, couples do.
    pub(crate) fn model(&self, tears: &Tears, tied: bool) -> Model {
        let (mut model, (surface, yarns)) =
            both(|| self.elements(tears, tied), || (self.surface(tears), self.yarns(tears)));
        model.faces = surface.faces;
        model.face_masses = surface.masses;
        model.face_incidence = surface.incidence;
        model.yarns = Some(Arc::new(yarns));
        model
    }

    /// The particles of what the cloth has become, and what acts between them.
    fn elements(&self, tears: &Tears, tied: bool) -> Model {
        let whole = &self.whole;
        let mut model = Model::of_particles(whole.masses.clone(), whole.rest.clone());
        model.revision = tears.revision;
        self.split_masses(tears, &mut model);
        let structural = self.structural(tears);
        let shear = self.across(tears, self.whole.shear(), |s, share, ends| Spring {
            ends,
            stiffness: s.stiffness * share,
            damping: s.damping * share,
            ..*s
        });
        let bend = self.along(tears, self.whole.bend(), |spring, ends| Spring { ends, ..*spring });
        (model.structural, model.shear) = (structural.len(), shear.len());
        model.gauges = structural.iter().map(|s| Gauge::edge(s.ends, s.rest_length)).collect();
        let kept = (0..self.edges()).filter(|edge| !tears.torn[*edge]);
        model.gauge_areas = kept.map(|edge| self.whole.gauge_areas[edge]).collect();
        model.springs = [structural, shear, bend].concat();
        let particles = model.particles();
        let ends = model.springs.iter().map(|spring| spring.ends);
        model.spring_incidence = Incidence::new(particles, ends);
        let struts = self.across(tears, &self.whole.grid.struts.all, |s, share, ends| Strut {
            ends,
            stiffness: s.stiffness * share,
            ..*s
        });
        let buckles = self.along(tears, &self.whole.grid.buckles.all, Buckle::with_ends);
        model.grid = GridElements::none(particles);
        model.grid.struts = ElementList::new(particles, struts);
        model.grid.buckles = ElementList::new(particles, buckles);
        model.couples = tears.couples().collect();
        model.ties = if tied { self.ties(tears) } else { Vec::new() };
        model
    }

    /// Eq. 3: warp and weft have half of the mass each.
    fn split_masses(&self, tears: &Tears, model: &mut Model) {
        model.masses.resize(tears.particles(), 0.0);
        model.rest.resize(tears.particles(), glam::DVec3::ZERO);
        for (crossing, bond) in tears.bonds.iter().enumerate() {
            if *bond != Bond::Woven {
                let weft = tears.wefts[crossing] as usize;
                model.masses[crossing] *= 0.5;
                model.masses[weft] = model.masses[crossing];
                // A thickness apart, as yarns are that have come out of the weave and meet again.
                let around = self.around_whole(crossing as u32);
                let offset = self.offset(crossing as u32, around, &self.whole.rest);
                model.rest[weft] = model.rest[crossing] - offset;
            }
        }
    }

    /// Faces are left where the weave holds: no yarn around them is torn or has come apart. At split
    /// crossings they go on with the warp.
    fn surface(&self, tears: &Tears) -> Remnant {
        let (mut faces, mut uvs, mut masses) = (Faces::new(), Vec::new(), Vec::new());
        for (face, corners) in self.whole.faces.iter().enumerate() {
            let first = corners.iter().copied().min().unwrap_or_default();
            if self.is_whole(tears, first) {
                faces.push(corners);
                uvs.extend_from_slice(self.whole.faces.corner_uvs(face).unwrap_or_default());
                masses.push(self.whole.face_masses[face]);
            }
        }
        if !uvs.is_empty() {
            faces.set_uvs(uvs);
        }
        let corners = (0..faces.len()).map(|face| faces.corners(face).iter().copied());
        let incidence = Incidence::new(tears.particles(), corners);
        Remnant { faces, masses, incidence }
    }

    /// Whether the cell with this crossing at its lowest column and row holds together.
    fn is_whole(&self, tears: &Tears, first: u32) -> bool {
        let corners = [first, first + 1, first + self.columns, first + self.columns + 1];
        let right = |crossing: u32| self.onward[crossing as usize][0];
        let down = |crossing: u32| self.onward[crossing as usize][1];
        let sides = [right(corners[0]), right(corners[2]), down(corners[0]), down(corners[1])];
        corners.iter().all(|corner| tears.bonds[*corner as usize] != Bond::Apart)
            && sides.iter().all(|side| side.is_some_and(|edge| !tears.torn[edge as usize]))
    }

    /// Fig. 5a: structural springs go to the yarn they belong to.
    fn structural(&self, tears: &Tears) -> Vec<Spring> {
        let springs = self.whole.structural().iter().zip(&self.threads).zip(&tears.torn);
        let kept = springs.filter(|(_, torn)| !**torn);
        kept.map(|((spring, thread), _)| {
            let end = |k: usize| Self::particle(tears, spring.ends[k], *thread);
            Spring { ends: [end(0), end(1)], ..*spring }
        })
        .collect()
    }

    /// Fig. 5b: what bends along a yarn goes to it, and ends where it is torn.
    fn along<E: Ends>(
        &self,
        tears: &Tears,
        elements: &[E],
        moved: impl Fn(&E, [u32; 2]) -> E,
    ) -> Vec<E> {
        let mut kept = Vec::with_capacity(elements.len());
        for element in elements {
            let [first, last] = element.ends();
            let thread = if last - first == 2 { Thread::Warp } else { Thread::Weft };
            let middle = (first + last) / 2;
            let sides = [self.edge(middle, thread, false), self.edge(middle, thread, true)];
            if sides.iter().all(|side| side.is_some_and(|edge| !tears.torn[edge as usize])) {
                let end = |crossing: u32| Self::particle(tears, crossing, thread);
                kept.push(moved(element, [end(first), end(last)]));
            }
        }
        kept
    }

    /// Fig. 5c: what resists shear joins particles of the same layer, in two copies of half the
    /// stiffness where a crossing is split. Beyond the paper it goes with the cell: where a yarn
    /// around it is torn or has come apart nothing is left to shear.
    fn across<E: Ends>(
        &self,
        tears: &Tears,
        elements: &[E],
        moved: impl Fn(&E, f64, [u32; 2]) -> E,
    ) -> Vec<E> {
        let mut kept = Vec::with_capacity(elements.len());
        for element in elements {
            let ends = element.ends();
            let [a, b] = ends.map(|end| self.place(end));
            let first = a.row.min(b.row) * self.columns + a.column.min(b.column);
            if !self.is_whole(tears, first) {
                continue;
            }
            if ends.iter().all(|end| tears.bonds[*end as usize] == Bond::Woven) {
                kept.push(moved(element, 1.0, ends));
                continue;
            }
            for top in [true, false] {
                kept.push(moved(element, 0.5, ends.map(|end| self.layer(tears, end, top))));
            }
        }
        kept
    }

    /// The yarns as they are.
    pub fn yarns(&self, tears: &Tears) -> Yarns {
        let mut gauges = vec![0; self.edges()];
        let mut count = 0;
        for (gauge, torn) in gauges.iter_mut().zip(&tears.torn) {
            *gauge = count;
            count += u32::from(!*torn);
        }
        let mut all = Vec::new();
        let starts = (0..self.rows).map(|row| (row * self.columns, Thread::Warp));
        for (start, thread) in starts.chain((0..self.columns).map(|c| (c, Thread::Weft))) {
            self.add_yarn(tears, (start, thread), &gauges, &mut all);
        }
        Yarns { all, thickness: self.thickness }
    }

    /// Adds the pieces of a yarn from its first crossing on.
    fn add_yarn(
        &self,
        tears: &Tears,
        (start, thread): (u32, Thread),
        gauges: &[u32],
        all: &mut Vec<Yarn>,
    ) {
        let empty =
            |torn| Yarn { thread, points: Vec::new(), torn: [torn, false], gauges: Vec::new() };
        let (mut yarn, mut at) = (empty(false), Some(start));
        while let Some(crossing) = at {
            let bond = tears.bonds[crossing as usize];
            yarn.points.push(YarnPoint {
                particle: Self::particle(tears, crossing, thread),
                over: self.warp_over(crossing) == (thread == Thread::Warp),
                split: bond != Bond::Woven,
                apart: bond == Bond::Apart,
            });
            match self.edge(crossing, thread, true) {
                Some(edge) if tears.torn[edge as usize] => {
                    yarn.torn[1] = true;
                    all.push(std::mem::replace(&mut yarn, empty(true)));
                }
                Some(edge) => yarn.gauges.push(gauges[edge as usize]),
                None => {}
            }
            at = self.beside(crossing, thread, true);
        }
        all.push(yarn);
    }
}

/// The faces that are left of a cloth.
struct Remnant {
    faces: Faces,
    masses: Vec<f64>,
    incidence: Incidence,
}

/// What joins two crossings.
pub(crate) trait Ends {
    fn ends(&self) -> [u32; 2];
}

impl Ends for Spring {
    fn ends(&self) -> [u32; 2] {
        self.ends
    }
}

impl Ends for Strut {
    fn ends(&self) -> [u32; 2] {
        self.ends
    }
}

impl Ends for Buckle {
    fn ends(&self) -> [u32; 2] {
        self.ends
    }
}
