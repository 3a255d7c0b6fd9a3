//! Gravity and wind that change as time goes on.

use glam::DVec3;

use crate::matter::elements::Air;
use crate::setup::loads::Loads;

/// Gravity and wind at one time; between two keys they change steadily, before the first and after
/// the last they stay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadKey {
    /// When \[s\].
    pub time: f64,
    /// Acceleration of gravity \[m/s²\].
    pub gravity: DVec3,
    /// Velocity of the wind \[m/s\]; without air nobody feels it.
    pub wind: DVec3,
}

impl LoadKey {
    fn blended(from: Self, to: Self, time: f64) -> Self {
        let share = (time - from.time) / (to.time - from.time);
        Self {
            time,
            gravity: from.gravity.lerp(to.gravity, share),
            wind: from.wind.lerp(to.wind, share),
        }
    }
}

/// The loads at a time: those that last, but for what keys say of gravity and wind.
pub(crate) fn loads_at(lasting: Loads, keys: &[LoadKey], time: f64) -> Loads {
    let (Some(first), Some(last)) = (keys.first(), keys.last()) else { return lasting };
    let after = keys.partition_point(|key| key.time <= time);
    let key = match (after, keys.get(after)) {
        (0, _) => *first,
        (_, None) => *last,
        (after, Some(next)) => LoadKey::blended(keys[after - 1], *next, time),
    };
    let air = lasting.air.map(|air| Air { wind: key.wind, ..air });
    Loads { gravity: key.gravity, air, ..lasting }
}

/// Why keys make no sense, if they do not: which, and what they must be.
pub(crate) fn problem(lasting: Loads, keys: &[LoadKey]) -> Option<(usize, &'static str)> {
    let bad = keys.iter().enumerate().find_map(|(i, key)| {
        let finite = key.time.is_finite() && key.gravity.is_finite() && key.wind.is_finite();
        let later = i == 0 || keys[i - 1].time < key.time;
        match (finite, later) {
            (false, _) => Some((i, "must be finite")),
            (_, false) => Some((i, "must be later than the one before")),
            _ => None,
        }
    });
    let still = |key: &LoadKey| key.wind == DVec3::ZERO;
    let windy = keys.iter().position(|key| !still(key)).filter(|_| lasting.air.is_none());
    bad.or(windy.map(|i| (i, "has wind, which takes air")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const AIR: Air = Air { density: 1.2, drag: 1.2, wind: DVec3::ZERO };

    fn key(time: f64, gravity: f64, wind: f64) -> LoadKey {
        LoadKey { time, gravity: DVec3::Y * gravity, wind: DVec3::X * wind }
    }

    #[test]
    fn loads_change_steadily_between_keys_and_rest_outside() {
        let lasting = Loads { air: Some(AIR), ..Loads::default() };
        let keys = [key(1.0, -2.0, 4.0), key(3.0, -6.0, 0.0)];
        let at = |time| {
            let loads = loads_at(lasting, &keys, time);
            (loads.gravity.y, loads.air.map_or(f64::NAN, |air| air.wind.x))
        };
        let wanted = [(0.0, (-2.0, 4.0)), (1.0, (-2.0, 4.0)), (1.5, (-3.0, 3.0))];
        wanted.into_iter().for_each(|(time, loads)| assert_eq!(at(time), loads));
        [(2.0, (-4.0, 2.0)), (3.0, (-6.0, 0.0)), (9.0, (-6.0, 0.0))]
            .into_iter()
            .for_each(|(time, loads)| assert_eq!(at(time), loads));
        assert_eq!(loads_at(lasting, &[], 2.0), lasting);
    }

    #[test]
    fn keys_out_of_order_without_numbers_or_air_are_refused() {
        let (vacuum, air) = (Loads::default(), Loads { air: Some(AIR), ..Loads::default() });
        let order = [key(1.0, 0.0, 0.0), key(1.0, 0.0, 0.0)];
        assert_eq!(problem(air, &order), Some((1, "must be later than the one before")));
        assert_eq!(problem(air, &[key(0.0, f64::NAN, 0.0)]), Some((0, "must be finite")));
        let windy = [key(0.0, 0.0, 0.0), key(1.0, 0.0, 2.0)];
        assert_eq!(problem(vacuum, &windy), Some((1, "has wind, which takes air")));
        assert_eq!(problem(air, &windy), None);
    }
}
