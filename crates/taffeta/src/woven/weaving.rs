//! Woven cloth in a simulation: what has torn so far, and the phase that tears it further
//! (MBCN09 §3.4).
//!
//! Beyond the paper, a yarn tears at one place at a time, where its load is the largest share of its
//! strength: once torn, the others are relieved, which they show a step later.

use glam::DVec3;
use taffeta_linalg::ordered_sum;

use super::cloth::Woven;
use super::couples::Couples;
use super::frays::Frays;
use super::tearing::Strength;
use super::tears::{Bond, Tears};
use crate::matter::model::{Coarse, Model, Thread};
use crate::state::State;

/// Woven cloth and what has become of it.
#[derive(Debug)]
pub(crate) struct Weaving {
    pub woven: Woven,
    pub tears: Tears,
    pub couples: Couples,
    /// The edge of the whole cloth that each gauge is.
    pub(super) edges: Vec<u32>,
    /// The same before the last change.
    before: Vec<u32>,
    /// Whether pins hold each crossing, now or later: it stays whole.
    held: Vec<bool>,
    /// Whether ties hold split crossings, in implicit steps; otherwise couples do.
    tied: bool,
    /// How far apart each tie of the model is at rest [m].
    pub ties: Vec<DVec3>,
    /// What implicit steps solve instead of all springs, where cloth is coarse.
    pub coarse: Option<Coarse>,
    marks: Marks,
}

/// What a step did to the cloth.
#[derive(Debug, Default)]
pub(super) struct Marks {
    /// Edges that tear now.
    pub torn: Vec<u32>,
    /// Crossings that split now.
    pub split: Vec<u32>,
    /// Crossings that come apart now.
    apart: Vec<u32>,
}

/// What the tear phase changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Changed {
    /// Yarns tore, or crossings split: there are other particles now.
    pub topology: bool,
    /// Coarse cloth became fine.
    pub resolution: bool,
}

/// What the tear phase looks at.
pub(crate) struct Strained<'a> {
    pub model: &'a Model,
    pub state: &'a State,
    /// Where the particles were before the step [m].
    pub before: &'a [DVec3],
    /// Whether springs along the edges are integrated, and pull by themselves.
    pub springs: bool,
    pub h: f64,
}

impl Strained<'_> {
    /// The tension of the yarn at a gauge [N], as the step had it: of its spring along the direction
    /// it had before the step. A loose end that turns far in a step is longer after it than its
    /// tension made it.
    fn tension(&self, gauge: usize) -> f64 {
        let Model { springs, gauge_areas, .. } = self.model;
        let spring = &springs[gauge];
        let [a, b] = [spring.ends[0] as usize, spring.ends[1] as usize];
        let limiter = self.state.tensions.get(gauge).copied().unwrap_or(0.0);
        let direction = (self.before[b] - self.before[a]).normalize_or_zero();
        let length = (self.state.positions[b] - self.state.positions[a]).dot(direction);
        let own = if self.springs { spring.stiffness * (length - spring.rest_length) } else { 0.0 };
        own + limiter * gauge_areas[gauge] / spring.rest_length
    }
}

impl Weaving {
    pub fn new(woven: Woven, tears: Tears, tied: bool) -> Self {
        let mut weaving = Self {
            held: vec![false; woven.crossings()],
            couples: Couples::default(),
            edges: Vec::new(),
            before: Vec::new(),
            tied,
            ties: Vec::new(),
            coarse: None,
            marks: Marks::default(),
            woven,
            tears,
        };
        weaving.plan();
        weaving
    }

    /// After a change: what follows from it.
    fn plan(&mut self) {
        self.couples = match self.tied {
            true => Couples::default(),
            false => Couples::new(&self.woven, &self.tears),
        };
        std::mem::swap(&mut self.before, &mut self.edges);
        self.edges.clear();
        let kept = (0u32..).zip(&self.tears.torn).filter(|(_, torn)| !**torn);
        self.edges.extend(kept.map(|(edge, _)| edge));
    }

    /// The model of what the cloth has become. Implicit steps hold split crossings by ties, explicit
    /// ones by couples.
    pub fn model(&self) -> Model {
        self.woven.model(&self.tears, self.tied)
    }

