//! Pictures of known scenes: what must be seen is seen, on any number of threads, and looks as it
//! did before.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::PathBuf;

use glam::{DVec3, Vec3};
use taffeta::{Fabric, Frame, Mesh, Model, Sheet};
use taffeta_render::{
    Camera, Finish, Framing, Ground, Light, Look, Material, Options, Picture, Scene, Shape, Solid,
    Stage, Subject, View, picture_of, render,
};

const SIZE: [u32; 2] = [160, 90];

fn options(samples: u32) -> Options {
    Options { width: SIZE[0], height: SIZE[1], samples, memory: 1 << 30 }
}

/// A sheet with folds, and its model.
fn folded() -> (Mesh, Model) {
    let mut mesh = Sheet { width: 1.0, height: 0.8, columns: 21, rows: 17 }.mesh();
    let model = Model::mass_spring(&mesh, &Fabric::default()).unwrap();
    for position in &mut mesh.positions {
        let DVec3 { x, z, .. } = *position;
        let fold = 0.06 * libm::sin(14.0 * x + 3.0 * z);
        *position = DVec3::new(x, -z * 0.9 + 0.5 * fold, fold + 0.3 * z);
    }
    (mesh, model)
}

fn picture(look: Look, samples: u32) -> Picture {
    let (mesh, model) = folded();
    let velocities = vec![DVec3::ZERO; mesh.positions.len()];
    let frame = Frame {
        number: 0,
        time: 0.0,
        revision: 0,
        faces: &mesh.faces,
        positions: &mesh.positions,
        velocities: &velocities,
    };
    let mut framing = Framing::new(View::default(), 16.0 / 9.0);
    framing.add(&mesh.positions);
    let stage = Stage::around(&framing, None).unwrap();
    let subject = Subject { frame: &frame, gauges: model.gauges(), solids: &[] };
    picture_of(look, &subject, &stage, &options(samples)).unwrap()
}

/// A ball of radius 1 seen from 5 m, half the picture high.
fn ball() -> Scene {
    let material = Material::new(0xff_ff_ff, Finish::Matte);
    Scene {
        surfaces: Vec::new(),
        curves: Vec::new(),
        solids: vec![Solid { shape: Shape::Sphere { centre: DVec3::ZERO, radius: 1.0 }, material }],
        ground: None,
        light: Light { sun: Vec3::ZERO, ..Light::studio() },
        background: Vec3::ZERO,
        camera: Camera {
            position: DVec3::Z * 5.0,
            target: DVec3::ZERO,
            field_of_view: 2.0 * libm::atan(2.0 / 24f64.sqrt()),
        },
    }
}

fn brightness(picture: &Picture, x: u32, y: u32) -> f64 {
    picture.at(x, y).unwrap().iter().map(|&byte| f64::from(byte)).sum::<f64>() / 3.0
}

#[test]
fn pictures_have_the_same_bits_on_any_number_of_threads() {
    for (_, look) in Look::ALL {
        let on_threads = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| picture(*look, 4))
        };
        let alone = on_threads(1);
        for threads in [2, 4, 8] {
            assert!(alone == on_threads(threads), "{look:?} on {threads} threads");
        }
    }
}

/// Averages of 4 × 4 pixels: finer noise than that is not what a picture looks like.
fn blocks(picture: &Picture) -> Vec<f64> {
    let mut blocks = vec![0.0; (SIZE[0] / 4 * (SIZE[1] / 4 + 1) * 3) as usize];
    for (i, byte) in picture.bytes.iter().enumerate() {
        let (pixel, channel) = (i as u32 / 3, i % 3);
        let (x, y) = (pixel % SIZE[0] / 4, pixel / SIZE[0] / 4);
        blocks[(y * (SIZE[0] / 4) + x) as usize * 3 + channel] += f64::from(*byte) / 16.0;
    }
    blocks
}

#[test]
fn looks_look_as_they_did() {
    for (name, look) in Look::ALL {
        let file = format!("tests/reference/{name}.png");
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(file);
        let picture = picture(*look, 32);
        if std::env::var_os("TAFFETA_UPDATE_PICTURES").is_some() {
            let mut movie = taffeta_render::Movie::create(&path, SIZE, 1.0, 1).unwrap();
            movie.add(0, &picture).unwrap();
            movie.finish().unwrap();
        }
        let mut decoder =
            png::Decoder::new(std::io::BufReader::new(std::fs::File::open(&path).unwrap()))
                .read_info()
                .unwrap();
        let mut bytes = vec![0; decoder.output_buffer_size().unwrap()];
        decoder.next_frame(&mut bytes).unwrap();
        let reference = Picture { width: SIZE[0], height: SIZE[1], bytes };
        let (ours, theirs) = (blocks(&picture), blocks(&reference));
        let differences: Vec<f64> = ours.iter().zip(&theirs).map(|(a, b)| (a - b).abs()).collect();
        let mean = differences.iter().sum::<f64>() / differences.len() as f64;
        let worst = differences.iter().copied().fold(0.0, f64::max);
        assert!(mean < 0.5 && worst < 8.0, "{name}: mean {mean:.2}, worst {worst:.1} of 255");
    }
}

