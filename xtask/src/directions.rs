//! Which crate may use which: dependencies point one way, and this table says which way.

use crate::metadata::{Dependency, Kind, Package};

/// A crate of the workspace and its borders.
struct Room {
    name: &'static str,
    /// The crates of the workspace it may depend on, tests and build scripts included.
    may_use: &'static [&'static str],
    /// What it must stay ignorant of. Only tests may depend on these packages.
    must_not_know: &'static [Subject],
}

/// A body of knowledge, and the packages that carry it into a crate.
#[derive(Clone, Copy)]
struct Subject {
    name: &'static str,
    packages: &'static [&'static str],
}

const FORMATS: Subject = Subject {
    name: "files and formats",
    packages: &[
        "csv",
        "gltf",
        "gltf-json",
        "image",
        "openusd",
        "png",
        "serde",
        "serde_json",
        "tobj",
        "toml",
        "toml_edit",
        "zip",
    ],
};
const PRINTING: Subject = Subject {
    name: "printing",
    packages: &["anstream", "console", "env_logger", "indicatif", "log", "miette", "tracing"],
};
const COMMAND_LINE: Subject =
    Subject { name: "the command line", packages: &["clap", "console", "ctrlc", "indicatif"] };
const WINDOWS: Subject = Subject {
    name: "windows and graphics cards",
    packages: &["eframe", "egui", "minifb", "softbuffer", "wgpu", "winit"],
};
const NETWORK: Subject = Subject {
    name: "the network",
    packages: &["axum", "hyper", "reqwest", "tiny_http", "tokio", "tungstenite", "ureq"],
};
const SOLVERS: Subject =
    Subject { name: "solvers", packages: &["faer", "nalgebra", "parry3d-f64", "sprs"] };
const SCENES: Subject = Subject { name: "scenes", packages: &["toml", "toml_edit"] };

const ROOMS: &[Room] = &[
    Room {
        name: "taffeta-linalg",
        may_use: &[],
        must_not_know: &[FORMATS, PRINTING, COMMAND_LINE, WINDOWS, NETWORK],
    },
    Room {
        name: "taffeta",
        may_use: &["taffeta-linalg"],
        must_not_know: &[FORMATS, PRINTING, COMMAND_LINE, WINDOWS, NETWORK],
    },
    Room {
        name: "taffeta-garment",
        may_use: &["taffeta"],
        must_not_know: &[FORMATS, SOLVERS, SCENES, PRINTING, COMMAND_LINE, WINDOWS, NETWORK],
    },
    Room {
        name: "taffeta-io",
        may_use: &["taffeta", "taffeta-garment"],
        must_not_know: &[SOLVERS, SCENES, PRINTING, COMMAND_LINE, WINDOWS, NETWORK],
    },
    Room {
        name: "taffeta-scene",
        may_use: &["taffeta", "taffeta-garment", "taffeta-io"],
        must_not_know: &[SOLVERS, COMMAND_LINE, WINDOWS, NETWORK],
    },
    Room {
        name: "taffeta-render",
        may_use: &["taffeta"],
        must_not_know: &[SOLVERS, SCENES, PRINTING, COMMAND_LINE, NETWORK],
    },
    Room {
        name: "taffeta-sweep",
        may_use: &["taffeta", "taffeta-io", "taffeta-scene", "taffeta-render"],
        must_not_know: &[SOLVERS, PRINTING, COMMAND_LINE, WINDOWS, NETWORK],
    },
    Room {
        name: "taffeta-live",
        may_use: &["taffeta", "taffeta-io", "taffeta-scene"],
        must_not_know: &[SOLVERS, COMMAND_LINE, WINDOWS],
    },
    Room {
        name: "taffeta-cli",
        may_use: &[
            "taffeta-linalg",
            "taffeta",
            "taffeta-io",
            "taffeta-scene",
            "taffeta-render",
            "taffeta-sweep",
            "taffeta-live",
        ],
        must_not_know: &[],
    },
    Room {
        name: "taffeta-python",
        may_use: &["taffeta", "taffeta-io", "taffeta-scene", "taffeta-sweep", "taffeta-cli"],
        must_not_know: &[SOLVERS, COMMAND_LINE, WINDOWS, NETWORK],
    },
    Room { name: "xtask", may_use: &[], must_not_know: &[] },
];

/// Compares every crate's direct dependencies with the table.
pub fn check(packages: &[Package]) -> Vec<String> {
    packages.iter().flat_map(check_package).collect()
}