    /// Lets warp and weft slide where they pull harder at each other than friction holds.
    fn slide(&mut self, strained: &Strained) {
        for (tie, &offset) in strained.model.ties.iter().zip(&self.ties) {
            let crossing = tie.ends[0] as usize;
            self.tears.offsets[crossing] = match self.tears.bonds[crossing] {
                Bond::Connected => offset,
                _ => self.woven.slid(tie, offset, &strained.state.positions),
            };
        }
    }

    /// Turns ties with the cloth at these places, where it is connected.
    pub fn turn_ties(&mut self, model: &Model, positions: &[DVec3]) {
        let Self { woven, tears, ties, .. } = self;
        ties.clear();
        ties.extend(model.ties.iter().map(|tie| {
            let crossing = tie.ends[0];
            match tears.bonds[crossing as usize] {
                Bond::Connected => woven.offset(crossing, woven.around(tears, crossing), positions),
                _ => tears.offsets[crossing as usize],
            }
        }));
    }

    /// What ties store with the cloth at these places [J].
    pub fn energy(&self, model: &Model, positions: &[DVec3]) -> f64 {
        ordered_sum(model.ties.len(), |t| {
            let tie = &model.ties[t];
            tie.energy(self.ties[t], tie.ends.map(|end| positions[end as usize]))
        })
    }

    /// Goes on from what became of the same cloth before.
    pub fn restore(&mut self, tears: &Tears) {
        self.tears.clone_from(tears);
        self.plan();
    }

    /// Says which particles pins hold from now on.
    pub fn hold(&mut self, held: impl Iterator<Item = u32>) {
        self.held.fill(false);
        for particle in held {
            if let Some(held) = self.held.get_mut(particle as usize) {
                *held = true;
            }
        }
    }

    /// Measures the loads of a step that was taken and tears what they tear; tells what changed.
    pub fn tear(&mut self, strained: &Strained) -> Changed {
        self.average(strained);
        self.slide(strained);
        let mut marks = std::mem::take(&mut self.marks);
        marks.torn.clear();
        marks.split.clear();
        marks.apart.clear();
        self.mark_torn(strained, &mut marks);
        self.mark_loose(&mut marks);
        self.mark_apart(strained, &mut marks);
        let refined = self.refine_loaded() | self.refine_strays(strained.state);
        let changed = self.apply(&marks);
        self.marks = marks;
        Changed { resolution: refined | changed.resolution, ..changed }
    }

    /// Cuts whole edges, and loosens the weave around them; tells what changed.
    pub fn cut(&mut self, edges: &[u32]) -> Changed {
        let mut marks = Marks { torn: edges.to_vec(), ..Marks::default() };
        self.mark_loose(&mut marks);
        self.apply(&marks)
    }

    fn average(&mut self, strained: &Strained) {
        let share = match self.woven.tearing.strength {
            Strength::Force(_) => 1.0 - libm::exp(-strained.h / self.woven.tearing.averaging),
            Strength::Strain(_) => 1.0,
        };
        for (gauge, &edge) in self.edges.iter().enumerate() {
            let now = match self.woven.tearing.strength {
                Strength::Force(_) => strained.tension(gauge),
                Strength::Strain(_) => {
                    strained.model.gauges[gauge].strain(&strained.state.positions)
                }
            };
            let load = &mut self.tears.loads[edge as usize];
            *load += (now - *load) * share;
        }
    }

    pub(super) fn strain_of(&self, edge: u32) -> f64 {
        self.tears.loads[edge as usize] / self.woven.strengths[edge as usize]
    }

    /// The weakest place of every yarn whose load is more than it bears, and what is cut.
    fn mark_torn(&mut self, strained: &Strained, marks: &mut Marks) {
        let yarns = strained.model.yarns.as_ref();
        for yarn in yarns.into_iter().flat_map(|yarns| &yarns.all) {
            let loads = yarn.gauges.iter().map(|&gauge| {
                let edge = self.edges[gauge as usize];
                (edge, self.strain_of(edge))
            });
            let most = loads.reduce(|most, next| if next.1 > most.1 { next } else { most });
            if let Some((edge, _)) = most.filter(|(_, load)| *load >= 1.0) {
                marks.torn.push(edge);
                for &gauge in &yarn.gauges {
                    self.tears.loads[self.edges[gauge as usize] as usize] = 0.0;
                }
            }
        }
        let made = |time: f64| time <= strained.state.time;
        for cut in self.woven.tearing.cuts.iter().filter(|cut| made(cut.time)) {
            marks.torn.extend(cut.edges.iter().filter(|edge| !self.tears.torn[**edge as usize]));
        }
    }

