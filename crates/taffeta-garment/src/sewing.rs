//! Sewing: the seams of a garment are drawn together around the body and what it wears already.
//!
//! Seams are closed by a simulation of the panels, with limits, solids and self-contact as in any
//! other, so that nothing is stretched by the gaps or passes through anything. Layers keep a distance
//! from each other, so seams close up to that; joining their particles moves each by half of it, and a
//! simulation of the garment brings what that strained into its limits again.

use glam::DVec3;
use taffeta::collision::{Intersection, Surface, intersections};
use taffeta::{Air, Mesh, Model, Pin, SelfContact, Setup, Simulation};

use crate::cut::Cut;
use crate::garment::Garment;
use crate::progress::{DressError, Progress, Stage};
use crate::room::{Dressing, Listener, RATE, There, Worn, advance, loosen};
use crate::sewn::Sewn;

/// Force per distance of each pair of particles that is drawn together \[N/m\].
const PULL: f64 = 1000.0;

/// Seams are closed when their particles are this many thicknesses of the cloth from each other.
const CLOSED: f64 = 0.75;

/// Pairs of particles as many thicknesses apart are joined before all of their seam is closed.
const JOINED: f64 = 1.25;

/// How often what is joined may be twice as far apart: up to 10 thicknesses.
const DOUBLINGS: u32 = 3;

/// Seams that come no nearer than by this share in so many frames are held up by layers between.
const HELD_UP: (f64, usize) = (0.03, 8);

/// A garment that is being sewn.
pub(crate) struct Sewing<'a> {
    pub dressing: &'a Dressing,
    pub piece: usize,
    pub garment: &'a Garment,
}

/// How far a garment is sewn.
struct Sewed {
    /// Where the particles of the panels are.
    places: Vec<DVec3>,
    /// The pairs that are joined already.
    joined: Vec<[u32; 2]>,
    /// How many frames it took so far.
    frame: u32,
    /// How often what is joined may be twice as far apart.
    doubled: u32,
    /// Whether all is joined, and has to come out of itself.
    untangles: bool,
}

/// How a stretch of sewing without joining ends.
enum Ending {
    /// All seams can be joined.
    Closed,
    /// They come no nearer, or there is no time left.
    Held,
    /// The simulation cannot go on.
    Failed(DressError),
}

