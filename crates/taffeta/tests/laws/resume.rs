//! Resume: from a snapshot, a run goes on as if it had never stopped, to the last bit.

use crate::common::{
    self, DAMPED, Method, cloth, for_each_integrator, for_each_limiter, square, start,
};
use glam::DVec3;
use taffeta::{Air, Ease, Motion, MotionKey, Pin, SetupError, Simulation};

for_each_integrator!(
    a_resumed_run_is_the_same_run,
    a_failed_restore_changes_nothing,
    an_earlier_time_is_reached_without_a_step,
);

for_each_limiter!(a_resumed_run_with_limits_is_the_same_run);

/// Pins that take hold, turn and let go around the time of the snapshot, wind, and a stretch
/// limit so tight that step control is always learning.
fn eventful(equip: Method) -> Simulation {
    let mut setup = equip(cloth(&square(6).mesh(), &DAMPED));
    let keys = vec![
        MotionKey { time: 0.2, ..MotionKey::default() },
        MotionKey { time: 0.45, offset: DVec3::new(0.1, 0.2, 0.0), angle: 0.5, scale: 1.0 },
    ];
    let motion = Motion { keys, ease: Ease::Smooth, ..Motion::still() };
    setup.pins = vec![
        Pin { motion, from: 0.1, until: 0.5, ..Pin::fixed([0, 5]) },
        Pin { from: 0.33, ..Pin::fixed([35]) },
    ];
    setup.loads.air = Some(Air { density: 1.2, drag: 1.1, wind: DVec3::new(1.0, 0.5, 3.0) });
    setup.step.max_stretch_change = 0.005;
    start(setup)
}

fn a_resumed_run_is_the_same_run(equip: Method) {
    let mut straight = eventful(equip);
    let mut tallies = Vec::new();
    let mut snapshots = Vec::new();
    for frame in 1..=20 {
        snapshots.push(straight.snapshot());
        let tally = common::advance(&mut straight, f64::from(frame) / 30.0);
        tallies.push((tally.steps, tally.rejected, tally.h_min, tally.h_max));
    }
    assert!(tallies.iter().map(|tally| tally.1).sum::<u32>() > 3, "steps were refused");
    for (begin, snapshot) in snapshots.iter().enumerate() {
        let mut resumed = eventful(equip);
        // Whatever it did before leaves no trace.
        common::advance(&mut resumed, 0.4);
        assert!(resumed.restore(snapshot).is_ok());
        assert_eq!(resumed.pin_forces().count(), 0, "forces of another run");
        for (frame, expected) in tallies.iter().enumerate().skip(begin) {
            let tally = common::advance(&mut resumed, (frame as f64 + 1.0) / 30.0);
            let found = (tally.steps, tally.rejected, tally.h_min, tally.h_max);
            assert_eq!(found, *expected, "frame {frame} from {begin}");
        }
        assert_eq!(resumed.snapshot(), straight.snapshot(), "from frame {begin}");
        assert!(resumed.pin_forces().eq(straight.pin_forces()), "from frame {begin}");
    }
}

/// Limiters carry nothing from step to step that a snapshot does not hold.
fn a_resumed_run_with_limits_is_the_same_run(equip: Method) {
    let hanging = || {
        let mut setup = equip(cloth(&square(6).mesh(), &DAMPED));
        setup.pins = vec![Pin::fixed([0]), Pin { until: 0.2, ..Pin::fixed([5]) }];
        start(setup)
    };
    let mut straight = hanging();
    common::advance(&mut straight, 0.1);
    let mut snapshots = vec![straight.snapshot()];
    for frame in 4..=9 {
        common::advance(&mut straight, f64::from(frame) / 30.0);
        snapshots.push(straight.snapshot());
    }
    // Tensions set in at a tenth of the limit.
    assert!(straight.strain().extension > 0.002, "the limits are met");
    for begin in [0, 2, 5] {
        let mut resumed = hanging();
        common::advance(&mut resumed, 0.05);
        resumed.restore(&snapshots[begin]).unwrap();
        for (frame, expected) in snapshots.iter().enumerate().skip(begin + 1) {
            common::advance(&mut resumed, (frame + 3) as f64 / 30.0);
            assert_eq!(resumed.snapshot(), *expected, "frame {frame} from {begin}");
        }
    }
}

fn a_failed_restore_changes_nothing(equip: Method) {
    let mut simulation = eventful(equip);
    common::advance(&mut simulation, 0.2);
    let before = simulation.snapshot();

    let other_cloth = start(cloth(&square(3).mesh(), &DAMPED)).snapshot();
    let other_pins = start(cloth(&square(6).mesh(), &DAMPED)).snapshot();
    for foreign in [other_cloth, other_pins] {
        let error = simulation.restore(&foreign);
        assert!(matches!(error, Err(SetupError::ForeignSnapshot { .. })), "{error:?}");
        assert_eq!(simulation.snapshot(), before);
    }

    let mut broken = vec![before.clone(); 6];
    broken[0].state.positions[3].y = f64::NAN;
    broken[1].state.velocities[3].x = f64::INFINITY;
    broken[2].state.time = f64::NAN;
    broken[3].state.anchors[0] = Some(DVec3::NAN);
    broken[4].control.h = 0.0;
    broken[5].control.h = f64::NAN;
    for snapshot in &broken {
        assert_eq!(simulation.restore(snapshot), Err(SetupError::BrokenSnapshot));
        assert_eq!(simulation.snapshot(), before);
    }
}

fn an_earlier_time_is_reached_without_a_step(equip: Method) {
    let mut simulation = eventful(equip);
    common::advance(&mut simulation, 0.2);
    let before = simulation.snapshot();
    for time in [0.2, 0.1, -5.0] {
        assert_eq!(common::advance(&mut simulation, time).steps, 0);
        assert_eq!(simulation.snapshot(), before);
    }
}
