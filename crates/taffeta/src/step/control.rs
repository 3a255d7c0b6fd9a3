//! Step control (BW98 §7): discard a step that changes the stretch drastically, halve, and try
//! longer steps again after a while.

/// Steps after which a longer one is tried again, at first and at most.
const FIRST_WAIT: u32 = 2;
const LONGEST_WAIT: u32 = 40;
/// How much longer a step may be than the one before it, where steps grow gradually.
const GROWTH: f64 = 1.3;

/// Proposes steps and learns from their success.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepControl {
    /// The step it would take now, were there no frame to land on \[s\].
    pub h: f64,
    /// Accepted steps since the step was last changed.
    pub successes: u32,
    /// Accepted steps it waits for before it tries a longer one.
    pub wait: u32,
    /// Whether the step now tried is such a longer one.
    pub probing: bool,
}

impl StepControl {
    /// Starts with the longest step.
    pub fn new(longest: f64) -> Self {
        Self { h: longest, successes: 0, wait: FIRST_WAIT, probing: false }
    }

    /// The step towards a time `remaining` seconds away: equal steps that land on it exactly.
    pub fn propose(&self, remaining: f64) -> f64 {
        // The tiny allowance keeps round-off from cutting one more step.
        let steps = (remaining / self.h * (1.0 - 1e-12)).ceil().max(1.0);
        remaining / steps
    }

    /// The same where the state bounds the step \[s\] too.
    pub fn within(&self, bound: f64) -> Self {
        Self { h: bound.min(self.h), ..*self }
    }

    /// A step that was allowed this length was good, and the next may be a little longer.
    pub fn grow(&mut self, allowed: f64, longest: f64) {
        self.h = (GROWTH * allowed).min(longest).max(self.h.min(allowed));
        self.successes = self.successes.saturating_add(1);
    }

    /// The step was good.
    pub fn accept(&mut self, longest: f64) {
        if self.probing {
            self.probing = false;
            self.wait = FIRST_WAIT;
        }
        self.successes = self.successes.saturating_add(1);
        if self.h < longest && self.successes >= self.wait {
            self.h = (2.0 * self.h).min(longest);
            self.successes = 0;
            self.probing = true;
        }
    }

    /// The step of length `h` was not.
    pub fn reject(&mut self, h: f64) {
        if self.probing {
            self.wait = self.wait.saturating_mul(2).min(LONGEST_WAIT);
            self.probing = false;
        }
        self.h = 0.5 * h;
        self.successes = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_land_on_the_frame() {
        let control = StepControl::new(0.01);
        for remaining in [1.0 / 30.0, 0.01, 0.003, 0.02, 0.030000000001] {
            let h = control.propose(remaining);
            assert!(h <= 0.01 * (1.0 + 1e-9));
            let steps = (remaining / h).round();
            assert!((steps * h - remaining).abs() < 1e-15, "{remaining}");
        }
        assert_eq!(control.propose(0.02), 0.01);
    }

    #[test]
    fn failure_halves_and_two_successes_double() {
        let mut control = StepControl::new(0.008);
        control.reject(0.008);
        assert_eq!(control.h, 0.004);
        control.accept(0.008);
        assert_eq!(control.h, 0.004);
        control.accept(0.008);
        assert_eq!(control.h, 0.008);
    }

    #[test]
    fn failing_longer_steps_wait_longer_up_to_forty() {
        let mut control = StepControl::new(0.008);
        control.reject(0.008);
        let mut waits = Vec::new();
        for _ in 0..8 {
            let mut accepted = 0;
            while control.h < 0.008 {
                control.accept(0.008);
                accepted += 1;
            }
            waits.push(accepted);
            control.reject(0.008);
        }
        assert_eq!(waits, [2, 4, 8, 16, 32, 40, 40, 40]);
    }
}
