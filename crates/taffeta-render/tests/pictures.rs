//! Pictures of known scenes: what must be seen is seen, and what cannot be seen is refused.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::atomic::AtomicBool;

use glam::{DVec3, Vec3};
use taffeta::Sheet;
use taffeta_render::{
    Camera, Cover, Finish, Ground, Light, Material, Options, Picture, RenderError, Scene, Shape,
    Solid, Surface, render,
};

const SIZE: [u32; 2] = [160, 90];

fn options(samples: u32) -> Options<'static> {
    Options { width: SIZE[0], height: SIZE[1], samples, memory: 1 << 30, stop: None }
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
    for angle in [0.0, -1.0, f64::NAN, 4.0] {
        let mut scene = ball();
        scene.camera.field_of_view = angle;
        let refused = render(&scene, &options(1)).err().unwrap().to_string();
        assert!(refused.contains("field of view"), "{angle}: {refused}");
    }
}

#[test]
fn absurd_sizes_are_refused_with_the_memory_they_would_take() {
    let refused = |width, height, samples| {
        let options = Options { width, height, samples, memory: 1 << 30, stop: None };
        render(&ball(), &options).err().unwrap().to_string()
    };
    assert!(refused(1_000_000, 1_000_000, 1).contains("GiB of memory"));
    assert!(refused(u32::MAX, u32::MAX, 1).contains("GiB of memory"));
    assert!(refused(0, 90, 1).contains("zero"));
    assert!(refused(160, 90, 0).contains("samples go from 1"));
}

#[test]
fn scenes_that_are_too_fine_are_refused_with_the_memory_they_would_take() {
    let mesh = Sheet { width: 1.0, height: 1.0, columns: 101, rows: 101 }.mesh();
    let (material, cover) = (Material::new(0x80_80_80, Finish::Cloth), Cover::Plain);
    let mut scene = ball();
    scene.surfaces =
        vec![Surface { positions: mesh.positions, faces: mesh.faces, cover, material, pieces: 3 }];
    let options = Options { memory: 20 << 20, ..options(1) };
    let refused = render(&scene, &options).err().unwrap();
    assert!(matches!(refused, RenderError::Memory { .. }), "{refused}");
    scene.surfaces[0].pieces = 1;
    render(&scene, &options).unwrap();
}

#[test]
fn an_empty_scene_is_its_background() {
    let mut scene = ball();
    scene.solids.clear();
    scene.background = Vec3::splat(0.3);
    let picture = render(&scene, &options(1)).unwrap();
    assert!(picture.bytes.iter().all(|byte| *byte == picture.bytes[0]));
}

#[test]
fn surfaces_and_solids_have_materials_of_their_own_and_shade_each_other() {
    let mut scene = ball();
    scene.light = Light { towards: Vec3::Y, ..Light::studio() };
    let sheet = |height: f64, code: u32, finish: Finish| {
        let mesh = Sheet { width: 1.0, height: 1.0, columns: 3, rows: 3 }.mesh();
        let positions = mesh.positions.iter().map(|p| *p + DVec3::new(2.0, height, 0.0)).collect();
        let material = Material::new(code, finish);
        Surface { positions, faces: mesh.faces, cover: Cover::Plain, material, pieces: 1 }
    };
    // A red sheet hides half of a blue one from the sun.
    scene.surfaces = vec![sheet(0.0, 0xc0_20_20, Finish::Matte)];
    let mut blue = sheet(-1.0, 0x20_20_c0, Finish::Matte);
    blue.positions.iter_mut().for_each(|p| p.x = (p.x - 2.0) * 3.0 + 2.0);
    scene.surfaces.push(blue);
    scene.camera.position = DVec3::new(2.0, 3.0, 7.0);
    scene.camera.target = DVec3::new(2.0, -0.5, 0.0);
    let picture = render(&scene, &options(64)).unwrap();
    let at = |point: DVec3| {
        let [x, y] = scene.camera.project(point, SIZE).unwrap();
        picture.at(x as u32, y as u32).unwrap().map(i32::from)
    };
    let red = at(DVec3::new(2.0, 0.0, 0.3));
    assert!(red[0] > 2 * red[1] && red[0] > 2 * red[2], "{red:?}");
    let (lit, shaded) = (at(DVec3::new(3.2, -1.0, 0.0)), at(DVec3::new(2.0, -1.0, 0.3)));
    assert!(lit[2] > 2 * lit[0] && shaded[2] > 2 * shaded[0], "{lit:?} {shaded:?}");
    assert!(lit[0] > 2 * shaded[0] && lit[2] > shaded[2], "{lit:?} {shaded:?}");
}

#[test]
fn a_camera_inside_what_it_shows_sees_it_from_inside() {
    let mut scene = ball();
    scene.camera.position = DVec3::Z * 0.5;
    scene.background = Vec3::splat(0.9);
    render(&scene, &options(4)).unwrap();
    let mesh = Sheet { width: 1.0, height: 1.0, columns: 3, rows: 3 }.mesh();
    let material = Material::new(0x80_80_80, Finish::Cloth);
    let cover = Cover::Plain;
    scene.surfaces =
        vec![Surface { positions: mesh.positions, faces: mesh.faces, cover, material, pieces: 3 }];
    scene.camera.position = DVec3::ZERO;
    scene.camera.target = DVec3::NEG_Z;
    render(&scene, &options(4)).unwrap();
}

#[test]
fn a_picture_is_given_up_when_asked() {
    let stop = AtomicBool::new(true);
    let options = Options { stop: Some(&stop), ..options(4) };
    assert!(matches!(render(&ball(), &options), Err(RenderError::Stopped)));
}
