//! A pin on a guide that takes hold later brings its particles there, and none of them jumps.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails may panic")]

mod common;

use common::{go, scene_of};
use taffeta_io::cache::CacheReader;
use taffeta_scene::run::Mode;
use tempfile::tempdir;

const LATE: &str = r#"
[cloth.sheet]
size = [0.5, 0.5]
particles = [7, 7]
[[pin]]
edge = "bottom"
from = 0.1
[pin.curve]
points = [[-1.0, 0.3, 0.4], [1.0, 0.3, 0.4]]
[frames]
count = 45
"#;

#[test]
fn particles_away_from_a_guide_come_to_it_at_a_speed() {
    for integrator in ["integrator.explicit.safety=0.9", "integrator.implicit.newton_iterations=20"]
    {
        let folder = tempdir().unwrap();
        go(&scene_of(LATE, &[integrator]), folder.path(), Mode::New, None).unwrap();
        let reader = CacheReader::open(folder.path()).unwrap();
        let at = |frame: u32| reader.load(frame).unwrap().snapshot.state.positions;
        let held = 42..49;
        for frame in 3..45 {
            let (before, after) = (at(frame), at(frame + 1));
            for particle in held.clone() {
                let way = before[particle].distance(after[particle]);
                // At 1 m/s across the guide, and as it slides along it.
                assert!(way < 0.08, "{integrator}: {particle} moves {way} m to frame {frame}");
            }
        }
        for particle in held {
            let there = at(45)[particle];
            assert!((there.y - 0.3).abs() < 1e-9 && (there.z - 0.4).abs() < 1e-9, "{there}");
        }
    }
}
