//! A fan: wind that blows out of one place.

use glam::DVec3;

/// How much wider its jet is for each metre it has gone.
const SPREAD: f64 = 0.2;

/// A round jet of air that widens and slows as it goes, and keeps its momentum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fan {
    /// Where the jet begins \[m\].
    pub place: DVec3,
    /// Where it blows to, of unit length.
    pub direction: DVec3,
    /// Its speed where it begins \[m/s\].
    pub speed: f64,
    /// Its radius there \[m\].
    pub radius: f64,
}

impl Fan {
    /// The wind it makes at a place \[m/s\]: none behind it.
    pub fn wind(&self, at: DVec3) -> DVec3 {
        let way = at - self.place;
        let along = way.dot(self.direction);
        if along <= 0.0 {
            return DVec3::ZERO;
        }
        let width = self.radius + SPREAD * along;
        let aside = (way - self.direction * along).length() / width;
        self.direction * (self.speed * self.radius / width * libm::exp(-aside * aside))
    }

    /// Whether every number of it makes sense.
    pub(crate) fn is_sound(&self) -> bool {
        let lengths = [self.speed, self.radius];
        self.place.is_finite()
            && (self.direction.length() - 1.0).abs() < 1e-6
            && lengths.iter().all(|length| length.is_finite() && *length >= 0.0)
            && self.radius > 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAN: Fan = Fan { place: DVec3::ZERO, direction: DVec3::X, speed: 5.0, radius: 0.1 };

    #[test]
    fn it_blows_ahead_weaker_far_away_and_aside_and_not_behind() {
        let wind = |x: f64, y: f64| FAN.wind(DVec3::new(x, y, 0.0)).x;
        assert!((wind(1e-9, 0.0) - 5.0).abs() < 1e-6);
        assert!(wind(0.5, 0.0) > wind(1.0, 0.0) && wind(1.0, 0.0) > wind(1.0, 0.2));
        assert_eq!(FAN.wind(DVec3::NEG_X), DVec3::ZERO);
    }

    /// ∫ u² dA over a disc across the jet.
    #[test]
    fn the_jet_keeps_its_momentum() {
        let flux = |x: f64| {
            let rings = (0..20_000).map(|i| (f64::from(i) + 0.5) * 1e-4);
            let speed = |r: f64| FAN.wind(DVec3::new(x, r, 0.0)).x;
            rings.map(|r| speed(r) * speed(r) * std::f64::consts::TAU * r * 1e-4).sum::<f64>()
        };
        let (near, far) = (flux(0.1), flux(0.8));
        assert!((near / far - 1.0).abs() < 1e-6, "{near} {far}");
    }

    #[test]
    fn fans_that_make_no_sense_are_known() {
        assert!(FAN.is_sound());
        for bad in [
            Fan { place: DVec3::NAN, ..FAN },
            Fan { direction: DVec3::ZERO, ..FAN },
            Fan { speed: -1.0, ..FAN },
            Fan { radius: 0.0, ..FAN },
        ] {
            assert!(!bad.is_sound(), "{bad:?}");
        }
    }
}
