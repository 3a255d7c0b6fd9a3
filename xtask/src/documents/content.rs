//! What no text file of the repository may hold.

/// From this many lines on a source file must be split.
const LONGEST_SOURCE: usize = 600;

const SOURCE_ENDINGS: [&str; 7] = [".rs", ".py", ".js", ".mjs", ".ts", ".sh", ".html"];

/// What a tool builds from sources that are checked; nobody reads it.
const BUILT: &str = "crates/taffeta-live/page/app.js";

/// Words of unfinished work; in pieces, so that this file passes its own check.
const UNFINISHED: [&str; 2] = [concat!("TO", "DO"), concat!("FIX", "ME")];
const UNFINISHED_CALLS: [&str; 2] = [concat!("to", "do!("), concat!("unimpl", "emented!(")];

/// Where absolute paths of one particular machine begin; the same in pieces.
const MACHINE_FOLDERS: [&str; 3] =
    [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/tm", "p/wt")];
const HOME_FOLDERS: [&str; 2] = [concat!("/ho", "me/"), concat!("/Us", "ers/")];

/// Checks one file line by line, and its length.
pub fn check(path: &str, text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if path == BUILT {
        return problems;
    }
    let rust = path.ends_with(".rs");
    for (index, line) in text.lines().enumerate() {
        let at = |problem: String| format!("{path}:{}: {problem}", index + 1);
        problems.extend(machine_path(line).map(at));
        problems.extend(unfinished(line, rust).map(at));
        if rust && line.contains('\t') {
            problems.push(at("a tab: indent with spaces, write \\t in strings".to_owned()));
        }
    }
    problems.extend(too_long(path, text.lines().count()));
    problems
}

fn machine_path(line: &str) -> Option<String> {
    let absolute = |at: usize| {
        !line[..at].ends_with(|before: char| before.is_alphanumeric() || "._-".contains(before))
    };
    let begins = |folder: &&&str| line.match_indices(**folder).any(|(at, _)| absolute(at));
    let with_user = |folder: &&&str| {
        line.match_indices(**folder).any(|(at, found)| {
            absolute(at) && line[at + found.len()..].starts_with(|c: char| c.is_alphanumeric())
        })
    };
    let found = MACHINE_FOLDERS.iter().find(begins);
    found.or_else(|| HOME_FOLDERS.iter().find(with_user)).map(|folder| {
        format!("{folder} is a path of one machine: write it from the root of the repository")
    })
}

fn unfinished(line: &str, rust: bool) -> Option<String> {
    let is_word = |word: &&&str| line.split(|c: char| !c.is_alphanumeric()).any(|w| w == **word);
    let is_call = |call: &&&str| rust && line.contains(**call);
    let found = UNFINISHED.iter().find(is_word);
    found
        .or_else(|| UNFINISHED_CALLS.iter().find(is_call))
        .map(|word| format!("`{word}` marks unfinished work: finish it, or open an issue for it"))
}

fn too_long(path: &str, lines: usize) -> Option<String> {
    let source = SOURCE_ENDINGS.iter().any(|ending| path.ends_with(ending));
    (source && lines > LONGEST_SOURCE).then(|| {
        format!("{path}: {lines} lines, more than {LONGEST_SOURCE}: split it, one idea to a file")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_one_machine_are_found() {
        for folder in MACHINE_FOLDERS.iter().chain(&HOME_FOLDERS) {
            let found = check("notes.md", &format!("fine\nsee `{folder}anna/x`"));
            assert_eq!(found.len(), 1, "{folder}");
            assert!(found[0].starts_with("notes.md:2: "), "{found:?}");
        }
    }

    #[test]
    fn what_a_tool_built_is_not_read() {
        let long = "x\n".repeat(LONGEST_SOURCE + 1);
        assert!(check(BUILT, &long).is_empty());
        assert_eq!(check("viewer/src/main.ts", &long).len(), 1);
    }

    #[test]
    fn other_paths_pass() {
        for prefix in ["docs", "..", "example.org", "my-"] {
            let inner = format!("{prefix}{}x", MACHINE_FOLDERS[0]);
            assert!(check("notes.md", &inner).is_empty(), "{inner}");
        }
        let any_home = format!("`{}<you>/cloth`", HOME_FOLDERS[0]);
        assert!(check("notes.md", &any_home).is_empty(), "{any_home}");
    }

    #[test]
    fn unfinished_work_is_found() {
        for word in UNFINISHED {
            assert_eq!(check("notes.md", &format!("// {word}: more")).len(), 1, "{word}");
            assert!(check("notes.md", &format!("{word}S and X{word}")).is_empty(), "{word}");
        }
        for call in UNFINISHED_CALLS {
            assert_eq!(check("lib.rs", &format!("{call})")).len(), 1, "{call}");
            assert!(check("notes.md", &format!("{call})")).is_empty(), "{call}");
        }
    }

    #[test]
    fn tabs_are_found_in_rust_only() {
        assert_eq!(check("lib.rs", "\tlet x = 1;").len(), 1);
        assert!(check("Makefile", "\tcargo test").is_empty());
    }

    #[test]
    fn long_sources_are_found() {
        let longest = "x\n".repeat(LONGEST_SOURCE);
        assert!(check("lib.rs", &longest).is_empty());
        assert_eq!(check("lib.rs", &(longest.clone() + "x")).len(), 1);
        assert!(check("data.csv", &(longest + "x")).is_empty());
    }
}
