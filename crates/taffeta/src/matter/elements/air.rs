//! Air drag on a face (BW98 §4, other forces): against the normal part of the velocity relative
//! to the wind.

use glam::{DMat3, DVec3};

use super::local::outer;

/// The air around the cloth.
///
/// BW98 leaves the law open; we take the pressure drag of a plate, ½ ρ c A vₙ², along the normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Air {
    /// Density of the air \[kg/m³\].
    pub density: f64,
    /// Drag coefficient of a plate across the flow, without unit.
    pub drag: f64,
    /// Velocity of the wind \[m/s\].
    pub wind: DVec3,
}

impl Air {
    /// Drag on a face of so many corners.
    pub fn drag(&self, face: &Face, corners: usize) -> Drag {
        let size = face.area.length();
        if size == 0.0 {
            return Drag::default();
        }
        let across = (face.velocity - self.wind).dot(face.area) / size;
        let strength = 0.5 * self.density * self.drag * across.abs();
        Drag {
            force: face.area * (-strength * across),
            slope: outer(face.area, face.area) * (2.0 * strength / (size * corners as f64)),
            rate: 2.0 * strength * size / face.mass,
        }
    }
}

/// What the air does to a face.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drag {
    /// Force \[N\].
    pub force: DVec3,
    /// What each corner's share of the force grows by with its velocity, with the sign turned
    /// \[N·s/m\].
    pub slope: DMat3,
    /// How fast the face approaches the wind \[1/s\]: the force's derivative by velocity over the
    /// face's mass, which bounds explicit steps.
    pub rate: f64,
}

/// A face as the air meets it.
#[derive(Clone, Copy, Debug)]
pub struct Face {
    /// Area along the normal \[m²\].
    pub area: DVec3,
    /// Mean velocity \[m/s\].
    pub velocity: DVec3,
    /// Mass \[kg\].
    pub mass: f64,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const AIR: Air = Air { density: 1.2, drag: 1.1, wind: DVec3::new(1.0, 0.5, -2.0) };

    fn drag(air: &Air, area: DVec3, velocity: DVec3) -> DVec3 {
        air.drag(&Face { area, velocity, mass: 1.0 }, 3).force
    }

    fn vector() -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-2.0..2.0f64).prop_map(DVec3::from)
    }

    proptest! {
        #[test]
        fn drag_takes_energy_out_of_the_relative_motion(area in vector(), velocity in vector()) {
            let force = drag(&AIR, area, velocity);
            prop_assert!(force.dot(velocity - AIR.wind) <= 1e-12);
        }

        #[test]
        fn drag_does_not_know_front_from_back(area in vector(), velocity in vector()) {
            prop_assert_eq!(drag(&AIR, area, velocity), drag(&AIR, -area, velocity));
        }

        #[test]
        fn drag_turns_with_the_face(area in vector(), velocity in vector()) {
            let turn = DMat3::from_rotation_x(0.8) * DMat3::from_rotation_z(-1.7);
            let still = Air { wind: DVec3::ZERO, ..AIR };
            let force = drag(&still, area, velocity);
            let turned = drag(&still, turn * area, turn * velocity);
            prop_assert!((turn * force - turned).length() < 1e-11);
        }
    }

    #[test]
    fn a_plate_across_the_wind_feels_half_rho_c_a_v_squared() {
        let still = Air { wind: DVec3::ZERO, ..AIR };
        let force = drag(&still, DVec3::Y * 3.0, DVec3::new(7.0, -4.0, 0.0));
        let expected = 0.5 * 1.2 * 1.1 * 3.0 * 16.0;
        assert!((force - DVec3::Y * expected).length() < 1e-12, "{force}");
    }

    #[test]
    fn air_at_the_wind_speed_and_faces_of_no_area_make_no_force() {
        assert_eq!(drag(&AIR, DVec3::Y, AIR.wind).length(), 0.0);
        assert_eq!(drag(&AIR, DVec3::ZERO, DVec3::Y), DVec3::ZERO);
    }

    #[test]
    fn the_rate_is_the_derivative_of_the_force_over_the_mass() {
        let face = |v: f64| Face { area: DVec3::Y * 2.0, velocity: DVec3::Y * v, mass: 0.3 };
        let force = |v: f64| AIR.drag(&face(v), 4).force.y;
        let slope = (force(4.0 + 1e-5) - force(4.0 - 1e-5)) / 2e-5;
        let rate = AIR.drag(&face(4.0), 4).rate;
        assert!((slope / 0.3 + rate).abs() < 1e-6 * rate, "{slope} {rate}");
    }
}
