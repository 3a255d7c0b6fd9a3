//! Which yarn is on top where two cross.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use thiserror::Error;

/// A pattern of over and under, repeated in both directions.
///
/// The warp runs along u: warp yarn `r` is the `r`-th row of a sheet, weft yarn `c` its `c`-th
/// column.
#[derive(Clone, PartialEq, Eq)]
pub struct Weave {
    /// For each warp yarn of the repeat, where it is on top of the weft yarns it crosses.
    rows: Arc<[Box<[bool]>]>,
}

/// Why a pattern is no weave.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum WeaveError {
    /// There is nothing in it.
    #[error("the pattern of a weave is empty; plain weave is [\"#.\", \".#\"]")]
    Empty,
    /// Its rows differ in length.
    #[error("row {row} of the pattern has {found} crossings, the first has {wanted}")]
    Ragged {
        /// The row, from 0.
        row: usize,
        /// Its crossings.
        found: usize,
        /// Those of the first.
        wanted: usize,
    },
    /// A letter that says neither over nor under.
    #[error(
        "row {row} of the pattern has a `{letter}`; write `#` where the warp is on top, `.` where the weft is"
    )]
    Letter {
        /// The row, from 0.
        row: usize,
        /// The letter.
        letter: char,
    },
    /// A yarn that nothing holds.
    #[error(
        "{yarn} yarn {number} of the pattern is always on the same side, so nothing holds it: change one of its crossings"
    )]
    Loose {
        /// Warp or weft.
        yarn: &'static str,
        /// Its number in the repeat, from 0.
        number: usize,
    },
    /// No pattern has this name.
    #[error("there is no weave `{name}`; these are there: {}", Weave::NAMED.map(|(name, _)| name).join(", "))]
    Name {
        /// The name.
        name: String,
    },
}

impl Weave {
    /// Weaves that have a name: plain; over two and under two, and over three and under one, a step
    /// further on each yarn, which makes the slanted lines of twill; over four and under one with
    /// the crossings scattered, which makes the smooth face of satin.
    pub const NAMED: [(&'static str, &'static [&'static str]); 4] = [
        ("plain", &["#.", ".#"]),
        ("twill-2-2", &["##..", ".##.", "..##", "#..#"]),
        ("twill-3-1", &["###.", ".###", "#.##", "##.#"]),
        ("satin-5", &[".####", "##.##", "####.", "#.###", "###.#"]),
    ];

    /// Over one, under one.
    pub fn plain() -> Self {
        let row = |first: bool| vec![first, !first].into_boxed_slice();
        Self { rows: Arc::from([row(true), row(false)]) }
    }

    /// A weave from its pattern: a line for each warp yarn, a letter for each weft yarn it crosses,
    /// `#` where the warp is on top and `.` where the weft is.
    pub fn from_pattern<Line: AsRef<str>>(pattern: &[Line]) -> Result<Self, WeaveError> {
        let mut rows: Vec<Box<[bool]>> = Vec::with_capacity(pattern.len());
        for (row, line) in pattern.iter().enumerate() {
            let letters = line.as_ref().chars().map(|letter| match letter {
                '#' => Ok(true),
                '.' => Ok(false),
                letter => Err(WeaveError::Letter { row, letter }),
            });
            rows.push(letters.collect::<Result<_, _>>()?);
        }
        let wanted = rows.first().map_or(0, |row| row.len());
        if wanted == 0 {
            return Err(WeaveError::Empty);
        }
        if let Some(row) = rows.iter().position(|row| row.len() != wanted) {
            return Err(WeaveError::Ragged { row, found: rows[row].len(), wanted });
        }
        let weave = Self { rows: rows.into() };
        match weave.find_loose_yarn() {
            Some(loose) => Err(loose),
            None => Ok(weave),
        }
    }

    /// Whether the warp yarn is on top where it crosses a weft yarn.
    pub fn warp_on_top(&self, warp: i32, weft: i32) -> bool {
        let wrap = |number: i32, count: usize| number.rem_euclid(count as i32) as usize;
        let row = &self.rows[wrap(warp, self.rows.len())];
        row[wrap(weft, row.len())]
    }

    /// Its pattern, as [`Weave::from_pattern`] takes it.
    pub fn pattern(&self) -> Vec<String> {
        let letter = |over: &bool| if *over { '#' } else { '.' };
        self.rows.iter().map(|row| row.iter().map(letter).collect()).collect()
    }

    fn find_loose_yarn(&self) -> Option<WeaveError> {
        let same = |mut over: Box<dyn Iterator<Item = bool> + '_>| {
            let first = over.next();
            over.all(|next| Some(next) == first)
        };
        let columns = self.rows[0].len();
        let warp = self.rows.iter().position(|row| same(Box::new(row.iter().copied())));
        let weft = (0..columns).find(|&c| same(Box::new(self.rows.iter().map(move |row| row[c]))));
        let loose = |yarn, number| WeaveError::Loose { yarn, number };
        warp.map(|number| loose("warp", number)).or(weft.map(|number| loose("weft", number)))
    }
}

impl FromStr for Weave {
    type Err = WeaveError;

