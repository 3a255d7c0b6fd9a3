//! Continuous collision detection: nothing that meets is missed, and times are never too late.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::Dice;
use glam::DVec3;
use taffeta::collision::Pairing::{self, EdgeEdge, VertexTriangle};
use taffeta::collision::ccd::{Impact, impact};

type Points = [DVec3; 4];

fn places(from: &Points, to: &Points, time: f64) -> Points {
    std::array::from_fn(|i| from[i] + (to[i] - from[i]) * time)
}

fn distance(pairing: Pairing, points: &Points) -> f64 {
    pairing.closest(points).apart.length()
}

/// One query of the exact data: the pair's motion and whether it meets.
struct Query {
    from: Points,
    to: Points,
    meets: bool,
}

fn read(file: &Path) -> Vec<Query> {
    let text = fs::read_to_string(file).unwrap();
    let rows: Vec<Vec<f64>> =
        text.lines().map(|line| line.split(',').map(|x| x.parse().unwrap()).collect()).collect();
    let point = |row: &Vec<f64>| DVec3::new(row[0] / row[1], row[2] / row[3], row[4] / row[5]);
    let query = |rows: &[Vec<f64>]| Query {
        from: std::array::from_fn(|i| point(&rows[i])),
        to: std::array::from_fn(|i| point(&rows[i + 4])),
        meets: rows[0][6] == 1.0,
    };
    rows.chunks_exact(8).map(query).collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    files
}

/// Queries whose answers were computed exactly, in four families made to be hard; all of them.
#[test]
fn no_exact_query_is_missed() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/ccd");
    if !data.is_dir() {
        eprintln!("SKIPPED: there are no exact queries in {}", data.display());
        return;
    }
    let mut queries = 0;
    for family in files(&data).iter().filter(|path| path.is_dir()) {
        for (kind, pairing) in [("vertex-face", VertexTriangle), ("edge-edge", EdgeEdge)] {
            let all: Vec<Query> = files(&family.join(kind)).iter().flat_map(|f| read(f)).collect();
            let found = |q: &Query| impact(pairing, [&q.from, &q.to], 0.0);
            let missed = all.iter().filter(|q| q.meets && found(q).is_none()).count();
            let meeting = all.iter().filter(|q| q.meets).count();
            let mut false_alarms = 0;
            for q in all.iter().filter(|q| !q.meets) {
                let Some(hit) = found(q) else { continue };
                false_alarms += 1;
                // What is free here may be nearer than round-off can tell, but no farther.
                let apart = distance(pairing, &places(&q.from, &q.to, hit.time));
                assert!(apart < 1e-9, "{apart} m apart at {}", hit.time);
            }
            let (name, count) = (family.file_name().unwrap().to_string_lossy(), all.len());
            println!(
                "{name} {kind}: {count} queries, {meeting} meet, {missed} missed, {false_alarms} false alarms"
            );
            assert_eq!(missed, 0, "{name} {kind}");
            queries += all.len();
        }
    }
    assert!(queries > 1000, "only {queries} queries");
}

/// The earliest of many times at which the pair is nearer than the separation, if there is one.
fn sampled(pairing: Pairing, from: &Points, to: &Points, separation: f64) -> Option<f64> {
    let times = (0..=2000).map(|k| f64::from(k) / 2000.0);
    times.into_iter().find(|&t| distance(pairing, &places(from, to, t)) < separation)
}

/// An impact must be safe: the pair is apart until then, as far as distances can be computed.
fn assert_safe(pairing: Pairing, from: &Points, to: &Points, hit: &Impact, separation: f64) {
    assert!((hit.normal.length() - 1.0).abs() < 1e-12);
    assert!(hit.weights.iter().sum::<f64>().abs() < 1e-12);
    for k in 0..50 {
        let time = hit.time * f64::from(k) / 50.0;
        let apart = distance(pairing, &places(from, to, time));
        let safe = apart > 0.0 && apart >= separation * (1.0 - 1e-12);
        assert!(safe || hit.time == 0.0, "{apart} at {time} before {}", hit.time);
    }
}

