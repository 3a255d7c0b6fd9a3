//! Units: a scene told in other units of length, mass and time is the same scene.
//!
//! Powers of two scale every number without rounding, so the results must agree to the last bit:
//! a constant with a hidden unit anywhere in the step would show.

use crate::common::{self, DAMPED, Method, tests_with};
use glam::DVec3;
use taffeta::mesh::SheetEdge;
use taffeta::{
    Air, Ease, Fabric, Hold, Loads, Motion, MotionKey, Pin, Setup, Sheet, Simulation, StepLimits,
};

// Limits and contacts are as stiff and as quick as suits people's cloth, in newtons and seconds.
tests_with!(explicit, |setup| setup, other_units_are_the_same_motion);
tests_with!(implicit, crate::common::implicit, other_units_are_the_same_motion);
tests_with!(newton, crate::common::newton, other_units_are_the_same_motion);

/// How many of the new units make one metre, kilogram and second.
#[derive(Clone, Copy, Debug)]
struct Units {
    length: f64,
    mass: f64,
    time: f64,
}

impl Units {
    fn speed(self) -> f64 {
        self.length / self.time
    }

    /// Of forces per length.
    fn stiffness(self) -> f64 {
        self.mass / (self.time * self.time)
    }

    fn fabric(self) -> Fabric {
        Fabric {
            density: DAMPED.density * self.mass / (self.length * self.length),
            thickness: DAMPED.thickness * self.length,
            stretch: DAMPED.stretch * self.stiffness(),
            stretch_weft: None,
            shear: DAMPED.shear * self.stiffness(),
            bend: DAMPED.bend * self.stiffness(),
            bending: DAMPED.bending * self.stiffness() * self.length * self.length,
            bending_weft: None,
            stretch_damping: DAMPED.stretch_damping * self.time,
            shear_damping: DAMPED.shear_damping * self.time,
            bend_damping: DAMPED.bend_damping * self.time,
        }
    }

    fn loads(self) -> Loads {
        let air = Air {
            density: 1.2 * self.mass / self.length.powi(3),
            drag: 1.1,
            wind: DVec3::new(1.0, 0.5, 3.0) * self.speed(),
        };
        Loads {
            gravity: DVec3::new(0.0, -9.81, 0.0) * self.speed() / self.time,
            air: Some(air),
            fan: None,
        }
    }

    fn pins(self, sheet: &Sheet) -> Vec<Pin> {
        let key = |time: f64, offset: DVec3, angle: f64| MotionKey {
            time: time * self.time,
            offset: offset * self.length,
            angle,
            scale: 1.0,
        };
        let turning = Motion {
            keys: vec![key(0.1, DVec3::ZERO, 0.0), key(0.6, DVec3::new(0.1, 0.2, 0.0), 1.0)],
            ease: Ease::Smooth,
            centre: DVec3::new(0.3, 0.1, 0.0) * self.length,
            axis: DVec3::Y,
        };
        let sliding = Hold::Plane(DVec3::new(0.0, 1.0, 0.2));
        vec![
            Pin {
                motion: turning,
                until: 0.7 * self.time,
                ..Pin::fixed(sheet.edge(SheetEdge::Top))
            },
            Pin { hold: sliding, from: 0.3 * self.time, ..Pin::fixed([sheet.particle(4, 5)]) },
        ]
    }

    fn step(self) -> StepLimits {
        let si = StepLimits::default();
        // Tight enough that steps are refused now and then.
        let max_stretch_change = 0.01;
        StepLimits { max: si.max * self.time, min: si.min * self.time, max_stretch_change, ..si }
    }

    fn simulation(self, equip: Method) -> Simulation {
        let (width, height) = (1.5 * self.length, 1.25 * self.length);
        let sheet = Sheet { width, height, columns: 7, rows: 6 };
        let setup = equip(common::cloth(&sheet.mesh(), &self.fabric()));
        let (loads, step, pins) = (self.loads(), self.step(), self.pins(&sheet));
        common::start(Setup { loads, step, pins, ..setup })
    }
}

fn other_units_are_the_same_motion(equip: Method) {
    let si = Units { length: 1.0, mass: 1.0, time: 1.0 };
    let mut reference = si.simulation(equip);
    let tally = common::advance(&mut reference, 1.0);
    assert!(tally.rejected > 0, "step control is part of the law");
    // Powers of two leave every bit of explicit steps as it is; solves stop somewhere else.
    let exact = matches!(reference.setup().integrator, taffeta::Integrator::Explicit(_));
    let alike = |a: DVec3, b: DVec3| if exact { a == b } else { a.distance(b) < 1e-7 };
    for units in [
        Units { length: 128.0, ..si },
        Units { length: 1.0 / 4096.0, ..si },
        Units { mass: 1024.0, ..si },
        Units { time: 1.0 / 64.0, ..si },
        Units { length: 1.0 / 8.0, mass: 1.0 / 512.0, time: 16.0 },
    ] {
        let mut scaled = units.simulation(equip);
        let scaled_tally = common::advance(&mut scaled, units.time);
        let steps = (scaled_tally.steps, scaled_tally.rejected);
        assert_eq!(steps, (tally.steps, tally.rejected), "{units:?}");
        let (state, expected) = (scaled.state(), reference.state());
        for (i, (x, v)) in state.positions.iter().zip(&state.velocities).enumerate() {
            let (x, v) = (*x / units.length, *v / units.speed());
            assert!(alike(x, expected.positions[i]), "{units:?}, particle {i}: {x}");
            assert!(alike(v, expected.velocities[i]), "{units:?}, particle {i}: {v}");
        }
        let joule = units.mass * units.speed() * units.speed();
        let energy = scaled.energy().total() / joule;
        assert!(alike(DVec3::splat(energy), DVec3::splat(reference.energy().total())));
        let (strain, expected) = (scaled.strain(), reference.strain());
        assert_eq!(strain.extended.particles, expected.extended.particles);
        let pair = |s: &taffeta::measure::Strain| DVec3::new(s.extension, s.compression, 0.0);
        assert!(alike(pair(&strain), pair(&expected)), "{strain:?}");
    }
}
