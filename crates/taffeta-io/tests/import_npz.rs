//! Vertices over time, from archives made here as NumPy makes them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

use glam::DVec3;
use miniz_oxide::deflate::compress_to_vec;
use proptest::prelude::*;
use taffeta_io::import::read_npz_motion;

/// An NPY file of the first version.
fn array(kind: &str, shape: &str, numbers: &[u8]) -> Vec<u8> {
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    while (header.len() + 11) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let length = (header.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00".as_slice(), &length, header.as_bytes(), numbers].concat()
}

/// A zip archive, its sizes in 64 bits beside entries, as NumPy has them.
fn archive(files: &[(&str, Vec<u8>)], deflated: bool) -> Vec<u8> {
    let (mut bytes, mut list) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let packed = if deflated { compress_to_vec(content, 6) } else { content.clone() };
        let method = if deflated { 8u16 } else { 0 };
        let common = |extra: u16| {
            let sizes = [crc32fast::hash(content), packed.len() as u32, content.len() as u32];
            let mut part = [20u16, 0, method, 0, 0x21].map(u16::to_le_bytes).concat();
            part.extend(sizes.map(u32::to_le_bytes).concat());
            part.extend([name.len() as u16, extra].map(u16::to_le_bytes).concat());
            part
        };
        let at = bytes.len() as u32;
        list.extend([b"PK\x01\x02\x14\x00".as_slice(), &common(0), &[0; 10]].concat());
        list.extend(at.to_le_bytes());
        list.extend(name.as_bytes());
        bytes.extend([b"PK\x03\x04".as_slice(), &common(20), name.as_bytes()].concat());
        bytes.extend([&1u16.to_le_bytes()[..], &16u16.to_le_bytes(), &[0; 16]].concat());
        bytes.extend(packed);
    }
    let (at, count) = (bytes.len() as u32, files.len() as u16);
    let end =
        [b"PK\x05\x06\0\0\0\0".as_slice(), &count.to_le_bytes(), &count.to_le_bytes()].concat();
    let sizes = [(list.len() as u32).to_le_bytes(), at.to_le_bytes()].concat();
    [bytes, list, end, sizes, vec![0, 0]].concat()
}

fn body(change: impl Fn(&mut Vec<(&'static str, Vec<u8>)>), deflated: bool) -> Vec<u8> {
    let vertices: Vec<u8> = (0..24).flat_map(|i| (i as f32 * 0.5).to_le_bytes()).collect();
    let faces: Vec<u8> = [0i64, 1, 2, 0, 2, 3].into_iter().flat_map(i64::to_le_bytes).collect();
    let mut files = vec![
        ("vertices.npy", array("<f4", "(2, 4, 3)", &vertices)),
        ("faces.npy", array("<i8", "(2, 3)", &faces)),
        ("rate.npy", array("<f8", "()", &25.0f64.to_le_bytes())),
    ];
    change(&mut files);
    archive(&files, deflated)
}

#[test]
fn vertices_faces_and_times_come_as_they_were_saved() {
    for deflated in [false, true] {
        let motion = read_npz_motion(&body(|_| {}, deflated)).unwrap();
        let times: Vec<f64> = motion.moments.iter().map(|moment| moment.time).collect();
        assert_eq!(times, [0.0, 0.04]);
        assert_eq!(motion.moments[1].positions[3], DVec3::new(10.5, 11.0, 11.5));
        assert_eq!(motion.faces.all_corners(), [0, 1, 2, 0, 2, 3]);
        assert_eq!(motion.faces.len(), 2);
    }
}

#[test]
fn what_is_wrong_is_named_with_its_array() {
    let refused = |bytes: Vec<u8>| read_npz_motion(&bytes).unwrap_err().to_string();
    let without = |name: &'static str| {
        refused(body(move |files| files.retain(|file| !file.0.starts_with(name)), false))
    };
    assert!(without("rate").contains("the array `rate` (there is vertices, faces) is missing"));
    assert!(without("faces").contains("the array `faces`"));
    let with =
        |at: usize, file: Vec<u8>| refused(body(move |files| files[at].1.clone_from(&file), false));
    let flat = with(0, array("<f4", "(2, 4)", &[0; 32]));
    assert!(flat.contains("frames × n × 3") && flat.starts_with("vertices"), "{flat}");
    let short = with(0, array("<f4", "(2, 4, 3)", &[0; 40]));
    assert!(short.contains("ends too early"), "{short}");
    let huge = with(0, array("<f4", "(99999999999, 99999999999, 3)", &[0; 40]));
    assert!(huge.contains("too large"), "{huge}");
    let beyond = with(1, array("|u1", "(1, 3)", &[0, 1, 4]));
    assert!(beyond.contains("refers to vertex 4, but there are 4"), "{beyond}");
    let still = with(2, array("<f8", "()", &0.0f64.to_le_bytes()));
    assert!(still.contains("above zero"), "{still}");
    assert!(with(2, array(">f8", "()", &[0; 8])).contains("`>f8`"));
    let mut damaged = body(|_| {}, false);
    let middle = damaged.windows(4).position(|four| four == 5.5f32.to_le_bytes()).unwrap();
    damaged[middle] ^= 1;
    assert!(refused(damaged).contains("checksum"));
    assert!(refused(b"no zip".to_vec()).contains("no zip archive"));
}

proptest! {
    #[test]
    fn rubbish_is_an_error_and_never_a_panic(
        at in 0usize..2000, value in any::<u8>(), cut in 1usize..2000, deflated in any::<bool>()
    ) {
        let mut bytes = body(|_| {}, deflated);
        let at = at % bytes.len();
        bytes[at] = value;
        bytes.truncate(cut);
        let _ = read_npz_motion(&bytes);
    }
}

#[test]
fn what_numpy_itself_has_saved_is_read() {
    for name in ["stored", "packed"] {
        let path = format!("{}/../../fuzz/seeds/motion_npz/{name}.npz", env!("CARGO_MANIFEST_DIR"));
        let motion = read_npz_motion(&std::fs::read(path).unwrap()).unwrap();
        assert_eq!(motion.moments[1].time, 1.0 / 30.0);
        assert_eq!(motion.moments[1].positions, [DVec3::ONE; 3]);
        assert_eq!(motion.faces.all_corners(), [0, 1, 2]);
    }
}
