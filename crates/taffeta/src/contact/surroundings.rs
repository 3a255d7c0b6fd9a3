//! All that cloth can touch in a step, as solvers of whole steps see it: simple solids, bodies of any
//! shape, and itself.

use glam::DVec3;

use super::layers::Layers;
use super::row::ContactRow;
use super::solids::SolidContacts;
use crate::geometry::detection::Pair;
use crate::setup::piece::Piece;
use crate::state::State;
use crate::state::touch::{Contact, ContactForce, ContactTally, Pinch, Push};
use crate::step::judge::Verdict;
use crate::step::passage::Passage;

/// Surfaces that would pass through each other in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Passing {
    /// Cloth and itself.
    Layers(Pair),
    /// Cloth and a solid.
    Body(Pinch),
}

impl From<Passing> for Verdict {
    fn from(crossing: Passing) -> Self {
        match crossing {
            Passing::Layers(pair) => Self::Contact(pair),
            Passing::Body(pinch) => pinch.into(),
        }
    }
}

/// Contacts of the step being tried.
#[derive(Debug)]
pub(crate) struct Surroundings {
    solids: SolidContacts,
    layers: Option<Layers>,
}

impl Surroundings {
    /// Of a setup whose cloth has edges of this length at most [m]. Pairs are found for so many steps, at
    /// least and at most.
    pub fn new(piece: &Piece, longest_edge: f64, look_ahead: [u32; 2]) -> Self {
        let Piece { setup, model, .. } = piece;
        let reach = (model.particles(), 2.0 * longest_edge);
        Self {
            solids: SolidContacts::new(&setup.solids, &model.faces, reach),
            layers: Layers::new(piece, look_ahead),
        }
    }

    /// Whether there is nothing to touch.
    pub fn is_empty(&self) -> bool {
        self.solids.is_empty() && self.layers.is_none()
    }

    /// Whether there is more to touch than simple solids.
    pub fn has_layers(&self) -> bool {
        self.layers.is_some()
    }

    /// Rows for all that may touch on the way to the predicted places, along the velocities that
    /// particles are thought to have; or whom the step is too long for.
    pub fn find(
        &mut self,
        passage: &Passage,
        velocity: impl Fn(usize) -> DVec3,
        predicted: &[DVec3],
        (w, reach): (&[f64], f64),
    ) -> Result<(), Pinch> {
        self.solids.place(passage);
        if let Some(layers) = &mut self.layers {
            layers.begin(passage, velocity);
        }
        let inside = self.layers.as_ref().and_then(Layers::inside);
        self.solids.find(passage, inside, predicted, (w, reach))?;
        if let Some(layers) = &mut self.layers {
            layers.find(passage, predicted, w);
        }
        Ok(())
    }

    /// Starts rows from the forces of the step before.
    pub fn start_from(&mut self, passage: &Passage) {
        self.solids.start_from(passage);
        self.layers.iter_mut().for_each(|layers| layers.start_from(passage));
    }

    /// The contacts of the step.
    pub fn rows_mut(&mut self) -> impl Iterator<Item = &mut ContactRow> {
        self.solids.rows_mut().chain(self.layers.iter_mut().flat_map(Layers::rows_mut))
    }

    /// Particles of the cloth that have a row.
    pub fn particles(&self) -> impl Iterator<Item = u32> {
        let layers = self.layers.iter().flat_map(Layers::rows);
        let rows = self.solids.rows().chain(layers);
        rows.flat_map(|row| row.particles)
    }

    /// Pushes what is too near apart, solids last.
    pub fn solve(&mut self, places: &mut [DVec3], w: &[f64]) {
        self.layers.iter_mut().for_each(|layers| layers.solve(places, w));
        self.solids.solve(places, w);
    }

    /// Pushes what is too near in any case apart, solids last.
    pub fn lift(&self, places: &mut [DVec3], w: &[f64]) {
        self.layers.iter().for_each(|layers| layers.lift(places, w));
        self.solids.lift(places, w);
    }

    /// Whether no layers are much too near.
    pub fn layers_are_apart(&self, places: &[DVec3]) -> bool {
        self.layers.as_ref().is_none_or(|layers| layers.are_apart(places))
    }

