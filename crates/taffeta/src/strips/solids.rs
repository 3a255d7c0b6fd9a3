//! Where cloth comes near to solids in a step: rows that keep its particles above the surfaces, and
//! the friction of those that touch.

use glam::DVec3;
use taffeta_linalg::{fill, update};

use super::rows::Row;
use super::solver::Passage;
use crate::contact::{Contact, ContactForce, Grip};
use crate::solid::{Approach, PosedSolids, SLACK, Solid};

/// Particles whose look at a solid repays a hand-over to another thread.
const GRAIN: usize = 1024;

/// How far to look for a solid, over the distance at which it matters: what is that far need not be
/// looked at for some steps.
const LOOK_AHEAD: f64 = 4.0;

/// Speed below which what sticks creeps [m/s].
const CREEP: f64 = 1e-4;

/// What touches solids in the step being tried.
#[derive(Debug)]
pub(crate) struct SolidContacts {
    posed: PosedSolids,
    /// For each solid, a distance that each particle has from it at least where the step begins [m].
    /// It says only whom to ask: what is asked does not depend on it.
    gaps: Vec<Vec<f64>>,
    /// How far each particle would come nearer to the present solid at most [m].
    ways: Vec<f64>,
    approaches: Vec<Option<Approach>>,
    found: Vec<Found>,
    rows: Vec<Row>,
    /// Particles that are not looked at: pins hold them.
    excused: Vec<bool>,
    /// Particles that pins hold inside a solid, with the solid.
    pub pinned_inside: Vec<[u32; 2]>,
}

/// Which contact a row stands for.
#[derive(Clone, Copy, Debug)]
struct Found {
    solid: u32,
    approach: Approach,
}

impl SolidContacts {
    pub fn new(solids: &[Solid], particles: usize) -> Self {
        let particles = if solids.is_empty() { 0 } else { particles };
        Self {
            posed: PosedSolids::new(solids),
            gaps: vec![vec![f64::NEG_INFINITY; particles]; solids.len()],
            ways: vec![0.0; particles],
            approaches: vec![None; particles],
            found: Vec::new(),
            rows: Vec::new(),
            excused: vec![false; particles],
            pinned_inside: Vec::new(),
        }
    }

    /// Moves the solids on to a step.
    pub fn place(&mut self, passage: &Passage) {
        if passage.setup.solids.is_empty() {
            return;
        }
        self.posed.place(&passage.setup.solids, [passage.state.time, passage.end]);
        self.excused.fill(false);
        for constraint in passage.constraints {
            let held = constraint.filter == taffeta_linalg::Filter::HELD;
            self.excused[constraint.particle as usize] = held;
        }
    }

    /// What the friction of the contacts of the step before adds to the weight of their particles
    /// [kg], and how fast the surface moves under each [m/s]; μN over the speed at which they slide,
    /// but over no less than a creep (as ε_v in Li et al. 2020, Incremental Potential Contact).
    pub fn friction(&self, passage: &Passage, mut add: impl FnMut(u32, f64, DVec3)) {
        let (state, h) = (passage.state, passage.h);
        for contact in &state.contacts {
            let solid = &passage.setup.solids[contact.solid as usize];
            let most = solid.friction * contact.force;
            if most <= 0.0 {
                continue;
            }
            let i = contact.particle as usize;
            let placed = self.posed.placed(&passage.setup.solids, contact.solid, h);
            let outset = placed.outset(state.positions[i]);
            let surface = placed.travel(&outset) / h;
            let normal = placed.from.turn * contact.normal;
            let slip = (state.velocities[i] - surface).reject_from_normalized(normal);
            add(contact.particle, h * most / slip.length().max(CREEP), -slip);
        }
    }

    /// Rows for all that may touch a solid on its way to the predicted places.
    pub fn find(&mut self, passage: &Passage, predicted: &[DVec3], (w, reach): (&[f64], f64)) {
        self.found.clear();
        self.rows.clear();
        self.pinned_inside.clear();
        let (solids, x, h) = (&passage.setup.solids, &passage.state.positions, passage.h);
        for (number, solid) in (0..).zip(solids) {
            let placed = self.posed.placed(solids, number, h);
            placed.ways(x, predicted, &mut self.ways);
            let (gaps, ways, excused) =
                (&mut self.gaps[number as usize], &self.ways, &self.excused);
            let near = solid.thickness + reach;
            update(gaps, GRAIN, |i, gap| {
                if *gap - ways[i] < near {
                    *gap = placed.gap_within(x[i], LOOK_AHEAD * near + ways[i]);
                }
            });
            let gaps = &self.gaps[number as usize];
            fill(&mut self.approaches, GRAIN, |i| match gaps[i] - ways[i] < near && !excused[i] {
                true => placed.approach(x[i], predicted[i], reach),
                false => None,
            });
            for (i, approach) in (0..).zip(&self.approaches) {
                if excused[i as usize] && gaps[i as usize] < -SLACK {
                    self.pinned_inside.push([i, number]);
                }
                let Some(approach) = *approach else { continue };
                let row = Row::above(i, (approach.normal, approach.offset), w);
                self.found.extend(row.as_ref().map(|_| Found { solid: number, approach }));
                self.rows.extend(row);
            }
        }
    }