fn check_package(package: &Package) -> Vec<String> {
    match ROOMS.iter().find(|room| room.name == package.name) {
        Some(room) => package.dependencies.iter().filter_map(|used| room.refuse(used)).collect(),
        None => vec![format!(
            "crate `{}` is new: enter it in the table of xtask/src/directions.rs, with what it \
             may use and what it must not know",
            package.name
        )],
    }
}

impl Room {
    /// What is wrong with depending on this package, if anything.
    fn refuse(&self, used: &Dependency) -> Option<String> {
        let ours = used.path.is_some() || ROOMS.iter().any(|room| room.name == used.name);
        if ours { self.refuse_own(used) } else { self.refuse_foreign(used) }
    }

    fn refuse_own(&self, used: &Dependency) -> Option<String> {
        let allowed = match self.may_use {
            [] => "no crate of this workspace".to_owned(),
            names => format!("only {}", names.join(", ")),
        };
        (!self.may_use.contains(&used.name.as_str())).then(|| {
            format!(
                "`{}` depends on `{}`, but may use {allowed}: move the code that needs it to a \
                 crate further out",
                self.name, used.name
            )
        })
    }

    fn refuse_foreign(&self, used: &Dependency) -> Option<String> {
        if used.kind == Some(Kind::Dev) {
            return None;
        }
        let knows = |subject: &&Subject| subject.packages.contains(&used.name.as_str());
        self.must_not_know.iter().find(knows).map(|subject| {
            format!(
                "`{}` depends on `{}`, but must not know {}: move the code that needs it to a \
                 crate that may",
                self.name, used.name, subject.name
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uses(name: &str, kind: Option<Kind>) -> Dependency {
        Dependency { name: name.to_owned(), kind, path: None }
    }

    fn problems(name: &str, dependencies: Vec<Dependency>) -> Vec<String> {
        let (targets, manifest_path) = (Vec::new(), std::path::PathBuf::new());
        check(&[Package { name: name.to_owned(), dependencies, targets, manifest_path }])
    }

    #[test]
    fn inward_dependencies_pass() {
        assert!(problems("taffeta", vec![uses("taffeta-linalg", None)]).is_empty());
        assert!(problems("taffeta-cli", vec![uses("taffeta-scene", Some(Kind::Dev))]).is_empty());
    }

    #[test]
    fn outward_dependencies_fail_in_every_kind() {
        for kind in [None, Some(Kind::Dev), Some(Kind::Build)] {
            let found = problems("taffeta", vec![uses("taffeta-io", kind)]);
            assert_eq!(found.len(), 1);
            assert!(found[0].contains("may use only taffeta-linalg"), "{found:?}");
        }
        let found = problems("xtask", vec![uses("taffeta", None)]);
        assert!(found[0].contains("may use no crate of this workspace"), "{found:?}");
    }

    #[test]
    fn a_crate_beside_ours_is_refused_although_the_table_does_not_name_it() {
        let beside = Dependency { path: Some("crates/fresh".to_owned()), ..uses("fresh", None) };
        assert_eq!(problems("taffeta-io", vec![beside]).len(), 1);
    }

    #[test]
    fn a_new_crate_must_be_entered() {
        let found = problems("taffeta-web", Vec::new());
        assert!(found[0].contains("enter it in the table"), "{found:?}");
    }

    #[test]
    fn the_simulator_knows_no_formats_and_no_command_line_outside_its_tests() {
        for name in ["serde", "toml", "clap", "indicatif"] {
            assert_eq!(problems("taffeta", vec![uses(name, None)]).len(), 1, "{name}");
            assert_eq!(problems("taffeta", vec![uses(name, Some(Kind::Build))]).len(), 1);
            assert!(problems("taffeta", vec![uses(name, Some(Kind::Dev))]).is_empty());
        }
        let found = problems("taffeta", vec![uses("serde", None)]);
        assert!(found[0].contains("must not know files and formats"), "{found:?}");
        assert!(problems("taffeta", vec![uses("glam", None)]).is_empty());
    }

    #[test]
    fn the_table_itself_points_one_way() {
        for (place, room) in ROOMS.iter().enumerate() {
            for used in room.may_use {
                let inner = ROOMS.iter().position(|other| other.name == *used);
                assert!(inner.is_some_and(|inner| inner < place), "{} -> {used}", room.name);
            }
        }
    }
}