#[test]
fn a_white_ball_under_a_white_sky_is_white_all_over() {
    let mut scene = ball();
    scene.light.sky = Vec3::splat(0.5);
    scene.light.below = Vec3::splat(0.5);
    let picture = render(&scene, &options(8)).unwrap();
    let middle = picture.at(80, 45).unwrap();
    for (x, y) in [(65, 45), (95, 45), (80, 30), (80, 60), (70, 35)] {
        assert_eq!(picture.at(x, y).unwrap(), middle, "at {x}, {y}");
    }
}

#[test]
fn a_ball_covers_the_area_of_its_outline() {
    let mut scene = ball();
    scene.solids[0].material = Material::new(0xff_ff_ff, Finish::Flat);
    scene.background = Vec3::ZERO;
    let picture = render(&scene, &options(64)).unwrap();
    let white = f64::from(picture.at(80, 45).unwrap()[0]);
    // Tone and transfer curves are not linear, so a pixel on the rim counts as half.
    let covered: f64 = picture
        .bytes
        .chunks(3)
        .map(|pixel| f64::from(pixel[0]) / white)
        .map(|share| {
            if share > 0.99 {
                1.0
            } else if share > 0.01 {
                0.5
            } else {
                0.0
            }
        })
        .sum();
    // Its rim is seen at 1/√24 of the distance, and 45 pixels are at 2/√24.
    let exact = std::f64::consts::PI * 22.5 * 22.5;
    assert!((covered - exact).abs() < 0.02 * exact, "{covered} of {exact}");
}

#[test]
fn a_shadow_is_where_the_light_is_blocked_and_soft_at_its_rim() {
    let mut scene = ball();
    scene.background = Vec3::splat(0.6);
    scene.light = Light { towards: Vec3::Y, ..Light::studio() };
    scene.ground = Some(Ground {
        height: -2.0,
        colour: scene.background,
        centre: DVec3::NEG_Y * 2.0,
        reach: 100.0,
    });
    scene.camera.position = DVec3::new(0.0, 1.0, 12.0);
    scene.camera.target = DVec3::NEG_Y;
    let picture = render(&scene, &options(64)).unwrap();
    let at = |x: f64, z: f64| {
        let [x, y] = scene.camera.project(DVec3::new(x, -2.0, z), SIZE).unwrap();
        brightness(&picture, x as u32, y as u32)
    };
    let (umbra, rim, open) = (at(0.0, 0.5), at(1.0, 0.3), at(4.0, 0.5));
    assert!(umbra < 0.75 * open, "{umbra} under the ball, {open} beside it");
    assert!(umbra < rim && rim < open, "{umbra}, {rim}, {open}");
}

#[test]
fn yarn_tips_fade() {
    let mut scene = ball();
    scene.solids.clear();
    scene.background = Vec3::splat(0.8);
    scene.curves.push(taffeta_render::Curve {
        points: (-3..=3).map(|i| DVec3::X * f64::from(i)).collect(),
        radius: 0.4,
        opacities: vec![1.0, 1.0, 1.0, 1.0, 1.0, 0.5, 0.0],
        material: Material::new(0x00_00_00, Finish::Flat),
        pieces: 8,
    });
    let picture = render(&scene, &options(64)).unwrap();
    let at = |x: f64| {
        let [x, y] = scene.camera.project(DVec3::X * x, SIZE).unwrap();
        brightness(&picture, x as u32, y as u32)
    };
    assert!(at(0.0) < 5.0);
    assert!(at(0.0) < at(1.5) && at(1.5) < at(2.2) && at(2.2) < at(2.8));
}

#[test]
fn bad_scenes_are_refused_in_words() {
    let refused = |change: fn(&mut Scene)| {
        let mut scene = ball();
        change(&mut scene);
        render(&scene, &options(1)).err().unwrap().to_string()
    };
    let lost = refused(|scene| {
        scene.solids[0].shape = Shape::Sphere { centre: DVec3::NAN, radius: 1.0 };
    });
    assert!(lost.contains("no place"), "{lost}");
    let nowhere = refused(|scene| scene.camera.position = DVec3::INFINITY);
    assert!(nowhere.contains("camera"), "{nowhere}");
    let same = refused(|scene| scene.camera.position = scene.camera.target);
    assert!(same.contains("where it looks"), "{same}");
}

#[test]
fn absurd_sizes_are_refused_with_the_memory_they_would_take() {
    let refused = |width, height, samples| {
        let options = Options { width, height, samples, memory: 1 << 30 };
        render(&ball(), &options).err().unwrap().to_string()
    };
    assert!(refused(1_000_000, 1_000_000, 1).contains("GiB of memory"));
    assert!(refused(u32::MAX, u32::MAX, 1).contains("GiB of memory"));
    assert!(refused(0, 90, 1).contains("zero"));
    assert!(refused(160, 90, 0).contains("samples go from 1"));
}

#[test]
fn an_empty_scene_is_its_background() {
    let mut scene = ball();
    scene.solids.clear();
    scene.background = Vec3::splat(0.3);
    let picture = render(&scene, &options(1)).unwrap();
    assert!(picture.bytes.iter().all(|byte| *byte == picture.bytes[0]));
}
