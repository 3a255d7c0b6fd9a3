//! Every element of a model summed into a system, in the shape the caller needs.

use glam::DVec3;
use taffeta_linalg::{AssemblyPlan, BlockMatrix, BlockPattern, ElementSystem};

use super::following::FollowingPlans;
use crate::elements::{BendingMemory, Local};
use crate::integrators::grid::{GridPlans, members as grid_members};
use crate::model::Model;

/// How the elements of a model go into its matrix.
pub(crate) struct ElementPlans {
    springs: AssemblyPlan<2>,
    ties: AssemblyPlan<2>,
    membranes: AssemblyPlan<3>,
    hinges: AssemblyPlan<4>,
    grid: GridPlans,
    pub following: Option<FollowingPlans>,
    pub bending: Option<BendingMemory>,
}

/// What an element adds to a system.
pub(crate) trait Contribution: Sync {
    fn add<const N: usize>(&self, corners: &[u32; N], local: &Local<N>, out: &mut ElementSystem<N>);
}

impl ElementPlans {
    /// The pattern of a model's matrix, and the plans to fill it, with so many of the springs that
    /// are solved, from the first on.
    pub fn new(model: &Model, springs: usize) -> Result<(BlockPattern, Self), String> {
        let pattern = Self::pattern(model, springs)?;
        let plans = Self::within(&pattern, model, springs)?;
        Ok((pattern, plans))
    }

    /// The pattern of a model's matrix.
    pub fn pattern(model: &Model, springs: usize) -> Result<BlockPattern, String> {
        let springs = &model.solved_springs()[..springs];
        let hinges = model.bending().map_or(&[][..], |bending| bending.hinges());
        let grid: Vec<Vec<u32>> = grid_members(model.solved_grid()).collect();
        let coarse = model.coarse.as_ref().map(|coarse| FollowingPlans::groups(coarse));
        let coarse = coarse.unwrap_or_default();
        let lists = springs.iter().map(|spring| &spring.ends[..]);
        let lists = lists
            .chain(model.ties.iter().map(|tie| &tie.ends[..]))
            .chain(grid.iter().map(|members| &members[..]))
            .chain(model.membranes.iter().map(|membrane| &membrane.corners[..]))
            .chain(hinges.iter().map(|hinge| &hinge.corners[..]))
            .chain(coarse.iter().map(|members| &members[..]));
        BlockPattern::new(model.particles(), lists).map_err(|error| error.to_string())
    }

    /// The plans to fill matrices of the pattern.
    pub fn within(pattern: &BlockPattern, model: &Model, springs: usize) -> Result<Self, String> {
        let springs = &model.solved_springs()[..springs];
        let ends: Vec<[u32; 2]> = springs.iter().map(|spring| spring.ends).collect();
        let ties: Vec<[u32; 2]> = model.ties.iter().map(|tie| tie.ends).collect();
        let triangles: Vec<[u32; 3]> = model.membranes.iter().map(|m| m.corners).collect();
        let hinges = model.bending().map_or(&[][..], |bending| bending.hinges());
        let quads: Vec<[u32; 4]> = hinges.iter().map(|hinge| hinge.corners).collect();
        let said = |error: taffeta_linalg::PatternError| error.to_string();
        let memory = model.bending().map(|bending| bending.memory()).transpose();
        Ok(Self {
            springs: AssemblyPlan::new(pattern, &ends).map_err(said)?,
            ties: AssemblyPlan::new(pattern, &ties).map_err(said)?,
            membranes: AssemblyPlan::new(pattern, &triangles).map_err(said)?,
            hinges: AssemblyPlan::new(pattern, &quads).map_err(said)?,
            grid: GridPlans::new(pattern, model.solved_grid()).map_err(said)?,
            following: FollowingPlans::new(pattern, model).map_err(said)?,
            bending: memory.map_err(|error| error.to_string())?,
        })
    }

