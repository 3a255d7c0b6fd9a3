//! BVH: what a file says, what is said about bad ones, and motions on bodies by the names of bones.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod stick_figure;

use std::fmt::Write as _;
use std::path::Path;

use glam::DVec3;
use proptest::prelude::*;
use proptest::sample::Index;
use stick_figure::{Figure, PERSON};
use taffeta_io::import::{
    FormatError, Moment, Motion, MotionWish, RetargetWish, SkeletonMotion, read_bvh,
    read_gltf_retargeted, read_motion, read_retargeted,
};

const AT_ONCE: RetargetWish =
    RetargetWish { rate: 10.0, blend: 0.0, names: &[], rest_first: Some(false) };

/// The person of [`PERSON`] with arms spread, so many units to a metre, as BVH; frames are the turns
/// about z of both arms, about x of the left leg and about y of all, and the root's place along z.
fn spread(units: f64, frames: &[[f64; 4]]) -> String {
    let joint = |name: &str, offset: [f64; 3]| {
        let [x, y, z] = offset.map(|x| x * units);
        format!("JOINT {name}\n{{\nOFFSET {x} {y} {z}\nCHANNELS 3 Zrotation Xrotation Yrotation\n")
    };
    let end = "End Site\n{\nOFFSET 0 0 0\n}\n";
    let mut text = String::from(
        "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation \
         Xrotation Yrotation\n",
    );
    text += &joint("Spine", [0.0, 0.5, 0.0]);
    for (side, sign) in [("Left", 1.0), ("Right", -1.0)] {
        text += &joint(&format!("{side}Arm"), [0.2 * sign, 0.0, 0.0]);
        text += &joint(&format!("{side}Hand"), [0.5 * sign, 0.0, 0.0]);
        let _ = write!(text, "{end}}}\n}}\n");
    }
    text += "}\n";
    for (side, sign) in [("Left", 1.0), ("Right", -1.0)] {
        text += &joint(&format!("{side}Leg"), [0.1 * sign, 0.0, 0.0]);
        text += &joint(&format!("{side}Foot"), [0.0, -0.9, 0.0]);
        let _ = write!(text, "{end}}}\n}}\n");
    }
    let _ = write!(text, "}}\nMOTION\nFrames: {}\nFrame Time: 0.1\n", frames.len());
    for [arms, leg, all, ahead] in frames {
        let (root, none) = (format!("0 {} {} 0 0 {all}", 0.9 * units, ahead * units), "0 0 0");
        let (arms, leg) = (format!("{arms} 0 0"), format!("0 {leg} 0"));
        let _ =
            writeln!(text, "{root} {none} {arms} {none} {arms} {none} {leg} {none} {none} {none}");
    }
    text
}

fn moved(figure: &Figure, text: &str, wish: RetargetWish) -> Result<Motion, FormatError> {
    let motion = read_bvh(text.as_bytes())?;
    let none = |_: &str| Err(std::io::ErrorKind::NotFound.into());
    read_gltf_retargeted(&figure.gltf(), &motion, wish, &none)
}

/// Where a bone is at a moment.
fn bone(motion: &Motion, moment: usize, name: &str) -> DVec3 {
    let number = PERSON.iter().position(|bone| bone.0 == name).unwrap();
    let corners = &motion.moments[moment].positions[3 * number..3 * number + 3];
    corners.iter().sum::<DVec3>() / 3.0
}

fn along(motion: &Motion, moment: usize, [from, to]: [&str; 2]) -> DVec3 {
    (bone(motion, moment, to) - bone(motion, moment, from)).normalize()
}

fn near(found: DVec3, wanted: [f64; 3]) {
    assert!(found.distance(DVec3::from(wanted)) < 1e-5, "{found} instead of {wanted:?}");
}

#[test]
fn arms_that_hang_are_where_the_motion_has_its_arms() {
    let figure = Figure { hanging: 45.0, ..Figure::default() };
    let text = spread(1.0, &[[0.0, 0.0, 0.0, 0.0], [-30.0, 0.0, 0.0, 0.0]]);
    let motion = moved(&figure, &text, AT_ONCE).unwrap();
    near(along(&motion, 0, ["LeftArm", "LeftHand"]), [1.0, 0.0, 0.0]);
    near(along(&motion, 0, ["RightArm", "RightHand"]), [-1.0, 0.0, 0.0]);
    // The same turn about z lowers the left arm and lifts the right.
    near(along(&motion, 1, ["LeftArm", "LeftHand"]), [0.75f64.sqrt(), -0.5, 0.0]);
    near(along(&motion, 1, ["RightArm", "RightHand"]), [-(0.75f64.sqrt()), 0.5, 0.0]);
    near(along(&motion, 1, ["LeftLeg", "LeftFoot"]), [0.0, -1.0, 0.0]);
}

