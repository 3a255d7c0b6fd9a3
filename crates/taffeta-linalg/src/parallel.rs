//! Loops and sums that give the same bits on any number of threads: the work is cut by its own
//! size, never by the pool's, and partial results meet in a fixed order.

use rayon::prelude::*;

/// Items in one block of an ordered sum.
const BLOCK: usize = 1024;
/// Blocks summed in parallel before their sums are added up, so that no memory is allocated.
const BLOCKS_AT_ONCE: usize = 64;

/// Sets `out[i] = item(i)` for every i, in parallel once there are more than `grain` items.
///
/// `grain` is the number of items whose work repays a hand-over to another thread, some 30 µs
/// of it inside the pool.
pub fn fill<T: Send>(out: &mut [T], grain: usize, item: impl Fn(usize) -> T + Sync) {
    update(out, grain, |i, slot| *slot = item(i));
}

/// Calls `change(i, &mut items[i])` for every i, in parallel once there are more than `grain`.
pub fn update<T: Send>(items: &mut [T], grain: usize, change: impl Fn(usize, &mut T) + Sync) {
    let update_chunk = |start: usize, chunk: &mut [T]| {
        for (i, item) in chunk.iter_mut().enumerate() {
            change(start + i, item);
        }
    };
    if items.len() <= grain {
        update_chunk(0, items);
    } else {
        let size = chunk_size(items.len(), grain);
        items.par_chunks_mut(size).enumerate().for_each(|(c, chunk)| update_chunk(c * size, chunk));
    }
}

/// Calls `change(i, &mut a[i], &mut b[i], &mut c[i])` for every i of three lists of one length, in
/// parallel once there are more than `grain`: one loop where three would wait for each other.
pub fn update_three<A: Send, B: Send, C: Send>(
    (a, b, c): (&mut [A], &mut [B], &mut [C]),
    grain: usize,
    change: impl Fn(usize, &mut A, &mut B, &mut C) + Sync,
) {
    let update_chunk = |start: usize, ((a, b), c): ((&mut [A], &mut [B]), &mut [C])| {
        for (i, ((a, b), c)) in a.iter_mut().zip(b).zip(c).enumerate() {
            change(start + i, a, b, c);
        }
    };
    if a.len() <= grain {
        update_chunk(0, ((a, b), c));
    } else {
        let size = chunk_size(a.len(), grain);
        let chunks = a.par_chunks_mut(size).zip(b.par_chunks_mut(size)).zip(c.par_chunks_mut(size));
        chunks.enumerate().for_each(|(k, chunks)| update_chunk(k * size, chunks));
    }
}

/// Does two things that have nothing to do with each other, at once if a thread is free.
pub fn both<A: Send, B: Send>(
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    rayon::join(one, other)
}

/// Chunks of at most `grain` items, all alike: a power of two of them, so that halves of halves, as
/// threads share them, are alike too.
fn chunk_size(len: usize, grain: usize) -> usize {
    len.div_ceil(len.div_ceil(grain).next_power_of_two())
}

/// The sum of `term(i)` for i below `len`, added in an order that depends on `len` alone.
pub fn ordered_sum(len: usize, term: impl Fn(usize) -> f64 + Sync) -> f64 {
    let block_sum =
        |block: usize| -> f64 { (block * BLOCK..len.min((block + 1) * BLOCK)).map(&term).sum() };
    let blocks = len.div_ceil(BLOCK);
    if blocks <= 4 {
        return (0..blocks).map(block_sum).sum();
    }
    let mut sums = [0.0; BLOCKS_AT_ONCE];
    // Minus zero changes no number it is added to, not even another minus zero.
    let mut total = -0.0;
    for first in (0..blocks).step_by(BLOCKS_AT_ONCE) {
        let now = &mut sums[..BLOCKS_AT_ONCE.min(blocks - first)];
        now.par_iter_mut().enumerate().for_each(|(k, sum)| *sum = block_sum(first + k));
        total = now.iter().fold(total, |total, sum| total + sum);
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
    }

    #[test]
    fn sums_have_the_same_bits_on_any_number_of_threads() {
        let term =
            |i: usize| ((i * 7919) as f64).sqrt() * if i.is_multiple_of(3) { -1e9 } else { 1e-3 };
        for len in [0, 1, 1023, 1024, 1025, 5000, 100_003] {
            let alone = on_threads(1, || ordered_sum(len, term));
            for threads in [2, 4, 8] {
                let together = on_threads(threads, || ordered_sum(len, term));
                assert_eq!(alone.to_bits(), together.to_bits(), "{len} items, {threads} threads");
            }
        }
    }

    #[test]
    fn sums_are_right() {
        assert_eq!(ordered_sum(100_000, |i| i as f64), 4_999_950_000.0);
    }

    #[test]
    fn chunks_are_alike_and_no_larger_than_the_grain() {
        for (len, grain, chunks) in [(10_201, 4096, 4), (10_201, 1024, 16), (1025, 1024, 2)] {
            let size = chunk_size(len, grain);
            assert!(size <= grain);
            assert_eq!(len.div_ceil(size), chunks);
            assert!(chunks * size - len < chunks);
        }
        assert_eq!(chunk_size(5, 1), 1);
    }

    #[test]
    fn every_item_is_filled_whatever_the_grain() {
        for len in [0, 1, 10, 999] {
            for grain in [1, 7, 1000] {
                let mut out = vec![0; len];
                fill(&mut out, grain, |i| i * i);
                assert!(out.iter().enumerate().all(|(i, &x)| x == i * i));
                let (mut a, mut b, mut c) = (vec![0; len], vec![1; len], vec![2; len]);
                update_three((&mut a, &mut b, &mut c), grain, |i, a, b, c| {
                    (*a, *b, *c) = (*b + i, *c + i, *a + i);
                });
                let sums = a.iter().zip(&b).zip(&c).map(|((a, b), c)| [*a, *b, *c]);
                assert!(sums.eq((0..len).map(|i| [1 + i, 2 + i, i])));
            }
        }
    }
}
