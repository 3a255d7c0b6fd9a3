//! The limited gauges as elements of the system.

use glam::{DMat3, DVec3};
use taffeta_linalg::{AssemblyPlan, BlockMatrix, BlockPattern, ElementSystem};

use super::law::Law;
use crate::gauge::{Along, Gauge};
use crate::model::Model;

/// How the gauges of a model go into its matrix.
pub(super) struct GaugePlans {
    edges: Limited<2>,
    triangles: Limited<3>,
}

/// The gauges of K particles.
struct Limited<const K: usize> {
    gauges: Vec<u32>,
    plan: AssemblyPlan<K>,
}

impl GaugePlans {
    /// Plans the gauges of a model, whose particles its elements couple already.
    pub fn new(model: &Model, pattern: &BlockPattern) -> Result<Self, String> {
        let gauges = |edges: bool| -> Vec<u32> {
            let wanted = |gauge: &Gauge| (gauge.along == Along::Edge) == edges;
            let all = 0..model.gauges.len() as u32;
            all.filter(|&g| wanted(&model.gauges[g as usize])).collect()
        };
        let (edges, triangles) = (gauges(true), gauges(false));
        let particles = |gauge: &u32| model.gauges[*gauge as usize].particles;
        let ends: Vec<[u32; 2]> =
            edges.iter().map(particles).map(|[from, to, _]| [from, to]).collect();
        let corners: Vec<[u32; 3]> = triangles.iter().map(particles).collect();
        let said = |error: taffeta_linalg::PatternError| error.to_string();
        Ok(Self {
            edges: Limited {
                plan: AssemblyPlan::new(pattern, &ends).map_err(said)?,
                gauges: edges,
            },
            triangles: Limited {
                plan: AssemblyPlan::new(pattern, &corners).map_err(said)?,
                gauges: triangles,
            },
        })
    }

    /// Adds what the law of every gauge contributes with the particles at `places`, and with the
    /// geometric stiffness of these tensions.
    pub fn add(
        &mut self,
        (model, law): (&Model, Law),
        places: &[DVec3],
        tensions: &[f64],
        (matrix, right): (&mut BlockMatrix, &mut [DVec3]),
    ) {
        let limit = |gauge: u32| {
            let (index, gauge) = (gauge as usize, &model.gauges[gauge as usize]);
            let vector = gauge.vector(places);
            let branch = law.branch(vector.length() - 1.0, tensions[index]);
            let (gradient, stiffness) = branch.derivatives(vector, tensions[index]);
            let area = model.gauge_areas[index];
            (gradient * area, stiffness * area)
        };
        let edges = &self.edges.gauges;
        self.edges.plan.add(matrix, right, |e, out| {
            let weight = model.gauges[edges[e] as usize].weights[0];
            let (gradient, stiffness) = limit(edges[e]);
            spread(&[-weight, weight], gradient, stiffness, out);
        });
        let triangles = &self.triangles.gauges;
        self.triangles.plan.add(matrix, right, |e, out| {
            let [b, c] = model.gauges[triangles[e] as usize].weights;
            let (gradient, stiffness) = limit(triangles[e]);
            spread(&[-b - c, b, c], gradient, stiffness, out);
        });
    }
}

/// Spreads derivatives by a weighted sum of particles over the particles.
fn spread<const N: usize>(
    weights: &[f64; N],
    gradient: DVec3,
    stiffness: DMat3,
    out: &mut ElementSystem<N>,
) {
    for i in 0..N {
        out.vectors[i] = gradient * -weights[i];
        for j in 0..=i {
            out.blocks[i][j] = stiffness * (weights[i] * weights[j]);
        }
    }
}