#[test]
fn units_and_the_axes_of_bones_do_not_matter() {
    let frames = [[0.0, 0.0, 0.0, 0.0], [-70.0, 30.0, 20.0, 0.4], [-50.0, -20.0, 50.0, 0.9]];
    let plain = moved(&Figure::default(), &spread(1.0, &frames), AT_ONCE).unwrap();
    let inches = moved(&Figure::default(), &spread(39.37, &frames), AT_ONCE).unwrap();
    let turned = Figure { turned: true, ..Figure::default() };
    let turned = moved(&turned, &spread(1.0, &frames), AT_ONCE).unwrap();
    for other in [&inches, &turned] {
        for (a, b) in plain.moments.iter().zip(&other.moments) {
            assert_eq!(a.time, b.time);
            for name in PERSON.map(|bone| bone.0) {
                let number = PERSON.iter().position(|bone| bone.0 == name).unwrap();
                let middle = |positions: &[DVec3]| {
                    positions[3 * number..3 * number + 3].iter().sum::<DVec3>() / 3.0
                };
                let (a, b) = (middle(&a.positions), middle(&b.positions));
                assert!(a.distance(b) < 1e-5, "{name}: {a} {b}");
            }
        }
    }
    // A body twice as large goes twice as far.
    let large = Figure { size: 2.0, ..Figure::default() };
    let large = moved(&large, &spread(1.0, &frames), AT_ONCE).unwrap();
    let went = |motion: &Motion| bone(motion, 2, "Hips") - bone(motion, 0, "Hips");
    assert!(went(&large).distance(2.0 * went(&plain)) < 1e-4, "{} {}", went(&large), went(&plain));
}

#[test]
fn a_motion_begins_as_the_body_faces_and_from_its_pose() {
    let frames = [[0.0, 0.0, 90.0, 0.0], [0.0, 0.0, 90.0, 1.0], [0.0, 0.0, 90.0, 2.0]];
    let wish = RetargetWish { blend: 0.1, ..AT_ONCE };
    let figure = Figure { hanging: 45.0, ..Figure::default() };
    let motion = moved(&figure, &spread(1.0, &frames), wish).unwrap();
    near(along(&motion, 0, ["LeftArm", "LeftHand"]), [0.5f64.sqrt(), -(0.5f64.sqrt()), 0.0]);
    near(along(&motion, 2, ["LeftArm", "LeftHand"]), [1.0, 0.0, 0.0]);
    // It faced +x and went along +z, to its right; turned, that is along −x.
    near((bone(&motion, 2, "Hips") - bone(&motion, 0, "Hips")).normalize(), [-1.0, 0.0, 0.0]);
    assert!(
        motion.notes.iter().any(|note| note.contains("turned by -90.0°")),
        "{:?}",
        motion.notes
    );
    // It stands on the floor it stood on.
    let low = |moment: usize| {
        motion.moments[moment].positions.iter().map(|at| at.y).fold(f64::INFINITY, f64::min)
    };
    assert!((low(0) - low(2)).abs() < 1e-6);
}

#[test]
fn a_pose_before_the_motion_is_no_part_of_it() {
    let frames = |first: f64| {
        let walk = (0..8).map(|i| [-70.0, 4.0 * f64::from(i), 0.0, 0.0]);
        let frames: Vec<[f64; 4]> = std::iter::once([first, 0.0, 0.0, 0.0]).chain(walk).collect();
        spread(1.0, &frames)
    };
    let wish = RetargetWish { rest_first: None, ..AT_ONCE };
    let begun = moved(&Figure::default(), &frames(0.0), wish).unwrap();
    assert_eq!(begun.moments.len(), 8);
    near(along(&begun, 0, ["LeftArm", "LeftHand"]), {
        let (sin, cos) = libm::sincos(70f64.to_radians());
        [cos, -sin, 0.0]
    });
    let whole = moved(&Figure::default(), &frames(-70.0), wish).unwrap();
    assert_eq!(whole.moments.len(), 9);
}

#[test]
fn motions_are_resampled_between_frames() {
    let text = spread(1.0, &[[0.0, 0.0, 0.0, 0.0], [-40.0, 0.0, 0.0, 1.0]]);
    let wish = RetargetWish { rate: 40.0, ..AT_ONCE };
    let motion = moved(&Figure::default(), &text, wish).unwrap();
    let times: Vec<f64> = motion.moments.iter().map(|moment| moment.time).collect();
    assert_eq!(times, [0.0, 0.025, 0.05, 0.075, 0.1]);
    let (sin, cos) = libm::sincos(20f64.to_radians());
    near(along(&motion, 2, ["LeftArm", "LeftHand"]), [cos, -sin, 0.0]);
}

