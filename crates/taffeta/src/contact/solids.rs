//! Where cloth comes near to solids in a step: rows that keep its particles above the surfaces.

use std::collections::BTreeSet;

use glam::{DMat3, DVec3};
use taffeta_linalg::{fill, update};

use super::features::{Features, Press};
use super::row::{ContactRow, GIVES_WAY_TO, least};
use crate::geometry::mesh::Faces;
use crate::geometry::solid::{Approach, Outset, Placed, PosedSolids, SLACK, Shape, Solid};
use crate::state::touch::{Contact, ContactForce, Grip, Pinch};
use crate::step::passage::Passage;

/// Particles whose look at a solid repays a hand-over to another thread.
const GRAIN: usize = 1024;

/// How far to look for a solid, over the distance at which it matters: what is that far need not be
/// looked at for some steps.
const LOOK_AHEAD: f64 = 4.0;

/// How far particles may come along round solids in a step, over their radius.
const MOST_OF_RADIUS: f64 = 0.5;

/// What slides more slowly than this is said to stick [m/s].
const CREEP: f64 = 1e-4;

/// What touches solids in the step being tried.
#[derive(Debug)]
pub(crate) struct SolidContacts {
    posed: PosedSolids,
    /// For each solid, a distance that each particle has from it at least where the step begins [m].
    /// It says only whom to ask: what is asked does not depend on it.
    gaps: Vec<Vec<f64>>,
    /// How far each particle would come nearer to the present solid at most [m].
    ways: Vec<f64>,
    approaches: Vec<Option<Approach>>,
    found: Vec<Found>,
    rows: Vec<ContactRow>,
    /// Edges and corners of solids, and rows for the faces and edges of cloth that they press against.
    features: Option<Features>,
    pressed: Vec<ContactRow>,
    /// The solid of each of the latter.
    pressing: Vec<u32>,
    /// Particles that had no room in the step last accepted.
    pub pinches: Vec<Pinch>,
    /// How long the edges of the cloth are [m].
    length: f64,
    /// Parts of solids that could not be kept from cutting the cloth between its particles.
    pub pierced: u32,
    /// The solids as thin as they are where contacts give way.
    thin: Vec<Solid>,
    /// Which particles are inside of meshes; empty if none is.
    inside: Vec<bool>,
    /// Particles that are not looked at: pins hold them.
    excused: Vec<bool>,
    /// Particles that pins hold inside a solid, with the solid.
    pub pinned_inside: Vec<[u32; 2]>,
}

/// A solid, and the corners of a face or edge that it presses against.
type Pressed = (u32, [u32; 3]);

/// A particle, a solid, and whether it presses beside the particle.
type ContactKey = (u32, u32, bool);

impl Contact {
    fn key(&self) -> ContactKey {
        (self.particle, self.solid, self.beside)
    }
}

/// Which contact a row stands for.
#[derive(Clone, Copy, Debug)]
struct Found {
    solid: u32,
    approach: Approach,
}

