//! Round numbers for an axis.

/// An axis: where it starts and ends, and where its ticks are.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    pub low: f64,
    pub high: f64,
    pub ticks: Vec<f64>,
    /// Digits after the point that tell ticks apart.
    digits: usize,
}

impl Axis {
    /// An axis over some values, with about so many ticks; no values make an axis from 0 to 1.
    pub fn over(values: impl Iterator<Item = f64>, about: usize) -> Self {
        let finite = values.filter(|value| value.is_finite());
        let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        // A constant is shown in the middle of something.
        let spread = (high - low).max(1e-9 * high.abs().max(low.abs())).max(1e-12);
        let step = round_step(spread / about.max(1) as f64);
        let (first, last) = ((low / step).floor(), ((low + spread) / step).ceil());
        let count = (last - first) as usize;
        let ticks = (0..=count).map(|i| (first + i as f64) * step).collect();
        let digits = (-libm::floor(libm::log10(step) + 1e-9)).max(0.0) as usize;
        Self { low: first * step, high: last * step, ticks, digits }
    }

    /// Where a value is between the ends: 0 to 1.
    pub fn share(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }

    /// A tick as text.
    pub fn text(&self, tick: f64) -> String {
        let text = format!("{tick:.*}", self.digits);
        if text.trim_matches(['-', '0', '.']).is_empty() { "0".into() } else { text }
    }
}

/// The least of 1, 2 and 5 times a power of ten that is not below.
fn round_step(step: f64) -> f64 {
    let power = libm::pow(10.0, libm::floor(libm::log10(step)));
    [1.0, 2.0, 5.0]
        .into_iter()
        .map(|m| m * power)
        .find(|s| *s >= step * 0.999)
        .unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_hold_their_values_between_round_ticks() {
        for (low, high) in [(0.0, 5.0), (-0.013, 0.041), (1e6, 1.5e6), (-3.0, -3.0), (0.0, 0.0)] {
            let axis = Axis::over([low, high].into_iter(), 5);
            assert!(axis.low <= low && axis.high >= high, "{axis:?}");
            assert!((2..=11).contains(&axis.ticks.len()), "{axis:?}");
            assert_eq!((axis.ticks[0], axis.share(axis.high)), (axis.low, 1.0));
        }
    }

    #[test]
    fn ticks_are_written_with_the_digits_they_need() {
        let axis = Axis::over([0.0, 0.04].into_iter(), 4);
        let words: Vec<String> = axis.ticks.iter().map(|t| axis.text(*t)).collect();
        assert_eq!(words, ["0", "0.01", "0.02", "0.03", "0.04"]);
    }

    #[test]
    fn nothing_and_no_numbers_have_an_axis_all_the_same() {
        let axis = Axis::over([f64::NAN, f64::INFINITY].into_iter(), 5);
        assert_eq!((axis.low, axis.high), (0.0, 1.0));
    }
}
