//! Random choices that a seed repeats.

/// SplitMix64 (Steele, Lea & Flood 2014).
pub struct Chance(u64);

impl Chance {
    /// The choices of a scene, by the seed of all and its number.
    pub fn of_scene(seed: u64, number: u64) -> Self {
        let mut chance = Self(seed);
        let first = chance.next();
        Self(first ^ number.wrapping_mul(0xa076_1d64_78bd_642f))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From 0 up to 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Whether something with this probability happens.
    pub fn happens(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// A number between two, to four digits, so that a scene can be read.
    pub fn between(&mut self, least: f64, most: f64) -> f64 {
        let value = least + (most - least) * self.unit();
        (value * 1e4).round() / 1e4
    }

    /// A number between two, more often a small one.
    pub fn scaled(&mut self, least: f64, most: f64) -> f64 {
        least + (most - least) * self.unit().powi(4)
    }

    /// A whole number from one to another, both included.
    pub fn whole(&mut self, least: u32, most: u32) -> u32 {
        least + (self.next() % u64::from(most - least + 1)) as u32
    }

    /// One of these.
    pub fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[(self.next() % of.len() as u64) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_repeats_and_scenes_differ() {
        let first = |seed, number| Chance::of_scene(seed, number).next();
        assert_eq!(first(1, 5), first(1, 5));
        assert_ne!(first(1, 5), first(1, 6));
        assert_ne!(first(1, 5), first(2, 5));
    }

    #[test]
    fn numbers_are_between() {
        let mut chance = Chance::of_scene(3, 0);
        for _ in 0..1000 {
            assert!((2.0..=3.0).contains(&chance.between(2.0, 3.0)));
            assert!((1e-4..=1.0).contains(&chance.scaled(1e-4, 1.0)));
            assert!((4..=6).contains(&chance.whole(4, 6)));
        }
    }
}
