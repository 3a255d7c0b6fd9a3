//! Modules form layers: in no crate do modules use each other in a circle, and those of the simulator
//! use only what stands below them: layers by folders, and modules within each folder.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::metadata::Package;

/// The layers of `crates/taffeta` and the modules of each, from the ground up: a layer uses those
/// before it, and a module what stands before it in its own.
const LAYERS: &[(&str, &str)] = &[
    ("geometry", "mesh pose motion guide collision detection solid"),
    ("matter", "fabric presets gauge elements model"),
    ("error", ""),
    ("state", "constraint touch"),
    ("woven", "lattice tears weave tearing cloth frays couples ties coarse weaving refining"),
    (
        "setup",
        "pin pull fan loads load_keys self_contact limits limiter stability integrator step_limits piece checks",
    ),
    ("step", "phase stage outcome tally passage script load_forces judge control"),
    ("contact", "row inheritance tangle untangle bodies features layers solids surroundings"),
    ("solvers", "momentum forces limiters explicit implicit strips choice room step_solver"),
    ("simulation", "measure frame signal hand outside tearing change"),
];

/// Which modules a module uses.
type Uses = BTreeMap<String, BTreeSet<String>>;

/// Looks at every crate of the workspace.
pub fn check(packages: &[Package]) -> Vec<String> {
    let mut problems = Vec::new();
    for package in packages {
        let source = package.folder().join("src");
        let uses = match uses_of(&source, "crate::") {
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
            let layers: Vec<&str> = LAYERS.iter().map(|(layer, _)| *layer).collect();
            problems.extend(outside_of_order(&uses, &layers));
            for (layer, modules) in LAYERS.iter().filter(|(_, modules)| !modules.is_empty()) {
                let modules: Vec<&str> = modules.split(' ').collect();
                match uses_of(&source.join(layer), &format!("crate::{layer}::")) {
                    Ok(uses) => problems.extend(outside_of_order(&uses, &modules)),
                    Err(error) => problems.push(format!("layer `{layer}`: {error}")),
                }
            }
        }
    }
    problems
}

/// What uses something that stands after it in an order, or is not in it.
fn outside_of_order(uses: &Uses, order: &[&str]) -> Vec<String> {
    let place = |module: &str| order.iter().position(|other| *other == module);
    let mut problems = Vec::new();
    for (module, used) in uses {
        let Some(own) = place(module) else {
            problems.push(format!(
                "module `{module}` is new: enter it in the table of xtask/src/layers.rs"
            ));
            continue;
        };
        for other in used.iter().filter(|other| place(other).is_some_and(|other| other > own)) {
            problems.push(format!("module `{module}` uses `{other}`, which stands above it"));
        }
    }
    problems
}

/// The modules right below a folder, whose ways from the root begin with `prefix`, and which of them
/// each uses; tests do not count.
fn uses_of(folder: &Path, prefix: &str) -> std::io::Result<Uses> {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if !["lib", "main", "mod", "tests"].contains(&name.as_str()) {
            read_into(&path, prefix, 1, texts.entry(name).or_default())?;
        }
    }
    let used = |(own, text): (&String, &String)| {
        let others = texts.keys().filter(|other| *other != own);
        let used = others.filter(|other| mentions(text, prefix, other)).cloned().collect();
        (own.clone(), used)
    };
    Ok(texts.iter().map(used).collect())
}

/// Adds the code of a file, or of all files in a folder, up to their tests; ways up to the folder
/// that is looked at are written from the root. A file `depth` below it goes up so many times.
fn read_into(path: &Path, prefix: &str, depth: usize, text: &mut String) -> std::io::Result<()> {
    if path.is_dir() {
        for entry in std::fs::read_dir(path)? {
            let inner = entry?.path();
            let own = inner.file_name().is_some_and(|name| name == "mod.rs");
            read_into(&inner, prefix, if own { depth } else { depth + 1 }, text)?;
        }
        return Ok(());
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name.ends_with(".rs") && name != "tests.rs" {
        let whole = std::fs::read_to_string(path)?;
        text.push_str(&code_of(&whole).replace(&"super::".repeat(depth), prefix));
    }
    Ok(())
}

/// A file without its tests and lines of comment.
fn code_of(whole: &str) -> String {
    let code = whole.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.fold(String::new(), |text, line| text + line + "\n")
}

/// Whether code names a module by its way: `crate::name` or `crate::{…, name…}`.
fn mentions(text: &str, prefix: &str, module: &str) -> bool {
    let is_whole = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    text.match_indices(prefix).any(|(at, root)| {
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
        let order = ["mesh", "state", "simulation"];
        let good = uses(&[("simulation", &["state"]), ("state", &["mesh"]), ("mesh", &[])]);
        assert!(outside_of_order(&good, &order).is_empty());
        let bad = uses(&[("mesh", &["simulation"]), ("simulation", &[])]);
        assert!(outside_of_order(&bad, &order)[0].contains("stands above it"));
        assert!(outside_of_order(&uses(&[("novel", &[])]), &order)[0].contains("is new"));
    }

    #[test]
    fn modules_are_named_alone_in_lists_and_within_a_layer() {
        let code = "use crate::state::State;\nuse crate::{mesh::Faces, pose};";
        for (module, named) in [("state", true), ("mesh", true), ("pose", true), ("stat", false)] {
            assert_eq!(mentions(code, "crate::", module), named, "{module}");
        }
        let inner = "use crate::geometry::mesh::Faces;";
        assert!(mentions(inner, "crate::geometry::", "mesh"));
        assert!(!mentions(inner, "crate::geometry::", "pose"));
        assert!(!mentions(inner, "crate::", "mesh"));
    }

    #[test]
    fn tests_and_comments_do_not_count() {
        let code = "// use crate::a;\nuse crate::b;\n#[cfg(test)]\nuse crate::c;";
        assert_eq!(code_of(code), "use crate::b;\n");
    }
}
