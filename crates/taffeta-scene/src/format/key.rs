//! The keys of scene files, declared once: read, checked and documented from the same place.

/// One key of a table.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// What holds without it, as TOML; `None` if nothing does.
    pub default: Option<&'static str>,
    /// Whether a scene without it is wrong.
    pub required: bool,
    /// What it means.
    pub doc: &'static str,
}

/// What a key takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A number in a unit, within bounds.
    Number(&'static str, Bounds),
    /// A whole number from the first to the second, both included.
    Count(u32, u32),
    /// Three numbers in a unit.
    Vector(&'static str),
    /// Three numbers that point somewhere.
    Direction,
    /// Two numbers in a unit, within bounds.
    Pair(&'static str, Bounds),
    /// Two whole numbers, each from the first to the second.
    CountPair(u32, u32),
    /// Two points.
    Points(&'static str),
    /// A list of points.
    PointList(&'static str),
    /// A list of pairs of numbers.
    PairList(&'static str),
    /// A list of particle numbers.
    Particles,
    /// True or false.
    Flag,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// An sRGB colour in hexadecimal.
    Colour,
    /// Text.
    Text,
    /// A list of texts.
    Texts,
    /// A table, or a list of tables, documented on its own.
    Table,
}

/// Which numbers are allowed; all of them are finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bounds {
    /// Any.
    Any,
    /// Above this.
    Above(f64),
    /// This or more.
    AtLeast(f64),
    /// Above the first, up to the second.
    AboveUpTo(f64, f64),
    /// From the first to the second, both included.
    Within(f64, f64),
}

impl Bounds {
    /// Whether a number is allowed.
    pub fn allow(&self, value: f64) -> bool {
        value.is_finite()
            && match *self {
                Self::Any => true,
                Self::Above(bound) => value > bound,
                Self::AtLeast(bound) => value >= bound,
                Self::AboveUpTo(above, most) => value > above && value <= most,
                Self::Within(least, most) => value >= least && value <= most,
            }
    }

    /// In words.
    pub fn describe(&self) -> String {
        match *self {
            Self::Any => "any".into(),
            Self::Above(bound) => format!("above {bound}"),
            Self::AtLeast(bound) => format!("at least {bound}"),
            Self::AboveUpTo(above, most) => format!("above {above}, at most {most}"),
            Self::Within(least, most) => format!("{least} to {most}"),
        }
    }
}

impl Key {
    /// A key that may be left out.
    pub const fn new(name: &'static str, kind: Kind, doc: &'static str) -> Self {
        Self { name, kind, default: None, required: false, doc }
    }

    /// With a value that holds without it.
    pub const fn or(self, default: &'static str) -> Self {
        Self { default: Some(default), ..self }
    }

    /// That may not be left out.
    pub const fn required(self) -> Self {
        Self { required: true, ..self }
    }
}

/// A table of scene files.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// How it is written: `[fabric]`, `[[pin]]`; empty for the top of the file.
    pub heading: &'static str,
    /// What it is for.
    pub doc: &'static str,
    /// Its keys.
    pub keys: &'static [Key],
}

impl Section {
    /// The name people use for it.
    pub fn name(&self) -> String {
        match self.heading {
            "" => "the top of the file".into(),
            heading => heading.into(),
        }
    }
}

impl Kind {
    /// Type, unit and range for the documentation.
    pub fn describe(&self) -> (&'static str, &'static str, String) {
        match *self {
            Self::Number(unit, bounds) => ("number", unit, bounds.describe()),
            Self::Count(min, u32::MAX) => ("whole number", "", format!("at least {min}")),
            Self::Count(min, max) => ("whole number", "", format!("{min} to {max}")),
            Self::Vector(unit) => ("`[x, y, z]`", unit, "finite".into()),
            Self::Direction => ("`[x, y, z]`", "", "not zero".into()),
            Self::Pair(unit, bounds) => ("`[a, b]`", unit, bounds.describe()),
            Self::CountPair(min, max) => {
                ("`[a, b]`, whole numbers", "", format!("{min} to {max} each"))
            }
            Self::Points(unit) => ("`[[x, y, z], [x, y, z]]`", unit, "finite".into()),
            Self::PointList(unit) => ("list of `[x, y, z]`", unit, "finite".into()),
            Self::PairList(unit) => ("list of `[x, y]`", unit, "finite".into()),
            Self::Particles => ("list of whole numbers", "", "particles of the cloth".into()),
            Self::Flag => ("`true` or `false`", "", String::new()),
            Self::Choice(words) => {
                let words: Vec<String> = words.iter().map(|word| format!("`\"{word}\"`")).collect();
                ("text", "", words.join(", "))
            }
            Self::Colour => ("text", "", "`\"rrggbb\"`".into()),
            Self::Text => ("text", "", String::new()),
            Self::Texts => ("list of texts", "", String::new()),
            Self::Table => ("table", "", String::new()),
        }
    }
}
