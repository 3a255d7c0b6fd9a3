//! A camera that moves.

use crate::camera::Camera;
use crate::error::RenderError;

/// Where a camera is at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraKey {
    /// When \[s\].
    pub time: f64,
    /// Where, at what it looks, and how wide.
    pub camera: Camera,
}

/// A camera's way through its keys: smooth, at rest before the first and after the last.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    keys: Vec<CameraKey>,
}

impl Track {
    /// A way through these keys, each later than the one before.
    pub fn new(keys: Vec<CameraKey>) -> Result<Self, RenderError> {
        let refuse = |why: String| Err(RenderError::Track { why });
        if keys.is_empty() {
            return refuse("it has none".into());
        }
        if let Some(key) = keys.iter().find(|key| !key.time.is_finite()) {
            return refuse(format!("one is at {} s, which is no time", key.time));
        }
        if let Some(pair) = keys.windows(2).find(|pair| pair[0].time >= pair[1].time) {
            let [before, after] = [pair[0].time, pair[1].time];
            return refuse(format!("they are out of order: {after} s comes after {before} s"));
        }
        keys.iter().try_for_each(|key| key.camera.check())?;
        Ok(Self { keys })
    }

    /// A camera that stands still.
    pub fn still(camera: Camera) -> Result<Self, RenderError> {
        Self::new(vec![CameraKey { time: 0.0, camera }])
    }

    /// The camera at a time.
    ///
    /// Place and target follow cubic curves (Catmull-Rom for uneven times); the field of view goes
    /// from key to key without going beyond them, as it must stay an angle.
    pub fn at(&self, time: f64) -> Camera {
        let next = self.keys.partition_point(|key| key.time <= time);
        let last = self.keys.len() - 1;
        if next == 0 || next > last {
            return self.keys[next.min(last)].camera;
        }
        let (from, to) = (&self.keys[next - 1], &self.keys[next]);
        let span = to.time - from.time;
        let t = (time - from.time) / span;
        let weights = [
            1.0 - t * t * (3.0 - 2.0 * t),
            t * t * (3.0 - 2.0 * t),
            t * (1.0 - t) * (1.0 - t) * span,
            t * t * (t - 1.0) * span,
        ];
        let [start, end] = [self.speed(next - 1), self.speed(next)];
        let curve = |ends: [glam::DVec3; 2], speeds: [glam::DVec3; 2]| {
            ends[0] * weights[0]
                + ends[1] * weights[1]
                + speeds[0] * weights[2]
                + speeds[1] * weights[3]
        };
        Camera {
            position: curve([from.camera.position, to.camera.position], [start[0], end[0]]),
            target: curve([from.camera.target, to.camera.target], [start[1], end[1]]),
            field_of_view: from.camera.field_of_view * weights[0]
                + to.camera.field_of_view * weights[1],
        }
    }

    /// The velocities of place and target at a key: the mean between its neighbours, none at the
    /// ends.
    fn speed(&self, key: usize) -> [glam::DVec3; 2] {
        let neighbours =
            (key.checked_sub(1).map(|before| self.keys[before]), self.keys.get(key + 1));
        match neighbours {
            (Some(before), Some(after)) => {
                let time = after.time - before.time;
                [
                    (after.camera.position - before.camera.position) / time,
                    (after.camera.target - before.camera.target) / time,
                ]
            }
            _ => [glam::DVec3::ZERO; 2],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    fn key(time: f64, x: f64, fov: f64) -> CameraKey {
        let (position, target) = (DVec3::new(x, x * x, 3.0), DVec3::new(0.0, x, 0.0));
        CameraKey { time, camera: Camera { position, target, field_of_view: fov } }
    }

    fn track() -> Track {
        Track::new(vec![key(0.5, 0.0, 0.5), key(1.0, 2.0, 1.0), key(3.0, -1.0, 0.7)]).unwrap()
    }

    #[test]
    fn keys_are_met_and_held_before_and_after() {
        for key in &track().keys {
            assert_eq!(track().at(key.time), key.camera);
        }
        assert_eq!(track().at(-5.0), track().keys[0].camera);
        assert_eq!(track().at(99.0), track().keys[2].camera);
    }

    #[test]
    fn the_way_has_no_jump_and_no_kink() {
        let track = track();
        let place = |time: f64| {
            let Camera { position, target, field_of_view } = track.at(time);
            (position, target, field_of_view)
        };
        let step = 1e-4;
        for time in (0..4000).map(|i| f64::from(i) * 1e-3) {
            let [a, b, c] = [time - step, time, time + step].map(place);
            let kink = (a.0 + c.0 - b.0 * 2.0).length()
                + (a.1 + c.1 - b.1 * 2.0).length()
                + (a.2 + c.2 - b.2 * 2.0).abs();
            // Second differences of a smooth curve are of the order of the step squared.
            assert!(kink < 200.0 * step * step, "{time}: {kink}");
            assert!((0.5..=1.0).contains(&b.2), "{time}: {}", b.2);
        }
    }

    #[test]
    fn a_camera_at_constant_speed_stays_at_it_between_inner_keys() {
        let keys = [0.0, 1.0, 1.5, 4.0, 5.0].map(|t| {
            let camera = Camera {
                position: DVec3::X * t,
                target: DVec3::X * t + DVec3::Z,
                field_of_view: 0.6,
            };
            CameraKey { time: t, camera }
        });
        let track = Track::new(keys.to_vec()).unwrap();
        for time in (100..=400).map(|i| f64::from(i) * 0.01) {
            assert!((track.at(time).position.x - time).abs() < 1e-12, "{time}");
        }
    }

    #[test]
    fn what_is_no_way_is_refused() {
        let refused = |keys: Vec<CameraKey>| Track::new(keys).unwrap_err().to_string();
        assert!(refused(vec![]).contains("none"));
        assert!(refused(vec![key(1.0, 0.0, 0.5), key(1.0, 1.0, 0.5)]).contains("out of order"));
        assert!(refused(vec![key(f64::NAN, 0.0, 0.5)]).contains("no time"));
        assert!(refused(vec![key(0.0, 0.0, 0.0)]).contains("field of view"));
    }
}
