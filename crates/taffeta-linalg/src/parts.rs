//! Two slices cut at given places and worked on part by part, in parallel and without allocation.

/// A slice and the places where it is cut: part p is `bounds[p]..bounds[p + 1]`.
pub(crate) struct CutItems<'a, T> {
    items: &'a mut [T],
    bounds: &'a [usize],
}

impl<'a, T> CutItems<'a, T> {
    /// A slice cut at `bounds`, which ascend from 0 to the length of the slice.
    pub(crate) fn new(items: &'a mut [T], bounds: &'a [usize]) -> Self {
        debug_assert_eq!(bounds.last().copied(), Some(items.len()));
        Self { items, bounds }
    }

    fn parts(&self) -> usize {
        self.bounds.len() - 1
    }

    /// The first `parts` parts and the rest.
    fn split(self, parts: usize) -> (Self, Self) {
        let (first, rest) = self.items.split_at_mut(self.bounds[parts] - self.bounds[0]);
        (
            Self { items: first, bounds: &self.bounds[..=parts] },
            Self { items: rest, bounds: &self.bounds[parts..] },
        )
    }
}

/// Calls `work(p, part p of a, part p of b)` for every part, halves on different threads.
///
/// Both slices must be cut into equally many parts.
pub(crate) fn for_each_part<A: Send, B: Send>(
    a: CutItems<'_, A>,
    b: CutItems<'_, B>,
    work: &(impl Fn(usize, &mut [A], &mut [B]) + Sync),
) {
    split_and_work(0, a, b, work);
}

fn split_and_work<A: Send, B: Send>(
    first: usize,
    a: CutItems<'_, A>,
    b: CutItems<'_, B>,
    work: &(impl Fn(usize, &mut [A], &mut [B]) + Sync),
) {
    match a.parts() {
        0 => {}
        1 => work(first, a.items, b.items),
        parts => {
            let half = parts / 2;
            let ((a_left, a_right), (b_left, b_right)) = (a.split(half), b.split(half));
            rayon::join(
                || split_and_work(first, a_left, b_left, work),
                || split_and_work(first + half, a_right, b_right, work),
            );
        }
    }
}

/// Bounds of parts of `size` items; the last part may be smaller, and no items make no part.
pub(crate) fn even_bounds(len: usize, size: usize) -> Vec<usize> {
    (0..len.div_ceil(size)).map(|part| part * size).chain([len]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_meets_its_partner() {
        for len in [0, 1, 5, 12, 13] {
            let (a_bounds, b_bounds) = (even_bounds(len, 4), even_bounds(3 * len, 12));
            let (mut a, mut b) = (vec![99; len], vec![99; 3 * len]);
            for_each_part(
                CutItems::new(&mut a, &a_bounds),
                CutItems::new(&mut b, &b_bounds),
                &|part, a, b| {
                    assert_eq!(b.len(), 3 * a.len());
                    a.fill(part);
                    b.fill(part);
                },
            );
            assert!(a.iter().enumerate().all(|(i, &part)| part == i / 4), "{a:?}");
            assert!(b.iter().enumerate().all(|(i, &part)| part == i / 12), "{b:?}");
        }
    }
}