    /// Pushes what is too near above the surfaces.
    pub fn solve(&mut self, places: &mut [DVec3], w: &[f64]) {
        self.rows.iter_mut().for_each(|row| row.solve(places, w));
    }

    /// Looks whether particles that move to these places meet a solid although their rows keep them
    /// above it: then they get other rows, and the number of those is told.
    pub fn look_again(&mut self, passage: &Passage, places: &[DVec3], w: &[f64]) -> u32 {
        let (solids, x, h) = (&passage.setup.solids, &passage.state.positions, passage.h);
        let mut met = 0;
        for (number, solid) in (0..).zip(solids) {
            let placed = self.posed.placed(solids, number, h);
            placed.ways(x, places, &mut self.ways);
            let (gaps, ways, excused) = (&self.gaps[number as usize], &self.ways, &self.excused);
            fill(&mut self.approaches, GRAIN, |i| {
                let far = gaps[i] - ways[i] >= solid.thickness;
                if far || excused[i] || placed.touch(x[i], places[i]).is_none() {
                    return None;
                }
                placed.approach(x[i], places[i], 0.0)
            });
            let approaches = std::mem::take(&mut self.approaches);
            for (i, approach) in (0..).zip(&approaches) {
                let Some(approach) = *approach else { continue };
                met += 1;
                self.renew(i, number, approach, w);
            }
            self.approaches = approaches;
        }
        met
    }

    fn renew(&mut self, particle: u32, solid: u32, approach: Approach, w: &[f64]) {
        let known =
            |(found, row): (&Found, &Row)| found.solid == solid && row.particles[0] == particle;
        let at = self.found.iter().zip(&self.rows).position(known);
        let Some(row) = Row::above(particle, (approach.normal, approach.offset), w) else { return };
        match at {
            Some(at) => {
                let before = self.rows[at].normal_impulse;
                self.rows[at] = Row { normal_impulse: before, ..row };
                self.found[at].approach = approach;
            }
            None => {
                self.rows.push(row);
                self.found.push(Found { solid, approach });
            }
        }
    }

    /// The step to these places was good: what is far from solids is nearer by its way.
    pub fn accept(&mut self, passage: &Passage, places: &[DVec3]) {
        let (solids, x) = (&passage.setup.solids, &passage.state.positions);
        for number in 0..solids.len() {
            let placed = self.posed.placed(solids, number as u32, passage.h);
            placed.ways(x, places, &mut self.ways);
            let ways = &self.ways;
            update(&mut self.gaps[number], GRAIN, |i, gap| *gap -= ways[i]);
        }
    }

    /// Somebody else has moved the cloth.
    pub fn forget(&mut self) {
        self.gaps.iter_mut().for_each(|gaps| gaps.fill(f64::NEG_INFINITY));
    }

    /// The contacts that pushed, as the state keeps them.
    pub fn keep(&self, passage: &Passage, places: &[DVec3], contacts: &mut Vec<Contact>) {
        let (h, x) = (passage.h, &passage.state.positions);
        contacts.clear();
        for (row, found) in self.rows.iter().zip(&self.found) {
            if row.normal_impulse <= 0.0 {
                continue;
            }
            let i = row.particles[0] as usize;
            let placed = self.posed.placed(&passage.setup.solids, found.solid, h);
            let carried = placed.travel(&placed.outset(x[i]));
            let slip = (places[i] - x[i] - carried).reject_from_normalized(row.normal);
            let sticks = slip.length() < CREEP * h;
            contacts.push(Contact {
                particle: row.particles[0],
                solid: found.solid,
                point: found.approach.touch.point,
                normal: found.approach.touch.normal,
                grip: if sticks { Grip::Stick } else { Grip::Slide },
                force: row.normal_impulse / (h * h),
                beside: false,
            });
        }
        contacts.sort_by_key(|contact| (contact.particle, contact.solid));
        contacts.dedup_by_key(|contact| (contact.particle, contact.solid));
    }

    /// What solids did to particles: the push, and friction over the step.
    pub fn forces(&self, passage: &Passage, forces: &mut Vec<ContactForce>) {
        forces.clear();
        let per = 1.0 / (passage.h * passage.h);
        let pushing = self.rows.iter().zip(&self.found).filter(|(row, _)| row.normal_impulse > 0.0);
        forces.extend(pushing.map(|(row, found)| ContactForce {
            particle: row.particles[0],
            solid: found.solid,
            normal: row.normal,
            force: row.normal * (row.normal_impulse * per),
        }));
    }

    /// Whether a particle touches a solid.
    pub fn touching(&self) -> impl Iterator<Item = u32> {
        let pushing = self.rows.iter().filter(|row| row.normal_impulse > 0.0);
        pushing.map(|row| row.particles[0])
    }
}
