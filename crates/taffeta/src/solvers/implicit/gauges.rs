//! Limited gauges, as inequality constraints of an augmented Lagrangian: stiff before they reach their
//! limits, with a tension (the dual variable) that lives in the state and warm-starts the next step,
//! and projected onto the limits where that is not enough. The active set of a step's first solve is
//! what was taut before, and what the prediction strains.

use std::collections::VecDeque;
use std::ops::Range;

use glam::{DVec3, Mat3A};
use taffeta_linalg::{ElementRows, Filter, fill, ordered_sum, update};

use super::membranes::scalar;

use crate::matter::elements::outer;
use crate::matter::gauge::Gauge;
use crate::matter::model::{Incidence, Model};
use crate::setup::limits::StrainLimits;
use crate::setup::piece::Piece;

/// Where tension begins, as a share of the limit: what is left of the way takes up what a solve does
/// not know.
const ONSET: f64 = 0.5;
/// Tension that the stiffness alone makes of the rest of the way to a limit of 1 % or more [N/m]: some
/// times the weight of a square metre of cloth. The dual bears what lasts. Below, it grows with the square
/// of how tight a limit is: soft cloth that swings from two corners was over 0.1 % in one step of eight with
/// ten times as much, in a few with thirty times, and in none with a hundred times.
const FIRM: f64 = 20.0;
/// The share of the tension of the step before that a step starts from.
const WARM: f64 = 0.8;
/// Projection begins above this share of a limit, and ends at that.
const ABOVE: f64 = 0.999;
const BELOW: f64 = 0.98;
/// How fast a gauge that starts beyond its limits is brought within them [1/s].
const WIN_BACK: f64 = 0.5;
/// Moves of gauges in a projection, for each of them.
const MOST_MOVES: usize = 8;

/// Gauges whose work repays a hand-over to another thread.
const GRAIN: usize = 4096;

/// The limited gauges of a model.
#[derive(Debug)]
pub(super) struct Gauges {
    /// The law of each cloth, and the gauge that its gauges end before.
    laws: Vec<(usize, LimitLaw)>,
    /// What each gauge may reach in this step: its limits, or nearly what it starts from.
    allowed: Vec<StrainLimits>,
    /// Which gauges are at each particle.
    around: Incidence,
    /// Gauges that wait for being moved, and whether they do.
    queue: VecDeque<u32>,
    queued: Vec<bool>,
    /// What projections would have moved particles by along what is held, times their masses [kg·m].
    pub withheld: Vec<DVec3>,
}

/// What limits do to a gauge.
#[derive(Clone, Copy, Debug)]
pub(super) struct LimitLaw {
    limits: StrainLimits,
    /// The strains from which on it answers, in extension and in compression.
    onsets: [f64; 2],
    /// Strains above which a projection moves the gauge, and those to which it does; of what may not be
    /// compressed at all, never.
    moved_above: [f64; 2],
    moved_to: [f64; 2],
    /// Tension per strain beyond the onset [N/m].
    pub stiffness: f64,
}

impl Gauges {
    /// Of a setup whose cloth has these limits, unless its cloths have their own.
    pub fn new(piece: &Piece, limits: StrainLimits) -> Self {
        let Piece { setup, model, .. } = piece;
        let law = |limits: StrainLimits, gauges: Range<usize>| {
            let tightest = limits.compression.unwrap_or(limits.extension).min(limits.extension);
            let firm = FIRM * (0.01 / tightest).max(1.0).powi(2);
            // The gauges of a continuum are the columns of its membranes, in their order.
            let membranes = model.membranes.get(gauges.start / 2..gauges.end / 2);
            let stretch = membranes.into_iter().flatten().flat_map(|m| m.stretch);
            let stiffest = stretch.fold(0.0, f64::max);
            let stiffness = (firm / ((1.0 - ONSET) * tightest)).max(2.0 * stiffest);
            (gauges.end, LimitLaw::new(limits, stiffness))
        };
        let own = model.cloths().iter().zip(&setup.of_cloths).map(|(cloth, own)| {
            law(own.limits, cloth.gauges.start as usize..cloth.gauges.end as usize)
        });
        let laws: Vec<(usize, LimitLaw)> = match setup.of_cloths.is_empty() {
            true => vec![law(limits, 0..model.gauges.len())],
            false => own.collect(),
        };
        Self {
            laws,
            allowed: vec![limits; model.gauges.len()],
            around: Incidence::new(model.particles(), model.gauges.iter().map(|g| g.particles)),
            queue: VecDeque::new(),
            queued: vec![false; model.gauges.len()],
            withheld: vec![DVec3::ZERO; model.particles()],
        }
    }

