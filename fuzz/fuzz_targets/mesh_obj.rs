//! Any bytes as a mesh: OBJ.
#![no_main]

use libfuzzer_sys::fuzz_target;
use taffeta_io::import::read_obj;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(imported) = read_obj(bytes) {
        imported.mesh.problems();
    }
});
