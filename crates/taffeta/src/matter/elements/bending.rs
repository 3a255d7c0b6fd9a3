//! Bending of a sheet of triangles as a plate: moments from angles.
//!
//! The cloth stores ½ (B_u κ_uu² + B_v κ_vv² + 2 B_t κ_uv²) per area for a curvature κ. With
//! B_t = (B_u + B_v)/2, which we take, bending by a cylinder at the angle φ to the warp costs
//! B_u cos²φ + B_v sin²φ, the rule of BW98 §4.4.
//!
//! A flat triangle has no curvature; the mesh bends at its edges. The method of Hellan, Herrmann
//! and Johnson makes a plate of that: every triangle has one tensor of moments, whose normal part
//! is the same on both sides of an edge, and so the moment of that edge; at a free edge it is
//! zero. The moments of all edges follow from their angles by one sparse system, C·moments =
//! angles, in which two edges meet where they share a triangle. C does not change while the mesh
//! does not, and is factored once. For large angles see Neunteufel & Schöberl 2019, The
//! Hellan–Herrmann–Johnson method for nonlinear shells.
//!
//! The result does not know the mesh: cloth bends alike along, across and between its edges.
//! Stiffnesses of single edges (BW98; Grinspun et al. 2003, Discrete Shells) are what is left of
//! C when only its diagonal is kept, and are up to a quarter too soft.

use std::fmt;
use std::sync::Arc;

use glam::{DVec2, DVec3};
use taffeta_linalg::{FactorError, LowerColumns, SolveMemory, SparseFactor, fill, ordered_sum};

use super::{Hinge, Panel};

/// Hinges whose angles repay a hand-over to another thread.
const GRAIN: usize = 512;

/// Bending rigidities along warp and weft \[N·m\], above zero, and damping \[s\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rigidity {
    /// Along warp and weft: moment per width and curvature \[N·m\].
    pub along: [f64; 2],
    /// Damping, as a time that multiplies the rigidity \[s\].
    pub damping: f64,
}

impl Rigidity {
    /// Against twist \[N·m\].
    fn twist(&self) -> f64 {
        0.5 * (self.along[0] + self.along[1])
    }
}

/// The edges of a mesh that bend, and how their moments follow from their angles.
pub struct Bending {
    hinges: Vec<Hinge>,
    plates: Vec<Factored>,
}

/// One cloth's plate: the factor over its hinges, which follow those of the plate before.
#[derive(Clone)]
struct Factored {
    compliance: Arc<SparseFactor>,
    hinges: usize,
    rigidity: Rigidity,
}

impl fmt::Debug for Bending {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Bending of {} hinges", self.hinges.len())
    }
}

/// Room for the angles and moments of a state.
pub struct BendingMemory {
    moments: Vec<f64>,
    solves: Vec<SolveMemory>,
}

impl Bending {
    /// The bending of triangles at rest in these places.
    pub fn new(
        panels: &[Panel],
        places: &[DVec3],
        rigidity: &Rigidity,
    ) -> Result<Self, FactorError> {
        let place = |particle: u32| places[particle as usize];
        let rest = |corners: &[u32; 4], _: f64| {
            let length2 = place(corners[0]).distance_squared(place(corners[1]));
            (length2, Hinge::angle(&corners.map(place)))
        };
        Self::at_rest(panels, places, rigidity, rest)
    }

    /// The bending of triangles that are at rest when they lie flat, in whatever places they are.
    pub fn flat(
        panels: &[Panel],
        places: &[DVec3],
        rigidity: &Rigidity,
    ) -> Result<Self, FactorError> {
        Self::at_rest(panels, places, rigidity, |_, length| (length * length, 0.0))
    }

    /// `rest` tells the squared length and the angle of a hinge's edge, given the length it was cut with.
    fn at_rest(
        panels: &[Panel],
        places: &[DVec3],
        rigidity: &Rigidity,
        rest: impl Fn(&[u32; 4], f64) -> (f64, f64),
    ) -> Result<Self, FactorError> {
        let (edges, hinge_of_side) = shared_edges(panels);
        let mut plate = Plate::new(edges.len());
        for (panel, hinges) in panels.iter().zip(&hinge_of_side) {
            plate.add(panel, hinges, rigidity);
        }
        let cut = lengths(panels, &hinge_of_side, edges.len());
        let hinge = |(edge, corners): (usize, &[u32; 4])| {
            let (length2, rest_angle) = rest(corners, cut[edge]);
            Hinge {
                corners: *corners,
                rest_angle,
                stiffness: length2 / plate.bounds[edge],
                damping: rigidity.damping * length2 / plate.softness[edge],
            }
        };
        let place = |particle: u32| places[particle as usize];
        let middle = |corners: &[u32; 4]| (place(corners[0]) + place(corners[1])) / 2.0;
        let middles: Vec<DVec3> = edges.iter().map(middle).collect();
        let hinges: Vec<Hinge> = edges.iter().enumerate().map(hinge).collect();
        let compliance = Arc::new(plate.factor(&middles)?);
        let plates = vec![Factored { compliance, hinges: hinges.len(), rigidity: *rigidity }];
        Ok(Self { hinges, plates })
    }

