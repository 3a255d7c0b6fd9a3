//! Any bytes as a drawing of panels: SVG.
#![no_main]

use libfuzzer_sys::fuzz_target;
use taffeta_io::import::read_svg;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(imported) = read_svg(bytes) {
        imported.pattern.problems();
    }
});
