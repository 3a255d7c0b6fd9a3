//! Where particles are, read from exported files by no code of the simulator's.

/// The vertices of an OBJ file.
pub fn vertices(text: &str) -> Vec<[f64; 3]> {
    let place = |line: &str| {
        let mut words = line.strip_prefix("v ")?.split_whitespace().map(str::parse::<f64>);
        let mut next = || words.next()?.ok();
        Some([next()?, next()?, next()?])
    };
    text.lines().filter_map(place).collect()
}

/// The frames of a point cache (PC2): a head of 32 bytes with the number of points at 16 and of
/// frames at 28, then three numbers of four bytes for each point of each frame.
pub fn point_cache(bytes: &[u8]) -> Option<Vec<Vec<[f64; 3]>>> {
    let word = |at: usize| bytes.get(at..at + 4)?.try_into().ok();
    let count = |at: usize| word(at).map(u32::from_le_bytes).map(|n| n as usize);
    let number = |at: usize| word(at).map(f32::from_le_bytes).map(f64::from);
    let (points, frames) = (count(16)?, count(28)?);
    let point = |at: usize| Some([number(at)?, number(at + 4)?, number(at + 8)?]);
    let frame = |n: usize| (0..points).map(|i| point(32 + 12 * (n * points + i))).collect();
    (0..frames).map(frame).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn point_caches_are_read_and_short_ones_are_not() {
        let mut bytes = vec![0; 32];
        bytes[16] = 1;
        bytes[28] = 2;
        for value in [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.5] {
            bytes.extend(value.to_le_bytes());
        }
        let expected = vec![vec![[1.0, 2.0, 3.0]], vec![[4.0, 5.0, 6.5]]];
        assert_eq!(point_cache(&bytes), Some(expected));
        assert_eq!(point_cache(&bytes[..50]), None);
    }

    #[test]
    fn vertices_are_read_and_nothing_else() {
        assert_eq!(vertices("vt 1 2\nv 1 2.5 -3e-1\nf 1 2 3\n"), [[1.0, 2.5, -0.3]]);
    }
}
