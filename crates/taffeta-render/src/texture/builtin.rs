//! Pictures that need no file.

use std::str::FromStr;

use super::{Image, Level, Tile};

/// A picture that needs no file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motif {
    /// Four squares, light and dark.
    Checker,
    /// Stripes that cross, as of a shirt.
    Gingham,
    /// Yarns seen from afar: over one, under one.
    Weave,
}

/// Pixels along a side; a copy on a cloth is rarely larger.
const SIDE: usize = 128;
const LIGHT: [f64; 3] = [236.0, 228.0, 210.0];
const DARK: [f64; 3] = [44.0, 82.0, 120.0];

impl Motif {
    /// Every motif and its name.
    pub const ALL: &'static [(&'static str, Self)] =
        &[("checker", Self::Checker), ("gingham", Self::Gingham), ("weave", Self::Weave)];

    /// How many of it the longer side of a cloth usually holds.
    pub fn usual_tile(self) -> Tile {
        Tile::Times(match self {
            Self::Checker => 8.0,
            Self::Gingham => 20.0,
            Self::Weave => 60.0,
        })
    }

    /// The picture; it can be repeated without a seam.
    pub fn image(self) -> Image {
        let pixel = |index: usize| self.colour(index % SIDE, index / SIDE);
        Image::with_halves(Level { size: [SIDE; 2], bytes: (0..SIDE * SIDE).map(pixel).collect() })
    }

    fn colour(self, x: usize, y: usize) -> [u8; 3] {
        let second = |place: usize| f64::from(u8::from(place >= SIDE / 2));
        match self {
            Self::Checker => mix(f64::from(u8::from(second(x) != second(y))), 1.0),
            Self::Gingham => mix((second(x) + second(y)) / 2.0, 1.0),
            Self::Weave => woven(x, y),
        }
    }
}

impl FromStr for Motif {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, motif)| *motif).ok_or_else(
            || {
                let names: Vec<&str> = Self::ALL.iter().map(|(known, _)| *known).collect();
                format!("there is no motif `{name}`; these are there: {}", names.join(", "))
            },
        )
    }
}

fn mix(dark: f64, tone: f64) -> [u8; 3] {
    std::array::from_fn(|i| ((LIGHT[i] + (DARK[i] - LIGHT[i]) * dark) * tone).round() as u8)
}

/// Two yarns each way, round by their shade: dark at their sides and where they dive.
fn woven(x: usize, y: usize) -> [u8; 3] {
    let half = SIDE / 2;
    let along_x = (x / half + y / half).is_multiple_of(2);
    let share = |place: usize| ((place % half) as f64 + 0.5) / half as f64 * 2.0 - 1.0;
    let (along, across) = if along_x { (share(x), share(y)) } else { (share(y), share(x)) };
    let round = (1.0 - across * across).sqrt();
    let dive = 1.0 - 0.45 * along * along;
    mix(f64::from(u8::from(along_x)), (0.25 + 0.75 * round) * dive)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec2;

    #[test]
    fn motifs_show_what_they_are_named_after() {
        let at = |motif: Motif, x: f32, y: f32| motif.image().at(Vec2::new(x, y), 0.0).y;
        let dark = at(Motif::Checker, 0.75, 0.25);
        assert_eq!(dark, at(Motif::Checker, 0.25, 0.75));
        assert!(dark < 0.3 * at(Motif::Checker, 0.25, 0.25));
        let [white, grey, full] =
            [(0.25, 0.25), (0.75, 0.25), (0.75, 0.75)].map(|(x, y)| at(Motif::Gingham, x, y));
        assert!(white > grey && grey > full);
        assert!(at(Motif::Weave, 0.25, 0.25) > at(Motif::Weave, 0.25, 0.02));
    }
}
