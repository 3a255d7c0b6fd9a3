//! The reference of the scene format, written from the declared keys.

use std::fmt::Write;

use super::key::{Key, Kind};
use super::{SECTIONS, Section};

/// `docs/scene-format.md`, whole.
pub fn document() -> String {
    let mut text = String::from(
        "# The scene format\n\n\
         <!-- Written by `cargo xtask docs` from the declared keys; edit those instead. -->\n\n\
         `taffeta scenes hang > my.toml` prints a scene to start from. `--set path.to.key=value` \
         overrides any key of a run, items of lists by number: `--set pin.0.until=1.5`.\n",
    );
    for section in SECTIONS {
        describe(section, &mut text);
    }
    text
}

fn describe(section: &Section, text: &mut String) {
    let heading = match section.heading {
        "" => "Top of the file".to_string(),
        heading => format!("`{heading}`"),
    };
    // Writing to a String cannot fail.
    let _ = write!(text, "\n## {heading}\n\n{}\n", section.doc);
    let keys = || section.keys.iter().filter(|key| key.kind != Kind::Table);
    if keys().next().is_none() {
        return;
    }
    text.push_str(
        "\n| key | type | unit | default | range | meaning |\n|---|---|---|---|---|---|\n",
    );
    for key in keys() {
        let (kind, unit, range) = key.kind.describe();
        let _ = writeln!(
            text,
            "| `{}` | {kind} | {unit} | {} | {range} | {} |",
            key.name,
            default(key),
            key.doc
        );
    }
}

fn default(key: &Key) -> String {
    match key.default {
        Some(default) => format!("`{default}`"),
        None if key.required => "required".into(),
        None => "none".into(),
    }
}