    /// Whether nothing meets a solid on its way to these places; what does gets another row.
    pub fn solids_are_clear(&mut self, passage: &Passage, places: &[DVec3], w: &[f64]) -> bool {
        self.solids.look_again(passage, places, w) == 0
    }

    /// The same where contacts give way: only what is too near in any case counts.
    pub fn solids_are_clear_enough(
        &mut self,
        passage: &Passage,
        places: &[DVec3],
        w: &[f64],
    ) -> bool {
        self.solids.look_harder(passage, places, w) == 0
    }

    /// Particles that solids and bodies push, and pairs of particles of different pieces of cloth that push
    /// each other.
    pub fn pushing(&self) -> (impl Iterator<Item = u32>, impl Iterator<Item = [u32; 2]>) {
        let pushes = |row: &ContactRow| row.normal_impulse > 0.0;
        self.held_and_joined(pushes)
    }

    /// The same where something is so near at these places that it may push.
    pub fn near<'a>(
        &'a self,
        places: &'a [DVec3],
    ) -> (impl Iterator<Item = u32> + 'a, impl Iterator<Item = [u32; 2]> + 'a) {
        self.held_and_joined(|row: &ContactRow| row.is_near(places))
    }

    fn held_and_joined<'a>(
        &'a self,
        counts: impl Fn(&ContactRow) -> bool + Copy + 'a,
    ) -> (impl Iterator<Item = u32> + 'a, impl Iterator<Item = [u32; 2]> + 'a) {
        let solids = self.solids.rows().filter(move |row| counts(row));
        let bodies = self.layers.iter().flat_map(move |layers| layers.on_bodies(counts));
        let joined = self.layers.iter().flat_map(move |layers| layers.between_pieces(counts));
        (solids.flat_map(|row| row.particles).chain(bodies), joined)
    }

    /// Proves that no surface passes through another on straight ways to these places, or names a pair
    /// that does; and takes down what that took.
    pub fn certify(
        &mut self,
        passage: &Passage,
        places: &[DVec3],
        tally: &mut ContactTally,
    ) -> Result<(), Passing> {
        let Some(layers) = &mut self.layers else { return Ok(()) };
        let proved = layers.certify(passage, places);
        tally.add(std::mem::take(&mut layers.tally));
        proved.map_err(|pair| match layers.with_body(&pair) {
            Some(pinch) => Passing::Body(pinch),
            None => Passing::Layers(pair),
        })
    }

    /// The contacts and pushes that the state keeps.
    pub fn keep(
        &self,
        passage: &Passage,
        places: &[DVec3],
        (contacts, pushes): (&mut Vec<Contact>, &mut Vec<Push>),
    ) {
        self.solids.keep(passage, places, contacts);
        pushes.clear();
        self.layers.iter().for_each(|layers| layers.keep(passage.h, pushes));
    }

    /// The step was good.
    pub fn accept(&mut self, passage: &Passage, places: &[DVec3]) {
        self.layers.iter_mut().for_each(Layers::accept);
        self.solids.accept(passage, places);
    }

    /// The step is discarded, and leaves no trace; or a frame begins, or somebody else has `moved` the
    /// cloth.
    pub fn forget(&mut self, moved: bool) {
        self.layers.iter_mut().for_each(|layers| layers.forget(moved));
        if moved {
            self.solids.forget();
        }
    }

    /// Adds what takes cloth out of itself to the loads of a step [N].
    pub fn untangle(&mut self, masses: &[f64], state: &State, h: f64, loads: &mut [DVec3]) {
        if let Some(layers) = &mut self.layers {
            layers.untangle(state, masses, h, loads);
        }
    }

    /// Parts of solids that cut the cloth between its particles in the step last tried.
    pub fn pierced(&self) -> u32 {
        self.solids.pierced
    }

    /// Particles that had no room between solids in the step last accepted.
    pub fn pinches(&self) -> &[Pinch] {
        &self.solids.pinches
    }

    /// What solids and bodies did to particles, friction included.
    pub fn forces(&self, passage: &Passage, forces: &mut Vec<ContactForce>) {
        self.solids.forces(passage, forces);
        self.layers.iter().for_each(|layers| layers.forces(passage.h, forces));
    }
}
