//! Edges and corners of solids between the particles: what they press against is lifted.

use glam::DVec3;

use super::active::{Active, Lift};
use super::features::Press;
use super::rounds::Contacts;
use super::stage::Passage;
use crate::solid::Touch;
use crate::state::State;

/// Rounds in which cloth is lifted off edges and corners; what they still cut then is counted.
const LIFTING: u32 = 8;

impl Contacts {
    /// Takes hold of the cloth that lies on edges and corners of solids when the step begins.
    pub(super) fn begin_between(&mut self, passage: &Passage) {
        let Some(mut features) = self.features.take() else { return };
        features.place(passage);
        let known = self.active.len();
        for press in features.touching(passage, |_, _| true) {
            if !self.is_on_its_way_out(passage, &press) {
                self.press(passage, None, &press, known);
            }
        }
        self.features = Some(features);
        self.active.sort_by_key(|a| (a.contact.particle, a.contact.solid));
    }

    /// Looks for edges and corners of solids that would poke through faces and edges of the cloth;
    /// tells whether anything was done about it.
    pub(super) fn look_between(&mut self, passage: &Passage, trial: &State) -> bool {
        let Some(mut features) = self.features.take() else { return false };
        self.pierced = 0;
        let known = self.active.len();
        for press in features.meeting(passage, &trial.positions, |_, _| true) {
            if self.is_on_its_way_out(passage, &press) {
                continue;
            }
            self.pierced += 1;
            if self.round < LIFTING {
                self.press(passage, Some(&trial.positions), &press, known);
            }
        }
        self.features = Some(features);
        self.active.sort_by_key(|a| (a.contact.particle, a.contact.solid));
        self.pierced > 0 && self.round < LIFTING
    }

    /// Whether cloth that is pressed against starts inside the solid, and has to pass through it.
    fn is_on_its_way_out(&self, passage: &Passage, press: &Press) -> bool {
        let placed = self.stage.placed(passage, press.solid);
        press.particles.iter().any(|&i| {
            let outset = placed.outset(passage.state.positions[i as usize]);
            placed.gap(&outset) < 0.0
        })
    }

    /// Lifts the particles of what is pressed against, each by its share: above where they would
    /// come to, or else above where the solid carries them.
    fn press(
        &mut self,
        passage: &Passage,
        candidates: Option<&[DVec3]>,
        press: &Press,
        known: usize,
    ) {
        let placed = self.stage.placed(passage, press.solid);
        let inwards =
            Touch { point: DVec3::ZERO, normal: placed.to.turn.transpose() * press.normal };
        let excused = |i: usize| self.excused[press.particles[i] as usize];
        let taking = [0, 1, 2].map(|i: usize| if excused(i) { 0.0 } else { press.shares[i] });
        let squares: f64 = taking.iter().map(|share| share * share).sum();
        for (&particle, share) in press.particles.iter().zip(taking).filter(|(_, s)| *s > 0.0) {
            let i = particle as usize;
            let lift = press.lift * share / squares;
            let to = match candidates {
                Some(candidates) => candidates[i],
                None => passage.state.positions[i] + press.travel,
            };
            let course = passage.course(i, to);
            let ids = [particle, press.solid];
            // What was added in this round is at the end.
            let new = self.active[known..].iter().position(|a| a.is_of(ids) && a.is_at(&inwards));
            let at = self.known(ids, &inwards, known).or(new.map(|at| known + at));
            match at {
                Some(at) => self.active[at].raise(lift, &course),
                None => {
                    let rise = press.normal.dot(to - course.from) + lift;
                    let asked = Lift { normal: press.normal, rise, travel: press.travel };
                    let before = passage.before(ids);
                    let course = (&course, before);
                    self.active.push(Active::pressed(ids, &asked, &placed, course));
                }
            }
        }
    }
}
