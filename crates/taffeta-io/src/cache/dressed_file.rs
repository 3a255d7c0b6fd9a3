//! Where the particles of a garment are when it has been put on: how its simulation begins.

use glam::DVec3;

use super::codec::{Decoder, Encoder};

/// A garment that has been put on.
#[derive(Clone, Debug, PartialEq)]
pub struct Dressed(pub Vec<DVec3>);

impl Dressed {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut to = Encoder::default();
        to.list(&self.0, |to, &place| to.vector(place));
        to.0
    }

    /// Reads the payload of its file; any bytes at all give a value or an error.
    pub fn decode(bytes: &[u8]) -> Result<Self, String> {
        let mut from = Decoder(bytes);
        let places = from.list(24, Decoder::vector)?;
        from.finish()?;
        match places.iter().position(|place| !place.is_finite()) {
            Some(particle) => Err(format!("particle {particle} is nowhere")),
            None => Ok(Self(places)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_comes_back_and_rubbish_does_not() {
        let dressed = Dressed(vec![DVec3::X, DVec3::new(0.1, -2.0, 3.5)]);
        let bytes = dressed.encode();
        assert_eq!(Dressed::decode(&bytes), Ok(dressed));
        assert!(Dressed::decode(&bytes[..bytes.len() - 1]).is_err());
        assert!(Dressed::decode(&Dressed(vec![DVec3::NAN]).encode()).is_err());
    }
}