    /// The plates of several cloths, each with the number of its first particle: they do not know each
    /// other.
    pub(crate) fn together(parts: &[(u32, &Self)]) -> Self {
        let mut all = Self { hinges: Vec::new(), plates: Vec::new() };
        for (first, part) in parts {
            let corners = |hinge: &Hinge| hinge.corners.map(|corner| corner + first);
            let moved = |hinge: &Hinge| Hinge { corners: corners(hinge), ..*hinge };
            all.hinges.extend(part.hinges.iter().map(moved));
            all.plates.extend(part.plates.iter().cloned());
        }
        all
    }

    /// What the cloth resists bending with; of several, the first.
    pub fn rigidity(&self) -> &Rigidity {
        &self.plates[0].rigidity
    }

    /// The edges that bend.
    pub fn hinges(&self) -> &[Hinge] {
        &self.hinges
    }

    /// Room to compute in.
    pub fn memory(&self) -> Result<BendingMemory, FactorError> {
        let moments = vec![0.0; self.hinges.len()];
        let solves = self.plates.iter().map(|plate| plate.compliance.solve_memory());
        Ok(BendingMemory { moments, solves: solves.collect::<Result<_, _>>()? })
    }

    /// The moment of each hinge with the particles in these places \[N·m\].
    pub fn moments<'m>(&self, at: &[DVec3], memory: &'m mut BendingMemory) -> &'m [f64] {
        fill(&mut memory.moments, GRAIN, |e| self.hinges[e].bend(&self.places(e, at)));
        self.solve(&mut memory.moments, &mut memory.solves);
        &memory.moments
    }

    /// The moments of hinges that are bent by so much \[N·m\], in their place.
    pub(crate) fn moments_of_bends(&self, bends: &mut [f64], memory: &mut BendingMemory) {
        self.solve(bends, &mut memory.solves);
    }

    /// Turns the bends of each plate's hinges into their moments.
    fn solve(&self, mut bends: &mut [f64], solves: &mut [SolveMemory]) {
        for (plate, room) in self.plates.iter().zip(solves) {
            let (own, others) = bends.split_at_mut(plate.hinges);
            plate.compliance.solve_in(room, own);
            bends = others;
        }
    }

    /// Elastic energy with the particles in these places \[J\].
    pub fn energy(&self, at: &[DVec3], memory: &mut BendingMemory) -> f64 {
        let moments = self.moments(at, memory);
        let angle = |e: usize| self.hinges[e].bend(&self.places(e, at));
        0.5 * ordered_sum(self.hinges.len(), |e| moments[e] * angle(e))
    }

    fn places(&self, hinge: usize, at: &[DVec3]) -> [DVec3; 4] {
        let [a, b, c, d] = self.hinges[hinge].corners;
        [at[a as usize], at[b as usize], at[c as usize], at[d as usize]]
    }
}

/// The edges between two panels as the corners of a hinge, sorted by their ends, and for each
/// panel which of them lies opposite each of its corners.
fn shared_edges(panels: &[Panel]) -> (Vec<[u32; 4]>, Vec<[Option<u32>; 3]>) {
    let mut sides: Vec<([u32; 2], usize, usize)> = Vec::with_capacity(3 * panels.len());
    for (p, panel) in panels.iter().enumerate() {
        for corner in 0..3 {
            let [a, b] = panel.side_ends(corner);
            sides.push(([a.min(b), a.max(b)], p, corner));
        }
    }
    sides.sort_unstable();
    let mut edges = Vec::new();
    let mut hinge_of_side = vec![[None; 3]; panels.len()];
    for pair in sides.chunk_by(|a, b| a.0 == b.0) {
        let &[(ends, p, i), (_, q, j)] = pair else { continue };
        // The triangle in which the edge runs forward lies to its left.
        let (left, right) = (panels[p].corners[i], panels[q].corners[j]);
        let forward = panels[p].side_ends(i) == ends;
        let (left, right) = if forward { (left, right) } else { (right, left) };
        hinge_of_side[p][i] = Some(edges.len() as u32);
        hinge_of_side[q][j] = Some(edges.len() as u32);
        edges.push([ends[0], ends[1], left, right]);
    }
    (edges, hinge_of_side)
}

