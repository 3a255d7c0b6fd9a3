//! Which particles are coupled, and in what order their rows stand.

use glam::DVec3;

/// Rows of a domain, at least. Less do not repay another thread.
const DOMAIN: usize = 1200;
/// Domains, at most.
const MOST_DOMAINS: usize = 8;

/// The rows of a matrix and their blocks beside the diagonal.
#[derive(Clone, Debug)]
pub struct RowPattern {
    /// The row of each particle, and the particle of each row.
    rows: Vec<u32>,
    particles: Vec<u32>,
    /// Where the blocks of each row begin, and their columns in ascending order.
    pub(super) offsets: Vec<u32>,
    pub(super) columns: Vec<u32>,
    /// Where each domain begins; the last one is what lies between the others.
    pub(super) domains: Vec<usize>,
}

impl RowPattern {
    /// For particles at rest in these places, and groups of them in which all are coupled.
    pub fn new<'a>(rest: &[DVec3], groups: impl IntoIterator<Item = &'a [u32]>) -> Self {
        let mut around = vec![Vec::new(); rest.len()];
        for group in groups {
            for &a in group {
                around[a as usize].extend(group.iter().copied().filter(|&b| b != a));
            }
        }
        for others in &mut around {
            others.sort_unstable();
            others.dedup();
        }
        let (particles, domains) = order(rest, &around);
        let mut rows = vec![0; rest.len()];
        for (row, &particle) in (0..).zip(&particles) {
            rows[particle as usize] = row;
        }
        let (mut offsets, mut columns) = (vec![0], Vec::new());
        for &particle in &particles {
            let first = columns.len();
            columns.extend(around[particle as usize].iter().map(|&other| rows[other as usize]));
            columns[first..].sort_unstable();
            offsets.push(columns.len() as u32);
        }
        Self { rows, particles, offsets, columns, domains }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Number of blocks beside the diagonal.
    pub fn blocks(&self) -> usize {
        self.columns.len()
    }

    /// The row of a particle.
    #[inline]
    pub fn row(&self, particle: u32) -> u32 {
        self.rows[particle as usize]
    }

    /// The particle of a row.
    #[inline]
    pub fn particle(&self, row: usize) -> usize {
        self.particles[row] as usize
    }

    pub(super) fn range(&self, row: usize) -> std::ops::Range<usize> {
        self.offsets[row] as usize..self.offsets[row + 1] as usize
    }

    /// Where the block of a row and a column is, if they are coupled.
    pub fn place(&self, row: u32, column: u32) -> Option<usize> {
        let range = self.range(row as usize);
        let found = self.columns[range.clone()].binary_search(&column).ok()?;
        Some(range.start + found)
    }
}

/// Particles in the order of their rows, and where each domain begins.
fn order(rest: &[DVec3], around: &[Vec<u32>]) -> (Vec<u32>, Vec<usize>) {
    let wanted = (rest.len() / DOMAIN).clamp(1, MOST_DOMAINS);
    let count = 1 << wanted.ilog2();
    let mut of = vec![0; rest.len()];
    let mut all: Vec<u32> = (0..rest.len() as u32).collect();
    halve(rest, &mut all, (0, count), &mut of);
    // What is coupled to a lower domain lies between.
    let between: Vec<bool> = (0..rest.len())
        .map(|i| around[i].iter().any(|&other| of[other as usize] < of[i]))
        .collect();
    for (domain, between) in of.iter_mut().zip(between) {
        if between {
            *domain = count;
        }
    }
    let mut particles: Vec<u32> = (0..rest.len() as u32).collect();
    particles.sort_by_key(|&i| of[i as usize]);
    let first = |domain: usize| particles.partition_point(|&i| of[i as usize] < domain);
    let domains = (0..=count + 1).map(first).collect();
    (particles, domains)
}

/// Gives particles the numbers of as many domains as asked for, from the first on, by halves across
/// the widest direction.
pub(super) fn halve(
    rest: &[DVec3],
    some: &mut [u32],
    (first, count): (usize, usize),
    of: &mut [usize],
) {
    if count == 1 {
        return some.iter().for_each(|&i| of[i as usize] = first);
    }
    let none = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let around = |(low, high): (DVec3, DVec3), &i: &u32| {
        (low.min(rest[i as usize]), high.max(rest[i as usize]))
    };
    let (low, high) = some.iter().fold(none, around);
    let size = high - low;
    let axis = (0..3).fold(0, |widest, axis| if size[axis] > size[widest] { axis } else { widest });
    some.sort_by(|&a, &b| {
        rest[a as usize][axis].total_cmp(&rest[b as usize][axis]).then(a.cmp(&b))
    });
    let (left, right) = some.split_at_mut(some.len() / 2);
    halve(rest, left, (first, count / 2), of);
    halve(rest, right, (first + count / 2, count / 2), of);
}
