//! Particles on their way through a part of a step.

use glam::DVec3;
use taffeta_linalg::Filter;

use super::Attempt;
use crate::detection::Pair;
use crate::state::State;

/// Where particles begin and end a part of a step, and what may still change that.
#[derive(Debug)]
pub(crate) struct Moving {
    /// Where they are at the beginning [m].
    pub starts: Vec<DVec3>,
    /// Where they will be at the end, along straight lines [m].
    pub ends: Vec<DVec3>,
    /// Their velocities on the way, corrections of position included [m/s].
    pub velocities: Vec<DVec3>,
    /// When the part begins, and how long it takes [s].
    pub time: f64,
    pub duration: f64,
    pub masses: Vec<f64>,
    filters: Vec<Option<Filter>>,
    constrained: Vec<u32>,
    touched: Vec<bool>,
    touched_list: Vec<u32>,
}

impl Moving {
    pub fn new(masses: &[f64]) -> Self {
        let zero = vec![DVec3::ZERO; masses.len()];
        Self {
            starts: zero.clone(),
            ends: zero.clone(),
            velocities: zero,
            time: 0.0,
            duration: 0.0,
            masses: masses.to_vec(),
            filters: vec![None; masses.len()],
            constrained: Vec::new(),
            touched: vec![false; masses.len()],
            touched_list: Vec::new(),
        }
    }

    /// Takes a whole step.
    pub fn begin(&mut self, attempt: &Attempt, from: &State, to: &State) {
        self.starts.copy_from_slice(&from.positions);
        self.ends.copy_from_slice(&to.positions);
        (self.time, self.duration) = (from.time, attempt.h);
        let ways = self.starts.iter().zip(&self.ends);
        for (velocity, (start, end)) in self.velocities.iter_mut().zip(ways) {
            *velocity = (*end - *start) / attempt.h;
        }
        self.constrained.iter().for_each(|&i| self.filters[i as usize] = None);
        self.constrained.clear();
        for constraint in attempt.constraints {
            self.filters[constraint.particle as usize] = Some(constraint.filter);
            self.constrained.push(constraint.particle);
        }
        self.forget_touched();
    }

    /// Goes on from a state as its velocities tell; `coasting` are those that loads would make of
    /// them.
    pub fn coast(&mut self, state: &State, coasting: impl Fn(usize) -> DVec3, h: f64) {
        self.starts.copy_from_slice(&state.positions);
        let ways = self.starts.iter().zip(&state.velocities);
        self.ends.iter_mut().zip(ways).for_each(|(end, (start, v))| *end = *start + *v * h);
        self.velocities.iter_mut().enumerate().for_each(|(i, v)| *v = coasting(i));
        (self.time, self.duration) = (state.time, h);
    }

    /// Cuts the present part to a share of it, along the present velocities.
    pub fn cut(&mut self, share: f64) {
        self.duration *= share;
        self.aim();
    }

    /// Begins the next part where this one ends.
    pub fn go_on(&mut self, duration: f64) {
        self.starts.copy_from_slice(&self.ends);
        (self.time, self.duration) = (self.time + self.duration, duration);
        self.aim();
    }

    fn aim(&mut self) {
        for (i, end) in self.ends.iter_mut().enumerate() {
            *end = self.starts[i] + self.velocities[i] * self.duration;
        }
    }

    /// What holds a particle, if anything does.
    pub fn filter(&self, particle: u32) -> Option<&Filter> {
        self.filters[particle as usize].as_ref()
    }

    /// Gives a particle another velocity.
    pub fn set_velocity(&mut self, particle: u32, velocity: DVec3) {
        self.velocities[particle as usize] = velocity;
        self.touch_one(particle);
    }

    /// Makes sure that a pair is looked at again.
    pub fn touch(&mut self, pair: &Pair) {
        pair.particles.iter().for_each(|&particle| self.touch_one(particle));
    }

    fn touch_one(&mut self, particle: u32) {
        let touched = &mut self.touched[particle as usize];
        if !*touched {
            *touched = true;
            self.touched_list.push(particle);
        }
    }

    /// Lets the ends of all that was touched follow from their velocities.
    pub fn follow(&mut self) {
        for &particle in &self.touched_list {
            let i = particle as usize;
            self.ends[i] = self.starts[i] + self.velocities[i] * self.duration;
        }
    }

    /// Whether one of a pair's particles was touched.
    pub fn touches(&self, pair: &Pair) -> bool {
        pair.particles.iter().any(|&particle| self.touched[particle as usize])
    }

    pub fn forget_touched(&mut self) {
        self.touched_list.iter().for_each(|&i| self.touched[i as usize] = false);
        self.touched_list.clear();
    }

    /// The four particles of a pair where they begin.
    #[inline]
    pub fn at_start(&self, pair: &Pair) -> [DVec3; 4] {
        pair.gather(&self.starts)
    }
}
