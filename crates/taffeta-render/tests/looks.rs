//! Every way to show cloth: the same bits on any number of threads, and as it looked before.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod torn_cloth;

use std::path::PathBuf;
use std::sync::Arc;

use glam::DVec3;
use taffeta::{Fabric, Frame, Gauge, Mesh, Model, Sheet};
use taffeta_render::{
    Camera, Dress, Framing, Look, Motif, Movie, Options, Picture, Stage, Subject, Texture, View,
    picture_of,
};

const SIZE: [u32; 2] = [320, 180];

/// A picture to be made.
struct Show {
    name: String,
    look: Look,
    dress: Dress,
    /// Whether it shows torn cloth.
    torn: bool,
}

fn shows() -> Vec<Show> {
    let all = |torn: bool| {
        Look::ALL.iter().map(move |(name, look)| {
            let name = if torn { format!("torn-{name}") } else { name.to_string() };
            Show { name, look: *look, dress: Dress::default(), torn }
        })
    };
    let motif = |(name, motif): &(&str, Motif)| {
        let texture = Texture::new(Arc::new(motif.image()), motif.usual_tile());
        let dress = Dress { texture: Some(texture), ..Dress::default() };
        Show { name: format!("cloth-{name}"), look: Look::Cloth, dress, torn: false }
    };
    let woven = ["twill-2-2", "twill-3-1", "satin-5"].map(|name| {
        let dress = Dress { weave: name.parse().unwrap(), ..Dress::default() };
        Show { name: format!("yarns-{name}"), look: Look::Yarns, dress, torn: false }
    });
    all(false).chain(Motif::ALL.iter().map(motif)).chain(woven).chain(all(true)).collect()
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

fn subject<'a>(frame: &'a Frame<'a>, gauges: &'a [Gauge]) -> Subject<'a> {
    Subject { frame, gauges, solids: &[] }
}

fn frame<'a>(mesh: &'a Mesh, velocities: &'a [DVec3]) -> Frame<'a> {
    let (faces, positions) = (&mesh.faces, &mesh.positions);
    Frame {
        number: 0,
        time: 0.0,
        revision: 0,
        faces,
        positions,
        velocities,
        yarns: None,
        cloths: &[],
    }
}

fn options(samples: u32) -> Options<'static> {
    Options { width: SIZE[0], height: SIZE[1], samples, memory: 1 << 30, stop: None }
}

fn picture(show: &Show, options: &Options) -> Picture {
    let (mesh, model) = folded();
    let torn = torn_cloth::torn();
    let (frame, gauges) = match show.torn {
        true => (torn.frame(), torn.model.gauges()),
        false => (frame(&mesh, &[]), model.gauges()),
    };
    let mut framing = Framing::new(View::default(), 16.0 / 9.0);
    framing.add(frame.positions);
    let stage = Stage { dress: show.dress.clone(), ..Stage::around(&framing, None).unwrap() };
    picture_of(show.look, &subject(&frame, gauges), &stage, options).unwrap()
}

