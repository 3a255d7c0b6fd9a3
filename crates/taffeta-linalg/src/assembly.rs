//! Element matrices and vectors summed into the whole system, in parallel, in a fixed order and
//! without allocation.
//!
//! Elements are cut into fixed chunks. Each chunk adds its elements, one after another, into
//! sums of its own, one for each block or particle it touches; then every block and particle
//! adds the sums of the chunks that touch it, in the order of the chunks. Nearby elements share
//! blocks, so this moves far less memory than keeping every element's blocks apart.

use glam::{DMat3, DVec3};

use crate::matrix::BlockMatrix;
use crate::parallel::update;
use crate::parts::{Cut, for_each_part};
use crate::pattern::{BlockPattern, PatternError, check_element};

/// Elements in a chunk. With one, every element's blocks would be kept apart, at twice the time;
/// with many more, small cloth would not feed several threads.
const ELEMENTS: usize = 512;
/// Blocks or particles whose collection repays another thread.
const GRAIN: usize = 2048;

/// What one element of K particles gives to the system.
#[derive(Clone, Copy, Debug)]
pub struct ElementSystem<const K: usize> {
    /// `blocks[a][b]` couples local particles a and b. Only a ≥ b is read, for the matrix is
    /// symmetric.
    pub blocks: [[DMat3; K]; K],
    /// The element's part of the right-hand side, one vector for each local particle.
    pub vectors: [DVec3; K],
}

impl<const K: usize> ElementSystem<K> {
    pub(crate) const ZERO: Self = Self { blocks: [[DMat3::ZERO; K]; K], vectors: [DVec3::ZERO; K] };
}

/// How the elements of one kind, K particles each, go into a matrix and a vector.
#[derive(Clone, Debug)]
pub struct AssemblyPlan<const K: usize> {
    elements: Vec<[u32; K]>,
    blocks: ChunkSums<DMat3>,
    vectors: ChunkSums<DVec3>,
}

impl<const K: usize> AssemblyPlan<K> {
    /// The plan for these elements in matrices of this pattern.
    pub fn new(pattern: &BlockPattern, elements: &[[u32; K]]) -> Result<Self, PatternError> {
        let mut block_targets = Vec::with_capacity(elements.len() * K * (K + 1) / 2);
        for (e, members) in elements.iter().enumerate() {
            check_element(e, members, pattern.rows())?;
            for (a, b) in lower_pairs::<K>() {
                let (row, column) = (members[a].max(members[b]), members[a].min(members[b]));
                let place = pattern.place(row, column);
                let missing = PatternError::NotInPattern { element: e, row, column };
                block_targets.push(place.ok_or(missing)? as u32);
            }
        }
        let chunk = ELEMENTS * K * (K + 1) / 2;
        Ok(Self {
            elements: elements.to_vec(),
            blocks: ChunkSums::new(&block_targets, chunk, pattern.stored_blocks()),
            vectors: ChunkSums::new(elements.as_flattened(), ELEMENTS * K, pattern.rows()),
        })
    }

    /// Adds every element to the matrix and the vector. `evaluate` is called once for each
    /// element with its number and a zero [`ElementSystem`] to fill.
    ///
    /// The matrix must have the pattern of the plan.
    pub fn add(
        &mut self,
        matrix: &mut BlockMatrix,
        vector: &mut [DVec3],
        evaluate: impl Fn(usize, &mut ElementSystem<K>) + Sync,
    ) {
        let Self { elements, blocks, vectors } = self;
        let (block_slots, block_cut) = blocks.cut();
        let (vector_slots, vector_cut) = vectors.cut();
        for_each_part(block_cut, vector_cut, &|chunk, block_sums, vector_sums| {
            block_sums.fill(DMat3::ZERO);
            vector_sums.fill(DVec3::ZERO);
            let first = chunk * ELEMENTS;
            for e in first..elements.len().min(first + ELEMENTS) {
                let mut local = ElementSystem::ZERO;
                evaluate(e, &mut local);
                add_blocks(&elements[e], &local, &block_slots[e * K * (K + 1) / 2..], block_sums);
                for (value, &slot) in local.vectors.iter().zip(&vector_slots[e * K..]) {
                    vector_sums[slot as usize] += *value;
                }
            }
        });
        blocks.collect(&mut matrix.values);
        vectors.collect(vector);
    }
}

/// Local pairs (a, b) with a ≥ b, in the order of the plan.
fn lower_pairs<const K: usize>() -> impl Iterator<Item = (usize, usize)> {
    (0..K).flat_map(|a| (0..=a).map(move |b| (a, b)))
}

fn add_blocks<const K: usize>(
    members: &[u32; K],
    local: &ElementSystem<K>,
    slots: &[u32],
    sums: &mut [DMat3],
) {
    for ((a, b), &slot) in lower_pairs::<K>().zip(slots) {
        let block = local.blocks[a][b];
        // The stored half has the larger particle as its row.
        let upper = members[a] < members[b];
        sums[slot as usize] += if upper { block.transpose() } else { block };
    }
}

/// Where the places of each target begin, and all of them by target, in their order.
fn by_target(places: &[(u32, u32)], targets: usize) -> (Vec<u32>, Vec<u32>) {
    let mut offsets = vec![0; targets + 1];
    for &(target, _) in places {
        offsets[target as usize + 1] += 1;
    }
    for target in 0..targets {
        offsets[target + 1] += offsets[target];
    }
    let (mut next, mut sources) = (offsets.clone(), vec![0; places.len()]);
    for &(target, place) in places {
        sources[next[target as usize] as usize] = place;
        next[target as usize] += 1;
    }
    (offsets, sources)
}

/// Sums of contributions, first within chunks, then over the chunks.
#[derive(Clone, Debug)]
struct ChunkSums<T> {
    /// For each contribution its place within its chunk's sums.
    slots: Vec<u32>,
    /// The sums of all chunks, and where each chunk's begin.
    sums: Vec<T>,
    bounds: Vec<usize>,
    /// For each target, where its places in `sums` begin in `sources`.
    offsets: Vec<u32>,
    sources: Vec<u32>,
}

impl<T: Copy + Default + Send + Sync + std::ops::AddAssign> ChunkSums<T> {
    /// Contribution k goes to `targets[k]`, which is below `target_count`; each `chunk`
    /// contributions make a chunk.
    fn new(targets: &[u32], chunk: usize, target_count: usize) -> Self {
        let (mut slots, mut bounds, mut places) = (Vec::new(), vec![0], Vec::new());
        for part in targets.chunks(chunk) {
            let mut distinct = part.to_vec();
            distinct.sort_unstable();
            distinct.dedup();
            slots.extend(part.iter().map(|t| distinct.partition_point(|d| d < t) as u32));
            let base = places.len() as u32;
            places.extend((base..).zip(distinct).map(|(place, target)| (target, place)));
            bounds.push(places.len());
        }
        let (offsets, sources) = by_target(&places, target_count);
        Self { slots, sums: vec![T::default(); places.len()], bounds, offsets, sources }
    }

    /// The places of the contributions, and the sums cut into chunks.
    fn cut(&mut self) -> (&[u32], Cut<'_, T>) {
        (&self.slots, Cut::new(&mut self.sums, &self.bounds))
    }

    /// Adds to every target the sums of its chunks, in order.
    fn collect(&self, targets: &mut [T]) {
        update(targets, GRAIN, |target, value| {
            let range = self.offsets[target] as usize..self.offsets[target + 1] as usize;
            for &source in &self.sources[range] {
                *value += self.sums[source as usize];
            }
        });
    }
}
