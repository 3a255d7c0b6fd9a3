//! Tasks: which values go together.

use serde::{Deserialize, Serialize};
use taffeta_scene::Override;

use crate::vary::{Values, Vary};

/// A key of the scene and the value it has in a task.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Setting {
    /// The key, as `--set` takes it.
    pub key: String,
    /// Its value.
    pub value: toml::Value,
}

/// One run of the scene.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Task {
    /// Its place among all, from 0.
    pub number: u32,
    /// What differs from the scene.
    pub settings: Vec<Setting>,
}

impl Task {
    /// The settings as the scene takes them.
    pub fn overrides(&self) -> Vec<Override> {
        let assignment = |setting: &Setting| Override(format!("{}={}", setting.key, setting.value));
        self.settings.iter().map(assignment).collect()
    }
}

/// What tasks are made of.
pub struct Ingredients<'a> {
    /// Settings that go together, one list for each row of a table; one empty list without any.
    pub rows: &'a [Vec<Setting>],
    pub vary: &'a [Vary],
    /// How often what is random is drawn.
    pub samples: u32,
    pub seed: u32,
}

impl Ingredients<'_> {
    /// How many tasks there are; none if they cannot be counted.
    pub fn count(&self) -> Option<u32> {
        let lengths = self.vary.iter().map(|vary| match &vary.values {
            Values::List(values) => values.len(),
            Values::Random(_) => 1,
        });
        let lengths = lengths.chain([self.rows.len(), self.samples as usize]);
        let count =
            lengths.map(u32::try_from).try_fold(1u32, |all, one| all.checked_mul(one.ok()?));
        count.filter(|count| *count > 0)
    }

    /// Every row with every value of every list, each as often as there are samples.
    pub fn tasks(&self) -> Vec<Task> {
        let count = self.count().unwrap_or(0);
        (0..count).map(|number| Task { number, settings: self.settings(number) }).collect()
    }

    /// The last of the lists changes fastest, after the samples.
    fn settings(&self, number: u32) -> Vec<Setting> {
        let mut rest = (number / self.samples) as usize;
        let mut chosen = Vec::new();
        for (place, vary) in self.vary.iter().enumerate().rev() {
            let value = match &vary.values {
                Values::List(values) => {
                    let value = values[rest % values.len()].clone();
                    rest /= values.len();
                    value
                }
                Values::Random(spread) => {
                    toml::Value::Float(spread.at(share(self.seed, number, place as u32)))
                }
            };
            chosen.push(Setting { key: vary.key.clone(), value });
        }
        chosen.reverse();
        self.rows[rest].iter().cloned().chain(chosen).collect()
    }
}

/// A share from 0 to below 1 that depends on these numbers alone.
fn share(seed: u32, task: u32, place: u32) -> f64 {
    let mut state = (u64::from(seed) << 32 | u64::from(task)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    state ^= u64::from(place).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    // The finaliser of splitmix64 (Steele, Lea & Flood 2014); its top 53 bits are the share.
    state = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    state = (state ^ (state >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    state ^= state >> 31;
    (state >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vary::Spread;

    fn list(key: &str, values: &[f64]) -> Vary {
        let values = Values::List(values.iter().map(|v| toml::Value::Float(*v)).collect());
        Vary { key: key.into(), values }
    }

    fn random(key: &str) -> Vary {
        Vary { key: key.into(), values: Values::Random(Spread { ends: [0.0, 1.0], log: false }) }
    }

    #[test]
    fn every_value_goes_with_every_other_once() {
        let vary = [list("a", &[1.0, 2.0]), list("b", &[3.0, 4.0, 5.0])];
        let row = |key: &str| vec![Setting { key: "r".into(), value: key.into() }];
        let all = Ingredients { rows: &[row("x"), row("y")], vary: &vary, samples: 1, seed: 0 };
        let tasks = all.tasks();
        assert_eq!(tasks.len(), 12);
        let words: Vec<String> = tasks
            .iter()
            .map(|t| t.overrides().iter().map(|o| o.0.clone()).collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(words[0], "r=\"x\" a=1.0 b=3.0");
        assert_eq!(words[11], "r=\"y\" a=2.0 b=5.0");
        let mut once = words;
        once.sort();
        once.dedup();
        assert_eq!(once.len(), 12);
    }

    #[test]
    fn random_values_fill_their_range_and_depend_on_the_seed_alone() {
        let vary = [random("a"), random("b")];
        let of =
            |seed| Ingredients { rows: &[Vec::new()], vary: &vary, samples: 1000, seed }.tasks();
        assert_eq!(of(7), of(7));
        assert_ne!(of(7), of(8));
        let mut all: Vec<f64> = of(7)
            .iter()
            .flat_map(|t| t.settings.iter().filter_map(|s| s.value.as_float()))
            .collect();
        let mean = all.iter().sum::<f64>() / 2000.0;
        assert!((mean - 0.5).abs() < 0.03, "{mean}");
        all.sort_by(f64::total_cmp);
        let far = all.iter().enumerate().map(|(i, v)| (v - (i as f64 + 0.5) / 2000.0).abs());
        assert!(far.fold(0.0, f64::max) < 0.05);
        all.dedup();
        assert_eq!(all.len(), 2000);
    }

    #[test]
    fn more_tasks_than_can_be_numbered_are_refused() {
        let vary: Vec<Vary> = (0..40).map(|_| list("a", &[1.0, 2.0])).collect();
        let all = Ingredients { rows: &[Vec::new()], vary: &vary, samples: 1, seed: 0 };
        assert_eq!(all.count(), None);
    }
}