/// The length that the edge of each hinge was cut with: along a seam the mean of its two sides.
fn lengths(panels: &[Panel], hinge_of_side: &[[Option<u32>; 3]], hinges: usize) -> Vec<f64> {
    let mut lengths = vec![0.0; hinges];
    for (panel, of_sides) in panels.iter().zip(hinge_of_side) {
        for (corner, hinge) in of_sides.iter().enumerate() {
            if let Some(hinge) = hinge {
                lengths[*hinge as usize] += 0.5 * panel.side(corner).length();
            }
        }
    }
    lengths
}

/// The compliance of the whole plate, gathered triangle by triangle.
struct Plate {
    /// Entries (column, row, value) of the lower triangle, those in one place to be added.
    entries: Vec<(u32, u32, f64)>,
    /// For each edge, what its moment over its length² is divided by in a bound on its stiffness.
    bounds: Vec<f64>,
    /// The same for the stiffness of the edge alone.
    softness: Vec<f64>,
}

impl Plate {
    fn new(edges: usize) -> Self {
        Self { entries: Vec::new(), bounds: vec![0.0; edges], softness: vec![0.0; edges] }
    }

    fn add(&mut self, panel: &Panel, hinges: &[Option<u32>; 3], rigidity: &Rigidity) {
        let ([bu, bv], bt) = (rigidity.along, rigidity.twist());
        let (area, sides) = (panel.area(), [0, 1, 2].map(|i| panel.side(i)));
        let moments = [0, 1, 2].map(|i| moment_tensor(sides, area, i));
        let bends =
            sides.map(|side| symmetric(side.perp() / side.length(), side.perp() / side.length()));
        let pair = |a: [f64; 3], b: [f64; 3], k: [f64; 3]| {
            a[0] * b[0] * k[0] + a[1] * b[1] * k[1] + 2.0 * a[2] * b[2] * k[2]
        };
        for i in 0..3 {
            let Some(row) = hinges[i] else { continue };
            // The inverse of this triangle's compliance has these entries times lᵢ·lⱼ/area; a
            // positive matrix is at most the diagonal matrix of its absolute row sums.
            let stiff = [0, 1, 2].map(|j| pair(bends[i], bends[j], [bu, bv, bt]));
            self.bounds[row as usize] += area / stiff.iter().map(|s| s.abs()).sum::<f64>();
            self.softness[row as usize] += area / stiff[i];
            for j in 0..3 {
                let Some(column) = hinges[j].filter(|column| *column <= row) else { continue };
                let value = area * pair(moments[i], moments[j], [1.0 / bu, 1.0 / bv, 1.0 / bt]);
                self.entries.push((column, row, value));
            }
        }
    }

    fn factor(mut self, middles: &[DVec3]) -> Result<SparseFactor, FactorError> {
        self.entries.sort_by_key(|&(column, row, _)| (column, row));
        let (mut offsets, mut rows, mut values) = (vec![0; middles.len() + 1], vec![], vec![]);
        for place in self.entries.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            offsets[place[0].0 as usize + 1] += 1;
            rows.push(place[0].1);
            values.push(place.iter().map(|entry| entry.2).sum());
        }
        for column in 0..middles.len() {
            offsets[column + 1] += offsets[column];
        }
        let mut factor = SparseFactor::by_coordinates(LowerColumns { offsets, rows }, middles)?;
        factor.factorize(&values)?;
        Ok(factor)
    }
}

/// The tensor of moments in a triangle when the edge opposite corner i carries the moment 1 and
/// the other two none: along those two edges e_j and e_k, −lᵢ sym(e_j e_kᵀ)/(4 area²).
fn moment_tensor(sides: [DVec2; 3], area: f64, i: usize) -> [f64; 3] {
    let scale = -sides[i].length() / (4.0 * area * area);
    symmetric(sides[(i + 1) % 3], sides[(i + 2) % 3]).map(|entry| entry * scale)
}

/// The entries uu, vv and uv of the symmetric part of a bᵀ.
fn symmetric(a: DVec2, b: DVec2) -> [f64; 3] {
    [a.x * b.x, a.y * b.y, 0.5 * (a.x * b.y + a.y * b.x)]
}
