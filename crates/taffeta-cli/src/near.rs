//! What of torn cloth the camera takes into view by itself: pieces that fall away for good would
//! make a dot of the rest.

use glam::DVec3;
use taffeta::woven::Yarns;

/// Pieces of torn cloth count up to so many radii of the whole cloth from where it began.
const REACH: f64 = 4.0;

/// The neighbourhood of where the cloth began.
#[derive(Default)]
pub struct Near {
    /// Its centre and radius \[m\], once a frame was seen.
    home: Option<(DVec3, f64)>,
    left_out: bool,
}

impl Near {
    /// The particles of the next frame that the camera shall see: all, unless some of it is torn.
    pub fn seen(&mut self, positions: &[DVec3], yarns: Option<&Yarns>) -> Vec<DVec3> {
        let (centre, radius) = *self.home.get_or_insert_with(|| home(positions));
        let torn = yarns.is_some_and(|yarns| yarns.all.iter().any(|yarn| yarn.torn != [false; 2]));
        let near = |place: &&DVec3| !torn || place.distance(centre) <= REACH * radius;
        let seen: Vec<DVec3> = positions.iter().filter(near).copied().collect();
        self.left_out |= seen.len() < positions.len();
        seen
    }

    /// What the user should know.
    pub fn note(&self) -> Option<String> {
        let (_, radius) = self.home.filter(|_| self.left_out)?;
        let reach = REACH * radius;
        Some(format!(
            "pieces further than {reach:.3} m from where the cloth began are not taken into view; \
             [camera] position and target can"
        ))
    }
}

/// The middle of the box around finite places, and the distance to its corners.
fn home(positions: &[DVec3]) -> (DVec3, f64) {
    let start = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let places = positions.iter().filter(|place| place.is_finite());
    let (low, high) = places.fold(start, |(low, high), &at| (low.min(at), high.max(at)));
    ((low + high) / 2.0, (high - low).length() / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffeta::woven::{Thread, Yarn};

    #[test]
    fn only_what_is_torn_and_far_is_left_out_and_that_is_said() {
        let whole =
            Yarn { thread: Thread::Warp, points: Vec::new(), torn: [false; 2], gauges: Vec::new() };
        let torn = Yarn { torn: [false, true], ..whole.clone() };
        let [whole, torn] = [whole, torn].map(|yarn| Yarns { all: vec![yarn], thickness: 1e-4 });
        let first = [DVec3::ZERO, DVec3::X];
        let later = [DVec3::ZERO, DVec3::Y * -30.0];
        for yarns in [None, Some(&whole)] {
            let mut near = Near::default();
            assert_eq!(near.seen(&first, yarns).len(), 2);
            assert_eq!(near.seen(&later, yarns).len(), 2);
            assert_eq!(near.note(), None);
        }
        let mut near = Near::default();
        assert_eq!(near.seen(&first, Some(&torn)), first);
        assert_eq!(near.note(), None);
        assert_eq!(near.seen(&later, Some(&torn)), [DVec3::ZERO]);
        assert!(near.note().is_some_and(|note| note.contains("2.000 m")));
    }
}
