//! Values as typed: ranges, sizes, places and colours.

use std::ops::RangeInclusive;
use std::str::FromStr;

/// A range of frames as typed; both ends count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameRange {
    first: Option<u32>,
    last: Option<u32>,
}

impl From<RangeInclusive<u32>> for FrameRange {
    fn from(range: RangeInclusive<u32>) -> Self {
        Self { first: Some(*range.start()), last: Some(*range.end()) }
    }
}

impl FrameRange {
    /// The frames meant, where these are there.
    pub fn within(self, all: &RangeInclusive<u32>) -> RangeInclusive<u32> {
        self.first.unwrap_or(*all.start())..=self.last.unwrap_or(*all.end())
    }
}

impl FromStr for FrameRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| match text.trim() {
            "" => Ok(None),
            digits => {
                digits.parse().map(Some).map_err(|_| format!("`{digits}` is no frame number"))
            }
        };
        let (first, last) = match text.split_once("..") {
            Some((first, last)) => (number(first)?, number(last)?),
            None => (number(text)?, number(text)?),
        };
        match (first, last) {
            (None, None) => Err("a range has the form 10..20, 10.., ..20 or 15".into()),
            (Some(first), Some(last)) if first > last => Err(format!("{first} comes after {last}")),
            _ => Ok(Self { first, last }),
        }
    }
}

/// A picture's width and height.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureSize(pub [u32; 2]);

impl FromStr for PictureSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let sides = text.split_once(['x', 'X', '×']);
        let parsed = sides.map(|(width, height)| (width.trim().parse(), height.trim().parse()));
        match parsed {
            Some((Ok(width), Ok(height))) => Ok(Self([width, height])),
            _ => Err("a size has the form 1280x720".into()),
        }
    }
}

/// A place in space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triple(pub [f64; 3]);

impl FromStr for Triple {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Vec<f64> =
            text.split(',').map_while(|number| number.trim().parse().ok()).collect();
        match numbers[..] {
            [x, y, z] if text.split(',').count() == 3 => Ok(Self([x, y, z])),
            _ => Err("a place has the form 1.5,-2,0".into()),
        }
    }
}

/// A colour as an sRGB code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HexColour(pub u32);

impl FromStr for HexColour {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.strip_prefix('#').unwrap_or(text);
        let six = digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        let code = u32::from_str_radix(digits, 16).ok().filter(|_| six);
        code.map(Self).ok_or_else(|| "a colour has six hexadecimal digits: dfe2e6".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_as_people_write_them() {
        let within = |text: &str| text.parse::<FrameRange>().map(|range| range.within(&(5..=50)));
        assert_eq!(within("10..20"), Ok(10..=20));
        assert_eq!(within("10.."), Ok(10..=50));
        assert_eq!(within("..20"), Ok(5..=20));
        assert_eq!(within("15"), Ok(15..=15));
        for rubbish in ["", "..", "a..3", "9..3", "-1"] {
            assert!(within(rubbish).is_err(), "{rubbish}");
        }
    }

    #[test]
    fn sizes_places_and_colours_are_read_as_people_write_them() {
        assert_eq!("640x360".parse(), Ok(PictureSize([640, 360])));
        assert_eq!("1,-2.5, 3e-1".parse(), Ok(Triple([1.0, -2.5, 0.3])));
        assert_eq!("#0a0B0c".parse(), Ok(HexColour(0x0a_0b_0c)));
        for rubbish in ["", "640", "640x", "-1x3", "axb"] {
            assert!(rubbish.parse::<PictureSize>().is_err(), "{rubbish}");
        }
        for rubbish in ["", "1,2", "1,2,3,4", "1,x,3"] {
            assert!(rubbish.parse::<Triple>().is_err(), "{rubbish}");
        }
        for rubbish in ["", "fff", "+fffff", "gggggg"] {
            assert!(rubbish.parse::<HexColour>().is_err(), "{rubbish}");
        }
    }
}