    /// Begins a step of this length where the particles are at `x`: cloth that starts beyond its limits
    /// is led back slowly.
    pub fn begin(&mut self, model: &Model, x: &[DVec3], h: f64) {
        self.withheld.fill(DVec3::ZERO);
        let laws = &self.laws;
        let led = |strain: f64, limit: f64| limit.max(strain - WIN_BACK * h);
        fill(&mut self.allowed, GRAIN, |g| {
            let limits = law_of(laws, g).limits;
            let strain = model.gauges[g].strain(x);
            StrainLimits {
                extension: led(strain, limits.extension),
                compression: limits.compression.map(|limit| led(-strain, limit)),
            }
        });
    }

    /// The law of a gauge in this step.
    #[inline]
    pub fn law(&self, gauge: usize) -> LimitLaw {
        law_of(&self.laws, gauge).reaching(self.allowed[gauge])
    }

    /// What the law of an edge adds, with its particles at `places`.
    pub fn edge(
        &self,
        model: &Model,
        g: usize,
        places: &[DVec3],
        (dual, first): (f64, bool),
    ) -> ElementRows<2> {
        let (gauge, area) = (&model.gauges[g], model.gauge_areas[g]);
        let mut out = ElementRows::ZERO;
        let vector = gauge.vector(places);
        let length = vector.length();
        let law = self.law(g);
        let strain = length - 1.0;
        let tension = if first { law.expect(dual, strain) } else { law.answer(dual, strain) };
        if tension == 0.0 || length == 0.0 {
            return out;
        }
        let weight = gauge.weights[0];
        let direction = vector / length;
        let across = tension.abs() / length;
        let along = outer(direction, direction) * (law.stiffness - across);
        let scale = area * weight * weight;
        let block = (along * scale).as_mat3();
        let block = Mat3A::from_cols_array(&block.to_cols_array()) + scalar(across * scale);
        let force = direction * (tension * area * weight);
        out.forces = [force, -force];
        (out.blocks[0][0], out.blocks[1][0], out.blocks[1][1]) = (block, -block, block);
        out
    }

    /// What the stiffness beyond the onsets stores [J]; duals store nothing.
    pub fn energy(&self, model: &Model, places: &[DVec3]) -> f64 {
        ordered_sum(model.gauges.len(), |g| {
            let law = law_of(&self.laws, g);
            let tension = law.answer(0.0, model.gauges[g].strain(places));
            0.5 * tension * tension / law.stiffness * model.gauge_areas[g]
        })
    }

    /// The dual of a gauge in a step that starts from these tensions.
    #[inline]
    pub fn dual(&self, gauge: usize, tensions: &[f64]) -> f64 {
        WARM * tensions[gauge]
    }

    /// The tensions of a step that has brought particles to `places`.
    ///
    /// Duals do not change within a step: a solve that follows another would push what that one has pushed
    /// already, and never come to an end.
    pub fn follow(&self, model: &Model, places: &[DVec3], tensions: &mut [f64]) {
        update(tensions, GRAIN, |g, tension| {
            *tension = self.law(g).answer(WARM * *tension, model.gauges[g].strain(places));
        });
    }

    /// How far the worst gauge is over its limits, as a share of them; not above zero if none is.
    pub fn excess(&self, model: &Model, places: &[DVec3]) -> f64 {
        let mut gauges = model.gauges.iter().zip(&self.allowed);
        let mut begin = 0;
        let of_laws = self.laws.iter().map(|(end, law)| {
            let own = gauges.by_ref().take(end - std::mem::replace(&mut begin, *end));
            let worst = own.map(|(gauge, allowed)| allowed.excess(gauge.strain(places)));
            worst.fold(f64::NEG_INFINITY, f64::max) / law.limits.extension
        });
        of_laws.fold(f64::NEG_INFINITY, f64::max)
    }

    /// Moves the particles of gauges that are over their limits, gauge after gauge and from
    /// neighbour to neighbour, until none is; tells whether that came to an end.
    pub fn project(
        &mut self,
        model: &Model,
        places: &mut [DVec3],
        free: (&[f64], &[Filter]),
    ) -> bool {
        self.queue.clear();
        for (g, gauge) in (0..).zip(&model.gauges) {
            if self.law(g as usize).is_over(gauge.vector(places).length_squared()) {
                self.queue.push_back(g);
                self.queued[g as usize] = true;
            }
        }
        let mut left = MOST_MOVES * model.gauges.len();
        while let Some(g) = self.queue.pop_front() {
            self.queued[g as usize] = false;
            if left == 0 {
                self.queue.drain(..).for_each(|g| self.queued[g as usize] = false);
                return false;
            }
            left -= 1;
            let gauge = &model.gauges[g as usize];
            let law = self.law(g as usize);
            if !law.move_within(gauge, (places, &mut self.withheld), free) {
                continue;
            }
            for (particle, _) in gauge.corners() {
                for &(other, _) in self.around.at(particle as usize) {
                    let vector = model.gauges[other as usize].vector(places);
                    let over = || self.law(other as usize).is_over(vector.length_squared());
                    if !self.queued[other as usize] && over() {
                        self.queued[other as usize] = true;
                        self.queue.push_back(other);
                    }
                }
            }
        }
        true
    }
}