    /// Both ends of an edge near its strength, and their neighbours.
    fn mark_loose(&self, marks: &mut Marks) {
        let loosens_at = self.woven.tearing.loosens_at;
        let near = self.edges.iter().filter(|edge| self.strain_of(**edge) >= loosens_at);
        for edge in near.chain(&marks.torn.clone()) {
            for crossing in self.woven.ends(*edge as usize) {
                marks.split.push(crossing);
                for thread in [Thread::Warp, Thread::Weft] {
                    let beside =
                        [false, true].map(|forth| self.woven.beside(crossing, thread, forth));
                    marks.split.extend(beside.into_iter().flatten());
                }
            }
        }
    }

    /// Loose crossings whose yarns have slid too far, or of which one has no spring left.
    fn mark_apart(&self, strained: &Strained, marks: &mut Marks) {
        let x = &strained.state.positions;
        for (crossing, bond) in (0u32..).zip(&self.tears.bonds) {
            if !matches!(bond, Bond::Loose) {
                continue;
            }
            let weft = self.tears.wefts[crossing as usize];
            let distance = x[crossing as usize].distance(x[weft as usize]);
            let ends = [Thread::Warp, Thread::Weft].iter().any(|t| self.is_single(crossing, *t));
            if distance > self.woven.tearing.slip || ends {
                marks.apart.push(crossing);
                self.mark_around(crossing, marks);
            }
        }
    }

    /// Whether a yarn has no spring at a crossing.
    fn is_single(&self, crossing: u32, thread: Thread) -> bool {
        let whole = |edge: u32| !self.tears.torn[edge as usize];
        let edges = [false, true].map(|forth| self.woven.edge(crossing, thread, forth));
        !edges.into_iter().flatten().any(whole)
    }

    /// Fig. 4d: along both yarns of a crossing that comes apart, all are split up to the first where
    /// the other yarn is on top.
    fn mark_around(&self, crossing: u32, marks: &mut Marks) {
        let over = self.woven.warp_over(crossing);
        for thread in [Thread::Warp, Thread::Weft] {
            for forth in [false, true] {
                let mut at = self.woven.beside(crossing, thread, forth);
                while let Some(next) = at {
                    marks.split.push(next);
                    let turned = self.woven.warp_over(next) != over;
                    at = self.woven.beside(next, thread, forth).filter(|_| !turned);
                }
            }
        }
    }

    /// Makes the marks true; tells what changed.
    fn apply(&mut self, marks: &Marks) -> Changed {
        let mut changed = false;
        for &edge in &marks.torn {
            changed |= !std::mem::replace(&mut self.tears.torn[edge as usize], true);
            self.tears.loads[edge as usize] = 0.0;
        }
        let mut next = self.tears.particles() as u32;
        for &crossing in &marks.split {
            let bond = self.tears.bonds[crossing as usize];
            if self.held[crossing as usize] {
                continue;
            }
            if bond == Bond::Woven {
                self.tears.wefts[crossing as usize] = next;
                next += 1;
            }
            if matches!(bond, Bond::Woven | Bond::Connected) {
                self.tears.bonds[crossing as usize] = Bond::Loose;
                changed = true;
            }
        }
        for &crossing in &marks.apart {
            self.tears.bonds[crossing as usize] = Bond::Apart;
            changed = true;
        }
        if changed {
            self.tears.revision += 1;
            self.plan();
        }
        Changed { topology: changed, resolution: self.refine_split(marks) }
    }

    /// Gives a state of the cloth as it was the particles of the cloth as it is. Each crossing that
    /// was split keeps its mass, its momentum and its angular momentum (MBCN09 eq. 2–4).
    pub fn carry(&mut self, state: &mut State) {
        self.split(state);
        self.remap(&mut state.tensions);
    }

