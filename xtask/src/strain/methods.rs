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

const STEP_30: &str = "step.max=0.033334";
const STEP_60: &str = "step.max=0.016667";
const STEP_120: &str = "step.max=0.0083334";
const STEP_240: &str = "step.max=0.0041667";
const STEP_480: &str = "step.max=0.0020834";
const STEP_960: &str = "step.max=0.0010417";
/// What explicit steps of that length can bear.
const SOFT: &str = "fabric.shear=4.0";
const SPRINGY: &str = "fabric.stretch=100.0";
const STRIPS_1: &str = "limiter.strips.max_iterations=1";
const STRIPS_2: &str = "limiter.strips.max_iterations=2";
const STRIPS_20: &str = "limiter.strips.max_iterations=20";
const IMPULSES: &str = "limiter.impulses={}";
const EXPLICIT: &str = "integrator.explicit={}";
const IMPLICIT: &str = "integrator.implicit={}";
const NEWTON: &str = "integrator.implicit.newton_tolerance=0.01";
const UNLIMITED: &str = "limits.extension=1000.0";
const TEN: &str = "limits.extension=0.1";
const ONE: &str = "limits.extension=0.01";
const TENTH: &str = "limits.extension=0.001";
const HUNDREDTH: &str = "limits.extension=0.0001";

/// Every method with its settings, in the order of the chart's legend.
pub const METHODS: &[(&str, &[Setting])] = &[
    (
        "implicit, tension",
        &[
            Setting::new(&[TEN, STEP_30]),
            Setting::new(&[TEN, STEP_60]),
            Setting::new(&[ONE, STEP_60]),
            Setting::new(&[ONE, STEP_120]),
            Setting::new(&[TENTH, STEP_60]),
            Setting::new(&[TENTH, STEP_240]),
            Setting::up_to(41, &[HUNDREDTH, STEP_240]),
        ],
    ),
    (
        "explicit, strips",
        &[
            Setting::new(&[EXPLICIT, TEN, STRIPS_1, STEP_480, SOFT]),
            Setting::new(&[EXPLICIT, TEN, STRIPS_2, STEP_480, SOFT]),
            Setting::new(&[EXPLICIT, ONE, STRIPS_2, STEP_960, SOFT]),
            Setting::new(&[EXPLICIT, ONE, STRIPS_20, STEP_480, SOFT]),
            Setting::new(&[EXPLICIT, TENTH, STRIPS_20, STEP_960, SOFT]),
        ],
    ),
    (
        "explicit, impulses",
        &[
            Setting::new(&[EXPLICIT, TEN, IMPULSES, STEP_480, SOFT, SPRINGY]),
            Setting::new(&[
                EXPLICIT,
                TEN,
                "limiter.impulses.variant=paper",
                STEP_480,
                SOFT,
                SPRINGY,
            ]),
        ],
    ),
    ("implicit, impulses", &[Setting::new(&[IMPLICIT, TEN, IMPULSES, STEP_120])]),
    (
        "explicit, sweeps",
        &[
            Setting::new(&[EXPLICIT, TEN, "limiter.sweeps.sweeps=5", STEP_480, SOFT, SPRINGY]),
            Setting::new(&[EXPLICIT, TEN, "limiter.sweeps.sweeps=20", STEP_480, SOFT, SPRINGY]),
            Setting::new(&[EXPLICIT, ONE, "limiter.sweeps.sweeps=100", STEP_480, SOFT, SPRINGY]),
        ],
    ),
    (
        "explicit springs",
        &[
            Setting::new(&[EXPLICIT, UNLIMITED, "limiter.sweeps={}", "fabric.stretch=2000.0"]),
            Setting::up_to(41, &[EXPLICIT, UNLIMITED, "limiter.sweeps={}"]),
        ],
    ),
    (
        "implicit, Newton",
        &[
            Setting::new(&[NEWTON, UNLIMITED, "limiter.sweeps={}", STEP_60]),
            Setting::up_to(
                41,
                &[NEWTON, UNLIMITED, "limiter.sweeps={}", STEP_60, "fabric.stretch=80000.0"],
            ),
        ],
    ),
];
