//! Momentum of loose cloth: internal impulses must not change it.

use std::borrow::Cow;

use glam::{DMat3, DVec3};
use taffeta_linalg::fill;

use crate::geometry::collision::top;
use crate::step::passage::Passage;

/// Particles whose velocities repay a hand-over to another thread.
const GRAIN: usize = 2048;

/// The pieces of cloth that hang together, each as its particles.
#[derive(Debug)]
pub(crate) struct Pieces {
    pieces: Vec<Vec<u32>>,
    /// The piece each particle is in.
    piece_of: Vec<Option<u32>>,
    held: Vec<bool>,
    /// For each piece the first that it moves together with.
    groups: Vec<u32>,
}

/// Of a piece, about its centre of mass.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Momentum {
    linear: DVec3,
    angular: DVec3,
}

/// A motion that strains nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RigidMotion {
    centre: DVec3,
    shift: DVec3,
    spin: DVec3,
}

impl RigidMotion {
    /// The velocity of a place [m/s].
    fn at(&self, place: DVec3) -> DVec3 {
        self.shift + self.spin.cross(place - self.centre)
    }
}

/// What moves.
#[derive(Clone, Copy)]
pub(crate) struct Matter<'a> {
    pub masses: &'a [f64],
    pub positions: &'a [DVec3],
}

/// What gives loose pieces of cloth their momenta back after a solver that keeps them only nearly.
#[derive(Debug)]
pub(crate) struct Momenta {
    pieces: Pieces,
    /// Velocities that loads alone would give, and those that the step takes [m/s].
    loaded: Vec<DVec3>,
    moving: Vec<DVec3>,
}

impl Momenta {
    /// Of cloth that edges hold together.
    pub fn new(particles: usize, edges: &[[u32; 2]]) -> Self {
        let zero = vec![DVec3::ZERO; particles];
        Self { pieces: Pieces::new(particles, edges), loaded: zero.clone(), moving: zero }
    }

    /// Learns which particles something holds, so that their pieces are not loose, and which push each
    /// other, so that theirs have their momentum together.
    pub fn look_at(
        &mut self,
        held: impl Iterator<Item = u32>,
        joined: impl Iterator<Item = [u32; 2]>,
    ) {
        self.pieces.look_at(held, joined);
    }

    /// Moves loose pieces so that their momenta change in the step by what these forces do to them [N]: a
    /// motion that strains nothing. A particle that comes to a place is `moving` at that velocity [m/s].
    pub fn restore(
        &mut self,
        passage: &Passage,
        (force, moving): (impl Fn(usize) -> DVec3 + Sync, impl Fn(usize, DVec3) -> DVec3 + Sync),
        places: &mut [DVec3],
    ) {
        let (masses, state, h) = (&passage.model.masses, passage.state, passage.h);
        let loose: Vec<Cow<[u32]>> = self.pieces.loose().collect();
        if loose.is_empty() {
            return;
        }
        let (x, v) = (&state.positions, &state.velocities);
        fill(&mut self.loaded, GRAIN, |i| v[i] + force(i) * (h / masses[i]));
        fill(&mut self.moving, GRAIN, |i| moving(i, places[i]));
        let bodies = Matter { masses, positions: x };
        for piece in &loose {
            let wanted = bodies.momentum(piece, &self.loaded);
            let more = bodies.missing(piece, wanted, &self.moving);
            piece.iter().for_each(|&i| places[i as usize] += more.at(x[i as usize]) * h);
        }
    }
}

impl Pieces {
    /// Which particles edges hold together; a particle without edges is in none.
    pub fn new(particles: usize, edges: &[[u32; 2]]) -> Self {
        let mut lowest: Vec<u32> = (0..particles as u32).collect();
        for &[a, b] in edges {
            let (a, b) = (top(&mut lowest, a), top(&mut lowest, b));
            lowest[a.max(b) as usize] = a.min(b);
        }
        let mut pieces = vec![Vec::new(); particles];
        for particle in 0..particles as u32 {
            pieces[top(&mut lowest, particle) as usize].push(particle);
        }
        pieces.retain(|piece| piece.len() > 1);
        let mut piece_of = vec![None; particles];
        for (number, piece) in pieces.iter().enumerate() {
            piece.iter().for_each(|&particle| piece_of[particle as usize] = Some(number as u32));
        }
        let groups = (0..pieces.len() as u32).collect();
        Self { held: vec![false; pieces.len()], pieces, piece_of, groups }
    }

    /// Learns which particles are held, and which of different pieces push each other.
    pub fn look_at(
        &mut self,
        held: impl Iterator<Item = u32>,
        joined: impl Iterator<Item = [u32; 2]>,
    ) {
        self.groups.iter_mut().zip(0..).for_each(|(group, own)| *group = own);
        for pair in joined {
            if let [Some(a), Some(b)] = pair.map(|particle| self.piece_of[particle as usize]) {
                let (a, b) = (top(&mut self.groups, a), top(&mut self.groups, b));
                self.groups[a.max(b) as usize] = a.min(b);
            }
        }
        self.held.fill(false);
        for particle in held {
            if let Some(piece) = self.piece_of[particle as usize] {
                let first = top(&mut self.groups, piece);
                self.held[first as usize] = true;
            }
        }
        for piece in 0..self.groups.len() as u32 {
            self.groups[piece as usize] = top(&mut self.groups, piece);
        }
    }

