//! What a simulation is made of.

pub(crate) mod checks;
pub(crate) mod fan;
pub(crate) mod integrator;
pub(crate) mod limiter;
pub(crate) mod limits;
pub(crate) mod load_keys;
pub(crate) mod loads;
pub(crate) mod piece;
pub(crate) mod pin;
pub(crate) mod pull;
pub(crate) mod self_contact;
pub(crate) mod stability;
pub(crate) mod step_limits;

use std::sync::Arc;

use glam::DVec3;

use crate::geometry::solid::{SLACK, Solid};
use crate::matter::gauge::Gauge;
use crate::matter::model::{Cloth, Model};
use crate::setup::integrator::Integrator;
use crate::setup::limiter::Limiter;
use crate::setup::limits::StrainLimits;
use crate::setup::load_keys::{LoadKey, loads_at};
use crate::setup::loads::Loads;
use crate::setup::pin::Pin;
use crate::setup::pull::Pull;
use crate::setup::self_contact::SelfContact;
use crate::setup::step_limits::StepLimits;
use crate::woven::Woven;

/// What a simulation is made of.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The cloth. What can tear begins as this, and the simulation has what has become of it. Another one
    /// is put in by `model.into()`.
    pub model: Arc<Model>,
    /// Where each particle starts \[m\].
    pub positions: Vec<DVec3>,
    /// What holds it.
    pub pins: Vec<Pin>,
    /// What it cannot enter.
    pub solids: Vec<Solid>,
    /// What pulls it.
    pub loads: Loads,
    /// How gravity and wind change; without keys they do not.
    pub load_keys: Vec<LoadKey>,
    /// What pulls single particles.
    pub pulls: Vec<Pull>,
    /// How steps are integrated.
    pub integrator: Integrator,
    /// How long steps may be.
    pub step: StepLimits,
    /// How far the cloth may stretch; without it, as far as its stiffness lets it.
    pub limits: Option<StrainLimits>,
    /// How that is kept.
    pub limiter: Limiter,
    /// What it is woven of, if it can tear: then `model` is the whole cloth.
    pub woven: Option<Woven>,
    /// How the cloth touches itself; without it, it passes through itself.
    pub self_contact: Option<SelfContact>,
    /// What holds for each of several cloths instead of `limits` and `self_contact`; empty if they are
    /// all alike.
    pub of_cloths: Vec<OfCloth>,
}

/// What holds for one of several cloths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OfCloth {
    /// How far it may stretch.
    pub limits: StrainLimits,
    /// How it touches others and itself: between two cloths holds the mean of theirs.
    pub contact: SelfContact,
}

/// Cloth that starts inside a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StartsInside {
    /// The solid, by its place in the list.
    pub solid: usize,
    /// How many particles are inside.
    pub particles: u32,
    /// The deepest of them, and how deep it is \[m\].
    pub deepest: (u32, f64),
}

impl Setup {
    /// Cloth that falls freely under Earth's gravity.
    pub fn new(model: impl Into<Arc<Model>>, positions: Vec<DVec3>) -> Self {
        Self {
            model: model.into(),
            positions,
            pins: Vec::new(),
            solids: Vec::new(),
            loads: Loads::default(),
            load_keys: Vec::new(),
            pulls: Vec::new(),
            integrator: Integrator::default(),
            step: StepLimits::default(),
            limits: None,
            limiter: Limiter::default(),
            woven: None,
            self_contact: None,
            of_cloths: Vec::new(),
        }
    }
}

impl Setup {
    /// How far a gauge may stretch, if the cloth's strain is limited.
    #[inline]
    pub fn limits_at(&self, gauge: usize) -> Option<StrainLimits> {
        let all = self.limits?;
        let own = self.of_cloths.get(self.cloth_with(|cloth| cloth.gauges.end, gauge));
        Some(own.map_or(all, |own| own.limits))
    }

