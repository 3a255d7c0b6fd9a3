//! Modules form layers: in no crate do modules use each other in a circle, and those of the simulator
//! use only what stands in their own layer or below it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::metadata::Package;

/// The layers of `crates/taffeta`, from the ground up.
const LAYERS: &[(&str, &[&str])] = &[
    (
        "words",
        &[
            "constraint",
            "control",
            "fabric",
            "fan",
            "gauge",
            "guide",
            "mesh",
            "motion",
            "phase",
            "pose",
            "presets",
        ],
    ),
    ("physics", &["elements", "model", "pin", "pull", "stability"]),
    ("geometry", &["collision", "detection", "solid"]),
    (
        "state and settings",
        &[
            "error",
            "forces",
            "frame",
            "integrator",
            "limited",
            "limiter",
            "limits",
            "load",
            "load_keys",
            "measure",
            "state",
            "touch",
        ],
    ),
    ("the weave", &["woven"]),
    ("what a step is given", &["momentum", "passage", "script", "setup"]),
    ("contact", &["contact", "judge", "tally"]),
    (
        "solvers of a step",
        &["checks", "choice", "explicit", "implicit", "limiters", "room", "step_solver", "strips"],
    ),
    ("the run", &["signal", "simulation"]),
];

/// Which modules a module uses.
type Uses = BTreeMap<String, BTreeSet<String>>;

/// Looks at every crate of the workspace.
pub fn check(packages: &[Package]) -> Vec<String> {
    let mut problems = Vec::new();
    for package in packages {
        let source = package.folder().join("src");
        let uses = match uses_of(&source) {
            Ok(uses) => uses,
            Err(error) => {
                problems.push(format!("{}: {error}", source.display()));
                continue;
            }
        };
        if let Some(circle) = circle(&uses) {
            problems.push(format!(
                "modules of `{}` use each other in a circle: {}",
                package.name,
                circle.join(" → ")
            ));
        }
        if package.name == "taffeta" {
            problems.extend(outside_of_layers(&uses));
        }
    }
    problems
}

/// What of the simulator uses something above it, or is in no layer.
fn outside_of_layers(uses: &Uses) -> Vec<String> {
    let layer = |module: &str| LAYERS.iter().position(|(_, modules)| modules.contains(&module));
    let mut problems = Vec::new();
    for (module, used) in uses {
        let Some(own) = layer(module) else {
            problems.push(format!(
                "module `{module}` is new: enter it in the table of xtask/src/layers.rs"
            ));
            continue;
        };
        for other in used {
            if layer(other).is_some_and(|other| other > own) {
                problems.push(format!(
                    "module `{module}` ({}) uses `{other}`, which stands above it",
                    LAYERS[own].0
                ));
            }
        }
    }
    problems
}

/// The modules right below `src/`, and which of them each uses; tests do not count.
fn uses_of(source: &Path) -> std::io::Result<Uses> {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for entry in std::fs::read_dir(source)? {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if name != "lib" && name != "main" {
            read_into(&path, texts.entry(name).or_default())?;
        }
    }
    let used = |(own, text): (&String, &String)| {
        let others = texts.keys().filter(|other| *other != own);
        let used = others.filter(|other| mentions(text, other)).cloned().collect();
        (own.clone(), used)
    };
    Ok(texts.iter().map(used).collect())
}

/// Adds the code of a file, or of all files in a folder, up to their tests.
fn read_into(path: &Path, text: &mut String) -> std::io::Result<()> {
    if path.is_dir() {
        for entry in std::fs::read_dir(path)? {
            read_into(&entry?.path(), text)?;
        }
        return Ok(());
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name.ends_with(".rs") && name != "tests.rs" {
        let whole = std::fs::read_to_string(path)?;
        let code = whole.split("#[cfg(test)]").next().unwrap_or_default();
        let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        lines.for_each(|line| {
            text.push_str(line);
            text.push('\n');
        });
    }
    Ok(())
}

/// Whether code names a module by its way from the root: `crate::name` or `crate::{…, name…}`.
fn mentions(text: &str, module: &str) -> bool {
    let is_whole = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    text.match_indices("crate::").any(|(at, root)| {
        let rest = &text[at + root.len()..];
        match rest.strip_prefix('{') {
            None => rest.strip_prefix(module).is_some_and(is_whole),
            Some(list) => {
                let list = list.split('}').next().unwrap_or_default();
                let names = list.split(',').map(str::trim);
                names.into_iter().any(|name| name.strip_prefix(module).is_some_and(is_whole))
            }
        }
    })
}

/// Modules that use each other in a circle, if there are any: the first one twice.
fn circle(uses: &Uses) -> Option<Vec<String>> {
    let mut done = BTreeSet::new();
    uses.keys().find_map(|module| walk(uses, module, &mut Vec::new(), &mut done))
}

fn walk<'a>(
    uses: &'a Uses,
    module: &'a str,
    way: &mut Vec<&'a str>,
    done: &mut BTreeSet<&'a str>,
) -> Option<Vec<String>> {
    if let Some(at) = way.iter().position(|before| *before == module) {
        return Some(way[at..].iter().chain([&module]).map(ToString::to_string).collect());
    }
    if done.contains(module) {
        return None;
    }
    way.push(module);
    let found = uses.get(module)?.iter().find_map(|other| walk(uses, other, way, done));
    way.pop();
    done.insert(module);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uses(pairs: &[(&str, &[&str])]) -> Uses {
        let names = |all: &[&str]| all.iter().map(ToString::to_string).collect();
        pairs.iter().map(|(module, used)| (module.to_string(), names(used))).collect()
    }

    #[test]
    fn circles_are_found_and_layers_are_not() {
        assert_eq!(circle(&uses(&[("a", &["b", "c"]), ("b", &["c"]), ("c", &[])])), None);
        let found = circle(&uses(&[("a", &["b"]), ("b", &["c"]), ("c", &["b"])])).unwrap();
        assert_eq!(found, ["b", "c", "b"]);
    }

    #[test]
    fn what_stands_above_is_refused() {
        let good = uses(&[("simulation", &["state"]), ("state", &["mesh"]), ("mesh", &[])]);
        assert!(outside_of_layers(&good).is_empty());
        let bad = uses(&[("mesh", &["simulation"]), ("simulation", &[])]);
        assert!(outside_of_layers(&bad)[0].contains("stands above it"));
        assert!(outside_of_layers(&uses(&[("novel", &[])]))[0].contains("is new"));
    }

    #[test]
    fn modules_are_named_alone_or_in_lists() {
        let code = "use crate::state::State;\nuse crate::{mesh::Faces, pose};";
        for (module, named) in [("state", true), ("mesh", true), ("pose", true), ("stat", false)] {
            assert_eq!(mentions(code, module), named, "{module}");
        }
    }
}