#[test]
fn bones_that_do_not_match_are_listed_on_both_sides() {
    let text = spread(1.0, &[[0.0; 4]; 2]).replace("Hips", "pelvis");
    let error = moved(&Figure::default(), &text, AT_ONCE).unwrap_err().to_string();
    for part in
        ["no bone of the body is `pelvis`", "the motion has pelvis, Spine", "the body has Hips"]
    {
        assert!(error.contains(part), "{part}: {error}");
    }
    let same = ["pelvis".to_string(), "Hips".to_string()];
    let named = RetargetWish { names: std::slice::from_ref(&same), ..AT_ONCE };
    assert!(moved(&Figure::default(), &text, named).is_ok());
    let other = ["pelvis".to_string(), "Hip".to_string()];
    let named = RetargetWish { names: std::slice::from_ref(&other), ..AT_ONCE };
    let error = moved(&Figure::default(), &text, named).unwrap_err().to_string();
    assert!(error.contains("the body has no `Hip`; the motion has"), "{error}");
    // A few that differ are told, and the rest moves; case and what is before a colon do not matter.
    let text = spread(1.0, &[[0.0; 4]; 2]).replace("LeftHand", "Claw").replace("Leg", "_leg");
    let motion = moved(&Figure::default(), &text, AT_ONCE).unwrap();
    let note = motion.notes.iter().find(|note| note.contains("Claw")).unwrap();
    assert!(
        note.contains("move nothing: Claw; bones that follow the one above: LeftHand"),
        "{note}"
    );
}

#[test]
fn poses_that_mean_something_else_are_refused() {
    let text = spread(1.0, &[[0.0; 4]; 2]);
    // With z up the legs point along −z.
    let lying = text
        .replace("OFFSET 0 -0.9 0", "OFFSET 0 0 -0.9")
        .replace("OFFSET 0 0.5 0", "OFFSET 0 0 0.5");
    let figure = Figure { hanging: 60.0, ..Figure::default() };
    let error = moved(&figure, &lying, AT_ONCE).unwrap_err().to_string();
    assert!(error.contains("y up, and face the same way"), "{error}");
    let bare = Figure { skinned: false, ..Figure::default() };
    let error = moved(&bare, &text, AT_ONCE).unwrap_err().to_string();
    assert!(error.contains("a skin"), "{error}");
    let one = spread(1.0, &[[0.0; 4]]);
    let first = RetargetWish { rest_first: Some(true), ..AT_ONCE };
    let error = moved(&Figure::default(), &one, first).unwrap_err().to_string();
    assert!(error.contains("a frame behind the pose at rest"), "{error}");
}

#[test]
fn bad_files_are_refused_by_their_lines() {
    let good = spread(1.0, &[[0.0; 4]; 2]);
    let line = |part: &str| 1 + good.lines().position(|line| line.contains(part)).unwrap();
    let frame = line("Frame Time") + 1;
    let cases = [
        ("HIERARCHY", "HIERARHY", 1, "begins with HIERARCHY"),
        ("ROOT Hips", "JOINT Hips", 2, "JOINT cannot stand here"),
        ("OFFSET 0 0.5 0", "OFFSET 0 0.5", line("OFFSET 0 0.5"), "3 numbers, not 2"),
        ("OFFSET 0 0.5 0", "OFFSET 0 half 0", line("OFFSET 0 0.5"), "`half` is not a number"),
        ("OFFSET 0 0.5 0", "OFFSET 0 inf 0", line("OFFSET 0 0.5"), "`inf` is not a number"),
        ("CHANNELS 6", "CHANNELS 5", 5, "says 5 and names 6"),
        ("CHANNELS 6 Xposition", "CHANNELS 6 Xplace", 5, "`Xplace` is no channel"),
        ("JOINT RightArm", "JOINT LeftArm", line("RightArm"), "two joints are `LeftArm`"),
        ("MOTION", "}\nMOTION", line("MOTION"), "without its `{`"),
        ("JOINT RightLeg\n{", "JOINT RightLeg", line("RightLeg") + 1, "the `{` of the joint"),
        ("Frames: 2", "Frames: two", line("Frames"), "`two` is not a whole number"),
        ("Frames: 2", "Frames: 99999999999", frame + 1, "has 99999999999 frames, and there are 2"),
        ("Frame Time: 0.1", "Frame Time: 0", line("Frame Time"), "no motion"),
        ("Frame Time: 0.1", "Frame Time: 1e9", line("Frame Time"), "no motion"),
        (
            "Time: 0.1\n0 0.9",
            "Time: 0.1\n0.9",
            frame,
            "frame 0 has 32 numbers; the skeleton has 33",
        ),
    ];
    for (from, to, line, words) in cases {
        assert!(good.contains(from), "{from}");
        let error = read_bvh(good.replacen(from, to, 1).as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with(&format!("line {line}: ")), "{from} to {to}: {error}");
        assert!(error.contains(words), "{from} to {to}: {error}");
    }
    let more = format!("{good}0 0 0\n");
    assert!(read_bvh(more.as_bytes()).unwrap().notes[0].contains("1 lines behind the 2 frames"));
}

