//! Any bytes as vertices over time: NPZ.
#![no_main]

use libfuzzer_sys::fuzz_target;
use taffeta_io::import::read_npz_motion;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(motion) = read_npz_motion(bytes) {
        let count = motion.moments[0].positions.len();
        assert!(motion.moments.iter().all(|moment| moment.positions.len() == count));
    }
});
