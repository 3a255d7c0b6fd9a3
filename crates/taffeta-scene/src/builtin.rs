//! Scenes that come with the program.

/// A built-in scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// Its name.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// The scenes of these names, each from its file.
macro_rules! builtins {
    ($($name:literal),* $(,)?) => {
        [$(Self { name: $name, text: include_str!(concat!("../scenes/", $name, ".toml")) }),*]
    };
}

impl Builtin {
    /// Every built-in scene.
    pub const ALL: &'static [Self] = &builtins![
        "rip",
        "hang",
        "ball-hits-cloth",
        "drape-cylinder",
        "drape-cylinder-limit",
        "drape-limit",
        "drape-mesh",
        "drape-sphere",
        "flag",
        "fold",
        "fold-thrice",
        "incline",
        "sheet-two-particles",
        "hang-two-corners",
        "hang-two-corners-plain",
        "swing",
        "skirt-live",
        "skirt-walk",
        "skirts-dance",
        "curtain",
        "ribbon-pile",
        "strips-hang",
        "strips-contact",
        "table-edge",
        "tear-bars",
        "tear-two-balls",
        "tear-out-of-plane",
        "tear-ball-plain",
        "tear-ball-twill",
        "tear-cube",
        "tear-floor",
        "tshirt-dummy",
        "twist",
        "twisted-cylinder",
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