    fn from_str(name: &str) -> Result<Self, WeaveError> {
        let (_, pattern) = Self::NAMED
            .into_iter()
            .find(|(known, _)| *known == name)
            .ok_or_else(|| WeaveError::Name { name: name.into() })?;
        Self::from_pattern(pattern)
    }
}

impl fmt::Debug for Weave {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Weave({})", self.pattern().join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named() -> impl Iterator<Item = (&'static str, Weave)> {
        Weave::NAMED.into_iter().map(|(name, _)| (name, name.parse().unwrap()))
    }

    /// The crossings along yarn `yarn` over many repeats.
    fn along(weave: &Weave, yarn: i32, warp: bool) -> Vec<bool> {
        let top = |other: i32| match warp {
            true => weave.warp_on_top(yarn, other),
            false => weave.warp_on_top(other, yarn),
        };
        (-60..60).map(top).collect()
    }

    #[test]
    fn every_yarn_is_held_and_floats_as_far_as_its_weave_says() {
        for ((name, weave), float) in named().zip([1, 2, 3, 4]) {
            for yarn in -10..10 {
                for warp in [true, false] {
                    let crossings = along(&weave, yarn, warp);
                    let longest = crossings.chunk_by(|a, b| a == b).map(<[bool]>::len).max();
                    assert_eq!(longest, Some(float), "{name} {yarn}");
                }
            }
        }
        assert_eq!("plain".parse(), Ok(Weave::plain()));
    }

    #[test]
    fn twill_moves_by_one_from_yarn_to_yarn_and_satin_never_does() {
        for (name, weave) in named().skip(1) {
            for (warp, weft) in (-9..9).flat_map(|warp| (-9..9).map(move |weft| (warp, weft))) {
                let here = weave.warp_on_top(warp, weft);
                if name.starts_with("twill") {
                    assert_eq!(here, weave.warp_on_top(warp + 1, weft + 1), "{name}");
                } else if !here {
                    let beside = [(1, 1), (1, -1), (1, 0), (0, 1)];
                    assert!(beside.iter().all(|(i, j)| weave.warp_on_top(warp + i, weft + j)));
                }
            }
        }
    }

    #[test]
    fn what_is_no_weave_is_refused_with_its_place() {
        let of = |pattern: &[&str]| Weave::from_pattern(pattern).unwrap_err();
        assert_eq!(of(&[]), WeaveError::Empty);
        assert_eq!(of(&[""]), WeaveError::Empty);
        assert_eq!(of(&["#.", "."]), WeaveError::Ragged { row: 1, found: 1, wanted: 2 });
        assert_eq!(of(&["#.", ".x"]), WeaveError::Letter { row: 1, letter: 'x' });
        assert_eq!(of(&["##", ".#"]), WeaveError::Loose { yarn: "warp", number: 0 });
        assert_eq!(of(&["#.", "#."]), WeaveError::Loose { yarn: "weft", number: 0 });
        assert!("tweed".parse::<Weave>().unwrap_err().to_string().contains("twill-2-2"));
        let plain = Weave::from_pattern(&Weave::plain().pattern());
        assert_eq!(plain, Ok(Weave::plain()));
    }
}
