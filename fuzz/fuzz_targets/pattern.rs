//! Any bytes as a sewing pattern: GarmentCode.
#![no_main]

use libfuzzer_sys::fuzz_target;
use taffeta_io::import::read_garmentcode;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(imported) = read_garmentcode(bytes) {
        imported.pattern.problems();
    }
});
