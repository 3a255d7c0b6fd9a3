//! Files of pictures: read back where we can, refused in words where they cannot be.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::Path;

use taffeta_render::{FORMATS, Figure, Movie, Panel, Picture, RenderError, Series};

/// A picture with a white column that moves.
fn column(size: [u32; 2], at: u32) -> Picture {
    let mut picture = Picture::new(size[0], size[1]);
    for (i, pixel) in picture.bytes.chunks_mut(3).enumerate() {
        pixel.fill(if i as u32 % size[0] == at { 255 } else { 40 });
    }
    picture
}

fn write(path: &Path, size: [u32; 2]) -> Result<Vec<std::path::PathBuf>, RenderError> {
    let mut movie = Movie::create(path, size, 25.0, 5)?;
    for number in 0..5 {
        movie.add(number, &column(size, number))?;
    }
    movie.finish()
}

#[test]
fn every_format_writes_files_and_leaves_no_scraps() {
    for format in FORMATS {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/film").with_extension(format.extension);
        let files = write(&path, [64, 48]).unwrap();
        assert_eq!(files.len(), if format.extension == "png" { 5 } else { 1 });
        let left = fs::read_dir(folder.path().join("new")).unwrap().count();
        assert_eq!(left, files.len(), "{}", format.extension);
        assert!(files.iter().all(|file| fs::metadata(file).unwrap().len() > 50));
    }
}

#[test]
fn a_png_comes_back_bit_by_bit() {
    let folder = tempfile::tempdir().unwrap();
    let files = write(&folder.path().join("%03d.png"), [31, 17]).unwrap();
    assert!(files[4].ends_with("004.png"));
    let file = std::io::BufReader::new(fs::File::open(&files[4]).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut bytes).unwrap();
    assert_eq!(bytes, column([31, 17], 4).bytes);
}

#[test]
fn a_gif_has_every_frame_and_lasts_as_long_as_it_should() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("film.gif");
    write(&path, [64, 48]).unwrap();
    let mut reader = gif::DecodeOptions::new().read_info(fs::File::open(path).unwrap()).unwrap();
    let (mut frames, mut delay) = (0, 0);
    while let Some(frame) = reader.read_next_frame().unwrap() {
        frames += 1;
        delay += frame.delay;
    }
    assert_eq!((frames, delay), (5, 20));
}

#[test]
fn an_mp4_is_made_of_whole_boxes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("film.mp4");
    write(&path, [64, 48]).unwrap();
    let bytes = fs::read(path).unwrap();
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let (mut at, mut names) = (0, Vec::new());
    while at < bytes.len() {
        names.push(bytes[at + 4..at + 8].to_vec());
        // A length of one announces a longer length after the name.
        at += if number(at) == 1 { number(at + 12) } else { number(at) };
    }
    assert_eq!(at, bytes.len());
    assert_eq!(names, [b"ftyp", b"mdat", b"moov"]);
}

#[test]
fn what_cannot_be_written_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let refused =
        |name: &str, size| write(&folder.path().join(name), size).unwrap_err().to_string();
    let unknown = refused("film.avi", [64, 48]);
    for format in FORMATS {
        assert!(unknown.contains(format.extension), "{unknown}");
    }
    assert!(refused("film.mp4", [63, 48]).contains("even"));
    assert!(refused("film.webp", [20_000, 2]).contains("16383"));
    assert!(refused("film.gif", [70_000, 1]).contains("65535"));
    fs::write(folder.path().join("file"), "").unwrap();
    assert!(refused("file/film.mp4", [64, 48]).contains("cannot write"));
    fs::create_dir(folder.path().join("folder.png")).unwrap();
    let mut movie = Movie::create(&folder.path().join("a.gif"), [8, 8], 25.0, 1).unwrap();
    assert!(movie.add(0, &column([8, 9], 0)).unwrap_err().to_string().contains("another size"));
    assert!(Movie::create(&folder.path().join("a.gif"), [8, 8], f64::NAN, 1).is_err());
}

#[test]
fn plots_are_written_as_svg_and_png() {
    let points = vec![[0.0, 1.0], [1.0, f64::NAN], [2.0, 3.0], [3.0, 2.0]];
    let series = vec![Series { name: "a<b".into(), colour: 0xff_00_00, points }];
    let panels = vec![Panel { y_label: "strain [%]".into(), series }];
    let figure = Figure { title: "t & u".into(), x_label: "time [s]".into(), panels };
    let svg = figure.svg();
    for words in ["strain [%]", "time [s]", "a&lt;b", "t &amp; u", "#ff0000"] {
        assert!(svg.contains(words), "{words} is not in {svg}");
    }
    assert!(!svg.contains("NaN"), "{svg}");
    let folder = tempfile::tempdir().unwrap();
    for extension in ["svg", "png"] {
        let path = folder.path().join("plot").with_extension(extension);
        assert!(fs::metadata(figure.write(&path).unwrap()).unwrap().len() > 1000);
    }
    let unknown = figure.write(Path::new("plot.pdf")).unwrap_err().to_string();
    assert!(unknown.contains("svg, png"), "{unknown}");
}
