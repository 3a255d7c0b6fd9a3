//! Which 3×3 blocks of a symmetric matrix may be other than zero, found once per topology.

use std::ops::Range;

use thiserror::Error;

use crate::spills::MultiplyPlan;

/// An element that cannot be part of a matrix.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum PatternError {
    /// An element names a particle that does not exist.
    #[error("element {element} names particle {particle}, but there are only {particles}")]
    NoSuchParticle {
        /// Position of the element in its list.
        element: usize,
        /// The particle it names.
        particle: u32,
        /// How many particles there are.
        particles: usize,
    },
    /// An element names a particle twice.
    #[error("element {element} names particle {particle} twice; its particles must differ")]
    RepeatedParticle {
        /// Position of the element in its list.
        element: usize,
        /// The particle it names twice.
        particle: u32,
    },
    /// An element couples two particles that the pattern keeps apart.
    #[error(
        "element {element} couples particles {} and {}, which the matrix pattern does not; make \
         the pattern from all elements",
        .particles[0],
        .particles[1]
    )]
    NotInPattern {
        /// Position of the element in its list.
        element: usize,
        /// The particles.
        particles: [u32; 2],
    },
}

/// The pattern of a symmetric block matrix: every diagonal block, and the strictly lower blocks
/// of each row in ascending columns. The upper half is never stored.
#[derive(Clone, Debug)]
pub struct BlockPattern {
    rows: usize,
    /// Where each row begins in `columns`; one more entry than rows.
    offsets: Vec<u32>,
    columns: Vec<u32>,
    pub(crate) multiply: MultiplyPlan,
}

impl BlockPattern {
    /// The pattern that holds every pair of particles that share an element.
    pub fn new<E: AsRef<[u32]>>(
        particles: usize,
        elements: impl IntoIterator<Item = E>,
    ) -> Result<Self, PatternError> {
        let mut pairs = Vec::new();
        for (e, element) in elements.into_iter().enumerate() {
            let members = element.as_ref();
            check_element(e, members, particles)?;
            for (k, &a) in members.iter().enumerate() {
                pairs.extend(members[..k].iter().map(|&b| packed(a.max(b), a.min(b))));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        Ok(Self::from_sorted_pairs(particles, &pairs))
    }

    fn from_sorted_pairs(rows: usize, pairs: &[u64]) -> Self {
        let mut offsets = vec![0; rows + 1];
        for &pair in pairs {
            offsets[(pair >> 32) as usize + 1] += 1;
        }
        for row in 0..rows {
            offsets[row + 1] += offsets[row];
        }
        let columns: Vec<u32> = pairs.iter().map(|&pair| pair as u32).collect();
        let multiply = MultiplyPlan::new(&offsets, &columns);
        Self { rows, offsets, columns, multiply }
    }

    /// Number of block rows, one for each particle.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Number of stored blocks: the diagonal and the strictly lower ones.
    pub(crate) fn stored_blocks(&self) -> usize {
        self.rows + self.columns.len()
    }

    /// The columns of a row's strictly lower blocks, ascending.
    pub(crate) fn lower_columns(&self, row: usize) -> &[u32] {
        &self.columns[self.lower_range(row)]
    }

    /// Row and column of every stored block, in the order of a matrix's values.
    pub(crate) fn stored(&self) -> impl Iterator<Item = (u32, u32)> + Clone {
        let rows = 0..self.rows as u32;
        let lower = rows.clone().flat_map(|row| {
            self.lower_columns(row as usize).iter().map(move |&column| (row, column))
        });
        rows.map(|row| (row, row)).chain(lower)
    }

    /// Where a row's strictly lower blocks lie among all strictly lower blocks.
    pub(crate) fn lower_range(&self, row: usize) -> Range<usize> {
        self.offsets[row] as usize..self.offsets[row + 1] as usize
    }

    /// Where the strictly lower blocks of consecutive rows lie among all of them.
    pub(crate) fn lower_ranges(&self, rows: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let bounds = self.offsets[rows.start..=rows.end].windows(2);
        bounds.map(|bounds| bounds[0] as usize..bounds[1] as usize)
    }

    /// The columns of strictly lower blocks, by their places among all of them.
    pub(crate) fn columns(&self, places: Range<usize>) -> &[u32] {
        &self.columns[places]
    }

    /// The place of block (row, column), row ≥ column, in a matrix's values: the diagonal comes
    /// first, then the strictly lower blocks row by row.
    pub(crate) fn place(&self, row: u32, column: u32) -> Option<usize> {
        if row == column {
            return Some(row as usize);
        }
        let range = self.lower_range(row as usize);
        let found = self.columns[range.clone()].binary_search(&column).ok()?;
        Some(self.rows + range.start + found)
    }
}

/// A row and a column as one number, which sorts faster than two.
fn packed(row: u32, column: u32) -> u64 {
    u64::from(row) << 32 | u64::from(column)
}

/// Refuses particles out of range or named twice.
fn check_element(element: usize, members: &[u32], particles: usize) -> Result<(), PatternError> {
    for (k, &particle) in members.iter().enumerate() {
        if particle as usize >= particles {
            return Err(PatternError::NoSuchParticle { element, particle, particles });
        }
        if members[..k].contains(&particle) {
            return Err(PatternError::RepeatedParticle { element, particle });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_an_element_are_found_once_and_sorted() {
        let pattern = BlockPattern::new(5, [vec![4, 0, 2], vec![2, 4], vec![1, 0]]).unwrap();
        assert_eq!(pattern.lower_columns(4), [0, 2]);
        assert_eq!(pattern.lower_columns(2), [0]);
        assert_eq!(pattern.lower_columns(1), [0]);
        assert_eq!(pattern.lower_columns(3), []);
        assert_eq!(pattern.stored_blocks(), 9);
        assert_eq!(pattern.place(3, 3), Some(3));
        assert_eq!(pattern.place(4, 2), Some(8));
        assert_eq!(pattern.place(4, 1), None);
    }

    #[test]
    fn bad_elements_are_refused_by_number() {
        let beyond = BlockPattern::new(3, [[0, 1], [1, 3]]).unwrap_err();
        assert_eq!(beyond, PatternError::NoSuchParticle { element: 1, particle: 3, particles: 3 });
        let twice = BlockPattern::new(3, [[0, 1, 0]]).unwrap_err();
        assert_eq!(twice, PatternError::RepeatedParticle { element: 0, particle: 0 });
    }
}