impl SolidContacts {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.gaps.is_empty()
    }

    /// For cloth of these faces, whose edges have this length at most [m].
    pub fn new(solids: &[Solid], faces: &Faces, (particles, length): (usize, f64)) -> Self {
        // Edges and corners of meshes are met as those of cloth are.
        let simple = |solid: &Solid| !matches!(solid.shape, Shape::Mesh(_));
        let features = Features::new(faces, particles, solids, (length, simple));
        let particles = if solids.is_empty() { 0 } else { particles };
        Self {
            posed: PosedSolids::new(solids),
            gaps: vec![vec![f64::NEG_INFINITY; particles]; solids.len()],
            ways: vec![0.0; particles],
            approaches: vec![None; particles],
            found: Vec::new(),
            rows: Vec::new(),
            features,
            pressed: Vec::new(),
            pressing: Vec::new(),
            pinches: Vec::new(),
            length,
            pierced: 0,
            thin: solids
                .iter()
                .map(|solid| Solid { thickness: GIVES_WAY_TO * solid.thickness, ..solid.clone() })
                .collect(),
            inside: Vec::new(),
            excused: vec![false; particles],
            pinned_inside: Vec::new(),
        }
    }

    /// Moves the solids on to a step.
    pub fn place(&mut self, passage: &Passage) {
        if passage.setup.solids.is_empty() {
            return;
        }
        self.posed.place(&passage.setup.solids, [passage.state.time, passage.end]);
        if let Some(features) = &mut self.features {
            features.place(passage);
        }
        self.excused.fill(false);
        for constraint in passage.constraints {
            let held = constraint.filter == taffeta_linalg::Filter::HELD;
            self.excused[constraint.particle as usize] = held;
        }
    }

    /// Rows for all that may touch a solid on its way to the predicted places. Meshes matter only to
    /// cloth that is `inside` of them: what is outside meets their surfaces as it meets itself. Names a
    /// particle that would come so far around a solid in the step that no plane stands for it.
    pub fn find(
        &mut self,
        passage: &Passage,
        inside: Option<&[bool]>,
        predicted: &[DVec3],
        (w, reach): (&[f64], f64),
    ) -> Result<(), Pinch> {
        self.inside.clear();
        self.inside.extend_from_slice(inside.unwrap_or_default());
        self.found.clear();
        self.rows.clear();
        self.pinned_inside.clear();
        let (solids, x, h) = (&passage.setup.solids, &passage.state.positions, passage.h);
        for (number, solid) in (0..).zip(solids) {
            let is_mesh = matches!(solid.shape, Shape::Mesh(_));
            if is_mesh && self.inside.is_empty() {
                self.find_pinned_inside(passage, number);
                continue;
            }
            let placed = self.posed.placed(solids, number, h);
            placed.ways(x, predicted, &mut self.ways);
            let (gaps, ways, excused) =
                (&mut self.gaps[number as usize], &self.ways, &self.excused);
            let asked = |i: usize| !is_mesh || self.inside[i];
            let near = solid.thickness + reach;
            update(gaps, GRAIN, |i, gap| {
                if *gap - ways[i] < near && (asked(i) || excused[i]) {
                    *gap = placed.gap_within(x[i], LOOK_AHEAD * near + ways[i]);
                }
            });
            let gaps = &self.gaps[number as usize];
            fill(&mut self.approaches, GRAIN, |i| {
                match gaps[i] - ways[i] < near && !excused[i] && asked(i) {
                    true => placed.approach(x[i], predicted[i], reach),
                    false => None,
                }
            });
            for (i, approach) in (0..).zip(&self.approaches) {
                if excused[i as usize] && gaps[i as usize] < -SLACK {
                    self.pinned_inside.push([i, number]);
                }
                let Some(approach) = *approach else { continue };
                if self.ways[i as usize] > MOST_OF_RADIUS * solid.shape.radius() {
                    return Err(Pinch { particle: i, solid: number });
                }
                let row = ContactRow::above(i, (approach.normal, approach.offset), w);
                let outset = placed.outset(x[i as usize]);
                let still = x[i as usize] + placed.travel(&outset);
                let row =
                    row.map(|row| ContactRow { friction: solid.friction, start: still, ..row });
                let row = row.map(|row| row.giving_way((solid.thickness, h), &placed, &outset));
                self.found.extend(row.as_ref().map(|_| Found { solid: number, approach }));
                self.rows.extend(row);
            }
        }
        self.pressed.clear();
        self.pressing.clear();
        self.find_pressed(&passage.setup.solids, passage, (None, &BTreeSet::new()), w);
        let lying = self.pressed.iter().zip(&self.pressing);
        let lying = lying.map(|(row, solid)| (*solid, [0, 1, 2].map(|k| row.particles[k])));
        let lying: BTreeSet<Pressed> = lying.collect();
        self.find_pressed(&passage.setup.solids, passage, (Some(predicted), &lying), w);
        Ok(())
    }

    /// Looks which particles pins hold inside a mesh that no other cloth is inside of.
    fn find_pinned_inside(&mut self, passage: &Passage, number: u32) {
        let placed = self.posed.placed(&passage.setup.solids, number, passage.h);
        for constraint in passage.constraints {
            let i = constraint.particle as usize;
            let inside = || placed.gap_within(passage.state.positions[i], 0.1) < -SLACK;
            if self.excused[i] && inside() {
                self.pinned_inside.push([constraint.particle, number]);
            }
        }
    }

    /// Rows for what edges and corners of solids press against: what lies on them when the step
    /// begins, or else what would meet them on the way to these places, but for what is `known` to lie on
    /// them. Returns how many.
    fn find_pressed(
        &mut self,
        solids: &[Solid],
        passage: &Passage,
        (places, known): (Option<&[DVec3]>, &BTreeSet<Pressed>),
        w: &[f64],
    ) -> u32 {
        let Some(mut features) = self.features.take() else { return 0 };
        let x = &passage.state.positions;
        let far = |solid: usize| passage.setup.solids[solid].thickness + self.length;
        let (gaps, ways) =
            (&self.gaps, |i: u32| places.map_or(0.0, |p| p[i as usize].distance(x[i as usize])));
        // Cloth that starts inside a solid has to pass through its surface.
        let near = |solid: usize, parts: &[u32]| {
            let gap = |i: u32| gaps[solid][i as usize];
            parts.iter().all(|&i| gap(i) >= 0.0)
                && parts.iter().any(|&i| gap(i) - ways(i) < far(solid))
        };
        let found: Vec<Press> = match places {
            None => features.touching(solids, passage, near).collect(),
            Some(places) => features.meeting(solids, passage, places, near).collect(),
        };
        self.features = Some(features);
        let mut count = 0;
        for press in found {
            if known.contains(&(press.solid, press.particles)) {
                continue;
            }
            let [a, b, c] = press.particles;
            let (particles, weights) =
                ([a, b, c, c], [press.shares[0], press.shares[1], press.shares[2], 0.0]);
            let at = |i: u32| x[i as usize] + press.travel;
            let from: DVec3 =
                press.particles.iter().zip(press.shares).map(|(&i, s)| at(i) * s).sum();
            let base = match places {
                None => from,
                Some(p) => {
                    press.particles.iter().zip(press.shares).map(|(&i, s)| p[i as usize] * s).sum()
                }
            };
            let offset = press.normal.dot(base) + press.lift;
            let Some(row) = ContactRow::new((particles, weights), (press.normal, offset), w) else {
                continue;
            };
            let friction = passage.setup.solids[press.solid as usize].friction;
            let kept = passage.setup.solids[press.solid as usize].thickness;
            // Faces and edges keep half a thickness, and give way by half of that.
            let least = row.offset - GIVES_WAY_TO * kept;
            self.pressed.push(ContactRow { friction, start: from, kept, room: kept, least, ..row });
            self.pressing.push(press.solid);
            count += 1;
        }
        count
    }

    /// Starts rows from the forces with which solids pushed in the step before.
    pub fn start_from(&mut self, passage: &Passage) {
        let (contacts, h) = (&passage.state.contacts, passage.h);
        let known = |key: ContactKey| {
            let at = contacts.binary_search_by_key(&key, Contact::key).ok()?;
            Some(&contacts[at])
        };
        for (row, found) in self.rows.iter_mut().zip(&self.found) {
            let turn = self.posed.placed(&passage.setup.solids, found.solid, h).to.turn;
            if let Some(contact) = known((row.particles[0], found.solid, false)) {
                row.start_with(contact, 1.0, (turn, h));
            }
        }
        // Edges pass from face to face of the cloth: what pushed beside a particle goes on with all that
        // press there, by their parts in it.
        let mut parts: Vec<(ContactKey, f64)> = Vec::new();
        let rows = self.pressed.iter().zip(&self.pressing);
        parts.extend(rows.flat_map(|(row, solid)| row.keys_beside(*solid)));
        parts.sort_by_key(|(key, _)| *key);
        for (row, &solid) in self.pressed.iter_mut().zip(&self.pressing) {
            let turn = self.posed.placed(&passage.setup.solids, solid, h).to.turn;
            for (key, part) in row.keys_beside(solid) {
                let Some(contact) = known(key) else { continue };
                let first = parts.partition_point(|(other, _)| *other < key);
                let all = parts[first..].iter().take_while(|(other, _)| *other == key);
                let all: f64 = all.map(|(_, part)| part).sum();
                row.start_with(contact, part / all, (turn, h));
            }
        }
    }

    /// The contacts of the step.
    pub fn rows_mut(&mut self) -> impl Iterator<Item = &mut ContactRow> {
        self.pressed.iter_mut().chain(&mut self.rows)
    }

    /// The same, to look at.
    pub fn rows(&self) -> impl Iterator<Item = &ContactRow> {
        self.pressed.iter().chain(&self.rows)
    }

    /// Pushes what is too near above the surfaces.
    pub fn solve(&mut self, places: &mut [DVec3], w: &[f64]) {
        self.pressed.iter_mut().for_each(|row| row.solve(places, w));
        self.rows.iter_mut().for_each(|row| row.solve(places, w));
    }

    /// Pushes what is too near in any case above the surfaces.
    pub fn lift(&self, places: &mut [DVec3], w: &[f64]) {
        self.pressed.iter().chain(&self.rows).for_each(|row| row.lift(places, w));
    }

    /// Looks whether particles that move to these places meet a solid although their rows keep them
    /// above it: then they get other rows, and the number of those is told.
    pub fn look_again(&mut self, passage: &Passage, places: &[DVec3], w: &[f64]) -> u32 {
        self.look_at(&passage.setup.solids, passage, places, w)
    }

    /// The same where contacts give way: only what is too near in any case counts.
    pub fn look_harder(&mut self, passage: &Passage, places: &[DVec3], w: &[f64]) -> u32 {
        let thin = std::mem::take(&mut self.thin);
        let met = self.look_at(&thin, passage, places, w);
        self.thin = thin;
        met
    }

    fn look_at(&mut self, solids: &[Solid], passage: &Passage, places: &[DVec3], w: &[f64]) -> u32 {
        let (x, h) = (&passage.state.positions, passage.h);
        let mut met = 0;
        for (number, solid) in (0..).zip(solids) {
            let is_mesh = matches!(solid.shape, Shape::Mesh(_));
            if is_mesh && self.inside.is_empty() {
                continue;
            }
            let placed = self.posed.placed(solids, number, h);
            placed.ways(x, places, &mut self.ways);
            let (gaps, ways, excused) = (&self.gaps[number as usize], &self.ways, &self.excused);
            let asked = |i: usize| !is_mesh || self.inside[i];
            fill(&mut self.approaches, GRAIN, |i| {
                let far = gaps[i] - ways[i] >= solid.thickness;
                if far || excused[i] || !asked(i) || placed.touch(x[i], places[i]).is_none() {
                    return None;
                }
                placed.approach(x[i], places[i], 0.0)
            });
            let approaches = std::mem::take(&mut self.approaches);
            for (i, approach) in (0..).zip(&approaches) {
                let Some(approach) = *approach else { continue };
                met += 1;
                self.renew(i, number, approach, w);
            }
            self.approaches = approaches;
        }
        self.pierced = self.find_pressed(solids, passage, (Some(places), &BTreeSet::new()), w);
        met + self.pierced
    }

    fn renew(&mut self, particle: u32, solid: u32, approach: Approach, w: &[f64]) {
        let known = |(found, row): (&Found, &ContactRow)| {
            found.solid == solid && row.particles[0] == particle
        };
        let at = self.found.iter().zip(&self.rows).position(known);
        let Some(row) = ContactRow::above(particle, (approach.normal, approach.offset), w) else {
            return;
        };
        match at {
            Some(at) => {
                let ContactRow { normal, offset, least, inverse, .. } = row;
                self.rows[at] = ContactRow { normal, offset, least, inverse, ..self.rows[at] };
                self.found[at].approach = approach;
            }
            None => {
                self.rows.push(row);
                self.found.push(Found { solid, approach });
            }
        }
    }

    /// Looks which particles solids push from two sides, so that they cannot keep their distance from both.
    fn find_pinches(&mut self, places: &[DVec3]) {
        let short = |row: &ContactRow| row.gap(places) < -SLACK;
        let mut pushed: Vec<(&ContactRow, u32)> = Vec::new();
        let rows = self.rows.iter().zip(&self.found);
        let pushing = rows.filter(|(row, _)| short(row) || row.normal_impulse > 0.0);
        pushed.extend(pushing.map(|(row, found)| (row, found.solid)));
        pushed.sort_by_key(|(row, solid)| (row.particles[0], *solid));
        let groups = pushed.chunk_by(|(a, _), (b, _)| a.particles[0] == b.particles[0]);
        let cramped = groups.filter(|group| {
            let opposed = |(row, _): &(&ContactRow, u32)| row.normal.dot(group[0].0.normal) < 0.0;
            group.iter().any(opposed) && group.iter().any(|(row, _)| short(row))
        });
        let pinch = |group: &[(&ContactRow, u32)]| Pinch {
            particle: group[0].0.particles[0],
            solid: group[0].1,
        };
        self.pinches.clear();
        self.pinches.extend(cramped.map(pinch));
    }

    /// The step to these places was good: what is far from solids is nearer by its way.
    pub fn accept(&mut self, passage: &Passage, places: &[DVec3]) {
        self.find_pinches(places);
        let (solids, x) = (&passage.setup.solids, &passage.state.positions);
        for (number, solid) in solids.iter().enumerate() {
            if matches!(solid.shape, Shape::Mesh(_)) && self.inside.is_empty() {
                // Nothing is known of what was not asked for.
                self.gaps[number].fill(f64::NEG_INFINITY);
                continue;
            }
            let placed = self.posed.placed(solids, number as u32, passage.h);
            placed.ways(x, places, &mut self.ways);
            let ways = &self.ways;
            update(&mut self.gaps[number], GRAIN, |i, gap| *gap -= ways[i]);
        }
    }

    /// Somebody else has moved the cloth.
    pub fn forget(&mut self) {
        self.gaps.iter_mut().for_each(|gaps| gaps.fill(f64::NEG_INFINITY));
    }

    /// The contacts that pushed, as the state keeps them.
    pub fn keep(&self, passage: &Passage, places: &[DVec3], contacts: &mut Vec<Contact>) {
        let h = passage.h;
        contacts.clear();
        for (row, found) in self.rows.iter().zip(&self.found) {
            if row.normal_impulse <= 0.0 {
                continue;
            }
            let slip = row.between(places) - row.start;
            let turn = self.posed.placed(&passage.setup.solids, found.solid, h).to.turn;
            let sticks = slip.reject_from_normalized(row.normal).length() < CREEP * h;
            contacts.push(Contact {
                particle: row.particles[0],
                solid: found.solid,
                point: found.approach.touch.point,
                normal: found.approach.touch.normal,
                grip: if sticks { Grip::Stick } else { Grip::Slide },
                force: row.normal_impulse / (h * h),
                rub: turn.transpose() * row.tangential_impulse / (h * h),
                beside: false,
            });
        }
        let pressed = self.pressed.iter().zip(&self.pressing);
        for (row, &solid) in pressed.filter(|(row, _)| row.normal_impulse > 0.0) {
            let pose = self.posed.placed(&passage.setup.solids, solid, h).to;
            let slip = row.between(places) - row.start;
            let sticks = slip.reject_from_normalized(row.normal).length() < CREEP * h;
            for ((particle, ..), part) in row.keys_beside(solid) {
                contacts.push(Contact {
                    particle,
                    solid,
                    point: pose.turn.transpose() * (places[particle as usize] - pose.shift)
                        / pose.scale,
                    normal: pose.turn.transpose() * row.normal,
                    grip: if sticks { Grip::Stick } else { Grip::Slide },
                    force: part * row.normal_impulse / (h * h),
                    rub: pose.turn.transpose() * row.tangential_impulse * (part / (h * h)),
                    beside: true,
                });
            }
        }
        contacts.sort_by_key(Contact::key);
        contacts.dedup_by(|next, first| {
            let same = next.key() == first.key();
            if same && first.beside {
                first.force += next.force;
                first.rub += next.rub;
            }
            same
        });
    }

    /// What solids did to particles, friction included.
    pub fn forces(&self, passage: &Passage, forces: &mut Vec<ContactForce>) {
        forces.clear();
        let per = 1.0 / (passage.h * passage.h);
        let pushing = self.rows.iter().zip(&self.found).filter(|(row, _)| row.normal_impulse > 0.0);
        forces.extend(pushing.map(|(row, found)| ContactForce {
            particle: row.particles[0],
            solid: found.solid,
            normal: row.normal,
            force: (row.normal * row.normal_impulse + row.tangential_impulse) * per,
        }));
        let pressed = self.pressed.iter().zip(&self.pressing);
        for (row, &solid) in pressed.filter(|(row, _)| row.normal_impulse > 0.0) {
            let force = (row.normal * row.normal_impulse + row.tangential_impulse) * per;
            let parts = row.particles.iter().zip(row.weights).filter(|(_, weight)| *weight > 0.0);
            forces.extend(parts.map(|(&particle, weight)| ContactForce {
                particle,
                solid,
                normal: row.normal,
                force: force * weight,
            }));
        }
    }
}

