//! Checks of what is written: documents name what exists, and no file holds what it must not.

mod content;
mod markdown;
mod mentions;
mod tree;

use std::fs;
use std::path::Path;

use tree::Tree;

/// Documents that must be there.
const REQUIRED: [&str; 3] = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"];

/// Runs every check on the files of the repository.
pub fn check(root: &Path) -> Vec<String> {
    match Tree::read(root) {
        Ok(tree) => check_tree(root, &tree),
        Err(problem) => vec![problem],
    }
}

fn check_tree(root: &Path, tree: &Tree) -> Vec<String> {
    let mut problems = Vec::new();
    for path in REQUIRED.iter().filter(|path| !tree.contains(path)) {
        problems.push(format!("{path} is missing"));
    }
    // A link to a folder stands for files that are looked at where they are.
    for path in tree.files().filter(|path| !root.join(path).is_dir()) {
        match fs::read(root.join(path)).map(String::from_utf8) {
            Ok(Ok(text)) => problems.extend(check_text(tree, path, &text)),
            // Pictures, meshes and other binary files have no words to check.
            Ok(Err(_)) => {}
            Err(error) => problems.push(format!("{path}: {error}")),
        }
    }
    let text_of = |path: &str| fs::read_to_string(root.join(path)).unwrap_or_default();
    if tree.contains("ARCHITECTURE.md") {
        problems.extend(mentions::rooms(tree, &text_of("ARCHITECTURE.md")));
    }
    problems.extend(mentions::scenes(tree, &(text_of("docs/scenes.md") + &text_of("README.md"))));
    problems
}

fn check_text(tree: &Tree, path: &str, text: &str) -> Vec<String> {
    let mut problems = content::check(path, text);
    if is_document(path) {
        problems.extend(mentions::paths(tree, path, text));
        problems.extend(mentions::links(tree, path, text));
    }
    problems
}

/// The documents at the top and those directly in `docs/`.
fn is_document(path: &str) -> bool {
    let in_docs = path.strip_prefix("docs/").is_some_and(|name| !name.contains('/'));
    REQUIRED.contains(&path) || (in_docs && path.ends_with(".md"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_those_at_the_top_and_in_docs() {
        assert!(is_document("README.md"));
        assert!(is_document("docs/scenes.md"));
        assert!(!is_document("docs/figures/notes.md"));
        assert!(!is_document("crates/taffeta/README.md"));
        assert!(!is_document("docs/drape.png"));
    }

    #[test]
    fn a_text_is_checked_for_content_paths_and_links() {
        let tree = Tree::of(&["README.md"]);
        let text = format!("`docs/gone.md` [x](gone.md) {}", ["TO", "DO"].concat());
        assert_eq!(check_text(&tree, "README.md", &text).len(), 3);
        assert_eq!(check_text(&tree, "notes.txt", &text).len(), 1);
    }

    #[test]
    fn missing_documents_are_reported() {
        let problems = check_tree(Path::new("nowhere"), &Tree::of(&[]));
        assert_eq!(problems.len(), REQUIRED.len(), "{problems:?}");
        assert!(problems.iter().all(|problem| problem.ends_with("is missing")));
    }
}