impl Sewing<'_> {
    /// Draws the seams together, and tells where the particles of the panels are then.
    ///
    /// What has come together is joined on the way, as a zip closes, where that leaves the cloth through
    /// nothing. Where even so seams come no nearer, since layers lie between their ends, as under the
    /// arms, what is a little farther apart is joined too, if that goes through nothing.
    pub fn sew(&self, worn: &Worn, listener: &mut Listener) -> Result<Vec<DVec3>, DressError> {
        let cut = &self.garment.cut;
        let places = cut.places.clone();
        let mut sewed =
            Sewed { places, joined: Vec::new(), frame: 0, doubled: 0, untangles: false };
        let mut failure = None;
        while sewed.frame < self.frames() && sewed.doubled <= DOUBLINGS {
            match self.stretch(&mut sewed, worn, listener)? {
                Ending::Closed => return Ok(sewed.places),
                Ending::Held => failure = None,
                Ending::Failed(error) => failure = Some(error),
            }
            let near = self.together(&sewed);
            match near.len() > sewed.joined.len() {
                false => sewed.doubled += 1,
                // Where several seams end, what is joined may still hang by that point alone: then it waits.
                true if self.garment.model(&Sewn::joining(cut, &near)).is_err() => {}
                true => sewed.joined = near,
            }
        }
        // What is left came together crosswise: joined, it is through something, and is pushed out of it.
        if failure.is_none() && self.widest(&sewed.places).1 <= self.reach(DOUBLINGS) {
            sewed.joined = cut.seams.iter().flatten().copied().collect();
            sewed.untangles = true;
            if let Ending::Closed = self.stretch(&mut sewed, worn, listener)? {
                return Ok(sewed.places);
            }
        }
        let error = failure.unwrap_or_else(|| self.open(&sewed.places));
        Err(error.at(self.state(&sewed, worn)?))
    }

    /// How far apart pairs are at most that are joined, when that was doubled so often \[m\].
    fn reach(&self, doubled: u32) -> f64 {
        JOINED * self.thickness() * f64::from(1u32 << doubled)
    }

    /// The most frames it may take.
    fn frames(&self) -> u32 {
        (self.garment.patience * RATE).ceil() as u32
    }

    /// The distance of layers \[m\].
    fn thickness(&self) -> f64 {
        self.dressing.thickness(self.piece)
    }

    /// Draws seams together until they come no nearer.
    fn stretch(
        &self,
        sewed: &mut Sewed,
        worn: &Worn,
        listener: &mut Listener,
    ) -> Result<Ending, DressError> {
        let part = Sewn::joining(&self.garment.cut, &sewed.joined);
        let (setup, own) = self.panels(&part, &sewed.places, worn)?;
        let mut simulation = Simulation::new(setup)?;
        let (begin, mut gaps) = (sewed.frame, vec![f64::INFINITY]);
        while sewed.frame < self.frames() && (sewed.untangles || is_nearing(&gaps)) {
            sewed.frame += 1;
            let time = f64::from(sewed.frame - begin) / RATE;
            match advance(&mut simulation, time, Stage::Sewing, listener.stop) {
                Err(error @ DressError::Step { .. }) => return Ok(Ending::Failed(error)),
                other => other?,
            }
            sewed.places = part.spread(&simulation.state().positions[own.clone()]);
            let gap = self.widest(&sewed.places).1;
            let time = [f64::from(sewed.frame) / RATE, self.garment.patience];
            let stage = Stage::Sewing;
            (listener.progress)(Progress { piece: self.piece, stage, time, gap });
            if gap <= CLOSED * self.thickness() && self.joins_cleanly(&sewed.places) {
                return Ok(Ending::Closed);
            }
            gaps.push(gap);
        }
        Ok(Ending::Held)
    }

    /// The pairs that are joined and those that can be: that have come together, and pass through nothing
    /// when they are joined. One alone would hang by a point, and is left.
    fn together(&self, sewed: &Sewed) -> Vec<[u32; 2]> {
        let reach = self.reach(sewed.doubled);
        let at = |particle: u32| sewed.places[particle as usize];
        let is_near = |[a, b]: &[u32; 2]| at(*a).distance(at(*b)) <= reach;
        let cut = &self.garment.cut;
        let mut can = cut.seams.clone();
        can.iter_mut().for_each(|pairs| pairs.retain(is_near));
        loop {
            let count = can.iter().map(Vec::len).sum::<usize>();
            for (pairs, all) in can.iter_mut().zip(&cut.seams) {
                *pairs = in_rows(pairs, all);
            }
            let pairs: Vec<[u32; 2]> = can.iter().flatten().chain(&sewed.joined).copied().collect();
            let part = Sewn::joining(cut, &pairs);
            let mut crossing = vec![false; part.particles];
            for found in crossings(cut, &part, &sewed.places) {
                let corners = found.edge.iter().chain(&found.triangle);
                corners.for_each(|&particle| crossing[particle as usize] = true);
            }
            let is_clean = |pair: &[u32; 2]| !crossing[part.of[pair[0] as usize] as usize];
            can.iter_mut().for_each(|pairs| pairs.retain(|pair| is_clean(pair)));
            if can.iter().map(Vec::len).sum::<usize>() == count {
                let mut pairs = pairs;
                pairs.sort_unstable();
                pairs.dedup();
                return pairs;
            }
        }
    }

    /// All cloth that is there, for a picture of it.
    fn state(&self, sewed: &Sewed, worn: &Worn) -> Result<Mesh, DressError> {
        let part = Sewn::joining(&self.garment.cut, &sewed.joined);
        let (setup, _) = self.panels(&part, &sewed.places, worn)?;
        Ok(Mesh { faces: setup.model.faces().clone(), positions: setup.positions })
    }

    /// The simulation in which the panels come together: nothing falls, nothing rubs, and what is worn
    /// already stays where it is. `part` says what is joined already. Tells also where the particles of
    /// the panels are among all.
    fn panels(
        &self,
        part: &Sewn,
        places: &[DVec3],
        worn: &Worn,
    ) -> Result<(Setup, std::ops::Range<usize>), DressError> {
        let model = self.garment.model(part)?;
        let mut there = worn.all(self.dressing)?;
        let among = there.partition_point(|there| there.piece < self.piece);
        let first: usize = there[..among].iter().map(|there| there.places.len()).sum();
        let own = first..first + part.particles;
        there.insert(among, There { piece: self.piece, model, places: part.middles(places) });
        let mut setup = self.dressing.setup_of(there)?;
        let all = self.garment.cut.seams.iter().flatten();
        let pairs = all.map(|pair| pair.map(|p| first as u32 + part.of[p as usize]));
        let pairs = pairs.filter(|[a, b]| a != b).collect();
        let seam = taffeta::Seam { pairs, stiffness: PULL, time: self.garment.pull };
        setup.model = Model::clone(&setup.model).with_seams(&[seam])?.into();
        let held = (0..setup.positions.len()).filter(|particle| !own.contains(particle));
        let held: Vec<u32> = held.map(|particle| particle as u32).collect();
        setup.pins.extend((!held.is_empty()).then(|| Pin::fixed(held)));
        setup.loads.gravity = DVec3::ZERO;
        setup.loads.fan = None;
        setup.loads.air = Some(Air { density: 1.2, drag: 1.2, wind: DVec3::ZERO });
        setup.solids.iter_mut().for_each(|solid| solid.friction = 0.0);
        setup.self_contact = Some(SelfContact { thickness: self.thickness(), friction: 0.0 });
        setup.of_cloths.iter_mut().for_each(|own| own.contact.friction = 0.0);
        // What joining has strained relaxes by and by.
        loosen(&mut setup);
        Ok((setup, own))
    }

    /// Whether the garment passes through itself nowhere if particles of the panels are joined here.
    fn joins_cleanly(&self, of_panels: &[DVec3]) -> bool {
        crossings(&self.garment.cut, &self.garment.sewn, of_panels).is_empty()
    }

    /// The seam with the widest gap, the gap, and a particle there.
    fn widest(&self, at: &[DVec3]) -> (usize, f64, u32) {
        let mut widest = (0, 0.0, 0);
        for (seam, pairs) in self.garment.cut.seams.iter().enumerate() {
            for &[a, b] in pairs {
                let gap = at[a as usize].distance(at[b as usize]);
                if gap > widest.1 {
                    widest = (seam, gap, a);
                }
            }
        }
        widest
    }

    fn open(&self, at: &[DVec3]) -> DressError {
        let closed = CLOSED * self.thickness();
        let (seam, gap, particle) = self.widest(at);
        let sewn = &self.garment.sewn;
        let left = crossings(&self.garment.cut, sewn, at);
        if let (true, Some(first)) = (gap <= closed, left.first()) {
            let at = sewn.middles(at)[first.edge[0] as usize].to_array();
            return DressError::Tangled { count: left.len(), at };
        }
        let is_open = |pairs: &&Vec<[u32; 2]>| {
            pairs.iter().any(|&[a, b]| at[a as usize].distance(at[b as usize]) > closed)
        };
        DressError::Open {
            seam: self.garment.seams.get(seam).cloned().unwrap_or_default(),
            gap,
            at: at[particle as usize].to_array(),
            others: self.garment.cut.seams.iter().filter(is_open).count().saturating_sub(1),
            after: self.garment.patience,
        }
    }
}

/// Those pairs of a seam that have a neighbour among them.
fn in_rows(pairs: &[[u32; 2]], seam: &[[u32; 2]]) -> Vec<[u32; 2]> {
    let chosen: Vec<bool> = seam.iter().map(|pair| pairs.contains(pair)).collect();
    let beside = |i: usize| (i > 0 && chosen[i - 1]) || chosen.get(i + 1) == Some(&true);
    (0..seam.len()).filter(|&i| chosen[i] && beside(i)).map(|i| seam[i]).collect()
}

/// Where the cloth of panels passes through itself when they are sewn so far and their particles are here.
fn crossings(cut: &Cut, sewn: &Sewn, of_panels: &[DVec3]) -> Vec<Intersection> {
    let surface = Surface::new(&sewn.faces(cut), sewn.particles);
    intersections(&surface, &sewn.middles(of_panels))
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
