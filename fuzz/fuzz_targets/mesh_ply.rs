//! Any bytes as a mesh: PLY.
#![no_main]

use libfuzzer_sys::fuzz_target;
use taffeta_io::import::read_ply;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(imported) = read_ply(bytes) {
        imported.mesh.problems();
    }
});