impl ContactRow {
    /// The particles of a face or edge that a solid presses against, and the part each has in it.
    fn keys_beside(&self, solid: u32) -> impl Iterator<Item = (ContactKey, f64)> + use<> {
        let corners = self.particles.into_iter().zip(self.weights);
        corners.filter(|(_, w)| *w > 0.0).map(move |(i, weight)| ((i, solid, true), weight))
    }

    /// Starts from a share of what a contact of the step before did, too.
    fn start_with(&mut self, contact: &Contact, share: f64, (turn, h): (DMat3, f64)) {
        let scale = share * h * h;
        self.normal_impulse += contact.force * scale;
        let rub = turn * contact.rub;
        self.tangential_impulse += rub.reject_from_normalized(self.normal) * scale;
    }

    /// With what it keeps in any case of the thickness of a solid.
    fn giving_way(self, (thickness, h): (f64, f64), placed: &Placed, outset: &Outset) -> Self {
        let gap = placed.gap(outset);
        let surface = self.offset - outset.wanted;
        let least = match gap > 0.0 {
            true => surface + least(thickness, gap, h),
            false => self.offset,
        };
        // What is inside is led out slowly, and not the stiffer the deeper it is.
        let room = if gap > 0.0 { gap } else { thickness };
        Self { least, kept: thickness, room, ..self }
    }
}
