//! What is compared: methods and their settings.

/// Overrides of the scene `hang`.
pub struct Setting {
    /// What tells it from the other settings of its method.
    sets: &'static [&'static str],
    /// The largest grid it is tried on; beyond, it would take hours.
    largest: u32,
}

impl Setting {
    const fn new(sets: &'static [&'static str]) -> Self {
        Self { sets, largest: u32::MAX }
    }

    const fn up_to(largest: u32, sets: &'static [&'static str]) -> Self {
        Self { sets, largest }
    }

    /// Whether it is tried on a grid of so many particles a side.
    pub fn suits(&self, side: u32) -> bool {
        side <= self.largest
    }

    /// In words.
    pub fn name(&self) -> String {
        self.sets.join(" ")
    }

    /// As arguments of `taffeta run`.
    pub fn arguments(&self, side: u32) -> Vec<String> {
        let last = side - 1;
        let grid = [
            format!("--set=cloth.sheet.particles=[{side}, {side}]"),
            format!("--set=pin.0.particles=[0, {last}]"),
        ];
        grid.into_iter().chain(self.sets.iter().map(|set| format!("--set={set}"))).collect()
    }
}

const STEP_60: &str = "step.max=0.016667";
const STEP_120: &str = "step.max=0.0083334";
const STEP_240: &str = "step.max=0.0041667";

/// Every method with its settings, in the order of the chart's legend.
pub const METHODS: &[(&str, &[Setting])] = &[(
    "implicit, tension",
    &[
        Setting::new(&["limits.extension=0.1", STEP_60]),
        Setting::new(&["limits.extension=0.01", STEP_60]),
        Setting::new(&["limits.extension=0.01", STEP_120]),
        Setting::new(&["limits.extension=0.001", STEP_60]),
        Setting::new(&["limits.extension=0.001", STEP_240]),
        Setting::up_to(41, &["limits.extension=0.0001", STEP_240]),
    ],
)];
