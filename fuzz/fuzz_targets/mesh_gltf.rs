//! Any bytes as a mesh: glTF and GLB, without other files.
#![no_main]

use std::io;

use libfuzzer_sys::fuzz_target;
use taffeta_io::import::read_gltf;

fuzz_target!(|bytes: &[u8]| {
    let no_files = |_: &str| Err(io::ErrorKind::NotFound.into());
    if let Ok(imported) = read_gltf(bytes, &no_files) {
        imported.mesh.problems();
    }
});
