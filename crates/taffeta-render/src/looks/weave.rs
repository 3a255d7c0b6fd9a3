//! Which yarn is on top where two cross.

use std::str::FromStr;

/// A pattern of over and under, repeated in both directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weave {
    name: &'static str,
    /// A line for each warp yarn, a letter for each weft yarn it crosses: `#` where the warp is on
    /// top.
    pattern: &'static [&'static str],
}

impl Weave {
    /// Over one, under one.
    pub const PLAIN: Self = Self { name: "plain", pattern: &["#.", ".#"] };

    /// Every weave: plain; over two and under two, and over three and under one, a step further on
    /// each yarn, which makes the slanted lines of twill; over four and under one with the
    /// crossings scattered, which makes the smooth face of satin.
    pub const ALL: &'static [Self] = &[
        Self::PLAIN,
        Self { name: "twill-2-2", pattern: &["##..", ".##.", "..##", "#..#"] },
        Self { name: "twill-3-1", pattern: &["###.", ".###", "#.##", "##.#"] },
        Self { name: "satin-5", pattern: &[".####", "##.##", "####.", "#.###", "###.#"] },
    ];

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Whether the warp yarn is on top where it crosses a weft yarn.
    pub fn warp_on_top(&self, warp: i32, weft: i32) -> bool {
        let wrap = |number: i32, count: usize| number.rem_euclid(count as i32) as usize;
        let line = self.pattern[wrap(warp, self.pattern.len())].as_bytes();
        line[wrap(weft, line.len())] == b'#'
    }
}

impl FromStr for Weave {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL.iter().find(|weave| weave.name == name).copied().ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(Self::name).collect();
            format!("there is no weave `{name}`; these are there: {}", names.join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The crossings along yarn `yarn` over many repeats.
    fn along(weave: &Weave, yarn: i32, warp: bool) -> Vec<bool> {
        let top = |other: i32| match warp {
            true => weave.warp_on_top(yarn, other),
            false => weave.warp_on_top(other, yarn),
        };
        (-60..60).map(top).collect()
    }

    fn longest_float(crossings: &[bool]) -> usize {
        crossings.chunk_by(|a, b| a == b).map(<[bool]>::len).max().unwrap()
    }

    #[test]
    fn every_yarn_is_held_and_floats_as_far_as_its_weave_says() {
        for (weave, float) in Weave::ALL.iter().zip([1, 2, 3, 4]) {
            for yarn in -10..10 {
                for warp in [true, false] {
                    let crossings = along(weave, yarn, warp);
                    assert!(crossings.contains(&true) && crossings.contains(&false));
                    assert_eq!(longest_float(&crossings), float, "{} {yarn}", weave.name);
                }
            }
        }
    }

    #[test]
    fn twill_moves_by_one_from_yarn_to_yarn_and_satin_never_does() {
        for weave in &Weave::ALL[1..] {
            for (warp, weft) in (-9..9).flat_map(|warp| (-9..9).map(move |weft| (warp, weft))) {
                let (here, moved) =
                    (weave.warp_on_top(warp, weft), weave.warp_on_top(warp + 1, weft + 1));
                if weave.name.starts_with("twill") {
                    assert_eq!(here, moved, "{}", weave.name);
                } else if !here {
                    let beside = [(1, 1), (1, -1), (1, 0), (0, 1)];
                    assert!(beside.iter().all(|(i, j)| weave.warp_on_top(warp + i, weft + j)));
                }
            }
        }
    }

    #[test]
    fn weaves_are_found_by_name() {
        for weave in Weave::ALL {
            assert_eq!(weave.name.parse(), Ok(*weave));
        }
        assert!("tweed".parse::<Weave>().unwrap_err().contains("twill-2-2"));
    }
}