#[test]
fn pictures_have_the_same_bits_on_any_number_of_threads() {
    for show in shows() {
        let on_threads = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let small = Options { width: 160, height: 90, ..options(2) };
            pool.install(|| picture(&show, &small))
        };
        let alone = on_threads(1);
        for threads in [2, 4, 8] {
            assert!(alone == on_threads(threads), "{} on {threads} threads", show.name);
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

fn reference(name: &str, picture: &Picture) -> Picture {
    let file = format!("tests/reference/{name}.png");
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(file);
    if std::env::var_os("TAFFETA_UPDATE_PICTURES").is_some() {
        let mut movie = Movie::create(&path, SIZE, 1.0, 1).unwrap();
        movie.add(0, picture).unwrap();
        movie.finish().unwrap();
    }
    let file = std::io::BufReader::new(std::fs::File::open(&path).unwrap());
    let mut decoder = png::Decoder::new(file).read_info().unwrap();
    let mut bytes = vec![0; decoder.output_buffer_size().unwrap()];
    decoder.next_frame(&mut bytes).unwrap();
    Picture { width: SIZE[0], height: SIZE[1], bytes }
}

#[test]
fn looks_look_as_they_did() {
    for show in shows() {
        let (name, picture) = (&show.name, picture(&show, &options(16)));
        let (ours, theirs) = (blocks(&picture), blocks(&reference(name, &picture)));
        let differences: Vec<f64> = ours.iter().zip(&theirs).map(|(a, b)| (a - b).abs()).collect();
        let mean = differences.iter().sum::<f64>() / differences.len() as f64;
        let worst = differences.iter().copied().fold(0.0, f64::max);
        assert!(mean < 0.5 && worst < 8.0, "{name}: mean {mean:.2}, worst {worst:.1} of 255");
    }
}

/// A flat sheet, upright, its front towards the camera, its first row on top.
fn upright(dress: Dress) -> (Picture, Camera) {
    let mut mesh = Sheet { width: 1.6, height: 0.9, columns: 5, rows: 4 }.mesh();
    mesh.positions.iter_mut().for_each(|p| *p = DVec3::new(p.x, -p.z, 0.0));
    let mut framing = Framing::new(View { azimuth: 0.0, elevation: 0.0, ..View::default() }, 1.6);
    framing.add(&mesh.positions);
    let stage = Stage { dress, ..Stage::around(&framing, None).unwrap() };
    let picture =
        picture_of(Look::Cloth, &subject(&frame(&mesh, &[]), &[]), &stage, &options(8)).unwrap();
    (picture, stage.camera)
}

#[test]
fn a_texture_lies_on_cloth_as_it_is_not_mirrored_and_not_turned() {
    for name in ["quarters.png", "quarters.jpg", "palette.png"] {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/textures").join(name);
        let image = Arc::new(taffeta_render::Image::read(&path, 1 << 20).unwrap());
        let texture = Some(Texture::new(image, taffeta_render::Tile::Whole));
        let (picture, camera) = upright(Dress { texture, ..Dress::default() });
        let at = |x: f64, y: f64| {
            let [x, y] = camera.project(DVec3::new(x, y, 0.0), SIZE).unwrap();
            picture.at(x as u32, y as u32).unwrap().map(i32::from)
        };
        let [red, green, blue, yellow] =
            [at(-0.4, 0.2), at(0.4, 0.2), at(-0.4, -0.2), at(0.4, -0.2)];
        assert!(red[0] > 2 * red[1] && red[0] > 2 * red[2], "{name}: {red:?}");
        assert!(green[1] > 2 * green[0] && green[1] > 2 * green[2], "{name}: {green:?}");
        assert!(blue[2] > 2 * blue[0] && blue[2] > 2 * blue[1], "{name}: {blue:?}");
        assert!(yellow[0].min(yellow[1]) > 2 * yellow[2], "{name}: {yellow:?}");
    }
}

#[test]
fn what_is_transparent_in_a_texture_is_white() {
    let path =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/textures/half-transparent.png");
    let image = taffeta_render::Image::read(&path, 1 << 20).unwrap();
    assert_eq!(image.at(glam::Vec2::new(0.25, 0.5), 0.0), glam::Vec3::ONE);
    assert_eq!(image.at(glam::Vec2::new(0.75, 0.5), 0.0), glam::Vec3::ZERO);
}

#[test]
fn textures_that_cannot_be_used_are_refused_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |name: &str, content: Option<&[u8]>, memory: u64| {
        let path = folder.path().join(name);
        if let Some(content) = content {
            std::fs::write(&path, content).unwrap();
        }
        let error = taffeta_render::Image::read(&path, memory).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains("texture"), "{error}");
        error
    };
    let file = |name: &str| {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/textures").join(name);
        std::fs::read(path).unwrap()
    };
    refused("gone.png", None, 1 << 20);
    refused("gone.jpg", None, 1 << 20);
    for (name, whole) in [("cut.png", file("quarters.png")), ("cut.jpg", file("quarters.jpg"))] {
        refused(name, Some(&whole[..40]), 1 << 20);
        refused(name, Some(b"not a picture at all"), 1 << 20);
        refused(name, Some(b""), 1 << 20);
        let large = refused(name, Some(&whole), 1000);
        assert!(large.contains("32 × 32") && large.contains("GiB"), "{large}");
    }
    assert!(refused("a.tiff", Some(b"II*"), 1 << 20).contains("png, jpg"));
}

#[test]
fn a_texture_needs_texture_coordinates() {
    let mesh = Sheet { width: 1.0, height: 1.0, columns: 3, rows: 3 }.mesh();
    let mut bare = taffeta::mesh::Faces::new();
    mesh.faces.iter().for_each(|corners| bare.push(corners));
    let mesh = Mesh { positions: mesh.positions, faces: bare };
    let mut framing = Framing::new(View::default(), 1.6);
    framing.add(&mesh.positions);
    let texture = Some(Texture::new(Arc::new(Motif::Checker.image()), Motif::Checker.usual_tile()));
    let dress = Dress { texture, ..Dress::default() };
    let stage = Stage { dress, ..Stage::around(&framing, None).unwrap() };
    let error = picture_of(Look::Cloth, &subject(&frame(&mesh, &[]), &[]), &stage, &options(1))
        .unwrap_err();
    assert!(error.to_string().contains("no texture coordinates"), "{error}");
}
