//! Edges and corners of solids between the particles: what they press against is lifted.

use glam::DVec3;

use super::active::{Active, Lift};
use super::features::Press;
use super::rounds::{Contacts, MOST_ROUNDS, Round};
use super::stage::Passage;
use crate::solid::Touch;
use crate::state::State;

impl Contacts {
    /// Looks for edges and corners of solids that would poke through faces and edges of the cloth.
    /// After the last round they do, and are counted.
    pub fn look_between(&mut self, passage: &Passage, trial: &State) -> Round {
        let Some(mut features) = self.features.take() else { return Round::Settled };
        self.pierced = 0;
        let known = self.active.len();
        for press in features.find(passage, &trial.positions) {
            if self.is_on_its_way_out(passage, &press) {
                continue;
            }
            self.pierced += 1;
            if self.round < MOST_ROUNDS {
                self.press(passage, &trial.positions, &press, known);
            }
        }
        self.features = Some(features);
        self.active.sort_by_key(|a| (a.contact.particle, a.contact.solid));
        let again = self.pierced > 0 && self.round < MOST_ROUNDS;
        if again { Round::Again } else { Round::Settled }
    }

    /// Whether cloth that is pressed against starts inside the solid, and has to pass through it.
    fn is_on_its_way_out(&self, passage: &Passage, press: &Press) -> bool {
        let placed = self.stage.placed(passage, press.solid);
        press.particles.iter().any(|&i| {
            let outset = placed.outset(passage.state.positions[i as usize]);
            placed.gap(&outset) < 0.0
        })
    }

    /// Lifts the particles of what is pressed against, each by its share.
    fn press(&mut self, passage: &Passage, candidates: &[DVec3], press: &Press, known: usize) {
        let placed = self.stage.placed(passage, press.solid);
        let inwards =
            Touch { point: DVec3::ZERO, normal: placed.to.turn.transpose() * press.normal };
        let excused = |i: usize| self.excused[press.particles[i] as usize];
        let taking = [0, 1, 2].map(|i: usize| if excused(i) { 0.0 } else { press.shares[i] });
        let squares: f64 = taking.iter().map(|share| share * share).sum();
        for (&particle, share) in press.particles.iter().zip(taking).filter(|(_, s)| *s > 0.0) {
            let lift = press.lift * share / squares;
            let course = passage.course(particle as usize, candidates[particle as usize]);
            let ids = [particle, press.solid];
            // What was added in this round is at the end.
            let new = self.active[known..].iter().position(|a| a.is_of(ids) && a.is_at(&inwards));
            let at = self.known(ids, &inwards, known).or(new.map(|at| known + at));
            match at {
                Some(at) => self.active[at].raise(lift, &course),
                None => {
                    let rise = press.normal.dot(course.to - course.from) + lift;
                    let asked = Lift { normal: press.normal, rise, travel: press.travel };
                    self.active.push(Active::pressed(ids, &asked, &placed, &course));
                }
            }
        }
    }
}
