//! What is compared: methods and their settings.

/// Overrides of the scene `hang`.
pub struct Setting {
    /// What tells it from the other settings of its method.
    sets: &'static [&'static str],
    /// Frames for grids of 41 and of 101 particles a side: all 150 where that is quick, fewer where
    /// it would take minutes, none where it would take hours.
    frames: [u32; 2],
}

impl Setting {
    const fn new(frames: [u32; 2], sets: &'static [&'static str]) -> Self {
        Self { sets, frames }
    }

    /// How many frames are run on a grid of so many particles a side.
    pub fn frames(&self, side: u32) -> u32 {
        self.frames[usize::from(side > 41)]
    }

    /// In words.
    pub fn name(&self) -> String {
        self.sets.join(" ")
    }

    /// As arguments of `taffeta run`.
    pub fn arguments(&self, side: u32) -> Vec<String> {
        let last = side - 1;
        let run = [
            format!("--set=cloth.sheet.particles=[{side}, {side}]"),
            format!("--set=pin.0.particles=[0, {last}]"),
            format!("--set=frames.count={}", self.frames(side)),
        ];
        run.into_iter().chain(self.sets.iter().map(|set| format!("--set={set}"))).collect()
    }
}

const STEP_60: &str = "step.max=0.016667";
const STEP_120: &str = "step.max=0.0083334";
const STEP_240: &str = "step.max=0.0041667";
const STEP_270: &str = "step.max=0.0037038";
const STEP_300: &str = "step.max=0.0033334";
const STEP_480: &str = "step.max=0.0020834";
const STEP_960: &str = "step.max=0.0010417";
const STEP_1440: &str = "step.max=0.00069445";
/// What explicit steps of that length can bear.
const SOFT: &str = "fabric.shear=4.0";
const SPRINGY: &str = "fabric.stretch=100.0";
/// As in the scene `strips-hang`.
const SUPPLE: &str = "fabric.shear=0.3";
const LIMP: &str = "fabric.bend=0.0";
const STRIPS_2: &str = "limiter.strips.max_iterations=2";
const STRIPS_4: &str = "limiter.strips.max_iterations=4";
const STRIPS_20: &str = "limiter.strips.max_iterations=20";
const CONSTRAINTS: &str = "limiter.constraints={}";
const IMPULSES: &str = "limiter.impulses={}";
const PAPER: &str = "limiter.impulses.variant=paper";
const EXPLICIT: &str = "integrator.explicit={}";
const IMPLICIT: &str = "integrator.implicit={}";
const NEWTON: &str = "integrator.implicit.newton_tolerance=0.01";
const UNLIMITED: &str = "limits.extension=1000.0";
const ANY: &str = "limiter.sweeps={}";
const TEN: &str = "limits.extension=0.1";
const ONE: &str = "limits.extension=0.01";
const TENTH: &str = "limits.extension=0.001";
const HUNDREDTH: &str = "limits.extension=0.0001";

/// Every method with its settings, in the order of the chart's legend.
pub const METHODS: &[(&str, &[Setting])] = &[
    (
        "implicit, constraints",
        &[
            Setting::new([150, 36], &[CONSTRAINTS, TEN, STEP_240]),
            Setting::new([150, 36], &[CONSTRAINTS, ONE, STEP_240]),
            Setting::new([60, 36], &[CONSTRAINTS, TENTH, STEP_240]),
        ],
    ),
    (
        "explicit, strips",
        &[
            Setting::new([150, 0], &[EXPLICIT, ONE, STRIPS_4, STEP_240, SUPPLE, LIMP]),
            Setting::new([150, 0], &[EXPLICIT, ONE, STRIPS_2, STEP_270, SUPPLE, LIMP]),
            Setting::new([150, 0], &[EXPLICIT, TENTH, STRIPS_2, STEP_300, SUPPLE, LIMP]),
            Setting::new([150, 0], &[EXPLICIT, HUNDREDTH, STRIPS_20, STEP_480, SUPPLE, LIMP]),
            Setting::new([0, 150], &[EXPLICIT, ONE, STRIPS_4, STEP_960, SUPPLE, LIMP]),
            Setting::new([0, 150], &[EXPLICIT, TENTH, STRIPS_4, STEP_1440, SUPPLE, LIMP]),
        ],
    ),
    (
        "explicit, impulses",
        &[
            Setting::new([60, 0], &[EXPLICIT, TEN, IMPULSES, STEP_480, SOFT, SPRINGY]),
            Setting::new([60, 0], &[EXPLICIT, TEN, PAPER, STEP_480, SOFT, SPRINGY]),
        ],
    ),
    ("implicit, impulses", &[Setting::new([60, 0], &[IMPLICIT, TEN, IMPULSES, STEP_120])]),
    (
        "explicit, sweeps",
        &[
            Setting::new(
                [60, 0],
                &[EXPLICIT, TEN, "limiter.sweeps.sweeps=5", STEP_480, SOFT, SPRINGY],
            ),
            Setting::new(
                [60, 0],
                &[EXPLICIT, TEN, "limiter.sweeps.sweeps=20", STEP_480, SOFT, SPRINGY],
            ),
        ],
    ),
    (
        "explicit springs",
        &[
            Setting::new([60, 0], &[EXPLICIT, UNLIMITED, ANY, "fabric.stretch=2000.0"]),
            Setting::new([60, 0], &[EXPLICIT, UNLIMITED, ANY]),
        ],
    ),
    ("implicit, Newton", &[Setting::new([60, 0], &[NEWTON, UNLIMITED, ANY, STEP_60])]),
];
