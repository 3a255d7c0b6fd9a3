//! Scenes that come with the program.

/// A built-in scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// Its name.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

impl Builtin {
    /// Every built-in scene.
    pub const ALL: &'static [Self] = &[
        Self { name: "hang", text: include_str!("../../../scenes/hang.toml") },
        Self {
            name: "ball-hits-cloth",
            text: include_str!("../../../scenes/ball-hits-cloth.toml"),
        },
        Self { name: "drape-cylinder", text: include_str!("../../../scenes/drape-cylinder.toml") },
        Self { name: "drape-sphere", text: include_str!("../../../scenes/drape-sphere.toml") },
        Self { name: "flag", text: include_str!("../../../scenes/flag.toml") },
        Self { name: "fold", text: include_str!("../../../scenes/fold.toml") },
        Self { name: "fold-thrice", text: include_str!("../../../scenes/fold-thrice.toml") },
        Self { name: "incline", text: include_str!("../../../scenes/incline.toml") },
        Self {
            name: "sheet-two-particles",
            text: include_str!("../../../scenes/sheet-two-particles.toml"),
        },
        Self {
            name: "hang-two-corners",
            text: include_str!("../../../scenes/hang-two-corners.toml"),
        },
        Self {
            name: "hang-two-corners-plain",
            text: include_str!("../../../scenes/hang-two-corners-plain.toml"),
        },
        Self { name: "swing", text: include_str!("../../../scenes/swing.toml") },
        Self { name: "skirt-live", text: include_str!("../../../scenes/skirt-live.toml") },
        Self { name: "curtain", text: include_str!("../../../scenes/curtain.toml") },
        Self { name: "ribbon-pile", text: include_str!("../../../scenes/ribbon-pile.toml") },
        Self { name: "strips-hang", text: include_str!("../../../scenes/strips-hang.toml") },
        Self { name: "strips-contact", text: include_str!("../../../scenes/strips-contact.toml") },
        Self { name: "table-edge", text: include_str!("../../../scenes/table-edge.toml") },
        Self { name: "tear-bars", text: include_str!("../../../scenes/tear-bars.toml") },
        Self { name: "tear-two-balls", text: include_str!("../../../scenes/tear-two-balls.toml") },
        Self {
            name: "tear-out-of-plane",
            text: include_str!("../../../scenes/tear-out-of-plane.toml"),
        },
        Self {
            name: "tear-ball-plain",
            text: include_str!("../../../scenes/tear-ball-plain.toml"),
        },
        Self {
            name: "tear-ball-twill",
            text: include_str!("../../../scenes/tear-ball-twill.toml"),
        },
        Self { name: "tear-cube", text: include_str!("../../../scenes/tear-cube.toml") },
        Self { name: "twist", text: include_str!("../../../scenes/twist.toml") },
        Self {
            name: "twisted-cylinder",
            text: include_str!("../../../scenes/twisted-cylinder.toml"),
        },
    ];

    /// The scene of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|scene| scene.name == name).copied()
    }

    /// Its first comment line: what it shows.
    pub fn summary(&self) -> &'static str {
        self.text.lines().next().unwrap_or_default().trim_start_matches('#').trim()
    }
}