    /// The pieces of which no particle is held, those that push each other as one.
    pub fn loose(&self) -> impl Iterator<Item = Cow<'_, [u32]>> {
        let firsts = (0..self.pieces.len()).filter(|&piece| self.groups[piece] as usize == piece);
        firsts.filter(|&first| !self.held[first]).map(move |first| {
            let others = (first + 1..self.pieces.len())
                .filter(move |&piece| self.groups[piece] as usize == first);
            let mut all = Cow::Borrowed(&self.pieces[first][..]);
            others.for_each(|piece| all.to_mut().extend_from_slice(&self.pieces[piece]));
            all
        })
    }
}

impl Matter<'_> {
    fn centre(&self, piece: &[u32]) -> (DVec3, f64) {
        let mut sum = (DVec3::ZERO, 0.0);
        for &particle in piece {
            let mass = self.masses[particle as usize];
            sum = (sum.0 + self.positions[particle as usize] * mass, sum.1 + mass);
        }
        (sum.0 / sum.1, sum.1)
    }

    /// The momentum of a piece with these velocities.
    pub fn momentum(&self, piece: &[u32], velocities: &[DVec3]) -> Momentum {
        let (centre, _) = self.centre(piece);
        let mut sum = Momentum::default();
        for &particle in piece {
            let i = particle as usize;
            let momentum = velocities[i] * self.masses[i];
            sum.linear += momentum;
            sum.angular += (self.positions[i] - centre).cross(momentum);
        }
        sum
    }

    /// The motion that a piece lacks for the momentum it should have.
    pub fn missing(&self, piece: &[u32], wanted: Momentum, velocities: &[DVec3]) -> RigidMotion {
        let (centre, mass) = self.centre(piece);
        let now = self.momentum(piece, velocities);
        let shift = (wanted.linear - now.linear) / mass;
        let spin = self.spin(piece, centre, wanted.angular - now.angular);
        RigidMotion { centre, shift, spin }
    }

    /// The rotation that carries an angular momentum. A straight line of particles carries none
    /// about itself; the little that is added keeps it from turning at random.
    fn spin(&self, piece: &[u32], centre: DVec3, angular: DVec3) -> DVec3 {
        let mut inertia = DMat3::ZERO;
        for &particle in piece {
            let i = particle as usize;
            let arm = self.positions[i] - centre;
            let outer = DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z);
            let round = DMat3::from_diagonal(DVec3::splat(arm.length_squared()));
            inertia += (round - outer) * self.masses[i];
        }
        let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
        if trace <= 0.0 {
            return DVec3::ZERO;
        }
        let little = DMat3::from_diagonal(DVec3::splat(trace * 1e-14));
        (inertia + little).inverse() * angular
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_what_edges_hold_together() {
        let mut pieces = Pieces::new(7, &[[0, 3], [4, 5], [3, 1]]);
        assert_eq!(pieces.loose().collect::<Vec<_>>(), [&[0, 1, 3][..], &[4, 5]]);
        pieces.look_at([6, 1].into_iter(), [].into_iter());
        assert_eq!(pieces.loose().collect::<Vec<_>>(), [&[4, 5][..]]);
        pieces.look_at([].into_iter(), [[5, 1]].into_iter());
        assert_eq!(pieces.loose().collect::<Vec<_>>(), [&[0, 1, 3, 4, 5][..]]);
        pieces.look_at([0].into_iter(), [[5, 1]].into_iter());
        assert!(pieces.loose().next().is_none());
    }

    #[test]
    fn restored_momentum_is_the_wanted_one_even_of_a_line() {
        let masses = [1.0, 2.0, 0.5, 1.5];
        let line = [0.0, 1.0, 2.0, 5.0].map(|x| DVec3::new(x, 1.0, 0.0));
        let mut bent = line;
        bent[1].y += 1.0;
        bent[2].z -= 0.7;
        for positions in [line, bent] {
            let bodies = Matter { masses: &masses, positions: &positions };
            let piece = [0, 1, 2, 3];
            let before: Vec<DVec3> =
                (0..4).map(|i| DVec3::new(f64::from(i), 1.0, 0.3 * f64::from(i * i))).collect();
            let wanted = bodies.momentum(&piece, &before);
            let mut after: Vec<DVec3> = before.iter().map(|v| *v * 0.7 + DVec3::X).collect();
            let more = bodies.missing(&piece, wanted, &after);
            for &particle in &piece {
                after[particle as usize] += more.at(positions[particle as usize]);
            }
            let found = bodies.momentum(&piece, &after);
            assert!((found.linear - wanted.linear).length() < 1e-13);
            assert!((found.angular - wanted.angular).length() < 1e-12, "{found:?} {wanted:?}");
        }
    }
}