    /// How far the cloth of a particle may stretch, if its strain is limited.
    pub fn limits_of(&self, particle: u32) -> Option<StrainLimits> {
        let all = self.limits?;
        let cloth = self.cloth_with(|cloth| cloth.particles.end, particle as usize);
        Some(self.of_cloths.get(cloth).map_or(all, |own| own.limits))
    }

    /// The distance that two particles' cloths keep from each other, and their friction; none of cloth
    /// that passes through itself.
    #[inline]
    pub(crate) fn contact_between(&self, particles: [u32; 2]) -> Option<SelfContact> {
        let all = self.self_contact?;
        let own = |particle: u32| {
            let cloth = self.cloth_with(|cloth| cloth.particles.end, particle as usize);
            self.of_cloths.get(cloth).map_or(all, |own| own.contact)
        };
        let [a, b] = particles.map(own);
        Some(SelfContact {
            thickness: 0.5 * (a.thickness + b.thickness),
            friction: 0.5 * (a.friction + b.friction),
        })
    }

    /// The worst that a gauge is over its limits; zero or less if none is.
    pub(crate) fn worst_excess(&self, positions: &[DVec3]) -> f64 {
        let of_gauge = |(g, gauge): (usize, &Gauge)| {
            let excess = |limits: StrainLimits| limits.excess(gauge.strain(positions));
            self.limits_at(g).map_or(0.0, excess)
        };
        self.model.gauges.iter().enumerate().map(of_gauge).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Which cloth has the gauge or particle of this number.
    #[inline]
    fn cloth_with(&self, end: impl Fn(&Cloth) -> u32, number: usize) -> usize {
        match self.of_cloths.is_empty() {
            true => 0,
            false => self.model.cloths.partition_point(|cloth| end(cloth) as usize <= number),
        }
    }
}

impl Setup {
    /// What pulls it at a time \[s\].
    pub fn loads_at(&self, time: f64) -> Loads {
        loads_at(self.loads, &self.load_keys, time)
    }

    /// Whether strips move the cloth, which bring edges to their rest length.
    pub(crate) fn is_moved_by_strips(&self) -> bool {
        self.limits.is_some() && matches!(self.limiter, Limiter::Strips(_))
    }

    /// Whether the state carries the tensions of gauges from step to step.
    pub(crate) fn keeps_tensions(&self) -> bool {
        match self.limiter {
            Limiter::Constraints(_) | Limiter::Impulses(_) => self.limits.is_some(),
            Limiter::Sweeps(_) => self.limits.is_some() && self.woven.is_some(),
            Limiter::Strips(_) => false,
        }
    }

    /// Whether all cloths are of one fabric and have one limit.
    pub(crate) fn cloths_are_alike(&self) -> bool {
        let alike = self.of_cloths.windows(2).all(|pair| pair[0].limits == pair[1].limits);
        alike && self.model.has_one_fabric()
    }

    /// When pins and pulls begin and end \[s\].
    pub(crate) fn events(&self) -> impl Iterator<Item = f64> {
        let pins = self.pins.iter().flat_map(|pin| [pin.from, pin.until]);
        let pulls = self.pulls.iter().flat_map(|pull| [pull.from, pull.until]);
        let cuts = self.woven.iter().flat_map(|woven| &woven.tearing().cuts).map(|cut| cut.time);
        pins.chain(pulls).chain(cuts)
    }

    /// The solids that cloth starts inside of, which leads it out slowly: at
    /// [`crate::geometry::solid::LEAD_OUT`].
    pub fn starts_inside(&self) -> Vec<StartsInside> {
        let found = self.solids.iter().enumerate().filter_map(|(solid, body)| {
            let depths = body.depths(&self.positions, 0.0);
            let inside = depths.into_iter().zip(0u32..).filter(|(depth, _)| *depth > SLACK);
            let mut all = StartsInside { solid, particles: 0, deepest: (0, 0.0) };
            for (depth, particle) in inside {
                all.particles += 1;
                if depth > all.deepest.1 {
                    all.deepest = (particle, depth);
                }
            }
            (all.particles > 0).then_some(all)
        });
        found.collect()
    }
}
