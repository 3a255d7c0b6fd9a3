//! Dressing: panels around a body are drawn together along their seams, joined, and come to rest on
//! it. What comes out is how a simulation of the garments begins.
//!
//! Garments are put on one after the other, in the order of the scene: an undershirt before the shirt.
//! What is on already is held while the next one is sewn over it, and settles with it.

use std::sync::atomic::AtomicBool;

use glam::DVec3;
use taffeta::mesh::Faces;
use taffeta::{Mesh, Pin, SelfContact, Setup, Simulation};

use crate::progress::{DressError, Progress, Stage};
use crate::room::{Dressing, Listener, RATE, Worn, advance, loosen};
use crate::sewing::Sewing;

/// Frames at most until cloth that was sewn is within its limits again.
const RELAXING: u32 = 60;

impl Dressing {
    /// Puts the garments on, and tells where all particles of the scene are then.
    pub fn dress(
        &self,
        stop: &AtomicBool,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Vec<DVec3>, DressError> {
        let mut listener = Listener { stop, progress };
        let mut worn = Worn::new(self);
        for (piece, garment) in self.garments() {
            let of_panels = Sewing { dressing: self, piece, garment }.sew(&worn, &mut listener)?;
            worn.places[piece] = Some(garment.sewn.middles(&of_panels));
            self.settle(piece, &mut worn, &mut listener)?;
        }
        Ok(worn.places.into_iter().flatten().flatten().collect())
    }

    /// Lets what is worn fall, and notes where it comes to rest.
    fn settle(
        &self,
        newest: usize,
        worn: &mut Worn,
        listener: &mut Listener,
    ) -> Result<(), DressError> {
        self.relax(newest, worn, listener)?;
        let setup = self.settling(newest, worn)?;
        let faces = setup.model.faces().clone();
        let mut simulation = Simulation::new(setup)?;
        let settle = self.pieces[newest].garment().map_or(0.0, |garment| garment.settle);
        let frames = (settle * RATE).ceil().max(1.0) as u32;
        for frame in 1..=frames {
            let time = f64::from(frame) / RATE;
            let advanced = advance(&mut simulation, time, Stage::Settling, listener.stop);
            advanced.map_err(|error| error.at(shape(&simulation, &faces)))?;
            let time = [time, f64::from(frames) / RATE];
            let stage = Stage::Settling;
            (listener.progress)(Progress { piece: newest, stage, time, gap: 0.0 });
        }
        worn.take(&simulation.state().positions);
        match simulation.intersections().first() {
            None => Ok(()),
            Some(first) => {
                let count = simulation.intersections().len();
                let at = simulation.state().positions[first.edge[0] as usize].to_array();
                Err(DressError::Tangled { count, at }.at(shape(&simulation, &faces)))
            }
        }
    }

    /// Joining particles strains cloth along seams, by up to its thickness over the length of an edge: by
    /// its own stiffness it comes within its limits again.
    fn relax(
        &self,
        newest: usize,
        worn: &mut Worn,
        listener: &mut Listener,
    ) -> Result<(), DressError> {
        for _ in 0..RELAXING {
            let mut setup = self.settling(newest, worn)?;
            if !loosen(&mut setup) {
                break;
            }
            let faces = setup.model.faces().clone();
            let mut simulation = Simulation::new(setup)?;
            let advanced = advance(&mut simulation, 1.0 / RATE, Stage::Settling, listener.stop);
            advanced.map_err(|error| error.at(shape(&simulation, &faces)))?;
            worn.take(&simulation.state().positions);
        }
        Ok(())
    }

    /// The simulation in which what is worn settles.
    fn settling(&self, newest: usize, worn: &Worn) -> Result<Setup, DressError> {
        let there = worn.all(self)?;
        let present: Vec<usize> = there.iter().map(|there| there.piece).collect();
        let mut setup = self.setup_of(there)?;
        setup.pins = self.pins(&present);
        let alone = SelfContact { thickness: self.thickness(newest), friction: 0.0 };
        setup.self_contact = Some(setup.self_contact.unwrap_or(alone));
        Ok(setup)
    }

    /// What holds the cloths that are there while they settle: the scene's pins, where they are when it
    /// begins; and all of a cloth that is no garment.
    fn pins(&self, present: &[usize]) -> Vec<Pin> {
        let mut end = 0;
        let (mut moved, mut pins) = (vec![None; self.setup.positions.len()], Vec::new());
        for &piece in present {
            let (first, count) = (self.first(piece), self.pieces[piece].particles());
            let begin = end;
            end += count as u32;
            if self.pieces[piece].garment().is_none() {
                pins.push(Pin::fixed(begin..begin + count as u32));
                continue;
            }
            for particle in 0..count {
                moved[first + particle] = Some(begin + particle as u32);
            }
        }
        for pin in self.setup.pins.iter().filter(|pin| pin.holds_at(self.time)) {
            let particles: Vec<u32> =
                pin.particles.iter().filter_map(|&particle| moved[particle as usize]).collect();
            if !particles.is_empty() {
                let hold = pin.hold.clone();
                pins.push(Pin { hold, ..Pin::fixed(particles) });
            }
        }
        pins
    }
}

/// Where a simulation has its cloth.
fn shape(simulation: &Simulation, faces: &Faces) -> Mesh {
    Mesh { positions: simulation.state().positions.clone(), faces: faces.clone() }
}
