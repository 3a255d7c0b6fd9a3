//! Any bytes as the payload of a frame and of a topology.
#![no_main]

use libfuzzer_sys::fuzz_target;
use taffeta_io::cache::{CachedFrame, Solids, Topology};

fuzz_target!(|bytes: &[u8]| {
    let _ = CachedFrame::decode(bytes);
    let _ = Topology::decode(bytes);
    let _ = Solids::decode(bytes);
});