    /// Adds what every element of the model contributes with its particles at `x`.
    pub fn add(
        &mut self,
        model: &Model,
        x: &[DVec3],
        (matrix, right): (&mut BlockMatrix, &mut [DVec3]),
        contribution: &impl Contribution,
    ) {
        let springs = model.solved_springs();
        self.springs.add(matrix, right, |e, out| {
            let spring = &springs[e];
            let [a, b] = spring.ends;
            let local = spring.derivatives(x[b as usize] - x[a as usize]);
            contribution.add(&spring.ends, &local, out);
        });
        self.ties.add(matrix, right, |e, out| {
            let tie = &model.ties[e];
            let [a, b] = tie.ends;
            let local = tie.derivatives([x[a as usize], x[b as usize]]);
            contribution.add(&tie.ends, &local, out);
        });
        self.membranes.add(matrix, right, |e, out| {
            let membrane = &model.membranes[e];
            let [a, b, c] = membrane.corners;
            let local = membrane.derivatives(&[x[a as usize], x[b as usize], x[c as usize]]);
            contribution.add(&membrane.corners, &local, out);
        });
        self.grid.add(model.solved_grid(), x, (matrix, right), contribution);
        if let (Some(coarse), Some(following)) = (&model.coarse, &self.following) {
            following.add(coarse, x, (matrix, right), contribution);
        }
        let (Some(bending), Some(memory)) = (model.bending(), &mut self.bending) else { return };
        let moments = bending.moments(x, memory);
        self.hinges.add(matrix, right, |e, out| {
            let hinge = &bending.hinges()[e];
            let [a, b, c, d] = hinge.corners;
            let at = [x[a as usize], x[b as usize], x[c as usize], x[d as usize]];
            contribution.add(&hinge.corners, &hinge.derivatives(&at, moments[e]), out);
        });
    }
}

/// The paper's linear system (BW98 eq. 16, 18): h²K + hD in the matrix, and
/// −h (∇E + D v + K (h v + y)) on the right.
pub(super) struct Linearised<'a> {
    pub h: f64,
    pub velocities: &'a [DVec3],
    pub corrections: &'a [DVec3],
}

impl Contribution for Linearised<'_> {
    fn add<const N: usize>(
        &self,
        corners: &[u32; N],
        local: &Local<N>,
        out: &mut ElementSystem<N>,
    ) {
        let h = self.h;
        for i in 0..N {
            let mut force = local.gradient[i];
            for (j, &particle) in corners.iter().enumerate() {
                let velocity = self.velocities[particle as usize];
                let travel = velocity * h + self.corrections[particle as usize];
                force += local.damping.block(i, j) * velocity + local.hessian.block(i, j) * travel;
            }
            out.vectors[i] = -force * h;
            for j in 0..=i {
                out.blocks[i][j] =
                    local.hessian.block(i, j) * (h * h) + local.damping.block(i, j) * h;
            }
        }
    }
}

/// Damping alone: hD in the matrix, and −h D v on the right.
pub(super) struct Damping<'a> {
    pub h: f64,
    pub velocities: &'a [DVec3],
}

impl Contribution for Damping<'_> {
    fn add<const N: usize>(
        &self,
        corners: &[u32; N],
        local: &Local<N>,
        out: &mut ElementSystem<N>,
    ) {
        for i in 0..N {
            for (j, &particle) in corners.iter().enumerate() {
                let velocity = self.velocities[particle as usize];
                out.vectors[i] -= local.damping.block(i, j) * velocity * self.h;
            }
            for j in 0..=i {
                out.blocks[i][j] = local.damping.block(i, j) * self.h;
            }
        }
    }
}

/// Elasticity alone: h²K in the matrix, and −h ∇E on the right.
pub(super) struct Elastic {
    pub h: f64,
}

impl Contribution for Elastic {
    fn add<const N: usize>(&self, _: &[u32; N], local: &Local<N>, out: &mut ElementSystem<N>) {
        for i in 0..N {
            out.vectors[i] = -local.gradient[i] * self.h;
            for j in 0..=i {
                out.blocks[i][j] = local.hessian.block(i, j) * (self.h * self.h);
            }
        }
    }
}