#[test]
fn random_motions_meet_when_samples_say_so_and_never_later() {
    let dice = &mut Dice(5);
    let (mut met, mut free, mut uncertain) = (0, 0, 0);
    for round in 0..20_000 {
        let pairing = if round % 2 == 0 { VertexTriangle } else { EdgeEdge };
        let speed = [0.1, 1.0, 10.0][round % 3];
        let from: Points = std::array::from_fn(|_| dice.vector());
        let to = from.map(|p| p + dice.vector() * speed);
        let separation = [0.0, 1e-3, 0.05][round % 3];
        if distance(pairing, &from) <= separation {
            continue;
        }
        match impact(pairing, [&from, &to], separation) {
            Some(hit) => {
                assert_safe(pairing, &from, &to, &hit, separation);
                uncertain += u32::from(!hit.certain);
                met += 1;
            }
            None => {
                assert_eq!(sampled(pairing, &from, &to, separation), None, "{from:?} to {to:?}");
                free += 1;
            }
        }
    }
    assert!(met > 1000 && free > 1000, "{met} met, {free} free");
    assert!(uncertain * 100 < met, "{uncertain} of {met} were given up");
}

/// Meetings by construction: two material points are brought together at a known time.
#[test]
fn meetings_made_on_purpose_are_found_in_time() {
    let dice = &mut Dice(6);
    let mut latest: f64 = 0.0;
    for round in 0..20_000 {
        let pairing = if round % 2 == 0 { VertexTriangle } else { EdgeEdge };
        let from: Points = std::array::from_fn(|_| dice.vector());
        let mut to = from.map(|p| p + dice.vector());
        let (s, t) = (dice.number().abs(), dice.number().abs());
        let weights = match pairing {
            VertexTriangle => [1.0, -(1.0 - s), -s * (1.0 - t), -s * t],
            EdgeEdge => [1.0 - s, s, t - 1.0, -t],
        };
        let when = 0.05 + 0.9 * dice.number().abs();
        let gap = |points: &Points| -> DVec3 { (0..4).map(|i| points[i] * weights[i]).sum() };
        // Moving one end of the motion of the first point closes the gap at `when`.
        let missing = gap(&places(&from, &to, when)) / when;
        match pairing {
            VertexTriangle => to[0] -= missing,
            EdgeEdge => (to[0], to[1]) = (to[0] - missing, to[1] - missing),
        }
        let hit = impact(pairing, [&from, &to], 0.0).expect("it meets by construction");
        assert!(hit.time <= when + 1e-12, "{} after {when}", hit.time);
        assert_safe(pairing, &from, &to, &hit, 0.0);
        latest = latest.max(hit.time - when);
    }
    assert!(latest > -1e-6, "no time is near the truth: {latest}");
}

