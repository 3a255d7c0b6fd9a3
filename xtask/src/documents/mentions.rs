//! What documents name must exist, and what exists must be named in its document.

use super::markdown;
use super::tree::Tree;

/// Top folders whose paths are checked even after the folder itself is gone.
const TOP_FOLDERS: [&str; 9] =
    [".cargo", ".ci", "crates", "docs", "fuzz", "papers", "scenes", "viewer", "xtask"];

/// Every repository path set as code exists.
pub fn paths(tree: &Tree, document: &str, text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    for word in markdown::code_words(text) {
        if let Some(path) = repository_path(tree, word.text).filter(|path| !tree.contains(path)) {
            problems.push(format!("{document}:{}: there is no `{path}`", word.line));
        }
    }
    problems
}

/// Every link that stays in the repository leads somewhere.
pub fn links(tree: &Tree, document: &str, text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    for link in markdown::link_targets(text).iter().filter(|link| !is_address(link.text)) {
        if !resolve(document, link.text).is_some_and(|path| tree.contains(&path)) {
            problems
                .push(format!("{document}:{}: the link to {} leads nowhere", link.line, link.text));
        }
    }
    problems
}

/// The architecture names every top folder and every crate.
pub fn rooms(tree: &Tree, architecture: &str) -> Vec<String> {
    let crates = tree.folders_in("crates/");
    tree.folders_in("")
        .union(&crates)
        .filter(|name| !names(architecture, name))
        .map(|name| format!("ARCHITECTURE.md does not say what lives in {name}/"))
        .collect()
}

/// The list of scenes names every scene.
pub fn scenes(tree: &Tree, lists: &str) -> Vec<String> {
    tree.files()
        .filter(|path| path.starts_with("scenes/") && path.ends_with(".toml"))
        .filter(|path| !names(lists, path.rsplit('/').next().unwrap_or(path)))
        .map(|path| format!("{path} is listed neither in docs/scenes.md nor in README.md"))
        .collect()
}

/// The path in a word of code, up to a placeholder such as `<key>` or `*`; none in other words.
fn repository_path<'a>(tree: &Tree, word: &'a str) -> Option<&'a str> {
    let word = word.trim_matches(['"', '\'', '(', ')', '[', ']', ',', ';']);
    let word = word.strip_prefix("./").unwrap_or(word);
    let word = word.split(['#', ':']).next().unwrap_or(word).trim_end_matches('.');
    let Some((top, _)) = word.split_once('/') else {
        return is_top_file(word).then_some(word);
    };
    let known = TOP_FOLDERS.contains(&top) || tree.folders_in("").contains(top);
    known.then(|| fixed_part(word).trim_end_matches('/'))
}

/// The folders before the first placeholder.
fn fixed_part(path: &str) -> &str {
    match path.find(['<', '*', '{', '…', '$', '%']) {
        Some(placeholder) => path[..placeholder].rsplit_once('/').map_or("", |(folder, _)| folder),
        None => path,
    }
}

/// Files at the top are told by their capitals; other bare names may be anybody's files.
fn is_top_file(word: &str) -> bool {
    let capitals = |name: &str| {
        !name.is_empty() && name.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_')
    };
    word.strip_suffix(".md").is_some_and(capitals)
        || word.strip_prefix("LICENSE-").is_some_and(capitals)
}

fn is_address(target: &str) -> bool {
    target.contains("://") || target.starts_with("mailto:")
}

/// The link as a path from the root; none where it leaves the repository.
fn resolve(document: &str, link: &str) -> Option<String> {
    let mut parts: Vec<&str> = document.split('/').collect();
    parts.pop();
    for part in link.trim_end_matches('/').split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// Whether the text holds the name as a word of its own: `taffeta-io` does not name `taffeta`.
fn names(text: &str, name: &str) -> bool {
    let part_of_word = |letter: char| letter.is_alphanumeric() || letter == '-' || letter == '_';
    text.match_indices(name).any(|(start, _)| {
        let end = start + name.len();
        !text[..start].ends_with(part_of_word) && !text[end..].starts_with(part_of_word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> Tree {
        Tree::of(&[
            "LICENSE-MIT",
            "README.md",
            "assets/cloth.obj",
            "crates/taffeta-io/src/lib.rs",
            "crates/taffeta/src/lib.rs",
            "docs/scenes.md",
            "scenes/flag.toml",
        ])
    }

    #[test]
    fn paths_that_exist_pass_in_every_dress() {
        for word in [
            "crates/taffeta/src/lib.rs",
            "./crates/taffeta/",
            "crates/taffeta/src/lib.rs:12",
            "docs/scenes.md#list",
            "scenes/*.toml",
            "crates/<name>/src",
            "(scenes/flag.toml)",
            "assets/cloth.obj",
            "README.md",
            "LICENSE-MIT",
        ] {
            assert!(repository_path(&tree(), word).is_some(), "{word} is not seen as a path");
            assert!(paths(&tree(), "README.md", &format!("`{word}`")).is_empty(), "{word}");
        }
    }

    #[test]
    fn paths_that_are_gone_fail_with_their_line() {
        for word in [
            "crates/taffeta/src/gone.rs",
            "papers/<key>/target.toml",
            "fuzz/",
            "scenes/old/*.toml",
            "assets/gone.obj",
            "CHANGELOG.md",
            "LICENSE-GPL",
        ] {
            let found = paths(&tree(), "README.md", &format!("words\n\n`run {word} now`"));
            assert_eq!(found.len(), 1, "{word}");
            assert!(found[0].starts_with("README.md:3: there is no `"), "{found:?}");
        }
    }

    #[test]
    fn other_words_are_not_paths() {
        for word in ["out/frame.ply", "my.toml", "N/m", "https://docs/x", "a.md", "target/x"] {
            assert_eq!(repository_path(&tree(), word), None, "{word}");
        }
    }

    #[test]
    fn links_are_read_from_where_the_document_lies() {
        let good = "[a](scenes.md) [b](../README.md) [c](../crates/taffeta/) [d](https://x.org/y)";
        assert!(links(&tree(), "docs/scenes.md", good).is_empty());
        for bad in ["[a](README.md)", "[a](../../README.md)", "[a](../docs/gone.md#part)"] {
            let found = links(&tree(), "docs/scenes.md", bad);
            assert_eq!(found.len(), 1, "{bad}");
            assert!(found[0].contains("leads nowhere"), "{found:?}");
        }
    }

    #[test]
    fn every_folder_and_crate_has_its_mention() {
        let whole = "`assets/`, `crates/`, `docs/`, `scenes/`, crate taffeta, crate taffeta-io.";
        assert!(rooms(&tree(), whole).is_empty());
        let lacking = rooms(&tree(), &whole.replace("crate taffeta,", "").replace("`docs/`", ""));
        assert_eq!(lacking.len(), 2, "{lacking:?}");
        assert!(lacking[0].contains("docs/") && lacking[1].contains("taffeta/"), "{lacking:?}");
    }

    #[test]
    fn every_scene_is_listed() {
        assert!(scenes(&tree(), "`scenes/flag.toml`: a flag").is_empty());
        for list in ["", "flag", "my-flag.toml", "flag.tomls"] {
            assert_eq!(scenes(&tree(), list).len(), 1, "{list}");
        }
    }
}
