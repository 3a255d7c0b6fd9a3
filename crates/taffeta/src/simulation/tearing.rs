//! Cloth that tears in a simulation: the Tear phase, and what is planned anew after it.

use std::sync::Arc;

use glam::DVec3;

use super::hand::Holding;
use super::{Simulation, Snapshot, piece};
use crate::error::{SetupError, StepError};
use crate::geometry::motion::MOMENT;
use crate::step::judge::Judge;
use crate::step::load_forces::LoadForces;
use crate::woven::Strained;

impl Simulation {
    /// Tears what the step that was just taken tears. The only phase that changes topology.
    pub(super) fn tear(&mut self, h: f64) -> Result<(), StepError> {
        if self.weaving.is_none() {
            return Ok(());
        }
        self.hold_crossings();
        let (state, model) = (&self.state, &*self.model);
        let springs = self.setup.integrated_springs(model).start == 0;
        let Some(weaving) = &mut self.weaving else { return Ok(()) };
        let strained = Strained { model, state, before: &self.trial.positions, springs, h };
        let changed = weaving.tear(&strained);
        self.replan(changed).map_err(|source| self.torn(source))
    }

    /// What pins hold now or later stays whole.
    pub(super) fn hold_crossings(&mut self) {
        let Some(weaving) = &mut self.weaving else { return };
        let held = self.setup.pins.iter().filter(|pin| pin.until > self.state.time);
        weaving.hold(held.flat_map(|pin| pin.particles.iter().copied()));
    }

    /// What the cloth has become cannot be planned for.
    pub(super) fn torn(&self, source: SetupError) -> StepError {
        StepError::Torn { time: self.state.time, source }
    }

    /// Plans anew for cloth that has become finer.
    pub(super) fn refine(&mut self) -> Result<(), SetupError> {
        let Some(weaving) = &mut self.weaving else { return Ok(()) };
        weaving.plan_coarse(&self.model);
        self.solver.refine(&piece(&self.setup, &self.model, Some(weaving)))
    }

    /// What pins or pulls hold is fine: only leaders are unknowns, and a cell would share among all of
    /// its yarns what a few of them bear.
    pub(super) fn refine_held(&mut self) -> Result<(), SetupError> {
        if self.weaving.as_ref().is_none_or(|weaving| weaving.coarse.is_none()) {
            return Ok(());
        }
        let now = self.state.time + MOMENT;
        let pulls = self.setup.pulls.iter().filter(|pull| pull.pulls_at(now));
        let pins = self.setup.pins.iter().filter(|pin| pin.holds_at(now));
        let held = pins.flat_map(|pin| pin.particles.iter().copied());
        let held = held.chain(pulls.map(|pull| pull.particle));
        let held: Vec<u32> = held.chain(self.hand.iter().flat_map(Holding::particles)).collect();
        self.refine_at(&held).map(|_| ())
    }

    /// And so is what solids and other cloth touch; tells whether anything was coarse there.
    pub(super) fn refine_touched(&mut self) -> Result<bool, SetupError> {
        let touched: Vec<u32> = self.solver.surroundings().particles().collect();
        self.refine_at(&touched)
    }

    fn refine_at(&mut self, particles: &[u32]) -> Result<bool, SetupError> {
        let weaving = self.weaving.as_mut();
        let refined = weaving.is_some_and(|weaving| weaving.refine_at(particles.iter().copied()));
        if refined { self.refine().map(|()| true) } else { Ok(false) }
    }

    /// Ties turn with the cloth.
    pub(super) fn turn_ties(&mut self) {
        if let Some(weaving) = &mut self.weaving {
            weaving.turn_ties(&self.model, &self.state.positions);
        }
    }

    /// Plans anew for what the cloth has become.
    pub(super) fn reweave(&mut self) -> Result<(), SetupError> {
        let Some(weaving) = &mut self.weaving else { return Ok(()) };
        self.model = Arc::new(weaving.model());
        weaving.plan_coarse(&self.model);
        self.solver.plan_again(&piece(&self.setup, &self.model, Some(weaving)))?;
        self.longest = self.solver.bound(self.setup.longest_step(&self.model));
        self.loads = LoadForces::new(&self.model);
        self.judge = Judge::new(self.model.gauges().len());
        self.trial = self.state.clone();
        self.control.h = self.control.h.min(self.longest_step());
        Ok(())
    }

    /// Makes the cloth what it had become in a snapshot.
    pub(super) fn restore_tears(&mut self, snapshot: &Snapshot) -> Result<(), SetupError> {
        let (Some(weaving), Some(tears)) = (&mut self.weaving, &snapshot.tears) else {
            let same = self.weaving.is_some() == snapshot.tears.is_some();
            return if same { Ok(()) } else { Err(SetupError::BrokenSnapshot) };
        };
        if !tears.is_sound(
            weaving.woven.crossings(),
            weaving.woven.edges(),
            weaving.woven.lattice.len(),
        ) {
            return Err(SetupError::BrokenSnapshot);
        }
        let state = &snapshot.state;
        if !weaving.woven.is_fine_where_split(tears)
            || state.positions.len() != tears.particles()
            || state.velocities.len() != tears.particles()
        {
            return Err(SetupError::BrokenSnapshot);
        }
        let was = &weaving.tears;
        let changed = (was.revision, &was.bonds, &was.wefts, &was.torn, &was.fine)
            != (tears.revision, &tears.bonds, &tears.wefts, &tears.torn, &tears.fine);
        weaving.restore(tears);
        if changed {
            let particles = weaving.tears.particles();
            let gauges = weaving.tears.torn.iter().filter(|torn| !**torn).count();
            self.state.positions.resize(particles, DVec3::ZERO);
            self.state.velocities.resize(particles, DVec3::ZERO);
            if !self.state.tensions.is_empty() {
                self.state.tensions.resize(gauges, 0.0);
            }
            self.reweave()?;
        }
        Ok(())
    }
}