/// The law of the cloth that a gauge is of.
#[inline]
fn law_of(laws: &[(usize, LimitLaw)], gauge: usize) -> LimitLaw {
    match laws {
        [(_, only)] => *only,
        _ => laws[laws.partition_point(|(end, _)| *end <= gauge)].1,
    }
}

impl LimitLaw {
    /// Before these limits.
    pub fn new(limits: StrainLimits, stiffness: f64) -> Self {
        let none = [0.0; 2];
        Self { limits, onsets: none, moved_above: none, moved_to: none, stiffness }.reaching(limits)
    }

    /// The same in a solve whose places are only predicted: a gauge under tension stays so, even if the
    /// prediction makes it slack.
    #[inline]
    pub fn expect(&self, tension: f64, strain: f64) -> f64 {
        match tension > 0.0 {
            true => tension + self.stiffness * (strain - self.onsets[0]),
            false => self.answer(tension, strain),
        }
    }

    /// The same stiffness before other limits.
    #[inline]
    fn reaching(self, allowed: StrainLimits) -> Self {
        let shift = |allowed: f64, limit: f64| allowed - (1.0 - ONSET) * limit;
        // What starts beyond its limits is led back by no more than it has to be.
        let within = |share: f64, allowed: f64, limit: f64| match allowed > limit {
            true => allowed,
            false => share * limit,
        };
        let both = |share: f64| {
            let compressed = match (allowed.compression, self.limits.compression) {
                (Some(allowed), Some(limit)) => within(share, allowed, limit),
                _ => 1.0,
            };
            [within(share, allowed.extension, self.limits.extension), compressed]
        };
        Self {
            moved_above: both(ABOVE),
            moved_to: both(BELOW),
            onsets: [
                shift(allowed.extension, self.limits.extension),
                shift(allowed.compression.unwrap_or(0.0), self.limits.compression.unwrap_or(0.0)),
            ],
            limits: allowed,
            ..self
        }
    }

    /// The tension of a gauge whose dual is `tension`, at a strain [N/m]: positive at extension,
    /// negative at compression.
    #[inline]
    pub fn answer(&self, tension: f64, strain: f64) -> f64 {
        let taut = tension.max(0.0) + self.stiffness * (strain - self.onsets[0]);
        if taut > 0.0 {
            return taut;
        }
        if self.limits.compression.is_none() {
            return 0.0;
        }
        (tension.min(0.0) + self.stiffness * (strain + self.onsets[1])).min(0.0)
    }

    /// Whether a gauge of this squared length is so near a limit that it is moved.
    #[inline]
    fn is_over(&self, squared: f64) -> bool {
        let [extended, compressed] = self.moved_above;
        let (most, least) = (1.0 + extended, 1.0 - compressed);
        squared > most * most || squared < least * least
    }

    /// Moves a gauge within its limits, by inverse masses and along what is free; tells whether it was
    /// not.
    fn move_within(
        &self,
        gauge: &Gauge,
        (places, withheld): (&mut [DVec3], &mut [DVec3]),
        (w, filters): (&[f64], &[Filter]),
    ) -> bool {
        let vector = gauge.vector(places);
        let length = vector.length();
        if !self.is_over(length * length) || length == 0.0 {
            return false;
        }
        let aim = match length > 1.0 {
            true => 1.0 + self.moved_to[0],
            false => 1.0 - self.moved_to[1],
        };
        let direction = vector / length;
        let along = |i: u32| filters[i as usize].free_part(direction) * w[i as usize];
        let effect: f64 =
            gauge.corners().map(|(i, weight)| weight * weight * along(i).dot(direction)).sum();
        if effect <= 0.0 {
            return false;
        }
        for (i, weight) in gauge.corners() {
            let share = (aim - length) / effect * weight;
            places[i as usize] += along(i) * share;
            if filters[i as usize] != Filter::FREE {
                withheld[i as usize] += filters[i as usize].held_part(direction) * share;
            }
        }
        true
    }
}