#[test]
fn degenerate_pairs_are_never_missed() {
    let line = |x: f64| DVec3::new(x, 0.0, 0.0);
    let up = |points: Points, dy: f64| points.map(|p| p + DVec3::Y * dy);
    let [o, x, z] = [DVec3::ZERO, DVec3::X, DVec3::Z];
    // (what, pairing, from, to, meets)
    let through = |p: DVec3, by: DVec3, rest: [DVec3; 3]| {
        ([p, rest[0], rest[1], rest[2]], [p + by, rest[0], rest[1], rest[2]])
    };
    let mut cases: Vec<(&str, Pairing, (Points, Points), bool)> = vec![
        (
            "through a triangle",
            VertexTriangle,
            through(x * 0.2 + z * 0.2 + DVec3::Y, DVec3::Y * -2.0, [o, x, z]),
            true,
        ),
        (
            "lands exactly on it",
            VertexTriangle,
            through(x * 0.25 + z * 0.25 + DVec3::Y, -DVec3::Y, [o, x, z]),
            true,
        ),
        (
            "lands exactly on a corner",
            VertexTriangle,
            through(x + DVec3::Y, -DVec3::Y, [o, x, z]),
            true,
        ),
        (
            "starts touching, leaves",
            VertexTriangle,
            through(x * 0.25 + z * 0.25, DVec3::Y, [o, x, z]),
            true,
        ),
        (
            "rests above",
            VertexTriangle,
            through(x * 0.25 + z * 0.25 + DVec3::Y, o, [o, x, z]),
            false,
        ),
        (
            "slides above",
            VertexTriangle,
            through(DVec3::new(-5.0, 1e-6, 0.2), x * 10.0, [o, x, z]),
            false,
        ),
        (
            "slides in the plane, into it",
            VertexTriangle,
            through(DVec3::new(-1.0, 0.0, 0.2), x, [o, x, z]),
            true,
        ),
        (
            "slides in the plane, past it",
            VertexTriangle,
            through(DVec3::new(-1.0, 0.0, -0.2), x * 3.0, [o, x, z]),
            false,
        ),
        (
            "a triangle without area",
            VertexTriangle,
            through(line(0.5) + DVec3::Y, DVec3::Y * -2.0, [line(0.0), line(1.0), line(2.0)]),
            true,
        ),
        (
            "a triangle that is a point",
            VertexTriangle,
            through(line(1.0), line(-2.0), [o, o, o]),
            true,
        ),
        (
            "a triangle that is a point, passed",
            VertexTriangle,
            through(line(1.0) + DVec3::Y, line(-2.0), [o, o, o]),
            false,
        ),
    ];
    let edges = |a: [DVec3; 2], b: [DVec3; 2], by: DVec3| {
        ([a[0], a[1], b[0], b[1]], [a[0] + by, a[1] + by, b[0], b[1]])
    };
    cases.extend([
        (
            "parallel, one onto the other",
            EdgeEdge,
            edges([o + DVec3::Y, x + DVec3::Y], [o, x], DVec3::Y * -2.0),
            true,
        ),
        (
            "parallel, sliding along",
            EdgeEdge,
            edges([line(-3.0), line(-2.0)], [o, x], x * 5.0),
            true,
        ),
        (
            "parallel, beside",
            EdgeEdge,
            edges([line(-3.0) + z, line(-2.0) + z], [o, x], x * 5.0),
            false,
        ),
        (
            "crossing",
            EdgeEdge,
            edges([z + DVec3::Y, -z + DVec3::Y], [-x, x], DVec3::Y * -2.0),
            true,
        ),
        ("end to end", EdgeEdge, edges([line(2.0), line(3.0)], [o, x], line(-1.0)), true),
        ("edges that are points", EdgeEdge, edges([line(2.0); 2], [o, o], line(-4.0)), true),
        (
            "edges that are points, apart",
            EdgeEdge,
            edges([line(2.0) + z; 2], [o, o], line(-4.0)),
            false,
        ),
        ("coplanar crossing at rest", EdgeEdge, edges([-z, z], [-x, x], o), true),
    ]);
    for (what, pairing, (from, to), meets) in cases {
        for far in [0.0, 1.0, -1024.0] {
            let (from, to) = (up(from, far), up(to, far));
            let hit = impact(pairing, [&from, &to], 0.0);
            assert_eq!(hit.is_some(), meets, "{what} at {far}: {hit:?}");
            let hit = impact(pairing, [&to, &from], 0.0);
            assert_eq!(hit.is_some(), meets, "{what} backwards at {far}: {hit:?}");
        }
    }
}

/// What starts nearer than the separation meets at once; what keeps it does not meet.
#[test]
fn separations_are_kept() {
    let triangle = [DVec3::ZERO, DVec3::X, DVec3::Z];
    let at = |y: f64| [DVec3::new(0.2, y, 0.2), triangle[0], triangle[1], triangle[2]];
    let fall = |a: f64, b: f64| impact(VertexTriangle, [&at(a), &at(b)], 0.01);
    assert!(fall(1.0, 0.0101).is_none());
    let hit = fall(1.0, 0.0).unwrap();
    assert!(hit.certain && hit.time <= 0.99 && hit.time > 0.9898 && hit.normal.y > 0.999_999);
    assert!(hit.weights[0] == 1.0 && (hit.weights[2] + 0.2).abs() < 1e-12);
    assert_eq!(fall(0.005, 1.0).unwrap().time, 0.0);
}

/// Moving the numbers far from the origin makes them coarse, and answers careful, not wrong.
#[test]
fn rounding_never_hides_a_meeting() {
    let dice = &mut Dice(8);
    for round in 0..5_000 {
        let far = DVec3::splat([1e3, 1e6, 1e9][round % 3]);
        let target = far + dice.vector();
        let (side, other) = (dice.vector(), dice.vector());
        // The target is a corner, so it is on the triangle exactly, whatever the rounding.
        let rest = [target, far + side, far + other];
        let from = [target + dice.vector(), rest[0], rest[1], rest[2]];
        let to = [target, rest[0], rest[1], rest[2]];
        assert!(impact(VertexTriangle, [&from, &to], 0.0).is_some(), "{from:?}");
        assert!(impact(VertexTriangle, [&to, &from], 0.0).is_some(), "{from:?}");
    }
}
