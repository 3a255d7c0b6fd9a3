//! A mannequin made by code: a person of 1.72 m that walks, twists and dances, so that garments can be
//! worn without a file.

mod cycles;
mod nets;
mod shape;
mod skeleton;
mod skin;

use glam::DVec3;
use taffeta::Mesh;
use taffeta::solid::SolidMeshKey;

pub use cycles::Cycle;
use nets::Grid;
use skeleton::Pose;
use skin::Skin;

/// Cells of the grid that its skin is found on \[m\]: it then has about as many vertices as the bodies of
/// Baraff & Witkin 1998, 9,941.
pub const CELL: f64 = 0.0165;

/// What it does, and how it is looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mannequin {
    /// What it does.
    pub cycle: Cycle,
    /// How long \[s\].
    pub duration: f64,
    /// Moments a second.
    pub rate: f64,
    /// Cells of its skin \[m\].
    pub cell: f64,
}

impl Mannequin {
    /// Its skin in the A-pose: it faces +z and stands on y = 0.
    pub fn skin(&self) -> Mesh {
        let cells = |length: f64| (length / self.cell).ceil() as usize;
        // A plane of the grid is the one that it is mirrored in.
        let side = cells(0.80);
        let low = DVec3::new(-(side as f64) * self.cell, -1.5 * self.cell, -0.22);
        let counts = [2 * side, cells(1.80), cells(0.46)];
        nets::surface(&Grid { low, counts, cell: self.cell }, shape::signed)
    }

    /// The memory that its moments take, roughly \[bytes\].
    pub fn bytes(&self) -> f64 {
        let vertices = 2.75 / (self.cell * self.cell);
        let moments =
            if self.cycle == Cycle::Stand { 1.0 } else { self.duration * self.rate + 1.0 };
        72.0 * vertices * moments
    }

    /// Its skin over time.
    pub fn moments(&self) -> (Mesh, Vec<SolidMeshKey>) {
        let mesh = self.skin();
        if self.cycle == Cycle::Stand {
            let key = SolidMeshKey { time: 0.0, positions: mesh.positions.clone() };
            return (mesh, vec![key]);
        }
        let skin = Skin::new(&mesh);
        let count = (self.duration * self.rate).ceil() as u32;
        let key = |number: u32| {
            let time = f64::from(number) / self.rate;
            let positions = skin.posed(&mesh.positions, &grounded(self.cycle, time).bones());
            SolidMeshKey { time, positions }
        };
        let keys = (0..=count).map(key).collect();
        (mesh, keys)
    }
}

/// The pose at a time, the lowest sole on the ground.
fn grounded(cycle: Cycle, time: f64) -> Pose {
    let mut pose = cycle.pose(time);
    let lowest = pose.soles().iter().map(|sole| sole.y).fold(f64::INFINITY, f64::min);
    pose.offset.y -= lowest;
    pose
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    fn mannequin(cycle: Cycle) -> Mannequin {
        Mannequin { cycle, duration: 2.0, rate: 20.0, cell: CELL }
    }

    /// The length of a band around what of the skin is near a height, and within `side` of the middle.
    fn girth(mesh: &Mesh, y: f64, side: f64) -> f64 {
        let mut cut = Vec::new();
        for edge in mesh.faces.edges() {
            let [a, b] = edge.ends.map(|end| mesh.positions[end as usize]);
            if (a.y < y) != (b.y < y) {
                let at = a + (b - a) * ((y - a.y) / (b.y - a.y));
                cut.push(at);
            }
        }
        cut.retain(|at| at.x.abs() < side);
        // The perimeter of a convex body is the mean of its widths times π (Cauchy).
        let width = |k: u32| {
            let (sin, cos) = libm::sincos(PI * f64::from(k) / 90.0);
            let along = cut.iter().map(|at| at.x * cos + at.z * sin);
            let [low, high] =
                along.fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], v| [l.min(v), h.max(v)]);
            high - low
        };
        PI * (0..90).map(width).sum::<f64>() / 90.0
    }

    #[test]
    fn the_skin_is_closed_of_one_piece_and_as_fine_as_the_papers() {
        let mesh = mannequin(Cycle::Stand).skin();
        let edges = mesh.faces.edges();
        assert!(edges.iter().all(|edge| edge.faces.len() == 2));
        // A ball without a handle: V − E + F = 2 (Euler).
        let (vertices, faces) = (mesh.positions.len(), mesh.faces.len());
        assert_eq!(vertices + faces, edges.len() + 2);
        assert!((9_000..11_000).contains(&vertices), "{vertices} vertices, {faces} faces");
        assert_eq!(mesh.problems(), []);
    }

    #[test]
    fn it_has_the_girths_of_a_mean_body() {
        let mesh = mannequin(Cycle::Stand).skin();
        let height = mesh.positions.iter().map(|at| at.y).fold(0.0, f64::max);
        assert!((height - 1.72).abs() < 0.01, "{height}");
        let wanted =
            [("hips", 0.87, 0.3, 1.035), ("waist", 1.10, 0.3, 0.843), ("bust", 1.245, 0.22, 0.998)];
        for (name, y, side, girth_wanted) in wanted {
            let found = girth(&mesh, y, side);
            assert!((found / girth_wanted - 1.0).abs() < 0.03, "{name}: {found}");
        }
    }

    #[test]
    fn cycles_begin_in_the_a_pose_and_stay_on_the_ground() {
        for cycle in [Cycle::Walk, Cycle::Twist, Cycle::Dance] {
            let (mesh, keys) = Mannequin { cell: 0.025, ..mannequin(cycle) }.moments();
            let far = |key: &SolidMeshKey, to: &[DVec3]| {
                let far = key.positions.iter().zip(to).map(|(a, b)| a.distance(*b));
                far.fold(0.0, f64::max)
            };
            assert!(far(&keys[0], &mesh.positions) < 1e-12, "{cycle:?}");
            for pair in keys.windows(2) {
                let step = far(&pair[1], &pair[0].positions);
                assert!(step < 0.4, "{cycle:?} at {}: {step} m between keys", pair[1].time);
                let low = pair[1].positions.iter().map(|at| at.y).fold(f64::INFINITY, f64::min);
                assert!(low.abs() < 0.03, "{cycle:?} at {}: {low}", pair[1].time);
            }
        }
    }

    #[test]
    fn a_walk_goes_ahead_and_its_feet_slide_by_a_third_of_the_way_at_most() {
        let lowest = |time: f64| {
            let soles = grounded(Cycle::Walk, time).soles();
            let low = (0..6).min_by(|a, b| soles[*a].y.total_cmp(&soles[*b].y));
            (low.unwrap_or(0), soles)
        };
        let (mut slid, mut gone) = (0.0, 0.0);
        for step in 0..264 {
            let time = 1.1 + f64::from(step) / 120.0;
            let ((low, before), (_, after)) = (lowest(time), lowest(time + 1.0 / 120.0));
            slid += (after[low].z - before[low].z).abs();
            let ahead = |time: f64| Cycle::Walk.pose(time).offset.z;
            gone += ahead(time + 1.0 / 120.0) - ahead(time);
        }
        assert!((2.2..2.6).contains(&gone), "{gone} m in 2.2 s");
        assert!(slid < 0.35 * gone, "{slid} m on the way of {gone} m");
    }
}
