//! Our movies, read by programs that others wrote: FFmpeg's libraries through PyAV, and Pillow.
//!
//! The programs are in the folder that `TAFFETA_TOOLS` names. Without the variable the test is
//! skipped, and says so; with it, a missing program is a failure.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test fails loudly")]

#[path = "../../taffeta-io/tests/tools/mod.rs"]
mod tools;

use taffeta_render::{Movie, Picture};
use tools::Tools;

const SIZE: [u32; 2] = [176, 98];
const COUNT: u32 = 20;

/// A white bar on dark blue, further right in each picture.
fn bar(number: u32) -> Picture {
    let mut picture = Picture::new(SIZE[0], SIZE[1]);
    for (i, pixel) in picture.bytes.chunks_exact_mut(3).enumerate() {
        let column = i as u32 % SIZE[0];
        let in_bar = (8 * number..8 * number + 8).contains(&column);
        pixel.copy_from_slice(if in_bar { &[255; 3] } else { &[20, 40, 120] });
    }
    picture
}

#[test]
fn players_show_what_was_written() {
    let Some(tools) = Tools::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    for (extension, rate) in [("mp4", 25.0), ("mp4", 29.97), ("webp", 24.0), ("gif", 25.0)] {
        let path = folder.path().join("film").with_extension(extension);
        let mut movie = Movie::create(&path, SIZE, rate, COUNT as usize).unwrap();
        (0..COUNT).for_each(|number| movie.add(number, &bar(number)).unwrap());
        movie.finish().unwrap();
        let numbers = [SIZE[0], SIZE[1], COUNT].map(|number| number.to_string());
        let rate = rate.to_string();
        let arguments = [numbers[0].as_ref(), numbers[1].as_ref(), numbers[2].as_ref()];
        let all = [&[path.as_os_str()], &arguments[..], &[rate.as_ref()]].concat();
        tools.python("check_movie.py", &all);
    }
}