#[test]
fn every_truncation_is_an_error() {
    let good = spread(1.0, &[[0.0; 4]; 2]);
    let whole = read_bvh(good.as_bytes()).unwrap();
    for end in 0..good.trim_end().len() - 1 {
        // All numbers of the last frame may be there though its last digits are not.
        let cut: Result<SkeletonMotion, _> = read_bvh(&good.as_bytes()[..end]);
        assert!(cut.is_err() || cut.unwrap().frames() == whole.frames(), "{end}");
    }
}

proptest! {
    #[test]
    fn mangled_files_are_errors_or_motions(
        changes in proptest::collection::vec((any::<Index>(), any::<u8>(), 0usize..3), 1..6)
    ) {
        let good = spread(1.0, &[[0.0; 4], [-40.0, 20.0, 10.0, 0.5], [-60.0, 0.0, 0.0, 1.0]]);
        let motion = read_bvh(&mangled(good.as_bytes(), &changes));
        let none = |_: &str| Err(std::io::ErrorKind::NotFound.into());
        for rest_first in [None, Some(true)] {
            let wish = RetargetWish { rest_first, ..AT_ONCE };
            if let Ok(motion) = &motion
                && let Ok(moved) = read_gltf_retargeted(&Figure::default().gltf(), motion, wish, &none)
            {
                prop_assert!(!moved.moments.is_empty());
            }
        }
    }
}

/// Bytes changed, left out or repeated.
fn mangled(bytes: &[u8], changes: &[(Index, u8, usize)]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for (at, byte, how) in changes {
        let at = at.index(bytes.len());
        match how {
            0 => bytes[at] = *byte,
            1 => drop(bytes.drain(at..(at + usize::from(*byte)).min(bytes.len() - 1).max(at))),
            _ => {
                let part = bytes[at..(at + usize::from(*byte)).min(bytes.len())].to_vec();
                bytes.splice(at..at, part);
            }
        }
    }
    bytes
}

/// The CC0 body with the motions of CMU, against the same motions put on it by other means, which bent
/// the legs so that feet stay where they are, and moved the first second.
#[test]
fn motions_from_elsewhere_are_on_the_body_what_they_are_on_others() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/people");
    if !folder.is_dir() {
        eprintln!("skipped: {} is not there", folder.display());
        return;
    }
    for (body, motion) in
        [("body-walk.glb", "05_01_walk.bvh"), ("body-dance.glb", "05_02_dance.bvh")]
    {
        let wish = RetargetWish { rate: 60.0, blend: 1.0, names: &[], rest_first: None };
        let ours = read_retargeted(&folder.join(body), &folder.join(motion), wish).unwrap();
        let wish = MotionWish { animation: None, rate: 60.0 };
        let baked = read_motion(&folder.join(body), wish).unwrap();
        assert_eq!(ours.faces, baked.faces);
        eprintln!("{body}: {:?}", ours.notes);
        let shift = baked.moments.len() - ours.moments.len();
        let apart: Vec<f64> = (60..ours.moments.len())
            .step_by(20)
            .map(|moment| {
                let (a, b) =
                    (&ours.moments[moment].positions, &baked.moments[moment + shift].positions);
                let middle = |all: &[DVec3]| all.iter().sum::<DVec3>() / all.len() as f64;
                let level = (middle(a) - middle(b)) * DVec3::new(1.0, 0.0, 1.0);
                let far = a.iter().zip(b).map(|(a, b)| a.distance(*b + level));
                far.sum::<f64>() / a.len() as f64
            })
            .collect();
        eprintln!("{body}: {apart:.3?}");
        assert!(apart.iter().all(|apart| *apart < 0.06), "{apart:?}");
        // It stands on its floor: a foot or two touch it at every moment.
        let low =
            |moment: &Moment| moment.positions.iter().map(|at| at.y).fold(f64::INFINITY, f64::min);
        let lows: Vec<f64> = ours.moments[60..].iter().map(low).collect();
        let [least, most] = [f64::min, f64::max].map(|of| lows.iter().copied().fold(0.0, of));
        eprintln!("{body}: lowest from {least:.4} to {most:.4} m");
        assert!(least > -0.05 && most < 0.05, "{least} {most}");
    }
}
