//! Any bytes as a skeleton's motion, BVH, on a small body whose bones have no names.
#![no_main]

use std::io;

use libfuzzer_sys::fuzz_target;
use taffeta_io::import::{RetargetWish, read_bvh, read_gltf_retargeted};

const BODY: &[u8] = include_bytes!("../seeds/mesh_gltf/skinned.glb");

fuzz_target!(|bytes: &[u8]| {
    let Ok(motion) = read_bvh(bytes) else { return };
    let names: Vec<[String; 2]> =
        motion.joints.iter().map(|joint| [joint.name.clone(), String::new()]).take(2).collect();
    let wish = RetargetWish { rate: 30.0, blend: 0.5, names: &names, rest_first: None };
    let no_files = |_: &str| Err(io::ErrorKind::NotFound.into());
    for names in [&names[..], &[]] {
        let wish = RetargetWish { names, ..wish };
        if let Ok(moved) = read_gltf_retargeted(BODY, &motion, wish, &no_files) {
            assert!(!moved.moments.is_empty());
        }
    }
});