    fn split(&mut self, state: &mut State) {
        let before = state.positions.len();
        let mut new: Vec<(u32, u32)> = (0u32..)
            .zip(&self.tears.wefts)
            .filter(|(_, weft)| **weft as usize >= before)
            .map(|(crossing, weft)| (*weft, crossing))
            .collect();
        new.sort_unstable();
        // The whole cloth's places give the normals, so all of them come first.
        let whole = |particle: u32| {
            (particle as usize).checked_sub(before).map_or(particle, |half| new[half].1)
        };
        let offset = |crossing: u32| {
            let around = self.woven.around(&self.tears, crossing).map(whole);
            self.woven.offset(crossing, around, &state.positions)
        };
        let offsets: Vec<DVec3> = new.iter().map(|&(_, crossing)| offset(crossing)).collect();
        for (&(_, crossing), offset) in new.iter().zip(offsets) {
            let i = crossing as usize;
            state.positions.push(state.positions[i] - offset / 2.0);
            state.velocities.push(state.velocities[i]);
            state.positions[i] += offset / 2.0;
            self.tears.offsets[i] = offset;
        }
    }

    /// The tensions of the gauges that are left, from those before a change.
    fn remap(&self, tensions: &mut Vec<f64>) {
        if tensions.is_empty() {
            return;
        }
        let mut old = self.before.iter().zip(tensions.iter());
        let kept = self.edges.iter().map(|edge| {
            old.find(|(before, _)| *before == edge).map_or(0.0, |(_, tension)| *tension)
        });
        *tensions = kept.collect();
    }

    /// Counts what hangs out.
    pub fn frays(&self) -> Frays {
        Frays::count(&self.woven, &self.tears)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::measure::{angular_momentum, momentum};
    use crate::woven::{Tearing, Weave};
    use crate::{Fabric, Sheet, SpringKinds};

    fn woven(kind: &str, shear: crate::Shear) -> (Woven, Vec<DVec3>) {
        let sheet = Sheet { width: 0.008, height: 0.006, columns: 9, rows: 7 };
        let mesh = sheet.mesh();
        let kinds = SpringKinds { shear, ..SpringKinds::default() };
        let whole = Model::mass_spring_of(&mesh, &Fabric::default(), kinds).unwrap();
        let weave: Weave = kind.parse().unwrap();
        let woven = Woven::new(whole, &sheet, (weave, 1e-4), Tearing::default()).unwrap();
        (woven, mesh.positions)
    }

    /// Cloth in wild motion, far from the origin.
    fn wild(positions: &[DVec3]) -> State {
        let twist = |p: &DVec3| DVec3::new(p.x, 0.3 * p.x - 2.0 * p.z * p.z, p.z) * 3.0;
        let mut state = State::at_rest(positions.iter().map(|p| twist(p) + 5.0).collect(), 0, 0);
        for (i, velocity) in state.velocities.iter_mut().enumerate() {
            *velocity = DVec3::new(i as f64, 7.0 - i as f64 * 0.3, (i * i % 11) as f64);
        }
        state
    }

    fn split(weaving: &mut Weaving, crossings: &[u32]) {
        let marks = Marks { split: crossings.to_vec(), ..Marks::default() };
        assert!(weaving.apply(&marks).topology);
    }

    #[test]
    fn splitting_keeps_mass_momentum_and_angular_momentum() {
        let (woven, positions) = woven("plain", crate::Shear::Compression);
        let mut state = wild(&positions);
        let mut weaving = Weaving::new(woven.clone(), woven.untorn(), true);
        let before = woven.model(&weaving.tears, true);
        let (mass, linear) = (before.masses.iter().sum::<f64>(), momentum(&before, &state));
        let angular = angular_momentum(&before, &state);
        split(&mut weaving, &[30, 31, 32, 0, 62, 40]);
        weaving.carry(&mut state);
        let after = woven.model(&weaving.tears, true);
        assert_eq!(after.particles(), 63 + 6);
        assert!((after.masses.iter().sum::<f64>() / mass - 1.0).abs() < 1e-15);
        assert!(momentum(&after, &state).distance(linear) < 1e-14 * linear.length());
        assert!(angular_momentum(&after, &state).distance(angular) < 1e-14 * angular.length());
        for crossing in [30, 31, 32, 0, 62, 40] {
            let weft = weaving.tears.wefts[crossing as usize] as usize;
            let apart = state.positions[crossing as usize] - state.positions[weft];
            assert!((apart.length() - 1e-4).abs() < 1e-12, "{apart}");
        }
    }

    #[test]
    fn warp_and_weft_are_on_the_sides_the_weave_says() {
        let (woven, mut positions) = woven("twill-2-2", crate::Shear::Linear);
        let mut weaving = Weaving::new(woven.clone(), woven.untorn(), true);
        positions.iter_mut().for_each(|p| *p = DVec3::new(p.x, 0.0, p.z));
        let mut state = State::at_rest(positions, 0, 0);
        split(&mut weaving, &(0..63).collect::<Vec<_>>());
        weaving.carry(&mut state);
        for crossing in 0..63u32 {
            let weft = weaving.tears.wefts[crossing as usize] as usize;
            let above = state.positions[crossing as usize].y > state.positions[weft].y;
            assert_eq!(above, woven.warp_over(crossing), "{crossing}");
        }
    }

    /// Eq. 3 and fig. 5: half the mass and two springs of half the stiffness are the same cloth.
    #[test]
    fn split_cloth_is_as_stiff_as_whole_cloth() {
        for kind in ["plain", "twill-2-2", "satin-5"] {
            for shear in [crate::Shear::Linear, crate::Shear::Compression] {
                let (woven, positions) = woven(kind, shear);
                let mut weaving = Weaving::new(woven.clone(), woven.untorn(), true);
                let sheared =
                    |p: &DVec3| DVec3::new(1.01 * p.x + 0.02 * p.z, 0.003 * p.x, 0.99 * p.z);
                let mut state = State::at_rest(positions.iter().map(sheared).collect(), 0, 0);
                let energy = |model: &Model, x: &[DVec3]| {
                    crate::simulation::measure::elastic(model, x, None)
                };
                let before = energy(&woven.model(&weaving.tears, false), &state.positions);
                split(&mut weaving, &[20, 21, 22, 29, 30, 31, 38, 39, 40, 3, 62]);
                // On top of each other, so that nothing but the springs differs.
                let halves = weaving.tears.particles() - 63;
                state.positions.resize(63 + halves, DVec3::ZERO);
                for crossing in 0..63 {
                    let weft = weaving.tears.wefts[crossing] as usize;
                    state.positions[weft] = state.positions[crossing];
                }
                let after = energy(&woven.model(&weaving.tears, false), &state.positions);
                assert!((after / before - 1.0).abs() < 1e-12, "{kind} {shear:?}: {after} {before}");
            }
        }
    }

    #[test]
    fn coming_apart_loosens_yarns_up_to_the_next_crossing_of_the_other_side() {
        let (woven, _) = woven("twill-3-1", crate::Shear::Linear);
        let weaving = Weaving::new(woven.clone(), woven.untorn(), true);
        let middle = 3 * 9 + 4;
        let mut marks = Marks::default();
        weaving.mark_around(middle, &mut marks);
        let over = woven.warp_over(middle);
        for (thread, forth) in [
            (Thread::Warp, true),
            (Thread::Warp, false),
            (Thread::Weft, true),
            (Thread::Weft, false),
        ] {
            let mut at = woven.beside(middle, thread, forth);
            let mut reached = false;
            while let Some(crossing) = at {
                assert_eq!(marks.split.contains(&crossing), !reached, "{thread:?} {crossing}");
                reached |= woven.warp_over(crossing) != over;
                at = woven.beside(crossing, thread, forth);
            }
        }
    }

    #[test]
    fn a_torn_edge_takes_its_faces_and_bend_springs_with_it() {
        let (woven, _) = woven("plain", crate::Shear::Linear);
        let mut weaving = Weaving::new(woven.clone(), woven.untorn(), true);
        let whole = woven.model(&weaving.tears, false);
        let edge = woven.edge(30, Thread::Warp, true).unwrap();
        assert!(weaving.apply(&Marks { torn: vec![edge], ..Marks::default() }).topology);
        let torn = woven.model(&weaving.tears, false);
        assert_eq!(torn.gauges.len(), whole.gauges.len() - 1);
        assert_eq!(torn.faces.len(), whole.faces.len() - 2);
        assert_eq!(torn.bend().len(), whole.bend().len() - 2);
        assert_eq!(torn.shear().len(), whole.shear().len() - 4);
        assert_eq!(torn.revision, 1);
        let yarns = torn.yarns().unwrap();
        assert_eq!(yarns.all.len(), 9 + 7 + 1);
        let ends = yarns.all.iter().flat_map(|yarn| yarn.torn).filter(|torn| *torn).count();
        assert_eq!(ends, 2);
        let mut gauges: Vec<u32> = yarns.all.iter().flat_map(|yarn| yarn.gauges.clone()).collect();
        gauges.sort_unstable();
        assert!(gauges.into_iter().eq(0..torn.gauges.len() as u32));
    }
}
